//! Tests that the plugin folder for Claude Code (`editors/claude-code`) agrees with the texts and
//! languages of this crate.

use crate::agents::file_extensions::extension_map;
use crate::agents::wanted_items::{SKILL_TEXT, SUBAGENT_TEXT};
use crate::cli::Cli;
use clap::Parser;
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The command that updates the plugin folder.
const UPDATE: &str = "UPDATE_EXPECT=1 cargo test -p kenning --lib plugin_files";

fn plugin_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/claude-code")
}

/// Returns the generated files of the plugin with their texts.
fn generated_files() -> Vec<(&'static str, String)> {
    let lsp = json!({
        "kenning": { "command": "kenning", "args": ["serve"], "extensionToLanguage": extension_map() }
    });
    let mcp = json!({ "mcpServers": { "kenning": { "command": "kenning", "args": ["mcp"] } } });
    let manifest = json!({
        "name": "kenning",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "The code that a task needs, what a change affects, and the tests that reach it, from a local index.",
        "author": { "name": "The Kenning authors", "url": env!("CARGO_PKG_REPOSITORY") },
        "homepage": env!("CARGO_PKG_REPOSITORY"),
        "license": "MIT OR Apache-2.0",
    });
    vec![
        (".claude-plugin/plugin.json", format!("{manifest:#}\n")),
        (".lsp.json", format!("{lsp:#}\n")),
        (".mcp.json", format!("{mcp:#}\n")),
        ("skills/kenning/SKILL.md", SKILL_TEXT.to_owned()),
    ]
}

#[test]
fn the_plugin_is_current() {
    for (name, text) in generated_files() {
        let path = plugin_folder().join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == text, "editors/claude-code/{name} is out of date: {UPDATE}");
    }
}

/// The front matter that the Agent Skills specification requires.
#[derive(Deserialize)]
struct SkillHeader {
    name: String,
    description: String,
}

#[test]
fn the_skill_and_the_subagent_have_valid_headers() {
    for (text, name) in [(SKILL_TEXT, "kenning"), (SUBAGENT_TEXT, "kenning-explorer")] {
        let yaml = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
        let header: SkillHeader = serde_saphyr::from_str(yaml).unwrap();
        assert_eq!(header.name, name);
        assert!(header.name.len() <= 64 && header.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        assert!((1..=1_024).contains(&header.description.chars().count()), "{}", header.description);
    }
}

/// Splits a command line at spaces outside of double quotes.
fn split_words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[test]
fn every_command_of_the_skill_exists() {
    let blocks = SKILL_TEXT.split("```").skip(1).step_by(2);
    let lines: Vec<&str> = blocks.flat_map(|block| block.lines().skip(1)).collect();
    assert!(lines.len() >= 11, "{lines:?}");
    for line in &lines {
        let parsed = Cli::try_parse_from(split_words(line));
        assert!(parsed.is_ok(), "{line}: {parsed:?}");
    }
    for command in ["pack", "search", "blast", "tests"] {
        assert!(lines.iter().any(|line| line.starts_with(&format!("kenning {command}"))), "{command}");
    }
}
