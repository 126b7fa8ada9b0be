//! Divides the text of an answer into pages that fit a budget of tokens.
//!
//! Almost every test reaches the core of a framework, so that a whole answer can be longer than
//! what an agent reads. In: the Markdown of a command, and a budget. Out: the pages. A page shows
//! the first entries of all sections instead of the first section alone, because an agent that reads
//! only one page needs callers and tests. Each section that goes on says how many entries are left.
//!
//! Invariants: no page is larger than the budget, the same text has the same pages, and each entry
//! is on one page. An entry that alone exceeds its share of a page is shortened. A text that fits is
//! one page with the same bytes.

use crate::format::wording::group_digits;
use kenning_retrieval::pack::count_tokens;
use std::fmt::Write;
use std::ops::Range;

/// The tokens of an answer if the call names no budget: about 16,000 characters.
pub const DEFAULT_BUDGET: usize = 4_000;

/// The smallest budget with which a page shows more than headings.
pub const MIN_BUDGET: usize = 200;

/// The share of a page that one entry or heading may fill.
const MAX_ENTRY_SHARE: usize = 4;

/// One section of an answer: a heading, and entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct AnswerSection {
    /// The heading; empty if the text begins without one.
    heading: String,
    entries: Vec<SectionEntry>,
}

/// A line, with its continuation lines and the blank lines after it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SectionEntry {
    text: String,
    /// The line that opens the block of code around the entry.
    fence: Option<String>,
}

/// The part of an answer that one page shows.
#[derive(Clone, Debug)]
struct PageLayout {
    /// The entries of each section.
    shown: Vec<Range<usize>>,
    /// The number of sections that the page mentions.
    mentioned: usize,
    /// The number of the page, from 1.
    number: usize,
}

/// Returns the pages of a text; at least one.
pub fn divide_into_pages(text: &str, budget: usize) -> Vec<String> {
    if count_tokens(text) <= budget {
        return vec![text.to_owned()];
    }
    let sections = read_sections(text, budget / MAX_ENTRY_SHARE);
    let mut starts = vec![0; sections.len()];
    let mut pages = Vec::new();
    while let Some(first) = sections.iter().zip(&starts).position(|(s, &start)| start < s.entries.len()) {
        let page = fill_page(&sections, &starts, first, pages.len() + 1, budget);
        pages.push(render_page(&sections, &page));
        starts = page.shown.into_iter().map(|range| range.end).collect();
    }
    pages
}

/// Reads the sections of a text, and shortens entries and headings of more than `max` tokens.
fn read_sections(text: &str, max: usize) -> Vec<AnswerSection> {
    let mut sections = vec![AnswerSection::default()];
    let mut fence: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let in_code = fence.is_some();
        let section = sections.last_mut().expect("the list begins with a section");
        if line.trim_start().starts_with("```") {
            fence = if in_code { None } else { Some(line.to_owned()) };
        } else if line.starts_with('#') && !in_code {
            sections.push(AnswerSection { heading: line.to_owned(), entries: Vec::new() });
        } else {
            match section.entries.last_mut() {
                Some(entry) if line.trim().is_empty() || (!in_code && line.starts_with([' ', '\t'])) => {
                    entry.text.push_str(line);
                }
                None if line.trim().is_empty() => section.heading.push_str(line),
                _ => section.entries.push(SectionEntry { text: line.to_owned(), fence: fence.clone() }),
            }
        }
    }
    sections.retain(|section| !section.heading.trim().is_empty() || !section.entries.is_empty());
    for section in &mut sections {
        section.heading = shorten_text(&section.heading, max);
        for entry in &mut section.entries {
            entry.text = match &entry.fence {
                Some(_) if count_tokens(&entry.text) > max => describe_long_command(&entry.text),
                _ => shorten_text(&entry.text, max),
            };
        }
    }
    sections
}

/// Half of a command would run the wrong tests, so a command that is too long is named only.
fn describe_long_command(command: &str) -> String {
    let length = group_digits(command.trim_end().chars().count());
    format!("# left out: a command of {length} characters, which kenning tests --run prints\n")
}

/// Cuts a text to a number of tokens, at a character, and says how much is missing.
fn shorten_text(text: &str, max: usize) -> String {
    if count_tokens(text) <= max {
        return text.to_owned();
    }
    let line = text.trim_end();
    let (total, after) = (line.chars().count(), &text[line.len()..]);
    let cut_to = |kept: usize| {
        let head: String = line.chars().take(kept).collect();
        format!("{} … ({} more characters){after}", head.trim_end(), group_digits(total - kept))
    };
    let kept = largest_fitting(total, |kept| count_tokens(&cut_to(kept)) <= max);
    cut_to(kept)
}

/// Returns the largest number up to `max` that fits; 0 if none does. Smaller numbers must fit, too.
pub fn largest_fitting(max: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, max);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Chooses the entries of a page: the same number of every section, then more of the first ones
/// while there is room. The section `first` shows one entry at least, so that the pages end.
fn fill_page(
    sections: &[AnswerSection],
    starts: &[usize],
    first: usize,
    number: usize,
    budget: usize,
) -> PageLayout {
    let fits = |page: &PageLayout| count_tokens(&render_page(sections, page)) <= budget;
    let lay_out = |share: usize, mentioned: usize| {
        let shown = sections.iter().zip(starts).enumerate().map(|(at, (section, &start))| {
            let wanted = if at >= mentioned { 0 } else { share.max(usize::from(at == first)) };
            start..(start + wanted).min(section.entries.len())
        });
        PageLayout { shown: shown.collect(), mentioned, number }
    };
    // Headings alone may exceed a small budget. Sections that are not mentioned come later.
    let mentioned =
        first + 1 + largest_fitting(sections.len() - first - 1, |more| fits(&lay_out(0, first + 1 + more)));
    let longest = sections.iter().map(|section| section.entries.len()).max().unwrap_or(0);
    let share = largest_fitting(longest, |share| fits(&lay_out(share, mentioned)));
    let mut page = lay_out(share, mentioned);
    for (at, section) in sections.iter().enumerate().take(mentioned).skip(first) {
        let shown = page.shown[at].end;
        let extend = |more: usize| {
            let mut extended = page.clone();
            extended.shown[at].end = shown + more;
            extended
        };
        let more = largest_fitting(section.entries.len() - shown, |more| fits(&extend(more)));
        page = extend(more);
    }
    page
}

fn render_page(sections: &[AnswerSection], page: &PageLayout) -> String {
    let mut out = String::new();
    for (at, (section, shown)) in sections.iter().zip(&page.shown).enumerate().take(page.mentioned) {
        // The title says what a later page belongs to. Other sections that ended before are left
        // out.
        let has_ended = shown.start == section.entries.len();
        if at > 0 && has_ended && page.number > 1 {
            continue;
        }
        start_block(&mut out, &section.heading);
        render_entries(&mut out, &section.entries[shown.clone()]);
        let left = section.entries.len() - shown.end;
        if left > 0 {
            let is_list = !shown.is_empty() && section.entries[shown.end - 1].text.starts_with("- ");
            start_block(&mut out, "");
            out.push_str(if is_list { "\n" } else { "\n\n" });
            let _ = writeln!(out, "- … and {} more, from page {}", group_digits(left), page.number + 1);
        }
    }
    start_block(&mut out, "");
    out.push('\n');
    out
}

/// Removes blank lines at the end of a text, and appends a heading after one of them.
fn start_block(out: &mut String, heading: &str) {
    out.truncate(out.trim_end().len());
    if !out.is_empty() && !heading.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(heading);
}

fn render_entries(out: &mut String, entries: &[SectionEntry]) {
    let mut fence: Option<&String> = None;
    for entry in entries {
        if entry.fence.as_ref() != fence {
            close_fence(out, fence);
            if let Some(opening) = &entry.fence {
                out.push_str(opening);
            }
            fence = entry.fence.as_ref();
        }
        out.push_str(&entry.text);
    }
    close_fence(out, fence);
}

fn close_fence(out: &mut String, fence: Option<&String>) {
    if fence.is_some() {
        out.push_str("```\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// An answer with callers, tests and commands.
    fn long_answer(callers: usize, tests: usize) -> String {
        let mut text = "# Blast radius of `add`\n\n`a.py:1` (method): 3 callers\n\n## Callers\n\n".to_owned();
        for at in 0..callers {
            let _ = writeln!(text, "- `src/a{at}.py:7` `call_{at}` (function)");
        }
        text.push_str("\n## Tests\n\n");
        for at in 0..tests {
            let _ = writeln!(text, "- `tests/t{at}.py:9` `test_{at}` (function)");
        }
        text.push_str("\n## Commands\n\n```sh\npytest tests\n```\n");
        text
    }

    #[test]
    fn a_text_that_fits_is_one_page_with_the_same_bytes() {
        let text = long_answer(2, 2);
        assert_eq!(divide_into_pages(&text, 400), [text.as_str()]);
    }

    #[test]
    fn a_page_shows_the_first_entries_of_all_sections() {
        let pages = divide_into_pages(&long_answer(9, 9), 250);
        expect![[r#"
            # Blast radius of `add`

            `a.py:1` (method): 3 callers

            ## Callers

            - `src/a0.py:7` `call_0` (function)
            - `src/a1.py:7` `call_1` (function)
            - `src/a2.py:7` `call_2` (function)
            - `src/a3.py:7` `call_3` (function)
            - `src/a4.py:7` `call_4` (function)
            - `src/a5.py:7` `call_5` (function)
            - … and 3 more, from page 2

            ## Tests

            - `tests/t0.py:9` `test_0` (function)
            - `tests/t1.py:9` `test_1` (function)
            - `tests/t2.py:9` `test_2` (function)
            - `tests/t3.py:9` `test_3` (function)
            - `tests/t4.py:9` `test_4` (function)
            - … and 4 more, from page 2

            ## Commands

            ```sh
            pytest tests
            ```
            =====
            # Blast radius of `add`

            ## Callers

            - `src/a6.py:7` `call_6` (function)
            - `src/a7.py:7` `call_7` (function)
            - `src/a8.py:7` `call_8` (function)

            ## Tests

            - `tests/t5.py:9` `test_5` (function)
            - `tests/t6.py:9` `test_6` (function)
            - `tests/t7.py:9` `test_7` (function)
            - `tests/t8.py:9` `test_8` (function)
        "#]]
        .assert_eq(&pages.join("=====\n"));
    }

    #[test]
    fn every_entry_is_on_one_page_and_no_page_exceeds_the_budget() {
        let text = long_answer(300, 700);
        for budget in [MIN_BUDGET, 333, 1_000, DEFAULT_BUDGET] {
            let pages = divide_into_pages(&text, budget);
            assert!(pages.len() > 1);
            for page in &pages {
                assert!(count_tokens(page) <= budget, "{budget}: {page}");
            }
            let all = pages.concat();
            for line in text.lines().filter(|line| line.starts_with("- ")) {
                assert_eq!(all.matches(line).count(), 1, "{budget}: {line}");
            }
        }
    }

    #[test]
    fn an_entry_that_is_larger_than_a_page_is_shortened() {
        let title = format!("# Tests of {}\n\n", "`src/some/file.py`, ".repeat(500));
        let command =
            format!("## Commands\n\n```sh\npytest{}\npytest short\n```\n", " tests/test_a.py".repeat(500));
        let pages = divide_into_pages(&format!("{title}- {}\n\n{command}", "word ".repeat(900)), MIN_BUDGET);
        for page in &pages {
            assert!(count_tokens(page) <= MIN_BUDGET, "{page}");
        }
        expect![[r#"
            # Tests of `src/some/file.py`, `src/some/file.py`, `src/some/file.py`, `src/some/file.py`, `src/some/file.py`, `src/s … (9,893 more characters) 

            - word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word … (4,299 more characters)

            ## Commands

            ```sh
            # left out: a command of 8,006 characters, which kenning tests --run prints
            pytest short
            ```
        "#]].assert_eq(&pages.join("=====\n"));
    }
}
