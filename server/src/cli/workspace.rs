//! Opens a workspace for a command, updates its index from the disk, and collects the inputs of an
//! answer besides the graph.
//!
//! Problems that do not end the command (repaired damage, unusable files) become warnings on
//! standard error.

use super::args::{AnswerArgs, DatabaseArgs, RefreshArgs, RefreshMode, WorkspaceArgs};
use super::editor_texts::overlay_unsaved_texts;
use super::new_index::NewIndex;
use super::progress::TerminalProgress;
use super::root_guard::confirm_root;
use super::workspace_root::report_found_root;
use super::{configuration, output};
use crate::answer::{AnswerSources, PackQuestion, QuestionSubject, workspace_facts};
use crate::cache::DiskUsage;
use crate::cancel::CancelToken;
use crate::config::{Config, index_options};
use crate::freshness::{Freshness, format_rfc3339};
use crate::learning::LearnedEvidence;
use crate::rank_overrides::{apply_overrides, check_vector_overrides};
use crate::ranking_choice::choose_ranking;
use crate::vectors::{EmbeddingThreads, ReadyVectors, VectorCache, VectorSource, VectorsError};
use anyhow::bail;
use kenning_graph::store::MemoryStore;
use kenning_indexing::named_file::FileProblem;
use kenning_indexing::workspace::{
    CommitsReport, DatabasePaths, IndexReport, TextProvider, Workspace, WorkspaceOptions,
};
use kenning_retrieval::pack::escape_control_chars;
use kenning_retrieval::{CommitHistory, WorkspaceFacts};
use std::sync::Arc;

/// Opens the workspace without reading its source files. Asks first if it is hardly a project.
pub fn open_workspace(args: &WorkspaceArgs) -> anyhow::Result<Workspace> {
    confirm_root(args)?;
    open_any_workspace(args)
}

/// Opens the workspace without reading its source files, whatever folder it is.
pub fn open_any_workspace(args: &WorkspaceArgs) -> anyhow::Result<Workspace> {
    report_found_root(&args.root);
    Ok(Workspace::open(&args.root, workspace_options(args))?)
}

/// Opens the workspace for a command that has already reported its root and the problems of its
/// configuration.
pub fn open_reported_workspace(args: &WorkspaceArgs) -> anyhow::Result<Workspace> {
    let options = WorkspaceOptions { db: args.database.db.clone(), ..WorkspaceOptions::default() };
    let config = configuration::effective_config(&args.root).config;
    Ok(Workspace::open(&args.root, index_options(&config, options))?)
}

fn workspace_options(args: &WorkspaceArgs) -> WorkspaceOptions {
    let options = WorkspaceOptions { db: args.database.db.clone(), ..WorkspaceOptions::default() };
    index_options(&configuration::effective_config_with_warnings(&args.root).config, options)
}

/// Returns the paths of the files in which Kenning stores the workspace's data. Creates and opens
/// nothing.
pub fn data_paths(args: &WorkspaceArgs) -> anyhow::Result<DatabasePaths> {
    let options = WorkspaceOptions { db: args.database.db.clone(), ..WorkspaceOptions::default() };
    Ok(DatabasePaths::from_root(&args.root, &options)?)
}

/// Measures the files of the workspace and the whole cache.
pub fn measure_disk_usage(args: &WorkspaceArgs) -> anyhow::Result<DiskUsage> {
    let cache = WorkspaceOptions::default().cache_folder();
    Ok(DiskUsage::measure(&data_paths(args)?, cache.as_deref()))
}

/// Prunes the cache automatically if that is due ([`crate::cache::prune_once_a_day`]). Does nothing
/// if the command uses a database outside the cache.
pub fn prune_cache_if_due(database: &DatabaseArgs) {
    let folder = WorkspaceOptions::default().cache_folder().filter(|_| database.db.is_none());
    if let Some(folder) = folder {
        crate::cache::prune_once_a_day(&folder);
    }
}

/// Updates the index from the disk before an answer.
///
/// # Errors
/// Returns an error if the refresh fails or if the workspace has no source file, because every
/// answer would be empty.
pub fn refresh_for_answer(workspace: &mut Workspace) -> anyhow::Result<IndexReport> {
    let report = refresh_index(workspace)?;
    ensure_not_empty(workspace, &report)?;
    Ok(report)
}

/// Updates the index from the disk and warns about rebuilt data and unusable files.
///
/// # Errors
/// Returns the error of the refresh.
pub fn refresh_index(workspace: &mut Workspace) -> anyhow::Result<IndexReport> {
    let report = workspace.refresh_all(&TerminalProgress::new())?;
    warn_about_report(&report);
    Ok(report)
}

fn warn_about_report(report: &IndexReport) {
    if let Some(reason) = &report.rebuilt {
        super::output::print_warning(reason);
    }
    warn_about_problems(&report.problems);
}

/// Rebuilds the index if opening the workspace found damage, so that a command that only reads also
/// answers from rebuilt data. Warns about every repair.
pub fn rebuild_if_damaged(workspace: &mut Workspace) -> anyhow::Result<()> {
    if workspace.needs_rebuild() {
        refresh_index(workspace)?;
    }
    warn_about_repairs(workspace);
    Ok(())
}

/// Prints a warning for each repair since the last report.
pub fn warn_about_repairs(workspace: &Workspace) {
    workspace.take_repairs().iter().for_each(|repair| super::output::print_warning(repair));
}

/// Opens the store of learned feedback, and warns if it was damaged. Returns `None` if the
/// workspace has no learned data.
pub fn open_memory(workspace: &Workspace) -> anyhow::Result<Option<MemoryStore>> {
    let location = workspace.memory_location();
    if !location.has_memory() {
        return Ok(None);
    }
    let (store, salvage) = location.open_store()?;
    if let Some(salvage) = salvage {
        super::output::print_warning(&salvage.to_string());
    }
    Ok(Some(store))
}

/// The maximum number of problems in a command's warnings. A workspace can have thousands of
/// unusable files; `kenning status` lists all of them.
const MAX_WARNINGS: usize = 3;

/// Warns about files that are refused or truncated.
fn warn_about_problems(problems: &[FileProblem]) {
    for problem in problems.iter().take(MAX_WARNINGS) {
        output::print_warning(&escape_control_chars(&problem.to_string()));
    }
    if problems.len() > MAX_WARNINGS {
        let more = problems.len() - MAX_WARNINGS;
        let noun = if more == 1 { "problem" } else { "problems" };
        output::print_warning(&format!("{more} more {noun}; kenning status lists all of them"));
    }
}

/// Checks that the workspace has a source file.
///
/// # Errors
/// Returns an error with the fix if the index has no file.
pub fn ensure_not_empty(workspace: &Workspace, report: &IndexReport) -> anyhow::Result<()> {
    let root = workspace.root_path().display();
    match report.skipped.len() {
        _ if report.files > 0 => Ok(()),
        0 => bail!(
            "{root} has no source file that Kenning can index; pass the folder that contains the code with --root"
        ),
        skipped => bail!(
            "{root} has no source file that Kenning can index; skipped files: {skipped}; kenning index --verbose lists them \
             with the reasons"
        ),
    }
}

/// Opens the workspace. For `RefreshMode::Auto`, also updates its index, reads the commits that are
/// not stored yet, and overlays the index with the unsaved text of an editor.
///
/// # Errors
/// Returns an error if the workspace has no source file, if it was never indexed and `refresh.when`
/// is `RefreshMode::Never`, or if the user does not want to index this folder.
pub fn open_for_answer(args: &WorkspaceArgs, refresh: &RefreshArgs) -> anyhow::Result<Workspace> {
    if refresh.when == RefreshMode::Auto {
        confirm_root(args)?;
        report_found_root(&args.root);
        let new_index = NewIndex::before_opening(args);
        let (mut workspace, report) = open_refreshed(args).inspect_err(|_| new_index.discard())?;
        read_new_commits(&workspace, &report, refresh);
        overlay_unsaved_texts(&mut workspace, args.database.db.clone());
        return Ok(workspace);
    }
    let mut workspace = open_workspace(args)?;
    rebuild_if_damaged(&mut workspace)?;
    if workspace.indexed_at().is_none() {
        bail!("{} has never been indexed; run kenning index on it first", workspace.root_path().display());
    }
    workspace.read_manifests();
    note_unread_commits(&workspace, refresh);
    Ok(workspace)
}

/// Opens the workspace and updates its index from the disk. The workspace is closed again if it has no
/// source file.
fn open_refreshed(args: &WorkspaceArgs) -> anyhow::Result<(Workspace, IndexReport)> {
    let (workspace, report) =
        Workspace::open_refreshed(&args.root, workspace_options(args), &TerminalProgress::new())?;
    warn_about_report(&report);
    ensure_not_empty(&workspace, &report)?;
    Ok((workspace, report))
}

/// Reads the commits that are not stored yet: thousands before the first answer, which takes
/// seconds, and later those since the last command. Another process that writes the index reads
/// them itself. A failure is a warning, because the answer only lacks some evidence.
fn read_new_commits(workspace: &Workspace, report: &IndexReport, refresh: &RefreshArgs) {
    let config = configuration::effective_config(workspace.root_path()).config;
    if !config.index.history {
        return;
    }
    if !refresh.no_history && workspace.is_writer() {
        // Reading commits needs memory, which indexing does not need any more.
        crate::allocator::release_after_index(report.parsed);
        if let Err(error) = read_commits(workspace) {
            output::print_warning(&format!("the history of git cannot be read: {error}"));
        }
    }
    note_unread_commits(workspace, refresh);
}

/// Reads the commits that are not stored yet, with progress on a terminal. Returns `None` outside a
/// git repository.
pub fn read_commits(workspace: &Workspace) -> anyhow::Result<Option<CommitsReport>> {
    const STAGE: &str = "commits read";
    let (progress, mut read) = (TerminalProgress::new(), 0);
    progress.report_count(STAGE, read);
    let report = workspace.read_commits(&mut || {
        read += 1;
        progress.report_count(STAGE, read);
        false
    })?;
    Ok(report)
}

/// Prints a line if the answer lacks commits that the user did not leave out.
fn note_unread_commits(workspace: &Workspace, refresh: &RefreshArgs) {
    if !refresh.no_history && lacks_commits(workspace) {
        output::print_note(
            "the history of git is not read yet, so the answer does not use it; kenning index reads it",
        );
    }
}

/// Whether commits of the repository are missing from the index although `index.history` is on. A
/// database that cannot be read is reported by those that need it.
fn lacks_commits(workspace: &Workspace) -> bool {
    configuration::effective_config(workspace.root_path()).config.index.history
        && workspace.has_unread_commits().unwrap_or(false)
}

/// Builds the question from the arguments. The options of the configuration apply to everything
/// that the arguments do not set.
///
/// # Errors
/// Returns an error if the subject is empty, if a constant cannot be overridden, or if an
/// overridden constant has no effect because `vectors.model` names no model.
pub fn build_question(
    subject: QuestionSubject,
    args: &AnswerArgs,
    config: &Config,
) -> anyhow::Result<PackQuestion> {
    crate::answer::check_subject(&subject)?;
    let ranking = apply_overrides(choose_ranking(args.ranking.config, config), &args.ranking.set)?;
    check_vector_overrides(&args.ranking.set, config.vectors.model.as_deref())?;
    Ok(PackQuestion {
        budget: args.budget.map(std::num::NonZeroUsize::get),
        no_learning: args.no_learning,
        config: Arc::new(ranking),
        documents: config.pack_documents(),
        ..PackQuestion::new(subject)
    })
}

/// The inputs of a command's answer besides the graph, read once.
pub struct AnswerInputs {
    text: Arc<TextProvider>,
    facts: WorkspaceFacts,
    learned: Option<LearnedEvidence>,
    history: Option<CommitHistory>,
    vectors: Option<Arc<ReadyVectors>>,
}

impl AnswerInputs {
    /// Reads the inputs for a question.
    pub fn read_for_question(
        workspace: &Workspace,
        question: &PackQuestion,
        config: &Config,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            text: workspace.text_source(),
            facts: workspace_facts(&workspace.current_project(), config),
            learned: read_learned(workspace, question),
            history: load_history(workspace, config)?,
            vectors: if question.config.vectors.is_used() {
                load_vectors_if_usable(workspace, config)
            } else {
                None
            },
        })
    }

    /// Borrows the inputs in the form that an answer takes.
    pub fn as_sources(&self) -> AnswerSources<'_> {
        AnswerSources {
            text: Some(&self.text),
            workspace: Some(&self.facts),
            learned: self.learned.as_ref(),
            history: self.history.as_ref(),
            vectors: self.vectors.as_deref(),
            form: None,
        }
    }
}

/// Reads the feedback on similar tasks. Returns `None` with `--no-learning`, and with a warning if
/// the store cannot be read. Does not include recently shown symbols, because a command has no
/// session.
fn read_learned(workspace: &Workspace, question: &PackQuestion) -> Option<LearnedEvidence> {
    if question.no_learning {
        return None;
    }
    let read = LearnedEvidence::read_for_question(
        &workspace.memory_location(),
        &question.learning_key(),
        &workspace.current_snapshot(),
    );
    match read {
        Ok(learned) => {
            if let Some(salvage) = learned.salvage_report() {
                super::output::print_warning(&salvage.to_string());
            }
            Some(learned)
        }
        Err(error) => {
            super::output::print_warning(&format!("the answer does not use learned feedback: {error}"));
            None
        }
    }
}

/// Loads the commits that this and earlier runs stored. Returns `None` if `index.history` is off.
pub fn load_history(workspace: &Workspace, config: &Config) -> anyhow::Result<Option<CommitHistory>> {
    let history =
        if config.index.history { Some(CommitHistory::new(workspace.load_commits()?)) } else { None };
    warn_about_repairs(workspace);
    Ok(history)
}

/// Returns the vectors of the workspace; `None` if `model`, the option `vectors.model`, names none.
/// Computes and stores missing vectors.
///
/// # Errors
/// Returns an error if the model cannot be used.
pub fn load_vectors(
    workspace: &Workspace,
    model: Option<&str>,
) -> Result<Option<Arc<ReadyVectors>>, VectorsError> {
    let (snapshot, text) = (workspace.current_snapshot(), workspace.text_source());
    let source = VectorSource {
        root: workspace.root_path(),
        model,
        database: Some(workspace.db_path()),
        snapshot: &snapshot,
        text: Some(&text),
    };
    VectorCache::default().refresh_vectors(source, EmbeddingThreads::All, &CancelToken::default())
}

/// Returns the vectors of the workspace for an answer that does not require them. If the model
/// cannot be used, prints a warning and returns `None`.
pub fn load_vectors_if_usable(workspace: &Workspace, config: &Config) -> Option<Arc<ReadyVectors>> {
    load_vectors(workspace, config.vectors.model.as_deref()).unwrap_or_else(|error| {
        output::print_warning(&format!("the answer does not use vectors: {error}"));
        None
    })
}

/// Returns the freshness of an answer from this workspace.
pub fn build_freshness(workspace: &Workspace) -> Freshness {
    Freshness {
        indexed_at: workspace.indexed_at().and_then(format_rfc3339),
        head: workspace.head_commit(),
        unsaved_files: workspace.unsaved_count(),
        history_pending: lacks_commits(workspace),
        ..Freshness::default()
    }
}
