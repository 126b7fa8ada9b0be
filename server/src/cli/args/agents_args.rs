//! The arguments of `kenning agents`.

use super::super::workspace_root::default_root;
use crate::agents::client_table::client_names;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The arguments of `kenning agents`.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: AgentsCommand,
}

/// The subcommands of `kenning agents`.
#[derive(Debug, Subcommand)]
pub enum AgentsCommand {
    /// Connect clients to Kenning: shows the changes of their files, asks, and writes them
    Install(AgentsInstallArgs),
    /// Show which clients are connected, and which program they start
    Status(AgentsStatusArgs),
    /// Remove exactly what `kenning agents install` has written
    Uninstall(AgentsUninstallArgs),
    /// Answer the hook of a client; reads its JSON from standard input and always succeeds
    #[command(hide = true, disable_help_flag = true)]
    Hook(AgentsHookArgs),
}

/// The clients and the scope of a command.
#[derive(Debug, Args)]
pub struct AgentsScopeArgs {
    /// The clients [default: all that are on this machine]
    #[arg(value_name = "CLIENT", value_parser = PossibleValuesParser::new(client_names()))]
    pub clients: Vec<String>,
    /// Use the files of the workspace instead of the user's, for clients that have such files
    #[arg(long)]
    pub project: bool,
    /// The folder of the workspace, for --project [default: the nearest one upwards with .git or
    /// kenning.toml]
    #[arg(long, value_name = "DIR", default_value_os_t = default_root(), hide_default_value = true)]
    pub root: PathBuf,
}

/// The options for confirming changes to files.
#[derive(Debug, Args)]
pub struct ConfirmArgs {
    /// Write without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Only show the changes
    #[arg(long)]
    pub dry_run: bool,
}

/// The arguments of `kenning agents install`.
#[derive(Debug, Args)]
pub struct AgentsInstallArgs {
    #[command(flatten)]
    pub scope: AgentsScopeArgs,
    #[command(flatten)]
    pub confirm: ConfirmArgs,
    /// Also install hooks, which add context when a session, a sub-agent or a search starts, and
    /// never block
    #[arg(long)]
    pub hooks: bool,
    /// Also install a read-only sub-agent that explores the code
    #[arg(long)]
    pub subagent: bool,
    /// Also start the language server in clients that have language servers
    #[arg(long)]
    pub lsp: bool,
    /// Do not install the skill
    #[arg(long)]
    pub no_skill: bool,
    /// Replace an entry or file named kenning that you wrote yourself; uninstalling restores it
    #[arg(long)]
    pub force: bool,
    /// The program that clients start [default: kenning if that is this program, otherwise its
    /// path]
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<String>,
    /// The workspace that the MCP server serves [default: the folder that is open in the client]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<String>,
}

/// The arguments of `kenning agents status`.
#[derive(Debug, Args)]
pub struct AgentsStatusArgs {
    #[command(flatten)]
    pub scope: AgentsScopeArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `kenning agents uninstall`.
#[derive(Debug, Args)]
pub struct AgentsUninstallArgs {
    #[command(flatten)]
    pub scope: AgentsScopeArgs,
    #[command(flatten)]
    pub confirm: ConfirmArgs,
}

/// The arguments of `kenning agents hook`. Any words are accepted, because wrong usage would end
/// with status 2, with which a hook blocks its client.
#[derive(Debug, Args)]
pub struct AgentsHookArgs {
    /// `search` or `start`, and `--flat`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
