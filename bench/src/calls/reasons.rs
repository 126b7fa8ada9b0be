//! Why calls have no edge, counted over whole trees.

use super::tree::Indexed;
use kenning_indexing::resolve::{CallOutcome, CallSite, UnresolvedReason};
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
    pub unresolved: BTreeMap<UnresolvedReason, usize>,
}

impl Counts {
    /// All call sites.
    pub fn sites(&self) -> usize {
        self.resolved + self.ambiguous + self.external + self.unresolved.values().sum::<usize>()
    }

    /// The most frequent reasons, the most frequent first.
    pub fn top(&self, many: usize) -> Vec<(UnresolvedReason, usize)> {
        let mut all: Vec<(UnresolvedReason, usize)> =
            self.unresolved.iter().map(|(reason, count)| (*reason, *count)).collect();
        all.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        all.truncate(many);
        all
    }
}

/// A call site that leads nowhere.
pub struct Lost {
    /// Where it stands, from the root.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// What is called; what stands before the name is in the notation of references.
    pub called: String,
    /// Why it leads nowhere.
    pub reason: UnresolvedReason,
}

/// Adds the call sites of a tree, by language; gives those that lead nowhere, in the order of files and texts.
pub fn count(indexed: &Indexed, counts: &mut BTreeMap<String, Counts>) -> Vec<Lost> {
    let mut lost = Vec::new();
    let files = indexed.files();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    for ((path, language), mut sites) in files.iter().zip(indexed.calls(&paths)) {
        sites.retain(|site| !site.decorator);
        if sites.is_empty() {
            continue;
        }
        let counts = counts.entry(language.clone()).or_default();
        let text = indexed.text(path).unwrap_or_default();
        let called = |site: &CallSite| {
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
                    let (called, line) = (called(&site), site.name.line + 1);
                    lost.push(Lost { path: path.clone(), line, called, reason });
                }
            }
        }
    }
    lost
}
