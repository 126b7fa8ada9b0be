//! Tests of the names around changed lines, in texts of several languages.

use super::*;
use expect_test::{Expect, expect};

/// Checks the names around each changed line of a text; `§` at the end of a line marks it as
/// changed.
fn check(text: &str, expect: Expect) {
    let mut lines = LineDiff::default();
    for (number, line) in (1u32..).zip(text.lines()) {
        if line.ends_with('§') {
            lines.changed.push((number, number));
        }
    }
    let found = enclosing_names(&text.replace('§', ""), &lines);
    expect.assert_eq(&found.join(" "));
}

#[test]
fn the_words_of_headers_toml_are_single_words() {
    let sets = [&WORDS.functions, &WORDS.types, &WORDS.values, &WORDS.statements, &WORDS.continuations];
    assert!(sets.iter().all(|words| words.iter().all(|word| word.chars().all(is_name_char))));
    assert!(is_trailer("Signed-off-by: A <a@x>") && is_trailer("Reviewers: A, B"));
    assert!(!is_trailer("fix: a thing") && !is_trailer("read by: nobody"));
}

#[test]
fn python_names_are_found_for_methods_nested_functions_and_values() {
    check(
        "import os\n\nROUTES = {\n    'a': 1,§\n}\n\nclass App(Base):\n    name = 'x'§\n\n    @wraps(f)\n    async def run(\n        self,\n    ) -> None:\n        if self.x:\n            y = [\n                1,§\n            ]\n        def inner():\n            pass§\n\n        return 1§\n",
        expect!["ROUTES App.name App.run App.run.inner"],
    );
}

#[test]
fn rust_names_are_found_for_impl_blocks_and_constants() {
    check(
        "pub(crate) struct A<T> {\n    pub field: T,§\n}\n\nimpl<T: Into<B>> fmt::Display for a::A<T>\nwhere\n    T: C,\n{\n    fn fmt(&self, f: &mut F)\n    where\n        T: D,\n    {\n        let x = match y {\n            Z => 1,§\n        };\n    }\n}\nconst fn k() {\n    1§\n}\nmod tests {\n    #[test]\n    pub async unsafe fn t() {\n        run(|| {\n            1§\n        });\n    }\n}\nconst N: u32 = 1;§\nmacro_rules! m {\n    () => {};§\n}\n",
        expect!["A.field A.fmt k tests.t N m"],
    );
}

#[test]
fn names_of_go_methods_begin_with_the_receiver() {
    check(
        "package a\n\nfunc (s *Server[K]) Run(\n\tctx C,\n) error {\n\treturn nil§\n}\n\ntype Conf struct {\n\tName string `x`§\n}\n\nfunc New[T any](a T) {\n\tx := 1§\n}\n\nvar (\n\tErrA = errors.New(\"a\")§\n)\n",
        expect!["Server.Run Conf New ErrA"],
    );
}

#[test]
fn java_and_csharp_methods_are_found_before_parentheses() {
    check(
        "package a.b;\n\npublic class Foo<T> extends Bar {\n    private static final Map<String, T> CACHE = new HashMap<>();§\n\n    @Override\n    public <K> List<K> run(int a,\n                           int b) throws E {\n        if (a > b) {\n            return run(b,\n                a);§\n        } else {\n            x.y(1);§\n        }\n    }\n\n    enum E {\n        ONE(1),§\n    }\n}\n",
        expect!["Foo.CACHE Foo.run Foo.E.ONE"],
    );
    check(
        "namespace A.B\n{\n    public sealed class Foo : IFoo\n    {\n        public string Name { get; set; }§\n\n        public Foo(int a)\n            : base(a)\n        {\n            _a = a;§\n        }\n\n        public async Task<T> RunAsync<T>()\n            where T : class\n        {\n            foreach (var x in y)\n            {\n                Call(x);§\n            }\n        }\n    }\n}\n",
        expect!["A.B.Foo.Name A.B.Foo.Foo A.B.Foo.RunAsync"],
    );
}

#[test]
fn typescript_and_ruby_names_are_found() {
    check(
        "export class Hono<E> {\n  private path: string = '/'§\n\n  async load(\n    a: string\n  ): Promise<void> {\n    await this.run(() => {\n      a()§\n    })\n  }\n}\n\nexport const compose = <T>(x: T) => {\n  let i = 1§\n}\nexport default async function go() {\n  return 1§\n}\n",
        expect!["Hono.path Hono.load compose.i go"],
    );
    check(
        "module Jekyll\n  class Site < Base\n    attr_reader :a\n\n    def self.build(x)\n      x.each do |y|\n        y§\n      end\n    rescue E\n      z§\n    end\n\n    def empty?\n      @a§\n    end\n\n    class << self\n      def get\n        1§\n      end\n    end\n  end\nend\n",
        expect!["Jekyll.Site.build Jekyll.Site.empty? Jekyll.Site.get"],
    );
}

#[test]
fn elixir_names_are_found_in_modules_with_dots() {
    check(
        "defmodule A.B do\n  @moduledoc false\n\n  defmodule C do\n    defstruct [:a]\n  end\n\n  defmacro m(a) do\n    a§\n  end\n\n  defp ok?(x) do\n    x§\n  end\n\n  def run!(x), do: x§\nend\n",
        expect!["A.B.m A.B.ok? A.B.run!"],
    );
}

#[test]
fn objective_c_methods_are_found_by_selector_in_the_class_before_them() {
    check(
        "#import <A.h>\n\n@interface Foo : NSObject\n- (void)load;§\n@end\n\n@implementation Foo (Bar)\n\n- (nullable NSArray<id> *)run:(void (^)(int a))block on:(Queue *)queue {\n    [self load];§\n}\n\n+ (instancetype)shared {\n    return x;§\n}\n@end\n\n@implementation Baz\n- (void)load {\n    y();§\n}\n@end\n",
        expect!["Foo.load Foo.run:on: Foo.shared Baz.load"],
    );
    check(
        "@interface Named {\n    String value();§\n}\nclass Foo {\n    void run() {\n        x();§\n    }\n}\n",
        expect!["value Foo.run"],
    );
}

#[test]
fn cpp_members_are_found_outside_their_type_and_after_macros() {
    check(
        "namespace a {\n\nclass API_EXPORT Foo : public B {\n public:\n  void run();§\n};\n\nAPI_INLINE void Foo::run(int a) {\n  std::swap(a, b);\n  c = 1;§\n}\n\ntemplate <typename T>\nFoo<T>::~Foo() {\n  d = 1;§\n}\n}\n",
        expect!["Foo.run Foo.run.c Foo.~Foo.d"],
    );
}

#[test]
fn haskell_equations_belong_to_the_function_of_their_signature() {
    check(
        "module A where\n\nrun :: Int -> Int\nrun 0 = 1§\nrun n\n  | n > 1 = 2§\n  where\n    x = 3§\n\nlong\n  :: Int\n  -> Int\nlong a = b§\n\ndata T = T\n  { field :: Int§\n  }\n",
        expect!["run long T"],
    );
}

#[test]
fn ocaml_names_are_found_in_recursive_groups() {
    check(
        "let rec even n =\n  odd n§\n\nand odd n =\n  even n§\n\nmodule M = struct\n  let f x =\n    x§\nend\n",
        expect!["even.n odd.n M.f"],
    );
}

#[test]
fn entries_of_the_default_export_of_a_component_are_found() {
    check(
        "<script>\n  export default {\n    name: 'A',\n    methods: {\n      run(a) {\n        if (a) {\n          b = a;§\n        }\n      }\n    }\n  };\n</script>\n",
        expect!["default.methods.run.b"],
    );
}

#[test]
fn removed_lines_touch_the_declaration_around_them() {
    let text = "def a():\n    x = 1\n\n\ndef b():\n    y = 2\n";
    let lines = LineDiff { changed: Vec::new(), removed_after: vec![2, 3] };
    assert_eq!(
        enclosing_names(text, &lines),
        ["a".into()],
        "nothing encloses lines that were removed after an empty line"
    );
}

#[test]
fn the_number_and_depth_of_names_are_bounded() {
    let deep = (0..200).map(|n| format!("{}class C{n}:\n", " ".repeat(n))).collect::<Vec<_>>().concat();
    let all = LineDiff { changed: vec![(1, 100_000)], removed_after: vec![0] };
    assert!(enclosing_names(&deep, &all).iter().all(|chain| chain.matches('.').count() < MAX_NAME_PARTS));
    let wide = (0..5000).map(|n| format!("def f{n}():\n    pass\n")).collect::<Vec<_>>().concat();
    assert_eq!(enclosing_names(&wide, &all).len(), MAX_NAMES_PER_FILE);
    for text in [
        "",
        "\n",
        "func (",
        "impl<",
        "é(ü=",
        "\u{7f}(",
        ">(",
        "class é::",
        "def ?",
        "(((",
        "a.b.(",
        "- (",
        "- ()",
        "+ (a)b:",
        "@interface",
        "@protocol é",
        "::(",
        "a<::b(",
        "and",
        "é ::",
    ] {
        let _ = enclosing_names(text, &all);
    }
}
