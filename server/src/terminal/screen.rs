//! The terminal for which an answer is rendered: styles, links, size, and names of paths.
//!
//! A [`Screen`] escapes control characters in every text that it paints. Without styles, it changes
//! nothing else, so that the same code renders answers for terminals, pipes and tests.

use super::path_names::PathNames;
use super::standard_streams::{StandardStream, output_size};
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use console::measure_text_width;
use kenning_indexing::highlight::{HighlightClass, HighlightedPart, highlight_code};
use kenning_retrieval::pack::escape_control_chars;
use lsp_types::Uri;
use std::path::Path;

/// The style of paths.
pub const PATH_STYLE: Style = AnsiColor::Magenta.on_default();
/// The style of names.
pub const NAME_STYLE: Style = Style::new().bold();
/// The style of the title of an answer.
pub const TITLE_STYLE: Style = Style::new().bold();
/// The style of headings.
pub const HEADING_STYLE: Style = AnsiColor::Cyan.on_default().bold();
/// The style of secondary text.
pub const DIM_STYLE: Style = Style::new().dimmed();
/// The style of good results.
pub const GOOD_STYLE: Style = AnsiColor::Green.on_default();
/// The style of warnings.
pub const WARNING_STYLE: Style = AnsiColor::Yellow.on_default();
/// The style of errors.
pub const BROKEN_STYLE: Style = AnsiColor::Red.on_default().bold();

/// Number of columns of a terminal that does not report it.
const DEFAULT_WIDTH: usize = 80;

/// Minimum number of columns for which answers are laid out.
const MIN_WIDTH: usize = 40;

/// Maximum number of columns of running text. Longer lines are hard to read.
const MAX_TEXT_WIDTH: usize = 100;

/// A terminal, or another output that gets the same text.
#[derive(Clone, Debug)]
pub struct Screen {
    is_styled: bool,
    names: Option<PathNames>,
    width: usize,
    /// Number of lines; `None` if the text is not read on a terminal.
    height: Option<usize>,
}

impl Screen {
    /// Returns a screen without styles, links and limits.
    pub const fn plain() -> Self {
        Self { is_styled: false, names: None, width: usize::MAX, height: None }
    }

    /// Returns a screen with styles and links for tests.
    #[cfg(test)]
    pub fn styled(root: &Path, width: usize) -> Self {
        Self { is_styled: true, names: Some(PathNames::new(root, Some(root))), width, height: Some(24) }
    }

    /// Returns a screen without styles for tests.
    #[cfg(test)]
    pub fn unstyled(width: usize, height: usize) -> Self {
        Self { width, height: Some(height), ..Self::plain() }
    }

    /// Returns the screen behind standard output; `None` if that is not a terminal and colors are
    /// not forced. `Auto` follows `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb`.
    pub fn behind_stdout(choice: ColorChoice, root: &Path) -> Option<Self> {
        let is_terminal = StandardStream::Output.is_terminal();
        let is_styled = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => StandardStream::Output.shows_styles(),
        };
        if !is_terminal && !is_styled {
            return None;
        }
        let size = output_size().filter(|_| is_terminal);
        let columns = size.map(|(_, columns)| usize::from(columns)).or_else(read_columns);
        Some(Self {
            is_styled,
            names: Some(PathNames::for_current_folder(root)),
            width: columns.filter(|&columns| columns > 0).unwrap_or(DEFAULT_WIDTH).max(MIN_WIDTH),
            height: size.map(|(rows, _)| usize::from(rows)).filter(|&rows| rows > 0),
        })
    }

    /// Whether styles and links are shown.
    pub const fn is_styled(&self) -> bool {
        self.is_styled
    }

    /// Returns the folder of the workspace that answers are about; the current folder if it is
    /// unknown.
    pub fn workspace_root(&self) -> &Path {
        self.names.as_ref().map_or(Path::new("."), PathNames::root)
    }

    /// Returns the number of columns.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of columns for running text.
    pub fn text_width(&self) -> usize {
        self.width.min(MAX_TEXT_WIDTH)
    }

    /// Whether a text is longer than the screen is high.
    pub fn is_longer_than_screen(&self, text: &str) -> bool {
        let rows = |line: &str| measure_text_width(line).div_ceil(self.width).max(1);
        self.height.is_some_and(|height| text.lines().map(rows).sum::<usize>() >= height)
    }

    /// Returns a text in a style, safe to print.
    pub fn paint(&self, text: &str, style: Style) -> String {
        let text = escape_control_chars(text);
        if self.is_styled && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.into_owned() }
    }

    /// Returns the path of a file as it is named from the current folder.
    pub fn shown_path(&self, path: &str) -> String {
        self.names.as_ref().map_or_else(|| path.to_owned(), |names| names.shown_path(path))
    }

    /// Whether a path names a file of the workspace.
    pub fn is_file(&self, path: &str) -> bool {
        self.names.as_ref().is_some_and(|names| !path.is_empty() && names.absolute_path(path).is_file())
    }

    /// Returns the path of a file, with its line, as a link to the file.
    pub fn link_place(&self, path: &str, line: Option<u32>) -> String {
        let shown = self.shown_path(path);
        let text = line.map_or_else(|| shown.clone(), |line| format!("{shown}:{line}"));
        self.link_file(path, &self.paint(&text, PATH_STYLE))
    }

    /// Returns a painted text as a link to a file (OSC 8).
    pub fn link_file(&self, path: &str, painted: &str) -> String {
        let names = self.names.as_ref().filter(|_| self.is_styled);
        match names.and_then(|names| Uri::from_file_path(names.absolute_path(path))) {
            Some(uri) => format!("\x1b]8;;{}\x1b\\{painted}\x1b]8;;\x1b\\", uri.as_str()),
            None => painted.to_owned(),
        }
    }

    /// Returns code in colors. `language` is an id of the index. The marks of left out lines are
    /// dim.
    pub fn paint_code(&self, language: &str, code: &str) -> String {
        if !self.is_styled {
            return escape_control_chars(code).into_owned();
        }
        let mut parts = highlight_code(language, &blank_marks(code));
        if parts.iter().any(|part| code.get(part.bytes.clone()).is_none()) {
            parts = vec![HighlightedPart { bytes: 0..code.len(), class: HighlightClass::Plain }];
        }
        let mut out = String::with_capacity(code.len() * 2);
        for part in parts {
            // A style ends with its line, so that a pager can show any part of the text.
            for line in code[part.bytes].split_inclusive('\n') {
                let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
                let style =
                    if text.trim_start().starts_with('⋮') { DIM_STYLE } else { class_style(part.class) };
                out.push_str(&self.paint(text, style));
                out.push_str(end);
            }
        }
        out
    }
}

/// Returns the number of columns that the variable `COLUMNS` names.
fn read_columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Returns the code with the marks of left out lines (`⋮ lines 8-18`) replaced by as many bytes of
/// whitespace, so that they are not syntax errors.
fn blank_marks(code: &str) -> String {
    let blank = |line: &str| {
        if line.trim_start().starts_with('⋮') {
            line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
        } else {
            line.to_owned()
        }
    };
    code.split_inclusive('\n').map(blank).collect()
}

fn class_style(class: HighlightClass) -> Style {
    match class {
        HighlightClass::Keyword => AnsiColor::Blue.on_default().bold(),
        HighlightClass::String => AnsiColor::Green.on_default(),
        HighlightClass::Comment => DIM_STYLE,
        HighlightClass::Constant => AnsiColor::Magenta.on_default(),
        HighlightClass::Function => AnsiColor::Yellow.on_default(),
        HighlightClass::Type => AnsiColor::Cyan.on_default(),
        HighlightClass::Attribute => AnsiColor::BrightBlack.on_default(),
        HighlightClass::Plain => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_ends_with_its_line_and_marks_are_dim() {
        let screen = Screen::styled(Path::new("/w"), 80);
        let code = "def f():\n    \"\"\"One\n    two\"\"\"\n    ⋮ lines 4-14\n";
        let painted = screen.paint_code("python", code);
        assert_eq!(console::strip_ansi_codes(&painted), code);
        let lines: Vec<&str> = painted.lines().collect();
        assert!(lines[0].contains("\x1b[1m\x1b[34mdef\x1b[0m"), "{painted:?}");
        assert!(lines[1].ends_with("\x1b[0m"), "{painted:?}");
        assert!(lines[3].contains("\x1b[2m"), "{painted:?}");
    }

    #[test]
    fn texts_cannot_control_the_terminal() {
        for screen in [Screen::plain(), Screen::styled(Path::new("/w"), 80)] {
            let text = screen.paint("a\x1b[2Jb", NAME_STYLE) + &screen.paint_code("python", "x = '\x1b[2J'");
            assert!(!text.contains("\x1b[2J"), "{text:?}");
        }
    }

    #[test]
    fn the_length_of_an_answer_counts_wrapped_lines() {
        let screen = Screen::unstyled(40, 4);
        assert!(!screen.is_longer_than_screen("a\nb\nc\n"));
        assert!(screen.is_longer_than_screen("a\nb\nc\nd\n"));
        assert!(screen.is_longer_than_screen(&format!("a\n{}\n", "x".repeat(100))));
        assert!(!Screen::plain().is_longer_than_screen(&"a\n".repeat(1_000)));
    }
}
