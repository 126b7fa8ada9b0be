//! Presents a workspace to language servers: its current text, graph and references.

use kenning_enrichment::{DocumentText, WorkspaceSource};
use kenning_graph::snapshot::{VerdictStatus, WHOLE_SYMBOL};
use kenning_graph::verdicts::{ReferenceSite, ServerId};
use kenning_graph::{FileFacts, Hash, Snapshot, SymbolRef};
use kenning_indexing::named_file::read_source;
use kenning_indexing::project::Project;
use kenning_indexing::resolve;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A function that returns the facts of a file by its path.
pub type FactsByPath = Box<dyn Fn(&str) -> Option<Arc<FileFacts>> + Send + Sync>;

/// A function that returns the text of an open document by its path.
pub type OpenTextByPath = Box<dyn Fn(&str) -> Option<Arc<str>> + Send + Sync>;

/// The state of a workspace at one moment.
pub struct WorkspaceState {
    /// The graph with the verdicts of servers.
    pub snapshot: Snapshot,
    /// The content of the manifests.
    pub project: Arc<Project>,
    /// The facts of files, as they are in the graph.
    pub facts: FactsByPath,
    /// The texts that are open in the editor.
    pub open_text: OpenTextByPath,
}

/// A workspace whose state changes.
pub struct LiveWorkspace {
    root: PathBuf,
    current_state: Box<dyn Fn() -> WorkspaceState + Send + Sync>,
}

impl LiveWorkspace {
    /// Creates the workspace at `root`. `current_state` is called for every query.
    pub fn new(root: PathBuf, current_state: impl Fn() -> WorkspaceState + Send + Sync + 'static) -> Self {
        Self { root, current_state: Box::new(current_state) }
    }
}

impl WorkspaceSource for LiveWorkspace {
    fn root_folder(&self) -> &Path {
        &self.root
    }

    fn current_snapshot(&self) -> Arc<Snapshot> {
        Arc::new((self.current_state)().snapshot)
    }

    fn file_text(&self, path: &str) -> Option<DocumentText> {
        if let Some(text) = ((self.current_state)().open_text)(path) {
            return Some(DocumentText { hash: Hash::from_content(text.as_bytes()), text });
        }
        let bytes = read_source(&self.root.join(path))?;
        let hash = Hash::from_content(&bytes);
        Some(DocumentText { text: String::from_utf8(bytes).ok()?.into(), hash })
    }

    fn reference_sites(&self, snapshot: &Snapshot, path: &str) -> Vec<ReferenceSite> {
        let state = (self.current_state)();
        let file_and_hash = |snapshot: &Snapshot| {
            let file = snapshot.file_by_path(path)?;
            Some((file, snapshot.file(file)?.content_hash))
        };
        // The facts of a file belong to one text. If the text has changed since, its sites no
        // longer apply.
        let Some((file, content)) = file_and_hash(snapshot) else { return Vec::new() };
        if file_and_hash(&state.snapshot).map(|(_, hash)| hash) != Some(content) {
            return Vec::new();
        }
        let Some(facts) = (state.facts)(path) else { return Vec::new() };
        resolve::collect_sites(snapshot, &state.project, file, &facts)
    }

    fn is_answered(&self, snapshot: &Snapshot, site: &ReferenceSite, server: &ServerId) -> bool {
        let subject = snapshot.symbol_by_hash(&site.key.subject);
        let verdict = subject.and_then(|subject| snapshot.find_verdict_status(subject, site.key.nth));
        verdict
            .is_some_and(|(status, answered_by)| status != VerdictStatus::Stale && **answered_by == *server)
    }

    fn is_discovered(&self, snapshot: &Snapshot, subject: &SymbolRef, server: &ServerId) -> bool {
        let verdict = snapshot.find_verdict_status(subject.id, WHOLE_SYMBOL);
        verdict
            .is_some_and(|(status, answered_by)| status != VerdictStatus::Stale && **answered_by == *server)
    }

    fn is_test_file(&self, language: &str, path: &str) -> bool {
        resolve::is_test_file(language, path)
    }
}
