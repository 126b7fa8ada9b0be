//! The table of language servers (`servers.toml`): for each language which there are and how to treat them.

mod find;
mod merge;
mod roots;
mod said;
mod stores;

#[cfg(test)]
mod tests;

pub use find::{Absent, Found, Search, find_program};
pub use roots::Roots;
pub use said::{Effective, Override};
pub use stores::{Layout, Store, package_of};

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

/// A language and the servers that know it.
#[derive(Debug)]
pub struct LanguageServers {
    /// Language id as in the index.
    pub id: String,
    /// Other languages of the index that the same servers know.
    pub also: Vec<String>,
    /// Whether the index reads the language; the servers of others are never asked.
    pub indexed: bool,
    /// Files that mark the root of a project, as glob patterns without folders.
    pub root_markers: Vec<String>,
    /// What a server wants a document to be called, by the extension of its file.
    pub document_ids: BTreeMap<String, String>,
    /// Folders of a project in which programs may stand.
    pub project: Vec<String>,
    /// Folders of the user's home in which programs may stand.
    pub home: Vec<String>,
    /// Whether declarations of one name in one container of a file are signatures of one body, the last of them.
    pub overloads: bool,
    /// In order of preference.
    pub servers: Vec<Server>,
    /// Where files stand that are not the workspace's.
    pub stores: Vec<Store>,
}

/// A language server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Name under which it is reported.
    #[serde(skip)]
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// What to do to have it.
    pub install: String,
    /// `initializationOptions`.
    #[serde(default)]
    pub options: Value,
    /// Answers to `workspace/configuration`, nested as their sections.
    #[serde(default)]
    pub settings: Value,
    /// Environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// What keeps it from downloading.
    #[serde(default)]
    pub offline: Restriction,
    /// What keeps it from running anything of the workspace.
    #[serde(default)]
    pub untrusted: Restriction,
    /// One process serves the whole workspace, whatever projects are in it.
    #[serde(default)]
    pub one_process: bool,
    /// Its `callHierarchy/outgoingCalls` names every call of a body with its exact place.
    #[serde(default)]
    pub outgoing_calls: bool,
    /// Requests that are not worth asking although it offers them.
    #[serde(default)]
    pub skip: Vec<Request>,
    /// It names a declaration by a place before its name.
    #[serde(default)]
    pub header_position: bool,
    /// Requests that wait for an answer at one time; at least one.
    #[serde(default = "default_in_flight")]
    pub in_flight: usize,
    /// The most that it and its children may use, in MiB of resident memory.
    #[serde(default = "default_memory")]
    pub memory_mib: u64,
    /// It has read the workspace when it says nothing for so many milliseconds.
    #[serde(default = "default_quiet")]
    pub quiet_ms: u64,
}

const fn default_in_flight() -> usize {
    4
}

const fn default_memory() -> u64 {
    4096
}

const fn default_quiet() -> u64 {
    500
}

/// A request of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// `textDocument/implementation`
    Implementation,
    /// `typeHierarchy/supertypes`
    TypeHierarchy,
    /// `textDocument/references`
    References,
}

/// What holds a server back.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restriction {
    /// Laid over the initialization options.
    #[serde(default)]
    pub options: Value,
    /// Laid over the settings.
    #[serde(default)]
    pub settings: Value,
    /// Laid over the environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    language: Vec<LanguageRow>,
    server: BTreeMap<String, Server>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageRow {
    id: String,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default = "yes")]
    indexed: bool,
    root_markers: Vec<String>,
    document_ids: BTreeMap<String, String>,
    #[serde(default)]
    project: Vec<String>,
    #[serde(default)]
    home: Vec<String>,
    #[serde(default)]
    overloads: bool,
    servers: Vec<String>,
    #[serde(default)]
    stores: Vec<Store>,
}

const fn yes() -> bool {
    true
}

fn table() -> Table {
    toml::from_str(include_str!("../../servers.toml")).expect("servers.toml is part of the program")
}

static LANGUAGES: LazyLock<Vec<LanguageServers>> = LazyLock::new(|| {
    let Table { language, server } = table();
    let of = |name: &String| {
        let server = server.get(name).expect("a test looks for every server that is named");
        Server { name: name.clone(), ..server.clone() }
    };
    language
        .into_iter()
        .map(|row| LanguageServers {
            servers: row.servers.iter().map(of).collect(),
            id: row.id,
            also: row.also,
            indexed: row.indexed,
            root_markers: row.root_markers,
            document_ids: row.document_ids,
            project: row.project,
            home: row.home,
            overloads: row.overloads,
            stores: row.stores,
        })
        .collect()
});

/// Every language with its servers, in the order of the table.
pub fn languages() -> &'static [LanguageServers] {
    &LANGUAGES
}

/// The row of a language of the index.
pub fn of_language(id: &str) -> Option<&'static LanguageServers> {
    languages().iter().find(|row| row.id == id || row.also.iter().any(|also| also == id))
}

impl LanguageServers {
    /// What a server wants the document at a path to be called.
    pub fn document_id(&self, path: &str) -> &str {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.document_ids.get(extension).map_or(self.id.as_str(), String::as_str)
    }
}

impl Server {
    /// How long it says nothing when it has read the workspace.
    pub fn quiet(&self) -> Duration {
        Duration::from_millis(self.quiet_ms)
    }
}
