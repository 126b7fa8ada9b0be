//! Texts that would cost more than any file may, if every way through them were followed.

use super::{files, resolved};

#[test]
fn names_that_are_bound_to_one_another_a_thousand_times_are_given_up() {
    // Each of these names has hundreds of meanings, each of which is one of the others.
    let assignments = "    x = y.x\n    y = x.y\n".repeat(300);
    let text = format!("//- a.py\nclass A:\n{assignments}\n    def use(self):\n        self.x.y.x.go()\n");
    // It ends: each binding that is read costs a step, and a reference has a few hundred.
    let snapshot = resolved(&files(&text));
    assert_eq!(snapshot.files().len(), 1);
}
