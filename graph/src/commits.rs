//! What commits said and what they touched, as version control has it.

use serde::{Deserialize, Serialize};

/// What one commit says of itself: a function of the commit alone, so it is read once and kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitFacts {
    /// Its id, as lower-case hex.
    pub id: Box<str>,
    /// When it was written, in seconds since the Unix epoch.
    pub time: i64,
    /// The first line of its message, with credentials masked, as in all that follows.
    pub subject: Box<str>,
    /// The analysed tokens of the first line ([`crate::analysis`]), separated by spaces.
    pub subject_tokens: Box<str>,
    /// The analysed tokens of the rest of the message without trailers.
    pub body_tokens: Box<str>,
    /// All files that it touched, of whatever kind.
    pub touched: u32,
    /// Those of them that are source code, by path.
    pub files: Vec<TouchedFile>,
}

/// A source file that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedFile {
    /// Its path after the commit (before it, where the commit deletes the file), with `/`.
    pub path: Box<str>,
    /// Its path before the commit where that was another.
    pub old_path: Option<Box<str>>,
    /// What the changed lines stand in, each as dotted names from the outside in. They are read from the lines
    /// alone, so inner parts may name nothing that is declared. Empty where lines were not read.
    pub symbols: Vec<Box<str>>,
}
