//! The single entry point to ranking: takes a question and a state of the workspace, returns a pack
//! with its timings.
//!
//! The command line and the language server both ask their questions here, so that they return the
//! same bytes. The module turns a [`PackQuestion`] into a request of `kenning-retrieval`, supplies
//! the texts, feedback and history that ranking may use ([`AnswerSources`]), measures the stages
//! and passes cancellation on. It also resolves symbol names that users write and finds affected
//! tests.
//!
//! Functions that only check a question or look up a name need no ranking and can be called before
//! it.

mod form_size;

pub use form_size::FormSize;

use crate::cancel::CancelToken;
use crate::change::WorkspaceChange;
use crate::config::Config;
use crate::format::PackFormat;
use crate::format::affected::TestsSubject;
use crate::format::ripple::hash_files;
use crate::learning::{LearnedEvidence, LearningKey};
use crate::similar_names::{similar_paths, suggest_similar_names};
use crate::symbol_names;
use crate::timings::StageTimings;
use crate::vectors::ReadyVectors;
use kenning_graph::hash::HashBuilder;
use kenning_graph::{Hash, Snapshot, SymbolId};
use kenning_indexing::git::{ChangeSet, ChangeStatus, ChangesError};
use kenning_indexing::project::Project;
use kenning_indexing::workspace::TextProvider;
use kenning_retrieval::features::{AffectedTests, affected_tests};
use kenning_retrieval::query::{files_cluster, learning_keywords, task_cluster};
use kenning_retrieval::ripple::{RippleFile, RippleSeeds, ripple_files};
use kenning_retrieval::{
    Analysis, ChangeRequest, ChangedFile, Channel, CommitHistory, EditorPosition, EvidenceSource,
    FilesRequest, Pack, PackDocuments, PackSize, RankConfig, RankExplanation, RequestOptions, RunCancelled,
    StageObserver, TaskAnswer, TaskRequest, TextSource, WorkspaceFacts,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// A question that a pack answers.
#[derive(Clone, Debug)]
pub struct PackQuestion {
    /// The subject.
    pub subject: QuestionSubject,
    /// The number of tokens that the pack may use; `None` for the budget of the configuration.
    pub budget: Option<usize>,
    /// Whether to ignore feedback and recently shown symbols, so that equal calls return equal
    /// bytes.
    pub no_learning: bool,
    /// The ranking configuration.
    pub config: Arc<RankConfig>,
    /// The position of the user's cursor. Only tasks use it.
    pub editor: Option<EditorPosition>,
    /// The ids of symbols that the pack shows first. Ids that are not in the graph are ignored: the
    /// symbols may have been deleted.
    pub pinned: Vec<String>,
    /// The ids of symbols that the pack omits.
    pub excluded: Vec<String>,
    /// The documents whose sections the pack of a task may contain; `None` for no sections.
    pub documents: Option<Arc<PackDocuments>>,
}

/// The subject of a question.
#[derive(Clone, Debug)]
pub enum QuestionSubject {
    /// A task in words.
    Task(String),
    /// Files, workspace-relative with `/` as the separator.
    Files(Vec<String>),
    /// A change to the workspace.
    Change(WorkspaceChange),
}

/// The reason why a question has no answer.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum QuestionError {
    /// The task is empty.
    #[error("the task is empty; describe in a few words what you want to do")]
    EmptyTask,
    /// The query of a search is empty.
    #[error("the query is empty; pass a few words, a name or the name of a file")]
    EmptyQuery,
    /// The search covers knowledge, but there is no folder for it.
    #[error("{0}")]
    NoKnowledge(String),
    /// The search uses only vectors, but there are none.
    #[error("{0}")]
    NoVectors(String),
    /// A limit of a search is out of its range.
    #[error("{limit} must be a number {range}")]
    BadLimit {
        /// The name of the limit.
        limit: &'static str,
        /// The range, as the end of a sentence.
        range: &'static str,
    },
    /// No file was named.
    #[error("no file was given; pass at least one file in the workspace")]
    NoFiles,
    /// A file is not in the index.
    #[error(
        "{path} is not in the index; {}pass a source file, relative to the workspace root",
        suggest_similar_names(similar)
    )]
    UnknownFile {
        /// The path in the question.
        path: String,
        /// Existing paths that are similar, the most similar first.
        similar: Vec<String>,
    },
    /// A file is a document.
    #[error(
        "{0} is a document, and a pack for files is about code; pass a source file, or find sections of documents \
         with kenning search --scope docs"
    )]
    DocumentFile(String),
    /// The name of the symbol is empty.
    #[error("the symbol is empty; pass Class.method, path::Class.method or a symbol id")]
    EmptySymbol,
    /// No symbol has that name.
    #[error(
        "no symbol is named {name}; {}pass Class.method, path::Class.method or a symbol id",
        suggest_similar_names(similar)
    )]
    UnknownSymbol {
        /// The name in the question.
        name: String,
        /// Existing names that are similar, the most similar first.
        similar: Vec<String>,
    },
    /// The change cannot be determined.
    #[error("{0}")]
    Change(String),
    /// The revision to compare with does not exist or is unrelated.
    #[error("{0}")]
    Base(String),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// An id of a list is not an id, or fits several symbols.
    #[error("{id} {problem}; pass at least 8 hexadecimal digits of an id, and more if they do not suffice")]
    UnusableId {
        /// The list: `pinned` or `excluded`.
        list: &'static str,
        /// The id in the question.
        id: String,
        /// The problem, as the end of a sentence.
        problem: &'static str,
    },
    /// No symbol has an id that begins with this text.
    #[error("no symbol has an id that begins with {0}; it may have been removed: ask for a new pack")]
    UnknownId(String),
    /// Several symbols have that name.
    #[error("{name} is ambiguous; choose one of: {}", number_candidates(candidates))]
    AmbiguousSymbol {
        /// The name in the question.
        name: String,
        /// The symbols that it may mean, the likeliest first.
        candidates: Vec<SymbolCandidate>,
    },
}

/// A symbol that an ambiguous name may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolCandidate {
    /// The id of the symbol.
    pub id: Hash,
    /// Its name, kind, line and signatures, and the beginning of its id.
    pub description: String,
}

fn number_candidates(candidates: &[SymbolCandidate]) -> String {
    let numbered = candidates.iter().enumerate();
    let lines: Vec<String> =
        numbered.map(|(at, candidate)| format!("{}) {}", at + 1, candidate.description)).collect();
    lines.join(", ")
}

impl PackQuestion {
    /// Creates a question with the default configuration and no options.
    pub fn new(subject: QuestionSubject) -> Self {
        Self {
            subject,
            budget: None,
            no_learning: false,
            config: Arc::default(),
            editor: None,
            pinned: Vec::new(),
            excluded: Vec::new(),
            documents: None,
        }
    }

    /// Returns the key of the learned data that applies to the question.
    pub fn learning_key(&self) -> LearningKey {
        match &self.subject {
            QuestionSubject::Task(task) => {
                let recalls_tasks = self.config.evidence.task_memory != 0.0;
                LearningKey { recalls_tasks, ..learning_key_of_task(task) }
            }
            QuestionSubject::Files(_) | QuestionSubject::Change(_) => {
                LearningKey { cluster: self.feedback_cluster(), ..LearningKey::default() }
            }
        }
    }

    /// Returns the cluster of similar questions, which share feedback; `None` if the question has
    /// no keyword.
    pub fn feedback_cluster(&self) -> Option<Hash> {
        match &self.subject {
            QuestionSubject::Task(task) => cluster_of_task(task),
            QuestionSubject::Files(files) => files_cluster(files.iter().map(String::as_str)),
            QuestionSubject::Change(change) => {
                files_cluster(change.change_set.files.iter().map(|file| file.path.as_str()))
            }
        }
    }
}

/// Returns the key of the learned data that applies to a task, without the task memory.
pub fn learning_key_of_task(task: &str) -> LearningKey {
    let keywords = learning_keywords(task, &RankConfig::default());
    LearningKey { cluster: cluster_of_task(task), keywords, recalls_tasks: false }
}

/// Returns the cluster of similar tasks. It is the same in every configuration; `None` if the task
/// has no keyword.
pub fn cluster_of_task(task: &str) -> Option<Hash> {
    task_cluster(task, &RankConfig::default())
}

/// The inputs of an answer besides the graph.
#[derive(Clone, Copy, Default)]
pub struct AnswerSources<'a> {
    /// Access to the text of files. Without it a pack contains no bodies.
    pub text: Option<&'a TextProvider>,
    /// The facts from manifests and settings. Without them no framework is known.
    pub workspace: Option<&'a WorkspaceFacts>,
    /// The feedback and session boosts to use; `None` to use none.
    pub learned: Option<&'a LearnedEvidence>,
    /// The commits of the repository; `None` if they were not read.
    pub history: Option<&'a CommitHistory>,
    /// The vectors of the workspace; `None` if they are off or the answer needs none.
    pub vectors: Option<&'a ReadyVectors>,
    /// The form in which the reader gets the answer. Without it, the items of a pack must fit the
    /// budget, but not the text around them.
    pub form: Option<PackForm>,
}

/// The form of a pack, whose tokens the budget limits.
#[derive(Clone, Copy, Debug)]
pub struct PackForm {
    /// The format.
    pub format: PackFormat,
    /// Whether the form explains the ranking.
    pub explain: bool,
}

/// Returns the facts from manifests and settings that ranking uses.
pub fn workspace_facts(project: &Project, config: &Config) -> WorkspaceFacts {
    WorkspaceFacts::new(&project.packages, config.workspace_classes())
}

/// The text of symbols for ranking. Without a provider it has no text.
pub struct SymbolBodies<'a>(pub Option<&'a TextProvider>);

impl TextSource for SymbolBodies<'_> {
    fn read_text(&self, path: &str, content_hash: &Hash) -> Option<Arc<str>> {
        self.0?.file_text(path, content_hash)
    }
}

impl From<ChangesError> for QuestionError {
    fn from(error: ChangesError) -> Self {
        match error {
            ChangesError::Cancelled => Self::Cancelled,
            ChangesError::UnknownBase(_) | ChangesError::Unrelated(_) => Self::Base(error.to_string()),
            ChangesError::NoRepository(_) | ChangesError::Refused(_) | ChangesError::Unreadable { .. } => {
                Self::Change(error.to_string())
            }
        }
    }
}

impl From<RunCancelled> for QuestionError {
    fn from(_: RunCancelled) -> Self {
        Self::Cancelled
    }
}

/// Measures the stages of a run and stops it when it is cancelled.
pub(crate) struct StageTimer<'a> {
    /// The stages that the run has begun, with their times.
    pub timings: &'a mut StageTimings,
    /// The token that stops the run.
    pub cancel: &'a CancelToken,
}

impl StageObserver for StageTimer<'_> {
    fn begin_stage(&mut self, name: &'static str) {
        match name {
            "done" => self.timings.end_stage(),
            name => self.timings.begin_stage(name),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// Checks that the subject of a question is not empty. Needs no workspace.
///
/// # Errors
/// Returns `QuestionError::EmptyTask` or `QuestionError::NoFiles` if the subject is empty.
pub fn check_subject(subject: &QuestionSubject) -> Result<(), QuestionError> {
    match subject {
        QuestionSubject::Task(task) if task.trim().is_empty() => Err(QuestionError::EmptyTask),
        QuestionSubject::Files(files) if files.is_empty() => Err(QuestionError::NoFiles),
        _ => Ok(()),
    }
}

/// Checks that the files of a question are in the graph.
///
/// # Errors
/// Returns `QuestionError::UnknownFile` with the first file that is not in the graph, or
/// `QuestionError::DocumentFile` if that file is a document.
pub fn check_files_indexed(snapshot: &Snapshot, subject: &QuestionSubject) -> Result<(), QuestionError> {
    let QuestionSubject::Files(files) = subject else { return Ok(()) };
    match files.iter().find(|file| snapshot.code_file_by_path(file).is_none()) {
        Some(document) if snapshot.file_by_path(document).is_some() => {
            Err(QuestionError::DocumentFile(document.clone()))
        }
        Some(unknown) => {
            let paths = snapshot.files().into_iter().filter_map(|id| snapshot.file(id)).map(|file| file.path);
            let similar = similar_paths(paths, unknown);
            Err(QuestionError::UnknownFile { path: unknown.clone(), similar })
        }
        None => Ok(()),
    }
}

/// A pack with the question and the state that it answers.
#[derive(Clone, Debug)]
pub struct AnsweredPack {
    /// The pack.
    pub pack: Pack,
    /// The subject of the question, as words for a title.
    pub subject: String,
    /// The identity hash of the snapshot that the answer is based on.
    pub snapshot: Hash,
    /// The change, if the question was about one.
    pub change: Option<WorkspaceChange>,
    /// Files that usually change together with the files or the change of the question, the
    /// likeliest first; empty for a task.
    pub ripple: Vec<RippleFile>,
}

/// The maximum number of files in [`AnsweredPack::ripple`]. In a long history, a file has changed
/// together with hundreds of others.
const MAX_RIPPLE: usize = 10;

/// Returns the files that usually change together with the subject of a question.
fn find_ripple_files(
    snapshot: &Snapshot,
    history: Option<&CommitHistory>,
    subject: &QuestionSubject,
) -> Vec<RippleFile> {
    let files = match subject {
        QuestionSubject::Task(_) => return Vec::new(),
        QuestionSubject::Files(files) => {
            files.iter().map(|path| ChangedFile { path: path.clone(), ..ChangedFile::default() }).collect()
        }
        QuestionSubject::Change(change) => changed_files(snapshot, &change.change_set),
    };
    let symbols = kenning_retrieval::changed_symbols(snapshot, &files);
    ripple_files(snapshot, history, RippleSeeds { symbols: &symbols }, MAX_RIPPLE)
}

/// An answer without its pack.
#[derive(Clone)]
pub struct AnswerFrame {
    subject: String,
    snapshot: Hash,
    change: Option<WorkspaceChange>,
    ripple: Vec<RippleFile>,
}

impl AnswerFrame {
    /// Describes the answer to a question about this subject.
    pub fn describe_question(
        snapshot: &Snapshot,
        history: Option<&CommitHistory>,
        subject: &QuestionSubject,
    ) -> Self {
        let title = match subject {
            QuestionSubject::Task(task) => task.clone(),
            QuestionSubject::Files(files) => files.join(", "),
            QuestionSubject::Change(change) => format!("changes since {}", change.change_set.base),
        };
        let change = match subject {
            QuestionSubject::Change(change) => Some(change.clone()),
            QuestionSubject::Task(_) | QuestionSubject::Files(_) => None,
        };
        let ripple = find_ripple_files(snapshot, history, subject);
        Self { subject: title, snapshot: snapshot_hash(snapshot), change, ripple }
    }

    /// Returns the answer with its pack. The root of the pack then also covers the files that
    /// change together with the subject, because they depend on the commits that were read.
    pub fn with_pack(self, mut pack: Pack) -> AnsweredPack {
        let Self { subject, snapshot, change, ripple } = self;
        if let Some(files) = hash_files(&ripple) {
            let mut hasher = HashBuilder::new("pack with other files");
            hasher.add_hash(&pack.pack_root).add_hash(&files);
            pack.pack_root = hasher.finish();
        }
        AnsweredPack { pack, subject, snapshot, change, ripple }
    }
}

/// Answers a question. Adds the stages of the run to `timings`.
///
/// # Errors
/// Returns an error if the subject is empty, if a pinned or excluded id is invalid or fits several
/// symbols, or if the run is cancelled.
pub fn answer_question(
    snapshot: &Snapshot,
    sources: AnswerSources<'_>,
    question: &PackQuestion,
    timings: &mut StageTimings,
    cancel: &CancelToken,
) -> Result<AnsweredPack, QuestionError> {
    let frame = AnswerFrame::describe_question(snapshot, sources.history, &question.subject);
    let pack = run_question(snapshot, sources, question, &frame, timings, cancel)?.pack;
    Ok(frame.with_pack(pack))
}

/// Explains the rank of one symbol in the run that answers the question.
///
/// # Errors
/// Returns an error if the subject is empty, if no symbol or several symbols fit the name, or if
/// the run is cancelled.
pub fn explain_symbol(
    snapshot: &Snapshot,
    sources: AnswerSources<'_>,
    question: &PackQuestion,
    symbol: &str,
    cancel: &CancelToken,
) -> Result<RankExplanation, QuestionError> {
    let id = symbol_names::find_symbol(snapshot, symbol)?;
    let answer = answer_with_trace(snapshot, sources, question, &mut StageTimings::start_now(), cancel)?;
    Ok(answer.trace.explain_symbol(snapshot, id))
}

/// Returns the pack that answers the question, with the trace of the run.
///
/// # Errors
/// Returns an error if the subject is empty, if a pinned or excluded id is invalid or fits several
/// symbols, or if the run is cancelled.
pub fn answer_with_trace(
    snapshot: &Snapshot,
    sources: AnswerSources<'_>,
    question: &PackQuestion,
    timings: &mut StageTimings,
    cancel: &CancelToken,
) -> Result<TaskAnswer, QuestionError> {
    let frame = AnswerFrame::describe_question(snapshot, sources.history, &question.subject);
    run_question(snapshot, sources, question, &frame, timings, cancel)
}

/// Runs the ranking for a question, and packs the result for the form of the answer.
fn run_question(
    snapshot: &Snapshot,
    sources: AnswerSources<'_>,
    question: &PackQuestion,
    frame: &AnswerFrame,
    timings: &mut StageTimings,
    cancel: &CancelToken,
) -> Result<TaskAnswer, QuestionError> {
    check_subject(&question.subject)?;
    let (config, bodies) = (&*question.config, SymbolBodies(sources.text));
    let options = RequestOptions {
        budget: question.budget,
        no_learning: question.no_learning,
        pinned: symbol_names::find_ids(snapshot, "pinned", &question.pinned)?,
        excluded: symbol_names::find_ids(snapshot, "excluded", &question.excluded)?,
        // A reader without a form explains the ranking.
        keep_weak: sources.form.is_none_or(|form| form.explain),
        documents: question.documents.as_deref().cloned(),
    };
    let channels: Vec<&dyn Channel> = question.editor.iter().map(|editor| editor as &dyn Channel).collect();
    let evidence = sources.learned.map(|learned| learned as &dyn EvidenceSource);
    let history = sources.history;
    let workspace = sources.workspace.unwrap_or(WorkspaceFacts::EMPTY);
    let size = sources.form.map(|form| FormSize { form, frame });
    let analysis = Analysis {
        size: size.as_ref().map(|size| size as &dyn PackSize),
        channels: &channels,
        workspace,
        evidence,
        history,
        vectors: sources.vectors.map(ReadyVectors::as_search),
        ..Analysis::new(snapshot, config, &bodies)
    };
    let mut stages = StageTimer { timings, cancel };
    let answer = match &question.subject {
        QuestionSubject::Task(task) => {
            analysis.pack_task_observed(&TaskRequest { task: task.clone(), options }, &mut stages)?
        }
        QuestionSubject::Files(files) => {
            analysis.pack_files_observed(&FilesRequest { files: files.clone(), options }, &mut stages)?
        }
        QuestionSubject::Change(change) => {
            let (files, users) = (changed_files(snapshot, &change.change_set), change.users_of_removed());
            analysis.pack_change(&ChangeRequest { files, users, options }, &mut stages)?
        }
    };
    timings.end_stage();
    Ok(answer)
}

/// Converts the changed files to the input of ranking. Includes only files that are in the graph
/// and whose text differs.
pub fn changed_files(snapshot: &Snapshot, changes: &ChangeSet) -> Vec<ChangedFile> {
    let has_text = |file: &&kenning_indexing::git::ChangedFile| {
        let differs =
            file.status == ChangeStatus::Added || !file.lines.is_empty() || !file.removed_after.is_empty();
        file.status != ChangeStatus::Deleted && differs && snapshot.code_file_by_path(&file.path).is_some()
    };
    let to_ranking_input = |file: &kenning_indexing::git::ChangedFile| {
        // All lines of a new file are new.
        let (lines, removed_after) = match file.status {
            ChangeStatus::Added => (Vec::new(), Vec::new()),
            _ => (file.lines.clone(), file.removed_after.clone()),
        };
        ChangedFile { path: file.path.clone(), lines, removed_after }
    };
    changes.files.iter().filter(has_text).map(to_ranking_input).collect()
}

/// The maximum number of tests that an answer lists. Almost all tests reach the core of a
/// framework.
const MAX_TESTS: usize = 1000;

/// Returns the changed symbols with the users of removed symbols, and the tests that reach them.
/// Files that are not indexed yet contribute nothing.
///
/// # Errors
/// Returns `QuestionError::UnknownFile` if a named file is not in the index, unless the index is
/// `incomplete`.
pub fn find_affected_tests(
    snapshot: &Snapshot,
    subject: TestsSubject<'_>,
    incomplete: bool,
) -> Result<(Vec<SymbolId>, AffectedTests), QuestionError> {
    let mut users: Vec<SymbolId> = Vec::new();
    let mut complete = true;
    let files: Vec<ChangedFile> = match subject {
        TestsSubject::Change(change) => {
            users = change.users_of_removed();
            complete = change.dangling.is_complete;
            changed_files(snapshot, &change.change_set)
        }
        TestsSubject::Files(files) => {
            if !incomplete {
                check_files_indexed(snapshot, &QuestionSubject::Files(files.to_vec()))?;
            }
            files.iter().map(|path| ChangedFile { path: path.clone(), ..ChangedFile::default() }).collect()
        }
    };
    let mut targets = kenning_retrieval::changed_symbols(snapshot, &files);
    let changed: BTreeSet<SymbolId> = targets.iter().copied().collect();
    targets.extend(users.into_iter().filter(|user| !changed.contains(user)));
    let mut tests = affected_tests(snapshot, &targets, MAX_TESTS);
    tests.truncated |= !complete;
    Ok((targets, tests))
}

/// Returns the identity hash of everything that an answer depends on: the graph of the text and the
/// verdicts of language servers.
pub fn snapshot_hash(snapshot: &Snapshot) -> Hash {
    snapshot.identity_hash()
}
