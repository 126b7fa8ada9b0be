//! The table of language servers (`servers.toml`): for each language which there are and how to treat them.

mod computed_values;
mod inherited_variables;
mod package_stores;
mod project_environment;
mod project_roots;
mod sandbox_policy;
mod server_override;
mod server_search;
mod setup;
mod tool_shims;

#[cfg(test)]
mod tests;

pub(crate) use computed_values::{CommandContext, fill_computed_values};
pub use computed_values::{ComputedValue, ValueError};
pub use package_stores::{PackageStore, StoreLayout, package_of_path};
pub use project_environment::{EnvironmentLayout, ProjectEnvironment};
pub use project_roots::ProjectRoots;
pub(crate) use sandbox_policy::build_sandbox;
pub use server_override::ServerOverride;
pub use server_search::{FoundServer, ServerSearch, ServerUnavailable, find_program};
pub use setup::ServerSetup;
pub(crate) use tool_shims::ShimFolder;
pub use tool_shims::ToolShims;

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
    pub servers: Vec<ServerSpec>,
    /// Where projects keep what is installed for them, in order of preference.
    pub installed: Vec<EnvironmentLayout>,
    /// Where files stand that are not the workspace's.
    pub stores: Vec<PackageStore>,
}

/// A language server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Name under which it is reported.
    #[serde(skip)]
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// What to do to have it.
    pub install: String,
    /// How it is set up.
    #[serde(default)]
    pub always: ServerSetup,
    /// What keeps it from downloading.
    #[serde(default)]
    pub offline: ServerSetup,
    /// What keeps it from running anything of the workspace, where something does.
    #[serde(default)]
    pub untrusted: Option<ServerSetup>,
    /// Why it runs nothing of a workspace, whatever that says.
    #[serde(default)]
    pub harmless: Option<String>,
    /// What of a workspace it runs, where no setting keeps it from that.
    #[serde(default)]
    pub runs_code: Option<String>,
    /// What it takes from the workspace and runs.
    #[serde(default)]
    pub instead: Option<ModuleReplacement>,
    /// What it runs outside of a workspace that is not trusted.
    #[serde(default)]
    pub outside: Option<ToolShims>,
    /// One process serves the whole workspace, whatever projects are in it.
    #[serde(default)]
    pub one_process: bool,
    /// Its `callHierarchy/outgoingCalls` names every call of a body with its exact place.
    #[serde(default)]
    pub outgoing_calls: bool,
    /// Requests that are not worth asking although it offers them.
    #[serde(default)]
    pub skip: Vec<DiscoveryRequest>,
    /// It computes answers on request; its progress reports are about diagnostics, which Kenning does not use, and never
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
pub enum DiscoveryRequest {
    /// `textDocument/implementation`
    Implementation,
    /// `typeHierarchy/supertypes`
    TypeHierarchy,
    /// `textDocument/references`
    References,
}

/// A module of node that a server takes from the workspace, unless it is given another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleReplacement {
    /// Its path below `node_modules`.
    pub module: String,
    /// The path of the initialization option that names another one.
    pub option: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerTable {
    language: Vec<LanguageRow>,
    value: BTreeMap<String, ComputedValue>,
    server: BTreeMap<String, ServerSpec>,
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
    installed: Vec<EnvironmentLayout>,
    #[serde(default)]
    stores: Vec<PackageStore>,
}

const fn yes() -> bool {
    true
}

fn parse_table() -> ServerTable {
    toml::from_str(include_str!("../../servers.toml")).expect("servers.toml is part of the program")
}

static LANGUAGES: LazyLock<Vec<LanguageServers>> = LazyLock::new(|| {
    let ServerTable { language, server, .. } = parse_table();
    let of = |name: &String| {
        let server = server.get(name).expect("a test looks for every server that is named");
        ServerSpec { name: name.clone(), ..server.clone() }
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
pub fn all_languages() -> &'static [LanguageServers] {
    &LANGUAGES
}

/// The row of a language of the index.
pub fn language_by_id(id: &str) -> Option<&'static LanguageServers> {
    all_languages().iter().find(|row| row.id == id || row.also.iter().any(|also| also == id))
}

impl LanguageServers {
    /// What a server wants the document at a path to be called.
    pub fn document_id(&self, path: &str) -> &str {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.document_ids.get(extension).map_or(self.id.as_str(), String::as_str)
    }
}

impl ServerSpec {
    /// Whether it may be started in an untrusted workspace: something keeps it from running code of the workspace, or
    /// it never does.
    pub fn is_safe_untrusted(&self) -> bool {
        let can_be_kept_from_it = tool_shims::CAN_RUN_OUTSIDE || self.outside.is_none();
        can_be_kept_from_it && (self.untrusted.is_some() || self.harmless.is_some())
    }

    /// How long it says nothing when it has read the workspace.
    pub fn quiet_period(&self) -> Duration {
        Duration::from_millis(self.quiet_ms)
    }
}
