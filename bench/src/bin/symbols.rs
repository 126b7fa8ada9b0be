//! `symbols`: compares the symbols of repositories with the tags of Universal Ctags.

use bench::symbols::{
    ComparedPart, CtagsDifferences, MissingTag, SymbolComparison, compare_symbols, listed_repositories,
};
use clap::Parser;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// Compare the symbols of repositories with the tags of Universal Ctags
#[derive(Debug, Parser)]
struct Arguments {
    /// Also write the table as CSV. Rows of an existing file about other repositories and languages
    /// stay
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Number of unexplained tags of each kind to list
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    missing: usize,
    /// Compare only this language, by ctags' name
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    /// Compare the trees of bench/symbols/repositories.toml in this folder, which bench/layout.sh
    /// filled, each in its language
    #[arg(long, value_name = "DIR")]
    listed: Option<PathBuf>,
    /// Repositories to compare
    #[arg(required_unless_present = "listed", value_name = "REPOSITORY")]
    repositories: Vec<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let differences = CtagsDifferences::read_committed()?;
    let mut comparisons = Vec::new();
    let language = arguments.language.as_deref();
    for repository in &arguments.repositories {
        let part = ComparedPart { language, ..ComparedPart::default() };
        comparisons.extend(compare_symbols(repository, &differences, part)?);
    }
    if let Some(corpus) = &arguments.listed {
        for repository in listed_repositories() {
            let compared = repository.compared.as_deref();
            if compared.is_none() || language.is_some_and(|only| compared != Some(only)) {
                continue;
            }
            let part = ComparedPart { language: compared, path_prefixes: &repository.path_prefixes };
            let root = corpus.join("languages").join(&repository.name);
            comparisons.extend(compare_symbols(&root, &differences, part)?);
        }
    }
    if let Some(path) = &arguments.csv {
        let earlier = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
        std::fs::write(path, to_csv(&earlier, &comparisons))?;
    }
    let mut out = std::io::stdout();
    out.write_all(to_markdown(&comparisons).as_bytes())?;
    out.write_all(list_unexplained(&comparisons, arguments.missing).as_bytes())?;
    Ok(())
}

fn to_markdown(comparisons: &[SymbolComparison]) -> String {
    let mut out = String::from(
        "| repository | language | files | ctags | found | explained | missing | ours beyond |\n",
    );
    out.push_str("|---|---|---|---|---|---|---|---|\n");
    for comparison in comparisons {
        let explained: usize = comparison.explained.values().map(|tags| tags.count).sum();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {explained} | {} | {} |",
            comparison.repo,
            comparison.language,
            comparison.files,
            comparison.tags,
            comparison.found,
            comparison.missing.len(),
            comparison.beyond
        );
    }
    out
}

/// Lists tags that are neither found nor explained, at most `count` per language and kind.
fn list_unexplained(comparisons: &[SymbolComparison], count: usize) -> String {
    let mut kinds: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for comparison in comparisons {
        for MissingTag { tag, node_kinds } in &comparison.missing {
            let location = format!("{}/{}:{} {}", comparison.repo, tag.path, tag.line, tag.name);
            let nodes = node_kinds.iter().take(6).map(String::as_str).collect::<Vec<_>>().join(" < ");
            let description = format!("{location} [{} {}] {nodes}", tag.scope_kind, tag.scope);
            kinds.entry((comparison.language, &tag.kind)).or_default().push(description);
        }
    }
    let mut out = String::new();
    for ((language, kind), tags) in kinds {
        let _ = writeln!(out, "\n{language} {kind}: {} missing", tags.len());
        // The listed tags are spread over all files.
        let step = (tags.len() / count.max(1)).max(1);
        for tag in tags.iter().step_by(step).take(count) {
            let _ = writeln!(out, "  {tag}");
        }
    }
    out
}

/// Returns one row for each repository, language and outcome, after the rows of `earlier` about
/// other repositories and languages. Explained tags have one row for each reason, with the first
/// example.
fn to_csv(earlier: &str, comparisons: &[SymbolComparison]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut out = String::from("repo,language,outcome,reason,count,example\n");
    let replaced: Vec<String> = comparisons
        .iter()
        .map(|comparison| format!("{},{},", quoted(&comparison.repo), quoted(comparison.language)))
        .collect();
    for line in earlier.lines().skip(1).filter(|line| !replaced.iter().any(|key| line.starts_with(key))) {
        let _ = writeln!(out, "{line}");
    }
    let mut row =
        |comparison: &SymbolComparison, outcome: &str, reason: &str, count: usize, example: &str| {
            let cells =
                [comparison.repo.as_str(), comparison.language, outcome, reason].map(quoted).join(",");
            let _ = writeln!(out, "{cells},{count},{}", quoted(example));
        };
    for comparison in comparisons {
        row(comparison, "files", "", comparison.files, "");
        row(comparison, "ctags", "", comparison.tags, "");
        row(comparison, "found", "", comparison.found, "");
        for (reason, explained) in &comparison.explained {
            row(comparison, "explained", reason, explained.count, &explained.example);
        }
        row(comparison, "missing", "", comparison.missing.len(), "");
        row(comparison, "beyond", "", comparison.beyond, "");
    }
    out
}
