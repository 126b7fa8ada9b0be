//! The table of language servers (`servers.toml`), and everything needed to start one of them.
//!
//! For each language, the table lists the servers in order of preference and how to treat each of
//! them. From a row and the user's overrides, the submodules compute:
//!
//! * `server_search`: which server is installed and may run. In an untrusted workspace, no program
//!   of the workspace runs, and only servers that run none of its code start.
//! * `project_roots`, `project_environment`: the folder that a server is started for, and the
//!   packages and interpreter installed in it.
//! * `setup`, `server_override`: options, settings and variables. Restrictions are applied last, so
//!   that no other setting can remove them.
//! * `inherited_variables`, `computed_values`: the environment of the server's process.
//! * `tool_shims`, `sandbox_policy`: confinement of the server's tools and of the server itself in
//!   untrusted workspaces.
//! * `package_stores`: the package that a file outside the workspace belongs to.

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
pub use project_roots::{ProcessScope, ProjectRoots};
pub(crate) use sandbox_policy::build_sandbox;
pub use sandbox_policy::is_server_cache;
pub use server_override::ServerOverride;
pub use server_search::{FoundServer, ServerSearch, ServerUnavailable, find_program};
pub use setup::{ServerPermissions, ServerSetup};
pub(crate) use tool_shims::ShimFolder;
pub use tool_shims::ToolShims;

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

/// A language and the servers that support it.
#[derive(Debug)]
pub struct LanguageServers {
    /// Language id as used in the index.
    pub id: String,
    /// Other language ids of the index that the same servers support.
    pub also: Vec<String>,
    /// Files that mark the root of a project, as glob patterns without folders.
    pub root_markers: Vec<String>,
    /// The language id that servers expect for a document, by file extension.
    pub document_ids: BTreeMap<String, String>,
    /// Folders of a project that may hold programs.
    pub project: Vec<String>,
    /// Folders of the user's home that may hold programs.
    pub home: Vec<String>,
    /// Whether declarations with the same name in one container of a file are signatures of one
    /// body, which belongs to the last of them.
    pub overloads: bool,
    /// Whether symbols can be declared in one file and defined in another. A server that answers
    /// with the declaration means its definition.
    pub separate_definitions: bool,
    /// Whether a function body can write the type of an interface. A server that answers a call of a
    /// member with a place in a body then means every type that has the member.
    pub interfaces_in_bodies: bool,
    /// The suffix of the types of decorators that a decorator may omit; empty for none.
    pub decorator_suffix: String,
    /// Keywords and fixed names that refer to the enclosing type, its supertype or a constructor:
    /// `self`, `super`, `new`. In other languages, the same words are ordinary names.
    pub type_keywords: Vec<String>,
    /// The servers, in order of preference.
    pub servers: Vec<ServerSpec>,
    /// The layouts in which projects keep their installed packages, in order of preference.
    pub installed: Vec<EnvironmentLayout>,
    /// The locations of packages outside the workspace.
    pub stores: Vec<PackageStore>,
}

/// A language server: one row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerSpec {
    /// Name of the server in messages and settings.
    #[serde(skip)]
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Instructions for installing the server.
    pub install: String,
    /// Setup that always applies.
    #[serde(default)]
    pub always: ServerSetup,
    /// Setup that keeps the server from downloading.
    #[serde(default)]
    pub offline: ServerSetup,
    /// Setup that keeps the server from running any code of the workspace, if such a setup exists.
    #[serde(default)]
    pub untrusted: Option<ServerSetup>,
    /// The reason why the server runs no code of a workspace, whatever the workspace contains.
    #[serde(default)]
    pub harmless: Option<String>,
    /// The code of a workspace that the server runs, if no setting prevents that.
    #[serde(default)]
    pub runs_code: Option<String>,
    /// A module that the server takes from the workspace and runs, with its replacement.
    #[serde(default)]
    pub module_replacement: Option<ModuleReplacement>,
    /// Tools that the server runs, which run outside an untrusted workspace.
    #[serde(default)]
    pub tool_shims: Option<ToolShims>,
    /// Whether one process serves the whole workspace, whatever projects are in it.
    #[serde(default)]
    pub one_process: bool,
    /// Whether the server's `callHierarchy/outgoingCalls` lists every call in a body with its exact
    /// location.
    #[serde(default)]
    pub outgoing_calls: bool,
    /// Requests that are not worth sending although the server supports them.
    #[serde(default)]
    pub skip: Vec<DiscoveryRequest>,
    /// Whether the server computes its answers on request. Its progress reports are then ignored:
    /// they are about diagnostics, which Kenning does not use, and never end.
    #[serde(default)]
    pub lazy: bool,
    /// Whether the server may know nothing about files other than the file of a question.
    /// Definitions in the file itself then show that it is ready.
    #[serde(default)]
    pub file_by_file: bool,
    /// Whether the server lists the types that a concrete type implements when it is asked for the
    /// implementations of that type.
    #[serde(default)]
    pub names_implemented: bool,
    /// Maximum number of requests that wait for an answer at one time; at least one.
    #[serde(default = "default_in_flight")]
    pub in_flight: usize,
    /// Maximum number of documents that are open for questions at one time, besides the documents
    /// of the editor. When more are open, the session closes half of that number.
    #[serde(default = "default_open")]
    pub open: usize,
    /// Limit for the resident memory of the server and its descendants, in MiB.
    #[serde(default = "default_memory")]
    pub memory_mib: u64,
    /// Time without activity, in milliseconds, after which the server has finished reading the
    /// workspace.
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

/// A request that discovery sends.
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

/// A Node.js module that a server loads from the workspace unless an option names another one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleReplacement {
    /// Path of the module below `node_modules`.
    pub module: String,
    /// Path of the initialization option that names the replacement.
    pub option: Vec<String>,
}

/// The contents of `servers.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerTable {
    language: Vec<LanguageRow>,
    value: BTreeMap<String, ComputedValue>,
    server: BTreeMap<String, ServerSpec>,
}

/// A language in `servers.toml`, with its servers by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageRow {
    id: String,
    #[serde(default)]
    also: Vec<String>,
    root_markers: Vec<String>,
    document_ids: BTreeMap<String, String>,
    #[serde(default)]
    project: Vec<String>,
    #[serde(default)]
    home: Vec<String>,
    #[serde(default)]
    overloads: bool,
    #[serde(default)]
    separate_definitions: bool,
    #[serde(default)]
    interfaces_in_bodies: bool,
    #[serde(default)]
    decorator_suffix: String,
    #[serde(default)]
    type_keywords: Vec<String>,
    servers: Vec<String>,
    #[serde(default)]
    installed: Vec<EnvironmentLayout>,
    #[serde(default)]
    stores: Vec<PackageStore>,
}

fn parse_table() -> ServerTable {
    toml::from_str(include_str!("../../servers.toml")).expect("servers.toml is part of the program")
}

static LANGUAGES: LazyLock<Vec<LanguageServers>> = LazyLock::new(|| {
    let ServerTable { language, server, .. } = parse_table();
    let find_spec = |name: &String| {
        let spec = server.get(name).expect("a test checks that the table has every server of a language");
        ServerSpec { name: name.clone(), ..spec.clone() }
    };
    language
        .into_iter()
        .map(|row| LanguageServers {
            servers: row.servers.iter().map(find_spec).collect(),
            id: row.id,
            also: row.also,
            root_markers: row.root_markers,
            document_ids: row.document_ids,
            project: row.project,
            home: row.home,
            installed: row.installed,
            overloads: row.overloads,
            separate_definitions: row.separate_definitions,
            interfaces_in_bodies: row.interfaces_in_bodies,
            decorator_suffix: row.decorator_suffix,
            type_keywords: row.type_keywords,
            stores: row.stores,
        })
        .collect()
});

/// Returns every language with its servers, in the order of the table.
pub fn all_languages() -> &'static [LanguageServers] {
    &LANGUAGES
}

/// Returns the row for a language id of the index. Returns `None` if the table has none.
pub fn language_by_id(id: &str) -> Option<&'static LanguageServers> {
    all_languages().iter().find(|row| row.id == id || row.also.iter().any(|also| also == id))
}

impl LanguageServers {
    /// Returns the language id that servers expect for the document at a path.
    pub fn document_id(&self, path: &str) -> &str {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.document_ids.get(extension).map_or(self.id.as_str(), String::as_str)
    }

    /// Whether a name is a keyword or fixed name for a type or a constructor.
    pub fn is_type_keyword(&self, name: &str) -> bool {
        self.type_keywords.iter().any(|keyword| keyword == name)
    }

    /// Whether a decorator may be written as `used` if its type is called `declared`.
    pub fn is_decorator_name(&self, used: &str, declared: &str) -> bool {
        let suffix = self.decorator_suffix.as_str();
        !suffix.is_empty() && declared.strip_suffix(suffix) == Some(used)
    }
}

impl ServerSpec {
    /// Whether the server may start in an untrusted workspace: either a setup keeps it from running
    /// code of the workspace, or it never runs any.
    pub fn is_safe_untrusted(&self) -> bool {
        let can_confine_tools = tool_shims::SUPPORTS_SHIMS || self.tool_shims.is_none();
        can_confine_tools && (self.untrusted.is_some() || self.harmless.is_some())
    }

    /// Returns the part of a workspace that one process of the server serves.
    pub fn process_scope(&self) -> ProcessScope {
        if self.one_process { ProcessScope::Workspace } else { ProcessScope::Project }
    }

    /// Returns the time without activity after which the server has finished reading the workspace.
    pub fn quiet_period(&self) -> Duration {
        Duration::from_millis(self.quiet_ms)
    }
}
