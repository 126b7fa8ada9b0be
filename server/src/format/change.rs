//! A change as JSON and as Markdown.
//!
//! In: the files that changed since a commit, with their line ranges and removed names. Out: a
//! [`ChangeJson`], and a section that lists the files. JSON has everything; the Markdown form
//! limits its lists and says how much it leaves out.

use crate::change::WorkspaceChange;
use kenning_indexing::git::{ChangeStatus, ChangedFile};
use kenning_retrieval::pack::code_span;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;

/// The maximum number of files in the Markdown form. A long-lived branch changes thousands.
const MAX_LISTED: usize = 50;

/// The maximum number of line ranges, and of removed names, per file in the Markdown form. A
/// reformatted file has hundreds of ranges.
const MAX_RANGES: usize = 8;

/// Everything that changed since a commit: commits, index, working tree, untracked files and
/// unsaved text together.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub struct ChangeJson {
    /// The base revision of the change, as the request named it or as Kenning chose it.
    base: String,
    /// The merge base of that revision and the checked-out commit; null before the first commit.
    merge_base: Option<String>,
    /// The changed files, by path.
    files: Vec<ChangedFileJson>,
    /// True if uses of removed names are missing, or may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed_truncated: bool,
}

/// A changed file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChangedFile")]
struct ChangedFileJson {
    /// The path in the workspace, with `/` as the separator; a deleted file has its former path.
    path: String,
    /// The kind of change: `added`, `modified`, `deleted` or `renamed`.
    status: &'static str,
    /// The former path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    /// True if the file is not text; its lines are not compared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    /// Ranges of added and changed lines, as first and last line, 1-based.
    lines: Vec<[u32; 2]>,
    /// Lines after which lines were only removed, 1-based; 0 is before the first line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed_after: Vec<u32>,
    /// Names inside the file (`Class.method`) that it no longer declares; the symbols that used
    /// them count as changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
}

impl ChangeJson {
    /// Builds the JSON form.
    pub fn new(change: &WorkspaceChange) -> Self {
        let changes = &change.change_set;
        let file = |file: &ChangedFile| ChangedFileJson {
            path: file.path.clone(),
            status: file.status.as_str(),
            old_path: file.old_path.clone(),
            binary: file.binary,
            lines: file.lines.iter().map(|&(first, last)| [first, last]).collect(),
            removed_after: file.removed_after.clone(),
            removed: file.removed.clone(),
        };
        Self {
            base: changes.base.clone(),
            merge_base: changes.merge_base.clone(),
            files: changes.files.iter().map(file).collect(),
            removed_truncated: !change.dangling.is_complete,
        }
    }
}

/// Renders the Markdown form: a section that lists the files.
pub fn render_change(change: &WorkspaceChange) -> String {
    let changes = &change.change_set;
    let mut out = String::from("\n## Changed files\n\n");
    let since = match &changes.merge_base {
        Some(commit) => {
            format!("Since {} (commit {})", code_span(&changes.base), commit.get(..12).unwrap_or(commit))
        }
        None => "Before the first commit".to_owned(),
    };
    let _ = match changes.files.len() {
        0 => writeln!(out, "{since}: no changes."),
        1 => writeln!(out, "{since}: 1 file.\n"),
        n => writeln!(out, "{since}: {n} files.\n"),
    };
    for file in changes.files.iter().take(MAX_LISTED) {
        let _ = write!(out, "- {} {}", file.status.as_str(), code_span(&file.path));
        if let Some(old) = &file.old_path {
            let _ = write!(out, " from {}", code_span(old));
        }
        if file.status == ChangeStatus::Modified || file.status == ChangeStatus::Renamed {
            out.push_str(&render_ranges(file));
        }
        out.push_str(&render_removed(file));
        out.push('\n');
    }
    if let Some(more) = changes.files.len().checked_sub(MAX_LISTED).filter(|&more| more > 0) {
        let _ = writeln!(out, "- … and {more} more");
    }
    if !change.dangling.is_complete {
        out.push_str("\nSome uses of removed definitions may be missing.\n");
    }
    out
}

/// Renders the removed names of a file; an empty string if there are none.
fn render_removed(file: &ChangedFile) -> String {
    let names: Vec<String> = file.removed.iter().take(MAX_RANGES).map(|name| code_span(name)).collect();
    match (names.is_empty(), file.removed.len() - names.len()) {
        (true, _) => String::new(),
        (false, 0) => format!("; removes {}", names.join(", ")),
        (false, more) => format!("; removes {} and {more} more", names.join(", ")),
    }
}

fn render_ranges(file: &ChangedFile) -> String {
    let range = |&(first, last): &(u32, u32)| {
        let text = if first == last { first.to_string() } else { format!("{first}-{last}") };
        (first, text)
    };
    let removed = |&line: &u32| (line, format!("removed after {line}"));
    let mut all: Vec<(u32, String)> =
        file.lines.iter().map(range).chain(file.removed_after.iter().map(removed)).collect();
    all.sort();
    let more = all.len().saturating_sub(MAX_RANGES);
    let texts: Vec<String> = all.into_iter().take(MAX_RANGES).map(|(_, text)| text).collect();
    match (texts.is_empty(), more) {
        (true, _) if file.binary => ": binary".to_owned(),
        (true, _) => String::new(),
        (false, 0) => format!(": lines {}", texts.join(", ")),
        (false, more) => format!(": lines {} and {more} more", texts.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use kenning_indexing::git::ChangeSet;
    use kenning_indexing::workspace::DanglingUses;

    fn file(path: &str, status: ChangeStatus, lines: &[(u32, u32)], removed_after: &[u32]) -> ChangedFile {
        let (lines, removed_after) = (lines.to_vec(), removed_after.to_vec());
        ChangedFile { path: path.into(), status, lines, removed_after, ..ChangedFile::default() }
    }

    fn changes(files: Vec<ChangedFile>) -> WorkspaceChange {
        let (base, merge_base) = ("origin/main".into(), Some("0123456789abcdef".into()));
        let change_set = ChangeSet { base, merge_base, files, removed_truncated: false };
        WorkspaceChange { change_set, dangling: DanglingUses { users: Vec::new(), is_complete: true } }
    }

    #[test]
    fn the_text_lists_files_with_their_lines() {
        let moved = ChangedFile {
            old_path: Some("old.py".into()),
            ..file("new.py", ChangeStatus::Renamed, &[(3, 3)], &[])
        };
        let binary = ChangedFile { binary: true, ..file("a.png", ChangeStatus::Modified, &[], &[]) };
        let many: Vec<_> = (0..12).map(|n| (n * 3 + 1, n * 3 + 1)).collect();
        let files = vec![
            file("app.py", ChangeStatus::Modified, &[(9, 12), (2, 2)], &[5]),
            file("b`c.py", ChangeStatus::Added, &[(1, 40)], &[]),
            ChangedFile {
                removed: vec!["a".into(), "B.c".into()],
                ..file("gone.py", ChangeStatus::Deleted, &[], &[])
            },
            file("many.py", ChangeStatus::Modified, &many, &[]),
            moved,
            binary,
        ];
        expect![[r#"

            ## Changed files

            Since `origin/main` (commit 0123456789ab): 6 files.

            - modified `app.py`: lines 2, removed after 5, 9-12
            - added `` b`c.py ``
            - deleted `gone.py`; removes `a`, `B.c`
            - modified `many.py`: lines 1, 4, 7, 10, 13, 16, 19, 22 and 4 more
            - renamed `new.py` from `old.py`: lines 3
            - modified `a.png`: binary
        "#]]
        .assert_eq(&render_change(&changes(files)));
        assert!(render_change(&changes(vec![])).contains("(commit 0123456789ab): no changes."));
        let many = (0..60).map(|n| file(&format!("{n}.py"), ChangeStatus::Added, &[], &[])).collect();
        let mut many = changes(many);
        assert!(render_change(&many).ends_with("- … and 10 more\n"));
        many.dangling.is_complete = false;
        assert!(render_change(&many).ends_with("\nSome uses of removed definitions may be missing.\n"));
    }
}
