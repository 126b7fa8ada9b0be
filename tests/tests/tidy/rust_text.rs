//! Splits Rust sources into code and literals, so that words in comments and strings do not count
//! as code, and finds the functions in the code.

/// The text of a source in two layers with the same lines and columns. Text that is not in a layer
/// is blank there.
pub struct SourceLayers {
    /// The source without comments or the contents of string and character literals.
    pub code: String,
    /// The contents of string literals only.
    pub literals: String,
}

/// The construct that the scanner is in.
enum ScanState {
    Code,
    LineComment,
    /// A block comment, with its depth of nesting.
    BlockComment(usize),
    /// A string literal, with the number of hashes if it is raw.
    StringLiteral(Option<usize>),
}

/// The layer to which characters belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextLayer {
    Code,
    Literal,
    Neither,
}

/// A step of the scanner.
struct ScanStep {
    /// Number of characters.
    length: usize,
    layer: TextLayer,
    /// The new state, if it changes.
    next: Option<ScanState>,
}

impl ScanStep {
    const fn new(length: usize, layer: TextLayer, next: Option<ScanState>) -> Self {
        Self { length, layer, next }
    }
}

/// Splits a source into its layers. Unterminated literals and comments extend to the end.
pub fn split_layers(source: &str) -> SourceLayers {
    let chars: Vec<char> = source.chars().collect();
    let (mut code, mut literals) = (String::with_capacity(source.len()), String::with_capacity(source.len()));
    let mut state = ScanState::Code;
    let mut at = 0;
    while at < chars.len() {
        let here = &chars[at..];
        let step = match state {
            ScanState::Code => step_in_code(here, at.checked_sub(1).map(|before| chars[before])),
            ScanState::LineComment => {
                ScanStep::new(1, TextLayer::Neither, (here[0] == '\n').then_some(ScanState::Code))
            }
            ScanState::BlockComment(depth) => match here {
                ['/', '*', ..] => {
                    ScanStep::new(2, TextLayer::Neither, Some(ScanState::BlockComment(depth + 1)))
                }
                ['*', '/', ..] if depth == 1 => ScanStep::new(2, TextLayer::Neither, Some(ScanState::Code)),
                ['*', '/', ..] => {
                    ScanStep::new(2, TextLayer::Neither, Some(ScanState::BlockComment(depth - 1)))
                }
                _ => ScanStep::new(1, TextLayer::Neither, None),
            },
            ScanState::StringLiteral(None) => match here {
                ['\\', _, ..] => ScanStep::new(2, TextLayer::Literal, None),
                ['"', ..] => ScanStep::new(1, TextLayer::Code, Some(ScanState::Code)),
                _ => ScanStep::new(1, TextLayer::Literal, None),
            },
            ScanState::StringLiteral(Some(hashes)) => {
                let closes = here[0] == '"' && here[1..].iter().take_while(|c| **c == '#').count() >= hashes;
                if closes {
                    ScanStep::new(1 + hashes, TextLayer::Code, Some(ScanState::Code))
                } else {
                    ScanStep::new(1, TextLayer::Literal, None)
                }
            }
        };
        for &c in &here[..step.length] {
            let blank = if c == '\n' { '\n' } else { ' ' };
            code.push(if step.layer == TextLayer::Code { c } else { blank });
            literals.push(if step.layer == TextLayer::Literal { c } else { blank });
        }
        state = step.next.unwrap_or(state);
        at += step.length;
    }
    SourceLayers { code, literals }
}

/// Takes one step of the scanner in code. `before` is the previous character.
fn step_in_code(here: &[char], before: Option<char>) -> ScanStep {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match here {
        ['/', '/', ..] => ScanStep::new(2, TextLayer::Neither, Some(ScanState::LineComment)),
        ['/', '*', ..] => ScanStep::new(2, TextLayer::Neither, Some(ScanState::BlockComment(1))),
        ['"', ..] => ScanStep::new(1, TextLayer::Code, Some(ScanState::StringLiteral(None))),
        // A character literal. Otherwise the quote starts a lifetime or a label.
        ['\'', '\\', escaped @ ..] => {
            let end = escaped.iter().skip(1).position(|c| *c == '\'').map_or(here.len(), |end| end + 4);
            ScanStep::new(end, TextLayer::Neither, None)
        }
        ['\'', _, '\'', ..] => ScanStep::new(3, TextLayer::Neither, None),
        ['r', rest @ ..] | ['b' | 'c', 'r', rest @ ..] if !in_word => {
            let prefix = here.len() - rest.len();
            let hashes = rest.iter().take_while(|c| **c == '#').count();
            if rest.get(hashes) == Some(&'"') {
                ScanStep::new(
                    prefix + hashes + 1,
                    TextLayer::Code,
                    Some(ScanState::StringLiteral(Some(hashes))),
                )
            } else {
                ScanStep::new(1, TextLayer::Code, None)
            }
        }
        _ => ScanStep::new(1, TextLayer::Code, None),
    }
}

/// Returns the code layer with the bodies of `#[cfg(test)]` modules and functions blanked.
pub fn without_tests(code: &str) -> String {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let mut blanked = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(ATTRIBUTE) {
        let after = start + ATTRIBUTE.len();
        let body = rest[after..].find(['{', ';']).filter(|&at| rest[after + at..].starts_with('{'));
        let Some(open) = body.map(|at| after + at) else {
            blanked.push_str(&rest[..after]);
            rest = &rest[after..];
            continue;
        };
        let end = find_block_end(rest, open);
        blanked.push_str(&rest[..start]);
        blanked.extend(rest[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    blanked.push_str(rest);
    blanked
}

/// Returns the offset after the brace that closes the brace at `open`, or the end of the text if
/// the closing brace is missing.
fn find_block_end(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + at + 1;
        }
    }
    code.len()
}

/// The name and the extent of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionExtent {
    pub name: String,
    /// The first line, from 1.
    pub line: usize,
    /// The number of lines, with the body.
    pub line_count: usize,
}

/// Returns the functions with a body in the code layer.
pub fn find_functions(code: &str) -> Vec<FunctionExtent> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(is_word_char) {
            continue;
        }
        let rest = code[at + 3..].trim_start();
        let name: String = rest.chars().take_while(|c| is_word_char(*c)).collect();
        let body = code[at..].find(['{', ';']).filter(|&brace| code[at + brace..].starts_with('{'));
        if let (false, Some(brace)) = (name.is_empty(), body) {
            let end = find_block_end(code, at + brace);
            let line_count = code[at..end].matches('\n').count() + 1;
            functions.push(FunctionExtent { name, line: line_of(code, at), line_count });
        }
    }
    functions
}

/// Returns the line (from 1) of an offset.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// Whether a character is part of a word.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{find_functions, split_layers, without_tests};

    #[test]
    fn comments_and_literals_are_not_code() {
        let source = r##"let a = "todo!()"; // dbg!
let b = r#"std::fs " quote"#; /* x /* y */ z */ let c = '"'; let d: &'static str = "\"e";
let f = '\''; let g = b"h"; macro_rules! r { () => {} }"##;
        let layers = split_layers(source);
        for word in ["todo", "dbg", "std::fs", "quote", "x", "z ", "e\"", "h"] {
            assert!(!layers.code.contains(word), "{word} in {}", layers.code);
        }
        for word in ["let a", "let b", "let c", "let d: &'static str", "let f", "let g", "macro_rules! r"] {
            assert!(layers.code.contains(word), "{word} in {}", layers.code);
        }
        assert!(layers.literals.contains("std::fs \" quote") && layers.literals.contains("todo!()"));
        assert!(!layers.literals.contains("dbg") && !layers.literals.contains("let"));
        assert_eq!(layers.code.chars().count(), source.chars().count());
    }

    #[test]
    fn test_modules_are_blanked() {
        let code = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { x }\n}\nfn c() {}\n#[cfg(test)]\nmod other;\nfn d() {}";
        let product = without_tests(code);
        assert!(
            product.contains("fn a")
                && product.contains("fn c")
                && product.contains("fn d")
                && !product.contains("fn b")
        );
        assert_eq!(product.lines().count(), code.lines().count());
    }

    #[test]
    fn functions_are_measured_with_their_bodies() {
        let code =
            "fn one() {}\ntrait T { fn none(&self);\n}\nfn three(\n  f: fn(u8) -> u8,\n) { if a { b }\n}\n";
        let measured = find_functions(code);
        let extents = measured.iter().map(|f| (f.name.as_str(), f.line, f.line_count));
        assert_eq!(extents.collect::<Vec<_>>(), [("one", 1, 1), ("three", 4, 4)]);
    }

    #[test]
    fn unterminated_source_does_not_panic() {
        for source in ["\"open", "r#\"open", "/* open", "'", "'\\", "fn f() {", "#[cfg(test)] mod t {"] {
            let layers = split_layers(source);
            assert_eq!(layers.code.chars().count(), source.chars().count(), "{source}");
            find_functions(&without_tests(&layers.code));
        }
    }
}
