//! Wraps painted words to lines of a width.

use console::measure_text_width;

/// A word, or several painted pieces that must stay on one line.
#[derive(Clone, Debug, Default)]
struct FlowWord {
    painted: String,
    width: usize,
}

/// Words that are written one after the other.
#[derive(Clone, Debug, Default)]
pub struct TextFlow {
    words: Vec<FlowWord>,
    /// Whether the next piece continues the last word.
    is_glued: bool,
}

impl TextFlow {
    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds a text, which may be wrapped at its whitespace. `paint` styles each word.
    pub fn push_text(&mut self, text: &str, paint: impl Fn(&str) -> String) {
        if text.is_empty() {
            return;
        }
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            self.is_glued &= at == 0;
            if !word.is_empty() {
                self.push_piece(&paint(word));
            }
        }
        self.is_glued = !text.ends_with(char::is_whitespace);
    }

    /// Adds a painted piece that is not wrapped. It continues the last word if that did not end
    /// with whitespace.
    pub fn push_piece(&mut self, painted: &str) {
        let width = measure_text_width(painted);
        match self.words.last_mut().filter(|_| self.is_glued) {
            Some(last) => {
                last.painted.push_str(painted);
                last.width += width;
            }
            None => self.words.push(FlowWord { painted: painted.to_owned(), width }),
        }
        self.is_glued = true;
    }

    /// Ends the last word.
    pub fn end_word(&mut self) {
        self.is_glued = false;
    }

    /// Writes the words as lines of at most `width` columns; a longer word has its own line. The
    /// first line begins with `first`, the others with `next`. Writes nothing if there are no
    /// words.
    pub fn write_lines(&self, out: &mut String, width: usize, first: &str, next: &str) {
        let mut column = 0;
        for (at, word) in self.words.iter().enumerate() {
            let indent = if at == 0 { first } else { next };
            if at > 0 && column + 1 + word.width <= width {
                out.push(' ');
                column += 1 + word.width;
            } else {
                if at > 0 {
                    out.push('\n');
                }
                out.push_str(indent);
                column = measure_text_width(indent) + word.width;
            }
            out.push_str(&word.painted);
        }
        if !self.words.is_empty() {
            out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrap(width: usize, build: impl Fn(&mut TextFlow)) -> String {
        let (mut flow, mut out) = (TextFlow::default(), String::new());
        build(&mut flow);
        flow.write_lines(&mut out, width, "- ", "  ");
        out
    }

    #[test]
    fn words_are_wrapped_with_a_hanging_indent() {
        let text = wrap(12, |flow| flow.push_text("one two three averylongword x", str::to_owned));
        assert_eq!(text, "- one two\n  three\n  averylongword\n  x\n");
        assert_eq!(wrap(12, |_| ()), "");
    }

    #[test]
    fn pieces_without_whitespace_between_them_stay_together() {
        let text = wrap(10, |flow| {
            flow.push_text("see (", str::to_owned);
            flow.push_piece("\x1b[1mname\x1b[0m");
            flow.push_text("), ok", str::to_owned);
        });
        assert_eq!(text, "- see\n  (\x1b[1mname\x1b[0m),\n  ok\n");
    }
}
