//! Every kind of edge that the text of a language can show, in one table for each language.

mod csharp;
mod go;
mod java;
mod javascript;
mod python;
mod ruby;
mod rust;
mod typescript;

use super::{files, resolved, shown};
use expect_test::Expect;
use kenning_graph::EdgeKind;

/// Checks all edges of a workspace, and that none of the kinds is missing that all languages show.
fn check(fixture: &str, expected: Expect) {
    let snapshot = resolved(&files(fixture));
    // What is read in the other direction is shown once.
    let text = shown(&snapshot, |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::TestedBy));
    expected.assert_eq(&text);
}
