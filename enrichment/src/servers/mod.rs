//! The table of language servers (`servers.toml`): for each language which there are and how to treat them.

mod find;
mod inherited;
mod installed;
mod outside;
mod roots;
mod said;
mod sandbox;
mod setup;
mod stores;
mod values;

#[cfg(test)]
mod tests;

pub use find::{Absent, Found, Search, find_program};
pub use installed::{Environment, Project};
pub(crate) use outside::OutsideFolder;
pub use outside::OutsideTools;
pub use roots::Roots;
pub use said::Override;
pub(crate) use sandbox::sandbox;
pub use setup::Setup;
pub use stores::{Layout, Store, package_of};
pub use values::{ComputedValue, ValueError};
pub(crate) use values::{Surroundings, fill_values};

use serde::Deserialize;
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
    /// Where projects keep what is installed for them, in order of preference.
    pub installed: Vec<Environment>,
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
    /// How it is set up.
    #[serde(default)]
    pub always: Setup,
    /// What keeps it from downloading.
    #[serde(default)]
    pub offline: Setup,
    /// What keeps it from running anything of the workspace, where something does.
    #[serde(default)]
    pub untrusted: Option<Setup>,
    /// Why it runs nothing of a workspace, whatever that says.
    #[serde(default)]
    pub harmless: Option<String>,
    /// What of a workspace it runs, where no setting keeps it from that.
    #[serde(default)]
    pub runs_code: Option<String>,
    /// What it takes from the workspace and runs.
    #[serde(default)]
    pub instead: Option<Instead>,
    /// What it runs outside of a workspace that is not trusted.
    #[serde(default)]
    pub outside: Option<OutsideTools>,
    /// One process serves the whole workspace, whatever projects are in it.
    #[serde(default)]
    pub one_process: bool,
    /// Its `callHierarchy/outgoingCalls` names every call of a body with its exact place.
    #[serde(default)]
    pub outgoing_calls: bool,
    /// Requests that are not worth asking although it offers them.
    #[serde(default)]
    pub skip: Vec<Request>,
    /// It works an answer out when it is asked; what it says of its work is about diagnostics, for which nobody asks, and has no
    /// end.
    #[serde(default)]
    pub lazy: bool,
    /// Asked what implements a type that is none to be implemented, it names the types that this one implements.
    #[serde(default)]
    pub names_implemented: bool,
    /// It names a declaration by a place before its name.
    #[serde(default)]
    pub header_position: bool,
    /// Requests that wait for an answer at one time; at least one.
    #[serde(default = "default_in_flight")]
    pub in_flight: usize,
    /// Documents that are open at it at one time, besides those that the editor has open; more, and half of them are closed.
    #[serde(default = "default_open")]
    pub open: usize,
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

const fn default_open() -> usize {
    60
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

/// A module of node that a server takes from the workspace, unless it is told of another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instead {
    /// Its path below `node_modules`.
    pub module: String,
    /// The path of the initialization option that names another one.
    pub option: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    language: Vec<LanguageRow>,
    value: BTreeMap<String, ComputedValue>,
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
    installed: Vec<Environment>,
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
    let Table { language, server, .. } = table();
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
            installed: row.installed,
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
    /// Whether it may be started where nobody trusts the workspace: something keeps it from running code of the workspace, or
    /// it never does.
    pub fn is_safe_untrusted(&self) -> bool {
        let can_be_kept_from_it = outside::CAN_RUN_OUTSIDE || self.outside.is_none();
        can_be_kept_from_it && (self.untrusted.is_some() || self.harmless.is_some())
    }

    /// How long it says nothing when it has read the workspace.
    pub fn quiet(&self) -> Duration {
        Duration::from_millis(self.quiet_ms)
    }
}
