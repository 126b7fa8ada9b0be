//! Checks the lengths of files and functions, the header of each module, leftover macros, words that
//! only some folders may use, languages named outside their code, SQL outside `graph`, impure code
//! in `retrieval`, and paths of a developer's machine.

use super::Finding;
use super::checkout::TextFile;
use super::rust_text::{
    FunctionExtent, SourceLayers, find_functions, is_word_char, line_of, split_layers, without_tests,
};

/// Maximum number of lines of a product file.
const MAX_FILE_LINES: usize = 600;
/// Maximum number of lines of a test file.
const MAX_TEST_FILE_LINES: usize = 1000;
/// Maximum number of lines of a product function.
const MAX_FUNCTION_LINES: usize = 80;
/// Maximum number of lines of a function in tests and examples, which may contain a whole fixture.
const MAX_TEST_FUNCTION_LINES: usize = 120;

/// Words that only some folders may use.
struct ReservedWords {
    words: &'static [&'static str],
    /// Prefixes of the paths where the words are allowed.
    allowed: &'static [&'static str],
    advice: &'static str,
}

/// The reserved words in code.
const RESERVED_WORDS: [ReservedWords; 3] = [
    ReservedWords {
        words: &["lsp_types", "ls_types", "tower_lsp"],
        allowed: &["server/", "enrichment/", "tests/"],
        advice: "Use plain structs; conversions live in server/src/lsp",
    },
    ReservedWords {
        words: &["rusqlite"],
        allowed: &["graph/", "tests/", "bench/"],
        advice: "Add a function to graph's store",
    },
    ReservedWords {
        words: &["gix", "Command::new(\"git\")"],
        allowed: &["indexing/src/git", "tests/", "server/tests/", "bench/"],
        advice: "Git is read in indexing/src/git only",
    },
];

/// Names of the families with Rust code, which only the code of the languages may use.
const FAMILY_NAMES: [&str; 7] = [
    "LanguageFamily::Go",
    "LanguageFamily::Python",
    "LanguageFamily::Script",
    "LanguageFamily::Rust",
    "LanguageFamily::Java",
    "LanguageFamily::CSharp",
    "LanguageFamily::Ruby",
];

/// The folder with the code of the languages.
const LANGUAGE_FOLDER: &str = "indexing/src/resolve/lang/";

/// The first words of SQL statements in literals.
const SQL_STARTS: [&str; 8] = [
    "SELECT ",
    "INSERT INTO ",
    "INSERT OR ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "PRAGMA ",
    "ALTER TABLE ",
];

/// Words that `retrieval` must not use, because its results depend only on its arguments.
const IMPURE_WORDS: [&str; 9] = [
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

/// Macros that mark unfinished code.
const LEFTOVER_MACROS: [&str; 3] = ["todo!", "unimplemented!", "dbg!"];

/// Folders of developers' machines. `concat!` splits them, so that this file passes its own check.
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
pub fn check_source(source: &TextFile) -> Vec<Finding> {
    let layers = split_layers(&source.text);
    let mut findings = check_module_header(source);
    findings.extend(check_sizes(source, &layers));
    findings.extend(check_leftovers(source, &layers));
    findings.extend(check_reserved_words(source, &layers));
    findings.extend(check_language_names(source, &layers));
    findings.extend(check_sql(source, &layers));
    findings.extend(check_purity(source, &layers));
    findings
}

fn new_finding(source: &TextFile, line: usize, problem: String, advice: &'static str) -> Finding {
    Finding { file: source.path.clone(), line, problem, advice }
}

fn check_module_header(source: &TextFile) -> Vec<Finding> {
    if source.text.starts_with("//!") {
        return Vec::new();
    }
    let advice = "Begin the file with a `//!` comment that explains it";
    vec![new_finding(source, 1, "no leading `//!`".to_owned(), advice)]
}

fn check_sizes(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = source.text.lines().count();
    let is_test_file = source.path.contains("tests") || source.path.contains("examples/");
    let limit = if is_test_file { MAX_TEST_FILE_LINES } else { MAX_FILE_LINES };
    if lines > limit {
        let problem = format!("{lines} lines, more than {limit}");
        findings.push(new_finding(source, limit + 1, problem, "Split the file by topic"));
    }
    let product = find_functions(&without_tests(&layers.code));
    for FunctionExtent { name, line, line_count } in find_functions(&layers.code) {
        let is_product = !is_test_file && product.iter().any(|other| other.line == line);
        let limit = if is_product { MAX_FUNCTION_LINES } else { MAX_TEST_FUNCTION_LINES };
        if line_count > limit {
            let problem = format!("`{name}` has {line_count} lines, more than {limit}");
            findings.push(new_finding(source, line, problem, "Split the function into its steps"));
        }
    }
    findings
}

fn check_leftovers(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    find_words(&layers.code, &LEFTOVER_MACROS)
        .map(|(line, word)| {
            new_finding(source, line, format!("`{word}` is left over"), "Write the code, or return an error")
        })
        .collect()
}

fn check_reserved_words(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RESERVED_WORDS {
        if rule.allowed.iter().any(|folder| source.path.starts_with(folder)) {
            continue;
        }
        // The name of the command is in a literal, so the whole text is searched if the code starts
        // commands.
        let calls = rule.words.iter().filter(|word| word.contains('"'));
        for call in calls {
            for (at, _) in source.text.match_indices(call) {
                if layers.code.contains("Command::new(") && !is_in_line_comment(&source.text, at) {
                    let line = line_of(&source.text, at);
                    findings.push(new_finding(
                        source,
                        line,
                        format!("`{call}` must not be used here"),
                        rule.advice,
                    ));
                }
            }
        }
        let names: Vec<&str> = rule.words.iter().copied().filter(|word| !word.contains('"')).collect();
        for (line, word) in find_words(&layers.code, &names) {
            findings.push(new_finding(source, line, format!("`{word}` must not be used here"), rule.advice));
        }
    }
    findings
}

fn check_language_names(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    if source.path.starts_with(LANGUAGE_FOLDER) {
        return Vec::new();
    }
    let code = without_tests(&layers.code);
    find_words(&code, &FAMILY_NAMES)
        .map(|(line, word)| {
            new_finding(
                source,
                line,
                format!("`{word}` must not be used here"),
                "Add a property or a function to indexing/src/resolve/lang and name what differs",
            )
        })
        .collect()
}

/// Whether the line of the offset `at` starts with `//`.
fn is_in_line_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..at].trim_start().starts_with("//")
}

fn check_sql(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    if ["graph/", "tests/", "bench/"].iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    find_words(&layers.literals, &SQL_STARTS)
        .map(|(line, word)| {
            let problem = format!("SQL (`{}`) outside `graph`", word.trim());
            new_finding(source, line, problem, "Add a function to graph's store")
        })
        .collect()
}

fn check_purity(source: &TextFile, layers: &SourceLayers) -> Vec<Finding> {
    if !source.path.starts_with("retrieval/src/") || source.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    find_words(&without_tests(&layers.code), &IMPURE_WORDS)
        .map(|(line, word)| {
            let problem = format!("`retrieval` uses `{word}`");
            new_finding(source, line, problem, "Take the text, the time or the setting as an argument")
        })
        .collect()
}

/// Returns the line and the needle of each whole-word occurrence, needle by needle.
fn find_words<'a>(text: &'a str, needles: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    needles.iter().flat_map(move |needle| {
        text.match_indices(needle).filter_map(move |(at, found)| {
            let starts_word = !text[..at].ends_with(is_word_char);
            let ends_word =
                !found.ends_with(is_word_char) || !text[at + found.len()..].starts_with(is_word_char);
            (starts_word && ends_word).then(|| (line_of(text, at), *needle))
        })
    })
}

/// Returns a finding for each absolute path of a developer's machine in a text.
pub fn find_machine_paths(text: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in MACHINE_FOLDERS {
        for (at, _) in text.text.match_indices(folder) {
            // Skip sample paths, such as those in a stack trace that a test reads.
            let rest = &text.text[at + folder.len()..];
            if SAMPLE_USERS.iter().any(|user| rest.starts_with(user)) || text.text[..at].ends_with("C:") {
                continue;
            }
            // `{home}/x` and `https://host/x` are not such folders.
            if text.text[..at]
                .ends_with(|c: char| is_word_char(c) || matches!(c, '}' | '.' | '-' | '*' | ')'))
            {
                continue;
            }
            let problem = format!("`{folder}` is a folder of one machine");
            findings.push(new_finding(
                text,
                line_of(&text.text, at),
                problem,
                "Use a relative path or a variable",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{MACHINE_FOLDERS, check_source, find_machine_paths};
    use crate::checkout::TextFile;

    fn text(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn report(path: &str, source: &str) -> Vec<String> {
        check_source(&text(path, &format!("//! What.\n{source}"))).iter().map(ToString::to_string).collect()
    }

    fn assert_found(path: &str, source: &str, expected: &str) {
        let findings = report(path, source);
        assert_eq!(findings.len(), 1, "{source}: {findings:?}");
        assert!(findings[0].contains(expected), "{findings:?}");
    }

    #[test]
    fn clean_source_passes() {
        assert_eq!(report("retrieval/src/walk.rs", "fn walk() { let gixy = 1; } // std::fs, todo!"), [""; 0]);
    }

    #[test]
    fn a_file_without_a_leading_comment_is_found() {
        let findings = check_source(&text("graph/src/a.rs", "use b;\n"));
        assert_eq!(findings[0].line, 1);
        assert!(findings[0].problem.contains("//!"));
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
    fn leftovers_are_found_with_their_line() {
        for word in ["todo!()", "unimplemented!(\"later\")", "dbg!(x)"] {
            assert_found("graph/src/a.rs", &format!("fn f() {{\n  {word}\n}}"), "a.rs:3: ");
        }
    }

    #[test]
    fn reserved_words_are_found_outside_their_folders() {
        for (word, allowed_path) in [
            ("use lsp_types::Url;", "server/src/a.rs"),
            ("use tower_lsp::Client;", "server/src/a.rs"),
            ("use rusqlite::Connection;", "graph/src/a.rs"),
            ("fn f() { gix::open(path) }", "indexing/src/git/open.rs"),
            ("fn f() { Command::new(\"git\") }", "indexing/src/git.rs"),
        ] {
            assert_found("retrieval/src/a.rs", word, "must not be used here");
            assert_eq!(report(allowed_path, word), [""; 0]);
        }
        assert_found("indexing/src/walk.rs", "fn f() { gix::open(path) }", "indexing/src/git only");
    }

    #[test]
    fn families_are_named_only_by_the_code_of_languages() {
        let code = "fn f() { family == LanguageFamily::Ruby }";
        assert_found("indexing/src/resolve/members.rs", code, "must not be used here");
        assert_eq!(report("indexing/src/resolve/lang/family.rs", code), [""; 0]);
        let test = "#[cfg(test)]\nmod tests {\n    fn f() { parse(LanguageFamily::Ruby) }\n}";
        assert_eq!(report("indexing/src/resolve/members.rs", test), [""; 0]);
    }

    #[test]
    fn sql_is_found_outside_graph() {
        let source = "fn f() { query(\"SELECT id FROM symbols\") }";
        assert_found("server/src/a.rs", source, "SQL (`SELECT`) outside `graph`");
        assert_eq!(report("graph/src/store.rs", source), [""; 0]);
        assert_eq!(report("server/src/a.rs", "fn f() { say(\"Select a file\") } // SELECT x"), [""; 0]);
    }

    #[test]
    fn impure_words_in_retrieval_are_found_except_in_tests() {
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
    fn machine_paths_are_found_and_sample_paths_are_not() {
        for folder in MACHINE_FOLDERS {
            let findings = find_machine_paths(&text("docs/a.md", &format!("one\nrun in \"{folder}x/y\"\n")));
            assert_eq!(findings.len(), 1, "{folder}");
            assert_eq!(findings[0].line, 2);
        }
        let url = format!("https://host{}x", MACHINE_FOLDERS[0]);
        assert!(find_machine_paths(&text("docs/a.md", &url)).is_empty());
        let sample = format!("File \"{}me/app.py\", line 3", MACHINE_FOLDERS[0]);
        assert!(find_machine_paths(&text("docs/a.md", &sample)).is_empty());
    }
}
