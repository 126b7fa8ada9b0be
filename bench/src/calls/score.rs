//! Grades the graph's call edges against a truth file.
//!
//! Each row of the truth file is a call site with its true targets. [`grade_sample`] finds the call
//! at the same position in an indexed tree, compares the graph's targets with the true targets, and
//! gives the site one [`CallGrade`]. [`GradeCounts`] sums the grades. A site with several
//! candidates ([`CallGrade::Ambiguous`]) counts against both precision and recall, even if the true
//! target is among them. Sites whose true target is unknown count in neither.

use super::repositories::JudgedRepository;
use super::syntax;
use super::tree::IndexedTree;
use super::truth::{FileLine, TargetKind, TruthRow, read_truth};
use kenning_graph::{SymbolKind, SymbolRef};
use kenning_indexing::resolve::{CallOutcome, CallSite};
use std::collections::BTreeMap;

/// The grade of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallGrade {
    /// The graph has one target, the true one.
    Right,
    /// The graph has one target that is not the true one, or an external target although the true
    /// one is in the workspace.
    Wrong,
    /// The graph has several candidates. Counts as wrong for precision.
    Ambiguous,
    /// The true target is in the workspace, and the graph has none.
    Missing,
    /// The true target and the graph's target are external.
    ExternalRight,
    /// The true target is external, and the graph has one in the workspace.
    ExternalWrong,
    /// The graph rightly has no target: the true one is external or a local name.
    Silent,
    /// The truth is unknown.
    Unjudged,
}

impl CallGrade {
    /// All grades with their stable names.
    pub const ALL: [(Self, &str); 8] = [
        (Self::Right, "right"),
        (Self::Wrong, "wrong"),
        (Self::Ambiguous, "ambiguous"),
        (Self::Missing, "missing"),
        (Self::ExternalRight, "external-right"),
        (Self::ExternalWrong, "external-wrong"),
        (Self::Silent, "silent"),
        (Self::Unjudged, "unjudged"),
    ];

    /// Returns the stable name of the grade.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(grade, _)| *grade == self).map_or("", |(_, name)| name)
    }
}

/// A call site of a sample with its grade.
pub struct GradedSite {
    /// The row of the truth file.
    pub truth: TruthRow,
    /// The id of the file's language.
    pub language: String,
    /// The grade.
    pub grade: CallGrade,
    /// The text before the called name.
    pub receiver: String,
    /// The graph's targets, as text.
    pub graph_targets: String,
    /// The true targets, as text.
    pub true_targets: String,
}

impl GradedSite {
    /// Returns a description for people: the site, the graph's targets and the true targets.
    pub fn describe(&self) -> String {
        let FileLine { path, line } = &self.truth.location;
        let receiver = if self.receiver.is_empty() { String::new() } else { format!("{}.", self.receiver) };
        let TruthRow { column, name, .. } = &self.truth;
        format!(
            "{path}:{line}:{column} {receiver}{name}\n    graph: {}\n    true: {}",
            self.graph_targets, self.true_targets
        )
    }
}

/// Grades the sites of one sample of a tree.
///
/// # Errors
/// Fails if the truth file cannot be read.
pub fn grade_sample(
    repository: &JudgedRepository,
    sample: u32,
    indexed: &IndexedTree,
) -> anyhow::Result<Vec<GradedSite>> {
    let truth = read_truth(&repository.truth_path(sample))?;
    let mut by_file: BTreeMap<&str, Vec<&TruthRow>> = BTreeMap::new();
    for row in &truth {
        by_file.entry(&row.location.path).or_default().push(row);
    }
    let paths: Vec<&str> = by_file.keys().copied().collect();
    let mut graded = Vec::new();
    for ((path, rows), sites) in by_file.into_iter().zip(indexed.call_sites(&paths)) {
        let language = indexed.language(path);
        for row in rows {
            let position = (row.location.line, row.column);
            let site = sites.iter().find(|site| (site.name.line + 1, site.name.column + 1) == position);
            graded.push(grade_row(indexed, row, site, language));
        }
    }
    Ok(graded)
}

/// Grades one row of the truth by the call at its position, if extraction found one.
fn grade_row(indexed: &IndexedTree, row: &TruthRow, site: Option<&CallSite>, language: &str) -> GradedSite {
    let targets: Vec<SymbolRef> = match site.map(|site| &site.outcome) {
        Some(CallOutcome::Symbols(found)) => {
            found.iter().filter_map(|target| indexed.symbol(target.symbol)).collect()
        }
        _ => Vec::new(),
    };
    let is_external = site.is_some_and(|site| site.outcome == CallOutcome::External);
    let grade = choose_grade(indexed, row, &targets, is_external, language);
    let graph_targets = match site.map(|site| &site.outcome) {
        None => "nothing: extraction found no call here".to_owned(),
        Some(CallOutcome::External) => "external".to_owned(),
        Some(CallOutcome::Unresolved(reason)) => format!("nothing: {reason}"),
        Some(CallOutcome::Symbols(_)) if targets.is_empty() => "nothing: the graph has no edge".to_owned(),
        Some(CallOutcome::Symbols(_)) => targets.iter().map(describe_symbol).collect::<Vec<_>>().join(" | "),
    };
    GradedSite {
        truth: row.clone(),
        language: language.to_owned(),
        grade,
        receiver: site.map(|site| site.receiver.clone()).unwrap_or_default(),
        graph_targets,
        true_targets: describe_truth(indexed, row),
    }
}

fn describe_symbol(symbol: &SymbolRef) -> String {
    format!("{}:{} {} {}", symbol.path, symbol.name_span.line + 1, symbol.kind, symbol.display_name())
}

fn describe_truth(indexed: &IndexedTree, row: &TruthRow) -> String {
    let mut words: Vec<String> = Vec::new();
    for FileLine { path, line } in &row.targets {
        let symbols = indexed.symbols_on_line(path, *line);
        match symbols.first() {
            Some(symbol) => words.push(describe_symbol(symbol)),
            None => words.push(format!("{path}:{line} (no symbol there)")),
        }
    }
    if words.is_empty() {
        words.push(row.verdict.as_str().to_owned());
    }
    if !row.reason.is_empty() {
        words.push(format!("({})", row.reason));
    }
    words.join(" | ")
}

/// Returns the grade of the graph's targets by the kind of the true target.
fn choose_grade(
    indexed: &IndexedTree,
    row: &TruthRow,
    targets: &[SymbolRef],
    is_external: bool,
    language: &str,
) -> CallGrade {
    match (row.verdict, targets) {
        (TargetKind::None, _) => CallGrade::Unjudged,
        (TargetKind::Workspace, []) if is_external => CallGrade::Wrong,
        (TargetKind::Workspace, []) => CallGrade::Missing,
        (TargetKind::Workspace, [symbol]) => {
            let is_right = row
                .targets
                .iter()
                .any(|target| matches_declaration(indexed, symbol, target, &row.name, language));
            if is_right { CallGrade::Right } else { CallGrade::Wrong }
        }
        (TargetKind::Workspace, _) => CallGrade::Ambiguous,
        (TargetKind::External, []) if is_external => CallGrade::ExternalRight,
        (TargetKind::External, [_, ..]) => CallGrade::ExternalWrong,
        // The value of a local name is unknown. An edge to a symbol with the same name ignored the
        // local, so it is wrong.
        (TargetKind::Local, [_, ..]) if targets.iter().any(|symbol| symbol.name == row.name) => {
            CallGrade::Wrong
        }
        (TargetKind::Local, [_, ..]) => CallGrade::Unjudged,
        (TargetKind::External | TargetKind::Local, []) => CallGrade::Silent,
    }
}

/// Whether a symbol matches the declaration on a line: it is that declaration, the type of that
/// constructor, a constructor of that type, or another declaration of the same function.
fn matches_declaration(
    indexed: &IndexedTree,
    symbol: &SymbolRef,
    target: &FileLine,
    name: &str,
    language: &str,
) -> bool {
    let mut declared = indexed.symbols_on_line(&target.path, target.line);
    // If a line declares several symbols (`attr_reader :a, :b`), the one with the called name
    // counts.
    if declared.iter().any(|truth| truth.name == name) {
        declared.retain(|truth| truth.name == name || truth.kind.is_type());
    }
    declared.iter().any(|truth| {
        if truth.id == symbol.id {
            return true;
        }
        is_constructor_of(symbol, truth, language)
            || is_constructor_of(truth, symbol, language)
            || is_same_function(symbol, truth, language)
    })
}

/// Whether a symbol is a constructor of a type. In a language that separates definitions from
/// declarations, the constructor can be in another file than the type.
fn is_constructor_of(constructor: &SymbolRef, ty: &SymbolRef, language: &str) -> bool {
    constructor.kind == SymbolKind::Constructor
        && ty.kind.is_type()
        && (constructor.path == ty.path || syntax::separates_definitions(language))
        && constructor.container == ty.display_name()
}

/// Whether two declarations belong to one function, in a language that allows this.
fn is_same_function(a: &SymbolRef, b: &SymbolRef, language: &str) -> bool {
    syntax::allows_repeated_declarations(language)
        && (a.path, a.container, a.name) == (b.path, b.container, b.name)
        && a.kind.is_callable() == b.kind.is_callable()
}

/// The number of sites with each grade.
#[derive(Debug, Default, Clone)]
pub struct GradeCounts {
    counts: BTreeMap<CallGrade, usize>,
}

impl GradeCounts {
    /// Counts one more site.
    pub fn add(&mut self, grade: CallGrade) {
        *self.counts.entry(grade).or_default() += 1;
    }

    /// Adds the counts of other sites.
    pub fn add_counts(&mut self, other: &Self) {
        for (grade, count) in &other.counts {
            *self.counts.entry(*grade).or_default() += count;
        }
    }

    /// Returns the number of sites with this grade.
    pub fn count(&self, grade: CallGrade) -> usize {
        self.counts.get(&grade).copied().unwrap_or(0)
    }

    /// Returns the number of all sites.
    pub fn site_count(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns the share of the graph's targets (edges into the workspace, and external targets)
    /// that are right, or `None` if the graph has no targets.
    pub fn precision(&self) -> Option<f64> {
        let right = self.count(CallGrade::Right) + self.count(CallGrade::ExternalRight);
        share_of(
            right,
            right
                + self.count(CallGrade::Wrong)
                + self.count(CallGrade::Ambiguous)
                + self.count(CallGrade::ExternalWrong),
        )
    }

    /// Returns the share of sites with a true target in the workspace that are
    /// [`CallGrade::Right`]. `workspace_sites` is the number of such sites; returns `None` if it is
    /// 0.
    pub fn recall(&self, workspace_sites: usize) -> Option<f64> {
        share_of(self.count(CallGrade::Right), workspace_sites)
    }
}

fn share_of(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
