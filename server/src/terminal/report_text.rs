//! A report of a few sentences, which pipes get as plain text and people with styles and links.
//!
//! A command builds the lines once. [`ReportText::to_plain`] returns their words and nothing else.
//! [`ReportText::render`] paints the same words for a screen, makes files and folders links, and
//! wraps the lines to the width of the screen.

use super::screen::{DIM_STYLE, NAME_STYLE, PATH_STYLE, Screen, WARNING_STYLE};
use super::text_flow::TextFlow;
use anstyle::Style;
use kenning_retrieval::pack::code_span;
use std::borrow::Cow;
use std::path::Path;

/// The indentation of the second and later screen lines of one line.
const NEXT_INDENT: &str = "  ";

/// The lines of a report.
#[derive(Clone, Debug, Default)]
pub struct ReportText {
    lines: Vec<ReportLine>,
}

/// A line of a report: pieces without line breaks.
#[derive(Clone, Debug, Default)]
pub struct ReportLine {
    pieces: Vec<ReportPiece>,
}

#[derive(Clone, Debug)]
enum ReportPiece {
    /// Words in a style.
    Words { text: String, style: Style },
    /// The path of a file in the workspace, which becomes a link.
    File(String),
    /// The absolute path of a folder, which becomes a link.
    Folder(String),
    /// A name that is inline code in plain text.
    Name(String),
}

impl ReportText {
    /// Adds a line.
    pub fn push_line(&mut self, line: ReportLine) {
        self.lines.push(line);
    }

    /// Returns the text without styles. Every line ends with a line break.
    pub fn to_plain(&self) -> String {
        self.lines.iter().map(|line| line.to_plain() + "\n").collect()
    }

    /// Returns the text for a screen. Every line ends with a line break.
    pub fn render(&self, screen: &Screen) -> String {
        let mut out = String::new();
        for line in &self.lines {
            line.write_screen_lines(&mut out, screen);
        }
        out
    }
}

impl From<ReportLine> for ReportText {
    fn from(line: ReportLine) -> Self {
        Self { lines: vec![line] }
    }
}

impl ReportLine {
    /// Returns a line that is a sentence about the outcome.
    pub fn headline(text: impl Into<String>) -> Self {
        Self::default().with_words(text, NAME_STYLE)
    }

    /// Returns a line that is a warning.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::default().with_words(text, WARNING_STYLE)
    }

    /// Returns a line that begins with the name of what follows.
    pub fn labeled(label: impl Into<String>) -> Self {
        Self::default().with_words(label, DIM_STYLE)
    }

    /// Adds text without a style.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        self.with_words(text, Style::new())
    }

    /// Adds text in a style.
    #[must_use]
    pub fn with_words(self, text: impl Into<String>, style: Style) -> Self {
        self.with_piece(ReportPiece::Words { text: text.into(), style })
    }

    /// Adds a name.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        self.with_piece(ReportPiece::Name(name.to_owned()))
    }

    /// Adds the absolute path of a folder.
    #[must_use]
    pub fn with_folder(self, path: &Path) -> Self {
        self.with_piece(ReportPiece::Folder(path.display().to_string()))
    }

    /// Adds paths of files in the workspace, separated by commas. Lists at most `max_files`, and
    /// the number of the others.
    #[must_use]
    pub fn with_files(mut self, paths: &[&str], max_files: usize) -> Self {
        for (at, path) in paths.iter().take(max_files).enumerate() {
            if at > 0 {
                self = self.with_text(", ");
            }
            self = self.with_piece(ReportPiece::File((*path).to_owned()));
        }
        match paths.len().checked_sub(max_files) {
            Some(more) if more > 0 => self.with_words(format!(" and {more} more"), DIM_STYLE),
            _ => self,
        }
    }

    fn with_piece(mut self, piece: ReportPiece) -> Self {
        self.pieces.push(piece);
        self
    }

    /// Returns the line without styles and without a line break at its end.
    pub fn to_plain(&self) -> String {
        let plain = |piece: &ReportPiece| match piece {
            ReportPiece::Words { text, .. } | ReportPiece::Folder(text) => text.clone(),
            ReportPiece::File(path) => escape_line_breaks(path).into_owned(),
            ReportPiece::Name(name) => code_span(name),
        };
        self.pieces.iter().map(plain).collect()
    }

    fn write_screen_lines(&self, out: &mut String, screen: &Screen) {
        let mut flow = TextFlow::default();
        for piece in &self.pieces {
            match piece {
                ReportPiece::Words { text, style } => {
                    flow.push_text(text, |word| screen.paint(word, *style));
                }
                ReportPiece::File(path) => {
                    let shown = screen.shown_path(path);
                    let painted = screen.paint(&escape_line_breaks(&shown), PATH_STYLE);
                    flow.push_piece(&screen.link_file(path, &painted));
                }
                ReportPiece::Folder(path) => {
                    let painted = screen.paint(&escape_line_breaks(path), PATH_STYLE);
                    flow.push_piece(&screen.link_file(path, &painted));
                }
                ReportPiece::Name(name) if screen.is_styled() => {
                    flow.push_piece(&screen.paint(&escape_line_breaks(name), NAME_STYLE));
                }
                ReportPiece::Name(name) => flow.push_piece(&code_span(name)),
            }
        }
        flow.write_lines(out, screen.text_width(), "", NEXT_INDENT);
    }
}

/// Escapes a path with line breaks, so that it cannot look like a line of the report.
fn escape_line_breaks(path: &str) -> Cow<'_, str> {
    if path.contains(['\n', '\r']) { path.escape_debug().to_string().into() } else { path.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn report() -> ReportText {
        let mut text = ReportText::from(ReportLine::headline("Indexed 3 files."));
        text.push_line(
            ReportLine::labeled("Skipped: ").with_files(&["a b.py", "x\ny.py", "src/deep/c.py", "d.py"], 3),
        );
        text.push_line(ReportLine::default().with_text("- used: ").with_name("cart.py::Cart"));
        text.push_line(ReportLine::default().with_folder(Path::new("/w/my shop")).with_text(" is trusted"));
        text.push_line(ReportLine::warning("Damage was found"));
        text
    }

    #[test]
    fn the_plain_text_is_the_words_of_the_lines() {
        expect![[r#"
            Indexed 3 files.
            Skipped: a b.py, x\ny.py, src/deep/c.py and 1 more
            - used: `cart.py::Cart`
            /w/my shop is trusted
            Damage was found
        "#]]
        .assert_eq(&report().to_plain());
    }

    #[test]
    fn a_screen_gets_styles_and_links_and_the_same_words() {
        let screen = Screen::styled(Path::new("/w"), 40);
        let painted = report().render(&screen);
        expect![[r#"
            Indexed 3 files.
            Skipped: a b.py, x\ny.py, src/deep/c.py
              and 1 more
            - used: cart.py::Cart
            /w/my shop is trusted
            Damage was found
        "#]]
        .assert_eq(&console::strip_ansi_codes(&painted));
        assert!(painted.starts_with("\x1b[1mIndexed\x1b[0m"), "{painted:?}");
        assert!(
            painted.contains("\x1b]8;;file:///w/src/deep/c.py\x1b\\\x1b[35msrc/deep/c.py"),
            "{painted:?}"
        );
        assert!(painted.contains("\x1b]8;;file:///w/my%20shop\x1b\\\x1b[35m/w/my shop"), "{painted:?}");
        assert!(painted.contains("\x1b[1mcart.py::Cart\x1b[0m"), "{painted:?}");
        assert!(painted.contains("\x1b[33mDamage\x1b[0m"), "{painted:?}");
    }

    #[test]
    fn a_terminal_without_styles_gets_wrapped_plain_text() {
        let text = report().render(&Screen::unstyled(40, 24));
        assert!(!text.contains('\x1b') && text.contains("`cart.py::Cart`"), "{text:?}");
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text:?}");
        let hostile = ReportText::from(ReportLine::default().with_folder(Path::new("/w/\x1b[2J")));
        assert!(!hostile.render(&Screen::unstyled(40, 24)).contains('\x1b'));
    }
}
