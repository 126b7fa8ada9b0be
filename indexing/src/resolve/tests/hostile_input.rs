//! Hostile texts, for which following every path would take exponential time or overflow the stack.

use super::{parse_fixture, resolve_workspace};
use crate::reader_threads::READER_STACK_BYTES;

#[test]
fn resolving_hundreds_of_mutual_bindings_terminates() {
    // Both names have hundreds of bindings, and each binding names the other.
    let assignments = "    x = y.x\n    y = x.y\n".repeat(300);
    let text = format!("//- a.py\nclass A:\n{assignments}\n    def use(self):\n        self.x.y.x.go()\n");
    // Resolution terminates, because it reads a limited number of bindings for each reference.
    let snapshot = resolve_workspace(&parse_fixture(&text));
    assert_eq!(snapshot.files().len(), 1);
}

#[test]
fn resolving_types_that_name_one_another_terminates() {
    let aliases: Vec<String> = (0..60)
        .map(|n| format!("type A{n} = A{}.x | A{}.y | A{}.z\n", (n + 1) % 60, (n + 2) % 60, (n + 3) % 60))
        .collect();
    let text = format!("//- a.ts\n{}export function use(a: A0.x.y) {{ a.b.c.go() }}\n", aliases.concat());
    assert_eq!(resolve_workspace(&parse_fixture(&text)).files().len(), 1);
    let fields: Vec<String> =
        (0..60).map(|n| format!("    x{n}: \"x{}.a | x{}.b\"\n", (n + 1) % 60, (n + 2) % 60)).collect();
    let text =
        format!("//- a.py\nclass A:\n{}\n    def use(self):\n        self.x0.x1.x2.go()\n", fields.concat());
    assert_eq!(resolve_workspace(&parse_fixture(&text)).files().len(), 1);
}

#[test]
fn resolving_object_entries_that_name_one_another_terminates() {
    let text = "//- a.js\nconst one = { run: two.run }\nconst two = { run: one.run }\n\
                module.exports = { walk: { run: one.run, go: exports.walk.go } }\n\
                function use() { one.run().x(); two.run.y(); exports.walk.go() }\n\
                //- b.js\nconst a = require('./a')\na.walk.go().run()\n";
    assert_eq!(resolve_workspace(&parse_fixture(text)).files().len(), 2);
}

#[test]
fn resolving_variables_with_cyclic_values_terminates() {
    let text = "//- a.js\nexports.walk = walk.plugins.walk\nconst walk = exports\nwalk.walk().go().now()\n\
                let one = two.two\nlet two = { two: one, one: two.one }\nfunction use() { two.one().x; one.y(); two.two.z() }\n";
    assert_eq!(resolve_workspace(&parse_fixture(text)).files().len(), 1);
}

#[test]
fn resolving_objects_that_spread_one_another_terminates() {
    let local = "//- a.js\nfunction f(a) {\n  let s = { x: 1 };\n  let t = { ...s };\n  s = { ...t, ...a };\n  t = { ...s };\n  s.x.go(); t.y();\n}\n";
    let field = "//- a.js\nclass Store {\n  static all = { ...Store.all };\n  update(patch) { this.state = { ...this.state, ...patch }; }\n  \
                 render() { const { items } = this.state; Store.all.x(); return items.map((i) => i.name); }\n}\n";
    let modules = "//- a.js\nimport { b } from './b';\nexport const a = { ...b };\na.x.go();\n\
                   //- b.js\nimport { a } from './a';\nexport const b = { ...a };\nb.x.go();\n";
    let results = "//- a.ts\nfunction p() { return { ...q() } }\nfunction q() { return { ...p() } }\n\
                   let r: ReturnType<typeof p>;\nr.x.go(); p().y();\n";
    for text in [local, field, modules, results] {
        assert!(!resolve_workspace(&parse_fixture(text)).files().is_empty());
    }
}

#[test]
fn resolving_a_chain_of_thousands_of_spreads_terminates() {
    let links: Vec<String> = (0..6_000).map(|n| format!("const a{n} = {{ ...a{} }};\n", n + 1)).collect();
    let text = format!(
        "//- a.js\n{}const a6000 = {{ last: 1 }};\na0.last.go();\na5990.last.go();\n",
        links.concat()
    );
    assert_eq!(resolve_workspace(&parse_fixture(&text)).files().len(), 1);
}

#[test]
fn resolving_objects_that_spread_the_next_one_twice_terminates() {
    let links: Vec<String> =
        (0..60).map(|n| format!("const a{n} = {{ ...a{0}, ...a{0} }};\n", n + 1)).collect();
    let text =
        format!("//- a.js\n{}const a60 = {{ last: 1 }};\na0.other.go();\na20.last.go();\n", links.concat());
    assert_eq!(resolve_workspace(&parse_fixture(&text)).files().len(), 1);
}

/// Returns a chain of `links` links in each of several forms, with uses at its beginning.
fn long_chains(links: usize) -> Vec<String> {
    let chain = |path: &str, head: &str, link: &dyn Fn(usize) -> String, end: &str| {
        let links: String = (0..links).map(link).collect();
        format!("//- {path}\n{head}{links}{end}")
    };
    let last = links;
    vec![
        chain(
            "spread.js",
            "",
            &|n| format!("const a{n} = {{ ...a{} }};\n", n + 1),
            &format!("const a{last} = {{ x: 1 }};\na0.x.go();\n"),
        ),
        chain(
            "value.js",
            "",
            &|n| format!("const a{n} = a{};\n", n + 1),
            &format!("const a{last} = () => 1;\na0().go(); a0.x.y(b => b.c());\n"),
        ),
        chain(
            "alias.ts",
            "",
            &|n| format!("type A{n} = A{} & {{ k{n}: 1 }};\n", n + 1),
            &format!(
                "interface A{last} {{ (x: number): A0; x(): A0 }}\nfunction f(a: A0) {{ a.x().go(); a(1).x(); }}\n"
            ),
        ),
        chain(
            "base.ts",
            "",
            &|n| format!("class A{n} extends A{} {{}}\n", n + 1),
            &format!("class A{last} {{ x() {{ return this }} }}\nnew A0().x().go();\n"),
        ),
        chain(
            "result.py",
            "",
            &|n| format!("def f{n}():\n    return f{}()\n\n", n + 1),
            &format!(
                "class A:\n    def go(self): pass\n\ndef f{last}() -> A:\n    return A()\n\nf0().go()\n"
            ),
        ),
        chain(
            "alias.go",
            "package a\n",
            &|n| format!("type A{n} A{}\n", n + 1),
            &format!("type A{last} func() A0\nfunc use(a A0) {{ a()().Go() }}\n"),
        ),
        chain(
            "alias.rs",
            "",
            &|n| format!("type A{n} = Box<A{}>;\nimpl T for A{n} {{}}\n", n + 1),
            &format!("struct A{last};\nfn f(a: A0) {{ a.go().x.go(); }}\n"),
        ),
        chain(
            "Base.java",
            "",
            &|n| format!("class A{n} extends A{} {{}}\n", n + 1),
            &format!(
                "class A{last} {{ A0 x() {{ return new A0(); }} }}\nclass B {{ void f(A0 a) {{ a.x().x().go(); }} }}\n"
            ),
        ),
    ]
}

#[test]
fn nested_lookups_leave_half_of_a_readers_stack() {
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(READER_STACK_BYTES / 2).build().unwrap();
    pool.install(|| {
        for text in long_chains(1_000) {
            assert_eq!(resolve_workspace(&parse_fixture(&text)).files().len(), 1, "{}", &text[..40]);
        }
    });
}
