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

/// What the text of every language can show.
const SHOWN_BY_ALL: [EdgeKind; 16] = [
    EdgeKind::Calls,
    EdgeKind::Implements,
    EdgeKind::Overrides,
    EdgeKind::HandlesRoute,
    EdgeKind::Extends,
    EdgeKind::Tests,
    EdgeKind::Imports,
    EdgeKind::ConsumesEndpoint,
    EdgeKind::References,
    EdgeKind::Throws,
    EdgeKind::GatedByFlag,
    EdgeKind::AccessesField,
    EdgeKind::ReadsEnv,
    EdgeKind::ExecutesProcess,
    EdgeKind::MemberOf,
    EdgeKind::Inherits,
];

/// Checks all edges of a workspace, and that the kinds that are missing are those
/// that the language has nothing for.
fn check(fixture: &str, missing: &[EdgeKind], expected: Expect) {
    let snapshot = resolved(&files(fixture));
    let all = shown(&snapshot, |_| true);
    for kind in SHOWN_BY_ALL {
        let is_shown = all.lines().any(|line| line.starts_with(&format!("{kind} ")));
        assert_eq!(is_shown, !missing.contains(&kind), "{kind}");
    }
    // What is read in the other direction is shown once.
    let text = shown(&snapshot, |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::TestedBy));
    expected.assert_eq(&text);
}
