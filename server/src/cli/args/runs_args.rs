//! The arguments of `kenning runs`.

use super::{FormatArgs, WorkspaceArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The arguments of `kenning runs`.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: RunsCommand,
}

/// The subcommands of `kenning runs`.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// Import coverage with the names of tests, or traces
    ///
    /// Reads coverage.py data files and JSON, lcov, Go cover profiles, JaCoCo XML and exec files,
    /// Istanbul and V8 JSON, SimpleCov result sets, and OTLP JSON. A test that is imported again
    /// replaces its earlier record.
    Import(RunsImportArgs),
    /// Delete all recorded runs of the workspace
    Clear(RunsClearArgs),
}

/// The arguments of `kenning runs import`.
#[derive(Debug, Args)]
pub struct RunsImportArgs {
    /// Coverage and trace files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The test that the files belong to, for formats without names of tests [default: the name of
    /// each file]
    #[arg(long, value_name = "NAME")]
    pub test: Option<String>,
    /// Also use source files that changed after the recording
    #[arg(long)]
    pub ignore_times: bool,
    #[command(flatten)]
    pub format: FormatArgs,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
}

/// The arguments of `kenning runs clear`.
#[derive(Debug, Args)]
pub struct RunsClearArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
}
