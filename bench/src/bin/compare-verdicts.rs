//! `compare-verdicts`: compares the calls in enriched workspaces with the verdicts of language
//! servers.

use anyhow::Context;
use bench::call_comparison::{CallComparison, ServerAnswer, TextResolution, compare_calls};
use clap::Parser;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// Count the calls in enriched workspaces by the text's resolution and the server's answer
#[derive(Debug, Parser)]
struct Arguments {
    /// Print each call that the text resolved and for which the server has another target
    #[arg(long)]
    list: bool,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Workspaces and the indexes that `kenning enrich --db INDEX WORKSPACE` filled:
    /// WORKSPACE=INDEX
    #[arg(required = true, value_name = "WORKSPACE=INDEX", value_parser = parse_workspace)]
    workspaces: Vec<EnrichedWorkspace>,
}

/// A workspace and the path of its index, which contains the verdicts.
#[derive(Clone, Debug)]
struct EnrichedWorkspace {
    root: PathBuf,
    index: PathBuf,
}

fn parse_workspace(text: &str) -> Result<EnrichedWorkspace, String> {
    let (root, index) = text.split_once('=').ok_or("expected WORKSPACE=INDEX")?;
    Ok(EnrichedWorkspace { root: root.into(), index: index.into() })
}

/// The columns of the table. After the counts of edges, each column counts the calls with one
/// resolution of the text and one answer of the server, in the order of [`format_row`].
const CSV_HEADER: &str = "repo,calls_before,calls_after,calls_confirmed,inside_same,inside_other,inside_outside,inside_local,\
inside_nothing,precision,outside_outside,outside_inside,open_same,open_other,open_outside,silent_inside,silent_outside";

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut table = format!("{CSV_HEADER}\n");
    let mut out = std::io::stdout();
    for EnrichedWorkspace { root, index } in &arguments.workspaces {
        let comparison = compare_calls(root, index)?;
        let repo = root.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(table, "{}", format_row(&repo, &comparison));
        if arguments.list {
            for difference in &comparison.differences {
                writeln!(out, "{repo}/{difference}")?;
            }
        }
    }
    if let Some(path) = &arguments.csv {
        std::fs::write(path, &table).with_context(|| path.display().to_string())?;
    }
    out.write_all(table.as_bytes())?;
    Ok(())
}

fn format_row(repo: &str, comparison: &CallComparison) -> String {
    let count = |text: TextResolution, answer: ServerAnswer| {
        comparison.counts.get(&(text, answer)).copied().unwrap_or(0).to_string()
    };
    let unique_answers = [
        ServerAnswer::Same,
        ServerAnswer::Other,
        ServerAnswer::External,
        ServerAnswer::Local,
        ServerAnswer::Unknown,
    ];
    let mut cells = vec![
        repo.to_owned(),
        comparison.text_calls.to_string(),
        comparison.merged_calls.to_string(),
        comparison.confirmed_calls.to_string(),
    ];
    cells.extend(unique_answers.map(|answer| count(TextResolution::Unique, answer)));
    cells.push(comparison.precision().map_or_else(String::new, |precision| format!("{precision:.4}")));
    cells.extend([
        count(TextResolution::External, ServerAnswer::External),
        count(TextResolution::External, ServerAnswer::Other),
    ]);
    cells.extend(
        [ServerAnswer::Same, ServerAnswer::Other, ServerAnswer::External]
            .map(|answer| count(TextResolution::Ambiguous, answer)),
    );
    cells.extend([
        count(TextResolution::Unresolved, ServerAnswer::Other),
        count(TextResolution::Unresolved, ServerAnswer::External),
    ]);
    cells.join(",")
}
