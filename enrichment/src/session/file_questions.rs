//! A file in one state of the graph, with its text and references: the subject of a round of
//! questions.

use super::requests::LspPosition;
use crate::line_index::LineIndexedText;
use crate::workspace::WorkspaceSource;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::positions::PositionEncoding;
use kenning_graph::snapshot::{FileId, Snapshot};
use kenning_graph::verdicts::{ReferenceSite, ServerId};
use std::sync::Arc;

/// A file and the questions about it.
pub(crate) struct FileQuestions {
    pub snapshot: Arc<Snapshot>,
    pub file: FileId,
    pub path: Arc<str>,
    pub language: String,
    pub text: Arc<LineIndexedText>,
    pub sites: Vec<ReferenceSite>,
    /// Indexes of the sites to ask the server about.
    pub pending: Vec<usize>,
}

/// The reason why a file cannot be asked about now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadableFile {
    /// The file is not in the graph, or cannot be read.
    Gone,
    /// The graph was built from another text and will be updated.
    GraphOutdated,
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
        let entry = snapshot.file(file).ok_or(UnreadableFile::Gone)?;
        let (hash, language) = (entry.content_hash, entry.language.to_owned());
        let text = workspace.file_text(path).ok_or(UnreadableFile::Gone)?;
        if text.hash != hash {
            return Err(UnreadableFile::GraphOutdated);
        }
        let sites = workspace.reference_sites(&snapshot, path);
        if sites.iter().any(|site| site.content != hash) {
            return Err(UnreadableFile::GraphOutdated);
        }
        let text = Arc::new(LineIndexedText::new(text));
        let pending = (0..sites.len())
            .filter(|&index| {
                is_askable(sites[index].role) && !workspace.is_answered(&snapshot, &sites[index], server)
            })
            .collect();
        Ok(Self { snapshot, file, path: path.into(), language, text, sites, pending })
    }

    /// Whether a local name that a site can refer to may be declared at a position in the file: the
    /// position has the name of the site and is not the site itself. A server that lacks a type
    /// answers with the site, or with the variable that has the type.
    pub fn may_declare_local(
        &self,
        site: &ReferenceSite,
        at: LspPosition,
        encoding: PositionEncoding,
    ) -> bool {
        let line = self.text.line_text(at.line);
        let column = encoding.byte_at_column(line, at.character);
        let site_line = self.text.line_text(site.at.line);
        let (start, len) = (site.at.column as usize, site.at.len as usize);
        let is_site = at.line == site.at.line && (start..start + len).contains(&column);
        !is_site
            && site_line.get(start..start + len).is_some_and(|name| {
                line.get(column..).is_some_and(|rest| {
                    let after = rest.strip_prefix(name).map(|rest| rest.chars().next());
                    after.is_some_and(|next| !next.is_some_and(|c| c.is_alphanumeric() || c == '_'))
                })
            })
    }

    /// Whether the name at a site follows the value, type or namespace that it belongs to, as `c`
    /// does in `a.c`.
    pub fn is_member_access(&self, site: &ReferenceSite) -> bool {
        let before = self.text.line_text(site.at.line).get(..site.at.column as usize).unwrap_or("");
        before.trim_end().ends_with(['.', ':', '>'])
    }
}

/// Whether a server can know the target of a reference with this role. Servers do not know the
/// variables, programs and flags that strings and documentation name.
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
