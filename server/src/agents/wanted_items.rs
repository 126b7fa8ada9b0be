//! Lists the items that belong in the files of clients, for the chosen parts.
//!
//! [`list_wanted_items`] takes a client of `clients.toml` and an [`InstallScope`], and returns one
//! [`WantedItem`] for each entry, list item or whole file, with its placeholders filled. The other
//! functions compare values, so that an entry of Kenning is recognized although the path of the
//! program or the workspace differs.

use super::client_table::{AgentClient, ClientPart, ConfigFormat, PartKind};
use super::file_extensions::extension_map;
use super::path_template::UserFolders;
use super::value_template::TemplateValues;
use super::{AgentError, ENTRY_NAME};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The text of the skill.
pub const SKILL_TEXT: &str = include_str!("texts/SKILL.md");
/// The text of the sub-agent's file.
pub const SUBAGENT_TEXT: &str = include_str!("texts/kenning-explorer.md");

/// The parts to install, and the way in which clients start Kenning.
#[derive(Clone, Debug)]
pub struct InstallScope {
    /// The program that clients start.
    pub command: String,
    /// The workspace that the entry passes to the MCP server, instead of the client's placeholder.
    pub workspace: Option<String>,
    /// The kinds of parts.
    pub kinds: BTreeSet<PartKind>,
    /// The workspace whose files are written, instead of the user's.
    pub project: Option<PathBuf>,
}

/// The content of an item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemContent {
    /// An entry of a table.
    Entry {
        /// The keys that lead to the table.
        table: Vec<String>,
        /// A key below the table that holds the entries instead, in files that have it.
        inner_table: Option<String>,
        /// The value.
        value: Value,
        /// Whether an entry that Kenning wrote may name another workspace.
        any_workspace: bool,
    },
    /// An item of a list.
    ListItem {
        /// The keys that lead to the list.
        list: Vec<String>,
        /// The value.
        value: Value,
        /// The content of a new file.
        base: Option<Value>,
    },
    /// The whole file.
    WholeFile(&'static str),
}

/// An item that belongs in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedItem {
    /// The name of the client.
    pub client: String,
    /// A name, unique in the file.
    pub item: String,
    /// The file.
    pub path: PathBuf,
    /// The format of the file.
    pub format: ConfigFormat,
    /// The content.
    pub content: ItemContent,
}

/// Lists the items that belong in the files of a client.
///
/// # Errors
/// Returns an error if the program cannot be part of a hook's command.
pub fn list_wanted_items(
    client: &AgentClient,
    scope: &InstallScope,
    folders: &UserFolders<'_>,
) -> Result<Vec<WantedItem>, AgentError> {
    let mut args = vec!["mcp".to_owned()];
    if let Some(workspace) = scope.workspace.as_ref().or(client.workspace.as_ref()) {
        args.extend(["--root".to_owned(), workspace.clone()]);
    }
    let values = TemplateValues { command: scope.command.clone(), args, extension_map: extension_map() };
    let mut items = Vec::new();
    for part in applicable_parts(client, folders) {
        let choice = if scope.project.is_some() { &part.project } else { &part.user };
        let Some(choice) = choice.as_ref().filter(|_| scope.kinds.contains(&part.kind)) else { continue };
        let path = folders.choose_path(choice, scope.project.as_deref().unwrap_or(Path::new("")));
        let wanted = |item: String, content| WantedItem {
            client: client.name.clone(),
            item,
            path: path.clone(),
            format: part.format,
            content,
        };
        match part.kind {
            PartKind::Skill => items.push(wanted("skill".to_owned(), ItemContent::WholeFile(SKILL_TEXT))),
            PartKind::Subagent => {
                items.push(wanted("subagent".to_owned(), ItemContent::WholeFile(SUBAGENT_TEXT)));
            }
            PartKind::Server | PartKind::Lsp => {
                let project_value = part.project_value.as_ref().filter(|_| scope.project.is_some());
                let Some(template) = project_value.or(part.value.as_ref()) else { continue };
                let content = ItemContent::Entry {
                    table: part.table.clone(),
                    inner_table: part.inner_table.clone(),
                    value: values.fill_template(template)?,
                    any_workspace: scope.workspace.is_none(),
                };
                items.push(wanted(part.kind.as_str().to_owned(), content));
            }
            PartKind::Hooks => {
                for template in &part.items {
                    let content = ItemContent::ListItem {
                        list: template.list.clone(),
                        value: values.fill_template(&template.value)?,
                        base: part.base.as_deref().map(|base| values.fill_template(base)).transpose()?,
                    };
                    items.push(wanted(template.list.join("."), content));
                }
            }
        }
    }
    Ok(items)
}

/// Returns the parts of a client that apply to this machine. If several parts have the same kind,
/// these are the parts whose folder exists, or else the first part.
fn applicable_parts<'a>(client: &'a AgentClient, folders: &UserFolders<'_>) -> Vec<&'a ClientPart> {
    let exists = |part: &ClientPart| {
        part.needs.as_ref().is_none_or(|needs| folders.expand_path(needs.template()).exists())
    };
    let applies = |part: &&ClientPart| {
        let mut same = client.parts.iter().filter(|other| other.kind == part.kind);
        let is_first = same.clone().next().is_some_and(|first| std::ptr::eq(first, *part));
        exists(part) || (is_first && !same.any(exists))
    };
    client.parts.iter().filter(applies).collect()
}

/// Whether a value starts Kenning: a program called `kenning` with one of the commands that clients
/// start.
pub fn starts_kenning(value: &Value) -> bool {
    let mut texts = Vec::new();
    collect_texts(&normalize_value(value), &mut texts);
    let mut words = texts.iter().flat_map(|text| text.split(' '));
    words.clone().any(|word| word == ENTRY_NAME) && words.any(|word| ["mcp", "serve", "hook"].contains(&word))
}

/// Whether two values differ at most in the path of the program and in the workspace.
pub fn differs_at_most_in_paths(a: &Value, b: &Value) -> bool {
    normalize_value(a) == normalize_value(b)
}

/// Whether two values differ at most in the workspace.
pub fn differs_at_most_in_workspace(a: &Value, b: &Value) -> bool {
    without_workspace(a) == without_workspace(b)
}

/// Returns a value without the path of Kenning's program and without the workspace.
fn normalize_value(value: &Value) -> Value {
    match without_workspace(value) {
        Value::String(text) => Value::String(normalize_program(&text)),
        Value::Array(items) => items.iter().map(normalize_value).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), normalize_value(value))).collect())
        }
        other => other,
    }
}

/// Returns a value without the arguments that name the workspace.
fn without_workspace(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut kept = Vec::new();
            let mut items = items.iter();
            while let Some(item) = items.next() {
                if item == "--root" {
                    items.next();
                } else {
                    kept.push(without_workspace(item));
                }
            }
            Value::Array(kept)
        }
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), without_workspace(value))).collect())
        }
        other => other.clone(),
    }
}

/// Returns a command without the path and the quotes of its program, if the program is Kenning.
fn normalize_program(text: &str) -> String {
    match split_command(text) {
        Some((_, rest)) => format!("{ENTRY_NAME}{rest}"),
        None => text.to_owned(),
    }
}

/// Splits a command of Kenning into the program and the rest. Returns `None` for other texts.
fn split_command(text: &str) -> Option<(&str, &str)> {
    let quoted = text.strip_prefix('"').and_then(|quoted| quoted.split_once('"'));
    // Without quotes, the path has no spaces, or it is the whole text.
    let (program, rest) =
        quoted.unwrap_or_else(|| text.split_at(text.find(" agents ").unwrap_or(text.len())));
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    (name == ENTRY_NAME || name == "kenning.exe").then_some((program, rest))
}

/// Whether the program of Kenning that a value starts is a name on PATH, or a path that exists.
pub fn has_program(value: &Value) -> bool {
    let mut texts = Vec::new();
    collect_texts(value, &mut texts);
    let program = texts.iter().find_map(|text| split_command(text).map(|(program, _)| program));
    program.is_some_and(|program| program == ENTRY_NAME || Path::new(program).exists())
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|value| collect_texts(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::client_table::ClientTable;
    use serde_json::json;

    #[test]
    fn values_that_start_kenning_are_recognized() {
        for value in [
            json!({ "command": "kenning", "args": ["mcp"] }),
            json!({ "command": ["C:\\bin\\kenning.exe", "serve"] }),
            json!({ "hooks": [{ "command": "\"/my bin/kenning\" agents hook start" }] }),
        ] {
            assert!(starts_kenning(&value), "{value}");
        }
        for value in [
            json!({ "command": "my-kenning", "args": ["mcp"] }),
            json!({ "command": "kenning", "args": ["pack"] }),
            json!("x"),
        ] {
            assert!(!starts_kenning(&value), "{value}");
        }
    }

    #[test]
    fn values_are_compared_without_the_program_path_and_the_workspace() {
        let value = |command: &str, args: &[&str]| json!({ "command": command, "args": args });
        let plain = value("kenning", &["mcp"]);
        for same in [value("/my bin/kenning", &["mcp", "--root", "/w"]), value("C:\\kenning.exe", &["mcp"])] {
            assert!(differs_at_most_in_paths(&plain, &same), "{same}");
        }
        for other in [value("kenning", &["serve"]), value("wrap", &["kenning", "mcp"]), json!({})] {
            assert!(!differs_at_most_in_paths(&plain, &other), "{other}");
        }
        let hook = |command: &str| json!([{ "command": command }]);
        assert!(differs_at_most_in_paths(
            &hook("kenning agents hook start"),
            &hook("\"/my bin/kenning\" agents hook start")
        ));
        assert!(differs_at_most_in_paths(
            &hook("kenning agents hook start"),
            &hook("/opt/kenning agents hook start")
        ));
        assert!(!differs_at_most_in_paths(
            &hook("kenning agents hook start"),
            &hook("kenning agents hook search")
        ));
    }

    #[test]
    fn cline_has_a_file_for_its_program_and_one_for_its_extension() {
        let folder = tempfile::tempdir().unwrap();
        let folders = UserFolders::new(folder.path(), &|_| None);
        let client = ClientTable::get().find_client("cline").unwrap();
        let scope = InstallScope {
            command: "kenning".to_owned(),
            workspace: None,
            kinds: BTreeSet::from([PartKind::Server]),
            project: None,
        };
        let count = || list_wanted_items(client, &scope, &folders).unwrap().len();
        assert_eq!(count(), 1, "the first, if neither exists");
        for path in &client.folders {
            std::fs::create_dir_all(folders.expand_path(path.template())).unwrap();
        }
        assert_eq!(count(), 2);
    }
}
