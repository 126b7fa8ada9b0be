//! Tests that a search after incremental changes gives the same answer as after indexing from
//! scratch: the same hits in the same order with the same scores, over a random sequence of added,
//! changed and removed files of every kind, saved and unsaved, in every scope, in the modes `hybrid`
//! and `keyword`, with and without an overlay.

use kenning::answer::{AnswerSources, workspace_facts};
use kenning::cancel::CancelToken;
use kenning::config::Config;
use kenning::knowledge::KnowledgeFolder;
use kenning::workspace_search::{
    SearchQuestion, SearchScopeName, SearchedKnowledge, SearchedWorkspace, search_workspace,
};
use kenning_graph::Snapshot;
use kenning_indexing::workspace::{NoProgress, Workspace};
use kenning_retrieval::search::{LimitOverrides, SearchMode, SearchTarget};
use std::fmt::Write;
use std::sync::Arc;
use tests::{Fixture, RandomNumbers};

/// Words from which names, headings and questions are built, so that files share words.
const WORDS: &[&str] = &["cart", "total", "price", "session", "cookie", "refund", "order", "stock", "login"];

const SCOPES: &[SearchScopeName] = &[
    SearchScopeName::Code,
    SearchScopeName::Docs,
    SearchScopeName::Files,
    SearchScopeName::Knowledge,
    SearchScopeName::All,
];

fn pick_word(numbers: &mut RandomNumbers) -> &'static str {
    WORDS[numbers.next_below(WORDS.len())]
}

/// Returns the text of a file of some kind, with random words.
fn build_text(kind: usize, numbers: &mut RandomNumbers) -> String {
    let mut word = || pick_word(numbers);
    match kind {
        0 => {
            let [class, method, other, module, function] = std::array::from_fn(|_| word());
            let mut text = format!(
                "from {module} import {function}\n\n\nclass {class}:\n    \"\"\"The {} of a {}.\"\"\"\n    \
                 def {method}_{other}(self):\n        return {function}({module}.{class})\n\n\n",
                word(),
                word(),
            );
            // Some files have the same functions, with the same bodies, so that scores are equal.
            for name in [word(), word()] {
                let _ = write!(text, "def {name}():\n    return {method}_{other}('{name}')\n\n\n");
            }
            text
        }
        1 => format!(
            "# {} and {}\n\nHow a `{}` works, see [more](other.md).\n\n## {}\n\nThe {} {}.\n",
            word(),
            word(),
            word(),
            word(),
            word(),
            word()
        ),
        2 => format!("{} {}\n", word(), word()),
        _ => format!("---\ntitle: {} {}\n---\n\nAbout the {}.\n", word(), word(), word()),
    }
}

/// Adds, changes, moves or removes a random file on disk.
fn change_randomly(fixture: &Fixture, numbers: &mut RandomNumbers) {
    let kind = numbers.next_below(4);
    let name = pick_word(numbers);
    let path = match kind {
        0 => format!("src/{name}.py"),
        1 => format!("docs/{name}.md"),
        2 => format!("data/{name}.txt"),
        _ => format!("k/{}/{name}.md", ["notes", "tasks", "skills"][numbers.next_below(3)]),
    };
    let file = fixture.root().join(&path);
    if file.exists() && numbers.next_below(3) == 0 {
        std::fs::remove_file(file).expect("the file is removed");
    } else {
        fixture.write(&path, &build_text(kind, numbers));
    }
}

/// Edits a random file in the editor. The workspace has it as unsaved text, and a fresh index reads
/// the same text from the disk. Returns the path.
fn edit_unsaved(fixture: &Fixture, workspace: &mut Workspace, numbers: &mut RandomNumbers) -> String {
    let path = format!("src/{}.py", pick_word(numbers));
    let text = build_text(0, numbers);
    workspace.set_buffer(&path, &text);
    fixture.write(&path, &text);
    path
}

/// Returns a text that identifies the target of a hit.
fn name_target(snapshot: &Snapshot, target: &SearchTarget) -> String {
    match target {
        SearchTarget::Symbol(symbol) => {
            let found = snapshot.symbol(*symbol).expect("a hit is in the graph");
            format!("{} {}", found.qualified_name(), found.span.start_line)
        }
        SearchTarget::File(file) => snapshot.file(*file).expect("a hit is in the graph").path.to_owned(),
        SearchTarget::OtherFile(path) => format!("{path} (other)"),
    }
}

/// Returns the limits of the compared answers: the defaults, and limits that admit every hit.
fn compared_limits() -> [LimitOverrides; 2] {
    let all = LimitOverrides {
        top_k: Some(1_000),
        max_results: Some(1_000),
        min_score: Some(0.0),
        bfs_depth: Some(0),
        ..LimitOverrides::default()
    };
    [LimitOverrides::default(), all]
}

/// Lists the answers to questions in every scope.
fn list_answers(workspace: &Workspace, questions: &[String]) -> String {
    let root = workspace.root_path();
    let (snapshot, text) = (workspace.current_snapshot(), workspace.text_source());
    let facts = workspace_facts(&workspace.current_project(), &Config::default());
    let folder = KnowledgeFolder::open_configured(root, "k").expect("the folder is usable");
    let entries = folder.read_base(&|_| None).entries;
    let knowledge = SearchedKnowledge { folder, entries };
    let sources = AnswerSources { text: Some(&text), workspace: Some(&facts), ..AnswerSources::default() };
    let searched =
        SearchedWorkspace { root, exclude: &[], snapshot: &snapshot, sources, knowledge: Some(&knowledge) };
    let mut out = String::new();
    for query in questions {
        for &scope in SCOPES {
            for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
                for overrides in compared_limits() {
                    let question = SearchQuestion {
                        query: query.clone(),
                        scope,
                        mode,
                        overrides,
                        config: Arc::default(),
                    };
                    let found = search_workspace(&searched, &question, &CancelToken::default())
                        .expect("the question is valid");
                    let _ = writeln!(out, "{query}, {scope:?}, {mode:?}");
                    for hit in &found.answer.hits {
                        let _ = writeln!(out, "  {:.9} {}", hit.score, name_target(&snapshot, &hit.target));
                    }
                    for (entry, score) in &found.entries {
                        let _ = writeln!(out, "  {score:.9} entry {}", entry.id);
                    }
                }
            }
        }
    }
    out
}

/// Number of files whose rewriting makes the refresh compact the overlay.
const FILLER_COUNT: usize = 40;

/// Rewrites [`FILLER_COUNT`] files, so that the refresh compacts the overlay.
fn rewrite_fillers(fixture: &Fixture, step: usize) {
    for n in 0..FILLER_COUNT {
        fixture.write(&format!("fill/f{n}.py"), &format!("def filler_{n}():\n    return {step}\n"));
    }
}

#[test]
fn after_random_changes_a_search_answers_as_in_a_fresh_index() {
    for seed in [3, 17] {
        let fixture = Fixture::new();
        fixture.write("k/notes/first.md", "---\ntitle: The cart\n---\n");
        rewrite_fillers(&fixture, 0);
        let mut numbers = RandomNumbers(seed);
        let mut workspace = fixture.open("incremental");
        workspace.refresh_all(&NoProgress).expect("the index succeeds");
        let (mut hits, mut overlays) = (0, 0);
        for step in 1..=24 {
            for _ in 0..=numbers.next_below(3) {
                change_randomly(&fixture, &mut numbers);
            }
            let compacts = step % 4 == 0;
            if compacts {
                rewrite_fillers(&fixture, step);
            }
            if step % 8 == 7 {
                // The next process knows the changes only from the stored overlay.
                drop(workspace);
                workspace = fixture.open("incremental");
            }
            workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
            let overlay = workspace.current_snapshot().overlay_file_count();
            overlays += usize::from(overlay > 0);
            assert!(!compacts || overlay == 0, "step {step} is compacted");
            let unsaved = (step % 3 == 1).then(|| edit_unsaved(&fixture, &mut workspace, &mut numbers));
            let mut fresh = fixture.open(&format!("fresh-{step}"));
            fresh.refresh_all(&NoProgress).expect("the index succeeds");
            let (words, name) = ([pick_word(&mut numbers), pick_word(&mut numbers)], pick_word(&mut numbers));
            let questions = [words.join(" "), name.to_owned(), format!("{name}.md")];
            let found = list_answers(&workspace, &questions);
            assert_eq!(found, list_answers(&fresh, &questions), "seed {seed}, step {step}");
            hits += found.lines().filter(|line| line.starts_with("  ")).count();
            if let Some(path) = unsaved {
                workspace.close_buffer(&path);
            }
        }
        assert!(hits > 500 && overlays > 10, "seed {seed}: {hits} hits, {overlays} overlays");
    }
}
