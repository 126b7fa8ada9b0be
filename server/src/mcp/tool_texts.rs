//! The texts of the tools (`tools.toml`) and of the server (`instructions.md`).

use serde::Deserialize;
use std::sync::LazyLock;

/// The text about the server that a client shows its model.
pub const INSTRUCTIONS: &str = include_str!("instructions.md");

/// The texts of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolText {
    /// The name of the tool.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The use of the tool, its arguments and its result, for the model.
    pub description: String,
}

/// The content of `tools.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolTexts {
    tool: Vec<ToolText>,
}

static TEXTS: LazyLock<Vec<ToolText>> = LazyLock::new(|| {
    let texts: ToolTexts = toml::from_str(include_str!("tools.toml")).expect("a test parses tools.toml");
    texts.tool
});

/// Returns the texts of a tool; `None` if there is no such tool.
pub fn find_text(name: &str) -> Option<&'static ToolText> {
    TEXTS.iter().find(|text| text.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::TOOLS;

    /// Maximum size of a text in bytes. Clients cut descriptions and instructions at 2 KB.
    const MAX_BYTES: usize = 2000;

    #[test]
    fn every_tool_has_texts_and_every_text_a_tool() {
        let tools: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let texts: Vec<&str> = TEXTS.iter().map(|text| text.name.as_str()).collect();
        assert_eq!(tools, texts);
        assert!(tools.len() <= 5);
    }

    #[test]
    fn texts_are_short_and_begin_with_when_to_use_the_tool() {
        assert!(INSTRUCTIONS.len() < MAX_BYTES, "{}", INSTRUCTIONS.len());
        for text in TEXTS.iter() {
            assert!(text.description.len() < MAX_BYTES, "{}: {}", text.name, text.description.len());
            assert!(text.description.starts_with("Call this "), "{}", text.name);
        }
    }
}
