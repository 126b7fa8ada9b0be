//! Hostile texts, which would cost more than any file may if every path through them were followed.

use super::{files, resolved};

#[test]
fn names_that_are_bound_to_one_another_a_thousand_times_are_given_up() {
    // Each of these names has hundreds of bindings, each of them to another of the names.
    let assignments = "    x = y.x\n    y = x.y\n".repeat(300);
    let text = format!("//- a.py\nclass A:\n{assignments}\n    def use(self):\n        self.x.y.x.go()\n");
    // Resolution ends, because each binding that is read costs a step, and a reference has a few
    // hundred.
    let snapshot = resolved(&files(&text));
    assert_eq!(snapshot.files().len(), 1);
}

#[test]
fn types_that_name_one_another_are_read_once() {
    let aliases: Vec<String> = (0..60)
        .map(|n| format!("type A{n} = A{}.x | A{}.y | A{}.z\n", (n + 1) % 60, (n + 2) % 60, (n + 3) % 60))
        .collect();
    let text = format!("//- a.ts\n{}export function use(a: A0.x.y) {{ a.b.c.go() }}\n", aliases.concat());
    assert_eq!(resolved(&files(&text)).files().len(), 1);
    let fields: Vec<String> =
        (0..60).map(|n| format!("    x{n}: \"x{}.a | x{}.b\"\n", (n + 1) % 60, (n + 2) % 60)).collect();
    let text =
        format!("//- a.py\nclass A:\n{}\n    def use(self):\n        self.x0.x1.x2.go()\n", fields.concat());
    assert_eq!(resolved(&files(&text)).files().len(), 1);
}
