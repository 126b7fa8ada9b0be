//! The table of clients, `clients.toml`.
//!
//! The table holds all facts about clients: where their configuration files are, how an entry
//! looks, and how to notice that a client is installed. Values and paths are templates, which
//! `value_template` and `path_template` fill.

use super::path_template::{PathChoice, PlatformPath};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The kind of a part of a client's configuration.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// The entry of the MCP server.
    Server,
    /// The skill.
    Skill,
    /// Hooks of sessions, sub-agents and searches.
    Hooks,
    /// The file of a read-only sub-agent.
    Subagent,
    /// The entry of the language server.
    Lsp,
}

impl PartKind {
    /// Returns the word for the kind in records and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Skill => "skill",
            Self::Hooks => "hooks",
            Self::Subagent => "subagent",
            Self::Lsp => "lsp",
        }
    }
}

/// The format of a configuration file.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ConfigFormat {
    /// JSON. Comments are kept where a user wrote some.
    #[default]
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
}

/// An item that a part adds to a list, such as a hook.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListTemplate {
    /// The keys that lead to the list.
    pub list: Vec<String>,
    /// The item, as JSON with placeholders.
    pub value: String,
}

/// A part of a client's configuration, in one file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientPart {
    /// The kind of the part.
    pub kind: PartKind,
    /// A folder. If several parts have the same kind, the parts whose folder exists apply, or else
    /// the first part.
    pub needs: Option<PlatformPath>,
    /// The file for all workspaces of the user.
    pub user: Option<PathChoice>,
    /// The file of one workspace, if the client has one.
    pub project: Option<PathChoice>,
    /// The format of the file.
    #[serde(default)]
    pub format: ConfigFormat,
    /// The keys that lead to the table of entries.
    #[serde(default)]
    pub table: Vec<String>,
    /// A key below the table that holds the entries instead, in files that have it.
    pub inner_table: Option<String>,
    /// The entry, as JSON with placeholders.
    pub value: Option<String>,
    /// The entry in a project's file, if it differs.
    pub project_value: Option<String>,
    /// The items that are added to lists.
    #[serde(default)]
    pub items: Vec<ListTemplate>,
    /// The content of a new file, as JSON.
    pub base: Option<String>,
}

/// A client of AI agents.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentClient {
    /// The name on the command line.
    pub name: String,
    /// The name in texts.
    pub title: String,
    /// Programs, one of which is on PATH if the client is installed.
    pub programs: Vec<String>,
    /// Folders, one of which exists if the client was started.
    pub folders: Vec<PlatformPath>,
    /// The pages that document the files.
    pub sources: Vec<String>,
    /// The value of `--root` that the client replaces with the open folder. Without it, the
    /// client starts servers in that folder, or passes none.
    pub workspace: Option<String>,
    /// A hint for the user after the installation.
    pub note: Option<String>,
    /// The kind of part that the note is about; `None` if it is about all parts.
    pub note_kind: Option<PartKind>,
    /// The parts of the configuration.
    #[serde(rename = "part")]
    pub parts: Vec<ClientPart>,
}

impl AgentClient {
    /// Whether the client has a part of this kind.
    pub fn has_kind(&self, kind: PartKind) -> bool {
        self.parts.iter().any(|part| part.kind == kind)
    }
}

/// The content of `clients.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientTable {
    /// LSP language ids that differ from Kenning's, by Kenning's language id or by file extension
    /// (with its dot).
    pub language_ids: BTreeMap<String, String>,
    /// The clients, in the order in which they are listed.
    #[serde(rename = "client")]
    pub clients: Vec<AgentClient>,
}

static TABLE: LazyLock<ClientTable> =
    LazyLock::new(|| toml::from_str(include_str!("clients.toml")).expect("a test parses clients.toml"));

impl ClientTable {
    /// Returns the table.
    pub fn get() -> &'static Self {
        &TABLE
    }

    /// Finds the client with this name.
    pub fn find_client(&self, name: &str) -> Option<&AgentClient> {
        self.clients.iter().find(|client| client.name == name)
    }
}

/// Returns the names of all clients, for the command line.
pub fn client_names() -> Vec<&'static str> {
    ClientTable::get().clients.iter().map(|client| client.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn check_path(template: &str, is_project: bool) {
        assert_eq!(template.matches('{').count(), template.matches('}').count(), "{template}");
        if is_project {
            assert!(!template.starts_with(['~', '{', '/']), "{template} is below the workspace");
        } else {
            assert!(template.starts_with(['~', '{']), "{template} is below the home folder");
        }
        assert!(!template.contains('\\') && !template.contains(".."), "{template}");
    }

    #[test]
    fn names_are_unique_and_every_client_has_a_server_and_a_skill() {
        let names: BTreeSet<&str> = client_names().into_iter().collect();
        assert_eq!(names.len(), ClientTable::get().clients.len());
        for client in &ClientTable::get().clients {
            assert!(client.has_kind(PartKind::Server) && client.has_kind(PartKind::Skill), "{}", client.name);
            assert!(!client.sources.is_empty() && !client.title.is_empty(), "{}", client.name);
            assert!(client.sources.iter().all(|page| page.starts_with("https://")), "{}", client.name);
            assert!(!client.programs.is_empty() && !client.folders.is_empty(), "{}", client.name);
            let folders = client.folders.iter().flat_map(PlatformPath::all_templates);
            folders.for_each(|template| check_path(template, false));
        }
    }

    #[test]
    fn parts_have_what_their_kind_needs() {
        for client in &ClientTable::get().clients {
            for part in &client.parts {
                let about = format!("{} {}", client.name, part.kind.as_str());
                let is_entry = matches!(part.kind, PartKind::Server | PartKind::Lsp);
                assert_eq!(part.value.is_some(), is_entry, "{about}");
                assert_eq!(!part.table.is_empty(), is_entry, "{about}");
                assert_eq!(!part.items.is_empty(), part.kind == PartKind::Hooks, "{about}");
                assert!(part.user.is_some(), "{about}");
                let templates = part.value.iter().chain(&part.project_value).chain(&part.base);
                for text in templates.chain(part.items.iter().map(|item| &item.value)) {
                    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{about}: {e}"));
                    assert!(value.is_object(), "{about}");
                }
                for (choice, is_project) in [(&part.user, false), (&part.project, true)] {
                    let paths = choice.iter().flat_map(PathChoice::all_paths);
                    paths
                        .flat_map(PlatformPath::all_templates)
                        .for_each(|template| check_path(template, is_project));
                }
            }
        }
    }
}
