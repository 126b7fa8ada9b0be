//! A running call of a tool: it waits for the index, runs commands of the session, and describes
//! how current the answer is.
//!
//! A call first runs `kenning.waitForIndex`. Without an index, it fails with the progress of the
//! indexing and the time after which to ask again. Otherwise it runs a command of the session and
//! returns the command's text, with a note on its freshness.

use super::page_memory::PageMemory;
use crate::format::answer_pages::{DEFAULT_BUDGET, MIN_BUDGET, divide_into_pages, largest_fitting};
use crate::format::wording::render_quantity;
use crate::freshness::Freshness;
use crate::session_link::{CommandError, SessionLink};
use crate::written_position::without_position;
use kenning_retrieval::pack::count_tokens;
use lsp_types::Uri;
use serde::Deserialize;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
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

    /// Waits for the index, runs a command, and builds the requested page of the answer.
    ///
    /// # Errors
    /// Returns `StillIndexing` if there is no index yet, `BadArguments` if the answer has fewer
    /// pages, and the error of the command.
    pub async fn answer_by_command(
        &self,
        command: &str,
        arguments: Value,
        page: PageRequest,
    ) -> Result<ToolAnswer, ToolFailure> {
        let freshness = self.wait_for_index().await?;
        let answer = ToolAnswer::from_command(self.link.run_command(command, arguments).await?, &freshness)?;
        answer.into_page(page)
    }

    /// Returns the URI of a file.
    ///
    /// # Errors
    /// Returns an error if the path cannot be written as a URI.
    pub fn file_uri(&self, path: &str) -> Result<String, ToolFailure> {
        let root = self.link.root_path();
        let path = without_position(path, |path| root.join(path).exists());
        let uri = Uri::from_file_path(root.join(path));
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

/// The part of an answer that a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// Maximum size of a page in tokens.
    budget: usize,
    /// The number of the page, from 1.
    number: usize,
}

impl PageRequest {
    /// Builds the request from the arguments of a call.
    ///
    /// # Errors
    /// Returns `BadArguments` if the budget is below [`MIN_BUDGET`].
    pub fn new(budget: Option<NonZeroUsize>, page: Option<NonZeroUsize>) -> Result<Self, ToolFailure> {
        let budget = budget.map_or(DEFAULT_BUDGET, NonZeroUsize::get);
        if budget < MIN_BUDGET {
            let problem = format!("budget: must be at least {MIN_BUDGET} tokens, not {budget}");
            return Err(ToolFailure::BadArguments(problem));
        }
        Ok(Self { budget, number: page.map_or(1, NonZeroUsize::get) })
    }
}

/// Shortens all lists of an answer to the same number of items, the largest with which the answer
/// fits the budget, and adds `left_out`: the number of items that are missing.
fn shorten_lists(data: Value, budget: usize) -> Value {
    let cut_to = |longest: usize| {
        let mut shortened = data.clone();
        let left_out = cut_lists(&mut shortened, longest);
        if let Some(fields) = shortened.as_object_mut().filter(|_| left_out > 0) {
            fields.insert("left_out".to_owned(), json!(left_out));
        }
        shortened
    };
    let longest =
        largest_fitting(longest_list(&data), |longest| count_tokens(&cut_to(longest).to_string()) <= budget);
    cut_to(longest)
}

/// Returns the length of the longest list in a value.
fn longest_list(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest_list).max().unwrap_or(0).max(items.len()),
        Value::Object(fields) => fields.values().map(longest_list).max().unwrap_or(0),
        _ => 0,
    }
}

/// Shortens all lists in a value to a number of items, and returns the number of dropped items.
fn cut_lists(value: &mut Value, longest: usize) -> usize {
    match value {
        Value::Array(items) => {
            let dropped = items.len().saturating_sub(longest);
            items.truncate(longest);
            dropped + items.iter_mut().map(|item| cut_lists(item, longest)).sum::<usize>()
        }
        Value::Object(fields) => fields.values_mut().map(|field| cut_lists(field, longest)).sum(),
        _ => 0,
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

    /// Returns one page of the answer. The note says how many there are. If the text has several
    /// pages, the lists of the data are shortened to the same budget.
    ///
    /// # Errors
    /// Returns `BadArguments` if there is no such page.
    pub fn into_page(mut self, request: PageRequest) -> Result<Self, ToolFailure> {
        let PageRequest { budget, number } = request;
        let mut pages = divide_into_pages(&self.text, budget);
        let count = pages.len();
        if number > count {
            let problem =
                format!("page: {number} does not exist; the answer has {}", render_quantity(count, "page"));
            return Err(ToolFailure::BadArguments(problem));
        }
        self.text = pages.swap_remove(number - 1);
        if count > 1 {
            self.data = shorten_lists(self.data, budget);
            let next =
                if number < count { format!("; page={} shows the next", number + 1) } else { String::new() };
            self.add_note(&format!("Page {number} of {count}{next}."));
        }
        Ok(self)
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
    fn a_page_of_an_answer_has_its_part_of_the_text_and_of_the_data() {
        let items: Vec<String> = (0..400).map(|at| format!("item number {at}")).collect();
        let text = format!("- {}\n", items.join("\n- "));
        let answer = ToolAnswer {
            text: text.clone(),
            note: "Index of T: up to date.".to_owned(),
            data: json!({ "items": items, "few": [1, 2] }),
        };
        let page = |number| {
            let page = PageRequest::new(NonZeroUsize::new(500), NonZeroUsize::new(number)).unwrap();
            answer.clone().into_page(page)
        };
        let first = page(1).unwrap();
        assert!(count_tokens(&first.text) <= 500 && first.text.starts_with("- item number 0\n"));
        assert!(count_tokens(&first.data.to_string()) <= 500, "{}", first.data);
        let kept = first.data["items"].as_array().unwrap().len();
        assert_eq!(first.data["left_out"], 400 - kept);
        assert_eq!(first.data["few"], json!([1, 2]));
        let last = first.note.split("Page 1 of ").nth(1).unwrap().split(';').next().unwrap();
        assert_eq!(first.note, format!("Index of T: up to date.\nPage 1 of {last}; page=2 shows the next."));
        let last: usize = last.parse().unwrap();
        assert!(page(last).unwrap().note.ends_with(&format!("\nPage {last} of {last}.")));
        let problem = page(last + 1).unwrap_err().to_string();
        assert_eq!(problem, format!("page: {} does not exist; the answer has {last} pages", last + 1));
        let whole = answer.clone().into_page(PageRequest::new(None, None).unwrap()).unwrap();
        assert_eq!(whole, answer);
        assert!(PageRequest::new(NonZeroUsize::new(199), None).is_err());
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
