//! A blast radius for people at a terminal: the numbers, then the users under their files, and the
//! meanings of the marks at the end.
//!
//! In: a [`BlastJson`], and the width, the height and the colors of the screen. Out: text that ends
//! with a line break. A mark stands for evidence that is weaker than the code itself.
//!
//! Invariant: only marks that occur are explained, and every mark that occurs is.

use super::{BlastJson, DependentJson, MAX_LISTED, OverloadJson};
use crate::format::users::{UserGroupJson, UserJson};
use crate::format::wording::{group_digits, render_quantity};
use crate::format::{package_uses, ripple};
use crate::terminal::markdown_view::render_markdown;
use crate::terminal::place_list::{FactRow, PlaceRow, write_facts, write_heading, write_places};
use crate::terminal::screen::{DIM_STYLE, NAME_STYLE, Screen, TITLE_STYLE, WARNING_STYLE};
use console::measure_text_width;
use kenning_graph::Provenance;
use std::fmt::Write;

/// The marks of users, with their meanings.
const MARKS: [(&str, &str); 4] = [
    ("~", "may use another definition"),
    ("?", "matched by name"),
    ("✓", "confirmed by a language server"),
    ("●", "observed at run time"),
];

/// The maximum number of listed folders. A core symbol has dependents in hundreds.
const MAX_FOLDERS: usize = 10;

/// The relation that needs no words under the heading of callers.
const PLAIN_CALL: &str = "calls it";

/// Returns the mark for the evidence of a use; empty if the code itself proves the use.
fn choose_mark(ambiguous: bool, provenance: Option<&str>) -> &'static str {
    match provenance.and_then(Provenance::parse) {
        _ if ambiguous => MARKS[0].0,
        Some(Provenance::AstInferred) => MARKS[1].0,
        Some(Provenance::LspResolved) => MARKS[2].0,
        Some(Provenance::Runtime) => MARKS[3].0,
        _ => "",
    }
}

impl BlastJson<'_> {
    /// Returns the files of the target and of its users, the nearest first.
    pub fn user_files(&self) -> Vec<&str> {
        let users = self.users.iter().flat_map(|group| group.files.iter().map(|file| file.file.as_str()));
        let dependents = self.levels.iter().flatten().map(|dependent| &dependent.symbol);
        let dependents = dependents.filter(|symbol| symbol.line > 0).map(|symbol| symbol.file.as_str());
        let target = (self.target.line > 0).then_some(self.target.file.as_str());
        target.into_iter().chain(users).chain(dependents).collect()
    }

    /// Renders the answer for a screen, ending with a line break. Repeats the headline at the end
    /// if the answer is longer than the screen.
    pub fn render_screen(&self, screen: &Screen) -> String {
        let headline = self.render_headline(screen);
        let mut out = headline.clone();
        let mut marks = Vec::new();
        self.write_notes(&mut out, screen);
        for group in self.users.iter().filter(|group| group.role != "test") {
            write_group(&mut out, screen, group, &mut marks);
        }
        for (hops, level) in self.levels.iter().enumerate().skip(1).filter(|(_, level)| !level.is_empty()) {
            write_level(&mut out, screen, hops + 1, level, &mut marks);
        }
        for group in self.users.iter().filter(|group| group.role == "test") {
            write_group(&mut out, screen, group, &mut marks);
        }
        if let Some(uses) = &self.package {
            let mut sections = String::new();
            package_uses::write_sections(&mut sections, uses);
            out.push_str(&render_markdown(&sections, screen));
        }
        ripple::write_screen_section(&mut out, &self.ripple, screen);
        self.write_folders(&mut out, screen);
        if self.truncated {
            out.push_str("\nThe lists may be incomplete.\n");
        }
        write_legend(&mut out, screen, &marks);
        if screen.is_longer_than_screen(&out) {
            let _ = write!(out, "\n{headline}");
        }
        out
    }

    fn render_headline(&self, screen: &Screen) -> String {
        let target = &self.target;
        let place = match target.line {
            0 => screen.paint(&target.qualified_name, DIM_STYLE),
            line => screen.link_place(&target.file, Some(line)),
        };
        let name = screen.paint(&target.name, TITLE_STYLE);
        let kind = screen.paint(target.kind, DIM_STYLE);
        let subject = format!("{name} {kind}");
        let is_wide = measure_text_width(&subject) + measure_text_width(&place) >= screen.width();
        let separator = if is_wide { "\n" } else { " " };
        format!("{subject}{separator}{place}\n{}\n", screen.paint(&self.title, NAME_STYLE))
    }

    /// Writes the notes that come before the lists.
    fn write_notes(&self, out: &mut String, screen: &Screen) {
        if !self.alternatives.is_empty() {
            let names: Vec<&str> = self.alternatives.iter().map(|s| s.qualified_name.as_str()).collect();
            let note = format!("The position may also refer to {}.", names.join(", "));
            let _ = writeln!(out, "\n{}", screen.paint(&note, WARNING_STYLE));
        }
        if !self.overloads.is_empty() {
            write_heading(out, screen, "Overloads, counted together", "");
        }
        for OverloadJson { symbol, signature, title } in &self.overloads {
            let place = screen.link_place(&symbol.file, Some(symbol.line));
            let _ = writeln!(out, "  {place}  {}", screen.paint(signature, NAME_STYLE));
            let _ = writeln!(out, "      {}", screen.paint(title, DIM_STYLE));
        }
        if let Some(line) = self.freshness.render_line() {
            let _ = writeln!(out, "\n{}", screen.paint(&format!("Freshness: {line}."), WARNING_STYLE));
        }
        if let Some(sentence) = &self.no_users {
            let _ = writeln!(out, "\n{sentence}");
        }
        for overridden in &self.through_overrides {
            let (base, callers) = (&overridden.base, overridden.callers.value);
            let callers = render_quantity(callers, "caller");
            let verb = if overridden.callers.value == 1 { "is" } else { "are" };
            let _ = writeln!(
                out,
                "\nOverrides {} at {}; {callers} of that {verb} listed too.",
                screen.paint(&base.name, NAME_STYLE),
                screen.link_place(&base.file, Some(base.line)),
            );
        }
    }

    fn write_folders(&self, out: &mut String, screen: &Screen) {
        if self.folders.len() < 2 {
            return;
        }
        write_heading(out, screen, "Dependents by folder", "");
        let digits = |count: usize| group_digits(count).len();
        let width = self.folders.iter().map(|folder| digits(folder.dependents)).max().unwrap_or_default();
        for folder in self.folders.iter().take(MAX_FOLDERS) {
            let name = if folder.folder.is_empty() { "." } else { &folder.folder };
            let count = group_digits(folder.dependents);
            let _ = writeln!(out, "  {count:>width$}  {}", screen.paint(&screen.shown_path(name), DIM_STYLE));
        }
        if let Some(more) = self.folders.len().checked_sub(MAX_FOLDERS).filter(|&more| more > 0) {
            let _ = writeln!(out, "  {}", screen.paint(&format!("… and {more} more"), DIM_STYLE));
        }
    }
}

fn write_group(out: &mut String, screen: &Screen, group: &UserGroupJson, marks: &mut Vec<&'static str>) {
    let (before, after) =
        (if group.count.approximate { "~" } else { "" }, if group.count.capped { "+" } else { "" });
    write_heading(out, screen, group.label, &format!("{before}{}{after}", group_digits(group.count.value)));
    let rows: Vec<PlaceRow<'_>> = group
        .files
        .iter()
        .flat_map(|file| file.users.iter().map(|user| user_row(&file.file, user)))
        .collect();
    marks.extend(rows.iter().take(MAX_LISTED).map(|row| row.mark));
    write_places(out, screen, &rows, MAX_LISTED);
}

fn user_row<'u>(file: &'u str, user: &'u UserJson) -> PlaceRow<'u> {
    PlaceRow {
        file,
        line: user.use_line.unwrap_or(user.symbol.line),
        name: &user.symbol.name,
        detail: if user.relation == PLAIN_CALL { String::new() } else { user.relation.clone() },
        mark: choose_mark(user.ambiguous, user.provenance),
    }
}

fn write_level(
    out: &mut String,
    screen: &Screen,
    hops: usize,
    level: &[DependentJson],
    marks: &mut Vec<&'static str>,
) {
    write_heading(out, screen, &format!("{hops} hops away"), &group_digits(level.len()));
    let row = |dependent: &'_ DependentJson| {
        (dependent.relation.clone(), choose_mark(dependent.ambiguous, Some(dependent.provenance)))
    };
    let rows: Vec<PlaceRow<'_>> = level
        .iter()
        .map(|dependent| {
            let (detail, mark) = row(dependent);
            let symbol = &dependent.symbol;
            PlaceRow { file: &symbol.file, line: symbol.line, name: &symbol.name, detail, mark }
        })
        .collect();
    marks.extend(rows.iter().take(MAX_LISTED).map(|row| row.mark));
    write_places(out, screen, &rows, MAX_LISTED);
}

/// Explains the marks that occur.
fn write_legend(out: &mut String, screen: &Screen, marks: &[&'static str]) {
    let used = MARKS.iter().filter(|(mark, _)| marks.contains(mark));
    let rows: Vec<FactRow> = used
        .map(|(mark, meaning)| FactRow {
            label: screen.paint(mark, WARNING_STYLE),
            text: (*meaning).to_owned(),
        })
        .collect();
    if !rows.is_empty() {
        out.push('\n');
        write_facts(out, screen, &rows, DIM_STYLE);
    }
}
