//! Open documents: the client's text, kept true by its incremental edits.
//!
//! The rules are the specification's: a character past the end of its line clamps to the line's end. What the
//! specification leaves open is settled here: a version that does not increase and a range that cannot be in the text
//! make the document *desynchronised*, and every edit of it is ignored until the client sends the whole text again.

use kenning_graph::FileFacts;
use kenning_graph::positions::{LineIndex, PositionEncoding, TextPosition};
use kenning_indexing::workspace::TreeEdit;
use std::sync::Arc;
use thiserror::Error;

/// Why there are no answers for an [`OpenFile`] that is too large ([`MAX_LIVE_BYTES`](kenning_indexing::workspace::MAX_LIVE_BYTES)).
pub const TOO_LARGE: &str = "Larger than 1 MiB: unsaved changes are indexed when the file is saved";

/// One edit of a document, in the client's positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextEdit {
    /// The whole text is replaced.
    Whole(String),
    /// The text between two positions is replaced.
    Range {
        /// First replaced position.
        start: TextPosition,
        /// One past the last replaced position.
        end: TextPosition,
        /// What stands there afterwards.
        text: String,
    },
}

/// Why a document lost touch with the client's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DesyncReason {
    /// A version did not increase.
    #[error("version {received} came after version {known}")]
    Version {
        /// The version that was known.
        known: i32,
        /// The version that came.
        received: i32,
    },
    /// A range starts after its end, or on a line that the text does not have.
    #[error("version {version} edits lines {} to {} of a text with {lines} lines", start + 1, end + 1)]
    Range {
        /// The version that came.
        version: i32,
        /// First line of the range, 0-based.
        start: u32,
        /// Last line of the range, 0-based.
        end: u32,
        /// Lines of the text.
        lines: usize,
    },
}

/// An open document as one published state shows it: text, lines, facts and the state's snapshot belong together.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// Its path in the folder, with `/`.
    pub path: String,
    /// The client's version of the text.
    pub version: i32,
    /// The client's text; the last one that was known where edits could not be followed.
    pub text: Arc<str>,
    /// Where the lines of `text` start.
    pub lines: Arc<LineIndex>,
    /// What `text` says; `None` in no known language, and when it is too long to be indexed or to be parsed on every edit.
    pub facts: Option<Arc<FileFacts>>,
    /// The text is not saved and too large to be parsed on every edit: the snapshot shows the disk's.
    pub too_large: bool,
    /// Whether the snapshot shows this text. If not, it shows the disk's, or nothing (the file is left out of the index).
    pub in_graph: bool,
    /// Its text is in the graph, is not saved, and does not parse as it stands: what is declared near the error may be
    /// missing until it does.
    pub broken: bool,
    /// Edits could not be followed: the client's text is another.
    pub desynchronised: bool,
    /// Why, if so.
    pub problem: Option<DesyncReason>,
}

/// An open document.
#[derive(Clone, Debug)]
pub struct SyncedDocument {
    text: String,
    lines: LineIndex,
    version: i32,
    desynchronised: Option<DesyncReason>,
}

impl SyncedDocument {
    /// The document as the client opened it.
    pub fn new(version: i32, text: String) -> Self {
        let lines = LineIndex::new(&text);
        Self { text, lines, version, desynchronised: None }
    }

    /// The client's text, or the last text that was known before the document was desynchronised.
    pub fn current_text(&self) -> &str {
        &self.text
    }

    /// The last version that was applied.
    pub fn last_version(&self) -> i32 {
        self.version
    }

    /// Why edits are being ignored, if they are.
    pub fn desync_reason(&self) -> Option<DesyncReason> {
        self.desynchronised
    }

    /// The lines of the text.
    pub fn line_index(&self) -> &LineIndex {
        &self.lines
    }

    /// The 0-based line and the byte offset of a position; `None` when the text does not have the line.
    pub fn offset_at(&self, position: TextPosition, encoding: PositionEncoding) -> Option<usize> {
        self.lines.offset_at(&self.text, position, encoding)
    }

    /// Applies the edits of one change notification in their order.
    ///
    /// A whole text is always taken, whatever came before: notifications arrive in order, so it is the client's
    /// text. Anything else needs a version above the known one and ranges that the text has.
    ///
    /// Returns what the parser must know of them, in order.
    ///
    /// # Errors
    /// The reason for which the document is desynchronised from now on, or has been since an earlier change.
    pub fn apply_edits(
        &mut self,
        version: i32,
        edits: Vec<TextEdit>,
        encoding: PositionEncoding,
    ) -> Result<Vec<TreeEdit>, DesyncReason> {
        // Whatever stands before the last whole text has no effect on the result.
        let whole = edits.iter().rposition(|edit| matches!(edit, TextEdit::Whole(_)));
        if whole.is_some() {
            self.desynchronised = None;
        } else if let Some(reason) = self.desynchronised {
            return Err(reason);
        } else if version <= self.version {
            return self.mark_desynced(DesyncReason::Version { known: self.version, received: version });
        }
        let mut applied = Vec::with_capacity(edits.len());
        for edit in edits.into_iter().skip(whole.unwrap_or(0)) {
            match edit {
                TextEdit::Whole(text) => {
                    applied.push(TreeEdit::between_texts(self.text.as_bytes(), text.as_bytes()));
                    self.lines = LineIndex::new(&text);
                    self.text = text;
                }
                TextEdit::Range { start, end, text } => {
                    // Clients replace "everything from here" with an end far behind the text: that is its end.
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
        self.desynchronised = Some(reason);
        Err(reason)
    }
}

#[cfg(test)]
mod tests;
