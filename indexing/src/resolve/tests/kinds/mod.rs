//! All kinds of edges that a text can show, in one table per language.

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

/// Kinds of edges that a text in any language can show.
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

/// Checks all edges of a workspace, and that exactly the kinds are missing for which the language
/// has no construct.
fn check(fixture: &str, missing: &[EdgeKind], expected: Expect) {
    let snapshot = resolved(&files(fixture));
    let all = shown(&snapshot, |_| true);
    for kind in SHOWN_BY_ALL {
        let is_shown = all.lines().any(|line| line.starts_with(&format!("{kind} ")));
        assert_eq!(is_shown, !missing.contains(&kind), "{kind}");
    }
    // Edges that are also stored in the other direction are shown once.
    let text = shown(&snapshot, |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::TestedBy));
    expected.assert_eq(&text);
}
