//! The mechanism of the rules that permit certain calls in reviewed product sources only.

use super::Finding;
use super::checkout::TextFile;
use super::rust_text::{SourceLayers, split_layers, without_tests};

/// A rule that permits calls in reviewed sources only.
pub struct ReviewedCalls {
    /// The beginnings of the calls, as they are written.
    pub calls: &'static [&'static str],
    /// The reviewed sources, each with the reason why it may contain a call.
    pub sources: &'static [(&'static str, &'static str)],
    /// The effect of a call: "opens a file".
    pub effect: &'static str,
    /// The advice for a source outside the list.
    pub advice: &'static str,
    /// The advice for an entry of the list without a call.
    pub unused_advice: &'static str,
}

impl ReviewedCalls {
    /// Returns a finding for each call in a product source outside the list.
    pub fn check_calls(&self, source: &TextFile) -> Vec<Finding> {
        if !is_product_source(&source.path) || self.sources.iter().any(|(path, _)| *path == source.path) {
            return Vec::new();
        }
        let SourceLayers { code, .. } = split_layers(&source.text);
        let code = without_tests(&code);
        self.calls
            .iter()
            .filter(|call| code.contains(*call))
            .map(|call| Finding {
                file: source.path.clone(),
                line: source.text.lines().position(|line| line.contains(*call)).map_or(1, |at| at + 1),
                problem: format!("`{call}` {}", self.effect),
                advice: self.advice,
            })
            .collect()
    }

    /// Returns a finding for each entry of the list whose source has no such call.
    pub fn check_list(&self, sources: &[TextFile]) -> Vec<Finding> {
        let has_call = |path: &str| {
            let source = sources.iter().find(|source| source.path == path);
            source.is_some_and(|source| self.calls.iter().any(|call| source.text.contains(call)))
        };
        self.sources
            .iter()
            .filter(|(path, _)| !has_call(path))
            .map(|(path, _)| Finding {
                file: (*path).to_owned(),
                line: 1,
                problem: format!("no call in this source {}", self.effect),
                advice: self.unused_advice,
            })
            .collect()
    }
}

/// Whether a path is that of a source of the product, and not of its tests.
pub fn is_product_source(path: &str) -> bool {
    let is_test = |part: &str| part == "tests" || part == "tests.rs" || part == "examples";
    let in_product = ["graph/src/", "indexing/src/", "enrichment/src/", "retrieval/src/", "server/src/"]
        .iter()
        .any(|folder| path.starts_with(folder));
    // `query_oracle.rs` of indexing is compiled for tests only.
    in_product && !path.split('/').any(is_test) && !path.ends_with("/query_oracle.rs")
}
