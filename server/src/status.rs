//! The state of one workspace folder, as data and as text.
//!
//! [`IndexStatus::new`] counts the symbols and edges of a snapshot, and the functions whose names
//! begin with `with_` add the figures that only some callers have. The data is the JSON of
//! `kenning status` and of the command `kenning.status`. The text of [`Display`] has every figure;
//! `summary` renders a short text for people.

mod summary;

use crate::answer;
use crate::cache::DiskUsage;
use crate::enrich::ServerReport;
use crate::format::json::SCHEMA;
use crate::format::wording::{group_digits, render_quantity};
use crate::freshness::Freshness;
use crate::ranking_choice::RankConfigName;
use kenning_graph::Snapshot;
use kenning_graph::snapshot::{CallStats, GraphCounts};
use kenning_indexing::named_file::{FileProblem, shorten_text};
use kenning_indexing::project::ProjectIssue;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// The status of a folder's index.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IndexStatus {
    /// Version of this format.
    schema: u32,
    /// Version of Kenning.
    version: &'static str,
    /// The folder's path.
    #[schemars(with = "String")]
    root: PathBuf,
    /// The database; null before it is open.
    database: Option<DatabaseStatus>,
    /// The space that the index and the whole cache take; only in the command line's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<DiskUsage>,
    /// `writer` or `reader`; null before the database is open.
    role: Option<&'static str>,
    /// The number of the graph's revision.
    revision: u64,
    /// Identity hash of the graph of the text.
    source_root: String,
    /// Identity hash of everything that answers depend on, language servers included.
    snapshot: String,
    /// The number of files in the index.
    files: usize,
    /// The number of symbols in the workspace.
    symbols: usize,
    /// The number of symbols outside the workspace that an edge points to.
    phantoms: usize,
    /// The number of edges.
    edges: usize,
    /// The number of symbols whose last commit is known.
    with_history: usize,
    /// The number of commits that were read from the history.
    commits: usize,
    /// The number of tests whose runs were imported.
    recorded_tests: usize,
    /// The number of calls that imported traces show.
    recorded_calls: usize,
    /// The number of files by language.
    files_by_language: BTreeMap<String, usize>,
    /// The number of files that no one edits, by reason: `generated`, `built`, `vendored`.
    derived_files: BTreeMap<&'static str, usize>,
    /// The number of symbols by kind.
    symbols_by_kind: BTreeMap<&'static str, usize>,
    /// The number of edges by kind.
    edges_by_kind: BTreeMap<&'static str, usize>,
    /// The number of edges by provenance.
    edges_by_provenance: BTreeMap<&'static str, usize>,
    /// The call sites by how they were resolved.
    calls: CallFigures,
    /// The ranking configuration that the options choose; absent if it is the default.
    #[serde(skip_serializing_if = "RankConfigName::is_default")]
    ranking: RankConfigName,
    /// The vectors; absent if `vectors.model` is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<VectorsStatus>,
    /// The state and the verdicts of each language server.
    enrichment: Vec<ServerReport>,
    /// Files that are ignored or only partly used, with the reason: ignore files, manifests, the
    /// repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// The number of files that are left out because their language is unknown, by extension.
    unknown_extensions: BTreeMap<String, usize>,
    #[serde(flatten)]
    freshness: Freshness,
}

/// The database of a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct DatabaseStatus {
    /// The path of the database.
    #[schemars(with = "String")]
    path: PathBuf,
    /// The number of the last migration; `null` if the file cannot be read.
    schema: Option<u32>,
    /// The size in bytes, including the write-ahead log.
    bytes: u64,
}

/// The vectors of a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct VectorsStatus {
    /// The folder of the model, as the option names it.
    model: String,
    /// The number of symbols and sections whose vectors are stored. A session computes them in the
    /// background, and a command before its answer.
    symbols: usize,
}

/// The call sites of a workspace by how they were resolved.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct CallFigures {
    /// All call sites.
    total: u32,
    /// Call sites that lead to exactly one symbol of the workspace.
    resolved: u32,
    /// Call sites with several candidates.
    ambiguous: u32,
    /// Call sites that lead out of the workspace.
    external: u32,
    /// Call sites whose target is unknown.
    unresolved: u32,
    /// The share of `resolved` in `total`, in percent with one decimal.
    resolved_percent: f64,
}

impl From<CallStats> for CallFigures {
    fn from(calls: CallStats) -> Self {
        let CallStats { resolved, ambiguous, external, unresolved } = calls;
        let (total, resolved_percent) = (calls.total_calls(), compute_percent(resolved, calls.total_calls()));
        Self { total, resolved, ambiguous, external, unresolved, resolved_percent }
    }
}

impl DatabaseStatus {
    fn new(path: &Path) -> Self {
        // The write-ahead log is part of the database.
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let schema = kenning_graph::store::schema_version(path).ok();
        Self { path: path.to_owned(), schema, bytes: size(path) + size(Path::new(&log)) }
    }
}

impl IndexStatus {
    /// Builds the status of the folder at `root` from its last snapshot and the number of commits
    /// that were read.
    pub fn new(
        root: &Path,
        db_path: Option<&Path>,
        is_writer: Option<bool>,
        snapshot: &Snapshot,
        commits: usize,
        freshness: Freshness,
        enrichment: Vec<ServerReport>,
    ) -> Self {
        let GraphCounts {
            files,
            symbols,
            phantoms,
            edges,
            symbols_by_kind,
            files_by_language,
            edges_by_kind,
            edges_by_provenance,
            calls,
        } = snapshot.compute_counts();
        let runs = snapshot.run_layer().totals();
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            root: root.to_owned(),
            database: db_path.map(DatabaseStatus::new),
            disk: None,
            role: is_writer.map(|writer| if writer { "writer" } else { "reader" }),
            revision: snapshot.revision(),
            source_root: snapshot.source_root().to_hex(),
            snapshot: answer::snapshot_hash(snapshot).to_hex(),
            files,
            symbols,
            phantoms,
            edges,
            with_history: snapshot.known_change_count(),
            commits,
            recorded_tests: runs.tests,
            recorded_calls: runs.calls,
            files_by_language,
            derived_files: snapshot.count_derived_files(),
            symbols_by_kind,
            edges_by_kind,
            edges_by_provenance,
            calls: calls.into(),
            ranking: RankConfigName::default(),
            vectors: None,
            enrichment,
            problems: Vec::new(),
            unknown_extensions: BTreeMap::new(),
            freshness,
        }
    }

    /// Adds the numbers of files that are left out because their language is unknown.
    #[must_use]
    pub fn with_unknown_extensions(mut self, extensions: BTreeMap<String, usize>) -> Self {
        self.unknown_extensions = extensions;
        self
    }

    /// Adds the ranking configuration that the options choose.
    #[must_use]
    pub fn with_ranking(self, ranking: RankConfigName) -> Self {
        Self { ranking, ..self }
    }

    /// Adds the model that the options choose and the number of symbols that have vectors. Reads
    /// `vectors.db`.
    #[must_use]
    pub fn with_vectors(self, model: Option<&str>, database: Option<&Path>) -> Self {
        let vectors = model.map(|model| VectorsStatus {
            model: model.to_owned(),
            symbols: database.map_or(0, crate::vectors::count_stored_symbols),
        });
        Self { vectors, ..self }
    }

    /// Adds the space that the index and the whole cache take.
    #[must_use]
    pub fn with_disk_usage(self, disk: DiskUsage) -> Self {
        Self { disk: Some(disk), ..self }
    }

    /// Adds the problems of ignore files, of other files that control indexing, and of manifests.
    #[must_use]
    pub fn with_problems(mut self, files: &[FileProblem], manifests: &[ProjectIssue]) -> Self {
        let manifests = manifests.iter().map(|issue| format!("{}: {}", issue.path, issue.message));
        let all: Vec<String> = files.iter().map(ToString::to_string).chain(manifests).collect();
        self.problems = all.iter().take(MAX_PROBLEMS).map(|problem| collapse_whitespace(problem)).collect();
        if all.len() > MAX_PROBLEMS {
            self.problems.push(format!("{} more", all.len() - MAX_PROBLEMS));
        }
        self
    }
}

/// Maximum number of listed extensions of files in an unknown language.
const MAX_EXTENSIONS: usize = 10;

/// Lists the most frequent extensions of files in an unknown language: `12 .jl, 3 .f90`.
pub fn render_extensions(extensions: &BTreeMap<String, usize>) -> String {
    let mut entries: Vec<_> = extensions.iter().collect();
    entries.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let rest: usize = entries.iter().skip(MAX_EXTENSIONS).map(|(_, count)| **count).sum();
    let mut parts: Vec<String> = entries
        .iter()
        .take(MAX_EXTENSIONS)
        .map(|(extension, count)| format!("{} .{extension}", group_digits(**count)))
        .collect();
    if rest > 0 {
        parts.push(format!("{} others", group_digits(rest)));
    }
    parts.join(", ")
}

/// Maximum number of listed problems. Test data alone may contain thousands of broken manifests.
const MAX_PROBLEMS: usize = 20;

/// Puts the message of a parser on one line and shortens it. Such a message may span several lines
/// and quote a whole line of the manifest.
fn collapse_whitespace(problem: &str) -> String {
    shorten_text(&problem.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the share of `part` in `whole` in percent, with one decimal; 0 if `whole` is 0.
fn compute_percent(part: u32, whole: u32) -> f64 {
    if whole == 0 { 0.0 } else { (f64::from(part) * 1000.0 / f64::from(whole)).round() / 10.0 }
}

/// Lists the count of each kind, most frequent first.
fn render_counts<K: AsRef<str> + Ord>(counts: &BTreeMap<K, usize>) -> String {
    let mut entries: Vec<_> = counts.iter().collect();
    entries.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    entries
        .iter()
        .map(|(name, n)| format!("{} {}", name.as_ref(), group_digits(**n)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Formats a number of bytes for people, in decimal units.
pub fn render_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

impl Display for IndexStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "root:        {}", self.root.display())?;
        if let Some(DatabaseStatus { path, bytes: size, schema }) = &self.database {
            let schema = schema.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
            writeln!(f, "database:    {} ({}, schema {schema})", path.display(), render_bytes(*size))?;
        }
        if let Some(disk) = &self.disk {
            writeln!(f, "disk:        {}", disk.describe_space())?;
        }
        writeln!(f, "role:        {}", self.role.unwrap_or("not open"))?;
        writeln!(f, "indexed at:  {}", self.freshness.indexed_at.as_deref().unwrap_or("never"))?;
        writeln!(f, "head:        {}", self.freshness.head.as_deref().unwrap_or("none"))?;
        writeln!(f, "revision:    {}", self.revision)?;
        writeln!(f, "source root: {}", self.source_root)?;
        writeln!(f, "snapshot:    {}", self.snapshot)?;
        writeln!(
            f,
            "files:       {} ({})",
            group_digits(self.files),
            render_counts(&self.files_by_language)
        )?;
        if !self.derived_files.is_empty() {
            writeln!(f, "behind source: {}", render_counts(&self.derived_files))?;
        }
        if !self.unknown_extensions.is_empty() {
            let extensions = render_extensions(&self.unknown_extensions);
            writeln!(f, "not read:    {extensions} (unknown language)")?;
        }
        writeln!(
            f,
            "symbols:     {} ({})",
            group_digits(self.symbols),
            render_counts(&self.symbols_by_kind)
        )?;
        writeln!(f, "external:    {}", group_digits(self.phantoms))?;
        writeln!(f, "edges:       {} ({})", group_digits(self.edges), render_counts(&self.edges_by_kind))?;
        let commits = render_quantity(self.commits, "commit");
        let symbols = render_quantity(self.with_history, "symbol");
        writeln!(f, "history:     {commits}, last changes to {symbols}")?;
        if self.recorded_tests + self.recorded_calls > 0 {
            let (tests, calls) =
                (render_quantity(self.recorded_tests, "test"), render_quantity(self.recorded_calls, "call"));
            writeln!(f, "runs:        {tests} and {calls} recorded")?;
        }
        writeln!(f, "provenance:  {}", render_counts(&self.edges_by_provenance))?;
        let (calls, total) = (self.calls, self.calls.total);
        writeln!(
            f,
            "calls:       {}: {}% resolved, {}% ambiguous, {}% external, {}% unresolved",
            group_digits(total as usize),
            compute_percent(calls.resolved, total),
            compute_percent(calls.ambiguous, total),
            compute_percent(calls.external, total),
            compute_percent(calls.unresolved, total)
        )?;
        if !self.ranking.is_default() {
            writeln!(f, "ranking:     {}", self.ranking.as_str())?;
        }
        if let Some(VectorsStatus { model, symbols }) = &self.vectors {
            writeln!(f, "vectors:     {}, model {model}", render_quantity(*symbols, "symbol"))?;
        }
        if let Some(line) = self.freshness.render_line() {
            writeln!(f, "freshness:   {line}")?;
        }
        for (at, problem) in self.problems.iter().enumerate() {
            writeln!(f, "{:<13}{problem}", if at == 0 { "problems:" } else { "" })?;
        }
        if self.enrichment.is_empty() {
            return writeln!(f, "servers:     none");
        }
        for (at, server) in self.enrichment.iter().enumerate() {
            writeln!(f, "{:<13}{server}", if at == 0 { "servers:" } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_shares_are_rounded_for_people() {
        assert_eq!(render_bytes(999), "999 B");
        assert_eq!(render_bytes(1_500), "1.5 kB");
        assert_eq!(render_bytes(28_311_552), "28.3 MB");
        assert_eq!(compute_percent(1, 3), 33.3);
        assert_eq!(compute_percent(0, 0), 0.0);
    }

    #[test]
    fn the_most_frequent_unknown_extensions_are_listed() {
        let mut extensions = BTreeMap::from([("f90".to_owned(), 3), ("jl".to_owned(), 1200)]);
        assert_eq!(render_extensions(&extensions), "1,200 .jl, 3 .f90");
        extensions.extend((0..10).map(|n| (format!("x{n}"), 1)));
        assert!(render_extensions(&extensions).ends_with("1 .x7, 2 others"));
    }

    #[test]
    fn the_most_frequent_kind_is_listed_first() {
        let counts = BTreeMap::from([("a", 1), ("b", 3), ("c", 1)]);
        assert_eq!(render_counts(&counts), "b 3, a 1, c 1");
    }
}
