//! Checks that the product writes to standard output and standard error in one place,
//! `server/src/terminal/standard_streams.rs`, which escapes the characters that a terminal obeys.
//! The list of reviewed sources has the exceptions.

use super::Finding;
use super::checkout::TextFile;
use super::reviewed_calls::is_product_source;
use super::rust_text::{SourceLayers, is_word_char, line_of, split_layers, without_tests};

/// Code that prints, or that obtains a stream to print on. Each is a whole word at its beginning.
const PRINTING_CODE: [&str; 19] = [
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "dbg!",
    "stdout()",
    "stderr()",
    "io::stdout",
    "io::stderr",
    "stdio::stdout",
    "stdio::stderr",
    "anstream::",
    "Term::",
    "ProgressDrawTarget::stderr",
    "ProgressDrawTarget::stdout",
    // Clap prints words of the command line as they are.
    "get_matches()",
    "get_matches_from(",
    "error.exit()",
    "CompleteEnv::",
];

/// The name of the terminal of a process.
const TERMINAL_DEVICES: [&str; 2] = ["/dev/tty", "CONOUT$"];

/// The reviewed sources that print, each with what it prints, which is why it may.
const REVIEWED_SOURCES: [(&str, &str); 6] = [
    ("server/src/terminal/standard_streams.rs", "the one place that prints"),
    ("server/src/allocator.rs", "a fixed text, when there is no memory to escape one"),
    ("server/src/cli/progress.rs", "texts of the program in a progress bar, which are `'static`"),
    ("server/src/cli/serve.rs", "messages of the protocol, on a pipe to the editor"),
    ("enrichment/src/client/guardian.rs", "an error on a pipe to Kenning, which escapes it"),
    ("server/src/cli/completions.rs", "candidates for a shell, without control characters"),
];

/// Returns a finding for each place in a product source outside the list that prints.
pub fn check_printing(source: &TextFile) -> Vec<Finding> {
    let is_listed = REVIEWED_SOURCES.iter().any(|(path, _)| *path == source.path);
    if !is_product_source(&source.path) || is_listed {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = find_printing(&source.text)
        .into_iter()
        .map(|(line, code)| Finding {
            file: source.path.clone(),
            line,
            problem: format!("`{code}` prints"),
            advice: "Print with `terminal::standard_streams`, or add the source to tests/tests/tidy/terminal_output.rs",
        })
        .collect();
    findings.dedup();
    findings
}

/// Returns the lines that print, each with the code that does.
fn find_printing(text: &str) -> Vec<(usize, &'static str)> {
    let SourceLayers { code, literals } = split_layers(text);
    let code = without_tests(&code);
    let is_word_start = |at: usize| !code[..at].ends_with(is_word_char);
    let printing = PRINTING_CODE.iter().flat_map(|found| {
        let places = code.match_indices(found).filter(|(at, _)| is_word_start(*at));
        places.map(|(at, _)| (line_of(&code, at), *found)).collect::<Vec<_>>()
    });
    let devices = TERMINAL_DEVICES.iter().flat_map(|found| {
        literals.match_indices(found).map(|(at, _)| (line_of(&literals, at), *found)).collect::<Vec<_>>()
    });
    printing.chain(devices).collect()
}

/// Returns a finding for each entry of the list whose source prints nothing.
pub fn check_reviewed_list(sources: &[TextFile]) -> Vec<Finding> {
    let prints = |path: &str| {
        let source = sources.iter().find(|source| source.path == path);
        source.is_some_and(|source| !find_printing(&source.text).is_empty())
    };
    REVIEWED_SOURCES
        .iter()
        .filter(|(path, _)| !prints(path))
        .map(|(path, _)| Finding {
            file: (*path).to_owned(),
            line: 1,
            problem: "this source prints nothing".to_owned(),
            advice: "Remove it from tests/tests/tidy/terminal_output.rs",
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{check_printing, check_reviewed_list};
    use crate::checkout::TextFile;

    fn text(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn an_unlisted_source_that_prints_is_found() {
        for code in [
            "println!(\"{x}\");",
            "anstream::eprintln!(\"{x}\");",
            "let mut out = std::io::stdout().lock();",
            "let layer = layer.with_writer(io::stderr);",
            "let out = stderr();",
            "let cli = command.get_matches_from(words);",
            "let terminal = Term::stderr();",
            "let tty = open(\"/dev/tty\");",
        ] {
            let source = format!("//! What.\n\nfn f() {{\n    {code}\n}}\n");
            let findings = check_printing(&text("server/src/cli/a.rs", &source));
            assert!(!findings.is_empty() && findings.iter().all(|finding| finding.line == 4), "{code}");
            for path in ["server/src/terminal/standard_streams.rs", "server/src/a/tests.rs", "bench/src/a.rs"]
            {
                assert_eq!(check_printing(&text(path, &source)), []);
            }
        }
    }

    #[test]
    fn code_that_prints_nothing_is_not_found() {
        for code in [
            "command.stdout(Stdio::piped());",
            "// println! is forbidden",
            "writeln!(out, \"println!\");",
            "command.try_get_matches_from(words);",
            "let streams = child.stdout.take();",
        ] {
            let source = format!("//! What.\n\nfn f() {{\n    {code}\n}}\n");
            assert_eq!(check_printing(&text("server/src/cli/a.rs", &source)), [], "{code}");
        }
    }

    #[test]
    fn a_listed_source_that_prints_nothing_is_found() {
        let findings = check_reviewed_list(&[text("server/src/allocator.rs", "fn f() { io::stderr() }")]);
        assert_eq!(findings.len(), 5);
    }
}
