//! Rules for candidates that are not worth showing (`docs/ranking.md`).

use crate::channels::is_result_kind;
use crate::config::NoiseConfig;
use kenning_graph::SymbolRef;

/// Short names that developers use on purpose.
const SHORT_NAMES: &[&str] = &["id", "ok", "go", "do", "db", "ip", "io"];

/// Parts of the paths of files that a minifier or bundler wrote.
const MINIFIED: &[&str] = &[".min.", ".bundle."];

/// Parts of the paths of test fixtures and helpers.
const TEST_HELPERS: &[&str] = &["conftest.py", "fixtures.py", "/testutil", "/testhelper", "test_helper"];

/// Returns the name of the rule that leaves a symbol out, or `None` if it may be shown.
///
/// No rule depends on the name of a folder, because people write code in folders called `build` or
/// `dist`. Files that no one edits have a mark.
pub(crate) fn noise_reason(symbol: &SymbolRef<'_>, config: NoiseConfig) -> Option<&'static str> {
    if !is_result_kind(symbol.kind) {
        return Some("external");
    }
    if let Some(reason) = symbol.derived {
        return Some(reason.as_str());
    }
    let path = symbol.path.to_lowercase();
    if MINIFIED.iter().any(|mark| path.contains(mark)) {
        return Some("minified");
    }
    if config.test_helpers && TEST_HELPERS.iter().any(|mark| path.contains(mark)) {
        return Some("test helper");
    }
    if config.mocks && is_mock_container(symbol.container) {
        return Some("mock");
    }
    let short = symbol.name.chars().nth(2).is_none();
    if config.short_names && short && !SHORT_NAMES.contains(&symbol.name.to_lowercase().as_str()) {
        return Some("short name");
    }
    None
}

fn is_mock_container(container: &str) -> bool {
    let last = container.rsplit('.').next().unwrap_or(container).to_lowercase();
    ["mock", "fake", "stub"].iter().any(|mark| last.contains(mark))
}
