//! Grades the graph's call edges against a truth file.

use super::repositories::Repository;
use super::tree::Indexed;
use super::truth::{Place, Row, Verdict, read};
use kenning_graph::{SymbolKind, SymbolRef};
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::resolve::{CallOutcome, CallSite};
use std::collections::BTreeMap;

/// The grade of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The graph has one target, the true one.
    Right,
    /// The graph has one target that is not the true one, or says "external" for a target in the
    /// workspace.
    Wrong,
    /// The graph has several candidates. Counts as wrong for precision.
    Ambiguous,
    /// The true target is in the workspace, and the graph has none.
    Missing,
    /// The true target is external, and the graph says so.
    ExternalRight,
    /// The true target is external, and the graph has one in the workspace.
    ExternalWrong,
    /// The graph rightly has no target: the true one is external or a local name.
    Silent,
    /// The truth is unknown.
    Unjudged,
}

impl Grade {
    /// All grades with their stable texts.
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

    /// Returns the stable text of the grade.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(grade, _)| *grade == self).map_or("", |(_, text)| text)
    }
}

/// A graded site.
pub struct Judged {
    /// The row of the truth file.
    pub truth: Row,
    /// The id of the file's language.
    pub language: String,
    /// The grade.
    pub grade: Grade,
    /// The text before the called name.
    pub receiver: String,
    /// The graph's targets, in words.
    pub said: String,
    /// The true targets, in words.
    pub is: String,
}

impl Judged {
    /// Returns a text for people: the site, the graph's targets and the true ones.
    pub fn line(&self) -> String {
        let Place { path, line } = &self.truth.place;
        let receiver = if self.receiver.is_empty() { String::new() } else { format!("{}.", self.receiver) };
        let Row { column, name, .. } = &self.truth;
        format!("{path}:{line}:{column} {receiver}{name}\n    said: {}\n    true: {}", self.said, self.is)
    }
}

/// Grades the sites of a sample of a tree.
///
/// # Errors
/// Fails if the truth file cannot be read.
pub fn score(repository: &Repository, sample: u32, indexed: &Indexed) -> anyhow::Result<Vec<Judged>> {
    let truth = read(&repository.truth(sample))?;
    let mut by_file: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &truth {
        by_file.entry(&row.place.path).or_default().push(row);
    }
    let paths: Vec<&str> = by_file.keys().copied().collect();
    let mut judged = Vec::new();
    for ((path, rows), sites) in by_file.into_iter().zip(indexed.calls(&paths)) {
        let language =
            LanguageRegistry::get().find_by_path(path).map_or("", |language| language.language_id());
        for row in rows {
            let place = (row.place.line, row.column);
            let site = sites.iter().find(|site| (site.name.line + 1, site.name.column + 1) == place);
            judged.push(judge(indexed, row, site, language));
        }
    }
    Ok(judged)
}

fn judge(indexed: &Indexed, row: &Row, site: Option<&CallSite>, language: &str) -> Judged {
    let said: Vec<SymbolRef> = match site.map(|site| &site.outcome) {
        Some(CallOutcome::Symbols(targets)) => {
            targets.iter().filter_map(|t| indexed.symbol(t.symbol)).collect()
        }
        _ => Vec::new(),
    };
    let external = site.is_some_and(|site| site.outcome == CallOutcome::External);
    let grade = grade(indexed, row, &said, external, language);
    let said = match site.map(|site| &site.outcome) {
        None => "nothing: no call was seen here".to_owned(),
        Some(CallOutcome::External) => "external".to_owned(),
        Some(CallOutcome::Unresolved(reason)) => format!("nothing: {reason}"),
        Some(CallOutcome::Symbols(_)) if said.is_empty() => "nothing: no such edge is stored".to_owned(),
        Some(CallOutcome::Symbols(_)) => said.iter().map(shown).collect::<Vec<_>>().join(" | "),
    };
    Judged {
        truth: row.clone(),
        language: language.to_owned(),
        grade,
        receiver: site.map(|site| site.receiver.clone()).unwrap_or_default(),
        said,
        is: in_words(indexed, row),
    }
}

fn shown(symbol: &SymbolRef) -> String {
    format!("{}:{} {} {}", symbol.path, symbol.name_span.line + 1, symbol.kind, symbol.display_name())
}

fn in_words(indexed: &Indexed, row: &Row) -> String {
    let mut words: Vec<String> = Vec::new();
    for Place { path, line } in &row.targets {
        let symbols = indexed.named_on(path, *line);
        match symbols.first() {
            Some(symbol) => words.push(shown(symbol)),
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

fn grade(indexed: &Indexed, row: &Row, said: &[SymbolRef], external: bool, language: &str) -> Grade {
    match (row.verdict, said) {
        (Verdict::None, _) => Grade::Unjudged,
        (Verdict::Workspace, []) if external => Grade::Wrong,
        (Verdict::Workspace, []) => Grade::Missing,
        (Verdict::Workspace, [one]) => {
            let right = row.targets.iter().any(|target| is_at(indexed, one, target, &row.name, language));
            if right { Grade::Right } else { Grade::Wrong }
        }
        (Verdict::Workspace, _) => Grade::Ambiguous,
        (Verdict::External, []) if external => Grade::ExternalRight,
        (Verdict::External, [_, ..]) => Grade::ExternalWrong,
        // The value of a local name is unknown. An edge to a symbol of the same name ignored the
        // local, so it is wrong.
        (Verdict::Local, [_, ..]) if said.iter().any(|symbol| symbol.name == row.name) => Grade::Wrong,
        (Verdict::Local, [_, ..]) => Grade::Unjudged,
        (Verdict::External | Verdict::Local, []) => Grade::Silent,
    }
}

/// Whether a symbol matches the declaration at a place: it is that declaration, the type of a
/// constructor there or a constructor of the type there, or another declaration of the same
/// function.
fn is_at(indexed: &Indexed, symbol: &SymbolRef, target: &Place, name: &str, language: &str) -> bool {
    let mut there = indexed.named_on(&target.path, target.line);
    // If a line declares several symbols (`attr_reader :a, :b`), the one with the called name
    // counts.
    if there.iter().any(|truth| truth.name == name) {
        there.retain(|truth| truth.name == name || truth.kind.is_type());
    }
    there.iter().any(|truth| {
        if truth.id == symbol.id {
            return true;
        }
        constructs(symbol, truth) || constructs(truth, symbol) || one_function(symbol, truth, language)
    })
}

/// Whether the first is a constructor of the second.
fn constructs(constructor: &SymbolRef, ty: &SymbolRef) -> bool {
    constructor.kind == SymbolKind::Constructor
        && ty.kind.is_type()
        && constructor.path == ty.path
        && constructor.container == ty.display_name()
}

/// Whether two declarations belong to one function, such as signatures before an implementation, or
/// the branches of a condition. In languages where overloads are separate functions, they never do.
fn one_function(a: &SymbolRef, b: &SymbolRef, language: &str) -> bool {
    matches!(language, "typescript" | "tsx" | "javascript" | "python")
        && (a.path, a.container, a.name) == (b.path, b.container, b.name)
        && a.kind.is_callable() == b.kind.is_callable()
}

/// Counts of grades.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    counts: BTreeMap<Grade, usize>,
}

impl Tally {
    /// Counts one more site.
    pub fn add(&mut self, grade: Grade) {
        *self.counts.entry(grade).or_default() += 1;
    }

    /// Adds the counts of another tally.
    pub fn join(&mut self, other: &Self) {
        for (grade, count) in &other.counts {
            *self.counts.entry(*grade).or_default() += count;
        }
    }

    /// Returns the number of sites with this grade.
    pub fn of(&self, grade: Grade) -> usize {
        self.counts.get(&grade).copied().unwrap_or(0)
    }

    /// Returns the number of all sites.
    pub fn sites(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns the share of right statements among the graph's statements, which are edges into the
    /// workspace and external targets. Returns `None` without any.
    pub fn precision(&self) -> Option<f64> {
        let right = self.of(Grade::Right) + self.of(Grade::ExternalRight);
        ratio(
            right,
            right + self.of(Grade::Wrong) + self.of(Grade::Ambiguous) + self.of(Grade::ExternalWrong),
        )
    }

    /// Returns the share of the `inside` sites with a true target in the workspace at which the
    /// graph has that target alone. Returns `None` if `inside` is 0.
    pub fn recall(&self, inside: usize) -> Option<f64> {
        ratio(self.of(Grade::Right), inside)
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
