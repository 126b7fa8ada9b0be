//! Generates `docs/configuration.md` from the declarations.

use super::option_table::{self, DeclaredOption, OptionKind, OptionScope};
use serde_json::Value;
use std::fmt::Write;

const INTRODUCTION: &str = "# Configuration

<!-- Generated from server/src/config/options.rs: UPDATE_EXPECT=1 cargo test -p kenning reference -->

Every option has one name, the same in every place. Nothing has to be configured.

| place | form |
|---|---|
| `kenning.toml` at the root of the workspace | TOML: `[codeLens]`, then `enabled = false` |
| settings of the editor, section `kenning` | JSON: `{ \"kenning\": { \"codeLens\": { \"enabled\": false } } }`, or flat: `\"kenning.codeLens.enabled\": false` |
| `initializationOptions` of the language client | the same as the settings, with or without the section |

## Which value holds

1. A flag of the command line, for that command (`--budget`, `--format`).
2. The settings of the editor (`workspace/configuration`, `workspace/didChangeConfiguration`); as long as it states none,
   `initializationOptions`.
3. `kenning.toml` of the workspace folder.
4. The default.

A repository proposes, the person who works in it decides: so the editor counts before the file. The command line does not know
the editor's settings and reads `kenning.toml` only; what must hold for both, as the files to leave out, belongs there. With several
folders each has its own file and its own values.

Each message of the editor is all that it says: an option that it no longer names falls back to the file or the default. Null says
nothing. Changes count at once, in `kenning.toml` when it is saved.

A value that does not fit, or a name that is no option, costs only itself: the option keeps the value it had, and the editor shows once
what is wrong and what is allowed. The command line says it on standard error, and `kenning doctor` lists it.
`kenning config show` prints every value with its source, `kenning config schema` the JSON schema.

## Trust

Options marked *trusted* name a program that is run. In `kenning.toml` they count only when the workspace is trusted: after `kenning trust
DIR`, or when the editor says so (`workspaceTrust`). The list is in the user's data folder, by the canonical path;
`kenning trust --list` shows it and `kenning trust --remove DIR` takes a workspace off it. The editor's own settings always count.
";

const CLASSES: &str = "
## Classes

A class says which names the code has for what people write. A task with one of the phrases, as whole words, also finds the targets,
whatever else it says. Kenning has classes for common concepts, languages and frameworks; these are the workspace's own, and come first:

```toml
[[class]]
id = \"impact\"
phrases = [\"blast radius\", \"what breaks\"]
targets = [\"transitive_callers\", \"Graph.dependents\"]
```
";

/// Generates the whole page.
pub fn reference_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Options\n");
    let mut section = "";
    for option in option_table::all_options() {
        let own = if option.path.len() > 1 { option.path[0].as_str() } else { "" };
        if own != section || own.is_empty() {
            section = own;
            let (title, text) = match own {
                "" => (option.path[0].clone(), String::new()),
                _ => (own.to_owned(), option_table::section_description(own)),
            };
            let _ = write!(page, "\n### `{title}`\n\n");
            if !text.is_empty() {
                let _ = write!(page, "{text}\n\n");
            }
            page.push_str("| option | type | default | what it does | set by |\n|---|---|---|---|---|\n");
        }
        page.push_str(&option_row(option));
    }
    page.push_str(&defaults_example());
    page.push_str(CLASSES);
    page
}

fn option_row(option: &DeclaredOption) -> String {
    let default = match &option.default {
        Value::Null => "not said".to_owned(),
        value => format!("`{value}`"),
    };
    let scope = match option.scope {
        OptionScope::Anybody => "file, editor",
        OptionScope::Trusted => "file when *trusted*, editor",
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
        OptionKind::Text => "text".to_owned(),
        OptionKind::Choice(_) => "word".to_owned(),
        OptionKind::Texts => "list of texts".to_owned(),
        OptionKind::Patterns => "list of patterns".to_owned(),
        OptionKind::Choices(choices) => {
            let words: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.word)).collect();
            format!("list of {}", words.join(", "))
        }
        OptionKind::Classes => "list of classes".to_owned(),
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
        "\n## The defaults\n\n`kenning.toml`:\n\n```toml\n{toml}\n[servers.gopls]\nenabled = true\n```\n\nThe same for an \
         editor:\n\n```json\n{:#}\n```\n",
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
        let file = super::super::file::ConfigFile::read_in_folder(folder.path());
        assert_eq!(file.file_layer().issues, []);
        let effective = super::super::effective::merge_layers([file.file_layer()]);
        let mut config = super::super::Config::default();
        config.servers.insert("gopls".to_owned(), super::super::options::ServerConfig::default());
        assert_eq!(effective.config, config);
    }
}
