//! The results of a search as lines of text, with colors and links if a terminal shows them.

use crate::format::search::{SearchHitJson, SearchJson};
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use kenning_retrieval::pack::escape_control_chars;
use lsp_types::Uri;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The style of paths.
const PATH_STYLE: Style = AnsiColor::Magenta.on_default();
/// The style of names.
const NAME_STYLE: Style = Style::new().bold();
/// The style of everything that matters less.
const DIM_STYLE: Style = Style::new().dimmed();

/// Longest signature on a line, in characters.
const SIGNATURE_CHARS: usize = 120;

/// The look of lines.
pub struct LineStyle {
    /// The folder of the workspace, to which links lead; `None` for plain text.
    links: Option<PathBuf>,
}

impl LineStyle {
    /// Returns the style of plain text.
    pub const fn plain() -> Self {
        Self { links: None }
    }

    /// Chooses colors and links (OSC 8) for a terminal, and plain text for everything else.
    pub fn choose(choice: ColorChoice, root: &Path) -> Self {
        let is_colored = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
            }
        };
        Self { links: is_colored.then(|| root.to_owned()) }
    }

    fn paint(&self, text: &str, style: Style) -> String {
        match self.links {
            Some(_) if !text.is_empty() => format!("{style}{text}{style:#}"),
            _ => text.to_owned(),
        }
    }

    /// Returns a text that leads to a file if it is clicked.
    fn link_file(&self, path: &str, text: &str) -> String {
        let painted = self.paint(&escape_control_chars(text), PATH_STYLE);
        match self.links.as_ref().and_then(|root| Uri::from_file_path(root.join(path))) {
            Some(uri) => format!("\x1b]8;;{}\x1b\\{painted}\x1b]8;;\x1b\\", uri.as_str()),
            None => painted,
        }
    }
}

/// Renders the files of the hits, each once, the best first.
pub fn render_paths(answer: &SearchJson<'_>, style: &LineStyle) -> String {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    for path in answer.hits.iter().map(|hit| hit.file.as_str()).filter(|path| seen.insert(*path)) {
        let _ = writeln!(out, "{}", style.link_file(path, path));
    }
    out
}

/// Renders the hits: place, name, kind and score, then the signature and what the documentation says.
pub fn render_hits(answer: &SearchJson<'_>, style: &LineStyle) -> String {
    if answer.hits.is_empty() {
        return format!("Nothing in this workspace matches {:?}.\n", answer.query);
    }
    let mut out = String::new();
    for hit in &answer.hits {
        write_hit(hit, style, &mut out);
    }
    out
}

fn write_hit(hit: &SearchHitJson, style: &LineStyle, out: &mut String) {
    let place = match hit.line {
        Some(line) => format!("{}:{line}", hit.file),
        None => hit.file.clone(),
    };
    let name = if hit.kind == "file" { "".into() } else { escape_control_chars(&hit.name) };
    let via = hit.via.as_ref().map_or_else(String::new, |step| format!(", {} {}", step.edge, step.from));
    let about = format!("{} {:.2}{}", hit.kind, hit.score, escape_control_chars(&via));
    let parts =
        [style.link_file(&hit.file, &place), style.paint(&name, NAME_STYLE), style.paint(&about, DIM_STYLE)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "{}", parts.join("  "));
    for text in [shorten_line(&hit.signature), hit.doc.clone()] {
        if !text.is_empty() {
            let _ = writeln!(out, "    {}", style.paint(&escape_control_chars(&text), DIM_STYLE));
        }
    }
}

/// Returns the beginning of a signature that is too long for a line.
pub fn shorten_line(text: &str) -> String {
    match text.char_indices().nth(SIGNATURE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::search::SearchStepJson;
    use crate::freshness::Freshness;
    use expect_test::expect;

    fn hit(file: &str, line: Option<u32>, name: &str) -> SearchHitJson {
        SearchHitJson {
            kind: if line.is_some() { "method" } else { "file" },
            name: name.to_owned(),
            file: file.to_owned(),
            line,
            end_line: line,
            score: 0.95,
            id: None,
            signature: line.map_or_else(String::new, |_| "def add(self, item)".to_owned()),
            doc: String::new(),
            via: None,
            location: None,
        }
    }

    fn render(links: Option<&str>) -> (String, String) {
        let freshness = Freshness::default();
        let step = SearchStepJson { edge: "member_of", from: "Cart".to_owned() };
        let hits = vec![
            SearchHitJson { doc: "Adds an item.".to_owned(), ..hit("src/cart.py", Some(3), "Cart.add") },
            SearchHitJson { via: Some(step), ..hit("src/cart.py", Some(9), "Cart.drop") },
            hit("src/b\u{1b}.py", None, "b.py"),
        ];
        let answer = SearchJson { query: "add", hits, freshness: &freshness, text: None };
        let style = LineStyle { links: links.map(PathBuf::from) };
        (render_hits(&answer, &style), render_paths(&answer, &style))
    }

    #[test]
    fn plain_lines_have_no_control_characters() {
        let (hits, paths) = render(None);
        expect![[r#"
            src/cart.py:3  Cart.add  method 0.95
                def add(self, item)
                Adds an item.
            src/cart.py:9  Cart.drop  method 0.95, member_of Cart
                def add(self, item)
            src/b\u{1b}.py  file 0.95
        "#]]
        .assert_eq(&hits);
        expect![[r#"
            src/cart.py
            src/b\u{1b}.py
        "#]]
        .assert_eq(&paths);
    }

    #[test]
    fn a_terminal_gets_colors_and_links() {
        let (hits, _) = render(Some("/shop"));
        expect![[r#"ESC]8;;file:///shop/src/cart.pyESC\ESC[35msrc/cart.py:3ESC[0mESC]8;;ESC\  ESC[1mCart.addESC[0m  ESC[2mmethod 0.95ESC[0m"#]].assert_eq(&hits.lines().next().unwrap_or_default().replace('\x1b', "ESC"));
    }

    #[test]
    fn an_empty_answer_says_so() {
        let freshness = Freshness::default();
        let answer = SearchJson { query: "qx", hits: Vec::new(), freshness: &freshness, text: None };
        let style = LineStyle { links: None };
        assert_eq!(render_hits(&answer, &style), "Nothing in this workspace matches \"qx\".\n");
        assert_eq!(render_paths(&answer, &style), "");
    }
}
