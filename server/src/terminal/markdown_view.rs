//! Renders Markdown for people in a terminal: headings and names in styles instead of marks, places
//! as links, code in colors, and text wrapped to the width of the screen.
//!
//! The input is the Markdown of an answer, and the output is lines. A terminal without styles gets
//! the Markdown itself, because its marks are then the only structure. Line breaks in paragraphs
//! and items are kept, because answers use them to separate facts.

use super::screen::{DIM_STYLE, HEADING_STYLE, NAME_STYLE, Screen, TITLE_STYLE, WARNING_STYLE};
use super::text_flow::TextFlow;
use anstyle::Style;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// The indentation of code.
const CODE_INDENT: &str = "  ";

/// Renders Markdown for a screen.
pub fn render_markdown(markdown: &str, screen: &Screen) -> String {
    if !screen.is_styled() {
        return markdown.to_owned();
    }
    let mut view = MarkdownView {
        screen,
        out: String::with_capacity(markdown.len() * 2),
        flow: TextFlow::default(),
        styles: Vec::new(),
        lists: Vec::new(),
        marker: None,
        quotes: 0,
        code: None,
    };
    for event in Parser::new(markdown) {
        view.add_event(event);
    }
    view.end_lines();
    view.out
}

/// A block of code that is being read.
struct CodeBlock {
    language: String,
    text: String,
}

/// A Markdown text that is being rendered.
struct MarkdownView<'s> {
    screen: &'s Screen,
    out: String,
    /// The words of the lines that are not written yet.
    flow: TextFlow,
    /// The styles of the open blocks and spans, innermost last.
    styles: Vec<Style>,
    /// The open lists: the number of the next item, or `None` for lists without numbers.
    lists: Vec<Option<u64>>,
    /// The mark of an item whose first line is not written yet.
    marker: Option<String>,
    /// Number of open quotes.
    quotes: usize,
    code: Option<CodeBlock>,
}

impl MarkdownView<'_> {
    fn add_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start_block(tag),
            Event::End(tag) => self.end_block(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.text.push_str(&text),
                None => self.push_text(&text),
            },
            Event::Code(code) => self.push_code(&code),
            Event::SoftBreak | Event::HardBreak => self.end_lines(),
            Event::Rule => self.write_blank_line(),
            Event::Html(text) | Event::InlineHtml(text) => self.push_text(&text),
            _ => {}
        }
    }

    fn start_block(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.write_blank_line();
                self.styles.push(if level == HeadingLevel::H1 { TITLE_STYLE } else { HEADING_STYLE });
            }
            Tag::Paragraph if self.lists.is_empty() && self.quotes == 0 => self.write_blank_line(),
            Tag::BlockQuote(_) => {
                self.write_blank_line();
                self.quotes += 1;
                self.styles.push(WARNING_STYLE);
            }
            Tag::CodeBlock(kind) => {
                self.end_lines();
                self.write_blank_line();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                self.code = Some(CodeBlock { language: language.to_owned(), text: String::new() });
            }
            Tag::List(first) => {
                self.end_lines();
                if self.lists.is_empty() {
                    self.write_blank_line();
                }
                self.lists.push(first);
            }
            Tag::Item => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.marker = Some(marker);
            }
            Tag::Emphasis => self.styles.push(Style::new().italic()),
            Tag::Strong => self.styles.push(NAME_STYLE),
            _ => {}
        }
    }

    fn end_block(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_lines();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.end_lines();
                self.quotes = self.quotes.saturating_sub(1);
                self.styles.pop();
            }
            TagEnd::CodeBlock => self.write_code(),
            TagEnd::List(_) => {
                self.end_lines();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.end_lines();
                self.marker = None;
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.styles.pop();
            }
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_lines(),
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        let (screen, style) = (self.screen, self.styles.last().copied().unwrap_or_default());
        self.flow.push_text(text, |word| screen.paint(word, style));
    }

    /// Adds inline code: a link if it is a place in a file, a name in bold, and other code as it
    /// is.
    fn push_code(&mut self, code: &str) {
        let (screen, style) = (self.screen, self.styles.last().copied().unwrap_or(NAME_STYLE));
        let (path, line) = split_place(code);
        if screen.is_file(path) {
            self.flow.push_piece(&screen.link_place(path, line));
        } else if code.contains([' ', '(']) {
            self.flow.push_text(code, |word| screen.paint(word, Style::new()));
        } else {
            self.flow.push_piece(&screen.paint(code, style));
        }
    }

    fn end_lines(&mut self) {
        if self.flow.is_empty() {
            return;
        }
        let quote = self.screen.paint(&"│ ".repeat(self.quotes), DIM_STYLE);
        let depth = "  ".repeat(self.lists.len().saturating_sub(1));
        let next = if self.lists.is_empty() { quote.clone() } else { format!("{quote}{depth}  ") };
        let first = match self.marker.take() {
            Some(marker) => format!("{quote}{depth}{}", self.screen.paint(&marker, DIM_STYLE)),
            None => next.clone(),
        };
        std::mem::take(&mut self.flow).write_lines(&mut self.out, self.screen.text_width(), &first, &next);
    }

    fn write_blank_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn write_code(&mut self) {
        let Some(CodeBlock { language, text }) = self.code.take() else { return };
        for line in self.screen.paint_code(&language, &text).lines() {
            if !line.is_empty() {
                self.out.push_str(CODE_INDENT);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
        self.out.push('\n');
    }
}

/// Splits `path:line` into its parts; the line is `None` if there is none.
fn split_place(code: &str) -> (&str, Option<u32>) {
    match code.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
        Some((path, line)) => (path, Some(line)),
        None => (code, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::path::Path;

    const PACK: &str = "\
# Context: fix \\<it>

2 symbols, 90 of 100 tokens. Pack `0123456789ab`.

> Freshness: 1 file is pending.

## Change here

- `app.py:2` `Cart.add_item` (method, lines 2-3)

```python
def add_item(self, item):
    return item
```
- `none.py:9` `drop` (function)
  `def drop(self, one_item, two_items, three_items)`
  Removes an item &#27;[2J.

Ends at rank 2: each further symbol is 1% likely to be edited, or less.
";

    fn render(width: usize) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("app.py"), "").unwrap();
        let text = render_markdown(PACK, &Screen::styled(folder.path(), width));
        let uri = lsp_types::Uri::from_file_path(folder.path().join("app.py")).unwrap();
        text.replace(uri.as_str(), "file:///app.py").replace('\x1b', "ESC")
    }

    #[test]
    fn marks_become_styles_links_and_colors() {
        expect![[r#"
            ESC[1mContext:ESC[0m ESC[1mfixESC[0m ESC[1m<it>ESC[0m

            2 symbols, 90 of 100 tokens. Pack ESC[1m0123456789abESC[0m.

            ESC[2m│ ESC[0mESC[33mFreshness:ESC[0m ESC[33m1ESC[0m ESC[33mfileESC[0m ESC[33misESC[0m ESC[33mpending.ESC[0m

            ESC[1mESC[36mChangeESC[0m ESC[1mESC[36mhereESC[0m

            ESC[2m• ESC[0mESC]8;;file:///app.pyESC\ESC[35mapp.py:2ESC[0mESC]8;;ESC\ ESC[1mCart.add_itemESC[0m (method, lines 2-3)

              ESC[1mESC[34mdefESC[0m ESC[33madd_itemESC[0m(self, item):
                  ESC[1mESC[34mreturnESC[0m item

            ESC[2m• ESC[0mESC[1mnone.py:9ESC[0m ESC[1mdropESC[0m (function)
              def drop(self, one_item, two_items, three_items)
              Removes an item \u{1b}[2J.

            Ends at rank 2: each further symbol is 1% likely to be
            edited, or less.
        "#]].assert_eq(&render(60));
    }

    #[test]
    fn a_terminal_without_styles_gets_the_markdown() {
        assert_eq!(render_markdown(PACK, &Screen::unstyled(40, 24)), PACK);
        assert_eq!(render_markdown("", &Screen::styled(Path::new("/w"), 80)), "");
    }
}
