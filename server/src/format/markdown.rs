//! The Markdown form of a pack, for people and chats.

use super::change;
use super::file_blocks::render_symbols;
use super::first_symbols::first_symbols;
use super::groups::{DOCUMENTATION_HEADING, GROUPS, group_heading, members_of_group};
use super::ripple;
use super::wording::{group_digits, no_match_statement, render_likelihood, render_quantity};
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use kenning_retrieval::pack::{code_span, escape_control_chars, render_prose};
use kenning_retrieval::{ConfidenceLevel, Pack, PackEnd, PackSymbol, RankConfidence, render_item};
use std::fmt::Write;

/// Maximum length of the title in characters. A task can be a whole issue.
const MAX_TITLE_CHARS: usize = 120;

/// The advice to the reader of a pack that says that nothing matches.
const NARROWING_ADVICE: &str = "Name a symbol, a file or an error message of this workspace.";

/// Returns the confidence in words, with advice. Returns `None` if nothing matches; the statement
/// then replaces the line.
fn describe_confidence(confidence: RankConfidence) -> Option<String> {
    let advice = match confidence.level {
        ConfidenceLevel::High => "",
        ConfidenceLevel::Medium => "; check that the first symbols are what you mean",
        ConfidenceLevel::Low => "; name a symbol, a file or an error message to find the right place",
        ConfidenceLevel::None => return None,
    };
    let likelihood = render_likelihood(confidence.probability);
    Some(format!(
        "{}, {likelihood} that one of the first five is to be edited{advice}",
        confidence.level.as_str()
    ))
}

/// Writes the list of the first symbols, at which a reader starts. A pack that begins with them
/// needs no list.
fn write_first_symbols(out: &mut String, pack: &Pack) {
    if pack.symbols.len() < 2 {
        return;
    }
    for (at, (symbol, first)) in first_symbols(pack).enumerate() {
        if at == 0 {
            out.push_str("\n## Start here\n\n");
        }
        let place = code_span(&format!("{}:{}", symbol.file, symbol.line));
        let likelihood = render_likelihood(first.likelihood);
        let _ = write!(out, "{}. {place} {} ({likelihood}", at + 1, code_span(&symbol.name));
        let separator = if first.reason.is_empty() { "" } else { "; " };
        let _ = writeln!(out, "{separator}{})", escape_control_chars(&first.reason));
    }
}

/// Describes how far down the ranking a pack reaches.
fn describe_end(end: PackEnd) -> Option<String> {
    let (rank, next) = (group_digits(end.rank), render_likelihood(end.next_likelihood));
    match (end.is_cut, end.next_likelihood > 0.0) {
        (true, _) => Some(format!(
            "The budget ends here, at rank {rank}: the next symbol is {next} likely to be edited."
        )),
        (false, true) => {
            Some(format!("Ends at rank {rank}: each further symbol is {next} likely to be edited, or less."))
        }
        (false, false) => None,
    }
}

/// Renders the pack as Markdown, ending with a line break. The text contains no time, so that equal
/// packs give equal bytes.
pub fn render_pack(answer: &AnsweredPack, freshness: &Freshness) -> String {
    let pack = &answer.pack;
    let mut out = String::new();
    let _ = writeln!(out, "# Context: {}\n", render_title(&answer.subject));
    let statement = no_match_statement(pack);
    if let Some(statement) = statement {
        let _ = writeln!(out, "{statement} {NARROWING_ADVICE}\n");
    }
    let _ = writeln!(
        out,
        "{}, {} of at most {}. Pack `{}`.",
        render_quantity(pack.symbols.len(), "symbol"),
        group_digits(pack.tokens_used),
        render_quantity(pack.budget, "token"),
        &pack.pack_root.to_hex()[..12]
    );
    if let Some(line) = pack.confidence.and_then(describe_confidence) {
        let _ = writeln!(out, "\n> Confidence: {line}.");
    }
    if let Some(line) = freshness.render_line() {
        let _ = writeln!(out, "\n> Freshness: {line}.");
    }
    if let Some(changes) = &answer.change {
        out.push_str(&change::render_change(changes));
    }
    if pack.symbols.is_empty() && statement.is_none() {
        out.push_str(match pack.omitted_counts.get("budget") {
            Some(_) => "\nNothing fits the budget; use a larger one.\n",
            None => "\nNothing in the index matches.\n",
        });
    }
    write_first_symbols(&mut out, pack);
    for group in GROUPS {
        let members = members_of_group(pack, group);
        if !members.is_empty() {
            let _ = writeln!(out, "\n## {}\n", group_heading(answer, group));
        }
        let symbols: Vec<&PackSymbol> = members.into_iter().map(|member| &pack.symbols[member]).collect();
        out.push_str(&render_symbols(&symbols));
    }
    write_items(&mut out, DOCUMENTATION_HEADING, pack.documents.iter().map(render_item));
    ripple::write_section(&mut out, &ripple::describe_files(&answer.ripple));
    if let Some(line) = pack.end.filter(|_| statement.is_none()).and_then(describe_end) {
        let _ = writeln!(out, "\n{line}");
    }
    out
}

/// Writes a section with these items; nothing without items.
pub(super) fn write_items(out: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    for (at, item) in items.enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\n## {heading}\n");
        }
        out.push_str(&item);
    }
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn render_title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let printable: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = collapse_whitespace(printable.trim_start_matches('#'));
    let line = match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    };
    render_prose(&escape_control_chars(&line))
}
