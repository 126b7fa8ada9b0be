//! Lists of places in files, and tables of two columns, for a screen.

use super::screen::{DIM_STYLE, HEADING_STYLE, NAME_STYLE, PATH_STYLE, Screen, WARNING_STYLE};
use super::text_flow::TextFlow;
use anstyle::Style;
use console::measure_text_width;
use std::fmt::Write;

/// Width of the column of line numbers.
const LINE_WIDTH: usize = 7;

/// Indentation of a text below its cell.
const STACKED_INDENT: usize = 6;

/// Indentation of the second and further lines of a text, after the width of the column before it.
const CONTINUATION_INDENT: usize = 4;

/// A place in a file.
#[derive(Clone, Debug)]
pub struct PlaceRow<'a> {
    /// The path in the workspace; the package of a symbol outside of it.
    pub file: &'a str,
    /// The line, from 1; 0 outside of the workspace.
    pub line: u32,
    /// The name of the place.
    pub name: &'a str,
    /// Facts about the place; may be empty.
    pub detail: String,
    /// The mark of uncertain or confirmed places; may be empty.
    pub mark: &'static str,
}

/// Writes a heading, followed by a count unless that is empty.
pub fn write_heading(out: &mut String, screen: &Screen, heading: &str, count: &str) {
    let count = if count.is_empty() { String::new() } else { format!(" {}", screen.paint(count, DIM_STYLE)) };
    let _ = writeln!(out, "\n{}{count}", screen.paint(heading, HEADING_STYLE));
}

/// Writes places under the names of their files, at most `max_rows` of them. The files are in the
/// order of their first places.
pub fn write_places(out: &mut String, screen: &Screen, rows: &[PlaceRow<'_>], max_rows: usize) {
    let listed = &rows[..rows.len().min(max_rows)];
    let mut files: Vec<&str> = Vec::new();
    for row in listed {
        if !files.contains(&row.file) {
            files.push(row.file);
        }
    }
    for file in files {
        let rows_of_file: Vec<&PlaceRow<'_>> = listed.iter().filter(|row| row.file == file).collect();
        let is_inside = rows_of_file.iter().any(|row| row.line > 0);
        let shown = if is_inside { screen.link_place(file, None) } else { screen.paint(file, PATH_STYLE) };
        let _ = writeln!(out, "  {shown}");
        for row in rows_of_file {
            write_place(out, screen, row);
        }
    }
    if let Some(more) = rows.len().checked_sub(max_rows).filter(|&more| more > 0) {
        let _ = writeln!(out, "  {}", screen.paint(&format!("… and {more} more"), DIM_STYLE));
    }
}

fn write_place(out: &mut String, screen: &Screen, row: &PlaceRow<'_>) {
    let number = if row.line == 0 { String::new() } else { row.line.to_string() };
    let painted = match row.line {
        0 => String::new(),
        _ => screen.link_file(row.file, &screen.paint(&number, PATH_STYLE)),
    };
    let pad = " ".repeat(LINE_WIDTH.saturating_sub(number.len()));
    let mut flow = TextFlow::default();
    flow.push_text(row.name, |word| screen.paint(word, NAME_STYLE));
    flow.end_word();
    if !row.mark.is_empty() {
        flow.push_piece(&screen.paint(row.mark, WARNING_STYLE));
        flow.end_word();
    }
    flow.push_text(&row.detail, |word| screen.paint(word, DIM_STYLE));
    let continuation = " ".repeat(LINE_WIDTH + CONTINUATION_INDENT);
    flow.write_lines(out, screen.width(), &format!("{pad}{painted}  "), &continuation);
}

/// A row of a table: a painted left cell, and a text that is wrapped beside it.
#[derive(Clone, Debug)]
pub struct FactRow {
    /// The left cell.
    pub label: String,
    /// The text of the right cell.
    pub text: String,
}

/// Writes a table of two columns. If the left cells take more than half of the width, each text is
/// below its cell.
pub fn write_facts(out: &mut String, screen: &Screen, rows: &[FactRow], style: Style) {
    let column = rows.iter().map(|row| measure_text_width(&row.label)).max().unwrap_or_default();
    let is_stacked = column > screen.text_width() / 2;
    let continuation = " ".repeat(if is_stacked { STACKED_INDENT } else { column + CONTINUATION_INDENT });
    for row in rows {
        let mut flow = TextFlow::default();
        flow.push_text(&row.text, |word| screen.paint(word, style));
        if is_stacked || flow.is_empty() {
            let _ = writeln!(out, "  {}", row.label);
        }
        let pad = " ".repeat(column - measure_text_width(&row.label));
        let beside = format!("  {}{pad}  ", row.label);
        flow.write_lines(
            out,
            screen.width(),
            if is_stacked { &continuation } else { &beside },
            &continuation,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn places_are_grouped_by_file_and_fit_the_width() {
        let row =
            |file, line, name, detail: &str| PlaceRow { file, line, name, detail: detail.into(), mark: "" };
        let rows = [
            row("src/app.py", 9, "Flask.run", ""),
            PlaceRow {
                mark: "~",
                ..row("src/cli.py", 120, "main", "calls Flask.run through a name that is long")
            },
            row("src/app.py", 42, "Flask.stop", ""),
            row("requests", 0, "get", ""),
            row("src/more.py", 1, "more", ""),
        ];
        let mut out = String::new();
        write_heading(&mut out, &Screen::plain(), "Callers", "5");
        write_places(&mut out, &Screen::unstyled(40, 24), &rows, 4);
        expect![[r#"

            Callers 5
              src/app.py
                  9  Flask.run
                 42  Flask.stop
              src/cli.py
                120  main ~ calls Flask.run through
                       a name that is long
              requests
                     get
              … and 1 more
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn facts_are_aligned_and_wrapped() {
        let row = |label: &str, text: &str| FactRow { label: label.into(), text: text.into() };
        let rows =
            [row("a.py", "changed together in 9 of 12 commits, same folder"), row("lib/b.py", "same folder")];
        let mut out = String::from("Files\n");
        write_facts(&mut out, &Screen::unstyled(40, 24), &rows, DIM_STYLE);
        expect![[r#"
            Files
              a.py      changed together in 9 of 12
                        commits, same folder
              lib/b.py  same folder
        "#]]
        .assert_eq(&out);
        let mut out = String::from("Files\n");
        let rows = [row("lib/deep/er/package/a.py", "same folder"), row("b.py", "")];
        write_facts(&mut out, &Screen::unstyled(40, 24), &rows, DIM_STYLE);
        expect![[r#"
            Files
              lib/deep/er/package/a.py
                  same folder
              b.py
        "#]]
        .assert_eq(&out);
    }
}
