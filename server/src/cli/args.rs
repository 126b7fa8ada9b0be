//! The commands and flags, each declared once; help, completions and the man page come from here.

use crate::answer::RankConfigName;
use crate::format::graph::{GraphFormat, MAX_NODES, USUAL_DEPTH, USUAL_NODES};
use crate::format::{OutputFormat, PackFormat};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Which code must I see for this task, and what will my change touch?
#[derive(Debug, Parser)]
#[command(name = "kenning", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Say on standard error what is being done (KENNING_LOG chooses more finely)
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the language server over standard input and output
    Serve(ServeArgs),
    /// Build or update the index of a workspace
    Index(IndexArgs),
    /// Print the code that matters for a task
    Pack(PackArgs),
    /// Print the code that matters for files
    Files(FilesArgs),
    /// Print the code that matters for a change: commits, index, working tree and untracked files
    Changes(ChangesArgs),
    /// Show what depends on a symbol: callers, dependents by distance, tests
    Blast(BlastArgs),
    /// Show the tests that reach what changed
    Tests(TestsArgs),
    /// Show the symbols around one, as data or as a picture
    Graph(GraphArgs),
    /// Explain the place of one symbol in the pack for a task
    Why(WhyArgs),
    /// Show what single stages of the ranking did for a task
    Debug(DebugArgs),
    /// Erase what use taught about a workspace
    Forget(ForgetArgs),
    /// Have language servers confirm and complete the graph
    Enrich(EnrichArgs),
    /// Show what is indexed
    Status(StatusArgs),
    /// Check what Kenning needs on this machine and say how to fix what is missing
    Doctor(DoctorArgs),
    /// Show the configuration that holds, or the schema of kenning.toml
    Config(ConfigArgs),
    /// Let a workspace's own kenning.toml name programs
    Trust(TrustArgs),
    /// Measure retrieval on a task set
    Eval(EvalArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

/// Which database.
#[derive(Clone, Debug, Default, Args)]
pub struct DatabaseArgs {
    /// Keep the index in this file instead of the cache directory
    #[arg(long, value_name = "PATH", env = "KENNING_DB")]
    pub db: Option<PathBuf>,
}

/// Which workspace, where the arguments are something else.
#[derive(Clone, Debug, Args)]
pub struct WorkspaceArgs {
    /// The workspace
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// Which workspace, where it is the argument.
#[derive(Clone, Debug, Args)]
pub struct RootArgs {
    /// The workspace [default: .]
    #[arg(value_name = "ROOT", conflicts_with = "root_flag")]
    root: Option<PathBuf>,
    /// The workspace, as the other commands name it
    #[arg(long = "root", value_name = "DIR", id = "root_flag", hide = true)]
    root_flag: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

impl RootArgs {
    /// The workspace.
    pub fn workspace_args(&self) -> WorkspaceArgs {
        let root = self.root.clone().or_else(|| self.root_flag.clone()).unwrap_or_else(|| ".".into());
        WorkspaceArgs { root, database: self.database.clone() }
    }
}

/// How to answer.
#[derive(Clone, Debug, Args)]
pub struct AnswerArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    /// Tokens that the result may use: a ceiling, not a target [default: the options pack.budget and pack.changeBudget]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<NonZeroUsize>,
    /// Read and write nothing that was learned: two equal calls give equal bytes
    #[arg(long)]
    pub no_learning: bool,
    /// Whether to bring the index up to the disk first
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub refresh: RefreshMode,
    /// Ranking configuration
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub config: RankConfigName,
}

/// How to print a pack.
#[derive(Clone, Debug, Args)]
pub struct PrintArgs {
    #[command(flatten)]
    pub answer: AnswerArgs,
    /// Form of the result [default: the option pack.format, else markdown]
    #[arg(long, value_enum)]
    pub format: Option<PackFormat>,
    /// Add the time of each stage (JSON only)
    #[arg(long)]
    pub timings: bool,
}

/// When the index is brought up to the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RefreshMode {
    /// Before each answer.
    #[default]
    Auto,
    /// Only by `kenning index`; what was never indexed is an error.
    Never,
}

/// `kenning serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Accepted because clients pass it; standard input and output are all there is
    #[arg(long)]
    pub stdio: bool,
    /// The workspace to serve when the client names none
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The client's process: the server ends when it is gone
    #[arg(long = "clientProcessId", alias = "client-process-id", value_name = "PID", hide = true)]
    pub client_process_id: Option<u32>,
}

/// `kenning index`
#[derive(Debug, Args)]
pub struct IndexArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Also read from git who last changed each symbol, which can take long
    #[arg(long)]
    pub blame: bool,
    /// Do not read what the commits say and touch, whatever `index.history` says
    #[arg(long)]
    pub no_history: bool,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `kenning pack`
#[derive(Debug, Args)]
pub struct PackArgs {
    /// The task in words; - reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// `kenning files`
#[derive(Debug, Args)]
pub struct FilesArgs {
    /// Files of the workspace
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// `kenning changes`
#[derive(Debug, Args)]
pub struct ChangesArgs {
    /// Compare with where this revision and HEAD parted [default: the remote's default branch, main or master, else HEAD]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// How to answer about symbols.
#[derive(Clone, Debug, Args)]
pub struct SymbolArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    /// Whether to bring the index up to the disk first
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub refresh: RefreshMode,
}

/// `kenning blast`
#[derive(Debug, Args)]
pub struct BlastArgs {
    /// The symbol: Class.method, path::Class.method, its id, a place as FILE:LINE or FILE:LINE:COLUMN, or a FILE
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Hops of the dependents that are listed; the numbers do not depend on it [default: the option blastRadius.depth]
    #[arg(long, value_name = "HOPS", value_parser = clap::value_parser!(u8).range(1..=6))]
    pub depth: Option<u8>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// `kenning tests`
#[derive(Debug, Args)]
pub struct TestsArgs {
    /// Files of the workspace; without them what changed since the base
    #[arg(value_name = "FILE", conflicts_with = "base")]
    pub files: Vec<PathBuf>,
    /// Compare with where this revision and HEAD parted [default: the remote's default branch, main or master, else HEAD]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// `kenning graph`
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The symbol: Class.method, path::Class.method, its id, a place as FILE:LINE or FILE:LINE:COLUMN, or a FILE
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Hops in both directions
    #[arg(long, value_name = "HOPS", default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=6))]
    pub depth: u8,
    /// Symbols that are shown, at most
    #[arg(long, value_name = "NODES", default_value_t = USUAL_NODES as u16, value_parser = clap::value_parser!(u16).range(1..=MAX_NODES as i64))]
    pub limit: u16,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: GraphFormat,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// `kenning why`
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The symbol: Class.method, path::Class.method, or its id
    #[arg(long, value_name = "SYMBOL")]
    pub symbol: String,
    /// The task in words; - reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `kenning debug`
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// What to show
    #[command(subcommand)]
    pub command: DebugCommand,
}

/// What `kenning debug` shows.
#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// Keywords, channels, fusion, and how the seeds of the walk were chosen
    Seeds(DebugTaskArgs),
    /// Terms of the query and hits of the text index
    Fts(DebugTaskArgs),
    /// What the walk loaded, where its mass went and by which paths
    Walk(DebugTaskArgs),
    /// What packing decided about each candidate
    Pack(DebugTaskArgs),
    /// Equivalence classes that the task fires, what they find, and what is put first
    Classes(DebugTaskArgs),
    /// The feedback that was given, and whether it still holds
    Feedback(DebugFeedbackArgs),
}

/// `kenning debug seeds|fts|walk|pack|classes`
#[derive(Debug, Args)]
pub struct DebugTaskArgs {
    /// The task in words; - reads it from standard input
    #[arg(required = true, value_name = "TASK")]
    pub task: Vec<String>,
    /// Entries of each list, at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

/// `kenning debug feedback`
#[derive(Debug, Args)]
pub struct DebugFeedbackArgs {
    /// Only what counts for this task; - reads it from standard input
    #[arg(value_name = "TASK")]
    pub task: Vec<String>,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

/// `kenning forget`
#[derive(Debug, Args)]
pub struct ForgetArgs {
    /// Only what was learned of this symbol: Class.method, path::Class.method, or its id
    #[arg(long, value_name = "SYMBOL")]
    pub symbol: Option<String>,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
}

/// `kenning status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `kenning enrich`
#[derive(Debug, Args)]
pub struct EnrichArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Only this language server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// At most so many questions
    #[arg(long, value_name = "QUESTIONS")]
    pub limit: Option<u64>,
    /// Accepted for scripts; the command always waits until nothing is left to be asked
    #[arg(long)]
    pub wait: bool,
    /// Run programs that lie in the workspace or that its kenning.toml names, this time
    #[arg(long)]
    pub trust: bool,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `kenning doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `kenning config`
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to show
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What `kenning config` shows.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON schema of kenning.toml and of the editor's settings
    Schema,
    /// Print every option with its value and where that comes from
    Show(ConfigShowArgs),
}

/// `kenning config show`
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    #[command(flatten)]
    pub root: RootArgs,
    /// Form of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: OutputFormat,
}

/// `kenning trust`
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The workspace
    #[arg(value_name = "ROOT", required_unless_present = "list")]
    pub root: Option<PathBuf>,
    /// Trust it no more
    #[arg(long, requires = "root")]
    pub remove: bool,
    /// Print the trusted workspaces
    #[arg(long, conflicts_with = "root")]
    pub list: bool,
}

/// `kenning eval`
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The task set
    #[arg(long, value_name = "FILE")]
    pub tasks: PathBuf,
    /// Folder with one repository for each name in the task set
    #[arg(long, value_name = "DIR")]
    pub corpus: PathBuf,
    /// Write the ranked lists here
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the figures here
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Ranking configuration
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub config: String,
    /// Change a constant of the configuration, as in `walk.restart=0.5`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Write the features of the best candidates of each task here, as CSV: what the reranker is fitted on
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,
    /// Leave the commits of the repositories out
    #[arg(long)]
    pub no_history: bool,
    /// Rank on the graph as language servers confirmed it, where `kenning enrich` asked them; else on what the text shows
    #[arg(long)]
    pub enriched: bool,
    /// Only these repositories
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub repos: Vec<String>,
    /// Print the figures as JSON
    #[arg(long)]
    pub json: bool,
}

/// `kenning completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[cfg(test)]
mod tests;
