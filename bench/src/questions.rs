//! Builds questions about one identifier: where is it defined, what does it do? The answer is its
//! definition.
//!
//! Commit messages hardly ever ask such questions, but people and agents do. The wordings are data
//! (`bench/training/questions.toml`). The wordings for evaluation differ from the wordings for
//! training, so that a ranker cannot memorize them.

use kenning_graph::{Snapshot, SymbolKind, SymbolRef};
use kenning_retrieval::eval::commits::{CommitTask, EditedSymbol, TaskTags};
use kenning_retrieval::is_secondary;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Minimum length of the name in a question, in bytes. Shorter names are often common words.
const MIN_NAME_BYTES: usize = 5;

/// The wordings of questions. `{}` stands for the identifier.
#[derive(Debug, Deserialize)]
pub struct QuestionWordings {
    /// Wordings for training.
    pub train: Vec<String>,
    /// Wordings for validation and test.
    pub evaluation: Vec<String>,
}

impl QuestionWordings {
    /// Parses the text of `bench/training/questions.toml`.
    ///
    /// # Errors
    /// Fails if `text` is not valid.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        Ok(toml::from_str(text)?)
    }
}

/// The repository that questions are about.
#[derive(Clone, Copy, Debug)]
pub struct QuestionSource<'a> {
    /// The name of the repository in the questions.
    pub repo: &'a str,
    /// The main language of the repository.
    pub language: &'a str,
}

/// Builds up to `count` questions about types and callables of product code whose names are unique
/// there. Symbols come in the order of their hashes, which is as good as a random order.
pub fn identifier_questions(
    snapshot: &Snapshot,
    source: QuestionSource<'_>,
    wordings: &[String],
    count: usize,
) -> Vec<CommitTask> {
    let mut by_name: BTreeMap<&str, Vec<SymbolRef<'_>>> = BTreeMap::new();
    for symbol in snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id)) {
        if !symbol.kind.is_phantom() && symbol.kind != SymbolKind::File && !is_secondary(&symbol) {
            by_name.entry(symbol.name).or_default().push(symbol);
        }
    }
    let is_asked = |symbol: &SymbolRef<'_>| {
        (symbol.kind.is_type() || symbol.kind.is_callable())
            && !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Constructor)
            && symbol.name.len() >= MIN_NAME_BYTES
            && symbol.name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let unique = by_name.into_values().filter_map(|symbols| match symbols.as_slice() {
        [only] if is_asked(only) => Some(*only),
        _ => None,
    });
    let mut symbols: Vec<SymbolRef<'_>> = unique.collect();
    symbols.sort_by_key(|symbol| symbol.hash);
    symbols.truncate(count);
    let numbered = symbols.iter().zip(wordings.iter().cycle());
    numbered.map(|(symbol, wording)| build_question(symbol, source, wording)).collect()
}

/// Builds the question about one symbol, whose only true answer is the symbol.
fn build_question(symbol: &SymbolRef<'_>, source: QuestionSource<'_>, wording: &str) -> CommitTask {
    let QuestionSource { repo, language } = source;
    let truth = EditedSymbol {
        name: symbol.name.to_owned(),
        qualified: symbol.display_name(),
        kind: symbol.kind.as_str().to_owned(),
        file: symbol.path.to_owned(),
        inner: Vec::new(),
    };
    CommitTask {
        id: format!("{repo}-question-{}", &symbol.hash.to_hex()[..10]),
        repo: repo.to_owned(),
        base_commit: None,
        language: language.to_owned(),
        description: wording.replace("{}", symbol.name),
        truths: vec![truth],
        files: vec![symbol.path.to_owned()],
        tags: TaskTags {
            vocab: "lexical".to_owned(),
            verbatim: true,
            n_truths: 1,
            names_file: false,
            names_stem: false,
            scope: None,
            has_body: false,
            age_days: 0,
            split: "question".to_owned(),
        },
    }
}
