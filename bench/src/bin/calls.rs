//! `calls`: samples call sites, asks language servers for their definitions, and scores the graph's
//! edges against the answers.
//!
//! `sample` prints the call sites that a truth file covers. `ask` needs a tree with installed
//! dependencies and a language server, and writes the truth file. `score` and `reasons` need no
//! server: they index the corpus and print a table, of grades or of the reasons for missing edges.

use anyhow::Context;
use bench::calls::repositories::{JudgedRepository, find_repositories};
use bench::calls::score::{CallGrade, GradeCounts, GradedSite, grade_sample};
use bench::calls::truth::{TargetKind, quote_field, to_csv};
use bench::calls::{reasons, sample, tree, truth_collection};
use clap::{Parser, Subcommand, ValueEnum};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Grade the graph's calls by the answers of language servers
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the sample of a repository's call sites: path, line, column in bytes, name
    Sample {
        /// Name of a repository in bench/calls/repositories.toml
        repository: String,
        /// Root of the tree to sample
        tree: PathBuf,
        /// Number of the sample. Samples share no sites
        #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
    },
    /// Ask the language server about the sample and write the truth file
    Ask {
        /// Name of a repository in bench/calls/repositories.toml
        repository: String,
        /// A copy of the tree in which its dependencies are installed
        tree: PathBuf,
        /// Number of the sample
        #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
        /// Settings of the server, as a JSON object by section
        #[arg(long, value_name = "JSON", default_value = "{}")]
        settings: String,
        /// Initialization options of the server, as JSON
        #[arg(long, value_name = "JSON")]
        options: Option<String>,
        /// File to write [default: bench/calls/truth/<repository>.csv, <repository>.<sample>.csv
        /// from the second sample on]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Score the graph's stored edges against the committed truth files
    Score {
        /// The folder that bench/layout.sh filled
        #[arg(long, value_name = "DIR", default_value = "corpus")]
        corpus: PathBuf,
        /// Also print the sites with this grade
        #[arg(long, value_name = "GRADE")]
        list: Vec<GradeName>,
        /// Write the table as CSV
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
        /// Names of repositories in bench/calls/repositories.toml [default: all that have a truth
        /// file]
        repositories: Vec<String>,
    },
    /// Count why call sites have no edge, over whole trees
    Reasons {
        /// The folder that bench/layout.sh filled
        #[arg(long, value_name = "DIR", default_value = "corpus")]
        corpus: PathBuf,
        /// Write the table as CSV
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
        /// List the call sites without a target before the table
        #[arg(long)]
        sites: bool,
        /// Folders of the corpus
        #[arg(required = true)]
        trees: Vec<String>,
    },
}

/// Maximum number of reasons per language in the table of `reasons`. The others are rare.
const MAX_REASONS: usize = 10;

/// A [`CallGrade`] as a value of `--list`.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum GradeName {
    Right,
    Wrong,
    Ambiguous,
    Missing,
    ExternalRight,
    ExternalWrong,
    Silent,
    Unjudged,
}

impl GradeName {
    fn to_grade(self) -> CallGrade {
        match self {
            Self::Right => CallGrade::Right,
            Self::Wrong => CallGrade::Wrong,
            Self::Ambiguous => CallGrade::Ambiguous,
            Self::Missing => CallGrade::Missing,
            Self::ExternalRight => CallGrade::ExternalRight,
            Self::ExternalWrong => CallGrade::ExternalWrong,
            Self::Silent => CallGrade::Silent,
            Self::Unjudged => CallGrade::Unjudged,
        }
    }
}

fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::INFO)
        .with_target(false)
        .init();
    match Arguments::parse().command {
        Command::Sample { repository, tree, sample } => print_sample(&repository, &tree, sample),
        Command::Ask { repository, tree, sample, settings, options, out } => {
            let repository = find_repository(&repository)?;
            let root = tree.canonicalize().with_context(|| tree.display().to_string())?;
            let settings = serde_json::from_str(&settings).context("--settings")?;
            let options = options.map(|text| serde_json::from_str(&text)).transpose().context("--options")?;
            let runtime = tokio::runtime::Runtime::new()?;
            let rows =
                runtime.block_on(truth_collection::collect_truth(truth_collection::SampleRequest {
                    repository,
                    root,
                    sample,
                    settings,
                    options,
                }))?;
            let out = out.unwrap_or_else(|| repository.truth_path(sample));
            std::fs::write(&out, to_csv(&rows)).with_context(|| out.display().to_string())?;
            let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
            let counts = [TargetKind::Workspace, TargetKind::External, TargetKind::Local, TargetKind::None]
                .map(|verdict| format!("{} {}", count(verdict), verdict.as_str()));
            write_stdout(&format!("{}: {}\n", out.display(), counts.join(", ")))
        }
        Command::Score { corpus, list, csv, repositories } => {
            print_scores(&corpus, &list, csv.as_deref(), &repositories)
        }
        Command::Reasons { corpus, csv, sites, trees } => {
            print_reasons(&corpus, csv.as_deref(), sites, &trees)
        }
    }
}

fn find_repository(name: &str) -> anyhow::Result<&'static JudgedRepository> {
    find_repositories(&[name.to_owned()])?.into_iter().next().context("the table has no such repository")
}

fn write_stdout(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn print_sample(repository: &str, tree: &Path, number: u32) -> anyhow::Result<()> {
    let mut text = String::new();
    for site in sample::draw_sample(find_repository(repository)?, tree, number)? {
        let sample::SampledSite { path, line, column, name, .. } = site;
        writeln!(text, "{path},{},{},{name}", line + 1, column + 1)?;
    }
    write_stdout(&text)
}

/// A row of the table: the grades of one language of a repository in one sample.
struct ScoreRow {
    sample: u32,
    repository: String,
    language: String,
    grades: GradeCounts,
    /// Number of sites with a true target in the workspace.
    workspace_sites: usize,
}

impl ScoreRow {
    fn format_cells(&self) -> Vec<String> {
        let format_share =
            |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let mut cells = vec![self.sample.to_string(), self.repository.clone(), self.language.clone()];
        cells.push(self.grades.site_count().to_string());
        cells.push(self.workspace_sites.to_string());
        cells.push(format_share(self.grades.precision()));
        cells.push(format_share(self.grades.recall(self.workspace_sites)));
        cells.extend(CallGrade::ALL.iter().map(|(grade, _)| self.grades.count(*grade).to_string()));
        cells
    }
}

fn score_columns() -> Vec<String> {
    let grades = CallGrade::ALL.iter().map(|(_, text)| *text);
    ["sample", "repository", "language", "sites", "inside", "precision", "recall"]
        .into_iter()
        .chain(grades)
        .map(str::to_owned)
        .collect()
}

/// Returns the language in whose row the sites of `language` are counted: TSX counts as TypeScript.
fn summed_language(language: &str) -> &str {
    if language == "tsx" { "typescript" } else { language }
}

fn print_scores(
    corpus: &Path,
    list: &[GradeName],
    csv: Option<&Path>,
    names: &[String],
) -> anyhow::Result<()> {
    let mut scored: Vec<ScoreRow> = Vec::new();
    for repository in find_repositories(names)? {
        let samples: Vec<u32> = repository.sample_numbers().collect();
        if samples.is_empty() {
            if names.is_empty() {
                continue;
            }
            anyhow::bail!("{} has no truth file: run bench/scripts/truth", repository.name);
        }
        let indexed = tree::IndexedTree::open(&corpus.join(&repository.tree))?;
        for sample in samples {
            let graded = grade_sample(repository, sample, &indexed)?;
            for listed in list {
                print_sites_with_grade(&repository.name, listed.to_grade(), &graded)?;
            }
            for site in graded {
                let index = row_index(&mut scored, sample, &repository.name, summed_language(&site.language));
                scored[index].grades.add(site.grade);
                scored[index].workspace_sites += usize::from(site.truth.verdict == TargetKind::Workspace);
            }
        }
    }
    scored.sort_by_key(|row| row.sample);
    let mut sums: Vec<ScoreRow> = Vec::new();
    for row in &scored {
        let index = row_index(&mut sums, row.sample, "all", &row.language);
        sums[index].grades.add_counts(&row.grades);
        sums[index].workspace_sites += row.workspace_sites;
    }
    sums.sort_by(|a, b| (a.sample, &a.language).cmp(&(b.sample, &b.language)));
    let rows: Vec<Vec<String>> = scored.iter().chain(&sums).map(ScoreRow::format_cells).collect();
    if let Some(file) = csv {
        write_csv(file, &score_columns(), &rows)?;
    }
    write_stdout(&markdown_table(&score_columns(), &rows))
}

/// Returns the index of a row. Adds the row if it is missing.
fn row_index(rows: &mut Vec<ScoreRow>, sample: u32, repository: &str, language: &str) -> usize {
    let has_key = |row: &ScoreRow| {
        (row.sample, row.repository.as_str(), row.language.as_str()) == (sample, repository, language)
    };
    rows.iter().position(has_key).unwrap_or_else(|| {
        let (repository, language) = (repository.to_owned(), language.to_owned());
        rows.push(ScoreRow {
            sample,
            repository,
            language,
            grades: GradeCounts::default(),
            workspace_sites: 0,
        });
        rows.len() - 1
    })
}

fn print_sites_with_grade(repository: &str, grade: CallGrade, sites: &[GradedSite]) -> anyhow::Result<()> {
    let mut text = String::new();
    for site in sites.iter().filter(|site| site.grade == grade) {
        writeln!(text, "[{repository} {}] {}", grade.as_str(), site.describe())?;
    }
    write_stdout(&text)
}

fn print_reasons(
    corpus: &Path,
    csv: Option<&Path>,
    list_sites: bool,
    trees: &[String],
) -> anyhow::Result<()> {
    let mut counts: BTreeMap<String, reasons::OutcomeCounts> = BTreeMap::new();
    for tree in trees {
        let indexed = tree::IndexedTree::open(&corpus.join(tree))?;
        let unresolved = reasons::count_outcomes(&indexed, &mut counts);
        let mut text = String::new();
        for site in unresolved.iter().filter(|_| list_sites) {
            let reasons::UnresolvedCall { path, line, called, reason } = site;
            writeln!(text, "{tree}/{path}:{line} {called}: {}", reason.as_str())?;
        }
        write_stdout(&text)?;
    }
    let header = ["language", "sites", "outcome", "count", "share"].map(str::to_owned);
    let mut rows = Vec::new();
    for (language, counts) in &counts {
        let sites = counts.site_count();
        let mut row = |outcome: &str, count: usize| {
            let share = format!("{:.3}", count as f64 / sites.max(1) as f64);
            rows.push(vec![
                language.clone(),
                sites.to_string(),
                outcome.to_owned(),
                count.to_string(),
                share,
            ]);
        };
        row("resolved", counts.resolved);
        row("ambiguous", counts.ambiguous);
        row("external", counts.external);
        for (reason, count) in counts.top_reasons(MAX_REASONS) {
            row(reason.as_str(), count);
        }
    }
    if let Some(file) = csv {
        write_csv(file, &header, &rows)?;
    }
    write_stdout(&markdown_table(&header, &rows))
}

fn write_csv(file: &Path, header: &[String], rows: &[Vec<String>]) -> anyhow::Result<()> {
    let mut text = String::new();
    for row in std::iter::once(header).chain(rows.iter().map(Vec::as_slice)) {
        let cells: Vec<String> = row.iter().map(|cell| quote_field(cell)).collect();
        writeln!(text, "{}", cells.join(","))?;
    }
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

/// Returns a Markdown table with aligned columns.
fn markdown_table(header: &[String], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| &row[column]).chain([&header[column]]);
        cells.map(String::len).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}", line(header), line(&rule))
}
