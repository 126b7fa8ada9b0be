//! Renders the hover of a blast radius, and the text that replaces counts without an index.

use crate::format::wording::{describe_provenance, mark_pending, render_count, render_counts};
use crate::freshness::Freshness;
use crate::session::IndexPhase;
use crate::session::documents::TOO_LARGE;
use kenning_graph::{Provenance, Snapshot, SymbolId};
use kenning_retrieval::features::{BlastOptions, BlastRadius, SymbolCount, blast_counts, blast_radius};
use kenning_retrieval::pack::code_span;

/// Returns the text that replaces unknown numbers, which are never shown as zero.
pub fn describe_phase(phase: &IndexPhase) -> &'static str {
    match phase {
        IndexPhase::Opening | IndexPhase::Indexing => "counting…",
        // The user cancelled the first indexing.
        IndexPhase::Ready => "not indexed yet",
        IndexPhase::Failed(_) => "not indexed",
    }
}

/// Maximum number of candidates of an ambiguous reference that a hover lists.
const MAX_CANDIDATES: usize = 3;
/// Maximum number of folders that a hover names.
const MAX_FOLDERS: usize = 3;

/// The markup of hover texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoverMarkup {
    /// Markdown.
    Markdown,
    /// Plain text without markup.
    Plain,
}

impl HoverMarkup {
    fn inline_code(self, text: &str) -> String {
        match self {
            Self::Markdown => code_span(text),
            Self::Plain => text.to_owned(),
        }
    }

    fn blast_title(self) -> &'static str {
        match self {
            Self::Markdown => "**Blast radius**",
            Self::Plain => "Blast radius",
        }
    }

    /// Joins lines so that the client displays them as separate lines.
    fn join_lines(self, lines: &[String]) -> String {
        lines.join(if self == Self::Markdown { "  \n" } else { "\n" })
    }
}

/// Renders the hover of a definition that is not in the graph yet.
pub fn render_unknown_hover(phase: &IndexPhase, markup: HoverMarkup) -> String {
    markup.join_lines(&[markup.blast_title().to_owned(), describe_phase(phase).to_owned()])
}

/// Renders the hover in a document that is too large to be parsed on every edit.
pub fn render_large_hover(markup: HoverMarkup) -> String {
    markup.join_lines(&[markup.blast_title().to_owned(), TOO_LARGE.to_owned()])
}

/// Renders the hover of a name with these candidates, in at most six lines. If `show_name` is true,
/// the title names the symbol, because the name is not part of its declaration.
pub fn render_hover(
    snapshot: &Snapshot,
    symbols: &[SymbolId],
    show_name: bool,
    freshness: &Freshness,
    pending: bool,
    markup: HoverMarkup,
) -> String {
    let name = |id| snapshot.symbol(id).map_or_else(String::new, |s| markup.inline_code(&s.display_name()));
    let mut lines = Vec::new();
    if let &[symbol] = symbols {
        let suffix = if show_name { format!(" of {}", name(symbol)) } else { String::new() };
        lines.push(format!("{}{suffix}", markup.blast_title()));
        let options = BlastOptions { list: 0, ..BlastOptions::default() };
        let blast = blast_radius(snapshot, &[symbol], &options);
        write_symbol_lines(snapshot, &blast, pending, markup, &mut lines);
    } else {
        lines.push(format!("{}: {} possible definitions", markup.blast_title(), symbols.len()));
        for &symbol in symbols.iter().take(MAX_CANDIDATES) {
            let qualified = snapshot.symbol(symbol).map_or_else(String::new, |s| s.qualified_name());
            let counts = blast_counts(snapshot, &[symbol]);
            lines.push(format!(
                "{}: {}",
                markup.inline_code(&qualified),
                render_counts(&if pending { mark_pending(counts) } else { counts })
            ));
        }
        if symbols.len() > MAX_CANDIDATES {
            lines.push(format!("and {} more", symbols.len() - MAX_CANDIDATES));
        }
    }
    lines.extend(render_pending(freshness));
    markup.join_lines(&lines)
}

/// Adds the lines of one symbol: numbers, folders, evidence and dispatch.
fn write_symbol_lines(
    snapshot: &Snapshot,
    blast: &BlastRadius,
    pending: bool,
    markup: HoverMarkup,
    lines: &mut Vec<String>,
) {
    let counts = if pending { mark_pending(blast.counts) } else { blast.counts };
    lines.push(render_counts(&counts));
    if counts.has_hidden_uses && counts.dependents.value == 0 {
        lines.push("It may be used through dynamic calls or by code outside the workspace".to_owned());
    }
    if blast.folders.len() > 1 {
        lines.push(render_folders(blast, markup));
    }
    if counts.callers.value > 0 {
        lines.push(render_evidence(blast));
    }
    if let Some(overridden) = blast.through_overrides.iter().max_by_key(|t| t.callers.value) {
        let base = snapshot.symbol(overridden.base).map_or_else(String::new, |s| s.display_name());
        let approximate = overridden.callers.approximate || pending;
        let others = render_count(SymbolCount { approximate, ..overridden.callers }, "more caller");
        let base = markup.inline_code(&base);
        lines.push(format!("Overrides {base}: {others} may reach this at run time"));
    }
}

/// Lists the folders of the dependents.
fn render_folders(blast: &BlastRadius, markup: HoverMarkup) -> String {
    let entries = blast.folders.iter().take(MAX_FOLDERS).map(|f| {
        let folder = if f.folder.is_empty() { "the root".to_owned() } else { markup.inline_code(&f.folder) };
        format!("{folder} {}", f.dependents)
    });
    let mut parts: Vec<String> = entries.collect();
    match blast.folders.len().saturating_sub(MAX_FOLDERS) {
        0 => {}
        1 => parts.push("1 more folder".to_owned()),
        more => parts.push(format!("{more} more folders")),
    }
    format!("Dependents by folder: {}", parts.join(", "))
}

/// Describes the provenance of the callers.
fn render_evidence(blast: &BlastRadius) -> String {
    let mut parts: Vec<String> =
        blast.servers.iter().map(|(server, n)| format!("{n} confirmed by {server}")).collect();
    for (&provenance, n) in blast.evidence.iter().rev() {
        let how = match provenance {
            Provenance::LspResolved if !blast.servers.is_empty() => continue,
            other => describe_provenance(other),
        };
        parts.push(format!("{n} {how}"));
    }
    let uncertain = match blast.ambiguous {
        0 => String::new(),
        n if n == blast.counts.callers.value => "; each may refer to another definition".to_owned(),
        1 => "; 1 of them may refer to another definition".to_owned(),
        n => format!("; {n} of them may refer to another definition"),
    };
    format!("Callers: {}{uncertain}", parts.join(", "))
}

/// Describes the changes that the numbers do not include yet. Unsaved text is included in the
/// numbers, and a pending disk check is normal, so neither is mentioned.
fn render_pending(freshness: &Freshness) -> Option<String> {
    Freshness { unsaved_files: 0, disk_check_pending: false, ..freshness.clone() }.render_line()
}
