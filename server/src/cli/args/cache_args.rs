//! The arguments of `kenning cache`.

use super::WorkspaceArgs;
use clap::{Args, Subcommand};
use jiff::{Span, SpanRelativeTo};
use std::time::Duration;

/// The arguments of `kenning cache`.
#[derive(Debug, Args)]
pub struct CacheArgs {
    /// The subcommand to run.
    #[command(subcommand)]
    pub command: CacheCommand,
}

/// The subcommands of `kenning cache`.
#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// List all indexes with their workspace, size, last use and state, and everything else in the
    /// cache
    List(CacheListArgs),
    /// Print how much space the cache takes
    Size(CacheListArgs),
    /// Remove data that is no longer needed: indexes of workspaces that are gone or of older
    /// versions, and facts that no index uses
    Prune(CachePruneArgs),
    /// Remove the index of a workspace, or everything
    Clear(CacheClearArgs),
}

/// The arguments of `kenning cache list` and `kenning cache size`.
#[derive(Debug, Args)]
pub struct CacheListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `kenning cache prune`.
#[derive(Debug, Args)]
pub struct CachePruneArgs {
    /// Also remove indexes that have not been used for this time, as in 30d, 4w or 12h
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    pub older_than: Option<Duration>,
    /// Remove without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    pub yes: bool,
    /// Remove nothing, only print what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Also delete feedback, learned data and imported runs, which Kenning cannot rebuild
    #[arg(long)]
    pub learned: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `kenning cache clear`.
#[derive(Debug, Args)]
pub struct CacheClearArgs {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    /// Remove the indexes of all workspaces and everything else that Kenning has cached
    #[arg(long, conflicts_with = "root")]
    pub all: bool,
    /// Remove without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Also delete feedback, learned data and imported runs, which Kenning cannot rebuild
    #[arg(long)]
    pub learned: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Parses a time such as `30d`, `4w` or `12h`.
fn parse_age(text: &str) -> Result<Duration, String> {
    let advice = || "give a number with a unit, as in 30d, 4w or 12h".to_owned();
    let span: Span = text.parse().map_err(|_| advice())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| advice())?;
    Duration::try_from(duration).map_err(|_| advice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_with_a_unit() {
        const DAY: u64 = 86_400;
        for (text, seconds) in
            [("30d", 30 * DAY), ("4w", 28 * DAY), ("12h", DAY / 2), ("1d 12h", DAY * 3 / 2)]
        {
            assert_eq!(parse_age(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["30", "soon", "", "-3d", "1y"] {
            assert!(parse_age(text).is_err_and(|error| error.contains("30d")), "{text}");
        }
    }
}
