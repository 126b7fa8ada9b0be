//! The commands and flags. Each is declared once; clap generates the help, the shell completions
//! and the manual page from the declarations and their doc comments.

use super::symbol_completion::complete_symbols;
use super::workspace_root::default_root;
use crate::format::graph::{DEFAULT_DEPTH, DEFAULT_NODES, GraphFormat, MAX_NODES};
use crate::mcp::{HttpEndpoint, parse_endpoint};
use crate::rank_overrides::RankOverride;
use crate::ranking_choice::RankConfigName;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Find the code that a task needs, and see what a change affects
#[derive(Debug, Parser)]
#[command(name = "kenning", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
    /// Log progress to standard error (KENNING_LOG gives finer control)
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// The look of answers in a terminal.
    #[command(flatten)]
    pub terminal: TerminalArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the language server over standard input and output
    Serve(ServeArgs),
    /// Run the MCP server, which answers agents such as Claude Code, Codex or Cursor
    Mcp(McpArgs),
    /// Build or update the index of a workspace
    Index(IndexArgs),
    /// Print the code that matters for a task
    #[command(alias = "context")]
    Pack(PackArgs),
    /// Search symbols and files, by words, names and places
    Search(SearchArgs),
    /// Print the code that matters for files
    Files(FilesArgs),
    /// Print the code that matters for a change: commits, index, working tree and untracked files
    Changes(ChangesArgs),
    /// Show what depends on a symbol: callers, dependents by distance, tests
    #[command(aliases = ["users", "impact"])]
    Blast(BlastArgs),
    /// Show the tests that reach a change
    #[command(alias = "affected")]
    Tests(TestsArgs),
    /// Show the symbols around a symbol, as data or as a diagram
    Graph(GraphArgs),
    /// Explain the rank of one symbol in the pack for a task
    #[command(alias = "explain")]
    Why(WhyArgs),
    /// Show what individual stages of the ranking did for a task
    Debug(DebugArgs),
    /// Tell Kenning which symbols a task needed, for agents that work without an editor
    Feedback(FeedbackArgs),
    /// Delete learned feedback for a workspace
    Forget(ForgetArgs),
    /// Import recorded test runs and traces, which show the code that tests run
    Runs(RunsArgs),
    /// Write, link and find notes in the workspace (option knowledge.folder)
    Note(NoteArgs),
    /// Write, link and find tasks in the workspace (option knowledge.folder)
    Task(TaskArgs),
    /// Write, link and recall skills in the workspace (option knowledge.folder)
    Skill(SkillArgs),
    /// Connect AI agents to Kenning: MCP server, skill, hooks, language server
    Agents(AgentsArgs),
    /// Ask language servers to confirm and complete the graph
    Enrich(EnrichArgs),
    /// Show what is indexed
    Status(StatusArgs),
    /// Check what Kenning needs on this machine and explain how to fix what is missing
    Doctor(DoctorArgs),
    /// Show the contents of the cache folder, and remove data that is no longer needed
    Cache(CacheArgs),
    /// Show the effective configuration, or the schema of kenning.toml
    Config(ConfigArgs),
    /// Trust a workspace: its kenning.toml may then name programs to run
    Trust(TrustArgs),
    /// Measure retrieval on a task set
    Eval(EvalArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a page of the manual, or write all of them
    Man(ManArgs),
}

/// The database to use.
#[derive(Clone, Debug, Default, Args)]
pub struct DatabaseArgs {
    /// Store the index in this file instead of the cache directory
    #[arg(long, value_name = "PATH", env = "KENNING_DB")]
    pub db: Option<PathBuf>,
}

/// The workspace, for commands whose arguments name other things.
#[derive(Clone, Debug, Args)]
pub struct WorkspaceArgs {
    /// The folder of the workspace [default: the nearest one upwards with .git or kenning.toml]
    #[arg(long, value_name = "DIR", default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// The workspace, for commands that take it as their argument.
#[derive(Clone, Debug, Args)]
pub struct RootArgs {
    /// The folder of the workspace [default: the nearest one upwards with .git or kenning.toml]
    #[arg(value_name = "ROOT", conflicts_with = "root_flag")]
    root: Option<PathBuf>,
    /// The folder of the workspace, under the name that the other commands use
    #[arg(long = "root", value_name = "DIR", id = "root_flag", hide = true)]
    root_flag: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

impl RootArgs {
    /// Returns the workspace that the argument or `--root` names; the current folder if neither is
    /// given.
    pub fn workspace_args(&self) -> WorkspaceArgs {
        let root = self.root.clone().or_else(|| self.root_flag.clone()).unwrap_or_else(default_root);
        WorkspaceArgs { root, database: self.database.clone() }
    }
}

/// The options of all commands that rank.
#[derive(Clone, Debug, Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    /// Maximum size of the result in tokens; the result may be smaller [default: the options
    /// pack.budget and pack.changeBudget]
    #[arg(long, value_name = "TOKENS", value_parser = parse_budget)]
    pub budget: Option<NonZeroUsize>,
    /// Neither use nor store learned feedback, so that equal calls print equal bytes
    #[arg(long)]
    pub no_learning: bool,
    #[command(flatten)]
    pub refresh: RefreshArgs,
    #[command(flatten)]
    pub ranking: RankingArgs,
}

/// The smallest budget of a pack: its heading and one name.
const MIN_BUDGET: usize = 100;

fn parse_budget(text: &str) -> Result<NonZeroUsize, String> {
    let tokens = text.parse().ok().filter(|&tokens| tokens >= MIN_BUDGET).and_then(NonZeroUsize::new);
    tokens.ok_or_else(|| format!("a budget is a number of tokens, at least {MIN_BUDGET}"))
}

/// The choice of a ranking.
#[derive(Clone, Debug, Default, Args)]
pub struct RankingArgs {
    /// Ranking configuration [default: the option ranking.configuration; of eval: default]
    #[arg(long, value_enum, value_name = "NAME")]
    pub config: Option<RankConfigName>,
    /// Override a constant of the configuration, as in `walk.restart=0.5`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<RankOverride>,
}

/// The data that a command brings up to date before it answers.
#[derive(Clone, Debug, Default, Args)]
pub struct RefreshArgs {
    /// When to update the index from the disk
    #[arg(long = "refresh", value_enum, default_value_t, value_name = "WHEN")]
    pub when: RefreshMode,
    /// Do not read new commits of git before the answer, which takes seconds the first time
    #[arg(long)]
    pub no_history: bool,
}

/// The policy for updating the index from the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RefreshMode {
    /// Before each answer
    #[default]
    Auto,
    /// Only by `kenning index`; a workspace that was never indexed is an error
    Never,
}

/// The arguments of `kenning serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Accepted because clients pass it; the server always uses standard input and output
    #[arg(long)]
    pub stdio: bool,
    /// The workspace to serve if the client names none
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Ranking configuration of all packs, instead of the option ranking.configuration
    #[arg(long, value_enum, value_name = "NAME")]
    pub config: Option<RankConfigName>,
    /// Process id of the client; the server exits when that process ends
    #[arg(long = "clientProcessId", alias = "client-process-id", value_name = "PID", hide = true)]
    pub client_process_id: Option<u32>,
}

/// The arguments of `kenning mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// The folder of the workspace [default: the nearest one upwards with .git or kenning.toml]
    #[arg(long, value_name = "DIR", env = "KENNING_ROOT", default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Listen for HTTP on this port of this machine, instead of using standard input and output
    ///
    /// Clients connect to http://127.0.0.1:PORT/mcp. They must send a token as `Authorization:
    /// Bearer TOKEN`: that of the environment variable KENNING_MCP_TOKEN, or else one that Kenning
    /// makes and prints.
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = parse_endpoint)]
    pub http: Option<HttpEndpoint>,
    /// Also answer in a structured form; some clients then show the model that form instead of the
    /// text
    #[arg(long)]
    pub structured: bool,
}

/// The arguments of `kenning index`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Also read the last commit of each symbol from git, which can take a long time
    #[arg(long)]
    pub blame: bool,
    /// Do not read the messages and files of commits, whatever the value of `index.history`
    #[arg(long)]
    pub no_history: bool,
    /// Index /, a home folder or a folder with more than 200,000 files without asking
    #[arg(long, short)]
    pub yes: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The options of all commands about symbols.
#[derive(Clone, Debug, Args)]
pub struct SymbolArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    #[command(flatten)]
    pub refresh: RefreshArgs,
}

/// The arguments of `kenning blast`.
#[derive(Debug, Args)]
pub struct BlastArgs {
    /// The symbol: Class.method, path::Class.method, its id, a position as FILE:LINE or
    /// FILE:LINE:COLUMN, or a FILE
    #[arg(value_name = "SYMBOL", add = complete_symbols())]
    pub symbol: String,
    /// Maximum distance in hops of the dependents that are listed; the totals do not depend on it
    /// [default: the option blastRadius.depth]
    #[arg(long, value_name = "HOPS", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub depth: Option<u8>,
    /// Print the users as a tree by role and file; with --depth, adds the users of each user
    #[arg(long, conflicts_with = "format")]
    pub tree: bool,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub delivery: DeliveryArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning tests`.
#[derive(Debug, Args)]
pub struct TestsArgs {
    /// Files of the workspace [default: the files that changed since the base]
    #[arg(value_name = "FILE", conflicts_with = "base")]
    pub files: Vec<PathBuf>,
    /// Compare with the merge base of this revision and HEAD [default: the remote's default branch,
    /// main or master, else HEAD]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Print only the shell commands that run the tests; without any, exit with status 3
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub run: bool,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub delivery: DeliveryArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The symbol: Class.method, path::Class.method, its id, a position as FILE:LINE or
    /// FILE:LINE:COLUMN, or a FILE
    #[arg(value_name = "SYMBOL", add = complete_symbols())]
    pub symbol: String,
    /// Maximum distance in hops, in both directions
    #[arg(long, value_name = "HOPS", default_value_t = DEFAULT_DEPTH, value_parser = clap::value_parser!(u8).range(1..=6))]
    pub depth: u8,
    /// Maximum number of symbols
    #[arg(long, value_name = "NODES", default_value_t = DEFAULT_NODES as u16, value_parser = clap::value_parser!(u16).range(1..=MAX_NODES as i64))]
    pub limit: u16,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: GraphFormat,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The symbol: Class.method, path::Class.method, or its id
    #[arg(long, value_name = "SYMBOL", add = complete_symbols())]
    pub symbol: String,
    /// Add the numbers of every stage to the sentences
    #[arg(long)]
    pub numbers: bool,
    /// The task in words, or - to read it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// The arguments of `kenning debug`.
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// The report to print
    #[command(subcommand)]
    pub command: DebugCommand,
}

/// The reports of `kenning debug`.
#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// Show the keywords, the channels, their fusion, and the choice of the seeds of the walk
    Seeds(DebugTaskArgs),
    /// Show the terms of the query and the hits of the text index
    Fts(DebugTaskArgs),
    /// Show the nodes that the walk loaded, and the paths of its probability mass
    Walk(DebugTaskArgs),
    /// Show the decision of packing about each candidate
    Pack(DebugTaskArgs),
    /// Show the equivalence classes that the task triggers, their results, and the top-ranked
    /// symbols
    Classes(DebugTaskArgs),
    /// Show the stored feedback and uses, and whether they are still valid
    Feedback(DebugFeedbackArgs),
    /// Show the learned words with their symbols, and the words of a task that count
    Vocab(DebugFeedbackArgs),
}

/// The arguments of `kenning debug seeds|fts|walk|pack|classes`.
#[derive(Debug, Args)]
pub struct DebugTaskArgs {
    /// The task in words, or - to read it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// Maximum number of entries in each list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// The arguments of `kenning debug feedback` and `kenning debug vocab`.
#[derive(Debug, Args)]
pub struct DebugFeedbackArgs {
    /// Show only the data that applies to this task, or - to read the task from standard input
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning feedback`.
#[derive(Debug, Args)]
pub struct FeedbackArgs {
    /// The task as it was asked, in words, or - to read it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// A unified diff of the edits for the task, which the workspace already contains; - reads it
    /// from standard input. Symbols of the pack that it does not touch count as not used
    #[arg(long, value_name = "FILE", required_unless_present_any = ["used", "not_used"])]
    pub diff: Option<PathBuf>,
    /// A symbol that the task needed: Class.method, path::Class.method, or its id; may be repeated
    #[arg(long, value_name = "SYMBOL", add = complete_symbols())]
    pub used: Vec<String>,
    /// A symbol that the task did not need; may be repeated
    #[arg(long, value_name = "SYMBOL", add = complete_symbols())]
    pub not_used: Vec<String>,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// The arguments of `kenning forget`.
#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// Delete only the feedback for this symbol: Class.method, path::Class.method, or its id
    #[arg(long, value_name = "SYMBOL", add = complete_symbols())]
    pub symbol: Option<String>,
    /// Delete without asking
    #[arg(long, short)]
    pub yes: bool,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
}

/// The arguments of `kenning status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    pub root: RootArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The arguments of `kenning enrich`.
#[derive(Debug, Args)]
pub struct EnrichArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Ask only this language server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Maximum number of questions
    #[arg(long, value_name = "QUESTIONS")]
    pub limit: Option<u64>,
    /// Accepted for scripts; the command always waits until no question is left
    #[arg(long)]
    pub wait: bool,
    /// For this run, allow programs that are in the workspace or that its kenning.toml names
    #[arg(long)]
    pub trust: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The arguments of `kenning doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub root: RootArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The arguments of `kenning config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The report to print
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// The reports of `kenning config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON schema of kenning.toml and of the editor's settings
    Schema,
    /// Print every option with its value and the source of that value
    Show(ConfigShowArgs),
}

/// The arguments of `kenning config show`.
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    #[command(flatten)]
    pub root: RootArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// The arguments of `kenning trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The folder of the workspace
    #[arg(value_name = "ROOT", required_unless_present = "list")]
    pub root: Option<PathBuf>,
    /// Stop trusting the workspace
    #[arg(long, requires = "root")]
    pub remove: bool,
    /// Print the trusted workspaces
    #[arg(long, conflicts_with = "root")]
    pub list: bool,
}

/// The arguments of `kenning completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

mod agents_args;
mod cache_args;
mod delivery_args;
mod eval_args;
mod format_args;
mod knowledge_args;
mod man_args;
mod pack_args;
mod runs_args;
mod search_args;
#[cfg(test)]
mod tests;

pub use agents_args::{
    AgentsArgs, AgentsCommand, AgentsInstallArgs, AgentsScopeArgs, AgentsStatusArgs, AgentsUninstallArgs,
    ConfirmArgs,
};
pub use cache_args::{CacheArgs, CacheClearArgs, CacheCommand, CacheListArgs, CachePruneArgs};
pub use delivery_args::{DeliveryArgs, TerminalArgs};
pub use eval_args::EvalArgs;
pub use format_args::FormatArgs;
pub use knowledge_args::{
    EntryAddArgs, EntryLinkArgs, EntryListArgs, EntryRecallArgs, EntryShowArgs, NoteArgs, NoteCommand,
    SkillAddArgs, SkillArgs, SkillCommand, TaskAddArgs, TaskArgs, TaskCommand, TaskListArgs, TaskSetArgs,
};
pub use man_args::ManArgs;
pub use pack_args::{ChangesArgs, FilesArgs, PackArgs, PrintArgs};
pub use runs_args::{RunsArgs, RunsClearArgs, RunsCommand, RunsImportArgs};
pub use search_args::SearchArgs;
