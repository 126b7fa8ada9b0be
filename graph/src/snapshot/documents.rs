//! Distinguishes documents from code. The workspace handles documents like any other file, but
//! ranking, features and resolution read only the files of code.

use super::base::FILE_DOCUMENT;
use super::{FileId, Snapshot, SymbolId};

impl Snapshot {
    /// Whether a file is a document rather than code. `false` for an unknown file.
    pub fn is_document(&self, id: FileId) -> bool {
        match self.overlay.file_content(id) {
            Some(content) => content.facts.is_document,
            None => {
                let record = self.base.file_records().get(id.0 as usize);
                record.is_some_and(|record| record.flags & FILE_DOCUMENT != 0)
            }
        }
    }

    /// Returns the live files that are not documents, sorted by path. Ranking reads only these
    /// files.
    pub fn code_files(&self) -> Vec<FileId> {
        let mut files = self.files();
        files.retain(|&file| !self.is_document(file));
        files
    }

    /// Returns the live documents, sorted by path.
    pub fn document_files(&self) -> Vec<FileId> {
        let mut files = self.files();
        files.retain(|&file| self.is_document(file));
        files
    }

    /// Returns the live file at a workspace-relative path, unless it is a document.
    pub fn code_file_by_path(&self, path: &str) -> Option<FileId> {
        self.file_by_path(path).filter(|&file| !self.is_document(file))
    }

    /// Returns the live sections of documents by path and position.
    pub fn sections(&self) -> Vec<SymbolId> {
        let documents = self.document_files().into_iter();
        documents.flat_map(|file| self.file_symbols(file).into_iter().skip(1)).collect()
    }
}
