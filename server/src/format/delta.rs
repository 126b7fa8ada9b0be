//! The difference between two packs, so that a client need not receive a pack again that it already
//! has.
//!
//! A request may name the root of a pack that the reader has. [`choose_reply`] then answers with a
//! note if the pack is unchanged, with the difference if that is worth it, and else with the whole
//! pack. A difference is worth it if it has at most [`MAX_SHARE`] percent of the tokens of the
//! whole pack, in the format that the reader gets, because the reader has to combine the difference
//! with its own pack.

use super::codec::{PackFormat, PackView, RenderedPack};
use super::sent_pack::{SentPack, SentSymbol};
use super::wording::no_match_statement;
use std::collections::{BTreeMap, BTreeSet};

/// The largest share of the tokens of the whole pack that a difference may have, in percent. The
/// packs of two commits of different branches can have almost nothing in common.
pub const MAX_SHARE: usize = 60;

/// The difference between a pack that a reader has and the current pack.
pub struct PackDelta<'a> {
    /// The pack that the reader has.
    pub base: &'a SentPack,
    /// The record of the current pack.
    pub current: &'a SentPack,
    /// The current pack.
    pub view: PackView<'a>,
    /// The symbols that are no longer in the pack, in the order of the old pack.
    pub removed: Vec<&'a SentSymbol>,
    /// The indices of the new symbols.
    pub added: Vec<usize>,
    /// The indices of the symbols that are shown differently: with another detail, text or group.
    pub changed: Vec<usize>,
    /// The indices of the symbols that changed only their position.
    pub moved: Vec<usize>,
    /// Whether the symbols that are in both packs have another order.
    pub is_reordered: bool,
    /// Whether the sections of documents differ. A difference then shows all of them.
    pub has_other_documents: bool,
    /// The removed edges between symbols that are in both packs. The edges of a removed symbol are
    /// removed with it.
    pub edges_removed: Vec<EdgeEnds<'a>>,
    /// The added edges.
    pub edges_added: Vec<EdgeEnds<'a>>,
}

/// An edge with its symbols, because positions differ between the two packs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeEnds<'a> {
    /// The source.
    pub source: &'a SentSymbol,
    /// The target.
    pub target: &'a SentSymbol,
    /// The kind of relation.
    pub kind: &'a str,
}

impl<'a> PackDelta<'a> {
    /// Compares the pack that a reader has with the current pack, whose record is `current`.
    pub fn compare_packs(base: &'a SentPack, current: &'a SentPack, view: PackView<'a>) -> Self {
        let before: BTreeMap<&str, &SentSymbol> =
            base.symbols.iter().map(|symbol| (symbol.id.as_str(), symbol)).collect();
        let after: BTreeSet<&str> = current.symbols.iter().map(|symbol| symbol.id.as_str()).collect();
        let (mut added, mut changed, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        for (at, symbol) in current.symbols.iter().enumerate() {
            let place = |symbol: &SentSymbol| (symbol.file.clone(), symbol.line, symbol.end_line);
            match before.get(symbol.id.as_str()) {
                None => added.push(at),
                Some(old) if old.content != symbol.content => changed.push(at),
                Some(old) if place(old) != place(symbol) => moved.push(at),
                Some(_) => {}
            }
        }
        let kept_before =
            base.symbols.iter().map(|symbol| &symbol.id).filter(|id| after.contains(id.as_str()));
        let kept_after =
            current.symbols.iter().map(|symbol| &symbol.id).filter(|id| before.contains_key(id.as_str()));
        let is_reordered = !kept_before.eq(kept_after);
        let (old_edges, new_edges) = (edges_by_ids(base), edges_by_ids(current));
        let without = |edges: &BTreeMap<_, EdgeEnds<'a>>,
                       others: &BTreeMap<(&str, &str, &str), EdgeEnds<'a>>| {
            edges.iter().filter(|(key, _)| !others.contains_key(*key)).map(|(_, ends)| *ends).collect()
        };
        let mut edges_removed: Vec<EdgeEnds<'_>> = without(&old_edges, &new_edges);
        edges_removed.retain(|EdgeEnds { source, target, .. }| {
            after.contains(source.id.as_str()) && after.contains(target.id.as_str())
        });
        Self {
            removed: base.symbols.iter().filter(|symbol| !after.contains(symbol.id.as_str())).collect(),
            edges_removed,
            edges_added: without(&new_edges, &old_edges),
            base,
            current,
            view,
            added,
            changed,
            moved,
            is_reordered,
            has_other_documents: base.documents != current.documents,
        }
    }

    /// Returns the number of symbols that the reader keeps unchanged.
    pub fn unchanged_count(&self) -> usize {
        self.current.symbols.len() - self.added.len() - self.changed.len() - self.moved.len()
    }
}

fn edges_by_ids(pack: &SentPack) -> BTreeMap<(&str, &str, &str), EdgeEnds<'_>> {
    let edges = pack.edges.iter().filter_map(|edge| {
        let (source, target) = (pack.symbols.get(edge.source)?, pack.symbols.get(edge.target)?);
        let key = (source.id.as_str(), target.id.as_str(), edge.kind.as_str());
        Some((key, EdgeEnds { source, target, kind: &edge.kind }))
    });
    edges.collect()
}

/// The answer to a client that may have a pack.
pub enum PackReply<'a> {
    /// The client has the current pack.
    Unchanged,
    /// The difference from the pack that the client has.
    Delta(Box<PackDelta<'a>>),
    /// The whole pack.
    Whole,
}

/// Chooses the reply to a client that has the pack with the root `known`. `base` is the record of
/// that pack, if it is remembered, and `format` the form in which the client reads the answer.
///
/// # Errors
/// Returns an error if serde cannot serialize the pack as JSON.
pub fn choose_reply<'a>(
    known: Option<&str>,
    base: Option<&'a SentPack>,
    current: &'a SentPack,
    view: PackView<'a>,
    format: PackFormat,
) -> Result<PackReply<'a>, serde_json::Error> {
    let Some(known) = known else { return Ok(PackReply::Whole) };
    let is_graph = format == PackFormat::Gcf;
    let is_unchanged = match base {
        Some(base) if is_graph => {
            base.graph_root == current.graph_root && base.documents == current.documents
        }
        Some(base) => base.root == current.root,
        // The root of the graph does not cover the texts in the other formats.
        None => current.has_root(known) && (is_graph || !current.has_graph_root(known)),
    };
    if is_unchanged {
        return Ok(PackReply::Unchanged);
    }
    let Some(base) = base else { return Ok(PackReply::Whole) };
    // The forms of a difference have no place for the statement that nothing matches.
    if no_match_statement(&view.answer.pack).is_some() {
        return Ok(PackReply::Whole);
    }
    // Nor have they a place for other files that change together with the subject.
    if !is_graph && base.ripple != current.ripple {
        return Ok(PackReply::Whole);
    }
    let delta = PackDelta::compare_packs(base, current, view);
    let codec = format.codec();
    let Some(rendered) = codec.render_delta(&delta)? else { return Ok(PackReply::Whole) };
    let whole = codec.render_pack(&view)?.count_tokens();
    if rendered.count_tokens() * 100 <= whole * MAX_SHARE {
        Ok(PackReply::Delta(Box::new(delta)))
    } else {
        Ok(PackReply::Whole)
    }
}

impl PackReply<'_> {
    /// Renders the reply in a format. `current` is the record of the current pack, and `view` the
    /// pack. Returns `None` if the format has no form for the note that a pack is unchanged.
    ///
    /// # Errors
    /// Returns an error if serde cannot serialize the pack as JSON.
    pub fn render(
        &self,
        format: PackFormat,
        current: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        let codec = format.codec();
        match self {
            Self::Unchanged => codec.render_unchanged(current, view),
            Self::Delta(delta) => match codec.render_delta(delta)? {
                Some(rendered) => Ok(Some(rendered)),
                None => codec.render_pack(view).map(Some),
            },
            Self::Whole => codec.render_pack(view).map(Some),
        }
    }
}

#[cfg(test)]
mod document_tests;
#[cfg(test)]
mod tests;
