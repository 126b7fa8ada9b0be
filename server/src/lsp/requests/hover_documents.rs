//! The line of a hover about the documents that explain a symbol.

use super::hover_text::HoverMarkup;
use crate::format::wording::group_digits;
use kenning_graph::{Snapshot, SymbolId, SymbolKind};
use kenning_retrieval::pack::escape_control_chars;
use lsp_types::Uri;
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum number of sections that a hover names.
const MAX_SECTIONS: usize = 3;

/// Returns a line that names the sections of documents that name or link to the symbols; `None` if
/// there are none. In Markdown, each section is a link to its line in the document.
pub fn render_documents(
    snapshot: &Snapshot,
    root: &Path,
    symbols: &[SymbolId],
    markup: HoverMarkup,
) -> Option<String> {
    let edges = symbols.iter().flat_map(|&symbol| snapshot.edges_from_documents(symbol));
    let mut seen = BTreeSet::new();
    let sections: Vec<SymbolId> = edges.map(|edge| edge.source).filter(|id| seen.insert(*id)).collect();
    let named: Vec<String> = sections
        .iter()
        .take(MAX_SECTIONS)
        .filter_map(|&section| render_section(snapshot, root, section, markup))
        .collect();
    let more = match sections.len().saturating_sub(MAX_SECTIONS) {
        0 => String::new(),
        more => format!(" and {} more", group_digits(more)),
    };
    (!named.is_empty()).then(|| format!("Documented in {}{more}", named.join(", ")))
}

fn render_section(
    snapshot: &Snapshot,
    root: &Path,
    section: SymbolId,
    markup: HoverMarkup,
) -> Option<String> {
    let symbol = snapshot.symbol(section)?;
    let file = symbol.path.rsplit('/').next().unwrap_or(symbol.path);
    let name = match symbol.kind {
        SymbolKind::Section => format!("{file}: {}", symbol.name),
        _ => file.to_owned(),
    };
    let name = escape_control_chars(&name).into_owned();
    let uri = Uri::from_file_path(root.join(symbol.path)).filter(|_| markup == HoverMarkup::Markdown);
    Some(match uri {
        Some(uri) => {
            let text = name.replace('[', "\\[").replace(']', "\\]");
            format!("[{text}]({}#L{})", uri.as_str().replace(')', "%29"), symbol.name_span.line + 1)
        }
        None => name,
    })
}
