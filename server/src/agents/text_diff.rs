//! Shows planned changes as a unified diff.

use super::file_changes::FileChange;
use similar::TextDiff;
use std::fmt::Write;

/// Renders the changes of files as one unified diff.
pub fn render_diff(changes: &[FileChange]) -> String {
    let mut out = String::new();
    for change in changes {
        let path = change.path.display().to_string();
        let name = |text: &Option<String>| if text.is_some() { path.as_str() } else { "/dev/null" };
        let (before, after) = (change.before.as_deref(), change.after.as_deref());
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        let mut unified = diff.unified_diff();
        let _ =
            write!(out, "{}", unified.context_radius(3).header(name(&change.before), name(&change.after)));
    }
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
        ];
        expect![[r#"
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
        "#]]
        .assert_eq(&render_diff(&changes));
    }
}
