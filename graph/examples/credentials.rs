//! Counts the credentials that Kenning would mask in source trees, for review by eye and for
//! timing.
//!
//! `cargo run --release -p kenning-graph --example credentials -- [--show] <folder>...` prints a
//! line for each folder: the number of credentials, the number of lines, the credentials per 10,000
//! lines, and the median time of five runs over all texts in memory. With `--show`, it first prints
//! each credential with its line, between « and ». It reads files by extension and skips links
//! and `.git`.

use kenning_graph::credentials::find_credentials;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The file extensions of the indexed languages (`indexing/languages.toml`).
const SOURCE_EXTENSIONS: [&str; 20] = [
    "cjs", "cs", "csx", "cts", "gemspec", "go", "java", "js", "jsx", "mjs", "mts", "py", "pyi", "pyw",
    "rake", "rb", "rs", "ru", "ts", "tsx",
];

/// The number of timed runs over all texts of a tree.
const TIMED_RUNS: usize = 5;

fn main() -> std::io::Result<()> {
    let (options, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let mut out = std::io::stdout().lock();
    for folder in folders {
        let mut texts = Vec::new();
        read_sources(Path::new(&folder), &mut texts)?;
        let (mut spans, mut lines, mut bytes) = (0, 0, 0);
        for (path, text) in &texts {
            lines += text.lines().count();
            bytes += text.len();
            for span in find_disjoint(text) {
                spans += 1;
                if options.iter().any(|option| option == "--show") {
                    let number = text[..span.start].matches('\n').count() + 1;
                    writeln!(out, "{}:{number}: {}", path.display(), mark_credential(text, span))?;
                }
            }
        }
        let mut times: Vec<f64> = (0..TIMED_RUNS).map(|_| time_run(&texts)).collect();
        times.sort_by(f64::total_cmp);
        let rate = spans as f64 * 1e4 / f64::from(u32::try_from(lines.max(1)).unwrap_or(u32::MAX));
        let (megabytes, milliseconds) = (bytes as f64 / 1e6, times[TIMED_RUNS / 2] * 1e3);
        writeln!(
            out,
            "{folder}: {spans} spans in {lines} lines ({rate:.2} in 10,000), {megabytes:.1} MB in {milliseconds:.1} ms"
        )?;
    }
    Ok(())
}

/// Returns the credentials of a text in order, without credentials that overlap an earlier one.
fn find_disjoint(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut spans = find_credentials(text);
    spans.sort_by_key(|span| (span.start, span.end));
    let mut end = 0;
    spans.retain(|span| {
        span.start >= end && {
            end = span.end;
            true
        }
    });
    spans
}

/// Returns the line of a credential, with the credential between « and ».
fn mark_credential(text: &str, span: std::ops::Range<usize>) -> String {
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at);
    let (before, secret, after) = (&text[start..span.start], &text[span.clone()], &text[span.end..end]);
    format!("{}«{secret}»{}", before.trim_start(), after.trim_end())
}

/// Returns the seconds that one run over all texts takes.
fn time_run(texts: &[(PathBuf, String)]) -> f64 {
    let start = Instant::now();
    for (_, text) in texts {
        std::hint::black_box(find_credentials(text));
    }
    start.elapsed().as_secs_f64()
}

/// Appends the source files below a folder, with their texts, to `texts`.
fn read_sources(folder: &Path, texts: &mut Vec<(PathBuf, String)>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let is_source =
            path.extension().is_some_and(|end| SOURCE_EXTENSIONS.iter().any(|source| end == *source));
        if kind.is_dir() && entry.file_name() != ".git" {
            read_sources(&path, texts)?;
        } else if kind.is_file()
            && is_source
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            texts.push((path, text));
        }
    }
    Ok(())
}
