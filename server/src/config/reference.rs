//! Generates `docs/configuration.md` from the declarations.
//!
//! In: the list of options. Out: the text of the page: the introduction, a table of the options of
//! each section, the section on the option `class`, and an example. A test compares the text with
//! the file in the repository.
//!
//! Invariant: the example is a configuration without issues.

use super::option_table::{self, DeclaredOption, OptionKind, OptionScope};
use serde_json::Value;
use std::fmt::Write;

/// The page before the section on options.
const INTRODUCTION: &str = "# Configuration

<!-- Generated from server/src/config/options.rs: UPDATE_EXPECT=1 cargo test -p kenning reference -->

Kenning works without any configuration. Each option has the same name everywhere.

| location | form |
|---|---|
| `kenning.toml` at the root of the workspace | TOML: `[codeLens]`, then `enabled = false` |
| editor settings, section `kenning` | JSON: `{ \"kenning\": { \"codeLens\": { \"enabled\": false } } }`, or flat: `\"kenning.codeLens.enabled\": false` |
| `initializationOptions` of the language client | the same as the editor settings, with or without the section |

## Precedence

The first source that sets an option wins:

1. An argument of a request (`budget`, `configuration`), or a command-line flag, for that command or
   session (`--budget`, `--config`).
2. The editor settings (`workspace/configuration`, `workspace/didChangeConfiguration`). If the
   editor has sent none, `initializationOptions`.
3. `kenning.toml` of the workspace folder.
4. The default.

The editor overrides the file, so that a repository can suggest options and the person who works in
it has the final say. The command line cannot read the editor settings. It reads only
`kenning.toml`, so put options there that must apply to both, such as the files to skip. If a
session has several folders, each folder has its own file and its own values.

Each message from the editor replaces the previous one: an option that it no longer names falls back
to the file or the default. Null means that the option is not set. Changes take effect immediately;
changes to `kenning.toml` take effect when the file is saved.

An invalid value or an unknown option does not affect other options: the option keeps its previous
value, and the editor shows once what is wrong and what is allowed. The command line prints the
problem on standard error, and `kenning doctor` lists it. `kenning config show` prints every value
with its source. `kenning config schema` prints the JSON schema.

## Trust

Options marked *trusted* name a program that Kenning runs. In `kenning.toml` they apply only if the
workspace is trusted: after `kenning trust DIR`, or if the editor reports it (`workspaceTrust`). The
list of trusted workspaces is in the user's data folder and contains canonical paths.
`kenning trust --list` prints it and `kenning trust --remove DIR` removes a workspace. In the
editor's own settings these options always apply.

## The index

The index is in your cache directory, or in the file that `--db` or `KENNING_DB` names.
[cache.md](cache.md) lists all files and the commands that show and remove them.
";

/// The section on the option `class`.
const CLASSES_SECTION: &str = "
## Classes

A class maps phrases that developers write to the names that the code uses for them. If a task
contains one of the phrases, as whole words, Kenning also finds the targets, regardless of the rest
of the task. Kenning has classes for common concepts, languages and frameworks. The classes of the
workspace are added to them and rank first:

```toml
[[class]]
id = \"impact\"
phrases = [\"blast radius\", \"what breaks\"]
targets = [\"transitive_callers\", \"Graph.dependents\"]
weight = 60
```

`weight` is the trust in the class, in percent: 100 if it is not set. Kenning's own classes have
70 to 90. With `targetType = \"file\"`, the targets are paths in the workspace, such as
`src/pay/ledger.py`, and lead to the symbols that these files declare.
";

/// Generates the whole page.
pub fn reference_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Options\n");
    let mut section = "";
    for option in option_table::all_options() {
        let parent = if option.path.len() > 1 { option.path[0].as_str() } else { "" };
        if parent != section || parent.is_empty() {
            section = parent;
            let (title, text) = match parent {
                "" => (option.path[0].clone(), String::new()),
                _ => (parent.to_owned(), option_table::section_description(parent)),
            };
            let _ = write!(page, "\n### `{title}`\n\n");
            if !text.is_empty() {
                let _ = write!(page, "{text}\n\n");
            }
            page.push_str("| option | type | default | effect | set by |\n|---|---|---|---|---|\n");
        }
        page.push_str(&option_row(option));
    }
    page.push_str(&defaults_example());
    page.push_str(CLASSES_SECTION);
    page
}

fn option_row(option: &DeclaredOption) -> String {
    let default = match &option.default {
        Value::Null => "not set".to_owned(),
        value => format!("`{value}`"),
    };
    let scope = match option.scope {
        OptionScope::AnySource => "file, editor",
        OptionScope::Trusted => "file if *trusted*, editor",
        OptionScope::Editor => "editor",
    };
    let mut text = option.description.clone();
    if let OptionKind::Choice(choices) = &option.kind {
        let meanings = choices.iter().map(|choice| format!("`{}`: {}", choice.word, choice.meaning));
        text = format!("{text} {}", meanings.collect::<Vec<_>>().join(" "));
    }
    format!("| `{}` | {} | {default} | {text} | {scope} |\n", option.dotted_key(), kind_name(&option.kind))
}

fn kind_name(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Boolean => "boolean".to_owned(),
        OptionKind::Integer { min, max } => format!("integer, {min} to {max}"),
        OptionKind::Text => "string".to_owned(),
        OptionKind::Folder => "path of a folder".to_owned(),
        OptionKind::Choice(_) => "string (one of the listed values)".to_owned(),
        OptionKind::Texts => "list of strings".to_owned(),
        OptionKind::Patterns => "list of patterns".to_owned(),
        OptionKind::Choices(choices) => {
            let words: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.word)).collect();
            format!("list of {}", words.join(", "))
        }
        OptionKind::Classes => "list of equivalence classes".to_owned(),
    }
}

/// Renders all defaults that are not null, as TOML and as JSON.
fn defaults_example() -> String {
    let mut defaults = Value::Object(serde_json::Map::new());
    for option in option_table::all_options()
        .iter()
        .filter(|option| !option.default.is_null() && option.path.len() == 2)
    {
        defaults[option.path[0].as_str()][option.path[1].as_str()] = option.default.clone();
    }
    let toml = toml::to_string(&defaults).expect("the defaults are plain data");
    format!(
        "\n## Defaults\n\n`kenning.toml`:\n\n```toml\n{toml}\n[servers.gopls]\nenabled = true\n```\n\nThe same in \
         editor settings:\n\n```json\n{:#}\n```\n",
        serde_json::json!({ "kenning": defaults })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect_file;

    #[test]
    fn the_reference_is_up_to_date() {
        expect_file!["../../../docs/configuration.md"].assert_eq(&reference_page());
    }

    #[test]
    fn the_example_is_a_configuration_without_mistakes() {
        let page = reference_page();
        let toml = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("kenning.toml"), toml).unwrap();
        let file = super::super::config_file::ConfigFile::read_in_folder(folder.path());
        assert_eq!(file.file_layer().issues, []);
        let effective = super::super::effective::merge_layers([file.file_layer()]);
        let mut config = super::super::Config::default();
        config.servers.insert("gopls".to_owned(), super::super::options::ServerConfig::default());
        assert_eq!(effective.config, config);
    }
}
