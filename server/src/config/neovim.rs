//! What the Neovim plugin knows of the options, from the declarations: types and defaults in Lua, a page of help.

use super::declared::{self, Declared, Kind};
use serde_json::Value;
use std::fmt::Write;

const SOURCE: &str = "Generated from server/src/config/options.rs:";
const COMMAND: &str = "UPDATE_EXPECT=1 cargo test -p kenning --lib neovim";
/// Columns of a page of help.
const WIDTH: usize = 78;

/// `lua/kenning/settings.lua`: annotations for whoever writes settings, and every option as data.
pub fn lua() -> String {
    let mut page = format!("-- {SOURCE} {COMMAND}\n-- stylua: ignore start\n\n");
    let mut all = String::from("---@class kenning.Settings\n");
    let mut section = "";
    for option in declared::options() {
        let [own, name, ..] = option.path.as_slice() else {
            let _ = writeln!(all, "---@field {}? {}", option.path[0], field(option));
            continue;
        };
        if own == section {
            continue;
        }
        section = own;
        if name == declared::ANY {
            let _ = writeln!(page, "---@class kenning.settings.{own}.One");
            let _ =
                writeln!(all, "---@field {own}? table<string, kenning.settings.{own}.One> {}", about(own));
        } else {
            let _ = writeln!(page, "---@class kenning.settings.{own}");
            let _ = writeln!(all, "---@field {own}? kenning.settings.{own} {}", about(own));
        }
        for option in declared::options().iter().filter(|option| option.path[0] == *own) {
            let name = &option.path[option.path.len() - 1];
            let _ = writeln!(page, "---@field {name}? {}", field(option));
        }
        page.push('\n');
    }
    page.push_str(&all);
    page.push_str("\n---@type { key: string, type: string, default: any }[]\nreturn {\n");
    for option in declared::options() {
        let default = match &option.default {
            Value::Null => String::new(),
            value => format!(", default = {}", literal(value)),
        };
        let (key, kind) = (option.key(), lua_type(&option.kind));
        let _ = writeln!(page, "  {{ key = '{key}', type = {}{default} }},", quoted(&kind));
    }
    page.push_str("}\n");
    page
}

fn about(section: &str) -> String {
    declared::section_description(section)
}

/// Type and meaning of a field, behind its name.
fn field(option: &Declared) -> String {
    format!("{} {}", lua_type(&option.kind), option.description)
}

/// The type of an option in the notation of Lua's language server.
fn lua_type(kind: &Kind) -> String {
    let words = |choices: &[declared::Choice]| {
        choices.iter().map(|choice| format!("\"{}\"", choice.word)).collect::<Vec<_>>().join("|")
    };
    match kind {
        Kind::Boolean => "boolean".to_owned(),
        Kind::Integer { .. } => "integer".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Choice(choices) => words(choices),
        Kind::Texts | Kind::Patterns => "string[]".to_owned(),
        Kind::Choices(choices) => format!("({})[]", words(choices)),
        Kind::Classes => "table[]".to_owned(),
    }
}

/// A value in Lua.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "{}".to_owned(),
        Value::Array(items) => {
            format!("{{ {} }}", items.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// `doc/kenning-settings.txt`: the reference of the options, as Neovim's help.
pub fn help() -> String {
    let mut page = String::from(
        "*kenning-settings.txt*                 Settings of the language server Kenning\n\n\
         Set them in `require('kenning').setup { settings = { ... } }`, in\n\
         `vim.lsp.config('kenning', { settings = { kenning = { ... } } })`, or in a file\n\
         `kenning.toml` at the root of the workspace; the editor counts before the file.\n",
    );
    let mut section = "";
    for option in declared::options() {
        let own = option.path[0].as_str();
        if own != section {
            section = own;
            let tag = format!("*kenning-settings-{own}*");
            let (rule, column) = ("=".repeat(WIDTH), WIDTH - tag.len());
            let _ = write!(page, "\n{rule}\n{own:<column$}{tag}\n\n");
            if option.path.len() > 1 {
                let _ = write!(page, "{}\n\n", wrapped(&about(own), 0));
            }
        }
        let default = match &option.default {
            Value::Null => "not said by default".to_owned(),
            value => format!("default {}", literal(value)),
        };
        let _ = writeln!(page, "{}", option.key());
        let _ = writeln!(page, "{}", wrapped(&format!("{}; {default}.", words(&option.kind)), 4));
        let _ = writeln!(page, "{}\n", wrapped(&option.description, 4));
        if let Kind::Choice(choices) = &option.kind {
            for choice in choices {
                let _ = writeln!(page, "{}", wrapped(&format!("\"{}\" {}", choice.word, choice.meaning), 8));
            }
            page.push('\n');
        }
    }
    let _ =
        write!(page, "{}\n{SOURCE}\n{COMMAND}\n\n vim:tw={WIDTH}:ts=8:ft=help:norl:\n", "=".repeat(WIDTH));
    page
}

/// What may be said, in words.
fn words(kind: &Kind) -> String {
    let listed = |choices: &[declared::Choice]| {
        choices.iter().map(|choice| format!("\"{}\"", choice.word)).collect::<Vec<_>>().join(", ")
    };
    match kind {
        Kind::Boolean => "Boolean".to_owned(),
        Kind::Integer { min, max } => format!("Integer from {min} to {max}"),
        Kind::Text => "Text".to_owned(),
        Kind::Choice(choices) => format!("One of {}", listed(choices)),
        Kind::Texts => "List of texts".to_owned(),
        Kind::Patterns => "List of patterns in the syntax of .gitignore".to_owned(),
        Kind::Choices(choices) => format!("List of some of {}", listed(choices)),
        Kind::Classes => "List of classes".to_owned(),
    }
}

/// A text in lines of the page's width, indented.
fn wrapped(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut lines = vec![margin.clone()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        let used = line.chars().count();
        if used > indent && used + 1 + word.chars().count() > WIDTH {
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
        expect_file!["../../../editors/nvim/lua/kenning/settings.lua"].assert_eq(&lua());
    }

    #[test]
    fn the_help_is_up_to_date() {
        expect_file!["../../../editors/nvim/doc/kenning-settings.txt"].assert_eq(&help());
    }

    #[test]
    fn values_are_written_as_lua_has_them() {
        let value = serde_json::json!([true, 3, "it's a \\", []]);
        expect![[r#"{ true, 3, 'it\'s a \\', {} }"#]].assert_eq(&literal(&value));
    }

    #[test]
    fn help_stays_within_its_columns() {
        let long = help().lines().filter(|line| line.chars().count() > 100).count();
        assert_eq!(long, 0);
        expect![["    one two"]].assert_eq(&wrapped("one  two", 4));
    }
}
