//! A file in one state of the graph, with its text and its references: what a round of questions is about.

use crate::line_index::LineIndexedText;
use crate::workspace::WorkspaceSource;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::snapshot::{FileId, Snapshot};
use kenning_graph::verdicts::{ReferenceSite, ServerId};
use std::sync::Arc;

/// A file and what can be asked about it.
pub(crate) struct FileQuestions {
    pub snapshot: Arc<Snapshot>,
    pub file: FileId,
    pub path: Arc<str>,
    pub language: String,
    pub text: Arc<LineIndexedText>,
    pub sites: Vec<ReferenceSite>,
    /// Those that are to be asked about, as indexes.
    pub pending: Vec<usize>,
}

/// Why a file cannot be asked about now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadableFile {
    /// It is none of the graph's, or cannot be read.
    Gone,
    /// The graph was built from another text; it will be rebuilt.
    Behind,
}

impl FileQuestions {
    /// Reads a file. May block.
    pub fn read_file(
        workspace: &dyn WorkspaceSource,
        path: &str,
        server: &ServerId,
    ) -> Result<Self, UnreadableFile> {
        let snapshot = workspace.current_snapshot();
        let file = snapshot.file_by_path(path).ok_or(UnreadableFile::Gone)?;
        let known = snapshot.file(file).ok_or(UnreadableFile::Gone)?;
        let (hash, language) = (known.content_hash, known.language.to_owned());
        let text = workspace.file_text(path).ok_or(UnreadableFile::Gone)?;
        if text.hash != hash {
            return Err(UnreadableFile::Behind);
        }
        let sites = workspace.reference_sites(&snapshot, path);
        if sites.iter().any(|site| site.content != hash) {
            return Err(UnreadableFile::Behind);
        }
        let text = Arc::new(LineIndexedText::new(text));
        let pending = (0..sites.len())
            .filter(|&index| {
                is_askable(sites[index].role) && !workspace.is_answered(&snapshot, &sites[index], server)
            })
            .collect();
        Ok(Self { snapshot, file, path: path.into(), language, text, sites, pending })
    }

    /// Whether a name stands behind the value, type or namespace that it belongs to, as `c` in `a.c`.
    pub fn is_member_access(&self, site: &ReferenceSite) -> bool {
        let before = self.text.line_text(site.at.line).get(..site.at.column as usize).unwrap_or("");
        before.trim_end().ends_with(['.', ':', '>'])
    }
}

/// Whether a server can know what such a use stands for: names of variables, programs and flags in texts, it cannot.
const fn is_askable(role: ReferenceRole) -> bool {
    !matches!(
        role,
        ReferenceRole::Env
            | ReferenceRole::Process
            | ReferenceRole::Flag
            | ReferenceRole::Doc
            | ReferenceRole::Fixture
            | ReferenceRole::Quoted
    )
}
