//! All entries together with where their links lead to now.

use super::code_links::{CodeView, LinkState, MoveEvidence};
use super::entry::{KnowledgeEntry, LinkTarget};
use super::folder::{KnowledgeBase, KnowledgeFinding, fold_id};
use kenning_graph::Hash;

/// The entries of a folder, with the state of each link.
#[derive(Clone, Debug, Default)]
pub struct ResolvedKnowledge {
    /// The entries, and the findings with those of the links.
    pub base: KnowledgeBase,
    /// For each entry, the state of each of its links.
    pub states: Vec<Vec<LinkState>>,
}

impl ResolvedKnowledge {
    /// Follows all links. Without a view, links to code are not followed and count as found.
    pub fn new(mut base: KnowledgeBase, view: Option<&CodeView<'_>>) -> Self {
        let follow = |target: &LinkTarget, facts| match (target, view) {
            (LinkTarget::Entry { kind, id }, _) => {
                let exists =
                    base.entries.iter().any(|entry| entry.kind == *kind && fold_id(&entry.id) == fold_id(id));
                if exists {
                    LinkState::Found(Vec::new())
                } else {
                    LinkState::Broken("it does not exist".to_owned())
                }
            }
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
        Self { base, states }
    }

    /// Returns the entries that are linked to one of these symbols, by their positions.
    pub fn entries_about(&self, symbols: &[Hash]) -> Vec<usize> {
        let is_about = |states: &[LinkState]| {
            states.iter().flat_map(LinkState::linked_symbols).any(|symbol| symbols.contains(symbol))
        };
        (0..self.states.len()).filter(|&at| is_about(&self.states[at])).collect()
    }

    /// Returns the links of other entries to an entry, each as its source and its kind.
    pub fn links_to<'s>(&'s self, entry: &KnowledgeEntry) -> Vec<(&'s KnowledgeEntry, &'s str)> {
        let leads_here = |target: &LinkTarget| match target {
            LinkTarget::Entry { kind, id } => *kind == entry.kind && fold_id(id) == fold_id(&entry.id),
            LinkTarget::Code(_) => false,
        };
        let mut found = Vec::new();
        for other in &self.base.entries {
            let links = other.links.iter().filter(|link| leads_here(&link.target));
            found.extend(links.map(|link| (other, link.kind.as_str())));
        }
        found
    }
}
