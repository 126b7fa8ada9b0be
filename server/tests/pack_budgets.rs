//! Checks that packs respect their budgets: a pack never takes more tokens than its budget, and one
//! that the budget cuts off takes at least 85% of it, unless it has no room for one more symbol.
//!
//! The tasks are pseudo-random sentences from the names, files and documentation of Kenning's own
//! sources. The ordinary test asks each task with one format and one budget. The full product of
//! tasks, formats and budgets needs a release build:
//!
//! ```sh
//! cargo test --release -p kenning --test pack_budgets -- --ignored
//! ```
//!
//! It rewrites `bench/results/pack-budgets.csv`.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use clap::ValueEnum;
use kenning::answer::{
    AnswerSources, PackForm, PackQuestion, QuestionSubject, answer_question, workspace_facts,
};
use kenning::cancel::CancelToken;
use kenning::config::Config;
use kenning::format::{PackFormat, PackView};
use kenning::freshness::{Freshness, format_rfc3339};
use kenning::timings::StageTimings;
use kenning_graph::{Snapshot, SymbolKind, SymbolRef};
use kenning_indexing::workspace::{NoProgress, TextProvider, Workspace, WorkspaceOptions};
use kenning_retrieval::WorkspaceFacts;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Number of tasks.
const TASK_COUNT: usize = 200;

const BUDGETS: [usize; 10] = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 50_000, 100_000, 200_000];

/// The budget below which a pack that it cuts off need not use it.
const SMALL_BUDGET: usize = 1_000;

/// Minimum share of the budget that a pack uses if the budget cuts it off.
const MIN_SHARE: f64 = 0.85;

/// Larger budgets, relative to the budget of a pack. If a pack for one of them fits the budget, the
/// budget has room for one more symbol.
const LARGER_BUDGETS: [f64; 4] = [1.05, 1.1, 1.2, 1.4];

/// Tokens by which two forms of the same pack differ, because they show the numbers of their
/// budgets.
const NUMBER_TOKENS: usize = 12;

/// Wordings of tasks. `{n}` stands for a name, `{m}` for another one, `{w}` for the words of a
/// name, `{f}` for a file and `{d}` for the documentation of a symbol.
const WORDINGS: [&str; 10] = [
    "how does {n} work",
    "fix `{n}` when {w} is empty",
    "add {w} to {m}",
    "{d}",
    "{w}",
    "tests of {n}",
    "change {n} in {f}",
    "why does {n} need {m}\n\n{d}",
    "{w} and {w}",
    "rename {m}",
];

/// An indexed part of Kenning's own sources.
struct SourceTree {
    snapshot: Snapshot,
    text: Arc<TextProvider>,
    facts: WorkspaceFacts,
    freshness: Freshness,
    _folder: TempDir,
}

impl SourceTree {
    fn index_folder(root: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = Some(folder.path().join("graph.db"));
        let options = WorkspaceOptions { db, ..WorkspaceOptions::default() };
        let (workspace, _) = Workspace::open_refreshed(root, options, &NoProgress).unwrap();
        Self {
            snapshot: workspace.current_snapshot(),
            text: workspace.text_source(),
            facts: workspace_facts(&workspace.current_project(), &Config::default()),
            freshness: Freshness {
                indexed_at: workspace.indexed_at().and_then(format_rfc3339),
                // A commit takes tokens, whether the sources are a checkout or not.
                head: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
                ..Freshness::default()
            },
            _folder: folder,
        }
    }

    /// Answers a task and counts the tokens of the answer as its reader gets it.
    fn measure_pack(&self, task: &str, format: PackFormat, budget: usize) -> MeasuredPack {
        let question = PackQuestion {
            budget: Some(budget),
            no_learning: true,
            documents: Config::default().pack_documents(),
            ..PackQuestion::new(QuestionSubject::Task(task.to_owned()))
        };
        let sources = AnswerSources {
            text: Some(&self.text),
            workspace: Some(&self.facts),
            form: Some(PackForm { format, explain: false }),
            ..AnswerSources::default()
        };
        let mut timings = StageTimings::start_now();
        let cancel = CancelToken::default();
        let answer = answer_question(&self.snapshot, sources, &question, &mut timings, &cancel).unwrap();
        let view = PackView { answer: &answer, freshness: &self.freshness, timings: None, explain: false };
        let counted = format.count_used_tokens(&view).unwrap();
        let view = PackView { answer: &counted, ..view };
        let rendered = format.codec().render_pack(&view).unwrap().count_tokens();
        MeasuredPack {
            rendered,
            // The number in a binary format is counted with the budget in its place.
            is_exact: format == PackFormat::Gcb || counted.pack.tokens_used == rendered,
            shown: counted.pack.tokens_used,
            used: answer.pack.tokens_used,
            is_stopped: answer.pack.omitted_counts.contains_key("budget"),
        }
    }
}

/// The size of a pack.
#[derive(Clone, Copy, Debug)]
struct MeasuredPack {
    /// Tokens of the answer.
    rendered: usize,
    /// Tokens that the pack shows.
    shown: usize,
    /// Whether these are the tokens of the answer.
    is_exact: bool,
    /// Tokens that the budget counts, including the tokens reserved for the freshness.
    used: usize,
    /// Whether the pack says that the budget ended it.
    is_stopped: bool,
}

impl MeasuredPack {
    /// Describes the rule of budgets that the pack breaks; `None` if it breaks none. `measure`
    /// measures the pack with another budget.
    fn find_violation(&self, budget: usize, measure: impl Fn(usize) -> Self) -> Option<String> {
        let Self { rendered, shown, is_exact, used, is_stopped } = *self;
        if !is_exact || shown > budget {
            return Some(format!("it shows {shown} of {budget} tokens and has {rendered}"));
        }
        if rendered > budget || used > budget {
            return Some(format!("{rendered} rendered and {used} counted tokens are more than the budget"));
        }
        if rendered > used {
            return Some(format!("{rendered} rendered tokens are more than the {used} counted ones"));
        }
        if used as f64 >= MIN_SHARE * budget as f64 {
            return None;
        }
        // One more symbol can take a third of a very small pack.
        if !is_stopped || budget < SMALL_BUDGET {
            return None;
        }
        let mut larger = LARGER_BUDGETS.iter().map(|factor| measure((factor * budget as f64) as usize).used);
        let fitting = larger.find(|larger| (used + NUMBER_TOKENS + 1..=budget).contains(larger))?;
        Some(format!("it stops at {used} tokens, but {fitting} tokens fit the budget"))
    }
}

/// A generator of pseudo-random numbers (xorshift64*, Vigna 2016), so that every run has the same
/// tasks.
struct RandomNumbers(u64);

impl RandomNumbers {
    /// Returns the next number from 0 to `bound` - 1.
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// Builds tasks about the symbols of a tree.
fn build_tasks(snapshot: &Snapshot) -> Vec<String> {
    let is_named = |symbol: &SymbolRef<'_>| {
        !symbol.kind.is_phantom() && symbol.kind != SymbolKind::File && symbol.name.len() > 3
    };
    let symbols = snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id));
    let by_name: BTreeMap<String, SymbolRef<'_>> =
        symbols.filter(is_named).map(|symbol| (symbol.qualified_name(), symbol)).collect();
    let symbols: Vec<SymbolRef<'_>> = by_name.into_values().collect();
    let mut numbers = RandomNumbers(0x9E37_79B9_7F4A_7C15);
    let mut build_task = |wording: &str| {
        let mut parts = wording.split('{');
        let mut task = parts.next().unwrap().to_owned();
        for part in parts {
            let (placeholder, rest) = part.split_once('}').unwrap();
            let symbol = &symbols[numbers.next_below(symbols.len())];
            task.push_str(&match placeholder {
                "n" | "m" => symbol.name.to_owned(),
                "w" => symbol.name.replace('_', " ").to_lowercase(),
                "f" => symbol.path.to_owned(),
                "d" if symbol.doc_text().trim().is_empty() => symbol.display_name(),
                "d" => symbol.doc_text().to_owned(),
                other => panic!("{other} is not a placeholder"),
            });
            task.push_str(rest);
        }
        task
    };
    (0..TASK_COUNT).map(|n| build_task(WORDINGS[n % WORDINGS.len()])).collect()
}

fn checkout_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn packs_never_exceed_their_budgets_and_use_them_if_they_are_cut() {
    let tree = SourceTree::index_folder(&checkout_root().join("retrieval"));
    let tasks = build_tasks(&tree.snapshot);
    let formats = PackFormat::value_variants();
    let check = |(at, task): (usize, &String)| {
        // Each wording meets each format and each budget.
        let format = formats[(at / BUDGETS.len()) % formats.len()];
        let budget = BUDGETS[(at + at / (BUDGETS.len() * formats.len())) % BUDGETS.len()];
        let pack = tree.measure_pack(task, format, budget);
        let violation = pack.find_violation(budget, |budget| tree.measure_pack(task, format, budget))?;
        Some(format!("{format:?}, {budget} tokens, {task:?}: {violation}"))
    };
    let violations: Vec<String> = tasks.par_iter().enumerate().filter_map(check).collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// The packs of one format and budget.
#[derive(Default)]
struct BudgetRow {
    violations: Vec<String>,
    /// Number of packs that the budget ended.
    stopped: usize,
    /// The lowest share of the budget that one of these packs uses.
    lowest_share: Option<f64>,
    /// The sum of these shares.
    share_sum: f64,
    most_rendered: usize,
}

impl BudgetRow {
    fn measure_tasks(tree: &SourceTree, tasks: &[String], format: PackFormat, budget: usize) -> Self {
        let measure = |task: &String| {
            let pack = tree.measure_pack(task, format, budget);
            let violation = pack.find_violation(budget, |budget| tree.measure_pack(task, format, budget));
            (pack, violation.map(|text| format!("{format:?}, {budget} tokens, {task:?}: {text}")))
        };
        let packs: Vec<(MeasuredPack, Option<String>)> = tasks.par_iter().map(measure).collect();
        let mut row = Self::default();
        for (pack, violation) in packs {
            row.most_rendered = row.most_rendered.max(pack.rendered);
            row.violations.extend(violation);
            if pack.is_stopped {
                let share = pack.used as f64 / budget as f64;
                row.stopped += 1;
                row.share_sum += share;
                row.lowest_share = Some(row.lowest_share.map_or(share, |lowest| lowest.min(share)));
            }
        }
        row
    }

    /// Returns the columns after the format and the budget.
    fn to_csv(&self) -> String {
        let Self { violations, stopped, most_rendered, .. } = self;
        let percent = |share: f64| format!("{:.1}", share * 100.0);
        let lowest = self.lowest_share.map(percent).unwrap_or_default();
        let mean = self.lowest_share.map(|_| percent(self.share_sum / *stopped as f64)).unwrap_or_default();
        format!("{TASK_COUNT},{},{most_rendered},{stopped},{lowest},{mean}", violations.len())
    }
}

#[test]
#[ignore = "it takes many minutes, and needs a release build"]
fn all_tasks_in_all_formats_and_budgets_keep_the_rules() {
    let tree = SourceTree::index_folder(checkout_root());
    let tasks = build_tasks(&tree.snapshot);
    let mut text = String::from(
        "format,budget,packs,violations,most_tokens,stopped_by_budget,lowest_percent,mean_percent\n",
    );
    let mut violations = Vec::new();
    for format in PackFormat::value_variants() {
        let name = format.to_possible_value().unwrap();
        for budget in BUDGETS {
            let row = BudgetRow::measure_tasks(&tree, &tasks, *format, budget);
            writeln!(text, "{},{budget},{}", name.get_name(), row.to_csv()).unwrap();
            violations.extend(row.violations);
        }
    }
    std::fs::write(checkout_root().join("bench/results/pack-budgets.csv"), &text).unwrap();
    assert!(violations.is_empty(), "{}\n{text}", violations.join("\n"));
}
