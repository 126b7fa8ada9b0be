//! `workspace/codeLens/refresh`: asks the client to request lenses again when their titles may have
//! changed.

use super::run_blocking;
use crate::session::{FolderKnowledgeCache, FolderState, ServedFolder, Session};
use kenning_graph::Snapshot;
use kenning_graph::hash::{Hash, HashBuilder};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tower_lsp::Client;

/// Time without a change to the graph before a refresh.
const QUIET_TIME: Duration = Duration::from_millis(300);

/// Asks the client to request lenses again, with at most one such request at a time.
#[derive(Default)]
pub struct LensRefresher {
    due: Arc<Notify>,
    /// Folders that are being followed.
    followed: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl LensRefresher {
    /// Starts the task that sends refresh requests. Nothing is sent before something changes.
    pub fn start_sending(&self, client: Client) {
        let due = Arc::clone(&self.due);
        tokio::spawn(async move {
            loop {
                due.notified().await;
                if let Err(error) = client.code_lens_refresh().await {
                    tracing::debug!(%error, "the client did not refresh its code lenses");
                }
            }
        });
    }

    /// Starts following the folders of the session that are not followed yet.
    pub fn follow_folders(&self, session: &Arc<Session>) {
        for folder in session.served_folders() {
            let root = folder.root_path().to_owned();
            if self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(root.clone()) {
                let (due, followed) = (Arc::clone(&self.due), Arc::clone(&self.followed));
                tokio::spawn(follow_folder(Arc::downgrade(session), folder, due, followed, root));
            }
        }
    }
}

async fn follow_folder(
    session: Weak<Session>,
    folder: Arc<ServedFolder>,
    due: Arc<Notify>,
    followed: Arc<Mutex<BTreeSet<PathBuf>>>,
    root: PathBuf,
) {
    let mut states = folder.subscribe_states();
    let shown_unsettled = folder.shown_unsettled();
    // The task must not keep the folder alive: the states end when its writer ends.
    let folder = {
        let strong = folder;
        Arc::downgrade(&strong)
    };
    let mut last_fingerprint: Option<(Hash, Option<Hash>)> = None;
    while wait_until_quiet(&mut states).await {
        let state = Arc::clone(&states.borrow_and_update());
        let is_settled = state.is_settled();
        let (session, folder) = (session.clone(), folder.clone());
        let fingerprint = run_blocking(move || {
            let (Some(session), Some(folder)) = (session.upgrade(), folder.upgrade()) else { return None };
            let config = session.folder_config(&folder);
            let entries = config
                .knowledge
                .lens
                .then(|| FolderKnowledgeCache::compute_fingerprint(&folder, &config, &state));
            Some((lens_fingerprint(&state), entries.flatten()))
        });
        let Ok(Some(fingerprint)) = fingerprint.await else { continue };
        let became_settled = is_settled && shown_unsettled.swap(false, Ordering::SeqCst);
        if last_fingerprint.replace(fingerprint) != Some(fingerprint) || became_settled {
            due.notify_one();
        }
    }
    followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&root);
}

/// Waits for a change, and then until nothing has changed for [`QUIET_TIME`]. Returns false if
/// there will be no more changes.
pub async fn wait_until_quiet(states: &mut watch::Receiver<Arc<FolderState>>) -> bool {
    if states.changed().await.is_err() {
        return false;
    }
    loop {
        match tokio::time::timeout(QUIET_TIME, states.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns a hash that changes whenever lenses may change: with symbols, edges and verdicts, and
/// with the first index and the first disk check.
fn lens_fingerprint(state: &FolderState) -> Hash {
    let mut hasher = HashBuilder::new("lenses");
    hasher.add_number(u64::from(state.indexed_at.is_some()));
    hasher.add_number(u64::from(state.report.is_some()));
    hash_structure(&state.snapshot, &mut hasher);
    hasher.add_hash(&state.snapshot.verdicts_hash().unwrap_or_default());
    hasher.finish()
}

fn hash_structure(snapshot: &Snapshot, hasher: &mut HashBuilder) {
    for (folder, roots) in snapshot.package_roots() {
        hasher.add_text(&folder).add_hash(&roots.structure);
    }
}
