//! Reads unified diffs, as `git diff` and `diff -u` print them.

use kenning_retrieval::ChangedFile;
use std::collections::BTreeMap;

/// The files that a diff changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The files with their changed lines after the diff, sorted by path, without files that the
    /// diff deletes.
    pub files: Vec<ChangedFile>,
    /// The text of the added lines.
    pub added_text: String,
}

/// A hunk that is being read.
struct HunkPosition {
    /// The next line of the new file, 1-based.
    line: u32,
    /// The number of lines of the old file that the hunk still has.
    old_lines: u32,
    /// The number of lines of the new file that the hunk still has.
    new_lines: u32,
}

/// A range of lines in the header of a hunk.
struct LineRange {
    /// The first line, 1-based; of an empty range, the line before it.
    start: u32,
    length: u32,
}

impl UnifiedDiff {
    /// Reads a diff. Ignores lines that belong to no hunk.
    pub fn parse(text: &str) -> Self {
        let mut files: BTreeMap<String, ChangedFile> = BTreeMap::new();
        let mut added_text = String::new();
        let (mut path, mut hunk): (Option<String>, Option<HunkPosition>) = (None, None);
        for line in text.lines() {
            if let Some(open) = hunk.as_mut().filter(|hunk| hunk.old_lines > 0 || hunk.new_lines > 0) {
                let file = path.as_ref().map(|path| file_entry(&mut files, path));
                if let Some(added) = open.read_line(line, file) {
                    added_text.push_str(added);
                    added_text.push('\n');
                }
            } else if let Some(name) = line.strip_prefix("+++ ") {
                path = parse_new_path(name);
            } else if let Some(header) = line.strip_prefix("@@ ") {
                hunk = HunkPosition::from_header(header);
            }
        }
        Self { files: files.into_values().collect(), added_text }
    }
}

fn file_entry<'a>(files: &'a mut BTreeMap<String, ChangedFile>, path: &str) -> &'a mut ChangedFile {
    files
        .entry(path.to_owned())
        .or_insert_with(|| ChangedFile { path: path.to_owned(), ..ChangedFile::default() })
}

impl HunkPosition {
    /// Reads `-12,3 +14,5 @@ ...`; a range without a length has one line.
    fn from_header(header: &str) -> Option<Self> {
        let mut ranges = header.split_whitespace();
        let old = parse_range(ranges.next()?.strip_prefix('-')?)?;
        let new = parse_range(ranges.next()?.strip_prefix('+')?)?;
        let line = if new.length == 0 { new.start.checked_add(1)? } else { new.start };
        Some(Self { line, old_lines: old.length, new_lines: new.length })
    }

    /// Reads a line of the hunk into the entry of its file. Returns the text of an added line.
    fn read_line<'a>(&mut self, line: &'a str, file: Option<&mut ChangedFile>) -> Option<&'a str> {
        if let Some(added) = line.strip_prefix('+') {
            if let Some(file) = file {
                // The line replaces the lines that were removed before it.
                file.removed_after.retain(|&after| after.saturating_add(1) != self.line);
                match file.lines.last_mut() {
                    Some((_, last)) if last.saturating_add(1) == self.line => *last = self.line,
                    _ => file.lines.push((self.line, self.line)),
                }
            }
            self.new_lines = self.new_lines.saturating_sub(1);
            self.line = self.line.saturating_add(1);
            return Some(added);
        }
        if line.starts_with('-') {
            if let Some(file) = file {
                let after = self.line.saturating_sub(1);
                let is_replaced = file.lines.last().is_some_and(|&(_, last)| last == after && after > 0);
                if !is_replaced && file.removed_after.last() != Some(&after) {
                    file.removed_after.push(after);
                }
            }
            self.old_lines = self.old_lines.saturating_sub(1);
        } else if !line.starts_with('\\') {
            // A line of context. Some tools strip the space of an empty one.
            self.old_lines = self.old_lines.saturating_sub(1);
            self.new_lines = self.new_lines.saturating_sub(1);
            self.line = self.line.saturating_add(1);
        }
        None
    }
}

fn parse_range(text: &str) -> Option<LineRange> {
    let (start, length) = text.split_once(',').unwrap_or((text, "1"));
    Some(LineRange { start: start.parse().ok()?, length: length.parse().ok()? })
}

/// Returns the path of the new file in a header, without git's prefix `b/` and without the time
/// that `diff` adds; `None` for a deleted file.
fn parse_new_path(header: &str) -> Option<String> {
    let name = match header.strip_prefix('"').and_then(|quoted| quoted.rsplit_once('"')) {
        Some((quoted, _)) => unescape_path(quoted),
        None => header.split('\t').next().unwrap_or(header).trim_end().to_owned(),
    };
    if name == "/dev/null" || name.is_empty() {
        return None;
    }
    Some(name.strip_prefix("b/").unwrap_or(&name).to_owned())
}

/// Decodes a path that git quoted in the style of C.
fn unescape_path(quoted: &str) -> String {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|digit| (b'0'..=b'7').contains(digit)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(text: &str, expect: Expect) {
        let diff = UnifiedDiff::parse(text);
        let mut out = String::new();
        for file in &diff.files {
            writeln!(out, "{} {:?} removed after {:?}", file.path, file.lines, file.removed_after).unwrap();
        }
        write!(out, "{}", diff.added_text).unwrap();
        expect.assert_eq(&out);
    }

    #[test]
    fn changed_and_removed_lines_are_those_of_the_new_file() {
        check(
            "diff --git a/app.py b/app.py\nindex 1..2 100644\n--- a/app.py\n+++ b/app.py\n\
             @@ -1,5 +1,5 @@ class Cart\n a\n-b\n+B\n+BB\n c\n-d\n e\n\
             @@ -20 +20,0 @@\n-gone\n\
             --- a/old.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n\
             --- /dev/null\n+++ \"b/gr\\303\\266\\303\\237e.py\"\n@@ -0,0 +1,2 @@\n+new\n++++ more\n",
            expect![[r#"
                app.py [(2, 3)] removed after [4, 20]
                größe.py [(1, 2)] removed after []
                B
                BB
                new
                +++ more
            "#]],
        );
    }

    #[test]
    fn any_text_is_read_without_failing() {
        for text in [
            "",
            "hello",
            "@@ -1 +1 @@\n+x",
            "+++ b/a\n@@ -4294967295,9 +4294967295,9 @@\n+a\n+b\n c\n-d",
            "+++ \"b/\\",
            "+++ b/a\n@@ -0,0 +4294967295,0 @@\n-x",
            "+++ \n@@ x",
        ] {
            UnifiedDiff::parse(text);
        }
    }
}
