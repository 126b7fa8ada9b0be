//! All kinds of edges that source text can show, with one workspace per language.

mod csharp;
mod go;
mod java;
mod javascript;
mod python;
mod ruby;
mod rust;
mod typescript;

use super::{format_edges, parse_fixture, resolve_workspace};
use expect_test::Expect;
use kenning_graph::EdgeKind;

/// The kinds of edges that source text in most languages can show.
const COMMON_KINDS: [EdgeKind; 16] = [
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

/// Checks all edges of a workspace. `missing` lists exactly the kinds of [`COMMON_KINDS`] that do
/// not occur, because the language has no construct for them.
fn check(fixture: &str, missing: &[EdgeKind], expected: Expect) {
    let snapshot = resolve_workspace(&parse_fixture(fixture));
    let all = format_edges(&snapshot, |_| true);
    for kind in COMMON_KINDS {
        let is_found = all.lines().any(|line| line.starts_with(&format!("{kind} ")));
        assert_eq!(is_found, !missing.contains(&kind), "{kind}");
    }
    // The graph also stores these edges in the other direction. Show only one direction.
    let text = format_edges(&snapshot, |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::TestedBy));
    expected.assert_eq(&text);
}
