//! The text of an open document with what was read from it: parsed whole when it is opened, then edit by edit.

use super::facts_source;
use crate::extract::ErrorRecovery;
use crate::languages::LanguageRegistry;
use crate::walk::{WalkOptions, content_skip_reason};
use kenning_graph::{FileFacts, Hash};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::{InputEdit, Point, Tree};

/// Longer texts are not parsed while they are edited, in bytes: an edit and the hover after it take longer than 100 ms then
/// (`docs/architecture.md`, "Large documents").
pub const MAX_LIVE_BYTES: u64 = 1024 * 1024;

/// One edit of a text as the parser must know it, in bytes, and in rows and byte columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEdit(InputEdit);

impl TreeEdit {
    /// The bytes `range` of `before` are replaced by `inserted`. A range outside of `before` is cut to it.
    pub fn new(before: &[u8], range: Range<usize>, inserted: &[u8]) -> Self {
        let end = range.end.min(before.len());
        let start = range.start.min(end);
        // Whether a carriage return ends a line of its own depends on what follows it, and so does what the parser reads in
        // its place: one at either end of the edit is part of it, with its line feed.
        let head = start - usize::from(before[..start].ends_with(b"\r"));
        let returns = before[head..end].ends_with(b"\r")
            || if inserted.is_empty() { head < start } else { inserted.ends_with(b"\r") };
        let tail = end + usize::from(returns && before[end..].starts_with(b"\n"));
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

    /// The one edit that makes `after` of `before`: everything between what both begin and end with.
    pub fn between_texts(before: &[u8], after: &[u8]) -> Self {
        let shorter = before.len().min(after.len());
        let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
        let tail = before.iter().rev().zip(after.iter().rev()).take(shorter - head);
        let tail = tail.take_while(|(a, b)| a == b).count();
        Self::new(before, head..before.len() - tail, &after[head..after.len() - tail])
    }
}

/// The point after `text`, which begins at `from` and after which no line feed follows a carriage return. A line ends
/// with `\n`, `\r\n` or `\r`, as in what the parser is given ([`crate::extract::source_text::normalize_line_ends`]).
fn advance_point(from: Point, text: &[u8]) -> Point {
    let ends =
        |&(at, byte): &(usize, &u8)| *byte == b'\n' || (*byte == b'\r' && text.get(at + 1) != Some(&b'\n'));
    let (mut rows, mut column) = (0, from.column + text.len());
    for (at, _) in text.iter().enumerate().filter(ends) {
        rows += 1;
        column = text.len() - at - 1;
    }
    Point { row: from.row + rows, column }
}

/// The text of an open document, its facts and its syntax tree. A value: an edit gives a new one.
#[derive(Clone)]
pub struct Buffer {
    path: Arc<str>,
    text: Arc<str>,
    content_hash: Hash,
    facts: Option<Arc<FileFacts>>,
    tree: Option<Tree>,
    provisional: bool,
    /// Nothing in the text would leave it out of an index.
    indexable: bool,
    /// The text is indexed when it is saved, and too long to be parsed until then.
    large: bool,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({}, {} bytes)", self.path, self.text.len())
    }
}

impl Buffer {
    /// Reads a text. Text in no known language, or longer than `limit` bytes or [`MAX_LIVE_BYTES`], has no facts.
    pub fn new(path: &str, text: Arc<str>, limit: u64) -> Self {
        Self::parse_text(path.into(), text, limit, None)
    }

    /// The buffer after its text became `text` by `edits`, in their order: only what they touch is parsed again, unless
    /// the text has errors. Its facts are those of the text alone.
    #[must_use]
    pub fn with_edits(&self, text: Arc<str>, edits: &[TreeEdit], limit: u64) -> Self {
        self.with_text(text, edits, limit, ErrorRecovery::Whole)
    }

    /// [`Self::with_edits`] for a text that is being typed: one with errors is not parsed whole either, and is
    /// [provisional](Self::is_provisional).
    #[must_use]
    pub fn with_typed_edits(&self, text: Arc<str>, edits: &[TreeEdit], limit: u64) -> Self {
        self.with_text(text, edits, limit, ErrorRecovery::AtOnce)
    }

    /// The buffer with the facts of its text alone, and no longer provisional. These are nearly always the facts that it
    /// has: then they are the very same [`Arc`], and nothing was read again.
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
        Self::parse_text(self.path.clone(), text, limit, tree.as_ref().map(|tree| (tree, recovery)))
    }

    fn parse_text(path: Arc<str>, text: Arc<str>, limit: u64, old: Option<(&Tree, ErrorRecovery)>) -> Self {
        let content_hash = Hash::from_content(text.as_bytes());
        let language = LanguageRegistry::get().find_by_file(&*path, text.as_bytes());
        let length = text.len() as u64;
        let taken = language.filter(|_| length <= limit);
        let language = taken.filter(|_| length <= MAX_LIVE_BYTES);
        let read = language.map(|language| {
            facts_source::extract_incrementally(language.language_id(), text.as_bytes(), old)
        });
        let provisional = read.as_ref().is_some_and(|read| read.provisional);
        let (facts, tree) = read.map_or((None, None), |read| (Some(read.facts), read.tree));
        let candidate = |_: &str| true;
        let mut options = WalkOptions::new(&candidate);
        options.max_file_bytes = limit;
        let counts = taken.is_some() && content_skip_reason(&path, text.as_bytes(), &options).is_none();
        let (indexable, large) = (counts && facts.is_some(), counts && length > MAX_LIVE_BYTES);
        Self { path, text, content_hash, facts, tree, provisional, indexable, large }
    }

    /// Its path in the workspace.
    pub fn file_path(&self) -> &str {
        &self.path
    }

    /// The text.
    pub fn buffer_text(&self) -> &Arc<str> {
        &self.text
    }

    /// SHA-256 of the text.
    pub fn content_hash(&self) -> Hash {
        self.content_hash
    }

    /// Whether a file with this text is indexed: not too long, not binary, minified or generated.
    pub fn is_indexable(&self) -> bool {
        self.indexable
    }

    /// Whether a file with this text is indexed, but the text is too long to be parsed while it is edited: it counts when it is
    /// saved.
    pub fn is_large(&self) -> bool {
        self.large
    }

    /// Whether the text has errors and was read from the tree of the one before: read alone it may say something else, so
    /// nothing that lasts is made of it.
    pub fn is_provisional(&self) -> bool {
        self.provisional
    }

    /// What the text says; `None` in no known language, and when it is too long.
    pub fn file_facts(&self) -> Option<&Arc<FileFacts>> {
        self.facts.as_ref()
    }
}

#[cfg(test)]
pub(crate) mod tests;
