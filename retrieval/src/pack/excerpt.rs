//! Chooses the lines of a declaration that a pack shows if the whole text does not fit.
//!
//! The module sorts the lines by importance, and shows the longest prefix of this order that fits,
//! in the order of the file, with a mark for each gap. The order is:
//!
//! 1. the signature and the first line of the documentation inside the declaration;
//! 2. the lines that share words with the task or name another symbol of the pack, best first, each
//!    with the lines that enclose it and a few around it;
//! 3. for a type, its other lines by depth, so that fields and the heads of members come before
//!    bodies; for other declarations, its other lines from the top.

use super::declaration_text::{DeclarationText, LineRange};
use super::{DetailLevel, PackSymbol, count_tokens, render_item};
use kenning_graph::SymbolKind;
use kenning_graph::analysis::{Analyzer, raw_words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::fmt::Write;

/// Maximum number of lines that are searched for the end of a signature. A bracket in a string
/// literal can hide the end.
const MAX_SIGNATURE_LINES: usize = 12;

/// Number of lines that are shown before and after a matching line.
const CONTEXT_LINES: usize = 2;

/// Number of lines of the block below a matching line that are shown with it.
const NESTED_LINES: usize = 8;

/// Value of a line that names the first symbol of the pack, where 1 is the task's rarest word.
const MEMBER_VALUE: f64 = 0.5;

/// The words that make a line worth showing.
#[derive(Default)]
pub(crate) struct LineRelevance {
    /// The contribution of each token of the task relative to the greatest one, 0 to 1.
    tokens: FxHashMap<String, f64>,
    /// The value of each name of a symbol in the pack.
    members: FxHashMap<String, f64>,
    analyzer: RefCell<Analyzer>,
    /// The least value of a line outside of symbols that is worth showing.
    file_line_value: f64,
}

impl LineRelevance {
    /// Builds the relevance from the contributions of the task's tokens and the names of the
    /// symbols in the pack, best first.
    pub fn new<'a>(
        tokens: impl Iterator<Item = (&'a str, f64)>,
        members: impl Iterator<Item = &'a str>,
    ) -> Self {
        let mut tokens: FxHashMap<String, f64> =
            tokens.map(|(token, value)| (token.to_owned(), value)).collect();
        let most = tokens.values().copied().fold(0.0, f64::max);
        for value in tokens.values_mut() {
            *value /= most.max(f64::MIN_POSITIVE);
        }
        let mut names = FxHashMap::default();
        for (rank, name) in members.enumerate() {
            // Shorter names, such as `get` and `new`, are in too many lines.
            if name.len() > 3 {
                names.entry(name.to_owned()).or_insert(MEMBER_VALUE / (1.0 + rank as f64 / 8.0));
            }
        }
        Self { tokens, members: names, analyzer: RefCell::default(), file_line_value: f64::INFINITY }
    }

    /// Sets the least value of a line outside of symbols that is worth showing. Without it, no such
    /// line is.
    pub fn with_file_lines(self, least_value: f64) -> Self {
        Self { file_line_value: least_value, ..self }
    }

    /// Returns the value of a line of the declaration of `own_name`, 0 if nothing matches.
    fn value_of_line(&self, line: &str, own_name: &str) -> f64 {
        let mut seen = FxHashSet::default();
        let mut value = 0.0;
        self.analyzer.borrow_mut().for_each_token(line, |token| {
            if let Some(share) = self.tokens.get(token)
                && seen.insert(token.to_owned())
            {
                value += share;
            }
        });
        let names = raw_words(line).filter(|&word| word != own_name);
        value + names.filter_map(|word| self.members.get(word)).fold(0.0, |best: f64, v| best.max(*v))
    }
}

/// Returns `item` with its text, or with as many of its lines as fit into `limit` tokens. Leaves
/// out the lines for whose numbers `is_hidden` returns true. Returns `None` if the signature does
/// not fit or every line is hidden.
pub(crate) fn fit_item_text(
    item: &PackSymbol,
    text: &DeclarationText,
    relevance: &LineRelevance,
    is_hidden: &dyn Fn(u32) -> bool,
    limit: usize,
) -> Option<PackSymbol> {
    let hidden: Vec<bool> = (0..text.lines.len()).map(|at| is_hidden(text.line_number(at))).collect();
    let all: Vec<usize> = (0..text.lines.len()).filter(|&at| !hidden[at]).collect();
    if settle_blank_lines(text, &all).is_empty() {
        return None;
    }
    // Lines have fewer tokens together than alone, but not many fewer.
    let max_sum = limit + limit / 4 + 16;
    let mut sum = item.tokens;
    if item.kind != SymbolKind::File
        && all.iter().all(|&at| add_cost(&mut sum, text.line_cost(at)) <= max_sum)
        && let Some(whole) = fit_item_lines(item, text, &all, limit)
    {
        return Some(whole);
    }
    let signature = if item.kind == SymbolKind::File { 1 } else { signature_length(&text.lines) };
    let order = order_lines(item, text, relevance, &hidden, limit);
    let mut sum = item.tokens;
    let costs = order.iter().map(|&at| text.line_cost(at));
    let mut count = costs.take_while(|cost| add_cost(&mut sum, *cost) <= limit).count();
    // The costs ignore the marks of gaps, so remove lines until the excerpt fits.
    while count > 0 {
        let mut lines = order[..count].to_vec();
        lines.sort_unstable();
        if let Some(excerpt) = fit_item_lines(item, text, &lines, limit) {
            return (lines.len() >= signature.min(all.len())).then_some(excerpt);
        }
        count -= (count / 12).max(1);
    }
    None
}

fn add_cost(sum: &mut usize, cost: usize) -> usize {
    *sum += cost;
    *sum
}

/// Returns the item with these lines of its text, or `None` if it is over the limit.
fn fit_item_lines(
    item: &PackSymbol,
    text: &DeclarationText,
    lines: &[usize],
    limit: usize,
) -> Option<PackSymbol> {
    let lines = settle_blank_lines(text, lines);
    let (shown, ranges) = compose_excerpt(text, &lines);
    let whole = lines.len() == text.lines.len();
    let is_left_out = |at: &usize| text.lines[*at].trim().is_empty() && lines.binary_search(at).is_err();
    let blank_lines = (0..text.lines.len()).filter(is_left_out).map(|at| text.line_number(at)).collect();
    let mut item = PackSymbol {
        detail: if whole { DetailLevel::Body } else { DetailLevel::Trimmed },
        text: Some(shown),
        text_line: text.first_line,
        shown_lines: ranges,
        blank_lines,
        ..item.clone()
    };
    item.tokens = count_tokens(&render_item(&item));
    (item.tokens <= limit).then_some(item)
}

/// Fills the gaps that consist of blank lines, and removes the blank lines next to other gaps, so that
/// these gaps join. No mark stands for blank lines alone, and none follows another.
fn settle_blank_lines(text: &DeclarationText, lines: &[usize]) -> Vec<usize> {
    let is_blank = |at: usize| text.lines[at].trim().is_empty();
    let mut filled: Vec<usize> = Vec::with_capacity(lines.len());
    for &at in lines {
        if let Some(&before) = filled.last()
            && (before + 1..at).all(is_blank)
        {
            filled.extend(before + 1..at);
        }
        filled.push(at);
    }
    let mut settled = Vec::with_capacity(filled.len());
    for run in filled.chunk_by(|before, after| before + 1 == *after) {
        let (first, last) = (run[0], run[run.len() - 1]);
        let leading = if first > 0 { run.iter().take_while(|&&at| is_blank(at)).count() } else { 0 };
        let precedes_gap = last + 1 < text.lines.len();
        let trailing =
            if precedes_gap { run.iter().rev().take_while(|&&at| is_blank(at)).count() } else { 0 };
        settled.extend_from_slice(run.get(leading..run.len() - trailing).unwrap_or_default());
    }
    settled
}

/// Returns the lines in the order of the file with a mark for each gap, and their ranges. The mark
/// names the lines of the gap, so that a reader knows the number of every shown line. It has the
/// indentation of the line after the gap.
fn compose_excerpt(text: &DeclarationText, lines: &[usize]) -> (String, Vec<LineRange>) {
    let mut shown = String::new();
    let mut ranges: Vec<LineRange> = Vec::new();
    let mut next = 0;
    let push_gap = |shown: &mut String, from: usize, to: usize, like: &str| {
        if from < to {
            let indentation = &like[..like.len() - like.trim_start().len()];
            let (first, last) = (text.line_number(from), text.line_number(to - 1));
            let _ = writeln!(shown, "{indentation}{}", mark_gap(first, last));
        }
    };
    for &at in lines {
        push_gap(&mut shown, next, at, &text.lines[at]);
        shown.push_str(&text.lines[at]);
        shown.push('\n');
        let number = text.line_number(at);
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
        next = at + 1;
    }
    let last = lines.last().map_or("", |&at| text.lines[at].as_str());
    push_gap(&mut shown, next, text.lines.len(), last);
    shown.truncate(shown.trim_end_matches('\n').len());
    (shown, ranges)
}

/// Returns the mark for lines of a file that are not shown.
pub fn mark_gap(first: u32, last: u32) -> String {
    if first == last { format!("⋮ line {first}") } else { format!("⋮ lines {first}-{last}") }
}

/// Returns the lines that are not hidden, most important first. Returns all of them, or at least
/// `limit`, because a line has at least one token.
fn order_lines(
    item: &PackSymbol,
    text: &DeclarationText,
    relevance: &LineRelevance,
    hidden: &[bool],
    limit: usize,
) -> Vec<usize> {
    let lines = &text.lines;
    let mut order = LineOrder { taken: hidden.to_vec(), order: Vec::with_capacity(lines.len()) };
    // A file has no signature.
    let signature = if item.kind == SymbolKind::File { 0 } else { signature_length(lines) };
    order.add_lines(0..signature);
    let indentations: Vec<Option<usize>> = lines.iter().map(|line| indentation_of(line)).collect();
    if lines.get(signature).is_some_and(|line| begins_documentation(line, &item.doc)) {
        order.add_lines(signature..=signature);
    }
    let own_name = item.name.rsplit('.').next().unwrap_or_default();
    let values = text
        .values
        .get_or_init(|| lines.iter().map(|line| relevance.value_of_line(line, own_name)).collect());
    let least = if item.kind == SymbolKind::File { relevance.file_line_value } else { f64::MIN_POSITIVE };
    let mut matching: Vec<usize> = (signature..lines.len()).filter(|&at| values[at] >= least).collect();
    matching.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
    for at in matching {
        if order.order.len() >= limit {
            return order.order;
        }
        if order.taken[at] {
            continue;
        }
        order.add_lines(enclosing_lines(&indentations, at).into_iter());
        order.add_lines(at..=at);
        order.add_lines(nested_lines(&indentations, at));
        order.add_lines(
            at.saturating_sub(CONTEXT_LINES).max(signature)..(at + 1 + CONTEXT_LINES).min(lines.len()),
        );
    }
    // What is left of a file is license heads and imports, unless it has words of the task.
    if item.kind == SymbolKind::File {
        return order.order;
    }
    let mut rest: Vec<usize> = (0..lines.len()).collect();
    if is_container(item.kind) {
        let depth = |at: usize| indentations[at].unwrap_or(usize::MAX);
        rest.sort_by_key(|&at| (depth(at), at));
    }
    order.add_lines(rest.into_iter());
    order.order
}

/// Whether a line contains the beginning of the documentation, as in a docstring.
fn begins_documentation(line: &str, doc: &str) -> bool {
    let beginning: String = doc.chars().take(20).collect();
    !beginning.is_empty() && line.contains(&beginning)
}

/// The lines in the order in which they were added, each once.
struct LineOrder {
    taken: Vec<bool>,
    order: Vec<usize>,
}

impl LineOrder {
    fn add_lines(&mut self, lines: impl Iterator<Item = usize>) {
        for at in lines {
            if let Some(taken) = self.taken.get_mut(at).filter(|taken| !**taken) {
                *taken = true;
                self.order.push(at);
            }
        }
    }
}

/// Returns the width of a line's indentation; `None` for a blank line.
fn indentation_of(line: &str) -> Option<usize> {
    let rest = line.trim_start();
    (!rest.is_empty()).then_some(line.len() - rest.len())
}

/// Returns the number of lines up to the end of the signature: the first line that closes every
/// bracket that the lines before it opened.
fn signature_length(lines: &[String]) -> usize {
    let mut open = 0_i64;
    for (at, line) in lines.iter().enumerate().take(MAX_SIGNATURE_LINES) {
        open += line.chars().filter(|c| matches!(c, '(' | '[')).count() as i64;
        open -= line.chars().filter(|c| matches!(c, ')' | ']')).count() as i64;
        let is_attribute = line.trim_start().starts_with(['@', '#', '[']);
        if open <= 0 && !is_attribute {
            return at + 1;
        }
    }
    1
}

/// Returns the lines above a line that enclose it, outermost first: each is indented less than all
/// lines between it and the line.
fn enclosing_lines(indentations: &[Option<usize>], at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(mut depth) = indentations[at] else { return found };
    for above in (0..at).rev() {
        if let Some(indentation) = indentations[above].filter(|&indentation| indentation < depth) {
            depth = indentation;
            found.push(above);
            if depth == 0 {
                break;
            }
        }
    }
    found.reverse();
    found
}

/// Returns the first lines of the block that a line begins.
fn nested_lines(indentations: &[Option<usize>], at: usize) -> std::ops::Range<usize> {
    let depth = indentations[at].unwrap_or_default();
    let below = indentations.iter().skip(at + 1).take(NESTED_LINES);
    let nested = below.take_while(|indentation| indentation.is_none_or(|found| found > depth)).count();
    at + 1..at + 1 + nested
}

fn is_container(kind: SymbolKind) -> bool {
    !kind.is_callable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// A class whose line numbers are 1 to 10; lines 3, 6 and 8 are blank.
    const CLASS: &str = "class Cart:\n    total = 0\n\n    def add(self):\n        pass\n\n    def sum(self):\n\n        pass\n    end = 1\n";

    fn excerpt_of(lines: &[usize]) -> (String, Vec<LineRange>) {
        let text = DeclarationText::from_text(CLASS, 1).unwrap();
        compose_excerpt(&text, &settle_blank_lines(&text, lines))
    }

    #[test]
    fn blank_lines_between_gaps_join_them() {
        let (shown, ranges) = excerpt_of(&[0, 1, 2, 5, 9]);
        expect![[r"
            class Cart:
                total = 0
                ⋮ lines 3-9
                end = 1"]]
        .assert_eq(&shown);
        assert_eq!(ranges, [(1, 2), (10, 10)]);
    }

    #[test]
    fn blank_lines_inside_a_shown_part_stay() {
        let (shown, ranges) = excerpt_of(&[0, 1, 2, 3, 4, 5]);
        expect![[r"
            class Cart:
                total = 0

                def add(self):
                    pass
                    ⋮ lines 6-10"]]
        .assert_eq(&shown);
        assert_eq!(ranges, [(1, 5)]);
    }

    #[test]
    fn a_gap_of_blank_lines_is_shown() {
        assert_eq!(excerpt_of(&[0, 1, 3, 4]), excerpt_of(&[0, 1, 2, 3, 4]));
    }

    #[test]
    fn a_whole_declaration_keeps_its_blank_lines() {
        let all: Vec<usize> = (0..10).collect();
        assert_eq!(excerpt_of(&all), (CLASS.trim_end().to_owned(), vec![(1, 10)]));
    }

    #[test]
    fn an_excerpt_of_blank_lines_is_empty() {
        assert!(excerpt_of(&[2, 5, 7]).1.is_empty());
    }
}
