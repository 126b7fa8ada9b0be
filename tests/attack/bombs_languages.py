"""The pieces of which `bombs_sources` builds texts, for each language and format.

In `nest`, `…` separates what opens a level from what closes it. `opens` are never closed. Each of
`links` continues an expression, and each of `wide` is one of many members. `{n}` is a number that
differs in each repetition.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pieces:
    """The pieces of one language. The texts stand between `head` and `tail` in the file `path`."""

    path: str
    head: str
    nest: tuple
    opens: tuple
    links: tuple
    wide: tuple
    words: str
    sample: str
    tail: str = ""
    # What encloses the text: a JSON string of a notebook's cell, or nothing.
    cell: str = ""


BRACKETS = ("(…)", "[…]", "{…}")
ECMASCRIPT = Pieces(
    path="a.js",
    head="function f() {\n  const x = ",
    nest=(*BRACKETS, "a(…)", "a[…]", "() => {…}", "`${…}`", "{a: …}", "new ", "!", "- ", "await ", "async () => ", "<a>…</a>", "if (a) …", "/a/.test(…)"),
    opens=("/*", "`", "`${", "'", "a<", "<a ", "/", "=> {", "class {", "function (", "async (a", "case a:", "a ? ", "let [", "{ get a(", "<a>{", "\\u{"),
    links=("a|.a()", "a|?.a", "a| + 1", "a| ? a : b", "a|`a`", "a|[0]", "a| => a", "a| && a", "a|, a", "if (a) {}| else if (a) {}", "a| = a", "a|.then(() => a)"),
    wide=("m{n}() {}", "a{n}: 1,", "import a{n} from './a{n}';", "export const a{n} = {n};", "case {n}: break;", "function a{n}(a) { return a; }", "@a class A{n} {}", "a{n}('a', () => {});"),
    words="async await break case catch class const default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while yield => ... ?. ?? ** >>> ; : , . = ' \" ` / \\ # @ ( ) [ ] { } < > ${",
    sample="import { a } from './b';\nexport class A extends B {\n  #p = 1;\n  async m(x, { y } = {}) {\n    for (const z of x) { await z?.b(`t${y}`); }\n    return x.map((q) => q ** 2).filter(Boolean);\n  }\n}\n",
)
TYPESCRIPT_NEST = (*BRACKETS, "a<…>", "Array<…>", "(a: …) => a", "keyof ", "<A>", "a as ", "{[K in …]: K}", "A extends B ? … : C", "`${…}`", "() => ")
TYPESCRIPT_OPENS = ("/*", "`${", "a<", "<A>(", "a as A<", "<", "(a: A<", "=> {", "type A<", "enum {", "a!: ", "declare ", "@a(", "abstract class A<", "new A<", "[a?:")
TYPESCRIPT_LINKS = ("a|.a()", "a|!", "a| as A", "a| | A", "a| & A", "a| extends A ? B : C", "a| satisfies A", "A|['a']", "A|[]", "a| ? a : b", "A|<A>", "a|<A>()")
TYPESCRIPT_WIDE = ("a{n}: A;", "m{n}(a: A): B {}", "type A{n} = B;", "interface A{n} { a: B }", "import type { a{n} } from './a{n}';", "enum A{n} { B }", "@a() b{n}: A;", "function a{n}(a: string): void;", "| 'a{n}'")
TYPESCRIPT_WORDS = ECMASCRIPT.words + " abstract any as asserts declare enum infer interface is keyof module namespace never private protected public readonly satisfies type unique unknown"
TYPESCRIPT_SAMPLE = "import type { A } from './a';\nexport abstract class C<T extends A = A> implements D<T> {\n  @dec() private readonly x?: Map<string, T[]>;\n  m<K extends keyof T>(k: K, ...r: unknown[]): T[K] | undefined {\n    return (this.x!.get(k as string) ?? [])[0] as T[K];\n  }\n}\ntype M<T> = { readonly [K in keyof T]?: T[K] extends infer U ? U : never };\n"
JAVA_OPENS = ("/*", "a<", "(a) ", '"', '"""', "'", "@A(", "new A<", "a -> {", "case a ->", "A<? extends ", "(A & B) ", "int[", "A.<", "class A<", "a::", "switch (a) {", "var a = ")
C_OPENS = ("/*", "#if a\n", "#ifdef A\n", '"', "'", "a<", "(a)", "(a *", "a(", "struct {", "typedef ", "int (*", "a[", "sizeof ", "__attribute__((", "case a:", "do ", "#define a \\\n", "_Generic(a, ", "* ")
C_NEST = (*BRACKETS, "a(…)", "(a)", "*", "&", "if (a) …", "do … while (a);", "#if A\n…\n#endif\n", "a ? … : b", "struct {…} a;", "(a *)", "sizeof(…)", "int (*a)(…)")
C_LINKS = ("a|->a", "a|(a)", "a|[a]", "a| + a", "a| ? a : b", "a|, a", "if (a) {}| else if (a) {}", "a| * a", "a| && a", "a| = a", "a| a", "a|++")
C_WIDE = ("int a{n};", "#define A{n} {n}", "#include <a{n}.h>", "int a{n}(int a) { return a; }", "A{n} = {n},", "case {n}: break;", "struct a{n} { int a; };", "{ .a = {n} },", "EXPORT(a{n})")
C_WORDS = "auto break case char const continue default do double else enum extern for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while #define #if #else #endif #include -> ++ << >> ; : , . = ' \" \\ # ( ) [ ] { } * &"
C_SAMPLE = '#include <stdio.h>\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\ntypedef struct node { struct node *next; int (*cb)(void *, int); } node_t;\nstatic int walk(const node_t *n, unsigned long k) {\n  for (; n && k--; n = n->next) { if (n->cb((void *)n, MAX(1, 2))) return -1; }\n  return sizeof(*n) + "abc"[0];\n}\n'
YAML_NEST = ("[…]", "{a: …}", "- ", "? ", "a:\n ", '"…"', "{…}", "!a ", "[{a: …}]")
YAML_OPENS = ("[", "{", "- ", "? ", "&a ", "*a ", "!a ", "|\n ", ">\n ", '"', "'", "a: ", "- - ", "{ a: [", "%", "---\n", "<<: *a\n", "{{ ", "[&a ", "? - ", ": ", "!<")
YAML_LINKS = ("a: b| b", "a:| &a", "a: [b|, b]", "a: {b|, b: c}", "x:| - a", "a:\n| - b\n")
YAML_WIDE = ("a{n}: b", "- a{n}", "a{n}: &a{n} b", "b{n}: *a", "a{n}: [b, c]", "a{n}:\n  b: c", "# a{n}", "--- # {n}", "a{n}: |\n  b", "? a{n}\n: b")
YAML_WORDS = "a: b - ? : [ ] { } , & * ! | > ' \" # % @ ` --- ... << ~ null true 1 &a *a !a |- >+ \t"
PROSE_WORDS = "a b . , ! ? * _ ` ~ # > - + 1. [ ] ( ) < > | \\ & : :: .. == = ^ $ $$ {{ }} { } --- *** ``` ~~~ <!-- --> <a> </a> http://a.b"

LANGUAGES = {
    "go": Pieces(
        "a.go", "package a\nfunc f() {\n\tx := ",
        (*BRACKETS, "a(…)", "[]", "*", "func() {…}", "map[a]", "struct{a …}", "interface{ … }", "chan ", "a[…]", "<-", "if a {…}", "[]a{…}"),
        ("/*", "`", '"', "a[", "func(", "a{", "[]a{", "a.(", "case a:", "<-", "map[", "switch a := ", "go func() {", "struct {", "interface {", "a[b,", "for a := range ", "'", "(*"),
        ("a|.a()", "a| + a", "a|[a]", "a|(a)", "a|, a", "if a {}| else if a {}", "a| && a", "a| | a", "a|.(a)", "a|{}", "a| <- a"),
        ("var a{n} = {n}", "func a{n}(a int) int { return a }", 'import "a{n}"', "type a{n} struct { a int }", "case {n}:", "{n}: {n},", "a{n} int `a`", "const a{n} = iota"),
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var := <- ... ; : , . = ' \" ` ( ) [ ] { } * & ~",
        "type T[K comparable, V any] struct { m map[K][]V; sync.Mutex }\nfunc (t *T[K, V]) Get(k K, fs ...func(V) (bool, error)) (v V, err error) {\n\tfor _, x := range t.m[k] {\n\t\tif ok, err := fs[0](x); ok && err == nil { return x, nil }\n\t}\n\tswitch y := any(v).(type) {\n\tcase int: go func() { <-ch }()\n\tdefault: _ = y\n\t}\n\treturn\n}\n",
    ),
    "python": Pieces(
        "a.py", "def f():\n  x = ",
        (*BRACKETS, "a(…)", "a[…]", "lambda: ", "not ", "-", "f'{…}'", "await ", "{a: …}", "[a for a in …]", "*", "(yield …)", "a if b else "),
        ("/*", '"""', "'''", "f'{", 'f"""{', "'", "(", "[", "{", "lambda a:", "a if ", "match a:", "case [", "@a(", "def a(", "class a(", "with (", "print ", "\\\n", "a := ", "*", "async ", "exec ", ": ", "if a:\n "),
        ("a|.a()", "a| + a", "a| if a else b", "a|[a]", "a|(a)", "a| and a", "a| = a", "a|, a", "a| < a", "a| 'a'", "a| for a in a", "a|; a", "if a: pass|\nelif a: pass"),
        ("a{n} = {n}", "def a{n}(a): return a", "import a{n}", "from a{n} import b", "class A{n}(B): pass", "'a{n}': {n},", "@a{n}", "# a{n}", "case {n}: pass", "print a{n}", "    # a{n}", "async def a{n}(): pass"),
        "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield print exec := -> ** // << @ ; : , . = ' \" ''' \"\"\" f' \\ # ( ) [ ] { } * \n \n\t \n\n",
        "import a.b as c\n@dec(x=1)\nclass A(B, metaclass=M):\n    x: int = 3\n    async def m(self, *a, k=None, **kw) -> dict[str, int]:\n        with open(f'{a!r:>{k}}') as f, g() as h:\n            return {y: z for y, z in zip(a, kw) if (n := y) not in self.x}\n        try:\n            yield lambda q: q[1:2, ...]\n        except (E, F) as e:\n            raise X from e\n",
    ),
    "javascript": ECMASCRIPT,
    "jsx": Pieces("a.jsx", "const x = () => ", ("<a>…</a>", "<>…</>", "{…}", "<a b={…}/>", "<a>{…}</a>", "<a {...…}/>", "(…)"), ("<a>", "<", "<a ", "<a b={", "<>", "{/*", "<a>{", "<a.", "<a:", "</", "<a b='", "{...", "&"), ("<a| a/>", "<a>| a</a>", "<a/>|<a/>", "a| && <a/>", "a| ? <a/> : <b/>"), ("<a/>", "<a b={{n}}/>", "a{n}={b}", "{/* {n} */}", "<a{n}></a{n}>"), ECMASCRIPT.words + " <a> </a> <a/> <> </> {...", "export function C({ a, ...p }) {\n  return (\n    <D x={1} {...p}>\n      {a.map((i) => <li key={i}>t &amp; {i ? <b>{i}</b> : null}</li>)}\n      <>text</>\n    </D>\n  );\n}\n"),
    "typescript": Pieces("a.ts", "function f() {\n  const x: A = ", TYPESCRIPT_NEST, TYPESCRIPT_OPENS, TYPESCRIPT_LINKS, TYPESCRIPT_WIDE, TYPESCRIPT_WORDS, TYPESCRIPT_SAMPLE),
    "typescript types": Pieces("a.ts", "type X = ", TYPESCRIPT_NEST, TYPESCRIPT_OPENS, TYPESCRIPT_LINKS, TYPESCRIPT_WIDE, TYPESCRIPT_WORDS, TYPESCRIPT_SAMPLE),
    "tsx": Pieces("a.tsx", "function f() {\n  const x: A = ", (*TYPESCRIPT_NEST, "<a>…</a>", "<a b={…}/>"), (*TYPESCRIPT_OPENS, "<a>", "<a b={", "<A<"), TYPESCRIPT_LINKS, TYPESCRIPT_WIDE, TYPESCRIPT_WORDS, TYPESCRIPT_SAMPLE),
    "rust": Pieces(
        "a.rs", "fn f() {\n    let x = ",
        (*BRACKETS, "a(…)", "&", "*", "!", "|a| ", "a::<…>", "Vec<…>", "if a {…}", "match a { _ => … }", "unsafe {…}", "a![…]", "{ let a = …; }", "<A as …>::B", "&mut ", "dyn Fn(…)"),
        ("/*", 'r#"', '"', "'", "a<", "a::<", "|a| ", "&'a ", "match a {", "#[a(", "a!{", "<a as ", "impl<", "where A: ", "dyn ", "for<", "'a: ", "fn a<", "b'", "#![", "let Some(", "<"),
        ("a|.a()", "a|?", "a| + a", "a|::a", "a|(a)", "a|[a]", "a| as a", "if a {}| else if a {}", "a| && a", "a| | a", "a|.await", "a| < a", "a|..a", "a| = a"),
        ("let a{n} = {n};", "fn a{n}(a: u8) -> u8 { a }", "use a::a{n};", "struct A{n};", "{n} => {n},", "A{n},", "#[a{n}]", "const A{n}: u8 = 1;", "a{n}!();", "impl A for B{n} {}", "a{n}: u8,", "mod a{n} {}"),
        "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while -> => :: .. ..= << >> ; : , . = ' \" # ! ? | & * ( ) [ ] { } < > 'a r#\" b'",
        "use std::{fmt::{self, Display}, sync::*};\n#[derive(Debug, Clone)]\npub struct S<'a, T: Display + 'a = u8> where T: Send { x: &'a [T; 4], y: Box<dyn Fn(&T) -> Option<T>> }\nimpl<'a, T: Display> fmt::Display for S<'a, T> {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        match self.x { [a, .., b] if a < b => write!(f, \"{a}\")?, _ => (), }\n        let c = |q: u8| -> u8 { q as u8 << 2 };\n        for i in 0..=c(3) { loop { break } }\n        Ok(())\n    }\n}\n",
    ),
    "java": Pieces(
        "A.java", "class A { void f() { var x = ",
        (*BRACKETS, "a(…)", "(a) ", "a<…>", "new A() {…}", "() -> ", "if (a) …", "a ? … : b", "switch (a) { case 1 -> … }", "class A {…}", "@A(…)", "new int[]{…}", "try {…} finally {}", "!"),
        JAVA_OPENS,
        ("a|.a()", "a| + a", "a| ? a : b", "a|[a]", "a| && a", "if (a) {}| else if (a) {}", "a|.<A>a()", "a| instanceof A", "a|::a", "a| -> a", "a|, a", "a| < a", "a| = a"),
        ("int a{n};", "void a{n}(int a) {}", "import a.a{n};", "class A{n} {}", "case {n}: break;", "A{n},", "@A{n}", "record A{n}(int a) {}", "a{n}(a);", "static final int A{n} = 1;"),
        "abstract assert boolean break case catch class default do else enum extends final finally for if implements import instanceof int interface native new package private protected public record return sealed static super switch synchronized this throw throws try var void while yield -> :: ... ; : , . = ' \" \"\"\" @ ( ) [ ] { } < > ? & |",
        "package a.b;\nimport static a.B.*;\n@A(x = {1, 2})\npublic abstract class C<T extends D & E<? super T>> extends F<T> implements G {\n  private final Map<String, List<int[]>> m = new HashMap<>();\n  @Override public <R> R f(T t, int... xs) throws X {\n    for (var e : m.entrySet()) { try (var r = g()) { xs[0] = (int) h.apply(e -> e::k) >>> 2; } catch (X | Y z) { throw z; } }\n    return switch (t) { case Q(int a, var b) when a > 1 -> null; default -> { yield null; } };\n  }\n}\n",
    ),
    "csharp": Pieces(
        "a.cs", "class A { void F() { var x = ",
        (*BRACKETS, "a(…)", "(a)", "a<…>", "() => ", "new A {…}", "$\"{…}\"", "if (a) …", "a ? … : b", "a switch { _ => … }", "await ", "delegate {…}", "from a in … select a", "[A(…)]"),
        ("/*", "'''", '"""', '$"{', '@"', '"', "'", "a<", "(a)", "(a, ", "[A(", "new A<", "=> {", "#if A\n", "a is ", "switch {", "case a:", "from a in ", "$$\"\"\"", "where T : ", "a?[", "stackalloc ", "delegate*<", "ref ", "(A<", "checked ("),
        ("a|.a()", "a|?.a", "a| + a", "a| ? a : b", "a|[a]", "a| is a", "a| as a", "a| ?? a", "a| with {}", "if (a) {}| else if (a) {}", "a|!", "a|, a", "a| < a", "a|<A>()", "a| => a", "a|?[a]", "a| and a"),
        ("int a{n};", "void A{n}(int a) {}", "using a.a{n};", "class A{n} {}", "case {n}: break;", "A{n},", "[A{n}]", "int A{n} { get; set; }", "#region a{n}", "record A{n}(int A);", "public const int A{n} = 1;"),
        "abstract as async await base bool break case catch class const delegate do else enum event explicit extern finally fixed for foreach get if implicit in init interface internal is lock namespace new null operator out override params partial private protected public readonly record ref return sealed set sizeof stackalloc static struct switch this throw try typeof unsafe using var virtual void when where while with yield => ?? ?. :: ; : , . = ' \" @\" $\" \"\"\" ( ) [ ] { } < > ? # *",
        "using X = A.B<int>;\nnamespace N;\n[Attr(typeof(C<,>))]\npublic sealed partial record class D<T>(int P, T? Q) : E<T>, IF where T : class, new()\n{\n    public required string? S { get; init; } = $\"a{1:N2}b\" + @\"c\"\"d\";\n    public async Task<(int a, T? b)> M(ref readonly int z, params T[] ts)\n    {\n        await foreach (var t in ts) { if (t is { P: > 1 and < 5, Q: [_, .. var r] } y) { checked { z++; } } }\n        var q = from i in ts where i != null orderby i descending select new { i };\n        return (z switch { 1 or 2 => (int)z, _ => throw new() }, default!);\n    }\n}\n",
    ),
    "ruby": Pieces(
        "a.rb", "def f\n  x = ",
        (*BRACKETS, "a(…)", "a { … }", "begin … end", "if a then … end", "\"#{…}\"", "a do |a| … end", "-> { … }", "!", "case a when b then … end", "%w(…)", "def a() … end", "[*…]", "`#{…}`", "class A … end"),
        ("=begin\n", "<<~A\n", "<<A, ", '"#{', "%w(", "%q{", "%(", "/", "'", '"', "a do |", "begin ", "if a ", "-> (", "{ |a|", "`", "case a\n", "def a(", "?", ":\"", "%i[", "a ? ", "class << ", "{ a: ", "unless ", "__END__", "&", "**"),
        ("a|.a()", "a|&.a", "a| + a", "a| ? a : b", "a|[a]", "a| && a", "a|, a", "a| if a", "if a then b| elsif a then b", "a|::A", "a| a", "a| rescue a", "a|.a { }", "a| => a", "a| = a", "a| 'a'", "a|..a", "a| <<A"),
        ("a{n} = {n}", "def a{n}(a) = a", "require 'a{n}'", "class A{n} < B; end", "when {n} then a", "attr_accessor :a{n}", "a{n}: {n},", "# a{n}", "include A{n}", "A{n} = 1", "a{n} 'a' do end", "alias a{n} b"),
        "BEGIN END alias and begin break case class def defined? do else elsif end ensure for if in module next nil not or redo rescue retry return self super then undef unless until when while yield => -> :: ** <=> =~ << && || ; : , . = ' \" ` #{ %w( %q{ /a ?a @a $a :a | & * ( ) [ ] { } < > \n \n",
        "require_relative 'a'\nmodule A\n  class B < C::D\n    include E\n    attr_reader :x, *Y\n    def m(a, b = 1, *c, d:, e: 2, **f, &g)\n      @x ||= a.map { |q, (r, s)| \"#{q}-#{r&.t}\" }.reject(&:nil?)\n      case b\n      when /re#{d}x/i, 1..2 then yield c rescue nil\n      in {k: [Integer => z, *]} then z\n      end\n      puts <<~T, %w[a b]\n        text #{f}\n      T\n    end\n  end\nend\n",
    ),
    "c": Pieces("a.c", "int f() {\n  int x = ", C_NEST, C_OPENS, C_LINKS, C_WIDE, C_WORDS, C_SAMPLE),
    "c header": Pieces("a.h", "", C_NEST, C_OPENS, C_LINKS, C_WIDE, C_WORDS, C_SAMPLE),
    "cpp": Pieces(
        "a.cpp", "int f() {\n  auto x = ",
        (*C_NEST, "a<…>", "[&] {…}", "template <…>", "std::vector<…>", "decltype(…)", "namespace a {…}", "static_cast<a>(…)", "class {…};", "a{…}", "requires(…)"),
        (*C_OPENS, "a<b<", "template <", "template <typename ", 'R"(', "[&](", "operator ", "a::", "decltype(", "requires ", "co_await ", "[[", "a<a>(", "class a : ", "a{", "new (", "extern \"C\" {", "typename a<", "~", "using a = "),
        (*C_LINKS, "a|.a()", "a|::a", "a|<a>", "a| << a", "a|{a}", "a|::a<a>", "a| < a", "a|...", "a|.template a<a>()"),
        (*C_WIDE, "class A{n} : public B { int a; };", "template <class T> struct A{n} {};", "using A{n} = B;", "namespace a{n} {}", "virtual void a{n}() = 0;", "template class A<{n}>;"),
        C_WORDS + " class namespace template typename using virtual public: private: operator new delete this nullptr constexpr decltype noexcept override final friend try catch throw concept requires co_await :: <=> ... && < > ~ [[ ]] R\"( )\"",
        "#include <vector>\nnamespace a::b {\ntemplate <typename T, int N = 3, typename... R> requires C<T>\nclass D final : public E<T>, private virtual F {\npublic:\n  explicit D(T&& t) noexcept(true) : E<T>{std::move(t)}, m_(N << 1) {}\n  ~D() override = default;\n  template <class U> auto operator()(U u, R... r) const -> decltype(u + 1) {\n    for (auto& [k, v] : m_) { if constexpr (sizeof...(R) > 0) return [=, this]<class Q>(Q&& q) mutable { return q->*p; }(r...); }\n    return static_cast<int>(R\"(x)\"[0]);\n  }\nprivate:\n  std::map<std::string, std::vector<T>> m_;\n};\n}\n",
    ),
    "objc": Pieces(
        "a.m", "@implementation A\n- (void)f {\n  id x = ",
        (*C_NEST, "[a …]", "@[…]", "@{a: …}", "^{…}", "@(…)", "[[a …] a]", "^(int a) {…}", "@try {…} @finally {}", "NSArray<…> *"),
        (*C_OPENS, "[a ", "@[", "@{", "^(", "^{", "@\"", "@selector(", "@interface A", "@property (", "- (a)a:(", "@(", "@protocol A <", "#pragma ", "@implementation ", "[[", "a<b> *", "@encode("),
        (*C_LINKS, "a|.a", "[a| a:a]", "[a a:a|, a]", "a| a:(a)a"),
        (*C_WIDE, "@property int a{n};", "- (void)a{n} {}", "- (int)a{n}:(int)a b:(int)b;", "@interface A{n} : B\n@end", "#import \"a{n}.h\"", "@class A{n};", "[a a:{n}];"),
        C_WORDS + " @interface @implementation @end @property @protocol @selector( @[ @{ @\" @( ^ id self super nil [a - + < >",
        "#import <Foundation/Foundation.h>\n@interface A : NSObject <B, C>\n@property (nonatomic, copy) NSArray<NSString *> *x;\n- (instancetype)initWithA:(id)a block:(void (^)(int, NSError **))b;\n@end\n@implementation A\n- (void)m:(int)z {\n  @autoreleasepool { NSDictionary *d = @{@\"k\": @[@1, @(z)]}; [self.x enumerateObjectsUsingBlock:^(id o, NSUInteger i, BOOL *s) { [[o foo] bar:i]; }]; }\n}\n@end\n",
    ),
    "php": Pieces(
        "a.php", "<?php\nfunction f() {\n  $x = ",
        (*BRACKETS, "a(…)", "array(…)", "function() {…}", "fn() => ", '"{$a[…]}"', "if ($a) …", "$a ? … : $b", "(int) ", "new class {…}", "match($a) { 1 => … }", "!", "@", "-", "if ($a): … endif;", "?>…<?php "),
        ("/*", "<<<A\n", '"', "'", '"{$', "`", "#[A(", "?>", "<?php ", "$$", "${", "function (", "fn(", "match(", "new class {", "case 1:", "a\\", "<<<'A'\n", "(array) ", "list(", "[$a => ", "?-> ", "use {", "if ($a): ", "<script>", "&", "declare("),
        ("$a|->a()", "$a|::a", "$a| . $a", "$a| ? $a : $b", "$a|[0]", "$a| && $a", "if ($a) {}| elseif ($a) {}", "$a| ?? $a", "$a|?->a", "$a|, $a", "$a| = $a", "$a| instanceof A", "a|\\a", "$a|()"),
        ("$a{n} = {n};", "function a{n}($a) {}", "use A\\A{n};", "class A{n} {}", "case {n}: break;", "'a{n}' => {n},", "public $a{n};", "#[A{n}]", "const A{n} = 1;", "?>a{n}<?php ", "require 'a{n}.php';", "use A{n};"),
        "abstract and array as break case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global if implements include instanceof interface isset list match namespace new or print private protected public readonly require return static switch throw trait try use var while xor yield <?php ?> => -> :: ?-> ... ?? . ; : , = ' \" \"{$ <<<A `$a #[ & | @ $ ( ) [ ] { } < > ?",
        "<?php\nnamespace A\\B;\nuse C\\{D, E as F};\n#[Attr(1)]\nfinal class G extends D implements F {\n  use T { T::m as protected n; }\n  public function __construct(private readonly ?int $x = null, string|array ...$y) {}\n  public static function m(array &$a): ?static {\n    foreach ($a as $k => [$p, 'q' => $r]) { echo \"v {$p->z[$k]} ${r}\", <<<X\n    text $k\n    X; }\n    return match (true) { $a instanceof D, default => fn($q) => $q?->w() ?? new self(...$a) };\n  }\n}\n?>\n<b><?= $x ?></b>\n<?php\n",
    ),
    "kotlin": Pieces(
        "a.kt", "fun f() {\n  val x = ",
        (*BRACKETS, "a(…)", "a {…}", "a<…>", "if (a) … else b", "when (a) { 1 -> … }", '"${…}"', "{ a -> …}", "fun() {…}", "object : A {…}", "!", "a[…]", "class A {…}", "(a) -> ", "@A(…)", "try {…} finally {}", "-"),
        ("/*", '"""', '"${', '"', "'", "a<", "a {", "@A(", "when {", "if (a) ", "{ a, b ->", "fun <", "object : ", "class A<", "a::", "a?.", "(a: ", "`", "val (", "suspend ", "a<b,", "return@", "@[", "-> ", "a@ ", "in "),
        ("a|.a()", "a|?.a", "a| + a", "a| ?: a", "a|[a]", "a| && a", "a|!!", "if (a) {}| else if (a) {}", "a| as a", "a| is a", "a| a a", "a| { }", "a|::a", "a|, a", "a| < a", "a|<A>()", "a|..a", "a|()"),
        ("val a{n} = {n}", "fun a{n}(a: Int) = a", "import a.a{n}", "class A{n}", "{n} -> {n}", "A{n},", "@A{n}", "object A{n}", "typealias A{n} = B", "a{n} { }", "var a{n}: Int by b", "enum class A{n} { B }"),
        "abstract actual annotation as break by catch class companion constructor continue crossinline data do else enum expect external false final finally for fun get if import in infix init inline inner interface internal is it lateinit null object open operator out override package private protected public reified return sealed set super suspend this throw true try typealias val var vararg when where while -> :: ?. ?: !! .. ..< ; : , . = ' \" \"\"\" ${ @ ( ) [ ] { } < > ?",
        "package a.b\nimport c.d as e\n@file:A\nsealed class F<out T : G>(private val x: Map<String, List<T?>>, vararg y: Int = intArrayOf(1)) : H<T>(), I by z where T : J {\n    companion object { const val Q = \"a${1 + 2}b$c\" }\n    inline fun <reified R> T.m(crossinline b: suspend R.(Int) -> Unit): R? = when (val w = this) {\n        is K, !in 1..3 -> x[\"k\"]?.map { (p, q) -> p to q!! }?.let(::n) ?: return@m null\n        else -> { for ((i, v) in y.withIndex()) lbl@ while (true) break@lbl; null }\n    }\n}\n",
    ),
    "swift": Pieces(
        "a.swift", "func f() {\n  let x = ",
        (*BRACKETS, "a(…)", "a {…}", "a<…>", "[a: …]", '"\\(…)"', "{ a in …}", "if a {…}", "a ? … : b", "!", "try ", "await ", "-", "class A {…}", "@A(…)", "(a) -> ", "#if A\n…\n#endif\n", "\\.", "switch a { case 1: … }"),
        ("/*", '"""', '"\\(', '"', '#"', "a<", "a {", "@A(", "{ a in ", "if let a = ", "guard ", "case .a(", "switch a {", "func a<", "a?.", "(a: ", "`", "where A: ", "#if A\n", "some ", "\\.", "/", "inout ", "& ", "a ? ", "a<b,", "[[", "#a(", "~", "->"),
        ("a|.a()", "a|?.a", "a| + a", "a| ?? a", "a|[a]", "a| && a", "a|!", "if a {}| else if a {}", "a| as a", "a| is a", "a| { }", "a| ? a : b", "a|, a", "a| < a", "a|<A>()", "a|...a", "a|()", "a| & A", "a| | a"),
        ("let a{n} = {n}", "func a{n}(a: Int) -> Int { a }", "import a{n}", "class A{n} {}", "case a{n}", "case {n}: break", "@A{n}", "struct A{n} {}", "typealias A{n} = B", "a{n} { }", "var a{n}: Int { 1 }", "extension A{n} {}", "#if A{n}\n#endif"),
        "actor any as associatedtype async await break case catch class continue convenience default defer deinit do dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect init inout internal is lazy let mutating nil operator override private protocol public repeat required rethrows return self set some static struct subscript super switch throw throws try typealias unowned var weak where while -> ?? ... ..< ; : , . = \" \"\"\" \\( #\" @ # & ! ? ( ) [ ] { } < >",
        "import A.B\n@available(iOS 13, *)\npublic final class C<T: D & E>: F where T.X == Int {\n  @Published private(set) var x: [String: (Int, T?)] = [:]\n  init?(_ a: inout T, b c: @escaping (Int) async throws -> Void = { _ in }) rethrows { super.init() }\n  subscript(i: Int) -> some View { get { guard case let .some(y)? = x[\"k\"], y.0 > 1 else { return nil } ; return y } }\n  func m() -> T? { for await case (let p, _) in s where p != 2 { switch p { case 1...3: fallthrough\n  default: z?.w!.map(\\.q) { $0 + \"a\\(p + 1)b\".c } } }\n    return try? a ? b as? T : nil }\n}\n",
    ),
    "scala": Pieces(
        "a.scala", "object A {\n  def f() = ",
        (*BRACKETS, "a(…)", "a {…}", "a[…]", "if (a) … else b", "a match { case b => … }", 's"${…}"', "a => ", "{ case a => … }", "for (a <- …) yield a", "!", "new A {…}", "class A {…}", "-", "try {…} catch { case a => b }", "'{…}", "${…}"),
        ("/*", '"""', 's"${', '"', "'", "a[", "a {", "@A(", "a match {", "case a =>", "for {", "if (a) ", "def a[", "class A[", "given ", "extension (", "a => ", "`", "a:\n  ", "then ", "<a>", "'{", "using ", "[A] =>> ", "? ", "enum A:", "(using ", "with ", "#", "@"),
        ("a|.a()", "a| a", "a| + a", "a|[A]", "a|(a)", "a| && a", "a| match { case a => a }", "if (a) b| else if (a) b", "a| :: a", "a| { }", "a| => a", "a|, a", "a| | a", "a|.a", "a| with A", "a|: A", "a|#A", "a| = a"),
        ("val a{n} = {n}", "def a{n}(a: Int) = a", "import a.a{n}", "class A{n}", "case {n} => a", "case class A{n}(a: Int)", "@A{n}", "object A{n}", "type A{n} = B", "given A{n} = a", "case A{n}", "trait A{n} extends B", "extension (a: A{n}) def b = a"),
        "abstract case catch class def derives do else end enum export extends extension final finally for given if implicit import inline lazy match new null object opaque open override package private protected return sealed super then this throw trait transparent try type using val var while with yield => <- <: >: :: ; : , . = ' \" \"\"\" ${ @ # _ * ( ) [ ] { } < > \n \n  \n    ",
        "package a.b\nimport c.{d => e, _}\nsealed trait F[+T <: G, -U >: H[_]] extends I with J[T] { self: K =>\n  implicit lazy val x: Map[String, (Int, T) => U] = Map(\"k\" -> ((a, b) => ???))\n  def m[A: Ordering](a: A*)(implicit b: B = 1): Option[A] = for { y <- a.headOption; z = y if z != null } yield z match {\n    case p @ Q(_, r: String, _*) if r.nonEmpty => s\"a${p.s}b$r\"; y\n    case _ :: tl | Nil => throw new E(\"\"\"raw\"\"\")\n  }\n}\nenum L[T]:\n  case M(a: Int) extends L[Int]\n  def n: Int = this match\n    case M(a) if a > 1 => a\n    case _ => 0\n",
    ),
    "dart": Pieces(
        "a.dart", "void f() {\n  var x = ",
        (*BRACKETS, "a(…)", "a<…>", "<a>[…]", "'${…}'", "() => ", "() {…}", "if (a) …", "a ? … : b", "!", "await ", "(a) ", "switch (a) { _ => … }", "a[…]", "class A {…}", "<a, b>{…}", "[for (a in b) …]", "-"),
        ("/*", '"""', "'''", "'${", "'", 'r"', "a<", "<a>[", "(a, ", "@A(", "({", "=> ", "a ? ", "switch (a) {", "case a:", "async ", "..a(", "...[", "if (a) ", "List<", "new A<", "a is ", "a<b<", "class A<", "/**", "?..", "[if (a) ", "const ", "typedef A<"),
        ("a|.a()", "a|..a()", "a|?..a()", "a| + a", "a| ? a : b", "a|[a]", "a| && a", "a| ?? a", "a|!", "if (a) {}| else if (a) {}", "a| as a", "a| is a", "a|, a", "a| < a", "a|<A>()", "a|()", "a| => a", "a|..a = b", "a|..[a] = b", "a|?.a", "a| = a", "'a'| 'a'"),
        ("var a{n} = {n};", "int a{n}(int a) => a;", "import 'a{n}.dart';", "class A{n} {}", "case {n}: break;", "a{n},", "@A{n}", "enum A{n} { a }", "typedef A{n} = B;", "'a{n}': {n},", "final int a{n};", "a{n}();", "extension A{n} on B {}", "part 'a{n}.dart';"),
        "abstract as assert async await base break case catch class const continue covariant default deferred do dynamic else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new null on operator part required rethrow return sealed set show static super switch sync this throw try typedef var void when while with yield => .. ?.. ... ?. ?? ; : , . = ' \" ''' ${ @ ! ? & | ( ) [ ] { } < >",
        "import 'package:a/b.dart' as c show D hide E;\npart 'p.dart';\n@immutable\nabstract base class F<T extends G?> extends H<T> with I implements J {\n  const F(this.x, {required super.key, List<Map<String, T>>? y = const []}) : z = x ?? 1, assert(x != null);\n  factory F.n() => K._()..a = 1..b(2)?.c[3] = 4;\n  Future<(int, {String s})> m(T Function(int i)? f, [int q = 0]) async* {\n    for (final MapEntry(:key, value: v) in e.entries) { if (v case [int a, ...var r] when a > 1) yield* 'a${r.map((w) => w!)}b$v'; }\n    var o = switch (q) { 1 || 2 => <int>[if (a) ...?b, for (;;) 1], _ => throw X() };\n  }\n}\n",
    ),
    "elixir": Pieces(
        "a.ex", "defmodule A do\n  def f do\n    x = ",
        (*BRACKETS, "a(…)", "%{a: …}", '"#{…}"', "fn -> … end", "if a do … end", "a do … end", "&(…)", "<<…>>", "case a do b -> … end", "not ", "^", "~s(…)", "{:a, …}", "%A{…}", "-", "cond do a -> … end", "with a <- … do b end"),
        ('"""', '"#{', '"', "'", "'#{", "~s(", "~r/", "~S\"\"\"", "fn a -> ", "do ", "if a do ", "%{", "<<", "&(", "case a do ", "@doc \"\"\"\n", "a: ", "[a | ", "%A{", ":\"", "?", "def a(", "a -> ", "when ", "|> ", "\\\\ ", "with a <- ", "^", "@", "# ", "else ", "rescue "),
        ("a|.a()", "a| |> a()", "a| + a", "a|, a", "a| <> a", "a| and a", "a| = a", "a| | a", "a|.()", "a|[a]", "a| -> a", "a| a", "a| when a", "a| :: a", "a| ++ a", "a|; a", "a| do a end", "if a do b| else b"),
        ("a{n} = {n}", "def a{n}(a), do: a", "alias A.A{n}", "defmodule A{n} do end", "{n} -> a", "a{n}: {n},", "@a{n} 1", "# a{n}", "import A{n}", "use A{n}", ":a{n},", "field :a{n}, :b", "test \"a{n}\" do end"),
        "after and case catch cond def defp defmodule defstruct defmacro do else end fn for if import in nil not or quote receive rescue true try unless unquote use when with -> <- |> => :: \\\\ <> ++ .. & @ ; : , . = ' \" \"\"\" #{ ~s( ~r/ ? % ^ | ( ) [ ] { } << >> a: :a \n",
        "defmodule A.B do\n  @moduledoc \"\"\"\n  text `c/1` #{1}\n  \"\"\"\n  use D, e: [:f, g: ~w(a b)a]\n  alias H.{I, J}\n  @type t(x) :: %__MODULE__{a: x | nil, b: (integer -> [x])}\n  @spec m(t(x), keyword) :: {:ok, x} when x: var\n  def m(%{a: <<p::binary-size(4), r::bits>>} = s, [{k, v} | _] \\\\ []) when is_map(s) and k not in [1, 2] do\n    with {:ok, y} <- s |> n(&(&1 + 1)) |> Enum.map(fn {z, _} -> \"a#{z}b\"; w -> ?a end), do: y, else: (_ -> nil)\n    case s do\n      %{^k => v} -> receive do {:x, q} -> q after 10 -> :t end\n    end\n  rescue e in [E] -> reraise e, __STACKTRACE__\n  end\nend\n",
    ),
    "lua": Pieces(
        "a.lua", "function f()\n  local x = ",
        (*BRACKETS, "a(…)", "function() … end", "if a then … end", "do … end", "not ", "- ", "#", "{a = …}", "{[a] = …}", "a[…]", "[[…]]", "while a do … end", "repeat … until a", "return ", "for a = 1, 2 do … end"),
        ("--[[", "[[", "[=[", "--[==[", '"', "'", "function(", "if a then ", "do ", "repeat ", "{", "a{", "for a in ", "a'", "a\"", "goto ", "::", "[====", "(", "local a <", "return ", "a[", "\\z", "--[", "not "),
        ("a|.a", "a|:a()", "a| + a", "a| .. a", "a|[a]", "a| and a", "a|()", "a|{}", "a|''", "a|, a", "if a then b| elseif a then b", "a| = a", "a| ^ a", "a|; a", "a|[[a]]", "a| or a", "a| < a"),
        ("local a{n} = {n}", "function a{n}(a) return a end", "local a{n} = require('a{n}')", "a{n} = {n},", "{n},", "-- a{n}", "A.a{n} = function() end", "::a{n}::", "goto a{n}", "function A:a{n}() end", "--- @field a{n} b"),
        "and break do else elseif end false for function goto if in local nil not or repeat return then true until while .. ... :: == ~= // ; : , . = ' \" [[ ]] --[[ [=[ # ( ) [ ] { } < > ^ a 1",
        "local M = {}\nM.__index = M\nlocal a <const>, b = require('c.d'), ...\nfunction M.new(x, ...)\n  local self = setmetatable({x = x, [1] = 'y', f = function(q) return q .. [[raw]] end; }, M)\n  for k, v in pairs(self) do if not v then goto n elseif #k > 1 and k ~= 'z' then break end ::n:: end\n  repeat local i = a:m'lit'{1, 2}[3].w until i // 2 == 0 or i ^ 2\n  return self, select('#', ...)\nend\nreturn M\n",
    ),
    "bash": Pieces(
        "a.sh", "f() {\n  x=",
        ("$(…)", "${a:-…}", "$((…))", "(…)", "{ …; }", '"$(…)"', "`…`", "if a; then … fi", "[[ … ]]", "case a in b) … ;; esac", "while a; do … done", "! ", "<(…)", "a() { …; }", "${a[…]}", "for a in b; do … done", "\"${…}\"", "$[…]", "(( … ))"),
        ("$(", "${", "$((", "`", '"', "'", "<<A\n", "<<-'A'\n", "$'", "[[ ", "(( ", "case a in ", "if a; then ", "(", "{ ", "<(", "${a//", "a() {", "for ((", "\"$(", "$[", "a=(", "<<< ", "\\\n", "#", "${a[", "[[ a =~ (", "case a in (", "\"${a:-\"", "select ", "<<A <<B ", "&", "${a@", "until "),
        ("a| | a", "a| && a", "a|; a", "a| a", "a|$a", "a|'a'", "if a; then b| elif a; then b", "a| > a", "a|=a", "a| & a", "a|${a}", "a| <<< a", "a|$(a)", "[[ a| && a ]]", "((a| + a))", "a| 2>&1", "a|\\\na"),
        ("a{n}={n}", "a{n}() { a; }", "source a{n}.sh", "{n}) a ;;", "export a{n}=b", "# a{n}", "echo $a{n}", "alias a{n}=b", "local a{n}", "a{n}+=(b)", "cat <<A\na{n}\nA", "if a{n}; then b; fi"),
        "if then else elif fi for while until do done case esac in function select time coproc { } ( ) (( )) [[ ]] [ ] ; ;; ;& & && | || > < >> << <<- <<< <( $( ${ $(( $a ' \" ` \\ # ! = += =~ == a -a --a * ? ~ \n \n",
        "#!/bin/bash\nset -euo pipefail\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/a.sh\"\nf() {\n  local -a x=(\"$@\" $'a\\n' {1..3})\n  for i in \"${x[@]:1:2}\"; do [[ $i =~ ^a(b|c)+$ && -f ${i%.*} ]] || continue; done\n  while IFS= read -r l; do case \"$l\" in a*|b) echo $((i++ + ${#x[@]})) ;; *) : ;; esac; done < <(grep -v x | sort -u)\n  cat <<-EOT | tee \"/tmp/${1:-d}\" >/dev/null 2>&1\n\ttext $(date) `id`\n\tEOT\n  (( i > 1 )) && { g; } & trap 'rm -f x' EXIT\n}\n",
    ),
    "zig": Pieces(
        "a.zig", "fn f() void {\n  const x = ",
        (*BRACKETS, "a(…)", ".{…}", "if (a) …", "*", "&", "?", "[]", "struct {…}", "try ", "!", "fn (…) void", "switch (a) { else => … }", "a[…]", "blk: {…}", "@a(…)", "error{…}", "comptime ", "if (a) |b| …", "while (a) …", "-"),
        ("\\\\", '"', "'", ".{", "struct {", "fn a(", "if (a) ", "switch (a) {", "@a(", "|a|", "[*]", "*", "?", "a.*", "comptime ", "a: ", "error{", "for (a) |", "@\"", "asm (", "while (a) : (", "[_:", "a orelse ", "a catch |", "test \"", "&.{", "///", "union(enum) {", "enum(", "packed ", "a: {", "=> |", "inline "),
        ("a|.a()", "a|.*", "a|.?", "a| + a", "a| orelse a", "a| catch a", "a|[a]", "a| and a", "a|()", "a|, a", "if (a) {}| else if (a) {}", "a| = a", "a| ++ a", "a| || a", "a|{}", "a|..a", "a|!a"),
        ("const a{n} = {n};", "fn a{n}(a: u8) u8 { return a; }", 'const a{n} = @import("a{n}.zig");', "a{n},", "{n} => a,", ".a{n} = {n},", "a{n}: u8,", 'test "a{n}" {}', "// a{n}", "pub const A{n} = struct {};", "/// a{n}", "var a{n}: u8 = 1;"),
        "addrspace align and anyframe anytype asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline noalias nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while => .* .? .{ .. ... ++ ** || ; : , . = ' \" \\\\ @ ! ? & | * ( ) [ ] { } < >",
        "const std = @import(\"std\");\npub fn List(comptime T: type) type {\n    return struct {\n        const Self = @This();\n        items: []align(4) const T = &.{},\n        next: ?*Self,\n        pub fn m(self: *Self, xs: anytype, f: *const fn (T) anyerror!void) !?u8 {\n            for (xs, 0..) |*x, i| { if (i == 0) continue; try f(x.* orelse return error.E); } else unreachable;\n            const r = blk: { break :blk switch (i) { 1...3, 'a' => |v| v +% 1, else => @as(u8, 2) }; };\n            while (it.next()) |n| : (j += 1) { errdefer g(.{ .a = n, .b = \\\\raw\n            }); }\n            return r catch |e| e;\n        }\n    };\n}\ntest \"t\" { try std.testing.expect(true); }\n",
    ),
    "haskell": Pieces(
        "a.hs", "module A where\nf = ",
        (*BRACKETS, "(a …)", "\\a -> ", "if a then b else ", "case a of a -> ", "let a = … in b", "do { … }", "(a, …)", "- ", "[a | a <- …]", "a $ ", "{-…-}", "let { … }", "\\case { _ -> … }", "(a :: …)", "forall a. ", "do\n  a <- ", "[a, …]", "a { b = … }", "$(…)", "[|…|]", "where { a = … }"),
        ("{-", "{-# ", '"', "'", "(", "[", "do ", "let ", "where ", "case a of ", "\\a ->", "if a ", "[a|", "[|", "$(", "class ", "data A = ", "a @", "::", "(# ", "a `", "\\case ", "forall ", "=> ", "instance ", "!", "~", "| a = ", "#if A\n", "-- | ", "type family ", "newtype ", "a <- ", "if | ", "mdo ", "proc a -> ", "infixl "),
        ("a| a", "a| + a", "a| . a", "a| $ a", "a| >>= a", "a|, a", "a| -> a", "a| => a", "a| :: a", "a| `a` a", "a| | a", "a|; a", "a|.a", "a| @a", "a| = a", "a| : a", "a| <- a", "a|\n  | b = c", "a| &&& a", "a| ! a"),
        ("a{n} = {n}", "a{n} :: Int", "import A{n}", "data A{n} = B{n}", "a {n} = 1", "instance A B{n} where", "type A{n} = B", "-- a{n}", "  | A{n}", "{-# INLINE a{n} #-}", "class A{n} a where", "a{n} x = case x of { _ -> x }", "  , a{n} :: Int", "  a{n} <- b"),
        "case class data default deriving do else forall foreign if import in infix infixl instance let module newtype of then type where qualified as hiding family pattern mdo rec proc -> <- => :: .. | \\ @ ~ ! . , ; : = ' \" ` {- -} {-# #-} -- [| |] $( ( ) [ ] { } (# #) _ $ # \n \n  \n    ",
        "{-# LANGUAGE GADTs #-}\nmodule A.B (C(..), d) where\nimport qualified Data.Map as M (Map, (!))\ndata C a = forall b. Show b => D { x :: !Int, y :: Maybe (a -> b) } | E a :+: b deriving (Eq, Show)\nclass (Monad m) => F m a | m -> a where\n  g :: forall b. m a -> (a, b) -> [b]\n  g m (z, w) | z > 1, Just q <- h z = [p | p <- [1 ..], let r = p * 2, odd r]\n             | otherwise = case m of { D { x = n } | n `elem` k -> [w]; _ -> [] }\n    where k = (\\t -> if t then 'a' else \"b\") <$> s\ninstance F IO Int where\n  g = do\n    v <- l . o $ u\n    let i = 1\n        j = 2\n    pure $! i + j\n",
    ),
    "ocaml": Pieces(
        "a.ml", "let f () =\n  let x = ",
        (*BRACKETS, "(a …)", "begin … end", "fun a -> ", "if a then b else ", "match a with a -> ", "let a = … in b", "[|…|]", "{a = …}", "(*…*)", "!", "- ", "struct … end", "function a -> ", "try … with a -> b", "(a : …)", "lazy ", "(module struct … end)", "object … end", "[%a …]", "let open A in ", "A.(…)", "~a:(…)", "while a do … done"),
        ("(*", '"', "{|", "{a|", "'", "begin ", "match a with ", "function ", "fun a ->", "let a = ", "struct ", "sig ", "[|", "{<", "if a then ", "(module ", "[%a ", "[@a ", "object ", "~a:", "`A (", "type a = ", "try ", "a.{", "let%a ", "module A = ", "functor (", "| A -> ", "'a ", "a :> ", "#", "?a:(", "exception ", "method ", "assert ", "(type ", "A(", "and "),
        ("a| a", "a| + a", "a|; a", "a| |> a", "a|.a", "a|, a", "a| -> a", "a| :: a", "a| | a", "if a then b| else if a then b", "a| && a", "a| : a", "a| in a", "a|.(a)", "a| := a", "a|#a", "a| * a", "a| ~a", "a| @@ a", "a| [@a]", "A|(A)", "a| and a", "a| when a"),
        ("let a{n} = {n}", "let a{n} a = a", "open A{n}", "type a{n} = A{n}", "module A{n} = struct end", "| A{n} -> a", "val a{n} : int", "(* a{n} *)", "exception A{n}", "a{n} = {n};", "external a{n} : int = \"a\"", "include A{n}", "| A{n} of int", "and a{n} = {n}", "[@@@a{n}]"),
        "and as assert begin class constraint do done downto else end exception external for fun function functor if in include inherit initializer lazy let match method module mutable new object of open private rec sig struct then to try type val virtual when while with -> <- := :: ;; :> .. | ; : , . = ' \" {| |} (* *) [| |] [% [@ ` ~ ? ! # @ * ( ) [ ] { } < > _ 'a",
        "open A.B\nmodule C (D : sig type t val f : t -> int end) = struct\n  type 'a e = F of { x : 'a list; mutable y : int option } | G : 'b. 'b * int -> 'b e [@@deriving show]\n  let rec m ?(a = 1) ~b (c : [> `P of int | `Q ]) = match c with\n    | `P n when n > 1 -> begin try List.iter (fun z -> Printf.printf \"%d\" z) [1; 2] with Not_found | E _ -> () end; b.(0) <- !r\n    | _ -> if a then let open H in { k with y = Some [|1|] } else assert false\n  and g = function [] -> 0 | h :: t -> h + g t (* c (* d *) *)\n  class virtual o = object (self) inherit p as super val mutable q = {|raw|} method virtual w : int end\nend\n",
    ),
    "ocaml_interface": Pieces(
        "a.mli", "val x : ",
        ("(…)", "a -> ", "(…) a", "[ `A of … ]", "< a : … >", "sig … end", "{ a : … }", "(a, …) b", "'a. ", "(module …)", "(*…*)", "?a:(…) -> a", "functor (A : B) -> ", "[%a: …]"),
        ("(*", '"', "{|", "sig ", "(", "[ `A of ", "< a : ", "{ a : ", "(module ", "functor (", "[@a ", "val a : ", "type a = ", "module A : ", "class a : ", "object ", "~a:", "?a:", "with type ", "'a ", "[> ", "`A", "exception "),
        ("a| -> a", "a| * a", "a| a", "A|.a", "a| as 'a", "[ `A| | `A ]", "A| with type a = b", "a| [@a]", "type a = A| | A", "(a|, a) b", "A|(A).t", "a| -> ?a:a"),
        ("val a{n} : int", "type a{n} = A{n}", "module A{n} : sig end", "open A{n}", "exception A{n}", "(* a{n} *)", "external a{n} : int = \"a\"", "include A{n}", "| A{n} of int", "and a{n} = b", "class a{n} : b", "a{n} : int;"),
        "and as class constraint end exception external functor include inherit method module mutable nonrec object of open private sig type val virtual with -> := :: | ; : , . = ' \" (* *) [ ] [> [< ` ~ ? # * ( ) { } < > _ 'a a A",
        "open A\nmodule type S = sig type 'a t = private 'a list val f : ?x:int -> y:('a, 'b) Hashtbl.t -> [< `A | `B of int ] -> unit end\nmodule M : functor (D : S with type 'a t = int) -> S [@@deprecated \"x\"]\n(** doc *)\ntype ('a, +'b) r = { mutable x : 'a; y : < m : int; .. > } and q = P of (module S) | Q : int -> q\nval g : (int -> 'a) -> 'a array * string option\nclass virtual c : int -> object method virtual m : int inherit d end\n",
    ),
    "vue": Pieces(
        "a.vue", "<template>\n  <a>\n",
        ("<a>…</a>", "<a v-if=\"a\">…</a>", "{{ … }}", "<template v-slot:a>…</template>", "<a :b=\"…\"/>", "<!--…-->", "<script>…</script>", "<style>…</style>", "(…)"),
        ("<a>", "<a ", "{{ ", "<!--", "<script>\n", "<style>\n", "<template>", "<a :b=\"", "<a @b=\"", "<a v-for=\"", "</", "<script setup lang=\"ts\">\n`${", "&", "<![CDATA[", "<?", "<a b='", "{{ a | ", "<textarea>", "<svg>", "<p>", "<li>", "<br>", "<table><tr>"),
        ("<a| b/>", "<a| :b=\"c\"/>", "<a>|<b/>", "{{ a| + a }}", "<a| v-if=\"a\"/>", "<p>|<p>", "<a/>|<a v-else-if=\"a\"/>"),
        ("<a{n}/>", "<p>a{n}", "{{ a{n} }}", "<a :b{n}=\"c\"></a>", "<!-- {n} -->", "<script>\nconst a{n} = 1;\n</script>", "<br>", "<li>a{n}"),
        "<a> </a> <a <a/> <template> </template> <script> </script> <style> </style> {{ }} v-if=\" v-for=\" :a=\" @a=\" #a \" ' ` = > < / <!-- --> & ; { } ( ) [ ] const import from => ${ a",
        "<script setup lang=\"ts\">\nimport A from './A.vue';\nconst props = defineProps<{ x: number[] }>();\nconst y = computed(() => props.x.map((v) => `${v}`));\n</script>\n<template>\n  <A v-for=\"(i, k) in y\" :key=\"k\" @click=\"() => f(i)\" #default=\"{ z }\">\n    <p v-if=\"z\">{{ z.w ?? 1 }}</p><br><input v-model=\"q\">\n  </A>\n</template>\n<style scoped>\na { b: c; }\n</style>\n",
    ),
    "vue script": Pieces("a.vue", "<script>\nconst x = ", ECMASCRIPT.nest, ECMASCRIPT.opens, ECMASCRIPT.links, ECMASCRIPT.wide, ECMASCRIPT.words, ECMASCRIPT.sample, tail="\n</script>\n"),
    "svelte": Pieces(
        "a.svelte", "<div>\n",
        ("<a>…</a>", "{#if a}…{/if}", "{#each a as b}…{/each}", "{#await a}…{:then b}{/await}", "{…}", "<a b={…}/>", "{#key a}…{/key}", "{@html …}", "<!--…-->", "{#snippet a()}…{/snippet}", "<script>…</script>"),
        ("<a>", "<a ", "{", "{#if a}", "{#each a as ", "{#await ", "{@html ", "<!--", "<script>\n", "<style>\n", "<a b={", "<a on:b={", "{:else if ", "</", "{`${", "{@const ", "<svelte:", "{#snippet a(", "<script lang=\"ts\">\na<", "&", "<a b=\"{", "{...", "$: "),
        ("<a| b/>", "<a| b={c}/>", "<a>|<b/>", "{a| + a}", "{#if a}b|{:else if a}b", "<p>|<p>", "{a|.a()}", "{a}|{a}"),
        ("<a{n}/>", "<p>a{n}", "{a{n}}", "{#if a{n}}b{/if}", "<!-- {n} -->", "<script>\nlet a{n} = 1;\n</script>", "{@const a{n} = b}", "<li>a{n}"),
        "<a> </a> <a <a/> <script> </script> <style> </style> { } {#if a} {:else} {/if} {#each a as b} {/each} {@html on:a={ bind:a={ \" ' ` = > < / <!-- --> & ; ( ) [ ] let import from => ${ $: a",
        "<script lang=\"ts\">\n  import A from './A.svelte';\n  export let x: number[] = [];\n  $: y = x.map((v) => `${v}`);\n</script>\n{#each y as i, k (k)}\n  <A bind:v={i} on:click={() => f(i)} {...$$props} class:z={k > 1}>\n    {#if i}<p>{@html i}</p>{:else if k}{k}{:else}<br>{/if}\n    {#await p then q}{q}{/await}\n  </A>\n{/each}\n<style>a { b: c; }</style>\n",
    ),
    "gradle": Pieces("build.gradle", "dependencies {\n", (*BRACKETS, "a {…}", '"${…}"', "a(…)"), ("/*", '"""', "'''", '"', "'", "{", "(", "[", "implementation(", "$/", "//", "'a:b:"), ("a|.a()", "a| 'a'", "a|:a", "a|, a"), ("implementation 'a:a{n}:1'", "include ':a{n}'", "a{n} {}", "apply from: 'a{n}.gradle'", "api project(':a{n}')"), "plugins dependencies implementation project ( ) { } [ ] ' \" : , = a 1.0 / // /* */", "plugins { id 'a' version '1' }\ndependencies {\n  implementation 'a:b:1'\n  api project(':c')\n}\n"),
    "package.json": Pieces("package.json", '{"dependencies": ', ('{"a": …}', "[…]", '[{"a": …}]'), ("{", "[", '"', '{"a":', '"\\', "/*", "[{", '{"a":[', '"exports": {"'), ('["a"|, "a"]', '"a"| "a"', '{"a": 1|, "a": 1}', '{"dependencies": {}|, "dependencies": {}}'), ('"a{n}": "1",', '"./a{n}": "./b",', '"a{n}": {"a": 1},', '"a{n}",'), "{ } [ ] : , \" \"a\" \"name\" \"dependencies\" \"exports\" \"workspaces\" \"*\" 1 -1 true null \\ \\u / // /*", '{"name": "a", "version": "1.0.0", "exports": {".": {"import": "./a.js"}},\n "workspaces": ["packages/*"], "scripts": {"test": "b"},\n "dependencies": {"c": "^1.0.0"}}\n'),
    "Cargo.toml": Pieces("Cargo.toml", "[dependencies]\na = ", ("[…]", "{a = …}", '"…"'), ("[", "{", "[[", '"""', "'''", '"', "'", "{a=", "a.", "[a.", "#", "[[a."), ("a|.a = 1", "[a|.a]", "a = [1|, 1]", "a = 1| = 1"), ('a{n} = "1"', "[a{n}]", "[[bin]]", "a.a{n} = 1", "# {n}", "a{n} = {version = \"1\"}"), "[ ] [[ ]] { } = . , \" ' \"\"\" ''' # a dependencies workspace members path 1 1.0 true \n", '[package]\nname = "a"\nversion = "0.1.0"\n[workspace]\nmembers = ["b/*"]\n[dependencies]\nc = { path = "../c", features = ["d"] }\n'),
    "pom.xml": Pieces("pom.xml", "<project><dependencies>", ("<a>…</a>", "<dependency>…</dependency>", "<![CDATA[…]]>", "<!--…-->", "${…}"), ("<a>", "<", "<!--", "<![CDATA[", "<?", "<!DOCTYPE a [<!ENTITY a '", "&a;", "${", "</", "<a b='", "<a xmlns:a{n}='b'>"), ("<a>|<b/>", "<a| b='c'/>", "a|&amp;", "a|${a}"), ("<a{n}/>", "<module>a{n}</module>", "<dependency><groupId>a</groupId><artifactId>a{n}</artifactId></dependency>", "<!-- {n} -->", "<a{n}>b</a{n}>"), "<a> </a> <a/> < > / = \" ' <!-- --> <![CDATA[ ]]> &amp; & ${ } project dependency groupId module", "<project>\n  <groupId>a</groupId>\n  <artifactId>b</artifactId>\n  <modules><module>c</module></modules>\n  <dependencies><dependency><groupId>d</groupId><artifactId>${e}</artifactId></dependency></dependencies>\n</project>\n"),
    "go.mod": Pieces("go.mod", "module a\n", ("(…)", "require (\n…\n)\n"), ("(", "require (", "//", '"', "replace (", "=>", "`"), ("a| a", "a| => a", "require a| a"), ("require a{n} v1.0.0", "\ta{n} v1.0.0", "replace a{n} => ./a{n}", "exclude a{n} v1", "// {n}", "use ./a{n}"), "module require replace exclude retract use go ( ) => // v1.0.0 a/b ./a \" ` \n", "module a/b\ngo 1.22\nrequire (\n\tc/d v1.0.0 // indirect\n\te/f v0.1.0\n)\nreplace c/d => ../d\n"),
    "markdown": Pieces(
        "a.md", "# A\n\n",
        ("[…](a)", "> ", "- ", "*…*", "**…**", "`…`", "<a>…</a>", "![…](a)", "((…))", "[[…]]", "~~…~~", "| a … |", "1. ", "<!--…-->", "_…_", "<details>…</details>", "$…$"),
        ("[", "![", "](", "*", "_", "**", "`", "``", "<", "<a ", "<!--", "> ", "- ", "1. ", "| ", "```\n", "~~~\n", "[^", "[a]: ", "\\", "&", "&#", "<?", "<![CDATA[", "$$", "# ", "[a](<", "http://a", "www.", "a@", "~", "- [ ] ", "**a*", "*a_", "[a](b \"", "| - ", "=", "*a **b", ":", "{", "<script>", "[[", "- > ", "\t"),
        ("a| *a*", "a| [a](b)", "a|*a", "|a", "a|_a_", "a|`a`", "> a|\n> a", "a| <b>", "|> ", "|- a\n", "[a]|[a]", "a|  \n", "a| [^1]", "a|**a", "a| ![a](b)"),
        ("# a{n}", "- a{n}", "[a{n}]: b", "a{n}", "| a{n} | b |", "```\na{n}\n```", "![a{n}](b)", "[a](a{n}.md)", "> a{n}", "<a{n}>", "[^{n}]: a", "`a{n}`", "a{n}\n===", "{n}. a"),
        PROSE_WORDS,
        "# A `b`\n\nText *em* **strong** [link](a.md#b \"t\") ![i](j.png) <span>x</span> `code` a@b.c.\n\n> quote\n> - list\n>   1. x\n\n| a | b |\n|---|:-:|\n| `c` | d |\n\n```rust\nfn f() {}\n```\n\n[r]: http://a.b\n- [x] t ~~s~~ [^1]\n\n[^1]: note\n",
    ),
    "mdx": Pieces("a.mdx", "# A\n\n", ("<A>…</A>", "{…}", "[…](a)", "*…*", "> ", "<A b={…}/>", "`…`", "- "), ("<A>", "<", "{", "<A b={", "{/*", "import ", "export const a = ", "[", "*", "`", "```\n", "<A ", "<>", "${", "{`"), ("a| {a}", "a| <A/>", "a| *a*", "<A| a/>", "a| [a](b)"), ("import A{n} from './a{n}'", "export const a{n} = {n}", "<A{n}/>", "{a{n}}", "# a{n}", "- a{n}"), PROSE_WORDS + " import export const from <A> </A> <A/> { } {/* */} ` =>", "import { A } from './a'\nexport const b = 1\n\n# C {b}\n\n<A x={1} {...b}>\n  *text* {b.map((i) => <li>{i}</li>)}\n</A>\n"),
    "restructuredtext": Pieces(
        "a.rst", "A\n=\n\n",
        ("`…`_", "*…*", "**…**", "``…``", ":a:`…`", "(…)", "  ", "* ", "|…|", ".. a::\n\n   ", "- - ", "`…`"),
        ("`", "``", "*", "**", ":a:`", "|", "::\n\n", ".. a::\n", ".. _a: ", ".. [", "_`", "+---+\n|", "=== ===\n", "* ", "- ", "1. ", "\\", "a_ ", "__ ", "[1]_ ", ".. |a| ", ">>> ", "| ", ":a: ", ".. ", "----\n", "a\n-", "  "),
        ("a| *a*", "a| `a`_", "a| :a:`b`", "a|_ a", "a| |a|", "a|``a``", "a|::", "a|\n a"),
        ("a{n}\n====", "* a{n}", ".. _a{n}:", ".. include:: a{n}.rst", ".. a{n}::", ":a{n}: b", "| a{n}", "a{n}_", ".. [{n}] a", "`a{n}`", ".. toctree::\n\n   a{n}", "a{n}\n  b"),
        PROSE_WORDS + " :a: `a`_ .. a:: ::  _a: |a| ====  ---- +--+",
        "A\n===\n\n.. toctree::\n   :maxdepth: 2\n\n   b/c\n\nText *em* **s** ``code`` :py:func:`d.e` `link <http://a.b>`_ |sub| [1]_.\n\n.. code-block:: python\n\n   def f(): pass\n\n* item\n\n  1. x\n\n+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n\n.. _t:\n\nB\n---\n",
    ),
    "asciidoc": Pieces(
        "a.adoc", "= A\n\n",
        ("*…*", "_…_", "`…`", "a[…]", "<<…>>", "[[…]]", "{…}", "* ", "====\n…\n====\n", "(((…)))", "#…#", "+…+", "a::", "[a]#…#"),
        ("*", "_", "`", "[", "[[", "<<", "{", "((", "|===\n", "====\n", "----\n", "....\n", "////\n", "a::", "link:", "image::", "include::", "[a]\n", "+++", "* ", "** ", ". ", "== ", "ifdef::a[]\n", "//", "|a ", "a:: ", "pass:[", "^", "~", "footnote:[", ":a: ", "kbd:["),
        ("a| *a*", "a| link:b[a]", "a| <<a>>", "a| {a}", "a|`a`", "a|::", "a| +\n", "|= a", "a| a:b[c]"),
        ("== a{n}", "* a{n}", "include::a{n}.adoc[]", "[[a{n}]]", ":a{n}: b", "|a{n}", "a{n}:: b", "image::a{n}.png[]", "// a{n}", "<<a{n}>>", "[source,a{n}]", "----\na{n}\n----"),
        PROSE_WORDS + " == [[ ]] << >> a::b[] link:a[b] |=== ==== ---- .... {a} ::",
        "= A\n:toc:\n\ninclude::b.adoc[]\n\n== B `c`\n\nText *s* _e_ `code` link:d.adoc[e] <<f>> {attr} footnote:[x].\n\n[source,java]\n----\nclass G {}\n----\n\n|===\n|a |b\n|c |d\n|===\n\n* x\n** y\n+\n====\nz\n====\n",
    ),
    "sql": Pieces(
        "a.sql", "SELECT ",
        ("(…)", "CASE WHEN a THEN … END", "a(…)", "(SELECT …)", "NOT ", "- ", "CAST(… AS INT)", "BEGIN … END;", "a[…]", "EXISTS (SELECT …)", "WITH a AS (…) SELECT a", "IF a THEN … END IF;", "ARRAY[…]", "(a, …)", "$$…$$", "CREATE FUNCTION a() AS $$ …$$", "SELECT a FROM (…) a"),
        ("/*", "--", "'", '"', "`", "$$", "$a$", "(", "CASE WHEN ", "(SELECT ", "BEGIN ", "[", "WITH a AS (", "a BETWEEN ", "CREATE TABLE a (", "IN (", "E'", "JOIN a ON ", "a::", "OVER (", "ARRAY[", "{", "NOT ", "INTERVAL ", "SELECT ", "INSERT INTO a VALUES (", "CREATE FUNCTION a(", "@", ":a", "IF ", "LOOP "),
        ("a| + a", "a| AND a", "a|, a", "SELECT a| UNION SELECT a", "a|.a", "a|::a", "FROM a| JOIN a ON a", "a| || a", "a| OR a", "a| IN (a)", "CASE| WHEN a THEN a", "a| = a", "a| IS NULL", "a|[1]", "a| COLLATE a", "a|(a)", "a| a", "VALUES (a)|, (a)", "a| LIKE a"),
        ("CREATE TABLE a{n} (a INT);", "INSERT INTO a VALUES ({n});", "a{n} INT,", "({n}, 'a'),", "SELECT {n};", "-- a{n}", "CREATE INDEX a{n} ON a (b);", "ALTER TABLE a ADD b{n} INT;", "WHEN {n} THEN a", "CREATE VIEW a{n} AS SELECT 1;", "DROP TABLE a{n};", "COMMENT ON TABLE a{n} IS 'b';"),
        "SELECT FROM WHERE GROUP BY ORDER HAVING LIMIT JOIN LEFT ON USING UNION ALL INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE VIEW INDEX FUNCTION TRIGGER AS IF NOT EXISTS NULL PRIMARY KEY DEFAULT REFERENCES CASE WHEN THEN ELSE END BEGIN COMMIT WITH RECURSIVE AND OR IN BETWEEN LIKE IS CAST OVER PARTITION INT TEXT ( ) [ ] , ; . :: || = < > * ' \" ` $$ -- /* */ @ : 1 a",
        "CREATE TABLE IF NOT EXISTS a.b (id SERIAL PRIMARY KEY, c VARCHAR(10) NOT NULL DEFAULT 'x', d NUMERIC(10, 2) REFERENCES e (f) ON DELETE CASCADE, CHECK (d > 0));\nWITH RECURSIVE g AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM g WHERE n < 5)\nSELECT h.*, COUNT(DISTINCT i) FILTER (WHERE j) OVER (PARTITION BY k ORDER BY l DESC) AS m\nFROM g h LEFT JOIN LATERAL (SELECT * FROM o) p ON h.n = p.q::int\nWHERE r IN (SELECT s FROM t) AND u BETWEEN 1 AND 2 OR v LIKE '%w' GROUP BY 1 HAVING MAX(x) > 3;\nCREATE FUNCTION y(z int) RETURNS int AS $$ BEGIN RETURN z; END; $$ LANGUAGE plpgsql;\n",
    ),
    "proto": Pieces(
        "a.proto", 'syntax = "proto3";\nmessage X {\n',
        ("message A {…}", "oneof a {…}", "[…]", "{…}", "option (a) = {a: …};", "enum A {…}", "extend A {…}", "(…)", "{a {…}}", "group A = 1 {…}", "map<…>"),
        ("/*", '"', "'", "message A {", "oneof a {", "[", "{", "option (", "enum A {", "rpc A (", "map<", "service A {", "{a: ", "reserved ", "extend A {", "[(a) = {", "a.", "//", "returns (", "<"),
        ("a|.a", "int32 a = 1 [a = 1|, a = 1];", "reserved 1|, 1;", "option a|.a = 1;", "\"a\"| \"a\"", "a = 1|; a", "int32| int32"),
        ("int32 a{n} = {n};", "message A{n} {}", 'import "a{n}.proto";', "A{n} = {n};", "rpc A{n}(B) returns (C);", "option a{n} = 1;", "enum A{n} { B = 0; }", "// a{n}", "repeated A a{n} = {n};", "reserved {n};", "service A{n} {}"),
        "syntax package import public option message enum service rpc returns stream oneof map repeated optional required reserved extensions extend group to max int32 string bool ( ) [ ] { } < > = ; , . \" ' /* */ // 1 -1 a A",
        'syntax = "proto3";\npackage a.b.v1;\nimport public "c/d.proto";\noption java_package = "x";\nmessage E {\n  reserved 1, 3 to 5; repeated F.G g = 2 [deprecated = true, (opt).x = {a: 1 b: [2]}];\n  oneof o { string s = 6; map<string, E> m = 7; }\n  enum H { option allow_alias = true; Z = 0; }\n}\nservice S { rpc M(stream E) returns (F) { option (google.api.http) = { get: "/v1/{name=x/*}" }; } }\n',
    ),
    "terraform": Pieces(
        "a.tf", "locals {\n  x = ",
        ("(…)", "[…]", "{a = …}", '"${…}"', "a(…)", "a {\n…\n}\n", "!", "- ", "a ? … : b", "[for a in … : a]", "a[…]", '"%{ if … }a%{ endif }"', "{for a in … : a => b}", 'a "b" {…}'),
        ("/*", '"', '"${', '"%{ if ', "<<A\n", "<<-A\n${", "{", "[", "(", "[for a in ", "a ? ", 'a "', "{ a = ", "#", "//", "a[", "%{", "a = ", "{for ", "!", '"$${', "a.*"),
        ("a|.a", "a| + a", "a| ? a : b", "a|[0]", "a|, a", "a| && a", "a|.*.a", "a|[*]", "a|(a)", "a| = a", '"a|${a}"', "a|...", "a| == a", 'a| "a"'),
        ("a{n} = {n}", 'resource "a" "a{n}" {}', 'variable "a{n}" {}', "# a{n}", 'output "a{n}" { value = a }', 'module "a{n}" { source = "./a{n}" }', '"a{n}",', "a{n} {}", "data \"a\" \"a{n}\" {}"),
        "resource variable output module data locals provider terraform for in if else endif true false null each count dynamic content ( ) [ ] { } = == => ? : , . .* [*] ... && || ! \" \"${ %{ <<A # // /* */ a 1",
        'terraform { required_providers { a = { source = "x/a", version = "~> 1.0" } } }\nresource "a_b" "c" {\n  for_each = { for k, v in var.d : k => v... if v != null }\n  name = "x-${each.key}-${a.b[0].c ? "y" : join(",", local.e[*].f)}"\n  dynamic "g" {\n    for_each = toset(["h"])\n    content { i = g.value }\n  }\n  policy = <<-EOT\n    %{ for j in k ~}\n    ${j}\n    %{ endfor ~}\n  EOT\n  lifecycle { ignore_changes = [tags] }\n}\nmodule "m" { source = "./m" }\n',
    ),
    "graphql": Pieces(
        "a.graphql", "query X ",
        ("{ a …}", "[…]", "(a: …)", "{ a(b: {c: …}) }", "... on A {…}", "@a(b: …)", "{ a: …}", "{…}", "\"\"\"…\"\"\""),
        ('"""', '"', "{", "{ a ", "(", "(a: ", "[", "... on A {", "@a(", "type A {", "#", "$a: ", "(a: [", "{ a(b: {", "union A = ", "enum A {", "...", "&", "|", "input A {", "directive @a(", "extend "),
        ("{ a| a }", "type A implements B| & B", "union A = B| | B", "{ a| @a }", "{ a| ...a }", "(a: 1|, a: 1)", "a|: a", "directive @a on A| | A", "{ a|, a }", "!|!", "a| a"),
        ("a{n}: A", "type A{n} { a: B }", "query A{n} { a }", "enum A{n} { B }", "A{n}", "input A{n} { a: B }", "scalar A{n}", "# a{n}", "a{n}(a: A): B", "fragment A{n} on B { a }", "union A{n} = B", "directive @a{n} on A", "extend type A { a{n}: B }"),
        "query mutation subscription fragment on type interface union enum input scalar directive schema extend implements repeatable true null { } ( ) [ ] ! : = @ $ & | ... , \" \"\"\" # a A 1",
        'schema { query: Q mutation: M }\n"""doc"""\ntype A implements B & C @key(fields: "id") {\n  "d" f(a: [Int!]! = [1], b: In = {x: {y: "z"}}): [D!] @deprecated(reason: "r")\n}\ninterface B { id: ID! } union U = | A | D\nenum E { F G @x } input In { x: In = null } scalar J directive @k(l: Int) repeatable on FIELD | ENUM\nquery R($s: Int = 1, $t: [In!]) { a: f(b: $t) @include(if: true) { ...P ... on A { id } __typename } }\nfragment P on D { g }\n',
    ),
    "makefile": Pieces(
        "Makefile", "x = ",
        ("$(…)", "${…}", "$(a …)", "$(call a,…)", "ifdef A\n…\nendif\n", "define A\n…\nendef\n", "$(if …)", "(…)", "$(shell …)", "ifeq (a,…)\nendif\n", "$(foreach a,b,…)", "$$(…)"),
        ("$(", "${", "$(a ", "$(call a,", "ifdef A\n", "define A\n", "$(shell ", "\\\n", "#", "a: ", "\t", "ifeq (", "$$(", '"', "'", "$(if ", "a ::= ", "%: ", "`", "$(foreach ", "a: a: ", "$", "else ", "override "),
        ("a| a", "a:| a", "x =| $(a)", "a|:a", "ifdef A\n|else ifdef A\n", "a:\n\ta|; \\\n\ta", "x = a|,a", "a: a| | a", "x +=| a", "a|%a"),
        ("a{n} = {n}", "a{n}: b", "a{n}:\n\tb", "include a{n}.mk", ".PHONY: a{n}", "# a{n}", "\ta{n}", "export a{n}", "a{n} += b", "-include a{n}.d", "vpath a{n} b", "define a{n}\nb\nendef"),
        "ifdef ifeq else endif define endef include override export vpath = := += ?= != : :: | $( ${ $(call $(shell ) } ( , ; \\ \\\n # % @ $@ $< $$ ' \" ` a b \n \n\t",
        "CC ?= gcc\nSRCS := $(wildcard src/*.c)\nOBJS = $(patsubst %.c,$(OUT)/%.o,$(filter-out a.c,${SRCS}))\ninclude config.mk\n.PHONY: all\nall: $(OBJS) | dir\n\t@echo \"$@ $^\"; for i in $$(ls); do echo $$i; done\n$(OUT)/%.o: %.c\n\t$(CC) -c $< -o $@\nifeq ($(DEBUG),1)\nCFLAGS += -g\nelse ifdef X\n$(eval $(call rule,a))\nendif\ndefine rule\n$(1): ; @true\nendef\n",
    ),
    "cmake": Pieces(
        "CMakeLists.txt", "set(x ",
        ("(…)", "${…}", '"${…}"', "if(a)\n…\nendif()\n", "a(…)\n", "foreach(a b)\n…\nendforeach()\n", "function(a)\n…\nendfunction()\n", "$<a:…>", "[[…]]", "$ENV{…}", "while(a)\n…\nendwhile()\n", "macro(a)\n…\nendmacro()\n", "block()\n…\nendblock()\n"),
        ("(", "${", '"', "[[", "[=[", "#[[", "if(a)\n", "function(a)\n", "foreach(a)\n", "$<", "a(", "\\", "#", "$ENV{", "while(", "elseif(", "\"${", "@a", "macro(", "[==", "$"),
        ("a(a| a)", "a(a|;a)", "if(a| AND a)", "a(${a}|${a})", "if(a)\n|elseif(a)\n", "a(a|\"a\")", "a|(a)", "a(\"a|\\n\")", "a(a| #a\n)"),
        ("set(a{n} {n})", "add_library(a{n} b)", "include(a{n})", "a{n}.c", "# a{n}", "add_subdirectory(a{n})", "if(a{n})\nendif()", "function(a{n})\nendfunction()", "message(\"${a{n}}\")", "option(A{n} \"a\" ON)", "target_link_libraries(a b{n})"),
        "if elseif else endif foreach endforeach while endwhile function endfunction macro endmacro set include AND OR NOT ( ) ${ } \" [[ ]] [=[ ]=] #[[ # \\ ; $< > $ENV{ @a@ a A \n",
        'cmake_minimum_required(VERSION 3.20)\nproject(a LANGUAGES CXX)\ninclude(cmake/b.cmake)\nadd_subdirectory(src)\nfunction(c d)\n  cmake_parse_arguments(PARSE_ARGV 1 ARG "E" "F" "G;H")\n  foreach(i IN LISTS ARG_G)\n    if(NOT TARGET ${i} AND "${x}" MATCHES "^a[bc]+$" OR (y STREQUAL "z"))\n      message(STATUS "v ${i}_${${j}} $ENV{K}")\n    elseif(DEFINED q)\n      set(l [=[raw]=] PARENT_SCOPE) #[[ c ]]\n    endif()\n  endforeach()\nendfunction()\ntarget_link_libraries(a PRIVATE $<$<CONFIG:Debug>:m> n::o)\n',
    ),
    "dockerfile": Pieces(
        "Dockerfile", "FROM a\nRUN ",
        ("$(…)", "${a:-…}", '["a", …]', '"…"', "(…)", "{…}", "<<A\n…\nA\n"),
        ("${", '"', "'", "[", "\\\n", "<<A ", "$(", "# ", "FROM a AS ", "RUN ", "COPY --from=", '["', "ENV a=", "ARG ", "LABEL a=", "`", "--mount=", "ONBUILD ", "HEALTHCHECK CMD ", "RUN <<A\n"),
        ("RUN a| && a", "ENV| a=b", "RUN a| \\\n a", "COPY a| a", "LABEL| a=b", "a| | a", "ENV a=b|$a", "EXPOSE| 1", 'CMD ["a"|, "a"]', "RUN| --mount=a"),
        ("RUN a{n}", "FROM a AS a{n}", "ENV a{n}={n}", "COPY a{n} b", "ARG a{n}", "# a{n}", "EXPOSE {n}", "LABEL a{n}=b", "COPY --from=a{n} b c", "ONBUILD RUN a{n}"),
        "FROM AS RUN COPY ADD ENV ARG LABEL EXPOSE CMD ENTRYPOINT USER WORKDIR VOLUME ONBUILD HEALTHCHECK SHELL --from= --mount= [ ] { } ( ) \" ' ` = $ ${ : @ , \\ \\\n # <<A && a / \n \n",
        'ARG V=1\nFROM --platform=linux/amd64 a:${V:-2}@sha256:00 AS b\nENV X="y z" W=1\nRUN --mount=type=cache,target=/c \\\n    # comment\n    apt-get update && \\\n    if [ -f d ]; then echo "$X"; fi\nRUN <<EOT\necho a\nEOT\nCOPY --from=b --chown=1:1 e f/ g/\nHEALTHCHECK --interval=5s CMD ["curl", "-f"]\nONBUILD RUN h\nENTRYPOINT ["/i", "-j"]\n',
    ),
    "dotenv": Pieces(".env", "X=", ("${a:-…}", "$(…)", '"…"', "{…}"), ('"', "'", "${", "$(", "#", "\\", "`", "A=", "export ", "\\\n"), ("A=a|$a", "A=a| a", "A=b|=b", "A=|'a'"), ("A{n}={n}", "export A{n}=b", "# a{n}", 'A{n}="b"', "A{n}: b"), "A= export = \" ' ` ${ } $( ) # \\ a b \n", 'A=1\nexport B="c ${A}"\nC=\'d\'\n# e\nF=g # h\n'),
    "compose": Pieces("compose.yaml", "services:\n a:\n  image: ", YAML_NEST, YAML_OPENS, YAML_LINKS, YAML_WIDE, YAML_WORDS, "services:\n  a:\n    image: b:${C:-1}\n    build: {context: ./d, args: [E=f]}\n    ports: [\"80:80\"]\n    environment: &e\n      - G=h\n    depends_on:\n      i: {condition: j}\n  k:\n    <<: *e\n    command: >-\n      l\n      m\n"),
    "github_actions": Pieces(".github/workflows/a.yml", "on: push\njobs:\n a:\n  steps: ", YAML_NEST, YAML_OPENS, YAML_LINKS, YAML_WIDE, YAML_WORDS + " ${{ }}", "on: {push: {branches: [a]}}\njobs:\n  b:\n    runs-on: ${{ matrix.os }}\n    strategy: {matrix: {os: [c, d]}}\n    needs: [e]\n    steps:\n      - uses: actions/checkout@v4\n        with: {f: g}\n      - run: |\n          make h\n          npm test -- i\n        env:\n          J: ${{ secrets.K }}\n"),
    "gitlab_ci": Pieces(".gitlab-ci.yml", "a:\n script: ", YAML_NEST, YAML_OPENS, YAML_LINKS, YAML_WIDE, YAML_WORDS + " extends: needs: include:", "stages: [a]\ninclude:\n  - local: /b.yml\n.c: &c\n  image: d:1\n  script: [e, \"f $G\"]\nh:\n  <<: *c\n  extends: [.c]\n  needs: [{job: i, artifacts: true}]\n  rules:\n    - if: '$J == \"k\"'\n  variables: {L: m}\n"),
    "kubernetes": Pieces("a.yaml", "apiVersion: v1\nkind: A\nspec: ", YAML_NEST, YAML_OPENS, YAML_LINKS, YAML_WIDE, YAML_WORDS + " {{ }} {{- -}} apiVersion: kind:", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {b: c}}\nspec:\n  template:\n    spec:\n      containers:\n        - name: d\n          image: \"e:{{ .Values.f }}\"\n          env:\n            - {name: G, valueFrom: {secretKeyRef: {name: h, key: i}}}\n{{- if .Values.j }}\n          args: [\"k\"]\n{{- end }}\n---\n"),
    "openapi": Pieces("openapi.yaml", "openapi: 3.0.0\ninfo: {title: a}\npaths: ", (*YAML_NEST, "{allOf: [{properties: {a: …}}]}", "{$ref: '…'}"), YAML_OPENS, YAML_LINKS, (*YAML_WIDE, " /a{n}: {get: {operationId: a{n}}}", " a{n}: {$ref: '#/components/schemas/a'}"), YAML_WORDS + " $ref: paths: allOf:", "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths:\n  /b/{c}:\n    get:\n      operationId: d\n      parameters: [{name: c, in: path}]\n      responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/E'}}}}}\ncomponents:\n  schemas:\n    E: {type: object, properties: {f: {type: string}}, allOf: [{$ref: '#/components/schemas/G'}]}\n"),
    "openapi json": Pieces("openapi.json", '{"openapi": "3.0.0", "info": {}, "paths": ', ('{"a": …}', "[…]", '[{"a": …}]', '{"allOf": […]}'), ("{", "[", '"', '{"a":', '"\\', "/*", "[{", '{"$ref":', "- ", "&a "), ('["a"|, "a"]', '"a"| "a"', '{"a": 1|, "a": 1}', '{"a":| {"a": 1}'), ('"/a{n}": {"get": {"operationId": "a{n}"}},', '"a{n}": {"$ref": "#/components/schemas/a"},', '"a{n}",', '{"a": {n}},'), '{ } [ ] : , " "a" "$ref" "paths" "get" 1 true null \\ # & * -', '{"openapi": "3.0.0", "info": {"title": "a"},\n"paths": {"/b": {"get": {"operationId": "c",\n"responses": {"200": {"$ref": "#/components/responses/D"}}}}},\n"components": {"schemas": {"E": {"properties": {"f": {"type": "string"}}}}}}\n'),
}


def notebook_pieces(pieces, cell):
    """Returns the pieces of a notebook whose only cell has the text of another language."""
    return Pieces("a.ipynb", pieces.head, pieces.nest, pieces.opens, pieces.links, pieces.wide, pieces.words, pieces.sample, pieces.tail, cell)


LANGUAGES["jupyter code"] = notebook_pieces(LANGUAGES["python"], "code")
LANGUAGES["jupyter markdown"] = notebook_pieces(LANGUAGES["markdown"], "markdown")
