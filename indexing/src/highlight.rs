//! Splits code into keywords, strings, comments and names, which a terminal shows in colors.
//!
//! The input is the id of a language and a piece of code, which may be incomplete. The output is a
//! sequence of adjacent parts that cover the code, each with its class. The grammars are the same
//! as for indexing; the highlighting query of a grammar determines the class of each node. Code in
//! a language without such a query is one plain part.

use crate::bounded_parse::{StepBudget, parse_text};
use crate::languages::{LanguageRegistry, find_highlight_query};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

/// The class of a part of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighlightClass {
    /// A word of the language.
    Keyword,
    /// The text of a string or of a character.
    String,
    /// A comment.
    Comment,
    /// A number or another constant of the language.
    Constant,
    /// The name of a function.
    Function,
    /// The name of a type.
    Type,
    /// An attribute, an annotation or a tag.
    Attribute,
    /// Everything else.
    Plain,
}

/// The names of captures in queries, with the class of each. A capture belongs to the longest name
/// that it begins with.
const CAPTURES: [(&str, HighlightClass); 21] = [
    ("keyword", HighlightClass::Keyword),
    ("conditional", HighlightClass::Keyword),
    ("repeat", HighlightClass::Keyword),
    ("include", HighlightClass::Keyword),
    ("exception", HighlightClass::Keyword),
    ("string", HighlightClass::String),
    ("character", HighlightClass::String),
    ("comment", HighlightClass::Comment),
    ("number", HighlightClass::Constant),
    ("float", HighlightClass::Constant),
    ("boolean", HighlightClass::Constant),
    ("constant.builtin", HighlightClass::Constant),
    ("function", HighlightClass::Function),
    ("method", HighlightClass::Function),
    ("constructor", HighlightClass::Type),
    ("type", HighlightClass::Type),
    ("module", HighlightClass::Plain),
    ("attribute", HighlightClass::Attribute),
    ("tag", HighlightClass::Attribute),
    ("property", HighlightClass::Plain),
    ("variable", HighlightClass::Plain),
];

/// A part of code that has one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighlightedPart {
    /// The bytes of the part.
    pub bytes: Range<usize>,
    /// Its class.
    pub class: HighlightClass,
}

/// Returns the parts of `code`, which together are the whole code. `language` is an id of
/// `languages.toml`; code in an unknown language is one plain part.
pub fn highlight_code(language: &str, code: &str) -> Vec<HighlightedPart> {
    let plain = || vec![HighlightedPart { bytes: 0..code.len(), class: HighlightClass::Plain }];
    let Some(configuration) = find_configuration(language) else { return plain() };
    let Some(closer) = find_closer(&configuration.language, code) else { return plain() };
    let closed = [code, closer].concat();
    let Some(mut parts) = collect_parts(&configuration, &closed) else { return plain() };
    parts.retain(|part| part.bytes.start < code.len());
    if let Some(last) = parts.last_mut() {
        last.bytes.end = code.len();
    }
    parts
}

/// Maximum number of steps of parsing a piece of code. A whole pack of 8,000 tokens takes about
/// 1,000.
const MAX_PARSE_STEPS: u64 = 20_000;

/// The ends of strings and comments of several lines. A shortened piece of code may lack one.
const CLOSERS: [&str; 4] = ["\"\"\"", "\u{27}\u{27}\u{27}", "*/", "`"];

/// Returns the closer that leaves the fewest errors when it is appended to a piece of code; empty
/// if none reduces them. Without the end of a string or comment, its text would look like code.
/// Returns `None` if the code cannot be parsed within the limits: a piece of a file can be worse
/// than the whole file.
fn find_closer(language: &tree_sitter::Language, code: &str) -> Option<&'static str> {
    let mut fewest = count_error_bytes(language, code)?;
    let mut best = "";
    for closer in CLOSERS {
        let opener = if closer == "*/" { "/*" } else { closer };
        if fewest > 0 && code.contains(opener) {
            let errors = count_error_bytes(language, &[code, closer].concat());
            if let Some(errors) = errors.filter(|&errors| errors < fewest) {
                (fewest, best) = (errors, closer);
            }
        }
    }
    Some(best)
}

/// Returns the number of bytes in parts that the grammar does not understand; missing tokens count
/// as one byte. Returns `None` if the code cannot be parsed within the limits.
fn count_error_bytes(language: &tree_sitter::Language, code: &str) -> Option<usize> {
    let steps = StepBudget::with_limit(MAX_PARSE_STEPS);
    let tree = parse_text(language, code.as_bytes(), None, &steps).tree?;
    let mut errors = 0;
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if node.is_error() {
            errors += node.byte_range().len().max(1);
        } else if node.is_missing() {
            errors += 1;
        } else if node.has_error() {
            let mut cursor = node.walk();
            waiting.extend(node.children(&mut cursor));
        }
    }
    Some(errors)
}

/// Returns the compiled query of a language, compiling it on first use; `None` if there is none.
fn find_configuration(language: &str) -> Option<Arc<HighlightConfiguration>> {
    static COMPILED: LazyLock<Mutex<HashMap<String, Option<Arc<HighlightConfiguration>>>>> =
        LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = compiled.get(language) {
        return known.clone();
    }
    let configuration = compile_configuration(language).map(Arc::new);
    compiled.insert(language.to_owned(), configuration.clone());
    configuration
}

fn compile_configuration(language: &str) -> Option<HighlightConfiguration> {
    let query = find_highlight_query(language)?;
    let grammar = LanguageRegistry::get().find_by_id(language)?.tree_sitter_language();
    let mut configuration = HighlightConfiguration::new(grammar, language, &query, "", "").ok()?;
    configuration.configure(&CAPTURES.map(|(name, _)| name));
    Some(configuration)
}

fn collect_parts(configuration: &HighlightConfiguration, code: &str) -> Option<Vec<HighlightedPart>> {
    let mut highlighter = Highlighter::new();
    let events = highlighter.highlight(configuration, code.as_bytes(), None, None, |_| None).ok()?;
    let (mut parts, mut classes) = (Vec::<HighlightedPart>::new(), Vec::new());
    for event in events {
        match event.ok()? {
            HighlightEvent::HighlightStart(highlight) => {
                classes.push(CAPTURES.get(highlight.0).map_or(HighlightClass::Plain, |(_, class)| *class));
            }
            HighlightEvent::HighlightEnd => {
                classes.pop();
            }
            HighlightEvent::Source { start, end } => {
                let class = classes.last().copied().unwrap_or(HighlightClass::Plain);
                match parts.last_mut() {
                    Some(last) if last.class == class && last.bytes.end == start => last.bytes.end = end,
                    _ => parts.push(HighlightedPart { bytes: start..end, class }),
                }
            }
        }
    }
    let is_whole = parts.last().map_or(0, |part| part.bytes.end) == code.len();
    let is_text = parts.iter().all(|part| code.get(part.bytes.clone()).is_some());
    (is_whole && is_text).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes_of(language: &str, code: &str) -> Vec<(String, HighlightClass)> {
        let parts = highlight_code(language, code);
        let whole: String = parts.iter().map(|part| &code[part.bytes.clone()]).collect();
        assert_eq!(whole, code, "{language}");
        let named = parts.into_iter().filter(|part| part.class != HighlightClass::Plain);
        named.map(|part| (code[part.bytes].to_owned(), part.class)).collect()
    }

    #[test]
    fn every_query_compiles_for_its_grammar() {
        for language in LanguageRegistry::get().all_languages() {
            let id = language.language_id();
            if find_highlight_query(id).is_some() {
                assert!(compile_configuration(id).is_some(), "{id}");
            }
        }
    }

    #[test]
    fn code_in_common_languages_has_keywords_strings_and_comments() {
        for (language, code, keyword) in [
            ("python", "def f():  # note\n    return 'a'\n", "def"),
            ("go", "func f() string { return \"a\" } // note\n", "func"),
            ("rust", "fn f() -> &'static str { \"a\" } // note\n", "fn"),
            ("typescript", "function f(): string { return 'a' } // note\n", "function"),
            ("tsx", "const f = () => { return 'a' } // note\n", "const"),
            ("javascript", "function f() { return 'a' } // note\n", "function"),
            ("java", "class A { String f() { return \"a\"; } } // note\n", "class"),
            ("kotlin", "fun f(): String { return \"a\" } // note\n", "fun"),
            ("cpp", "class A { int f() { return g(\"a\"); } }; // note\n", "class"),
            ("csharp", "class A { string F() { return \"a\"; } } // note\n", "class"),
            ("terraform", "resource \"a\" \"b\" { count = 1 } # note\n", "resource"),
            ("proto", "import \"a.proto\"; message Cart { int32 id = 1; } // note\n", "message"),
            ("graphql", "\"a\" type Cart { id: ID! } # note\n", "type"),
        ] {
            let classes = classes_of(language, code);
            let has = |text: &str, class| {
                classes.iter().any(|(part, part_class)| part.contains(text) && *part_class == class)
            };
            assert!(has(keyword, HighlightClass::Keyword), "{language}: {classes:?}");
            assert!(has("a", HighlightClass::String), "{language}: {classes:?}");
            assert!(has("note", HighlightClass::Comment), "{language}: {classes:?}");
        }
    }

    #[test]
    fn names_and_values_in_schemas_and_configurations_have_their_classes() {
        let shows = |language: &str, code: &str, expected: &[(&str, HighlightClass)]| {
            let classes = classes_of(language, code);
            for (text, class) in expected {
                assert!(classes.contains(&((*text).to_owned(), *class)), "{language} {text}: {classes:?}");
            }
        };
        shows(
            "terraform",
            "resource \"bucket\" \"logs\" {\n  name = \"a-${var.stage}-b\"\n  keep = true\n  size = max(1, 2)\n}\n",
            &[
                ("resource", HighlightClass::Keyword),
                ("\"a-", HighlightClass::String),
                ("-b\"", HighlightClass::String),
                ("true", HighlightClass::Constant),
                ("max", HighlightClass::Function),
                ("2", HighlightClass::Constant),
            ],
        );
        shows(
            "proto",
            "service Carts {\n  rpc Find(FindRequest) returns (stream Cart);\n}\nenum Kind { OPEN = 0; }\n",
            &[
                ("service", HighlightClass::Keyword),
                ("Carts", HighlightClass::Type),
                ("Find", HighlightClass::Function),
                ("FindRequest", HighlightClass::Type),
                ("stream", HighlightClass::Keyword),
                ("OPEN", HighlightClass::Constant),
                ("0", HighlightClass::Constant),
            ],
        );
        shows(
            "graphql",
            "query CartOf($id: ID!) { cart(id: $id, kind: OPEN, limit: 5) @cached { ...Items } }\n",
            &[
                ("query", HighlightClass::Keyword),
                ("CartOf", HighlightClass::Function),
                ("ID", HighlightClass::Type),
                ("OPEN", HighlightClass::Constant),
                ("5", HighlightClass::Constant),
                ("@cached", HighlightClass::Attribute),
                ("Items", HighlightClass::Function),
            ],
        );
    }

    #[test]
    fn the_text_of_an_unterminated_string_is_not_code() {
        let code = "class A:\n    \"\"\"Returns None if the class\n    is not known\n\n";
        let classes = classes_of("python", code);
        let words: Vec<&str> = classes
            .iter()
            .filter(|(_, class)| *class == HighlightClass::Keyword)
            .map(|(text, _)| text.as_str())
            .collect();
        assert_eq!(words, ["class"], "{classes:?}");
        let comment = classes_of("java", "/** Returns the class\n * if known\n");
        assert!(comment.iter().all(|(_, class)| *class == HighlightClass::Comment), "{comment:?}");
    }

    #[test]
    fn parts_cover_broken_code_and_code_in_unknown_languages() {
        classes_of("python", "def f(:\n  return (((\n\"");
        classes_of("go", "} é 😀 func");
        classes_of("rust", "");
        assert_eq!(classes_of("cobol", "MOVE A TO B"), []);
    }
}
