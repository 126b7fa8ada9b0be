//! Counts the outcomes of all call sites of a tree, with the reasons why calls have no edge.

use super::tree::{IndexedTree, TreeFile};
use kenning_indexing::resolve::{CallOutcome, CallSite, UnresolvedReason};
use std::collections::BTreeMap;

/// The outcomes of the call sites of one language.
#[derive(Debug, Default, Clone)]
pub struct OutcomeCounts {
    /// Calls with one target in the workspace.
    pub resolved: usize,
    /// Calls with several possible targets.
    pub ambiguous: usize,
    /// Calls with a target outside the workspace.
    pub external: usize,
    /// Calls without a target, by reason.
    pub unresolved: BTreeMap<UnresolvedReason, usize>,
}

impl OutcomeCounts {
    /// Returns the number of call sites.
    pub fn site_count(&self) -> usize {
        self.resolved + self.ambiguous + self.external + self.unresolved.values().sum::<usize>()
    }

    /// Returns the `limit` most frequent reasons for having no target, most frequent first.
    pub fn top_reasons(&self, limit: usize) -> Vec<(UnresolvedReason, usize)> {
        let mut reasons: Vec<(UnresolvedReason, usize)> =
            self.unresolved.iter().map(|(reason, count)| (*reason, *count)).collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        reasons.truncate(limit);
        reasons
    }
}

/// A call site without a target.
pub struct UnresolvedCall {
    /// The path of the file, from the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The called name after its receiver, which is in receiver notation.
    pub called: String,
    /// The reason why it has no target.
    pub reason: UnresolvedReason,
}

/// Adds the call sites of a tree to the counts by language. Returns the sites without a target,
/// ordered by file and by position in the file.
pub fn count_outcomes(
    indexed: &IndexedTree,
    counts: &mut BTreeMap<String, OutcomeCounts>,
) -> Vec<UnresolvedCall> {
    let mut unresolved = Vec::new();
    let files = indexed.files();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for (TreeFile { path, language }, mut sites) in files.iter().zip(indexed.call_sites(&paths)) {
        sites.retain(|site| !site.is_decorator);
        if sites.is_empty() {
            continue;
        }
        let counts = counts.entry(language.clone()).or_default();
        let text = indexed.text(path).unwrap_or_default();
        let called_text = |site: &CallSite| {
            let (start, len) = (site.name.start as usize, site.name.len as usize);
            let dot = if site.receiver.is_empty() { "" } else { "." };
            format!("{}{dot}{}", site.receiver, text.get(start..start + len).unwrap_or(""))
        };
        for site in sites {
            match site.outcome {
                CallOutcome::Symbols(targets) if targets.len() == 1 => counts.resolved += 1,
                CallOutcome::Symbols(_) => counts.ambiguous += 1,
                CallOutcome::External => counts.external += 1,
                CallOutcome::Unresolved(reason) => {
                    *counts.unresolved.entry(reason).or_default() += 1;
                    let (called, line) = (called_text(&site), site.name.line + 1);
                    unresolved.push(UnresolvedCall { path: path.clone(), line, called, reason });
                }
            }
        }
    }
    unresolved
}
