//! Shows planned changes as a unified diff.

use super::file_changes::FileChange;
use crate::format::wording::render_quantity;
use similar::TextDiff;
use std::fmt::Write;

/// Renders the changes of files: a list of the files, then one unified diff. Several clients read the
/// same skill, so a new file with the text of an earlier one only names it.
pub fn render_diff(changes: &[FileChange]) -> String {
    let mut out = render_summary(changes);
    for (at, change) in changes.iter().enumerate() {
        let path = change.path.display().to_string();
        let name = |text: &Option<String>| if text.is_some() { path.as_str() } else { "/dev/null" };
        let is_copy = |other: &&FileChange| other.before.is_none() && other.after == change.after;
        let original = changes[..at].iter().find(is_copy).filter(|_| change.before.is_none());
        if let Some(original) = original {
            let _ = writeln!(out, "--- /dev/null\n+++ {path}\nThe same text as {}.", original.path.display());
            continue;
        }
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        let mut unified = diff.unified_diff();
        let _ =
            write!(out, "{}", unified.context_radius(3).header(name(&change.before), name(&change.after)));
    }
    out
}

/// Renders the list of files with what happens to each; empty if there are none.
fn render_summary(changes: &[FileChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut out = format!("Changes {}:\n", render_quantity(changes.len(), "file"));
    for change in changes {
        let action = match (&change.before, &change.after) {
            (None, _) => "new",
            (_, None) => "removed",
            _ => "changed",
        };
        let _ = writeln!(out, "  {action:<8} {}", change.path.display());
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn new_changed_and_removed_files_are_shown() {
        let change = |before: Option<&str>, after: Option<&str>| FileChange {
            path: "f.json".into(),
            root: None,
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            new_folders: Vec::new(),
        };
        let changes = [
            change(None, Some("{}\n")),
            change(Some("a\nb\nc\n"), Some("a\nB\nc\n")),
            change(Some("x"), None),
            change(None, Some("{}\n")),
        ];
        expect![[r#"
            Changes 4 files:
              new      f.json
              changed  f.json
              removed  f.json
              new      f.json

            --- /dev/null
            +++ f.json
            @@ -0,0 +1 @@
            +{}
            --- f.json
            +++ f.json
            @@ -1,3 +1,3 @@
             a
            -b
            +B
             c
            --- f.json
            +++ /dev/null
            @@ -1 +0,0 @@
            -x
            \ No newline at end of file
            --- /dev/null
            +++ f.json
            The same text as f.json.
        "#]]
        .assert_eq(&render_diff(&changes));
    }
}
