//! Markdown: the pack as people read it and as chats take it.

use crate::freshness::Freshness;
use crate::seam::retrieval::{Explanation, Pack, PackSymbol};
use std::fmt::Write;

/// Characters of the task that the title shows.
const TITLE_LENGTH: usize = 120;

/// The groups of a pack: heading and the distances from the task that belong to it.
const GROUPS: [(&str, std::ops::RangeInclusive<u32>); 3] =
    [("Target", 0..=0), ("Related", 1..=1), ("Extended", 2..=u32::MAX)];

/// The pack as Markdown, ending with a line break. Never holds a time, so that equal packs give equal bytes.
pub fn pack(pack: &Pack, freshness: &Freshness) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# Context: {}\n", title(&pack.task));
    let _ = writeln!(
        out,
        "{}, {} of {} tokens. Pack `{}`.",
        count(pack.symbols.len(), "symbol"),
        pack.tokens_used,
        pack.budget,
        &pack.pack_root.to_hex()[..12]
    );
    if let Some(line) = freshness.line() {
        let _ = writeln!(out, "\n> Freshness: {line}.");
    }
    if pack.symbols.is_empty() {
        out.push_str("\nNothing in the index fits this task.\n");
    }
    for (heading, distances) in GROUPS {
        let mut members = pack.symbols.iter().filter(|s| distances.contains(&s.distance)).peekable();
        if members.peek().is_some() {
            let _ = writeln!(out, "\n## {heading}\n");
            members.for_each(|symbol| item(&mut out, symbol));
        }
    }
    let left_out: Vec<_> =
        pack.omitted_counts.iter().map(|(reason, n)| format!("{n} for {reason}")).collect();
    if !left_out.is_empty() {
        let _ = writeln!(out, "\nLeft out: {}.", left_out.join(", "));
    }
    out
}

/// One symbol: where it stands, what it is, and as much of its text as the pack carries.
pub fn item(out: &mut String, symbol: &PackSymbol) {
    let place = code(&format!("{}:{}", symbol.file, symbol.line));
    let _ = write!(out, "- {place} {} ", symbol.kind);
    let signature = one_line(&symbol.signature);
    match symbol.text.as_deref() {
        Some(text) => {
            let _ = writeln!(out, "{}\n", code(&symbol.name));
            fenced(out, &symbol.language, text);
            out.push('\n');
        }
        None if signature.is_empty() => {
            let _ = writeln!(out, "{}", code(&symbol.name));
        }
        None => {
            let _ = writeln!(out, "{} {}", code(&symbol.name), code(&signature));
        }
    }
}

/// A fenced block whose fence is longer than any run of backticks in it.
pub fn fenced(out: &mut String, language: &str, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let text = text.trim_end_matches(['\n', '\r']);
    let _ = writeln!(out, "{fence}{language}\n{text}\n{fence}");
}

/// An inline code span that survives backticks in its text.
pub fn code(text: &str) -> String {
    match longest_run(text) {
        0 => format!("`{text}`"),
        n => {
            let ticks = "`".repeat(n + 1);
            format!("{ticks} {text} {ticks}")
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let line = one_line(line.trim_start_matches('#'));
    match line.char_indices().nth(TITLE_LENGTH) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The trace of one symbol.
pub fn explanation(_: &Explanation) -> String {
    String::new()
}
