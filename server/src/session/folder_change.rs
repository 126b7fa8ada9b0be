//! Changes to a folder, and their numbers in the folder's queue.

use super::documents::TextEdit;
use crate::config::config_file;
use kenning_indexing::workspace::{IndexReport, WorkspaceOptions};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A change to a folder. The writer applies changes in the order in which they are queued.
pub enum FolderChange {
    /// A document was opened.
    Open {
        /// The document's path in the folder.
        path: String,
        /// The version of the text.
        version: i32,
        /// The whole text.
        text: String,
    },
    /// A document was edited.
    Edit {
        /// The document's path in the folder.
        path: String,
        /// The version of the text after the edits.
        version: i32,
        /// The edits in the order in which they apply.
        edits: Vec<TextEdit>,
    },
    /// A document was closed; the text on disk is used again.
    Close {
        /// The document's path in the folder.
        path: String,
    },
    /// Something on the disk may have changed: one file or folder, or anything.
    Refresh {
        /// The changed path in the folder; `None` if anything may have changed.
        path: Option<String>,
    },
    /// The options of indexing changed.
    Configure(WorkspaceOptions),
    /// The user asks to bring the index up to date with the disk now. The sender receives the
    /// result.
    Reindex(oneshot::Sender<Result<Arc<IndexReport>, String>>),
}

impl FolderChange {
    /// Returns the path that is pending while this change is queued; empty for the disk as a whole.
    pub(super) fn pending_path(&self) -> &str {
        match self {
            Self::Open { path, .. } | Self::Edit { path, .. } | Self::Close { path } => path,
            Self::Refresh { path: Some(path) } => path,
            Self::Refresh { path: None } | Self::Configure(_) | Self::Reindex(_) => "",
        }
    }

    /// Whether the folder's configuration file may have changed.
    pub(super) fn may_change_config(&self) -> bool {
        match self {
            Self::Refresh { path: Some(path) } => path == config_file::FILE_NAME,
            Self::Refresh { path: None } | Self::Reindex(_) => true,
            _ => false,
        }
    }

    /// Whether the change is about an open document.
    pub(super) fn is_document_change(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Edit { .. } | Self::Close { .. })
    }

    /// Whether the change requires a disk check. A document that is closed may have been saved a
    /// moment ago.
    pub(super) fn needs_disk_refresh(&self) -> bool {
        matches!(self, Self::Close { .. } | Self::Refresh { .. } | Self::Configure(_) | Self::Reindex(_))
    }
}

/// A position in a folder's queue: the changes that came before a request. Changes to open
/// documents and disk checks are numbered separately, so that a request can wait for one kind and
/// not for the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeSequence {
    /// The number of the last change to an open document.
    pub edits: u64,
    /// The number of the last disk check; 0 to wait for none.
    pub disk: u64,
}

/// A queued change with its position in the queue.
pub(super) struct QueuedChange {
    /// The number of the last change to an open document, up to and including this one.
    pub sequence: u64,
    /// The number of the last disk check, up to and including this one.
    pub disk: u64,
    pub change: FolderChange,
}
