//! The results of a search as lines of text, for a terminal and for pipes.

use crate::format::search::{SearchHitJson, SearchJson};
use crate::similar_names::ask_if_meant;
use crate::terminal::screen::{DIM_STYLE, NAME_STYLE, Screen};
use crate::terminal::text_flow::TextFlow;
use console::measure_text_width;
use std::fmt::Write;

/// The indentation below a place.
const INDENT: &str = "    ";

/// Maximum length of a signature in characters. Generated signatures fill pages.
const MAX_SIGNATURE_CHARS: usize = 120;

/// Returns the files of the hits, the best first.
pub fn hit_paths<'h>(answer: &'h SearchJson<'_>) -> Vec<&'h str> {
    answer.hits.iter().map(|hit| hit.file.as_str()).collect()
}

/// Renders the hits: place, name, kind and score, then the signature and the documentation.
pub fn render_hits(answer: &SearchJson<'_>, screen: &Screen) -> String {
    if answer.hits.is_empty() {
        let question = ask_if_meant(&answer.similar);
        let gap = if question.is_empty() { "" } else { " " };
        return format!("Nothing in this workspace matches {:?}.{gap}{question}\n", answer.query);
    }
    let mut out = String::new();
    for hit in &answer.hits {
        write_hit(hit, screen, &mut out);
    }
    out
}

fn write_hit(hit: &SearchHitJson, screen: &Screen, out: &mut String) {
    let name = if hit.kind == "file" { "" } else { &hit.name };
    let via = hit.via.as_ref().map_or_else(String::new, |step| format!(", {} {}", step.edge, step.from));
    let about = format!("{} {:.2}{via}", hit.kind, hit.score);
    let parts = [
        screen.link_place(&hit.file, hit.line),
        screen.paint(name, NAME_STYLE),
        screen.paint(&about, DIM_STYLE),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    // A line that does not fit the width continues below the place.
    let line = parts.join("  ");
    let is_wide = measure_text_width(&line) > screen.width();
    let _ = writeln!(out, "{}", if is_wide { parts.join("\n    ") } else { line });
    for text in [shorten_line(&hit.signature), hit.doc.clone()] {
        if measure_text_width(&text) + INDENT.len() > screen.width() {
            let mut flow = TextFlow::default();
            flow.push_text(&text, |word| screen.paint(word, DIM_STYLE));
            flow.write_lines(out, screen.text_width(), INDENT, INDENT);
        } else if !text.is_empty() {
            let _ = writeln!(out, "{INDENT}{}", screen.paint(&text, DIM_STYLE));
        }
    }
}

/// Shortens a signature that is too long for a line.
pub fn shorten_line(text: &str) -> String {
    match text.char_indices().nth(MAX_SIGNATURE_CHARS) {
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
    use std::path::Path;

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

    fn render(screen: &Screen) -> (String, Vec<String>) {
        let freshness = Freshness::default();
        let step = SearchStepJson { edge: "member_of", from: "Cart".to_owned() };
        let hits = vec![
            SearchHitJson { doc: "Adds an item.".to_owned(), ..hit("src/cart.py", Some(3), "Cart.add") },
            SearchHitJson { via: Some(step), ..hit("src/cart.py", Some(9), "Cart.drop") },
            hit("src/b\u{1b}.py", None, "b.py"),
        ];
        let answer =
            SearchJson { query: "add", hits, similar: Vec::new(), freshness: &freshness, text: None };
        (render_hits(&answer, screen), hit_paths(&answer).into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn plain_lines_have_no_control_characters() {
        let (hits, paths) = render(&Screen::plain());
        expect![[r#"
            src/cart.py:3  Cart.add  method 0.95
                def add(self, item)
                Adds an item.
            src/cart.py:9  Cart.drop  method 0.95, member_of Cart
                def add(self, item)
            src/b\u{1b}.py  file 0.95
        "#]]
        .assert_eq(&hits);
        assert_eq!(paths, ["src/cart.py", "src/cart.py", "src/b\u{1b}.py"]);
    }

    #[test]
    fn a_terminal_gets_colors_and_links() {
        let (hits, _) = render(&Screen::styled(Path::new("/shop"), 80));
        expect![[r#"ESC]8;;file:///shop/src/cart.pyESC\ESC[35msrc/cart.py:3ESC[0mESC]8;;ESC\  ESC[1mCart.addESC[0m  ESC[2mmethod 0.95ESC[0m"#]].assert_eq(&hits.lines().next().unwrap_or_default().replace('\x1b', "ESC"));
    }

    #[test]
    fn a_narrow_terminal_has_the_name_below_the_place() {
        let (hits, _) = render(&Screen::unstyled(40, 24));
        expect![[r#"
            src/cart.py:3  Cart.add  method 0.95
                def add(self, item)
                Adds an item.
            src/cart.py:9
                Cart.drop
                method 0.95, member_of Cart
                def add(self, item)
            src/b\u{1b}.py  file 0.95
        "#]]
        .assert_eq(&hits);
    }

    #[test]
    fn an_empty_answer_says_so() {
        let freshness = Freshness::default();
        let answer = SearchJson {
            query: "qx",
            hits: Vec::new(),
            similar: vec!["query".to_owned()],
            freshness: &freshness,
            text: None,
        };
        assert_eq!(
            render_hits(&answer, &Screen::plain()),
            "Nothing in this workspace matches \"qx\". Did you mean query?\n"
        );
        assert!(hit_paths(&answer).is_empty());
    }
}
