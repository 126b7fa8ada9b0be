//! The codec of Markdown: the whole pack, with the ranking if the request asks for it, and the
//! difference between two packs.

use super::change;
use super::codec::{PackCodec, PackView, RenderedPack};
use super::delta::PackDelta;
use super::groups::DOCUMENTATION_HEADING;
use super::markdown::{self, write_items};
use super::sent_pack::SentPack;
use super::wording::{group_digits, render_quantity};
use crate::hash_prefix::short_hex;
use kenning_graph::Hash;
use kenning_retrieval::pack::code_span;
use kenning_retrieval::{PackSymbol, render_item};
use std::fmt::Write;

/// The codec of Markdown.
pub struct MarkdownCodec;

impl PackCodec for MarkdownCodec {
    fn render_pack(&self, view: &PackView<'_>) -> Result<RenderedPack, serde_json::Error> {
        let mut text = markdown::render_pack(view.answer, view.freshness);
        if view.explain {
            let pack = &view.answer.pack;
            write_ranking(&mut text, pack.symbols.iter().chain(&pack.documents));
        }
        Ok(RenderedPack::Text(text))
    }

    fn render_delta(&self, delta: &PackDelta<'_>) -> Result<Option<RenderedPack>, serde_json::Error> {
        Ok(Some(RenderedPack::Text(render_delta(delta))))
    }

    fn render_unchanged(
        &self,
        pack: &SentPack,
        view: &PackView<'_>,
    ) -> Result<Option<RenderedPack>, serde_json::Error> {
        let symbols = render_quantity(pack.symbols.len(), "symbol");
        let mut text = format!("Pack `{}` is unchanged: {symbols}.\n", short_root(&pack.root));
        write_freshness(&mut text, view);
        Ok(Some(RenderedPack::Text(text)))
    }
}

/// Returns the first digits of a root, for people.
fn short_root(root: &str) -> String {
    Hash::from_hex(root).as_ref().map(short_hex).unwrap_or_default()
}

fn write_freshness(out: &mut String, view: &PackView<'_>) {
    if let Some(line) = view.freshness.render_line() {
        let _ = writeln!(out, "\n> Freshness: {line}.");
    }
}

/// Writes the score of each symbol with its components, evidence, channels and id.
fn write_ranking<'a>(out: &mut String, symbols: impl Iterator<Item = &'a PackSymbol>) {
    for (at, symbol) in symbols.enumerate() {
        if at == 0 {
            out.push_str("\n## Ranking\n\n");
        }
        let name = code_span(&symbol.qualified_name);
        let components: Vec<String> = symbol
            .components
            .iter()
            .map(|component| format!("{} {:.4}", component.name, component.value))
            .collect();
        let channels =
            if symbol.channels.is_empty() { "the graph".to_owned() } else { symbol.channels.join(", ") };
        let _ = writeln!(
            out,
            "{}. {name} {:.4} = {}; found by {channels}; {} {:.2}; id `{}`",
            at + 1,
            symbol.score,
            components.join(" + "),
            symbol.provenance,
            symbol.confidence,
            symbol.id,
        );
    }
}

fn render_delta(delta: &PackDelta<'_>) -> String {
    let pack = &delta.view.answer.pack;
    let mut out = String::from("# Context: what changed\n\n");
    let counts = [
        (delta.added.len(), "added"),
        (delta.changed.len(), "changed"),
        (delta.moved.len(), "moved"),
        (delta.removed.len(), "removed"),
        (delta.unchanged_count(), "unchanged"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", group_digits(*count)))
        .collect();
    let _ = writeln!(
        out,
        "Pack `{}` instead of `{}`: {}. {} of {}.",
        short_root(&delta.current.root),
        short_root(&delta.base.root),
        if counts.is_empty() { "no symbols".to_owned() } else { counts.join(", ") },
        group_digits(pack.tokens_used),
        render_quantity(pack.budget, "token"),
    );
    write_freshness(&mut out, &delta.view);
    if let Some(changes) = &delta.view.answer.change {
        out.push_str(&change::render_change(changes));
    }
    let removed = delta.removed.iter().map(|symbol| format!("- {}\n", code_span(&symbol.name)));
    write_items(&mut out, "Removed", removed);
    let item = |&at: &usize| pack.symbols.get(at).map(render_item);
    write_items(&mut out, "Added", delta.added.iter().filter_map(item));
    write_items(&mut out, "Changed", delta.changed.iter().filter_map(item));
    let moved = delta.moved.iter().filter_map(|&at| pack.symbols.get(at)).map(|symbol| {
        let place = code_span(&format!("{}:{}", symbol.file, symbol.line));
        format!("- {place} {}\n", code_span(&symbol.name))
    });
    write_items(&mut out, "Moved", moved);
    if delta.has_other_documents {
        if pack.documents.is_empty() {
            out.push_str("\nNo documentation matches any more.\n");
        }
        write_items(&mut out, DOCUMENTATION_HEADING, pack.documents.iter().map(render_item));
    }
    out
}
