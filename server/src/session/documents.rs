//! Open documents: the client's text, kept up to date by its incremental edits.
//!
//! The rules follow the specification: a character past the end of its line is clamped to the
//! line's end. The specification leaves two cases open: a version that does not increase, and a
//! range that cannot be in the text. Both make the document *desynchronized*: every edit of it is
//! ignored until the client sends the whole text again.

use kenning_graph::FileFacts;
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use kenning_indexing::workspace::TreeEdit;
use std::sync::Arc;
use thiserror::Error;

/// The message for an [`OpenFile`] that is too large to be parsed on every edit
/// ([`MAX_LIVE_BYTES`](kenning_indexing::workspace::MAX_LIVE_BYTES)).
pub const TOO_LARGE_MESSAGE: &str = "File larger than 1 MiB: changes are indexed when you save it";

/// One edit of a document, in the client's positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextEdit {
    /// The whole text is replaced.
    Whole(String),
    /// The text between two positions is replaced.
    Range {
        /// First replaced position.
        start: TextPosition,
        /// The position after the last replaced one.
        end: TextPosition,
        /// The new text of the range.
        text: String,
    },
}

/// The reason why a document no longer follows the client's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DesyncReason {
    /// A version did not increase.
    #[error("version {received} arrived after version {known}")]
    Version {
        /// The version of the document.
        known: i32,
        /// The version of the edit.
        received: i32,
    },
    /// A range starts after its end, or on a line that the text does not have.
    #[error("version {version} edits lines {} to {} of a text with {lines} lines", start + 1, end + 1)]
    Range {
        /// The version of the edit.
        version: i32,
        /// First line of the range, 0-based.
        start: u32,
        /// Last line of the range, 0-based.
        end: u32,
        /// Number of lines of the text.
        lines: usize,
    },
}

/// An open document in one published state: its text, its facts and the state's snapshot are
/// consistent.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// The document's path in the folder, with `/` as the separator.
    pub path: String,
    /// The client's version of the text.
    pub version: i32,
    /// The client's text. If edits could not be followed, this is the last text that was known.
    pub text: Arc<str>,
    /// The line starts of `text`.
    pub lines: Arc<LineIndex>,
    /// The facts of `text`; `None` if its language is unknown, or if it is too long to be indexed
    /// or to be parsed on every edit.
    pub facts: Option<Arc<FileFacts>>,
    /// Whether the text is unsaved and too large to be parsed on every edit. The snapshot then
    /// contains the text on disk.
    pub too_large: bool,
    /// Whether the snapshot contains this text. If not, it contains the text on disk, or nothing if
    /// the index leaves the file out.
    pub is_in_graph: bool,
    /// Whether the text is in the graph, unsaved, and has syntax errors. Definitions near an error
    /// may be missing until it is corrected.
    pub broken: bool,
    /// Whether edits could not be followed, so that the client's text differs.
    pub desynchronized: bool,
    /// The reason if `desynchronized` is true.
    pub problem: Option<DesyncReason>,
}

/// An open document that follows the client's edits.
#[derive(Clone, Debug)]
pub struct SyncedDocument {
    text: String,
    lines: LineIndex,
    version: i32,
    desynchronized: Option<DesyncReason>,
}

impl SyncedDocument {
    /// Creates the document as the client opened it.
    pub fn new(version: i32, text: String) -> Self {
        let lines = LineIndex::new(&text);
        Self { text, lines, version, desynchronized: None }
    }

    /// Returns the client's text, or the last known text if the document is desynchronized.
    pub fn current_text(&self) -> &str {
        &self.text
    }

    /// Returns the last version that was applied.
    pub fn last_version(&self) -> i32 {
        self.version
    }

    /// Returns why edits are being ignored; `None` if they are not.
    pub fn desync_reason(&self) -> Option<DesyncReason> {
        self.desynchronized
    }

    /// Returns the line starts of the text.
    pub fn line_index(&self) -> &LineIndex {
        &self.lines
    }

    /// Returns the byte offset of a position; `None` if the text does not have the line.
    pub fn offset_at(&self, position: TextPosition, encoding: PositionEncoding) -> Option<usize> {
        self.lines.offset_at(&self.text, position, encoding)
    }

    /// Applies the edits of one change notification in order, and returns them in the form that the
    /// parser needs.
    ///
    /// A whole text is always accepted: notifications arrive in order, so it is the client's
    /// current text. Any other edit needs a version above the known one and ranges that the text
    /// has.
    ///
    /// # Errors
    /// Returns the reason if these edits, or edits of an earlier change, desynchronized the
    /// document.
    pub fn apply_edits(
        &mut self,
        version: i32,
        edits: Vec<TextEdit>,
        encoding: PositionEncoding,
    ) -> Result<Vec<TreeEdit>, DesyncReason> {
        // Edits before the last whole text have no effect on the result.
        let last_whole = edits.iter().rposition(|edit| matches!(edit, TextEdit::Whole(_)));
        if last_whole.is_some() {
            self.desynchronized = None;
        } else if let Some(reason) = self.desynchronized {
            return Err(reason);
        } else if version <= self.version {
            return self.mark_desynced(DesyncReason::Version { known: self.version, received: version });
        }
        let mut applied = Vec::with_capacity(edits.len());
        for edit in edits.into_iter().skip(last_whole.unwrap_or(0)) {
            match edit {
                TextEdit::Whole(text) => {
                    applied.push(TreeEdit::between_texts(self.text.as_bytes(), text.as_bytes()));
                    self.lines = LineIndex::new(&text);
                    self.text = text;
                }
                TextEdit::Range { start, end, text } => {
                    // Clients replace "everything from here on" with an end far past the text,
                    // which means its end.
                    let end_offset = self.offset_at(end, encoding).unwrap_or(self.text.len());
                    let range = self.offset_at(start, encoding).map(|from| (from, end_offset));
                    let Some((from, to)) = range.filter(|(from, to)| from <= to) else {
                        let lines = self.lines.len();
                        let (start, end) = (start.line, end.line);
                        return self.mark_desynced(DesyncReason::Range { version, start, end, lines });
                    };
                    applied.push(TreeEdit::new(self.text.as_bytes(), from..to, text.as_bytes()));
                    self.text.replace_range(from..to, &text);
                    self.lines.update_from(&self.text, from);
                }
            }
        }
        self.version = version;
        Ok(applied)
    }

    fn mark_desynced<T>(&mut self, reason: DesyncReason) -> Result<T, DesyncReason> {
        self.desynchronized = Some(reason);
        Err(reason)
    }
}

#[cfg(test)]
mod tests;
