//! Renders the hover of a blast radius, and the text that replaces counts without an index.

use crate::format::wording::{describe_provenance, mark_pending, render_count, render_counts};
use crate::freshness::Freshness;
use crate::session::IndexPhase;
use crate::session::documents::TOO_LARGE_MESSAGE;
use kenning_graph::{Provenance, Snapshot, SymbolId};
use kenning_retrieval::features::{
    BlastCounts, BlastOptions, BlastRadius, SymbolCount, blast_counts, blast_radius,
};
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
    pub fn join_lines(self, lines: &[String]) -> String {
        lines.join(if self == Self::Markdown { "  \n" } else { "\n" })
    }
}

/// Renders the hover of a definition that is not in the graph yet.
pub fn render_not_indexed(phase: &IndexPhase, markup: HoverMarkup) -> String {
    markup.join_lines(&[markup.blast_title().to_owned(), describe_phase(phase).to_owned()])
}

/// Renders the hover in a document that is too large to be parsed on every edit.
pub fn render_too_large(markup: HoverMarkup) -> String {
    markup.join_lines(&[markup.blast_title().to_owned(), TOO_LARGE_MESSAGE.to_owned()])
}

/// The hover of a name that resolves to symbols of the graph.
pub struct BlastHover<'a> {
    /// The graph.
    pub snapshot: &'a Snapshot,
    /// The symbols that the name may refer to.
    pub symbols: &'a [SymbolId],
    /// Whether the title names the symbol. In its declaration, the reader sees the name.
    pub has_name_in_title: bool,
    /// The changes that the graph does not include yet.
    pub freshness: &'a Freshness,
    /// Whether files wait to be indexed, so that all counts are approximate.
    pub is_pending: bool,
    /// The markup of the text.
    pub markup: HoverMarkup,
}

impl BlastHover<'_> {
    /// Renders the hover in at most six lines.
    pub fn render(&self) -> String {
        let Self { snapshot, symbols, markup, .. } = *self;
        let mut lines = Vec::new();
        if let &[symbol] = symbols {
            lines.push(self.render_title(symbol));
            let options = BlastOptions { list: 0, ..BlastOptions::default() };
            self.write_symbol_lines(&blast_radius(snapshot, &[symbol], &options), &mut lines);
        } else {
            lines.push(format!("{}: {} possible definitions", markup.blast_title(), symbols.len()));
            for &symbol in symbols.iter().take(MAX_CANDIDATES) {
                let qualified = snapshot.symbol(symbol).map_or_else(String::new, |s| s.qualified_name());
                let counts = self.shown_counts(blast_counts(snapshot, &[symbol]));
                lines.push(format!("{}: {}", markup.inline_code(&qualified), render_counts(&counts)));
            }
            if symbols.len() > MAX_CANDIDATES {
                lines.push(format!("and {} more", symbols.len() - MAX_CANDIDATES));
            }
        }
        lines.extend(render_pending(self.freshness));
        markup.join_lines(&lines)
    }

    fn render_title(&self, symbol: SymbolId) -> String {
        let title = self.markup.blast_title();
        if self.has_name_in_title {
            format!("{title} of {}", self.display_name(symbol))
        } else {
            title.to_owned()
        }
    }

    fn display_name(&self, symbol: SymbolId) -> String {
        let symbol = self.snapshot.symbol(symbol);
        self.markup.inline_code(&symbol.map_or_else(String::new, |s| s.display_name()))
    }

    fn shown_counts(&self, counts: BlastCounts) -> BlastCounts {
        if self.is_pending { mark_pending(counts) } else { counts }
    }

    /// Adds the lines of one symbol: counts, folders, evidence and dispatch.
    fn write_symbol_lines(&self, blast: &BlastRadius, lines: &mut Vec<String>) {
        let counts = self.shown_counts(blast.counts);
        lines.push(render_counts(&counts));
        if counts.may_have_hidden_uses && counts.dependents.value == 0 {
            lines.push("It may be used through dynamic calls or by code outside the workspace".to_owned());
        }
        if blast.folders.len() > 1 {
            lines.push(render_folders(blast, self.markup));
        }
        if counts.callers.value > 0 {
            lines.push(render_evidence(blast));
        }
        if let Some(overridden) = blast.through_overrides.iter().max_by_key(|t| t.callers.value) {
            let base = self.display_name(overridden.base);
            let approximate = overridden.callers.approximate || self.is_pending;
            let others = render_count(SymbolCount { approximate, ..overridden.callers }, "more caller");
            lines.push(format!("Overrides {base}: {others} may reach this at run time"));
        }
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
        let description = match provenance {
            Provenance::LspResolved if !blast.servers.is_empty() => continue,
            other => describe_provenance(other),
        };
        parts.push(format!("{n} {description}"));
    }
    let uncertain = match blast.ambiguous {
        0 => String::new(),
        1 if blast.counts.callers.value == 1 => "; it may refer to another definition".to_owned(),
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
