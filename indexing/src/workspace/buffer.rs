//! The text of an open document with its facts and syntax tree: parsed as a whole when the document
//! is opened, then incrementally.
//!
//! A [`Buffer`] is an immutable value; each edit produces a new one. Its facts do not depend on the
//! edits that led to its text, with one exception: the error recovery of a parser depends on the
//! tree that it starts from. While the user types, a text with syntax errors is therefore
//! [provisional](Buffer::is_provisional) until [`Buffer::with_confirmed_facts`] compares it with a
//! parse of the whole text.

use super::facts_source;
use crate::extract::{EditedTree, ErrorRecovery};
use crate::languages::LanguageRegistry;
use crate::walk::{WalkOptions, content_skip_reason};
use kenning_graph::{FileFacts, Hash};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{InputEdit, Point, Tree};

/// Maximum size in bytes of a text that is parsed while it is edited. In a longer text, an edit and
/// the hover after it take more than 100 ms (`docs/architecture.md`, "Large documents").
pub const MAX_LIVE_BYTES: u64 = 1024 * 1024;

/// One edit of a text in the form that the parser needs: in bytes, and in rows and byte columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEdit(InputEdit);

impl TreeEdit {
    /// Creates the edit that replaces the bytes `range` of `before` with `inserted`. Cuts off the
    /// part of the range that is outside `before`.
    pub fn new(before: &[u8], range: Range<usize>, inserted: &[u8]) -> Self {
        let end = range.end.min(before.len());
        let start = range.start.min(end);
        // Whether a carriage return ends a line depends on the byte after it, and so does the byte
        // that replaces it in the parser's input. The edit therefore includes a carriage return at
        // either of its ends, and the line feed after it.
        let head = start - usize::from(before[..start].ends_with(b"\r"));
        let ends_with_return = before[head..end].ends_with(b"\r")
            || if inserted.is_empty() { head < start } else { inserted.ends_with(b"\r") };
        let tail = end + usize::from(ends_with_return && before[end..].starts_with(b"\n"));
        let replacement = [&before[head..start], inserted, &before[end..tail]].concat();
        let start_position = advance_point(Point::default(), &before[..head]);
        Self(InputEdit {
            start_byte: head,
            old_end_byte: tail,
            new_end_byte: head + replacement.len(),
            start_position,
            old_end_position: advance_point(start_position, &before[head..tail]),
            new_end_position: advance_point(start_position, &replacement),
        })
    }

    /// Applies the edit to the tree of the text before it.
    pub fn apply_to_tree(&self, tree: &mut Tree) {
        tree.edit(&self.0);
    }

    /// Returns the single edit that turns `before` into `after`: it replaces everything between
    /// their common prefix and common suffix.
    pub fn between_texts(before: &[u8], after: &[u8]) -> Self {
        let shorter = before.len().min(after.len());
        let prefix = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let suffix = before.iter().rev().zip(after.iter().rev()).take(shorter - prefix);
        let suffix = suffix.take_while(|(a, b)| a == b).count();
        Self::new(before, prefix..before.len() - suffix, &after[prefix..after.len() - suffix])
    }
}

/// Returns the point after `text`, which begins at `from`. No line feed may follow a carriage
/// return at the end of `text`. A line ends with `\n`, `\r\n` or `\r`, as in the text that the
/// parser receives ([`crate::extract::source_text::normalize_line_ends`]).
fn advance_point(from: Point, text: &[u8]) -> Point {
    let ends_line =
        |&(at, byte): &(usize, &u8)| *byte == b'\n' || (*byte == b'\r' && text.get(at + 1) != Some(&b'\n'));
    let (mut rows, mut column) = (0, from.column + text.len());
    for (at, _) in text.iter().enumerate().filter(ends_line) {
        rows += 1;
        column = text.len() - at - 1;
    }
    Point { row: from.row + rows, column }
}

/// The text of an open document, its facts and its syntax tree. Immutable: an edit returns a new
/// buffer.
#[derive(Clone)]
pub struct Buffer {
    path: Arc<str>,
    text: Arc<str>,
    content_hash: Hash,
    facts: Option<Arc<FileFacts>>,
    tree: Option<Tree>,
    provisional: bool,
    /// Whether a file with this text would be indexed.
    indexable: bool,
    /// Whether the text is indexed once it is saved, but is too long to be parsed until then.
    large: bool,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({}, {} bytes)", self.path, self.text.len())
    }
}

impl Buffer {
    /// Parses a text. A text in an unknown language, or longer than `limit` bytes or
    /// [`MAX_LIVE_BYTES`], has no facts.
    pub fn new(path: &str, text: Arc<str>, limit: u64) -> Self {
        Self::parse_text(path.into(), text, limit, None)
    }

    /// Returns the buffer after `edits`, applied in order, turned its text into `text`. Parses only
    /// the parts that the edits touched, or the whole text if it has errors. The facts depend on
    /// the new text alone.
    #[must_use]
    pub fn with_edits(&self, text: Arc<str>, edits: &[TreeEdit], limit: u64) -> Self {
        self.with_text(text, edits, limit, ErrorRecovery::FromScratch)
    }

    /// Does the same as [`Self::with_edits`] for a text that is being typed. Even a text with
    /// errors is parsed incrementally, and is then [provisional](Self::is_provisional).
    #[must_use]
    pub fn with_typed_edits(&self, text: Arc<str>, edits: &[TreeEdit], limit: u64) -> Self {
        self.with_text(text, edits, limit, ErrorRecovery::Incremental)
    }

    /// Returns a confirmed buffer, whose facts are the facts of its text alone. They nearly always
    /// equal the facts of this buffer; the new buffer then shares the [`Arc`], and nothing is
    /// extracted again.
    #[must_use]
    pub fn with_confirmed_facts(&self, limit: u64) -> Self {
        let (Some(facts), Some(tree), true) = (&self.facts, &self.tree, self.provisional) else {
            return self.clone();
        };
        if facts_source::tree_matches_text(&facts.language, self.text.as_bytes(), tree) {
            Self { provisional: false, ..self.clone() }
        } else {
            Self::parse_text(self.path.clone(), self.text.clone(), limit, None)
        }
    }

    fn with_text(&self, text: Arc<str>, edits: &[TreeEdit], limit: u64, recovery: ErrorRecovery) -> Self {
        let mut tree = self.tree.clone();
        if let Some(tree) = &mut tree {
            for edit in edits {
                edit.apply_to_tree(tree);
            }
        }
        Self::parse_text(
            self.path.clone(),
            text,
            limit,
            tree.as_ref().map(|tree| EditedTree { tree, recovery }),
        )
    }

    fn parse_text(path: Arc<str>, text: Arc<str>, limit: u64, old: Option<EditedTree<'_>>) -> Self {
        let content_hash = Hash::from_content(text.as_bytes());
        let language = LanguageRegistry::get().find_by_file(&*path, text.as_bytes());
        let length = text.len() as u64;
        let within_limit = language.filter(|_| length <= limit);
        let language = within_limit.filter(|_| length <= MAX_LIVE_BYTES);
        let extraction = language.map(|language| {
            facts_source::extract_incrementally(language.language_id(), text.as_bytes(), old)
        });
        let provisional = extraction.as_ref().is_some_and(|extraction| extraction.provisional);
        let (facts, tree) =
            extraction.map_or((None, None), |extraction| (Some(extraction.facts), extraction.tree));
        let candidate = |_: &str| true;
        let mut options = WalkOptions::new(&candidate);
        options.max_file_bytes = limit;
        let is_accepted =
            within_limit.is_some() && content_skip_reason(&path, text.as_bytes(), &options).is_none();
        let (indexable, large) = (is_accepted && facts.is_some(), is_accepted && length > MAX_LIVE_BYTES);
        Self { path, text, content_hash, facts, tree, provisional, indexable, large }
    }

    /// Returns the path of the document in the workspace.
    pub fn file_path(&self) -> &str {
        &self.path
    }

    /// Returns the text.
    pub fn buffer_text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the SHA-256 of the text.
    pub fn content_hash(&self) -> Hash {
        self.content_hash
    }

    /// Whether a file with this text is indexed: it is not too long, binary or minified.
    pub fn is_indexable(&self) -> bool {
        self.indexable
    }

    /// Whether a file with this text is indexed, but the text is too long to be parsed while it is
    /// edited. Saving the file indexes it.
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// Whether the text has errors and was parsed incrementally from an earlier tree. A parse of
    /// the whole text may give other facts, so nothing durable is derived from these.
    pub fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// Returns the facts of the text, or `None` if its language is unknown or it is too long.
    pub fn file_facts(&self) -> Option<&Arc<FileFacts>> {
        self.facts.as_ref()
    }
}

#[cfg(test)]
pub(crate) mod tests;
