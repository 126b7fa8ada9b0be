//! Hostile texts, for which following every path would take exponential time.

use super::{parse_fixture, resolve_workspace};

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
