//! How true an answer is: the envelope that goes with every pack.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::SystemTime;

/// What the answer rests on, and what it does not know yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Freshness {
    /// When the revision was indexed, RFC 3339; null before the first index.
    pub indexed_at: Option<String>,
    /// The git commit that was checked out then; null without a repository or a commit.
    pub head: Option<String>,
    /// Files whose latest text, or what the latest edits made of what they refer to, is not in the answer yet.
    pub pending_files: usize,
    /// A check of the disk is running; files may have changed that the answer does not know.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disk_check_pending: bool,
    /// Open files whose unsaved text is in the answer.
    pub unsaved_files: usize,
    /// Open files whose unsaved text does not parse as it stands; definitions near the error may be missing.
    #[serde(skip_serializing_if = "is_zero")]
    pub broken_files: usize,
    /// Open files whose edits could not be followed; the answer rests on their text on disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub desynchronised_files: usize,
    /// Open files that are too large to be parsed on every edit and have unsaved changes; the answer rests on their text on disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub large_files: usize,
    /// Language servers that confirm edges.
    pub servers: Vec<ServerFreshness>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What one language server contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerFreshness {
    /// Name in the registry.
    pub name: String,
    /// Life stage.
    pub state: String,
    /// Edges it confirmed in this revision.
    pub confirmed_edges: usize,
}

impl Freshness {
    /// Whether numbers of the answer may change by themselves: text is missing in it, or cannot be read as it stands.
    pub fn is_unsettled(&self) -> bool {
        self.pending_files + self.broken_files > 0
    }

    /// One line for people, or nothing when there is nothing to say.
    pub fn render_line(&self) -> Option<String> {
        let files = |n: usize, what: &str| match n {
            0 => None,
            1 => Some(format!("1 file {what}")),
            n => Some(format!("{n} files {what}")),
        };
        let mut parts: Vec<String> = [
            files(self.pending_files, "not indexed yet"),
            files(self.unsaved_files, "with unsaved changes"),
            files(self.broken_files, "with syntax errors, near which definitions may be missing"),
            files(self.desynchronised_files, "read from disk because its edits could not be followed"),
            files(self.large_files, "larger than 1 MiB with unsaved changes, read from disk until saved"),
        ]
        .into_iter()
        .flatten()
        .collect();
        parts.extend(self.disk_check_pending.then(|| "the disk is still being looked at".to_owned()));
        let loading = |server: &&ServerFreshness| matches!(server.state.as_str(), "starting" | "loading");
        parts.extend(self.servers.iter().filter(loading).map(|s| format!("{} still loading", s.name)));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// RFC 3339 in UTC with seconds; `None` for times that the format cannot hold.
pub fn format_rfc3339(time: SystemTime) -> Option<String> {
    let timestamp = Timestamp::try_from(time).ok()?;
    Timestamp::from_second(timestamp.as_second()).ok().map(|t| t.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_settled_answer_says_nothing() {
        assert_eq!(Freshness { head: Some("abc".into()), ..Freshness::default() }.render_line(), None);
    }

    #[test]
    fn whatever_is_unsettled_is_said_in_one_line() {
        let server = |name: &str, state: &str| ServerFreshness {
            name: name.into(),
            state: state.into(),
            confirmed_edges: 0,
        };
        let freshness = Freshness {
            pending_files: 1,
            unsaved_files: 2,
            disk_check_pending: true,
            servers: vec![server("gopls", "ready"), server("pyright", "loading")],
            ..Freshness::default()
        };
        assert_eq!(
            freshness.render_line().unwrap(),
            "1 file not indexed yet, 2 files with unsaved changes, the disk is still being looked at, pyright still loading"
        );
    }

    #[test]
    fn times_are_rfc_3339_in_whole_seconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_999);
        assert_eq!(format_rfc3339(time).unwrap(), "2023-11-14T22:13:20Z");
    }
}
