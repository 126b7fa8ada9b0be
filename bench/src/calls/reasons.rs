//! Why calls have no edge, counted over whole trees.

use super::tree::Indexed;
use kenning_indexing::resolve::{Outcome, Reason};
use std::collections::BTreeMap;

/// How the call sites of one language come out.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    /// To one symbol of the workspace.
    pub resolved: usize,
    /// To several.
    pub ambiguous: usize,
    /// Out of the workspace.
    pub external: usize,
    /// To nothing, by reason.
    pub unresolved: BTreeMap<Reason, usize>,
}

impl Counts {
    /// All call sites.
    pub fn sites(&self) -> usize {
        self.resolved + self.ambiguous + self.external + self.unresolved.values().sum::<usize>()
    }

    /// The most frequent reasons, the most frequent first.
    pub fn top(&self, many: usize) -> Vec<(Reason, usize)> {
        let mut all: Vec<(Reason, usize)> =
            self.unresolved.iter().map(|(reason, count)| (*reason, *count)).collect();
        all.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        all.truncate(many);
        all
    }
}

/// Adds the call sites of a tree, by language.
pub fn count(indexed: &Indexed, counts: &mut BTreeMap<String, Counts>) {
    let files = indexed.files();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for ((_, language), mut sites) in files.iter().zip(indexed.calls(&paths)) {
        sites.retain(|site| !site.decorator);
        if sites.is_empty() {
            continue;
        }
        let counts = counts.entry(language.clone()).or_default();
        for site in sites {
            match site.outcome {
                Outcome::Symbols(targets) if targets.len() == 1 => counts.resolved += 1,
                Outcome::Symbols(_) => counts.ambiguous += 1,
                Outcome::External => counts.external += 1,
                Outcome::Unresolved(reason) => *counts.unresolved.entry(reason).or_default() += 1,
            }
        }
    }
}
