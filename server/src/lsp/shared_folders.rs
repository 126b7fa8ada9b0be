//! Offers the folders of a session to other programs of the user: each folder has a socket
//! ([`crate::session_sockets`]), and a program that connects becomes a guest.

use super::guest_server::serve_guest;
use crate::session::{ServedFolder, Session};
use crate::session_sockets::SessionKind;
#[cfg(unix)]
use crate::session_sockets::{SocketFolder, is_own_process};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(unix)]
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};

/// The pause after a program could not connect.
#[cfg(unix)]
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The folders that a session offers. Dropping it closes the sockets and ends all guests.
pub struct SharedFolders {
    kind: Option<SessionKind>,
    offers: Mutex<BTreeMap<PathBuf, JoinHandle<()>>>,
}

impl SharedFolders {
    /// Creates the offers of a session; `None` to offer nothing.
    pub fn new(kind: Option<SessionKind>) -> Self {
        Self { kind, offers: Mutex::default() }
    }

    /// Offers the folders that the session serves, and withdraws all others.
    pub fn offer_folders(&self, session: &Arc<Session>) {
        let Some(kind) = self.kind else { return };
        let folders = session.served_folders();
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        offers.retain(|root, offer| {
            let is_served = folders.iter().any(|folder| folder.root_path() == root);
            if !is_served {
                offer.abort();
            }
            is_served
        });
        for folder in folders {
            offers
                .entry(folder.root_path().to_owned())
                .or_insert_with(|| tokio::spawn(offer_folder(Arc::clone(session), folder, kind)));
        }
    }

    /// Closes the sockets and ends all guests.
    pub fn withdraw_folders(&self) {
        let mut offers = self.offers.lock().unwrap_or_else(PoisonError::into_inner);
        for offer in std::mem::take(&mut *offers).into_values() {
            offer.abort();
        }
    }
}

impl Drop for SharedFolders {
    fn drop(&mut self) {
        self.withdraw_folders();
    }
}

/// Waits until the database of a folder is open, and then serves every program that connects.
#[cfg(unix)]
async fn offer_folder(session: Arc<Session>, folder: Arc<ServedFolder>, kind: SessionKind) {
    let mut states = folder.subscribe_states();
    let database = match states.wait_for(|state| state.db_path.is_some()).await {
        Ok(state) => state.db_path.clone(),
        // The folder is no longer served.
        Err(_) => return,
    };
    let Some(database) = database else { return };
    drop(states);
    let bound = match SocketFolder::for_database(&database).bind_socket(kind) {
        Ok(bound) => bound,
        Err(error) => {
            let root = folder.root_path().display();
            tracing::warn!(%root, %error, "other programs cannot join this session");
            return;
        }
    };
    let mut guests = JoinSet::new();
    loop {
        match bound.listener.accept().await {
            Ok((stream, _)) if !is_own_process(&stream) => {
                tracing::warn!("a program of another user was refused");
            }
            Ok((stream, _)) => {
                let guest = Arc::new(session.open_guest(Arc::clone(&folder)));
                let (input, output) = stream.into_split();
                guests.spawn(serve_guest(input, output, guest));
            }
            // For instance, this process has no free descriptor. The next attempt would fail at
            // once as well.
            Err(error) => {
                tracing::warn!(%error, "a program could not join the session");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
        // Drops the tasks of guests that have left.
        while guests.try_join_next().is_some() {}
    }
}

#[cfg(not(unix))]
async fn offer_folder(_: Arc<Session>, _: Arc<ServedFolder>, _: SessionKind) {}
