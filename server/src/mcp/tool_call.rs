//! A running call of a tool: it waits for the index, runs commands of the session, and describes
//! how current the answer is.
//!
//! A call first runs `kenning.waitForIndex`. Without an index, it fails with the progress of the
//! indexing and the time after which to ask again. Otherwise it runs a command of the session and
//! returns the command's text, with a note on its freshness.

use super::page_memory::PageMemory;
use crate::freshness::Freshness;
use crate::session_link::{CommandError, SessionLink};
use lsp_types::Uri;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Maximum time that a call waits for the index. Clients give up a call after about a minute.
const INDEX_LIMIT: Duration = Duration::from_secs(25);

/// Number of hex digits of a commit that identify it to a reader.
const COMMIT_DIGITS: usize = 10;

/// The context of a call.
#[derive(Clone)]
pub struct ToolCall {
    /// The session that answers.
    pub link: Arc<SessionLink>,
    /// The pages of recent packs.
    pub pages: Arc<PageMemory>,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// The answer, with the same bytes as on the command line.
    pub text: String,
    /// One or two lines on the age of the answer and on the next page.
    pub note: String,
    /// The same answer as data.
    pub data: Value,
}

/// The reason why a call has no answer, for the agent to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    /// The arguments do not fit.
    #[error("{0}")]
    BadArguments(String),
    /// A command has no answer.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The workspace is being indexed for the first time.
    #[error("Kenning is still indexing this workspace: {}. Ask again in {retry_after} s, and go on with other work meanwhile.", describe_progress(*.done, *.total))]
    StillIndexing {
        /// Number of files that are done.
        done: usize,
        /// Number of files; 0 if it is not known yet.
        total: usize,
        /// Seconds after which it is worth asking again.
        retry_after: u64,
    },
}

fn describe_progress(done: usize, total: usize) -> String {
    if total == 0 {
        "it is listing the files".to_owned()
    } else {
        format!("{done} of {total} files are done")
    }
}

impl ToolCall {
    /// Waits until the index includes the state of the disk, so that answers reflect the last edit.
    /// Returns the state of the index.
    ///
    /// # Errors
    /// Returns `StillIndexing` if there is no index yet.
    pub async fn wait_for_index(&self) -> Result<Freshness, ToolFailure> {
        let limit = u64::try_from(INDEX_LIMIT.as_millis()).unwrap_or(u64::MAX);
        let readiness = self.link.run_command("kenning.waitForIndex", json!({ "limitMs": limit })).await?;
        // An index that misses the last changes still answers, and its freshness reports them.
        if let Some(freshness) = read_freshness(&readiness).filter(|state| state.indexed_at.is_some()) {
            let disk_check_pending = freshness.disk_check_pending || readiness["ready"] != true;
            return Ok(Freshness { disk_check_pending, ..freshness });
        }
        let count = |field: &str| readiness[field].as_u64().map_or(0, |count| count as usize);
        let (done, total) = (count("doneFiles"), count("totalFiles"));
        Err(ToolFailure::StillIndexing { done, total, retry_after: estimate_wait(done, total) })
    }

    /// Waits for the index, runs a command, and builds the answer from its result.
    ///
    /// # Errors
    /// Returns `StillIndexing` if there is no index yet, and the error of the command.
    pub async fn answer_by_command(
        &self,
        command: &str,
        arguments: Value,
    ) -> Result<ToolAnswer, ToolFailure> {
        let freshness = self.wait_for_index().await?;
        ToolAnswer::from_command(self.link.run_command(command, arguments).await?, &freshness)
    }

    /// Returns the URI of a file.
    ///
    /// # Errors
    /// Returns an error if the path cannot be written as a URI.
    pub fn file_uri(&self, path: &str) -> Result<String, ToolFailure> {
        let uri = Uri::from_file_path(self.link.root_path().join(path));
        let uri = uri.ok_or_else(|| ToolFailure::BadArguments(format!("files: {path:?} is not a path")))?;
        Ok(uri.as_str().to_owned())
    }

    /// Returns the URIs of files.
    ///
    /// # Errors
    /// Returns an error if a path cannot be written as a URI.
    pub fn file_uris(&self, paths: &[String]) -> Result<Vec<String>, ToolFailure> {
        paths.iter().map(|path| self.file_uri(path)).collect()
    }
}

/// Estimates the number of seconds until the indexing is done, at the rate at which it proceeded
/// while the call waited.
fn estimate_wait(done: usize, total: usize) -> u64 {
    let waited = INDEX_LIMIT.as_secs();
    match (done, total.saturating_sub(done)) {
        (0, _) => waited,
        (done, rest) => (waited * rest as u64 / done as u64).clamp(2, 120),
    }
}

impl ToolAnswer {
    /// Builds the answer from the result of a command: its field `text` becomes the text, and the
    /// rest the data. `freshness` is the state of the index before the command. It counts if the
    /// result has none.
    ///
    /// # Errors
    /// Returns an error if the answer has no text, which a session of another version may send.
    pub fn from_command(mut data: Value, freshness: &Freshness) -> Result<Self, ToolFailure> {
        let text = data.as_object_mut().and_then(|fields| fields.shift_remove("text"));
        let Some(Value::String(text)) = text else {
            let reason = "the session is of another version of Kenning; restart the editor or the agent";
            return Err(CommandError::NoSession(reason.to_owned()).into());
        };
        let mut shown = read_freshness(&data).unwrap_or_else(|| freshness.clone());
        shown.disk_check_pending |= freshness.disk_check_pending;
        let note = describe_freshness(&shown);
        Ok(Self { text, note, data })
    }

    /// Adds a line to the note.
    pub fn add_note(&mut self, line: &str) {
        self.note.push('\n');
        self.note.push_str(line);
    }
}

/// Returns the freshness in the answer of a command; `None` if it has none.
fn read_freshness(data: &Value) -> Option<Freshness> {
    data.get("freshness").and_then(|freshness| Freshness::deserialize(freshness).ok())
}

/// Formats the freshness of an answer as one line.
pub fn describe_freshness(freshness: &Freshness) -> String {
    let Some(time) = &freshness.indexed_at else { return "Not indexed yet.".to_owned() };
    let commit = freshness
        .head
        .as_deref()
        .map_or_else(String::new, |head| format!(" at commit {}", head.get(..COMMIT_DIGITS).unwrap_or(head)));
    let missing = freshness.render_line().unwrap_or_else(|| "up to date".to_owned());
    format!("Index of {time}{commit}: {missing}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_command_is_the_text_of_the_answer() {
        let command = json!({ "text": "# Pack\n", "pack_root": "ab", "freshness": { "indexed_at": "T", "head": "0123456789abcdef" } });
        let answer = ToolAnswer::from_command(command, &Freshness::default()).unwrap();
        assert_eq!(answer.text, "# Pack\n");
        assert_eq!(answer.note, "Index of T at commit 0123456789: up to date.");
        assert!(answer.data.get("text").is_none());
        let freshness = Freshness { indexed_at: Some("U".into()), ..Freshness::default() };
        let explained = ToolAnswer::from_command(json!({ "text": "# Why\n" }), &freshness).unwrap();
        assert_eq!(explained.note, "Index of U: up to date.");
        let unchecked = Freshness { disk_check_pending: true, ..freshness.clone() };
        let early =
            ToolAnswer::from_command(json!({ "text": "", "freshness": { "indexed_at": "T" } }), &unchecked);
        assert_eq!(early.unwrap().note, "Index of T: still checking the disk for changes.");
        assert!(ToolAnswer::from_command(json!({ "pack_root": "ab" }), &freshness).is_err());
    }

    #[test]
    fn the_note_names_the_changes_that_an_answer_misses() {
        let freshness = Freshness { indexed_at: Some("T".into()), pending_files: 2, ..Freshness::default() };
        assert_eq!(describe_freshness(&freshness), "Index of T: 2 files not indexed yet.");
        assert_eq!(describe_freshness(&Freshness::default()), "Not indexed yet.");
    }

    #[test]
    fn an_unfinished_index_says_when_to_ask_again() {
        assert_eq!(estimate_wait(0, 0), 25);
        assert_eq!(estimate_wait(500, 1000), 25);
        assert_eq!(estimate_wait(999, 1000), 2);
        let failure = ToolFailure::StillIndexing { done: 500, total: 1000, retry_after: 25 };
        assert_eq!(
            failure.to_string(),
            "Kenning is still indexing this workspace: 500 of 1000 files are done. Ask again in 25 s, and go on with other work meanwhile."
        );
    }
}
