//! Finds the code locations that a text names (`path/to/file.ext:line`, stack frames, links to
//! lines, plain file paths), and resolves them to files and symbols.
//!
//! [`scan_locations`] reads a text word by word and returns the locations as written, whether or
//! not they exist. [`files_for_path`] finds the files of the graph that a written path refers to, and
//! [`enclosing_symbol`] finds the symbol around a line.

use kenning_graph::{FileId, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;

/// Maximum number of locations from one text. The deeper a stack frame, the less it helps.
const MAX_LOCATIONS: usize = 40;

/// Maximum length of a written location in bytes. A minified line or a base64 blob is one longer
/// word.
const MAX_LOCATION_BYTES: usize = 1024;

/// Maximum number of files that a path may refer to. A bare `index.ts` or `mod.rs` is the name of
/// hundreds of files.
const MAX_FILES: usize = 3;

/// A file that a text names, perhaps with a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedLocation {
    /// The path as written, with `/` as the separator.
    pub path: String,
    /// 1-based line, if the text names one.
    pub line: Option<u32>,
}

/// Returns the extensions of a snapshot's files, in lower case.
pub(crate) fn file_extensions(snapshot: &Snapshot) -> FxHashSet<String> {
    let paths = snapshot.code_files().into_iter().filter_map(|id| snapshot.file(id));
    let extensions = paths.filter_map(|file| file.path.rsplit_once('.').map(|(_, extension)| extension));
    let mut found: FxHashSet<String> = FxHashSet::default();
    for extension in extensions {
        if !found.contains(extension) {
            found.insert(extension.to_lowercase());
        }
    }
    found
}

/// Returns the locations that `text` names, each once, in the order of the text. They need not
/// exist. A name without a line counts as a file only if `is_extension` accepts its extension:
/// `Cart.add` is a name, `cart.rb` a file.
pub(crate) fn scan_locations(text: &str, is_extension: &dyn Fn(&str) -> bool) -> Vec<NamedLocation> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for line in text.lines() {
        for location in locations_in_line(line) {
            let is_dotted_name = location.line.is_none()
                && location.path.rsplit_once('.').is_none_or(|(_, e)| !is_extension(&e.to_lowercase()));
            if !is_dotted_name && seen.insert(location.clone()) {
                found.push(location);
                if found.len() == MAX_LOCATIONS {
                    return found;
                }
            }
        }
    }
    found
}

fn locations_in_line(line: &str) -> Vec<NamedLocation> {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let end =
            rest.find(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;|=".contains(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
        let Some(mut location) = parse_location(word) else { continue };
        if location.line.is_none() {
            location.line = parse_following_line(word, after);
        }
        found.push(location);
    }
    found
}

/// Returns the line number after a path: `"path", line 12` (Python), `path:line 12` (C#),
/// `path(25,13)` (diagnostics of C# and TypeScript).
fn parse_following_line(word: &str, after: &str) -> Option<u32> {
    if let Some(inner) = after.strip_prefix('(') {
        let (numbers, after_numbers) = inner.split_once(')')?;
        let line = numbers.split(',').next()?.parse().ok()?;
        // `f.x(3)` is a call. A diagnostic continues with a colon, or has a column.
        return (numbers.contains(',') || after_numbers.starts_with(':')).then_some(line);
    }
    let mut words = after.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let has_line_word = word.ends_with(":line") || words.next() == Some("line");
    has_line_word.then(|| words.next())??.parse().ok()
}

/// Parses `path`, `path:line`, `path:line:column` or `path#Lline`.
fn parse_location(word: &str) -> Option<NamedLocation> {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    // Ruby frames: path:12:in `name'
    let word = word.strip_suffix(":in").or_else(|| word.strip_suffix(":line")).unwrap_or(word);
    if word.len() < 3 || word.len() > MAX_LOCATION_BYTES {
        return None;
    }
    let (rest, line) = split_line_number(word);
    let path = rest.replace('\\', "/");
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_extension = (1..=6).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    // A stem of a single letter is an abbreviation unless a line follows.
    let is_stem = (line.is_some() || path.len() > extension.len() + 2)
        && stem.contains(char::is_alphabetic)
        && stem.chars().all(|c| c.is_alphanumeric() || "_-.@+$".contains(c));
    (is_extension && is_stem).then_some(NamedLocation { path, line })
}

/// Splits a word into a path and the line number after it, if it has one.
fn split_line_number(word: &str) -> (&str, Option<u32>) {
    if let Some((path, anchor)) = word.split_once("#L") {
        let digits = anchor.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        return (path, digits.parse().ok());
    }
    // A colon may also follow a drive letter or a URL scheme, so the search for line numbers starts
    // at the end.
    let mut rest = word;
    let mut numbers = Vec::new();
    while let Some((head, tail)) = rest.rsplit_once(':') {
        let Ok(number) = tail.parse::<u32>() else { break };
        numbers.push(number);
        rest = head;
    }
    (rest, numbers.last().copied())
}

/// Returns the files of the snapshot that a written path refers to: the file with that path, or
/// else the file whose path is a suffix of it (absolute paths, links). If there is no such file,
/// returns the files whose paths end with the written path, or with its longest suffix of two parts
/// or more (installed copies: `site-packages/flask/app.py`). Empty if more than [`MAX_FILES`] files
/// match.
pub(crate) fn files_for_path(snapshot: &Snapshot, written: &str) -> Vec<FileId> {
    let written = written.trim_start_matches("./").trim_start_matches('/');
    let mut tail = written;
    loop {
        if let Some(id) = snapshot.code_file_by_path(tail) {
            return vec![id];
        }
        match tail.split_once('/') {
            Some((_, rest)) if !rest.is_empty() => tail = rest,
            _ => break,
        }
    }
    let mut tail = written;
    loop {
        let found = files_ending_with(snapshot, tail);
        match tail.split_once('/') {
            Some((_, rest)) if found.is_empty() && rest.contains('/') => tail = rest,
            // A name that many files have (`mod.rs`, `__init__.py`) does not identify a file.
            _ if found.len() > MAX_FILES => return Vec::new(),
            _ => return found,
        }
    }
}

/// Returns the files whose paths end with these parts, at most one more than [`MAX_FILES`].
fn files_ending_with(snapshot: &Snapshot, parts: &str) -> Vec<FileId> {
    let ends_with_parts =
        |path: &str| path.strip_suffix(parts).is_some_and(|head| head.is_empty() || head.ends_with('/'));
    let matching = snapshot
        .code_files()
        .into_iter()
        .filter(|&id| snapshot.file(id).is_some_and(|f| ends_with_parts(f.path)));
    matching.take(MAX_FILES + 1).collect()
}

/// Returns the innermost symbol of a file that encloses a 1-based line.
pub(crate) fn enclosing_symbol(snapshot: &Snapshot, file: FileId, line: u32) -> Option<SymbolId> {
    let line = line.checked_sub(1)?;
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols
        .filter(|s| s.kind != SymbolKind::File && s.span.start_line <= line && line <= s.span.end_line)
        .min_by_key(|s| (s.span.end_line - s.span.start_line, s.span.end - s.span.start, s.id))
        .map(|s| s.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let known = ["py", "java", "js", "go", "rs", "cs", "rb", "ts"];
        let shown: Vec<String> = scan_locations(text, &|extension| known.contains(&extension))
            .iter()
            .map(|l| format!("{} {}\n", l.path, l.line.map_or("-".to_owned(), |n| n.to_string())))
            .collect();
        expect.assert_eq(&shown.concat());
    }

    #[test]
    fn frames_of_eight_languages_name_file_and_line() {
        check(
            r#"Traceback (most recent call last):
  File "/home/me/app/src/flask/app.py", line 2525, in wsgi_app
    at com.example.shop.Cart.add(Cart.java:42)
    at Object.run (/srv/app/lib/run.js:10:5)
	/go/src/example/http/server.go:1995 +0x1d
   2: crates/core/search.rs:120:9
C:\code\Shop\Cart.cs:17
   at Shop.Cart.Add() in /src/Shop/Basket.cs:line 25
lib/jekyll/site.rb:80:in `process'
src/Shop/Cart.cs(25,13): error CS0103: no Basket.Total in src/web/view.ts(7): nor f.rs(3)"#,
            expect![[r#"
                /home/me/app/src/flask/app.py 2525
                Cart.java 42
                /srv/app/lib/run.js 10
                /go/src/example/http/server.go 1995
                crates/core/search.rs 120
                C:/code/Shop/Cart.cs 17
                /src/Shop/Basket.cs 25
                lib/jekyll/site.rb 80
                src/Shop/Cart.cs 25
                src/web/view.ts 7
            "#]],
        );
    }

    #[test]
    fn paths_and_links_are_locations_and_prose_is_not() {
        check(
            "See src/flask/app.py and https://github.com/a/b/blob/main/lib/x.rb#L10-L12. Uses v2.0, 3.9, e.g. this. Fix `config.py`.",
            expect![[r#"
                src/flask/app.py -
                https://github.com/a/b/blob/main/lib/x.rb 10
                config.py -
            "#]],
        );
    }

    #[test]
    fn hostile_text_names_a_bounded_number_of_locations() {
        check(":::: a: .b c. #L #L5 a.b:99999999999 \u{feff}", expect![[""]]);
        assert_eq!(scan_locations(&"x/y.rs:1 z/w.rs:2\n".repeat(5000), &|_| false).len(), 2);
        let many: String = (0..5000).map(|i| format!("a{i}.rs:1\n")).collect();
        assert_eq!(scan_locations(&many, &|_| false).len(), MAX_LOCATIONS);
        check("a.rs( b.rs(, c.rs() d.rs(9999999999999,1) e.rs(é,1)", expect![""]);
    }
}
