//! The notes, tasks and skills that are linked to a symbol, for hovers and lenses.

use crate::config::Config;
use crate::format::knowledge::render_entry_counts;
use crate::knowledge::{EntryKind, KnowledgeFolder, ResolvedKnowledge};
use crate::lsp::requests::HoverMarkup;
use crate::session::{FolderState, ServedFolder};
use kenning_graph::Hash;
use kenning_retrieval::pack::escape_control_chars;
use lsp_types::Uri;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum number of entries that a hover names.
const MAX_SHOWN: usize = 5;

/// The entries of a folder at one moment.
pub struct LinkedEntries {
    knowledge: Arc<ResolvedKnowledge>,
    root: PathBuf,
}

impl LinkedEntries {
    /// Reads the entries; `None` if the folder has none configured. Reads files, so call it from a
    /// blocking thread.
    pub fn read_current(folder: &ServedFolder, config: &Config, state: &FolderState) -> Option<Self> {
        let opened = KnowledgeFolder::open_configured(folder.root_path(), &config.knowledge.folder).ok()?;
        let knowledge = folder.knowledge_cache().read_current(&opened, folder.root_path(), state);
        Some(Self { knowledge, root: folder.root_path().to_owned() })
    }

    /// Returns the numbers of entries that are linked to a symbol as the title of a lens, such as
    /// `2 notes · 1 task`; `None` if there are none.
    pub fn lens_title(&self, symbol: &Hash) -> Option<String> {
        let about = self.knowledge.entries_about(&[*symbol]);
        let kinds: Vec<EntryKind> = about.iter().map(|&at| self.knowledge.base.entries[at].kind).collect();
        (!kinds.is_empty()).then(|| render_entry_counts(kinds.into_iter()))
    }

    /// Returns the lines of a hover: the number of entries that are linked to the symbols, and
    /// their titles. In Markdown, a title opens the file.
    pub fn hover_lines(&self, symbols: &[Hash], markup: HoverMarkup) -> Vec<String> {
        let is_markdown = markup == HoverMarkup::Markdown;
        let about = self.knowledge.entries_about(symbols);
        let entries: Vec<_> = about.iter().map(|&at| (&self.knowledge.base.entries[at], at)).collect();
        if entries.is_empty() {
            return Vec::new();
        }
        let counts = render_entry_counts(entries.iter().map(|(entry, _)| entry.kind));
        let mut lines = vec![if is_markdown { format!("**{counts}**") } else { counts }];
        for (entry, at) in entries.iter().take(MAX_SHOWN) {
            let title = escape_control_chars(&entry.title).replace('\n', " ");
            let uri = Uri::from_file_path(self.root.join(&entry.path));
            let title = match uri.filter(|_| is_markdown) {
                Some(uri) => format!("[{}]({})", escape_link_text(&title), uri.as_str().replace(')', "%29")),
                None => title,
            };
            let moved = self.knowledge.states[*at].iter().any(|state| {
                let leads_here = state.linked_symbols().iter().any(|symbol| symbols.contains(symbol));
                leads_here && matches!(state, crate::knowledge::LinkState::Moved { .. })
            });
            let mark = if moved { " (the link has the old name)" } else { "" };
            lines.push(format!("{title}{mark}"));
        }
        if entries.len() > MAX_SHOWN {
            lines.push(format!("{} more", entries.len() - MAX_SHOWN));
        }
        lines
    }
}

/// Escapes all characters that may have a meaning in the text of a Markdown link.
fn escape_link_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_link_cannot_end_it() {
        assert_eq!(escape_link_text("a](x) <b> `c`"), "a\\]\\(x\\) \\<b\\> \\`c\\`");
    }
}
