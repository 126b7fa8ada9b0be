//! Computes the features of candidate files. Each feature is 0 without evidence and grows with it.
//!
//! The search starts at the seeds and counts evidence by file: commits that changed both, edges in
//! both directions, names that both declare, a common folder, similar file names. Each source adds
//! a limited number of candidates. The features of a file are computed from its counts, with the
//! reasons to show.

use super::{RippleReason, RippleSeeds};
use crate::history::{ChangeSeed, CoChange, CommitHistory};
use crate::path_role;
use kenning_graph::paths::{file_name, parent_folder};
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolId, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of candidates from the history. Files that most commits touch change together
/// with everything.
const MAX_CO_CHANGED: usize = 300;

/// Maximum number of candidates from one folder. Folders with generated code or test data have
/// thousands of files.
const MAX_IN_FOLDER: usize = 200;

/// Maximum number of symbols with the same name. A more common name does not relate two files.
const MAX_NAMESAKES: usize = 40;

/// Maximum number of edges that are read per request. A seed such as `Errors` in a large project
/// has thousands of users.
const MAX_EDGES: usize = 60_000;

/// Half-life of a commit in the activity of a file, in days.
const ACTIVITY_HALF_LIFE_DAYS: f64 = 180.0;

/// Index of `co_recent` in [`FeatureRow::values`].
pub(super) const CO_RECENT: usize = 0;
/// Index of `same_folder` in [`FeatureRow::values`].
const SAME_FOLDER: usize = 13;
/// Index of `same_stem` in [`FeatureRow::values`].
const SAME_STEM: usize = 16;
/// Index of `is_test` in [`FeatureRow::values`].
pub(super) const IS_TEST: usize = 18;

/// The names of the features, in the order of [`FeatureRow::values`].
pub const FEATURES: [&str; 21] = [
    "co_recent",
    "co_recent_root",
    "co_confidence",
    "co_lift",
    "co_weight",
    "co_symbol",
    "used_by",
    "uses",
    "file_used_by",
    "file_uses",
    "imports",
    "parallel",
    "namesakes",
    "same_folder",
    "near_folder",
    "similar_stem",
    "same_stem",
    "activity",
    "is_test",
    "test_same_stem",
    "test_co_recent",
];

/// A candidate file with its features.
#[derive(Clone, Debug)]
pub struct FeatureRow {
    /// The path in the workspace.
    pub path: String,
    /// The features, named by [`FEATURES`].
    pub values: [f64; FEATURES.len()],
    /// The score; 0 until a model has computed it.
    pub score: f64,
    /// The reasons to show, the strongest first.
    pub reasons: Vec<RippleReason>,
}

/// The counts from which the features of one file are computed.
#[derive(Clone, Debug, Default)]
struct CandidateCounts {
    co_change: Option<CoChange>,
    /// Symbols of the file with an edge to a seed.
    users: FxHashSet<SymbolId>,
    /// Symbols of the file to which a seed has an edge.
    used: FxHashSet<SymbolId>,
    /// Edges from the file to other symbols of the seeds' files.
    file_users: u32,
    /// Edges from other symbols of the seeds' files to the file.
    file_used: u32,
    imports: u32,
    parallel: FxHashSet<SymbolId>,
    /// Sum of the rarity of the names that the file shares with the seeds, each at most 1.
    namesakes: f64,
    shared_names: u32,
}

/// Collects the candidates by file.
struct CandidateSearch<'a> {
    snapshot: &'a Snapshot,
    seeds: FxHashSet<SymbolId>,
    seed_files: FxHashSet<FileId>,
    found: FxHashMap<FileId, CandidateCounts>,
    edges_read: usize,
}

/// Measures every file that is related to the seeds. Returns the files in the order of their paths.
pub fn candidate_features(
    snapshot: &Snapshot,
    history: Option<&CommitHistory>,
    seeds: RippleSeeds<'_>,
) -> Vec<FeatureRow> {
    let symbols = seed_symbols(snapshot, seeds);
    let mut files: Vec<FileId> = symbols.iter().filter_map(|&id| snapshot.file_of_symbol(id)).collect();
    files.sort_unstable();
    files.dedup();
    let mut search = CandidateSearch {
        snapshot,
        seeds: symbols.iter().copied().collect(),
        seed_files: files.iter().copied().collect(),
        found: FxHashMap::default(),
        edges_read: 0,
    };
    search.add_history(history, &symbols, &files);
    for &symbol in &symbols {
        search.add_edges_of_seed(symbol);
        search.add_namesakes(symbol);
    }
    for &file in &files {
        search.add_edges_of_file(file);
        search.add_files_of_folder(file);
    }
    search.add_similar_names(&files);
    let seed_paths: Vec<&str> = files.iter().filter_map(|&id| snapshot.file(id)).map(|f| f.path).collect();
    let mut rows: Vec<FeatureRow> = search
        .found
        .into_iter()
        .filter_map(|(file, counts)| {
            Some(compute_features(snapshot.file(file)?.path, counts, &seed_paths, history))
        })
        .collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    rows
}

/// Returns the seeds. A seed that is a file adds all symbols of the file.
fn seed_symbols(snapshot: &Snapshot, seeds: RippleSeeds<'_>) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    for &id in seeds.symbols {
        symbols.push(id);
        let Some(facets) = snapshot.symbol_facets(id) else { continue };
        if facets.kind == SymbolKind::File {
            symbols.extend(facets.file.map(|file| snapshot.file_symbols(file)).unwrap_or_default());
        }
    }
    let mut seen = FxHashSet::default();
    symbols.retain(|&id| seen.insert(id));
    symbols.truncate(RippleSeeds::MAX_SYMBOLS);
    symbols
}

impl CandidateSearch<'_> {
    /// Returns the counts of a file, and makes the file a candidate. Returns `None` for the file of
    /// a seed.
    fn counts_of_candidate(&mut self, file: FileId) -> Option<&mut CandidateCounts> {
        (!self.seed_files.contains(&file)).then(|| self.found.entry(file).or_default())
    }

    fn add_history(&mut self, history: Option<&CommitHistory>, symbols: &[SymbolId], files: &[FileId]) {
        let Some(history) = history else { return };
        let seeds: Vec<ChangeSeed> = files
            .iter()
            .filter_map(|&file| {
                let path = self.snapshot.file(file)?.path.to_owned();
                let names = symbols.iter().filter_map(|&id| self.snapshot.symbol(id));
                let names = names.filter(|s| s.path == path && s.kind != SymbolKind::File);
                Some(ChangeSeed { symbols: names.map(|s| s.display_name()).collect(), path })
            })
            .collect();
        for pair in history.co_changed_files(&seeds, MAX_CO_CHANGED) {
            let file = self.snapshot.code_file_by_path(&pair.path);
            if let Some(counts) = file.and_then(|file| self.counts_of_candidate(file)) {
                counts.co_change = Some(pair);
            }
        }
    }

    /// Counts the users of a seed, the symbols that it uses, and the symbols that override or
    /// implement the same base.
    fn add_edges_of_seed(&mut self, seed: SymbolId) {
        let snapshot = self.snapshot;
        let mut bases = Vec::new();
        let (mut incoming, mut outgoing) = (Vec::new(), Vec::new());
        snapshot.for_each_in_edge(seed, |edge| incoming.push((edge.source, edge.kind)));
        snapshot.for_each_out_edge(seed, |edge| outgoing.push((edge.target, edge.kind)));
        self.edges_read += incoming.len() + outgoing.len();
        if self.edges_read > MAX_EDGES {
            return;
        }
        for (other, kind) in incoming {
            if is_dependency(kind)
                && !self.seeds.contains(&other)
                && let Some(counts) =
                    snapshot.file_of_symbol(other).and_then(|file| self.counts_of_candidate(file))
            {
                counts.users.insert(other);
            }
        }
        for (other, kind) in outgoing {
            if matches!(kind, EdgeKind::Overrides | EdgeKind::Implements | EdgeKind::Extends) {
                bases.push(other);
            }
            if is_dependency(kind)
                && !self.seeds.contains(&other)
                && let Some(counts) =
                    snapshot.file_of_symbol(other).and_then(|file| self.counts_of_candidate(file))
            {
                counts.used.insert(other);
            }
        }
        for base in bases {
            let mut siblings = Vec::new();
            snapshot.for_each_in_edge(base, |edge| {
                if matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Implements | EdgeKind::Extends) {
                    siblings.push(edge.source);
                }
            });
            self.edges_read += siblings.len();
            for sibling in siblings.into_iter().filter(|sibling| *sibling != seed) {
                if let Some(counts) =
                    snapshot.file_of_symbol(sibling).and_then(|file| self.counts_of_candidate(file))
                {
                    counts.parallel.insert(sibling);
                }
            }
        }
    }

    /// Counts the symbols with the same name by file. Rare names count more.
    fn add_namesakes(&mut self, seed: SymbolId) {
        let snapshot = self.snapshot;
        let Some(symbol) = snapshot.symbol(seed) else { return };
        if symbol.kind == SymbolKind::File || symbol.name.len() < 3 {
            return;
        }
        let same_name = snapshot.symbols_by_name(symbol.name);
        if same_name.len() < 2 || same_name.len() > MAX_NAMESAKES {
            return;
        }
        let rarity = 1.0 / (same_name.len() - 1) as f64;
        let mut seen = FxHashSet::default();
        for file in same_name.into_iter().filter_map(|id| snapshot.file_of_symbol(id)) {
            if seen.insert(file)
                && let Some(counts) = self.counts_of_candidate(file)
            {
                counts.namesakes += rarity;
                counts.shared_names += 1;
            }
        }
    }

    /// Counts the edges between the symbols of a seed's file and other files.
    fn add_edges_of_file(&mut self, file: FileId) {
        let snapshot = self.snapshot;
        for symbol in snapshot.file_symbols(file) {
            if self.edges_read > MAX_EDGES {
                return;
            }
            let mut others = Vec::new();
            snapshot.for_each_in_edge(symbol, |edge| others.push((edge.source, edge.kind, true)));
            snapshot.for_each_out_edge(symbol, |edge| others.push((edge.target, edge.kind, false)));
            self.edges_read += others.len();
            for (other, kind, incoming) in others {
                let Some(counts) =
                    snapshot.file_of_symbol(other).and_then(|file| self.counts_of_candidate(file))
                else {
                    continue;
                };
                match (kind, incoming) {
                    (EdgeKind::Imports, _) => counts.imports += 1,
                    (kind, true) if is_dependency(kind) => counts.file_users += 1,
                    (kind, false) if is_dependency(kind) => counts.file_used += 1,
                    _ => {}
                }
            }
        }
    }

    fn add_files_of_folder(&mut self, file: FileId) {
        let Some(path) = self.snapshot.file(file).map(|file| file.path) else { return };
        let neighbors = self.snapshot.files_in_folder(parent_folder(path));
        let code = neighbors.into_iter().filter(|&file| !self.snapshot.is_document(file));
        for other in code.take(MAX_IN_FOLDER) {
            self.counts_of_candidate(other);
        }
    }

    /// Adds the files in any folder whose stem equals that of a seed's file without words for
    /// tests.
    fn add_similar_names(&mut self, files: &[FileId]) {
        let snapshot = self.snapshot;
        let stems: FxHashSet<String> =
            files.iter().filter_map(|&id| snapshot.file(id)).map(|file| plain_stem(file.path)).collect();
        for id in snapshot.code_files() {
            if let Some(file) = snapshot.file(id)
                && stems.contains(&plain_stem(file.path))
            {
                self.counts_of_candidate(id);
            }
        }
    }
}

/// Whether an edge of this kind means that a change to its target may affect its source.
fn is_dependency(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls
            | EdgeKind::Overrides
            | EdgeKind::Implements
            | EdgeKind::Extends
            | EdgeKind::Tests
            | EdgeKind::References
            | EdgeKind::AccessesField
            | EdgeKind::TypeHintOf
            | EdgeKind::Throws
            | EdgeKind::Decorates
            | EdgeKind::ConsumesEndpoint
    )
}

/// Computes the features of a file from its counts.
fn compute_features(
    path: &str,
    counts: CandidateCounts,
    seed_paths: &[&str],
    history: Option<&CommitHistory>,
) -> FeatureRow {
    let log_count = |count: usize| (count as f64).ln_1p();
    let empty = CoChange::default();
    let pair = counts.co_change.as_ref().unwrap_or(&empty);
    // Add two commits of the seeds alone, so that a single common commit is not taken as certain.
    let seed_commits = f64::from(pair.seed_commits) + 2.0;
    let best_of_seeds = |f: &dyn Fn(&str) -> f64| seed_paths.iter().map(|seed| f(seed)).fold(0.0, f64::max);
    let flag = |is_set: bool| f64::from(u8::from(is_set));
    let is_test = flag(path_role::is_secondary_path(path));
    let same_stem = best_of_seeds(&|seed| flag(plain_stem(seed) == plain_stem(path)));
    let co_recent = (30.0 * pair.recent_weight / seed_commits).ln_1p();
    let values = [
        co_recent,
        (pair.recent_weight / seed_commits).sqrt(),
        (30.0 * pair.weight / seed_commits).ln_1p(),
        (5.0 * pair.weight / (f64::from(pair.file_commits) + 2.0)).ln_1p(),
        pair.weight.ln_1p(),
        pair.symbol_weight.ln_1p(),
        log_count(counts.users.len()),
        log_count(counts.used.len()),
        log_count(counts.file_users as usize),
        log_count(counts.file_used as usize),
        log_count(counts.imports as usize),
        log_count(counts.parallel.len()),
        counts.namesakes.ln_1p(),
        best_of_seeds(&|seed| flag(parent_folder(seed) == parent_folder(path))),
        best_of_seeds(&|seed| folder_nearness(seed, path)),
        best_of_seeds(&|seed| stem_similarity(seed, path)),
        same_stem,
        history.map_or(0.0, |history| history.file_activity(path, ACTIVITY_HALF_LIFE_DAYS).ln_1p()),
        is_test,
        is_test * same_stem,
        is_test * co_recent,
    ];
    FeatureRow {
        path: path.to_owned(),
        values,
        score: 0.0,
        reasons: collect_reasons(&counts, values[SAME_STEM] > 0.0, values[SAME_FOLDER] > 0.0),
    }
}

/// Returns the reasons to show for a file, the strongest first.
fn collect_reasons(counts: &CandidateCounts, same_stem: bool, same_folder: bool) -> Vec<RippleReason> {
    let mut reasons = Vec::new();
    if let Some(pair) = &counts.co_change {
        reasons.push(RippleReason::ChangedTogether { together: pair.together, commits: pair.seed_commits });
    }
    let to_u32 = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    if !counts.users.is_empty() {
        reasons.push(RippleReason::Uses(to_u32(counts.users.len())));
    }
    if !counts.used.is_empty() {
        reasons.push(RippleReason::IsUsed(to_u32(counts.used.len())));
    }
    let parallel = to_u32(counts.parallel.len()) + counts.shared_names;
    if parallel > 0 {
        reasons.push(RippleReason::Parallel(parallel));
    }
    if same_stem {
        reasons.push(RippleReason::SimilarName);
    } else if same_folder {
        reasons.push(RippleReason::SameFolder);
    }
    if reasons.is_empty() {
        reasons.push(RippleReason::RelatedFile);
    }
    reasons
}

/// Words in file names that only mark a test.
const TEST_WORDS: [&str; 5] = ["test", "tests", "spec", "specs", "it"];

/// Returns the words of a file's stem in lower case, without the words that mark tests.
fn stem_words(path: &str) -> Vec<String> {
    let stem = file_name(path).split('.').next().unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    let mut last_lower = false;
    for c in stem.chars() {
        if !c.is_alphanumeric() {
            last_lower = false;
            words.push(String::new());
            continue;
        }
        if (c.is_uppercase() && last_lower) || words.is_empty() {
            words.push(String::new());
        }
        last_lower = c.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty() && !TEST_WORDS.contains(&word.as_str()));
    words
}

/// Returns a file's stem as words, or the name of its folder for a stem such as `mod` or `index`.
fn plain_stem(path: &str) -> String {
    let words = stem_words(path).join("_");
    match words.as_str() {
        "mod" | "index" | "init" | "lib" | "main" | "" => {
            format!("{}/{words}", file_name(parent_folder(path)))
        }
        _ => words,
    }
}

/// Returns the share of words that two stems have in common, 0 to 1.
fn stem_similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (stem_words(a), stem_words(b));
    let common = a.iter().filter(|word| b.contains(word)).count();
    if common == 0 { 0.0 } else { common as f64 / (a.len() + b.len() - common) as f64 }
}

/// Returns the share of folders that two paths have in common from the root, 0 to 1.
fn folder_nearness(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (parent_folder(a).split('/').collect(), parent_folder(b).split('/').collect());
    let common = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    common as f64 / a.len().max(b.len()) as f64
}
