//! Generates the Neovim plugin's settings from the declarations: annotations and defaults in Lua,
//! and a help page.
//!
//! In: the list of options. Out: the texts of two files of the plugin, which tests compare with the
//! files in the repository.
//!
//! Invariant: every option is in both files. The texts of the help page are wrapped to its width.

use super::option_table::{self, DeclaredOption, OptionKind};
use serde_json::Value;
use std::fmt::Write;

/// The notice about the source of the generated files.
const SOURCE_NOTICE: &str = "Generated from server/src/config/options.rs:";

/// The command that generates the files again.
const UPDATE_COMMAND: &str = "UPDATE_EXPECT=1 cargo test -p kenning --lib neovim";

/// The width of the help page in columns.
const PAGE_WIDTH: usize = 78;

/// Generates `lua/kenning/settings.lua`: type annotations for users who write settings, and every
/// option as data.
pub fn lua_settings() -> String {
    let mut page = format!("-- {SOURCE_NOTICE} {UPDATE_COMMAND}\n-- stylua: ignore start\n\n");
    let mut all = String::from("---@class kenning.Settings\n");
    let mut section = "";
    for option in option_table::all_options() {
        let [parent, name, ..] = option.path.as_slice() else {
            let _ = writeln!(all, "---@field {}? {}", option.path[0], lua_field(option));
            continue;
        };
        if parent == section {
            continue;
        }
        section = parent;
        if name == option_table::ANY {
            let _ = writeln!(page, "---@class kenning.settings.{parent}.Server");
            let _ = writeln!(
                all,
                "---@field {parent}? table<string, kenning.settings.{parent}.Server> {}",
                describe_section(parent)
            );
        } else {
            let _ = writeln!(page, "---@class kenning.settings.{parent}");
            let _ =
                writeln!(all, "---@field {parent}? kenning.settings.{parent} {}", describe_section(parent));
        }
        for option in option_table::all_options().iter().filter(|option| option.path[0] == *parent) {
            let name = &option.path[option.path.len() - 1];
            let _ = writeln!(page, "---@field {name}? {}", lua_field(option));
        }
        page.push('\n');
    }
    page.push_str(&all);
    page.push_str("\n---@type { key: string, type: string, default: any }[]\nreturn {\n");
    for option in option_table::all_options() {
        let default = match &option.default {
            Value::Null => String::new(),
            value => format!(", default = {}", lua_literal(value)),
        };
        let (key, kind) = (option.dotted_key(), lua_type(&option.kind));
        let _ = writeln!(page, "  {{ key = '{key}', type = {}{default} }},", quote_lua(&kind));
    }
    page.push_str("}\n");
    page
}

fn describe_section(section: &str) -> String {
    option_table::section_description(section)
}

/// Returns the type and the description of a field, which follow its name.
fn lua_field(option: &DeclaredOption) -> String {
    format!("{} {}", lua_type(&option.kind), option.description)
}

/// Returns the type of an option in the notation of Lua's language server.
fn lua_type(kind: &OptionKind) -> String {
    let words = |choices: &[option_table::OptionChoice]| {
        choices.iter().map(|choice| format!("\"{}\"", choice.word)).collect::<Vec<_>>().join("|")
    };
    match kind {
        OptionKind::Boolean => "boolean".to_owned(),
        OptionKind::Integer { .. } => "integer".to_owned(),
        OptionKind::Text | OptionKind::Folder => "string".to_owned(),
        OptionKind::Choice(choices) => words(choices),
        OptionKind::Texts | OptionKind::Patterns => "string[]".to_owned(),
        OptionKind::Choices(choices) => format!("({})[]", words(choices)),
        OptionKind::Classes => "table[]".to_owned(),
    }
}

/// Renders a value as a Lua literal.
fn lua_literal(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            format!("{{ {} }}", items.iter().map(lua_literal).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quote_lua(text),
        other => other.to_string(),
    }
}

fn quote_lua(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Generates `doc/kenning-settings.txt`: the reference of the options as a Neovim help page.
pub fn help_page() -> String {
    let mut page = String::from(
        "*kenning-settings.txt*                 Settings of the language server Kenning\n\n\
         Set them in `require('kenning').setup { settings = { ... } }`, in\n\
         `vim.lsp.config('kenning', { settings = { kenning = { ... } } })`, or in a\n\
         file `kenning.toml` at the root of the workspace. The editor overrides the\n\
         file.\n",
    );
    let mut section = "";
    for option in option_table::all_options() {
        let parent = option.path[0].as_str();
        if parent != section {
            section = parent;
            let tag = format!("*kenning-settings-{parent}*");
            let (rule, column) = ("=".repeat(PAGE_WIDTH), PAGE_WIDTH - tag.len());
            let _ = write!(page, "\n{rule}\n{parent:<column$}{tag}\n\n");
            if option.path.len() > 1 {
                let _ = write!(page, "{}\n\n", wrap_text(&describe_section(parent), 0));
            }
        }
        let default = match &option.default {
            Value::Null => "not set by default".to_owned(),
            value => format!("default {}", lua_literal(value)),
        };
        let _ = writeln!(page, "{}", option.dotted_key());
        let _ = writeln!(page, "{}", wrap_text(&format!("{}; {default}.", describe_kind(&option.kind)), 4));
        let _ = writeln!(page, "{}\n", wrap_text(&option.description, 4));
        if let OptionKind::Choice(choices) = &option.kind {
            for choice in choices {
                let _ =
                    writeln!(page, "{}", wrap_text(&format!("\"{}\" {}", choice.word, choice.meaning), 8));
            }
            page.push('\n');
        }
    }
    let _ = write!(
        page,
        "{}\n{SOURCE_NOTICE}\n{UPDATE_COMMAND}\n\n vim:tw={PAGE_WIDTH}:ts=8:ft=help:norl:\n",
        "=".repeat(PAGE_WIDTH)
    );
    page
}

/// Describes the values that an option accepts.
fn describe_kind(kind: &OptionKind) -> String {
    let listed = |choices: &[option_table::OptionChoice]| {
        choices.iter().map(|choice| format!("\"{}\"", choice.word)).collect::<Vec<_>>().join(", ")
    };
    match kind {
        OptionKind::Boolean => "Boolean".to_owned(),
        OptionKind::Integer { min, max } => format!("Integer from {min} to {max}"),
        OptionKind::Text => "String".to_owned(),
        OptionKind::Folder => "Path of a folder in the workspace".to_owned(),
        OptionKind::Choice(choices) => format!("One of {}", listed(choices)),
        OptionKind::Texts => "List of strings".to_owned(),
        OptionKind::Patterns => "List of patterns in the syntax of .gitignore".to_owned(),
        OptionKind::Choices(choices) => format!("List that contains only {}", listed(choices)),
        OptionKind::Classes => "List of classes".to_owned(),
    }
}

/// Wraps a text to the width of the page and indents each line.
fn wrap_text(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut lines = vec![margin.clone()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        let used = line.chars().count();
        if used > indent && used + 1 + word.chars().count() > PAGE_WIDTH {
            lines.push(format!("{margin}{word}"));
        } else {
            if used > indent {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{expect, expect_file};

    #[test]
    fn the_plugin_knows_every_option() {
        expect_file!["../../../editors/nvim/lua/kenning/settings.lua"].assert_eq(&lua_settings());
    }

    #[test]
    fn the_help_is_up_to_date() {
        expect_file!["../../../editors/nvim/doc/kenning-settings.txt"].assert_eq(&help_page());
    }

    #[test]
    fn values_become_lua_literals() {
        let value = serde_json::json!([true, 3, "it's a \\", []]);
        expect![[r#"{ true, 3, 'it\'s a \\', {} }"#]].assert_eq(&lua_literal(&value));
    }

    #[test]
    fn help_stays_within_its_columns() {
        let page = help_page();
        let long: Vec<&str> = page.lines().filter(|line| line.chars().count() > PAGE_WIDTH).collect();
        assert_eq!(long, Vec::<&str>::new());
        expect![["    one two"]].assert_eq(&wrap_text("one  two", 4));
    }
}
