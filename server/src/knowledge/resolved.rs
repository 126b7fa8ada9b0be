//! All entries with the current states of their links.

use super::code_links::{CodeView, LinkState, MoveEvidence};
use super::entry::{EntryKind, KnowledgeEntry, LinkTarget};
use super::folder::{KnowledgeBase, KnowledgeFinding, fold_id};
use kenning_graph::Hash;
use std::collections::{BTreeMap, BTreeSet};

/// The entries of a folder, with the state of each link.
#[derive(Clone, Debug, Default)]
pub struct ResolvedKnowledge {
    /// The entries, and the findings with those of the links.
    pub base: KnowledgeBase,
    /// For each entry, the state of each of its links.
    pub states: Vec<Vec<LinkState>>,
    /// The entries that are linked to each symbol, by their positions.
    by_symbol: BTreeMap<Hash, BTreeSet<usize>>,
    /// The links to each entry: the positions of the linking entries and of the links in them.
    backlinks: BTreeMap<EntryKey, Vec<(usize, usize)>>,
}

/// An entry's kind and its id without letter case.
type EntryKey = (EntryKind, String);

impl ResolvedKnowledge {
    /// Follows all links. Without a view, links to code are not followed and count as found.
    pub fn new(mut base: KnowledgeBase, view: Option<&CodeView<'_>>) -> Self {
        let known: BTreeSet<EntryKey> =
            base.entries.iter().map(|entry| (entry.kind, fold_id(&entry.id))).collect();
        let follow = |target: &LinkTarget, facts| match (target, view) {
            (LinkTarget::Entry { kind, id }, _) if known.contains(&(*kind, fold_id(id))) => {
                LinkState::Found(Vec::new())
            }
            (LinkTarget::Entry { .. }, _) => LinkState::Broken("it does not exist".to_owned()),
            (LinkTarget::Code(target), Some(view)) => view.follow_link(target, facts),
            (LinkTarget::Code(_), None) => LinkState::Found(Vec::new()),
        };
        let states: Vec<Vec<LinkState>> = base
            .entries
            .iter()
            .map(|entry| entry.links.iter().map(|link| follow(&link.target, &link.facts)).collect())
            .collect();
        let mut findings = Vec::new();
        for (entry, states) in base.entries.iter().zip(&states) {
            for (link, state) in entry.links.iter().zip(states) {
                let LinkTarget::Code(target) = &link.target else { continue };
                let message = match state {
                    LinkState::Found(_) => continue,
                    LinkState::Moved { to, evidence, .. } => {
                        let reason = match evidence {
                            MoveEvidence::SameName => "which has the same name",
                            MoveEvidence::SameText => "which has the same text",
                        };
                        format!(
                            "{target} moved to {to}, {reason}; kenning {} link {} --repair rewrites the link",
                            entry.kind, entry.id
                        )
                    }
                    LinkState::Broken(reason) => format!("the link to {target} is broken: {reason}"),
                };
                findings.push(KnowledgeFinding { path: entry.path.clone(), line: Some(link.line), message });
            }
        }
        base.findings.extend(findings);
        base.findings.sort();
        let mut resolved = Self { base, states, ..Self::default() };
        resolved.collect_links();
        resolved
    }

    /// Fills the maps from symbols and entries to the entries that link to them.
    fn collect_links(&mut self) {
        for (at, (entry, states)) in self.base.entries.iter().zip(&self.states).enumerate() {
            for (nth, (link, state)) in entry.links.iter().zip(states).enumerate() {
                for symbol in state.linked_symbols() {
                    self.by_symbol.entry(*symbol).or_default().insert(at);
                }
                if let LinkTarget::Entry { kind, id } = &link.target {
                    self.backlinks.entry((*kind, fold_id(id))).or_default().push((at, nth));
                }
            }
        }
    }

    /// Returns the entries that are linked to one of these symbols, by their positions.
    pub fn entries_about(&self, symbols: &[Hash]) -> BTreeSet<usize> {
        symbols.iter().filter_map(|symbol| self.by_symbol.get(symbol)).flatten().copied().collect()
    }

    /// Returns the links of other entries to an entry, each as its source and its kind.
    pub fn incoming_links<'s>(&'s self, entry: &KnowledgeEntry) -> Vec<(&'s KnowledgeEntry, &'s str)> {
        let links = self.backlinks.get(&(entry.kind, fold_id(&entry.id)));
        let links = links.into_iter().flatten();
        links
            .map(|&(at, nth)| {
                let from = &self.base.entries[at];
                (from, from.links[nth].kind.as_str())
            })
            .collect()
    }
}
