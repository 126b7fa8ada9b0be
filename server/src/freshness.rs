//! The freshness of an answer: the envelope that is part of every pack.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// The state that an answer is based on, and the parts that it does not include yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Freshness {
    /// The time at which the revision was indexed, RFC 3339; null before the first index.
    pub indexed_at: Option<String>,
    /// The git commit that was checked out at that time; null without a repository or a commit.
    pub head: Option<String>,
    /// The number of files whose latest text is not in the answer yet, or that refer to something
    /// that the latest edits changed.
    pub pending_files: usize,
    /// Whether a check of the disk is pending: files may have changed that the answer does not
    /// include.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disk_check_pending: bool,
    /// The number of open files whose unsaved text is in the answer.
    pub unsaved_files: usize,
    /// The number of open files whose unsaved text has syntax errors. Definitions near an error may
    /// be missing.
    #[serde(skip_serializing_if = "is_zero")]
    pub broken_files: usize,
    /// The number of open files whose edits the server could not apply. The answer uses their text
    /// on disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub desynchronized_files: usize,
    /// The number of open files that have unsaved changes and are too large to be parsed on every
    /// edit. The answer uses their text on disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub large_files: usize,
    /// Whether commits of the repository are still to be read, so that the answer is ranked without
    /// them: without similar earlier commits, the age of changes, and the files that changed
    /// together.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub history_pending: bool,
    /// Whether the vectors of the model in `vectors.model` are still being computed, so that the
    /// answer uses words alone where it would also use meaning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vectors_pending: bool,
    /// The language servers that confirm edges.
    pub servers: Vec<ServerFreshness>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The contribution of one language server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerFreshness {
    /// The server's name in the registry.
    pub name: String,
    /// The server's state.
    pub state: String,
    /// The number of edges that the server confirmed in this revision.
    pub confirmed_edges: usize,
}

impl Freshness {
    /// Whether numbers of the answer may change without an edit, because some text is not indexed
    /// yet or has syntax errors.
    pub fn is_unsettled(&self) -> bool {
        self.pending_files + self.broken_files > 0
    }

    /// Formats the freshness as one line for people; `None` if there is nothing to report.
    pub fn render_line(&self) -> Option<String> {
        let files = |count: usize, state: &str| match count {
            0 => None,
            1 => Some(format!("1 file {state}")),
            _ => Some(format!("{count} files {state}")),
        };
        let mut parts: Vec<String> = [
            files(self.pending_files, "not indexed yet"),
            files(self.unsaved_files, "with unsaved changes"),
            files(self.broken_files, "with syntax errors (nearby definitions may be missing)"),
            files(self.desynchronized_files, "read from disk because edits were lost"),
            files(self.large_files, "larger than 1 MiB with unsaved changes, read from disk until saved"),
        ]
        .into_iter()
        .flatten()
        .collect();
        parts.extend(self.disk_check_pending.then(|| "still checking the disk for changes".to_owned()));
        parts.extend(self.history_pending.then(|| "commits not read yet".to_owned()));
        parts.extend(self.vectors_pending.then(|| "vectors not computed yet".to_owned()));
        let is_loading = |server: &&ServerFreshness| matches!(server.state.as_str(), "starting" | "loading");
        parts.extend(
            self.servers.iter().filter(is_loading).map(|server| format!("{} still loading", server.name)),
        );
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Formats a time as RFC 3339 in UTC with whole seconds; `None` for times that the format cannot
/// represent.
pub fn format_rfc3339(time: SystemTime) -> Option<String> {
    let timestamp = Timestamp::try_from(time).ok()?;
    Timestamp::from_second(timestamp.as_second()).ok().map(|timestamp| timestamp.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_settled_answer_has_no_freshness_line() {
        assert_eq!(Freshness { head: Some("abc".into()), ..Freshness::default() }.render_line(), None);
    }

    #[test]
    fn unsettled_parts_are_reported_in_one_line() {
        let server = |name: &str, state: &str| ServerFreshness {
            name: name.into(),
            state: state.into(),
            confirmed_edges: 0,
        };
        let freshness = Freshness {
            pending_files: 1,
            unsaved_files: 2,
            disk_check_pending: true,
            history_pending: true,
            vectors_pending: true,
            servers: vec![server("gopls", "ready"), server("pyright", "loading")],
            ..Freshness::default()
        };
        assert_eq!(
            freshness.render_line().unwrap(),
            "1 file not indexed yet, 2 files with unsaved changes, still checking the disk for changes, commits not read yet, vectors not computed yet, pyright still loading"
        );
    }

    #[test]
    fn times_are_rfc_3339_in_whole_seconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_999);
        assert_eq!(format_rfc3339(time).unwrap(), "2023-11-14T22:13:20Z");
    }
}
