//! A file in one state of the graph, with its text and its references: what a round of questions is about.

use crate::lined::Lined;
use crate::workspace::Workspace;
use kenning_graph::facts::Role;
use kenning_graph::snapshot::{FileId, Snapshot};
use kenning_graph::verdicts::{ServerId, Site};
use std::sync::Arc;

/// A file and what can be asked about it.
pub(crate) struct Sheet {
    pub snapshot: Arc<Snapshot>,
    pub file: FileId,
    pub path: Arc<str>,
    pub language: String,
    pub text: Arc<Lined>,
    pub sites: Vec<Site>,
    /// Those that are to be asked about, as indexes.
    pub pending: Vec<usize>,
}

/// Why a file cannot be asked about now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is none of the graph's, or cannot be read.
    Gone,
    /// The graph was made of another text; it will be made anew.
    Behind,
}

impl Sheet {
    /// Reads a file. May block.
    pub fn read(workspace: &dyn Workspace, path: &str, server: &ServerId) -> Result<Self, Unreadable> {
        let snapshot = workspace.snapshot();
        let file = snapshot.file_by_path(path).ok_or(Unreadable::Gone)?;
        let known = snapshot.file(file).ok_or(Unreadable::Gone)?;
        let (hash, language) = (known.content_hash, known.language.to_owned());
        let text = workspace.text(path).ok_or(Unreadable::Gone)?;
        if text.hash != hash {
            return Err(Unreadable::Behind);
        }
        let sites = workspace.sites(&snapshot, path);
        if sites.iter().any(|site| site.content != hash) {
            return Err(Unreadable::Behind);
        }
        let text = Arc::new(Lined::new(text));
        let pending = (0..sites.len())
            .filter(|&index| {
                is_asked(sites[index].role) && !workspace.is_answered(&snapshot, &sites[index], server)
            })
            .collect();
        Ok(Self { snapshot, file, path: path.into(), language, text, sites, pending })
    }

    /// Whether a name stands behind the value, type or namespace that it belongs to, as `c` in `a.c`.
    pub fn is_member(&self, site: &Site) -> bool {
        let before = self.text.line(site.at.line).get(..site.at.column as usize).unwrap_or("");
        before.trim_end().ends_with(['.', ':', '>'])
    }
}

/// Whether a server can know what such a use stands for: names of variables, programs and flags in texts, it cannot.
const fn is_asked(role: Role) -> bool {
    !matches!(role, Role::Env | Role::Process | Role::Flag | Role::Doc | Role::Fixture | Role::Quoted)
}
