//! The input and output of a client's hook: JSON on standard input and output.
//!
//! Hooks add context and decide nothing. For an unclear input, they print nothing.

use super::file_extensions::extension_map;
use kenning_retrieval::pack::escape_control_chars;
use serde_json::{Value, json};

/// Maximum length of the added context in characters. The names in a pattern can have many hits.
pub const MAX_CONTEXT_CHARS: usize = 1_500;

/// Minimum length of a word of a pattern in characters. Shorter names have too many hits.
const MIN_WORD_CHARS: usize = 3;

/// Maximum number of words of a pattern. A pattern with more is a list rather than a name.
const MAX_WORDS: usize = 6;

/// Words of glob patterns and regular expressions that name no symbol.
const PATTERN_WORDS: [&str; 19] = [
    "src", "lib", "test", "tests", "index", "main", "mod", "function", "def", "class", "func", "pub",
    "const", "let", "import", "json", "yaml", "toml", "html",
];

/// The form in which a client expects the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// Inside `hookSpecificOutput`, with the name of the event.
    Nested,
    /// As a field of the answer.
    Flat,
}

/// The input of a hook.
#[derive(Clone, Debug)]
pub struct HookInput {
    input: Value,
}

impl HookInput {
    /// Parses the input. Returns `None` if it is not a JSON object.
    pub fn parse_input(text: &str) -> Option<Self> {
        let input: Value = serde_json::from_str(text).ok()?;
        input.is_object().then_some(Self { input })
    }

    /// Returns the working directory of the client.
    pub fn working_folder(&self) -> Option<&str> {
        self.input["cwd"].as_str()
    }

    /// Returns the words of the pattern that the client searches for. Returns an empty list if
    /// there is no pattern, or if its words cannot name a symbol.
    pub fn pattern_words(&self) -> Vec<String> {
        let arguments = ["tool_input", "toolArgs"].iter().find_map(|key| self.input.get(*key));
        // Some clients pass the arguments as a JSON text.
        let parsed = arguments.and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
        let arguments: Option<Value> = parsed.or(arguments.cloned());
        let pattern = arguments.as_ref().and_then(|arguments| arguments["pattern"].as_str());
        pattern.map(split_pattern).unwrap_or_default()
    }

    /// Renders the answer with added context, shortened to [`MAX_CONTEXT_CHARS`]. Returns `None` if
    /// the form needs the name of the event and the input has none.
    pub fn render_reply(&self, context: &str, form: ReplyForm) -> Option<String> {
        // Both texts end up in a terminal, and in JSON only ASCII is certain to be escaped.
        let context: String = escape_control_chars(context).chars().take(MAX_CONTEXT_CHARS).collect();
        let reply = match form {
            ReplyForm::Flat => json!({ "additionalContext": context }),
            ReplyForm::Nested => {
                let event = escape_control_chars(self.input["hook_event_name"].as_str()?);
                json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context } })
            }
        };
        Some(format!("{reply}\n"))
    }
}

/// Splits a glob pattern or a regular expression into the words that it searches for.
fn split_pattern(pattern: &str) -> Vec<String> {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        if char == '\\' {
            // `\b`, `\s` and others are not text; `\.` separates words.
            chars.next();
            text.push(' ');
        } else {
            text.push(char);
        }
    }
    let is_separator = |char: char| !(char.is_alphanumeric() || char == '_' || char == '$');
    let extensions = extension_map();
    let mut words: Vec<String> = Vec::new();
    for word in text.split(is_separator) {
        let is_name = word.chars().count() >= MIN_WORD_CHARS
            && !word.starts_with(|char: char| char.is_ascii_digit())
            && !PATTERN_WORDS.contains(&word.to_lowercase().as_str())
            && !extensions.contains_key(&format!(".{word}"));
        if is_name && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    }
    if words.len() > MAX_WORDS { Vec::new() } else { words }
}

/// The context for the start of a session or of a sub-agent.
pub const START_CONTEXT: &str = "\
Kenning indexes this workspace. `kenning pack \"<task>\"` prints the code that a task needs, ranked and within a token budget; `kenning search \"<words>\"` finds symbols, sections and files.
Before a change, `kenning blast <symbol>` lists callers and tests; after it, `kenning tests --run` prints the commands of the tests that reach the change.";

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pattern: &str) -> Vec<String> {
        split_pattern(pattern)
    }

    #[test]
    fn patterns_are_split_into_names() {
        assert_eq!(words("add_item"), ["add_item"]);
        assert_eq!(words(r"\bCart\.add_item\("), ["Cart", "add_item"]);
        assert_eq!(words("def add_item|class Cart"), ["add_item", "Cart"]);
        assert_eq!(words("src/**/*cart*.py"), ["cart"]);
        for nothing in ["", ".*", "**/*.tsx", r"\d+\s", "a|b", "TODO", "alpha beta gamma delta eps zeta eta"]
        {
            let expected: &[&str] = if nothing == "TODO" { &["TODO"] } else { &[] };
            assert_eq!(words(nothing), expected, "{nothing}");
        }
    }

    #[test]
    fn inputs_of_all_clients_are_read() {
        let claude = r#"{"cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": "Grep", "tool_input": {"pattern": "Cart"}}"#;
        let copilot = r#"{"cwd": "/w", "toolName": "grep", "toolArgs": "{\"pattern\": \"Cart\"}"}"#;
        for text in [claude, copilot] {
            let input = HookInput::parse_input(text).unwrap();
            assert_eq!(input.pattern_words(), ["Cart"]);
            assert_eq!(input.working_folder(), Some("/w"));
        }
        for text in ["", "[]", "{", "7"] {
            assert!(HookInput::parse_input(text).is_none());
        }
        let none = HookInput::parse_input(r#"{"tool_input": {"pattern": 7}}"#).unwrap();
        assert!(none.pattern_words().is_empty() && none.working_folder().is_none());
    }

    #[test]
    fn a_reply_has_the_client_form_and_is_short() {
        let input = HookInput::parse_input(r#"{"hook_event_name": "PreToolUse"}"#).unwrap();
        let nested = input.render_reply("x", ReplyForm::Nested).unwrap();
        let expected = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"x"}}"#;
        assert_eq!(nested.trim_end(), expected);
        let long = input.render_reply(&"é".repeat(9_000), ReplyForm::Flat).unwrap();
        assert_eq!(long.matches('é').count(), MAX_CONTEXT_CHARS);
        let other = HookInput::parse_input("{}").unwrap();
        assert_eq!(other.render_reply("x", ReplyForm::Nested), None);
        assert_eq!(START_CONTEXT.lines().count(), 2);
        assert!(START_CONTEXT.chars().count() <= MAX_CONTEXT_CHARS);
    }
}
