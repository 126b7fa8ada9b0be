//! The arguments of `kenning eval`.

use super::RankingArgs;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `kenning eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The file of the task set
    #[arg(long, value_name = "FILE")]
    pub tasks: PathBuf,
    /// Folder with one repository per name in the task set
    #[arg(long, value_name = "DIR")]
    pub corpus: PathBuf,
    /// Write the ranked lists to this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the metrics to this file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub ranking: RankingArgs,
    /// Write the features of the best candidates of each task to this file, as CSV; the reranker is
    /// fitted on them
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,
    /// Write the signals of the match of each task to this file, as CSV; the rule that decides
    /// that nothing matches is fitted on them
    #[arg(long, value_name = "FILE")]
    pub signals: Option<PathBuf>,
    /// Write the rendered packs at every budget to this file, as JSON, and measure nothing;
    /// bench/content scores them
    #[arg(long, value_name = "FILE")]
    pub packs: Option<PathBuf>,
    /// Budgets of the packs, in tokens
    #[arg(long, value_name = "TOKENS", value_delimiter = ',', default_value = "8000", requires = "packs")]
    pub budgets: Vec<usize>,
    /// Write whole files in the order of the ranking instead of packs
    #[arg(long, requires = "packs")]
    pub whole_files: bool,
    /// Ignore the commits of the repositories
    #[arg(long)]
    pub no_history: bool,
    /// Rank with the answers of language servers that `kenning enrich` stored, instead of only what
    /// the text shows
    #[arg(long)]
    pub enriched: bool,
    /// Repeat the tasks in this many rounds while a simulated reader uses the packs, and print the
    /// MRR of each round
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u8).range(1..=100), conflicts_with_all = ["out", "csv", "features", "signals"])]
    pub replay: Option<u8>,
    /// Evaluate only these repositories
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub repos: Vec<String>,
    /// Evaluate only the task with this id; may be repeated
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// Print the metrics as JSON
    #[arg(long)]
    pub json: bool,
}
