//! Declares every option once: name, type, default, limits, documentation, and who may set it.
//!
//! An option's name is its field in camelCase, both in `kenning.toml` and in editors (there in the
//! section `kenning`). Its doc comment is its user documentation. `x-scope` restricts who may set
//! it ([`super::option_table::OptionScope`]); without it, every source may. The JSON schema,
//! `docs/configuration.md` and the editors' settings are generated from these declarations.

use crate::format::PackFormat;
use crate::knowledge::normalize_folder;
use crate::ranking_choice::RankConfigName;
use kenning_graph::SymbolKind;
use kenning_retrieval::PackDocuments;
use kenning_retrieval::classes::{Class, Layer, TargetType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The options of Kenning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Config {
    /// The information shown when the pointer rests on a symbol.
    pub hover: HoverConfig,
    /// The line above a definition: `5 callers · 23 dependents · 3 tests`.
    pub code_lens: CodeLensConfig,
    /// The actions that the editor offers for a symbol.
    pub code_actions: CodeActionsConfig,
    /// The call hierarchy of the editor.
    pub call_hierarchy: CallHierarchyConfig,
    /// Context packs.
    pub pack: PackConfig,
    /// The order of the code in packs.
    pub ranking: RankingConfig,
    /// Learning from the packs that Kenning answers with.
    pub learning: LearningConfig,
    /// The symbols that a change affects.
    pub blast_radius: BlastRadiusConfig,
    /// The files that are indexed, and the limits of indexing.
    pub index: IndexConfig,
    /// Notes, tasks and skills as Markdown files in the workspace.
    pub knowledge: KnowledgeConfig,
    /// Vectors for the search, off by default.
    pub vectors: VectorsConfig,
    /// The messages that Kenning writes to the editor's log.
    pub log: LogConfig,
    /// The workspace's own vocabulary: phrases that developers use in tasks, and the names that the
    /// code uses for them.
    pub class: Vec<ClassConfig>,
    /// The language servers that confirm and complete the graph, by name.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Trust the workspace, so that its own `kenning.toml` may name programs to run. The editor's
    /// value overrides the trust that `kenning trust` stored; without a value, the stored trust
    /// applies.
    #[schemars(extend("x-scope" = "editor"))]
    pub workspace_trust: Option<bool>,
}

/// The options of the section `hover`.
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

/// The options of the section `codeLens`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CodeLensConfig {
    /// Show the numbers of callers, dependents and tests above each definition.
    pub enabled: bool,
    /// The kinds of definitions that get a lens.
    pub kinds: Vec<LensKind>,
    /// Hide the lens of definitions with fewer direct callers.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minimum_callers: u32,
    /// Hide the lens of definitions with fewer dependents.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub minimum_dependents: u32,
    /// Hide the lens of definitions that fewer tests reach.
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

/// A kind of definition that can have a lens. Fields, constants and variables never have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LensKind {
    /// Free functions.
    Function,
    /// Functions that belong to a type.
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
    /// Returns the kind of lens for a symbol, or `None` if such symbols never have a lens.
    pub const fn from_symbol_kind(kind: SymbolKind) -> Option<Self> {
        Some(match kind {
            SymbolKind::Function => Self::Function,
            SymbolKind::Method => Self::Method,
            SymbolKind::Constructor => Self::Constructor,
            SymbolKind::Class => Self::Class,
            SymbolKind::Struct | SymbolKind::Table => Self::Struct,
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
    /// Whether definitions of this kind get a lens.
    pub fn shows_kind(&self, kind: SymbolKind) -> bool {
        self.enabled && LensKind::from_symbol_kind(kind).is_some_and(|kind| self.kinds.contains(&kind))
    }
}

/// The options of the section `codeActions`.
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

/// The options of the section `callHierarchy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallHierarchyConfig {
    /// Answer the editor's call hierarchy. Off by default: if another language server also answers
    /// it, each caller appears twice.
    pub enabled: bool,
}

/// The options of the section `pack`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PackConfig {
    /// Maximum size in tokens of the pack for a task or for files, unless the request sets a
    /// budget. The pack may be smaller.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub budget: u32,
    /// Maximum size in tokens of the pack for a change, unless the request sets a budget.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub change_budget: u32,
    /// The format of packs on the command line, unless `--format` sets one.
    pub format: PackFormat,
    /// Add the sections of documents that clearly match a task, in the part of the budget that code
    /// leaves free: at least 4%, for which related code gives up lines, and at most 10%.
    pub documents: bool,
}

impl Default for PackConfig {
    fn default() -> Self {
        Self { budget: 8_000, change_budget: 8_000, format: PackFormat::Markdown, documents: true }
    }
}

/// The options of the section `ranking`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RankingConfig {
    /// The ranking configuration of packs and explanations, unless the request or the command names
    /// one.
    pub configuration: RankConfigName,
}

/// The options of the section `learning`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LearningConfig {
    /// Remember the first five symbols of each pack for a week, and raise them in packs for tasks
    /// with the same keywords. Off by default, because the ranking finds these symbols without it.
    pub task_memory: bool,
}

/// The options of the section `blastRadius`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct BlastRadiusConfig {
    /// Maximum distance of the callers that the blast radius lists, unless the request sets a
    /// depth. The numbers in hovers and lenses do not depend on it.
    #[schemars(range(min = 1, max = 6))]
    pub depth: u32,
}

impl Default for BlastRadiusConfig {
    fn default() -> Self {
        Self { depth: 4 }
    }
}

/// The options of the section `index`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Maximum size of an indexed file in bytes; larger files are skipped.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    pub max_file_size: u64,
    /// Files to skip: patterns in the syntax of `.gitignore`, relative to the workspace's root.
    #[schemars(extend("items" = { "type": "string", "format": "gitignore" }))]
    pub exclude: Vec<String>,
    /// Put files that no one edits behind source: generated code, build output such as bundles, and
    /// files that `.gitattributes` marks as generated or vendored. They stay out of packs, and
    /// names resolve to the source.
    pub mark_derived: bool,
    /// The number of threads for indexing. 0 lets Kenning choose: all cores on the command line,
    /// one fewer in an editor.
    #[schemars(range(min = 0, max = 256))]
    pub threads: u32,
    /// The source of notifications about files that change on disk. A change to this option takes
    /// effect in the next session.
    pub watch: WatchMode,
    /// Read commits from git: their messages and files (in the background of a session, and in
    /// `kenning index`), and the last author of each symbol (in a session). Tasks are matched
    /// against this history.
    pub history: bool,
}

impl Default for IndexConfig {
    fn default() -> Self {
        let max_file_size = kenning_indexing::walk::DEFAULT_MAX_FILE_BYTES;
        Self {
            max_file_size,
            exclude: Vec::new(),
            mark_derived: true,
            threads: 0,
            watch: WatchMode::Auto,
            history: true,
        }
    }
}

/// The watcher of changed files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WatchMode {
    /// The editor if it can, otherwise Kenning itself.
    #[default]
    Auto,
    /// Only the editor.
    Client,
    /// Kenning itself, even if the editor can.
    Own,
    /// No watching; Kenning checks the disk on each request.
    Off,
}

/// The options of the section `knowledge`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// The folder with the notes, tasks and skills, relative to the workspace's root. Empty turns
    /// them off: nothing is read or written.
    #[schemars(extend("format" = "workspace-folder"))]
    pub folder: String,
    /// Show the number of notes, tasks and skills above each definition that they are linked to.
    pub lens: bool,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        Self { folder: String::new(), lens: true }
    }
}

/// The options of the section `vectors`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// The folder of a model2vec model, absolute or relative to the workspace's root:
    /// `config.json`, `tokenizer.json` and `model.safetensors`. Searches then also find text with a
    /// similar meaning. Nothing is downloaded. Without a value, vectors are off.
    #[schemars(extend("x-scope" = "trusted"))]
    pub model: Option<String>,
}

/// The options of the section `log`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LogConfig {
    /// The least severe messages in the editor's log. The environment variable `KENNING_LOG`
    /// controls what is written to standard error.
    pub level: LogLevel,
}

/// The level of logging. Each level includes the messages of the levels above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// Failures.
    Error,
    /// Adds problems that Kenning could handle.
    Warn,
    /// Adds what Kenning is doing.
    #[default]
    Info,
    /// Adds the reasons. May contain file names and task texts.
    Debug,
    /// Everything.
    Trace,
}

/// The options of one language server, in the section `servers.<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Allow Kenning to use this language server.
    pub enabled: bool,
    /// The program: a name on `PATH` or an absolute path. Defaults to the server's usual program.
    #[schemars(extend("x-scope" = "trusted"))]
    pub command: Option<String>,
    /// The program's arguments. Default to the server's usual arguments.
    #[schemars(extend("x-scope" = "trusted"))]
    pub args: Option<Vec<String>>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self { enabled: true, command: None, args: None }
    }
}

/// One equivalence class of the option `class`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClassConfig {
    /// A unique name for the class, shown where the class affects a result.
    pub id: String,
    /// Phrases of one or more words that developers write. Letter case and plurals do not matter.
    pub phrases: Vec<String>,
    /// The names that the code uses: `Name` or `Type.member`.
    pub targets: Vec<String>,
    /// The kind of the targets: `symbol` for names, or `file` for paths in the workspace. Defaults
    /// to `symbol`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_type: Option<ClassTargetType>,
    /// The trust in the class, in percent. Defaults to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u8>,
}

/// The kind of the targets of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ClassTargetType {
    /// Names in code.
    Symbol,
    /// Paths of files in the workspace, which stand for the symbols declared in them.
    File,
}

impl From<ClassTargetType> for TargetType {
    fn from(target_type: ClassTargetType) -> Self {
        match target_type {
            ClassTargetType::Symbol => Self::Symbol,
            ClassTargetType::File => Self::File,
        }
    }
}

impl Config {
    /// Returns the workspace's own equivalence classes in the form that ranking takes.
    pub fn workspace_classes(&self) -> Vec<Class> {
        let class = |class: &ClassConfig| Class {
            id: class.id.clone(),
            layer: Layer::Workspace,
            framework: None,
            language: None,
            phrases: class.phrases.clone(),
            targets: class.targets.clone(),
            weight: class.weight,
            is_cross_cutting: false,
            has_internal_targets: false,
            target_type: class.target_type.map(TargetType::from).unwrap_or_default(),
        };
        self.class.iter().map(class).collect()
    }

    /// Returns the documents whose sections a pack may contain. Notes, tasks and skills are not
    /// documentation.
    pub fn pack_documents(&self) -> Option<Arc<PackDocuments>> {
        let excluded_folder = normalize_folder(&self.knowledge.folder).to_owned();
        self.pack.documents.then(|| Arc::new(PackDocuments { excluded_folder }))
    }

    /// Returns the settings of one language server, or the defaults if no source configures it.
    pub fn server_config(&self, name: &str) -> ServerConfig {
        self.servers.get(name).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_budgets_equal_the_budgets_of_ranking() {
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
