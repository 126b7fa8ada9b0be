//! `calls`: samples call sites, asks language servers for their definitions, and scores the graph's
//! edges against the answers.

use anyhow::Context;
use bench::calls::repositories::{Repository, named};
use bench::calls::score::{Grade, Judged, Tally, score};
use bench::calls::truth::{Verdict, to_csv};
use bench::calls::{ask, reasons, sample, tree};
use clap::{Parser, Subcommand, ValueEnum};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Judge the graph's calls against language servers
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the sample of a repository's call sites: path, line, column in bytes, name
    Sample {
        /// A name of bench/calls/repositories.toml
        repository: String,
        /// The tree
        tree: PathBuf,
        /// Which sample: 1, or a later one, which shares no site with the earlier ones
        #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
    },
    /// Ask the language server about the sample and write the truth file
    Ask {
        /// A name of bench/calls/repositories.toml
        repository: String,
        /// A copy of the tree in which its dependencies are installed
        tree: PathBuf,
        /// Which sample
        #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
        /// Settings of the server, as a JSON object by section
        #[arg(long, value_name = "JSON", default_value = "{}")]
        settings: String,
        /// Initialisation options of the server, as JSON
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
        list: Vec<Listed>,
        /// Write the table as CSV
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
        /// Names of bench/calls/repositories.toml [default: all that have a truth file]
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

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Listed {
    Right,
    Wrong,
    Ambiguous,
    Missing,
    ExternalRight,
    ExternalWrong,
    Silent,
    Unjudged,
}

impl Listed {
    fn grade(self) -> Grade {
        match self {
            Self::Right => Grade::Right,
            Self::Wrong => Grade::Wrong,
            Self::Ambiguous => Grade::Ambiguous,
            Self::Missing => Grade::Missing,
            Self::ExternalRight => Grade::ExternalRight,
            Self::ExternalWrong => Grade::ExternalWrong,
            Self::Silent => Grade::Silent,
            Self::Unjudged => Grade::Unjudged,
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
            let repository = one(&repository)?;
            let root = tree.canonicalize().with_context(|| tree.display().to_string())?;
            let settings = serde_json::from_str(&settings).context("--settings")?;
            let options = options.map(|text| serde_json::from_str(&text)).transpose().context("--options")?;
            let runtime = tokio::runtime::Runtime::new()?;
            let rows =
                runtime.block_on(ask::ask(ask::Asking { repository, root, sample, settings, options }))?;
            let out = out.unwrap_or_else(|| repository.truth(sample));
            std::fs::write(&out, to_csv(&rows)).with_context(|| out.display().to_string())?;
            let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
            let counts = [Verdict::Workspace, Verdict::External, Verdict::Local, Verdict::None]
                .map(|verdict| format!("{} {}", count(verdict), verdict.as_str()));
            print(&format!("{}: {}\n", out.display(), counts.join(", ")))
        }
        Command::Score { corpus, list, csv, repositories } => {
            scores(&corpus, &list, csv.as_deref(), &repositories)
        }
        Command::Reasons { corpus, csv, sites, trees } => {
            print_reasons(&corpus, (csv.as_deref(), sites), &trees)
        }
    }
}

fn one(name: &str) -> anyhow::Result<&'static Repository> {
    named(&[name.to_owned()])?.into_iter().next().context("no repository is named")
}

fn print(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn print_sample(repository: &str, tree: &Path, number: u32) -> anyhow::Result<()> {
    let mut text = String::new();
    for site in sample::sample(one(repository)?, tree, number)? {
        let sample::Site { path, line, column, name, .. } = site;
        writeln!(text, "{path},{},{},{name}", line + 1, column + 1)?;
    }
    print(&text)
}

/// The grades of one language of a repository in one sample.
struct Scored {
    sample: u32,
    repository: String,
    language: String,
    tally: Tally,
    inside: usize,
}

impl Scored {
    fn cells(&self) -> Vec<String> {
        let figure =
            |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let mut cells = vec![self.sample.to_string(), self.repository.clone(), self.language.clone()];
        cells.push(self.tally.sites().to_string());
        cells.push(self.inside.to_string());
        cells.push(figure(self.tally.precision()));
        cells.push(figure(self.tally.recall(self.inside)));
        cells.extend(Grade::ALL.iter().map(|(grade, _)| self.tally.of(*grade).to_string()));
        cells
    }
}

fn header() -> Vec<String> {
    let grades = Grade::ALL.iter().map(|(_, text)| *text);
    ["sample", "repository", "language", "sites", "inside", "precision", "recall"]
        .into_iter()
        .chain(grades)
        .map(str::to_owned)
        .collect()
}

/// Returns the language under which the figures of a language are summed up.
fn family(language: &str) -> &str {
    if language == "tsx" { "typescript" } else { language }
}

fn scores(corpus: &Path, list: &[Listed], csv: Option<&Path>, names: &[String]) -> anyhow::Result<()> {
    let mut scored: Vec<Scored> = Vec::new();
    for repository in named(names)? {
        let samples: Vec<u32> = repository.samples().collect();
        if samples.is_empty() {
            if names.is_empty() {
                continue;
            }
            anyhow::bail!("nobody was asked about {}: run bench/scripts/truth", repository.name);
        }
        let indexed = tree::Indexed::open(&corpus.join(&repository.tree))?;
        for sample in samples {
            let judged = score(repository, sample, &indexed)?;
            for listed in list {
                print_list(&repository.name, listed.grade(), &judged)?;
            }
            for judged in judged {
                let at = at_row(&mut scored, sample, &repository.name, family(&judged.language));
                scored[at].tally.add(judged.grade);
                scored[at].inside += usize::from(judged.truth.verdict == Verdict::Workspace);
            }
        }
    }
    scored.sort_by_key(|row| row.sample);
    let mut sums: Vec<Scored> = Vec::new();
    for row in &scored {
        let at = at_row(&mut sums, row.sample, "all", &row.language);
        sums[at].tally.join(&row.tally);
        sums[at].inside += row.inside;
    }
    sums.sort_by(|a, b| (a.sample, &a.language).cmp(&(b.sample, &b.language)));
    let rows: Vec<Vec<String>> = scored.iter().chain(&sums).map(Scored::cells).collect();
    if let Some(file) = csv {
        write_csv(file, &header(), &rows)?;
    }
    print(&table(&header(), &rows))
}

/// Returns the index of a row, and adds the row if it is missing.
fn at_row(rows: &mut Vec<Scored>, sample: u32, repository: &str, language: &str) -> usize {
    let is_it = |row: &Scored| {
        (row.sample, row.repository.as_str(), row.language.as_str()) == (sample, repository, language)
    };
    rows.iter().position(is_it).unwrap_or_else(|| {
        let (repository, language) = (repository.to_owned(), language.to_owned());
        rows.push(Scored { sample, repository, language, tally: Tally::default(), inside: 0 });
        rows.len() - 1
    })
}

fn print_list(repository: &str, grade: Grade, judged: &[Judged]) -> anyhow::Result<()> {
    let mut text = String::new();
    for site in judged.iter().filter(|site| site.grade == grade) {
        writeln!(text, "[{repository} {}] {}", grade.as_str(), site.line())?;
    }
    print(&text)
}

fn print_reasons(corpus: &Path, (csv, sites): (Option<&Path>, bool), trees: &[String]) -> anyhow::Result<()> {
    let mut counts: BTreeMap<String, reasons::Counts> = BTreeMap::new();
    for tree in trees {
        let indexed = tree::Indexed::open(&corpus.join(tree))?;
        let lost = reasons::count(&indexed, &mut counts);
        let mut text = String::new();
        for site in lost.iter().filter(|_| sites) {
            let reasons::Lost { path, line, called, reason } = site;
            writeln!(text, "{tree}/{path}:{line} {called}: {}", reason.as_str())?;
        }
        print(&text)?;
    }
    let header = ["language", "sites", "outcome", "count", "share"].map(str::to_owned);
    let mut rows = Vec::new();
    for (language, counts) in &counts {
        let sites = counts.sites();
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
        for (reason, count) in counts.top(10) {
            row(reason.as_str(), count);
        }
    }
    if let Some(file) = csv {
        write_csv(file, &header, &rows)?;
    }
    print(&table(&header, &rows))
}

fn write_csv(file: &Path, header: &[String], rows: &[Vec<String>]) -> anyhow::Result<()> {
    let quoted = |cell: &String| if cell.contains(',') { format!("\"{cell}\"") } else { cell.clone() };
    let mut text = String::new();
    for row in std::iter::once(header).chain(rows.iter().map(Vec::as_slice)) {
        let cells: Vec<String> = row.iter().map(quoted).collect();
        writeln!(text, "{}", cells.join(","))?;
    }
    std::fs::write(file, text).with_context(|| file.display().to_string())
}

/// Returns a Markdown table with aligned columns.
fn table(header: &[String], rows: &[Vec<String>]) -> String {
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
