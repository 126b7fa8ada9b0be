//! The rules for sources and texts.

use super::Finding;
use super::rust_text::{Layers, functions, is_word, layers, line_of, without_tests};
use super::tree::Text;

/// Lines of a file of the product.
const LONGEST_FILE: usize = 600;
/// Lines of a file of tests.
const LONGEST_TEST_FILE: usize = 1000;
/// Lines of a function of the product.
const LONGEST_FUNCTION: usize = 80;
/// Lines of a function of tests and examples, which may hold a whole fixture.
const LONGEST_TEST_FUNCTION: usize = 120;

/// Words that only some folders may use.
struct Reserved {
    words: &'static [&'static str],
    /// Prefixes of the paths where the words are allowed.
    allowed: &'static [&'static str],
    mend: &'static str,
}

/// The reserved words in code.
const RESERVED: [Reserved; 3] = [
    Reserved {
        words: &["lsp_types", "ls_types", "tower_lsp"],
        allowed: &["server/", "enrichment/", "tests/"],
        mend: "Use plain structs; conversions live in server/src/lsp",
    },
    Reserved {
        words: &["rusqlite"],
        allowed: &["graph/", "tests/", "bench/"],
        mend: "Add a function to graph's store",
    },
    Reserved {
        words: &["gix", "Command::new(\"git\")"],
        allowed: &["indexing/src/git", "tests/", "server/tests/", "bench/"],
        mend: "Git is read in indexing/src/git only",
    },
];

/// The start of SQL statements in literals.
const SQL: [&str; 8] = [
    "SELECT ",
    "INSERT INTO ",
    "INSERT OR ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "PRAGMA ",
    "ALTER TABLE ",
];

/// Words that `retrieval` must not use, because it is a function of its arguments.
const IMPURE: [&str; 9] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "SystemTime",
    "Instant",
    "tokio",
    "println!",
    "eprintln!",
];

const LEFT_OVERS: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

/// Folders of developers' machines. They are concatenated so that this file passes its own check.
const MACHINE_FOLDERS: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
    concat!(":\\Us", "ers\\"),
];

/// User names in sample paths.
const SAMPLE_USERS: [&str; 3] = ["me/", "user/", "you/"];

/// Applies all rules to one Rust source.
pub fn check_source(source: &Text) -> Vec<Finding> {
    let split = layers(&source.text);
    let mut findings = sizes(source, &split);
    findings.extend(left_overs(source, &split));
    findings.extend(reserved(source, &split));
    findings.extend(sql(source, &split));
    findings.extend(purity(source, &split));
    findings
}

fn finding(source: &Text, line: usize, what: String, mend: &'static str) -> Finding {
    Finding { file: source.path.clone(), line, what, mend }
}

fn sizes(source: &Text, split: &Layers) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.text.starts_with("//!") {
        let fix = "Begin the file with one `//!` sentence that says what it holds";
        findings.push(finding(source, 1, "no leading `//!`".to_owned(), fix));
    }
    let lines = source.text.lines().count();
    let of_tests = source.path.contains("tests") || source.path.contains("examples/");
    let longest = if of_tests { LONGEST_TEST_FILE } else { LONGEST_FILE };
    if lines > longest {
        let what = format!("{lines} lines, more than {longest}");
        findings.push(finding(source, longest + 1, what, "Split the file by topic"));
    }
    let product = functions(&without_tests(&split.code));
    for (name, line, lines) in functions(&split.code) {
        let is_product = !of_tests && product.iter().any(|(_, other, _)| *other == line);
        let longest = if is_product { LONGEST_FUNCTION } else { LONGEST_TEST_FUNCTION };
        if lines > longest {
            let what = format!("`{name}` has {lines} lines, more than {longest}");
            findings.push(finding(source, line, what, "Split the function into its steps"));
        }
    }
    findings
}

fn left_overs(source: &Text, split: &Layers) -> Vec<Finding> {
    words(&split.code, &LEFT_OVERS)
        .map(|(line, word)| {
            finding(source, line, format!("`{word}` is left over"), "Write the code, or return an error")
        })
        .collect()
}

fn reserved(source: &Text, split: &Layers) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RESERVED {
        if rule.allowed.iter().any(|folder| source.path.starts_with(folder)) {
            continue;
        }
        // The command's name is in a literal. If the code has such a call, search the whole text.
        let calls = rule.words.iter().filter(|word| word.contains('"'));
        for call in calls {
            for (at, _) in source.text.match_indices(call) {
                if split.code.contains("Command::new(") && !is_comment(&source.text, at) {
                    let line = line_of(&source.text, at);
                    findings.push(finding(
                        source,
                        line,
                        format!("`{call}` is not for this crate"),
                        rule.mend,
                    ));
                }
            }
        }
        let names: Vec<&str> = rule.words.iter().copied().filter(|word| !word.contains('"')).collect();
        for (line, word) in words(&split.code, &names) {
            findings.push(finding(source, line, format!("`{word}` is not for this crate"), rule.mend));
        }
    }
    findings
}

/// Whether the line of an offset starts with `//`.
fn is_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..at].trim_start().starts_with("//")
}

fn sql(source: &Text, split: &Layers) -> Vec<Finding> {
    if ["graph/", "tests/", "bench/"].iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    words(&split.literals, &SQL)
        .map(|(line, word)| {
            let what = format!("SQL (`{}`) outside `graph`", word.trim());
            finding(source, line, what, "Add a function to graph's store")
        })
        .collect()
}

fn purity(source: &Text, split: &Layers) -> Vec<Finding> {
    if !source.path.starts_with("retrieval/src/") || source.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    words(&without_tests(&split.code), &IMPURE)
        .map(|(line, word)| {
            let what = format!("`retrieval` uses `{word}`");
            finding(source, line, what, "Take the text, the time or the setting as an argument")
        })
        .collect()
}

/// Returns the line of each needle that occurs as a whole word, in the order of the text for each
/// needle.
fn words<'a>(text: &'a str, needles: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    needles.iter().flat_map(move |needle| {
        text.match_indices(needle).filter_map(move |(at, found)| {
            let begins = !text[..at].ends_with(is_word);
            let ends = !found.ends_with(is_word) || !text[at + found.len()..].starts_with(is_word);
            (begins && ends).then(|| (line_of(text, at), *needle))
        })
    })
}

/// Returns absolute folders of a developer's machine in a text.
pub fn machine_paths(text: &Text) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in MACHINE_FOLDERS {
        for (at, _) in text.text.match_indices(folder) {
            // Skip sample paths of no real machine, as in a stack trace that a test reads.
            let rest = &text.text[at + folder.len()..];
            if SAMPLE_USERS.iter().any(|user| rest.starts_with(user)) || text.text[..at].ends_with("C:") {
                continue;
            }
            // `{home}/x` and `https://host/x` are not such folders.
            if text.text[..at].ends_with(|c: char| is_word(c) || matches!(c, '}' | '.' | '-' | '*' | ')')) {
                continue;
            }
            let what = format!("`{folder}` is a folder of one machine");
            findings.push(finding(text, line_of(&text.text, at), what, "Use a relative path or a variable"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{MACHINE_FOLDERS, check_source, machine_paths};
    use crate::tree::Text;

    fn text(path: &str, text: &str) -> Text {
        Text { path: path.to_owned(), text: text.to_owned() }
    }

    fn report(path: &str, source: &str) -> Vec<String> {
        check_source(&text(path, &format!("//! What.\n{source}"))).iter().map(ToString::to_string).collect()
    }

    fn assert_found(path: &str, source: &str, expected: &str) {
        let found = report(path, source);
        assert_eq!(found.len(), 1, "{source}: {found:?}");
        assert!(found[0].contains(expected), "{found:?}");
    }

    #[test]
    fn clean_source_passes() {
        assert_eq!(report("retrieval/src/walk.rs", "fn walk() { let gixy = 1; } // std::fs, todo!"), [""; 0]);
    }

    #[test]
    fn a_file_without_its_sentence_is_found() {
        let found = check_source(&text("graph/src/a.rs", "use b;\n"));
        assert_eq!(found[0].line, 1);
        assert!(found[0].what.contains("//!"));
    }

    #[test]
    fn long_files_and_functions_are_found() {
        assert_found("graph/src/a.rs", &"// x\n".repeat(600), "601 lines");
        assert_found("graph/src/tests.rs", &"// x\n".repeat(1000), "1001 lines");
        let function =
            |name: &str, lines: usize| format!("fn {name}() {{\n{}}}\n", "    x();\n".repeat(lines - 2));
        let long = format!("fn ok() {{}}\n{}", function("long", 81));
        assert_found("graph/src/a.rs", &long, "a.rs:3: `long` has 81 lines");
        assert_eq!(report("graph/src/a.rs", &function("fits", 80)), [""; 0]);
        assert_found("graph/src/tests.rs", &function("long", 121), "`long` has 121 lines");
        assert_eq!(report("graph/src/tests.rs", &function("fits", 120)), [""; 0]);
    }

    #[test]
    fn left_overs_are_found_with_their_line() {
        for word in ["todo!()", "unimplemented!(\"later\")", "dbg!(x)"] {
            assert_found("graph/src/a.rs", &format!("fn f() {{\n  {word}\n}}"), "a.rs:3: ");
        }
    }

    #[test]
    fn reserved_words_are_found_outside_their_folders() {
        for (word, home) in [
            ("use lsp_types::Url;", "server/src/a.rs"),
            ("use tower_lsp::Client;", "server/src/a.rs"),
            ("use rusqlite::Connection;", "graph/src/a.rs"),
            ("fn f() { gix::open(path) }", "indexing/src/git/open.rs"),
            ("fn f() { Command::new(\"git\") }", "indexing/src/git.rs"),
        ] {
            assert_found("retrieval/src/a.rs", word, "is not for this crate");
            assert_eq!(report(home, word), [""; 0]);
        }
        assert_found("indexing/src/walk.rs", "fn f() { gix::open(path) }", "indexing/src/git only");
    }

    #[test]
    fn sql_is_found_outside_graph() {
        let source = "fn f() { query(\"SELECT id FROM symbols\") }";
        assert_found("server/src/a.rs", source, "SQL (`SELECT`) outside `graph`");
        assert_eq!(report("graph/src/store.rs", source), [""; 0]);
        assert_eq!(report("server/src/a.rs", "fn f() { say(\"Select a file\") } // SELECT x"), [""; 0]);
    }

    #[test]
    fn retrieval_is_pure_but_for_its_tests() {
        for source in [
            "use std::fs;",
            "use std::env::var;",
            "fn f() { std::process::exit(1) }",
            "use std::net::TcpStream;",
            "use std::time::Instant;",
            "use std::time::SystemTime;",
            "use tokio::spawn;",
            "fn f() { println!(\"x\") }",
        ] {
            assert_found("retrieval/src/a.rs", source, "`retrieval` uses");
            assert_eq!(report("indexing/src/a.rs", source), [""; 0]);
            let in_tests = format!("#[cfg(test)]\nmod tests {{\n{source}\n}}");
            assert_eq!(report("retrieval/src/a.rs", &in_tests), [""; 0]);
        }
    }

    #[test]
    fn folders_of_a_machine_are_found() {
        for folder in MACHINE_FOLDERS {
            let found = machine_paths(&text("docs/a.md", &format!("one\nrun in \"{folder}x/y\"\n")));
            assert_eq!(found.len(), 1, "{folder}");
            assert_eq!(found[0].line, 2);
        }
        let url = format!("https://host{}x", MACHINE_FOLDERS[0]);
        assert!(machine_paths(&text("docs/a.md", &url)).is_empty());
        let sample = format!("File \"{}me/app.py\", line 3", MACHINE_FOLDERS[0]);
        assert!(machine_paths(&text("docs/a.md", &sample)).is_empty());
    }
}
