//! Every option, declared once: name, type, default, limits, what it does, and who may set it.
//!
//! The names are the fields in camelCase, in `kenning.toml` as in editors (there in the section `kenning`). The doc
//! comments are the descriptions that people read. `x-scope` says who may set an option ([`super::option_table::OptionScope`]);
//! without it, everybody may. The JSON schema, `docs/configuration.md` and the editors' settings come from here.

use crate::format::PackFormat;
use kenning_graph::SymbolKind;
use kenning_retrieval::classes::{Class, Layer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The options of Kenning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Config {
    /// What is shown when the pointer rests on a symbol.
    pub hover: HoverConfig,
    /// The line above a definition: `5 callers · 23 dependents · 3 tests`.
    pub code_lens: CodeLensConfig,
    /// What the editor offers at a symbol.
    pub code_actions: CodeActionsConfig,
    /// The editor's own view of callers and callees.
    pub call_hierarchy: CallHierarchyConfig,
    /// Context packs.
    pub pack: PackConfig,
    /// What a change reaches.
    pub blast_radius: BlastRadiusConfig,
    /// Which files are in the index, and what indexing may use.
    pub index: IndexConfig,
    /// What Kenning writes to the editor's log.
    pub log: LogConfig,
    /// The workspace's own vocabulary: phrases that people use in tasks, and the names that the code has for them.
    pub class: Vec<ClassConfig>,
    /// The language servers that confirm what Kenning found, by their names.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Whether the workspace's own `kenning.toml` may name programs. Said by the editor, it counts before what
    /// `kenning trust` stored; not said, what is stored counts.
    #[schemars(extend("x-scope" = "editor"))]
    pub workspace_trust: Option<bool>,
}

/// `hover`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HoverConfig {
    /// Show the blast radius of the symbol under the pointer.
    pub enabled: bool,
}

impl Default for HoverConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// `codeLens`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CodeLensConfig {
    /// Show how many callers, dependents and tests each definition has.
    pub enabled: bool,
    /// The kinds of definitions that have a lens.
    pub kinds: Vec<LensKind>,
    /// No lens for definitions with fewer direct callers.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minimum_callers: u32,
    /// No lens for definitions that fewer symbols reach.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minimum_dependents: u32,
    /// No lens for definitions that fewer tests reach.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minimum_tests: u32,
}

impl Default for CodeLensConfig {
    fn default() -> Self {
        use LensKind::{
            Class, Constructor, Enum, Function, Interface, Macro, Method, Record, Struct, Trait, Union,
        };
        let kinds =
            vec![Function, Method, Constructor, Class, Struct, Enum, Interface, Trait, Record, Union, Macro];
        Self { enabled: true, kinds, minimum_callers: 0, minimum_dependents: 0, minimum_tests: 0 }
    }
}

/// A kind of definition that can have a lens. Fields, constants and variables have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LensKind {
    /// Free functions.
    Function,
    /// Functions of a type.
    Method,
    /// Constructors.
    Constructor,
    /// Classes.
    Class,
    /// Structs.
    Struct,
    /// Enum types.
    Enum,
    /// Interfaces.
    Interface,
    /// Traits.
    Trait,
    /// Type aliases and defined types.
    Type,
    /// Records.
    Record,
    /// Unions.
    Union,
    /// Macros.
    Macro,
    /// Modules and namespaces written as blocks.
    Module,
}

impl LensKind {
    /// The kind of lens that a symbol has; none for what never has a lens.
    pub const fn from_symbol_kind(kind: SymbolKind) -> Option<Self> {
        Some(match kind {
            SymbolKind::Function => Self::Function,
            SymbolKind::Method => Self::Method,
            SymbolKind::Constructor => Self::Constructor,
            SymbolKind::Class => Self::Class,
            SymbolKind::Struct => Self::Struct,
            SymbolKind::Enum => Self::Enum,
            SymbolKind::Interface => Self::Interface,
            SymbolKind::Trait => Self::Trait,
            SymbolKind::TypeAlias => Self::Type,
            SymbolKind::Record => Self::Record,
            SymbolKind::Union => Self::Union,
            SymbolKind::Macro => Self::Macro,
            SymbolKind::Module => Self::Module,
            _ => return None,
        })
    }
}

impl CodeLensConfig {
    /// Whether definitions of this kind have a lens.
    pub fn shows_kind(&self, kind: SymbolKind) -> bool {
        self.enabled && LensKind::from_symbol_kind(kind).is_some_and(|kind| self.kinds.contains(&kind))
    }
}

/// `codeActions`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CodeActionsConfig {
    /// Offer **Copy context for this symbol** and **Show blast radius**.
    pub enabled: bool,
}

impl Default for CodeActionsConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}

/// `callHierarchy`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallHierarchyConfig {
    /// Answer the editor's call hierarchy. Off by default: where a language server of the language does so too, each
    /// caller would be shown twice.
    pub enabled: bool,
}

/// `pack`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PackConfig {
    /// Tokens that the pack for a task or for files may use, where the request names no budget. A ceiling, not a
    /// target.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub budget: u32,
    /// The same for the pack of a change.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub change_budget: u32,
    /// The form of packs on the command line, where no `--format` is given.
    pub format: PackFormat,
}

impl Default for PackConfig {
    fn default() -> Self {
        Self { budget: 50_000, change_budget: 8_000, format: PackFormat::Markdown }
    }
}

/// `blastRadius`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BlastRadiusConfig {
    /// How many levels of callers the blast radius lists, where the request names no depth. The numbers of hovers and
    /// lenses do not depend on it.
    #[schemars(range(min = 1, max = 6))]
    pub depth: u32,
}

impl Default for BlastRadiusConfig {
    fn default() -> Self {
        Self { depth: 4 }
    }
}

/// `index`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Larger files are left out, in bytes.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_file_size: u64,
    /// Files to leave out: patterns in the syntax of `.gitignore`, relative to the workspace's root.
    #[schemars(extend("items" = { "type": "string", "format": "gitignore" }))]
    pub exclude: Vec<String>,
    /// Threads that indexing may use. 0 leaves it to Kenning: every core on the command line, one fewer in an
    /// editor.
    #[schemars(range(min = 0, max = 256))]
    pub threads: u32,
    /// Who tells of files that change on the disk. Another value counts from the next session on.
    pub watch: WatchMode,
    /// Read from git what the commits say and touch (in a session in the background, and with `kenning index`), and who last
    /// changed each symbol (in a session). Tasks are matched with what was done before.
    pub history: bool,
}

impl Default for IndexConfig {
    fn default() -> Self {
        let max_file_size = kenning_indexing::walk::DEFAULT_MAX_FILE_BYTES;
        Self { max_file_size, exclude: Vec::new(), threads: 0, watch: WatchMode::Auto, history: true }
    }
}

/// Who tells of changed files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WatchMode {
    /// The editor where it can, else Kenning itself.
    #[default]
    Auto,
    /// The editor only.
    Client,
    /// Kenning itself, whatever the editor can.
    Own,
    /// No watching: Kenning checks the disk when a request comes in.
    Off,
}

/// `log`
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LogConfig {
    /// What the editor's log shows. Standard error is governed by the environment variable `KENNING_LOG`.
    pub level: LogLevel,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// Also what went wrong and was dealt with.
    Warn,
    /// Also what is being done.
    #[default]
    Info,
    /// Also why. May contain names of files and texts of tasks.
    Debug,
    /// Everything.
    Trace,
}

/// `servers.<name>`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Whether this language server may be used.
    pub enabled: bool,
    /// The program: a name on `PATH` or an absolute path. Not said: the usual one.
    #[schemars(extend("x-scope" = "trusted"))]
    pub command: Option<String>,
    /// The program's arguments. Not said: the usual ones.
    #[schemars(extend("x-scope" = "trusted"))]
    pub args: Option<Vec<String>>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self { enabled: true, command: None, args: None }
    }
}

/// `[[class]]`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassConfig {
    /// A name for it, shown where it counts; each once.
    pub id: String,
    /// What people write, one or more words each. Letter case and plurals do not matter.
    pub phrases: Vec<String>,
    /// What the code calls it: `Name` or `Type.member`.
    pub targets: Vec<String>,
}

impl Config {
    /// The workspace's own classes as ranking takes them.
    pub fn workspace_classes(&self) -> Vec<Class> {
        let class = |class: &ClassConfig| Class {
            id: class.id.clone(),
            layer: Layer::Workspace,
            framework: None,
            language: None,
            phrases: class.phrases.clone(),
            targets: class.targets.clone(),
        };
        self.class.iter().map(class).collect()
    }

    /// Settings of one language server; the defaults where a setting is missing.
    pub fn server_config(&self, name: &str) -> ServerConfig {
        self.servers.get(name).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budgets_are_those_of_the_ranking() {
        let ranking = kenning_retrieval::RankConfig::default().pack;
        let pack = PackConfig::default();
        assert_eq!(
            (pack.budget as usize, pack.change_budget as usize),
            (ranking.budget, ranking.change_budget)
        );
    }

    #[test]
    fn every_callable_and_every_type_can_have_a_lens() {
        for &kind in SymbolKind::ALL {
            assert_eq!(
                LensKind::from_symbol_kind(kind).is_some(),
                kind.is_callable() || kind.is_type(),
                "{kind}"
            );
        }
        let lenses = CodeLensConfig { kinds: vec![LensKind::Class], ..CodeLensConfig::default() };
        assert!(lenses.shows_kind(SymbolKind::Class) && !lenses.shows_kind(SymbolKind::Function));
        assert!(!CodeLensConfig { enabled: false, ..lenses }.shows_kind(SymbolKind::Class));
    }
}
