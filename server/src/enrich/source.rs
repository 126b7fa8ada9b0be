//! The workspace as it is presented to language servers.

use kenning_enrichment::{DocumentText, WorkspaceSource};
use kenning_graph::snapshot::{DISCOVERY, VerdictStatus};
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
    pub open: OpenTextByPath,
}

/// A workspace whose state changes.
pub struct LiveWorkspace {
    root: PathBuf,
    now: Box<dyn Fn() -> WorkspaceState + Send + Sync>,
}

impl LiveWorkspace {
    /// Creates the workspace at `root`. `now` returns its current state and is called for every
    /// query.
    pub fn new(root: PathBuf, now: impl Fn() -> WorkspaceState + Send + Sync + 'static) -> Self {
        Self { root, now: Box::new(now) }
    }
}

impl WorkspaceSource for LiveWorkspace {
    fn root_folder(&self) -> &Path {
        &self.root
    }

    fn current_snapshot(&self) -> Arc<Snapshot> {
        Arc::new((self.now)().snapshot)
    }

    fn file_text(&self, path: &str) -> Option<DocumentText> {
        if let Some(text) = ((self.now)().open)(path) {
            return Some(DocumentText { hash: Hash::from_content(text.as_bytes()), text });
        }
        let bytes = read_source(&self.root.join(path))?;
        let hash = Hash::from_content(&bytes);
        Some(DocumentText { text: String::from_utf8(bytes).ok()?.into(), hash })
    }

    fn reference_sites(&self, snapshot: &Snapshot, path: &str) -> Vec<ReferenceSite> {
        let now = (self.now)();
        let hash = |snapshot: &Snapshot| {
            let file = snapshot.file_by_path(path)?;
            Some((file, snapshot.file(file)?.content_hash))
        };
        // The facts of a file belong to one text. If the text has changed since, the question is
        // too late.
        let Some((file, content)) = hash(snapshot) else { return Vec::new() };
        if hash(&now.snapshot).map(|(_, hash)| hash) != Some(content) {
            return Vec::new();
        }
        let Some(facts) = (now.facts)(path) else { return Vec::new() };
        resolve::collect_sites(snapshot, &now.project, file, &facts)
    }

    fn is_answered(&self, snapshot: &Snapshot, site: &ReferenceSite, server: &ServerId) -> bool {
        let subject = snapshot.symbol_by_hash(&site.key.subject);
        let said = subject.and_then(|subject| snapshot.find_verdict_status(subject, site.key.nth));
        said.is_some_and(|(standing, by)| standing != VerdictStatus::Stale && **by == *server)
    }

    fn is_discovered(&self, snapshot: &Snapshot, subject: &SymbolRef, server: &ServerId) -> bool {
        let said = snapshot.find_verdict_status(subject.id, DISCOVERY);
        said.is_some_and(|(standing, by)| standing != VerdictStatus::Stale && **by == *server)
    }

    fn is_test_file(&self, language: &str, path: &str) -> bool {
        resolve::is_test_file(language, path)
    }
}
