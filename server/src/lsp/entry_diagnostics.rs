//! `textDocument/publishDiagnostics`: reports the problems in the files of notes, tasks and skills,
//! such as broken front matter, links to code that moved, and cycles of tasks.
//!
//! One task follows each folder. When the graph has been quiet for a moment and an entry or the
//! graph changed, it reads the entries and publishes the problems of each file. A file whose
//! problems are solved gets an empty list.

use super::requests::{run_blocking, wait_until_quiet};
use super::to_proto;
use crate::knowledge::{KnowledgeFinding, KnowledgeFolder};
use crate::session::{FolderKnowledgeCache, FolderState, ServedFolder, Session};
use kenning_graph::Hash;
use lsp_types::{Diagnostic, DiagnosticSeverity, Uri};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tower_lsp::Client;

/// The source that editors show beside a diagnostic.
const SOURCE: &str = "kenning";

/// Publishes the problems of entries.
#[derive(Default)]
pub struct EntryDiagnostics {
    /// Folders that are being followed.
    followed: Arc<Mutex<BTreeSet<PathBuf>>>,
}

/// The findings of a folder by file, and the key of the state that they are about.
type FolderFindings = (FindingsKey, BTreeMap<String, Vec<KnowledgeFinding>>);

/// The fingerprints of the entries and of the graph.
type FindingsKey = (Option<Hash>, Hash, u64);

impl EntryDiagnostics {
    /// Starts following the folders of the session that are not followed yet.
    pub fn follow_folders(&self, client: &Client, session: &Arc<Session>) {
        for folder in session.served_folders() {
            let root = folder.root_path().to_owned();
            if self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(root) {
                let (client, followed) = (client.clone(), Arc::clone(&self.followed));
                tokio::spawn(follow_folder(client, Arc::downgrade(session), folder, followed));
            }
        }
    }
}

/// Publishes the findings of a folder whenever they may have changed, until its writer ends.
async fn follow_folder(
    client: Client,
    session: Weak<Session>,
    folder: Arc<ServedFolder>,
    followed: Arc<Mutex<BTreeSet<PathBuf>>>,
) {
    let root = folder.root_path().to_owned();
    let mut states = folder.subscribe_states();
    // The task must not keep the folder alive: the states end when its writer ends.
    let folder = {
        let strong = folder;
        Arc::downgrade(&strong)
    };
    let mut last: Option<FindingsKey> = None;
    let mut published: BTreeSet<String> = BTreeSet::new();
    while wait_until_quiet(&mut states).await {
        let state = Arc::clone(&states.borrow_and_update());
        let (session, folder) = (session.clone(), folder.clone());
        let findings = run_blocking(move || {
            let (session, folder) = (session.upgrade()?, folder.upgrade()?);
            Some(read_findings(&session, &folder, &state, last))
        });
        let Ok(Some(Some((key, by_file)))) = findings.await else { continue };
        last = Some(key);
        let solved = published.iter().filter(|path| !by_file.contains_key(*path)).cloned();
        let lists = solved.map(|path| (path, Vec::new()));
        let current = by_file.keys().cloned().collect();
        for (path, findings) in lists.chain(by_file.clone()).collect::<Vec<_>>() {
            let Some(uri) = Uri::from_file_path(root.join(&path)) else { continue };
            let diagnostics = findings.iter().map(to_diagnostic).collect();
            client.publish_diagnostics(uri, diagnostics, None).await;
        }
        published = current;
    }
    followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&root);
}

/// Returns the findings of a folder by file; `None` if nothing changed since `last`. A folder
/// without entries has no findings.
fn read_findings(
    session: &Session,
    folder: &ServedFolder,
    state: &FolderState,
    last: Option<FindingsKey>,
) -> Option<FolderFindings> {
    let config = session.folder_config(folder);
    let entries = FolderKnowledgeCache::compute_fingerprint(folder, &config, state);
    let key = (entries, state.snapshot.identity_hash(), state.snapshot.revision());
    if last == Some(key) || !state.is_settled() {
        return None;
    }
    let mut by_file: BTreeMap<String, Vec<KnowledgeFinding>> = BTreeMap::new();
    if let Ok(opened) = KnowledgeFolder::open_configured(folder.root_path(), &config.knowledge.folder) {
        let knowledge = folder.knowledge_cache().read_current(&opened, folder.root_path(), state);
        for finding in &knowledge.base.findings {
            by_file.entry(finding.path.clone()).or_default().push(finding.clone());
        }
    }
    Some((key, by_file))
}

fn to_diagnostic(finding: &KnowledgeFinding) -> Diagnostic {
    let line = finding.line.map_or(0, |line| line.saturating_sub(1));
    let mut range = to_proto::line_start(line);
    // The range covers the rest of the line: editors end a range at the end of its line.
    range.end.character = u16::MAX.into();
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::WARNING),
        source: Some(SOURCE.to_owned()),
        message: finding.message.clone(),
        ..Diagnostic::default()
    }
}
