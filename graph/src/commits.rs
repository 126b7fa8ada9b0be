//! Commits: their messages and the files and symbols that they touched, according to version
//! control.

use serde::{Deserialize, Serialize};

/// The data of one commit. It depends on the commit alone, so it is read once and stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitFacts {
    /// The commit id, in lower-case hex.
    pub id: Box<str>,
    /// The author time, in seconds since the Unix epoch.
    pub time: i64,
    /// The first line of the message. Here and in all following fields, credentials are masked.
    pub subject: Box<str>,
    /// The analyzed tokens of the first line ([`crate::analysis`]), separated by spaces.
    pub subject_tokens: Box<str>,
    /// The analyzed tokens of the rest of the message without trailers.
    pub body_tokens: Box<str>,
    /// The number of touched files, including files that are not source code; `u32::MAX` for a
    /// commit that is too large ([`CommitFacts::too_large`]).
    pub touched_count: u32,
    /// The touched files that are source code, sorted by path.
    pub files: Vec<TouchedFile>,
}

impl CommitFacts {
    /// Returns the data of a commit whose files are not read, because it touches too many. It has
    /// neither words nor files, so it contributes to no answer.
    pub fn too_large(id: &str, time: i64) -> Self {
        Self { id: id.into(), time, touched_count: u32::MAX, ..Self::default() }
    }

    /// Whether the files of the commit were not read, because it touches too many.
    pub fn is_too_large(&self) -> bool {
        self.touched_count == u32::MAX
    }
}

/// A source file that a commit touched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedFile {
    /// The path after the commit (before it, if the commit deletes the file), with `/` as the
    /// separator.
    pub path: Box<str>,
    /// The path before the commit, if the commit renamed the file.
    pub old_path: Option<Box<str>>,
    /// The declarations around the changed lines, each as dotted names from the outside in. They
    /// are guessed from the lines alone, without parsing, so a declaration of an inner name may not
    /// exist. Empty if the lines were not read.
    pub symbols: Vec<Box<str>>,
}
