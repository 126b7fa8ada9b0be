//! The arguments of `kenning search`.

use super::{DeliveryArgs, SymbolArgs};
use crate::workspace_search::{SearchModeName, SearchScopeName};
use clap::Args;
use kenning_retrieval::search::LimitOverrides;

/// The arguments of `kenning search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The query: words, a name, or the name of a file; - reads it from standard input
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// The scope of the search
    #[arg(long, value_enum, default_value_t, value_name = "SCOPE")]
    pub scope: SearchScopeName,
    /// The ranking mode
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub mode: SearchModeName,
    /// Maximum number of results [default: 5; 10 for the scopes files and all]
    #[arg(long, short = 'n', value_name = "N")]
    pub max_results: Option<usize>,
    /// Minimum score of a result, from 0 to 1 [default: 0.5; 0.3 for files]
    #[arg(long, value_name = "SCORE")]
    pub min_score: Option<f64>,
    /// Number of best symbols from which to follow edges of the graph [default: 5, or
    /// --max-results]
    #[arg(long, value_name = "N")]
    pub top_k: Option<usize>,
    /// Number of edges to follow from each of these symbols [default: 1]
    #[arg(long, value_name = "EDGES", value_parser = clap::value_parser!(u32).range(0..=6))]
    pub bfs_depth: Option<u32>,
    /// Factor of the score for every edge, from 0 to 1 [default: 0.95 for members, 0.85 for
    /// inheritance, 0.7 for imports and calls]
    #[arg(long, value_name = "FACTOR")]
    pub bfs_decay: Option<f64>,
    /// The constant k of reciprocal rank fusion [default: 60]
    #[arg(long, value_name = "K")]
    pub rrf_k: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub delivery: DeliveryArgs,
    #[command(flatten)]
    pub symbols: SymbolArgs,
}

impl SearchArgs {
    /// Returns the limits that the arguments override.
    pub fn limit_overrides(&self) -> LimitOverrides {
        LimitOverrides {
            top_k: self.top_k,
            bfs_depth: self.bfs_depth,
            max_results: self.max_results,
            min_score: self.min_score,
            bfs_decay: self.bfs_decay,
            rrf_k: self.rrf_k,
        }
    }
}
