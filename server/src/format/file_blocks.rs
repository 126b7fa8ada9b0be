//! The symbols of a group in Markdown, with the parts of one declaration in one block.
//!
//! A class and its methods are read together: they are listed above one block with all their shown
//! lines in the order of the file, and a mark names the lines of each gap. Functions in a row stay
//! apart, so that the best one comes first.

use kenning_graph::SymbolKind;
use kenning_retrieval::pack::{code_fence, escape_control_chars, mark_gap, render_head};
use kenning_retrieval::{PackSymbol, render_item};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Renders symbols, which are in the order of reading.
pub fn render_symbols(symbols: &[&PackSymbol]) -> String {
    let files = symbols.chunk_by(|a, b| a.file == b.file);
    files.flat_map(join_nested).map(|block| render_block(&block)).collect()
}

/// Returns the blocks of one file, each with its symbols by line, in the order of their best symbols.
fn join_nested<'a>(symbols: &[&'a PackSymbol]) -> Vec<Vec<&'a PackSymbol>> {
    let mut by_line: Vec<usize> = (0..symbols.len()).filter(|&at| has_plain_lines(symbols[at])).collect();
    by_line.sort_by_key(|&at| (symbols[at].text_line, std::cmp::Reverse(symbols[at].end_line), at));
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut end = 0;
    for at in by_line {
        match blocks.last_mut() {
            Some(block) if symbols[at].text_line <= end => block.push(at),
            _ => blocks.push(vec![at]),
        }
        end = end.max(symbols[at].end_line);
    }
    blocks.extend((0..symbols.len()).filter(|&at| !has_plain_lines(symbols[at])).map(|at| vec![at]));
    blocks.sort_by_key(|block| block.iter().min().copied());
    blocks.into_iter().map(|block| block.into_iter().map(|at| symbols[at]).collect()).collect()
}

/// Whether the number of each line of a symbol's text is known.
fn has_plain_lines(symbol: &PackSymbol) -> bool {
    let count: u32 = symbol.shown_lines.iter().map(|(first, last)| last - first + 1).sum();
    symbol.kind != SymbolKind::File && count > 0 && shown_texts(symbol).count() == count as usize
}

/// Returns the lines of a symbol's text without the marks of gaps.
fn shown_texts(symbol: &PackSymbol) -> impl Iterator<Item = &str> {
    symbol.text.as_deref().unwrap_or_default().lines().filter(|line| !line.trim_start().starts_with('⋮'))
}

fn render_block(symbols: &[&PackSymbol]) -> String {
    let [first, _, ..] = symbols else { return symbols.iter().map(|symbol| render_item(symbol)).collect() };
    let mut lines: BTreeMap<u32, &str> = BTreeMap::new();
    for symbol in symbols {
        let numbers = symbol.shown_lines.iter().flat_map(|(first, last)| *first..=*last);
        lines.extend(numbers.zip(shown_texts(symbol)));
    }
    let shown: BTreeSet<u32> = lines.keys().copied().collect();
    for &blank in symbols.iter().flat_map(|symbol| &symbol.blank_lines) {
        if is_gap_blank(&shown, symbols, blank) {
            lines.insert(blank, "");
        }
    }
    let last = symbols.iter().map(|symbol| symbol.end_line).max().unwrap_or(first.end_line);
    let text = compose_lines(&lines, first.text_line, last);
    let fence = code_fence(&text);
    let mut out: String = symbols.iter().map(|symbol| render_head(symbol)).collect();
    let _ = write!(out, "\n{fence}{}\n{text}{fence}\n", first.language);
    escape_control_chars(&out).into_owned()
}

/// Whether a blank line is in a gap of blank lines alone, between two shown lines.
fn is_gap_blank(shown: &BTreeSet<u32>, symbols: &[&PackSymbol], line: u32) -> bool {
    let (before, after) = (shown.range(..line).next_back(), shown.range(line..).next());
    let is_blank = |line: u32| symbols.iter().any(|symbol| symbol.blank_lines.binary_search(&line).is_ok());
    matches!((before, after), (Some(&before), Some(&after)) if (before + 1..after).all(is_blank))
}

/// Returns the lines with a mark for each gap between the first and the last line.
fn compose_lines(lines: &BTreeMap<u32, &str>, first: u32, last: u32) -> String {
    let (mut out, mut next, mut indentation) = (String::new(), first, "");
    for (&number, &line) in lines {
        indentation = &line[..line.len() - line.trim_start().len()];
        if number > next {
            let _ = writeln!(out, "{indentation}{}", mark_gap(next, number - 1));
        }
        out.push_str(line);
        out.push('\n');
        next = number + 1;
    }
    if next <= last {
        let _ = writeln!(out, "{indentation}{}", mark_gap(next, last));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::samples::sample_symbol;
    use expect_test::expect;
    use kenning_retrieval::DetailLevel;

    fn symbol(name: &str, lines: (u32, u32), shown: &[(u32, u32)], text: &str) -> PackSymbol {
        let symbol = sample_symbol(name, 0, DetailLevel::Trimmed, Some(text));
        let shown_lines = shown.to_vec();
        PackSymbol { line: lines.0, text_line: lines.0, end_line: lines.1, shown_lines, ..symbol }
    }

    #[test]
    fn blank_lines_between_shown_lines_are_no_gap() {
        let method = symbol("Cart.add", (13, 13), &[(13, 13)], "  def add(): pass");
        let class = symbol("Cart", (10, 20), &[(10, 11)], "class Cart:\n  total = 0\n  ⋮ lines 12-20");
        let class = PackSymbol { blank_lines: vec![12, 14], ..class };
        let text = render_symbols(&[&class, &method]);
        assert!(text.contains("  total = 0\n\n  def add(): pass\n  ⋮ lines 14-20\n"), "{text}");
    }

    #[test]
    fn nested_texts_share_a_block_and_others_keep_their_rank() {
        let late = symbol("late", (40, 41), &[(40, 41)], "def late():\n    pass");
        let method =
            symbol("Cart.add", (12, 14), &[(12, 12), (14, 14)], "  def add():\n    ⋮ line 13\n    b()");
        let class = symbol("Cart", (10, 20), &[(10, 11)], "class Cart:\n  total = 0\n  ⋮ lines 12-20");
        let named = PackSymbol { text: None, shown_lines: vec![], ..symbol("name", (50, 60), &[], "") };
        let named = PackSymbol { detail: DetailLevel::Name, ..named };
        expect![[r#"
            - `src/app.py:40` `late` (method, lines 40-41)

            ```python
            def late():
                pass
            ```
            - `src/app.py:10` `Cart` (method, lines 10-20)
            - `src/app.py:12` `Cart.add` (method, lines 12-14)

            ```python
            class Cart:
              total = 0
              def add():
                ⋮ line 13
                b()
                ⋮ lines 15-20
            ```
            - `src/app.py:50` `name` (method)
        "#]]
        .assert_eq(&render_symbols(&[&late, &method, &class, &named]));
    }
}
