//! The sockets by which programs of one user find each other's sessions on a workspace.
//!
//! A session of an editor or an agent listens on a socket in the folder `graph.sockets` beside the
//! database, named after its kind, its version and its process. Programs of another version may
//! have other commands, so their sessions are not joined. Only the owner of the database can open a
//! socket: the folder and the sockets are inaccessible to other users. The next program that looks
//! for a session removes the sockets of processes that have ended. On systems without Unix sockets,
//! every program reads the disk by itself.

use std::io;
use std::path::{Path, PathBuf};

/// The version of this program, which is part of the name of its sockets.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The kind of a session, in the order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionKind {
    /// The session of an editor: it has the unsaved text.
    Editor,
    /// The session of an agent.
    Agent,
}

impl SessionKind {
    const ALL: [Self; 2] = [Self::Editor, Self::Agent];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Editor => "editor",
            Self::Agent => "agent",
        }
    }
}

/// The folder with the sockets of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFolder {
    path: PathBuf,
}

impl SocketFolder {
    /// Returns the folder that belongs to a database. Creates nothing.
    pub fn for_database(graph: &Path) -> Self {
        Self { path: graph.with_extension("sockets") }
    }

    /// Whether there is a socket of a session of this kind. Its process may have ended.
    pub fn has_sockets(&self, kind: SessionKind) -> bool {
        !self.list_sockets(kind).is_empty()
    }

    /// Returns the sockets of sessions of this kind, sorted by name.
    fn list_sockets(&self, kind: SessionKind) -> Vec<PathBuf> {
        let names = std::fs::read_dir(&self.path).into_iter().flatten().filter_map(Result::ok);
        let prefix = format!("{}-", kind.as_str());
        let is_kind = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&prefix))
        };
        let mut sockets: Vec<PathBuf> = names.map(|entry| entry.path()).filter(is_kind).collect();
        sockets.sort();
        sockets
    }
}

#[cfg(unix)]
pub use unix::BoundSocket;

#[cfg(unix)]
mod unix {
    use super::{Path, PathBuf, SessionKind, SocketFolder, VERSION, io};
    use kenning_graph::private_files::{create_folder, tighten_permissions};
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::net::{UnixListener, UnixStream};

    /// The number of the next socket of this process.
    static NEXT_SOCKET: AtomicU32 = AtomicU32::new(0);

    /// A socket on which a session listens; its file is removed when it is dropped.
    pub struct BoundSocket {
        /// The listener.
        pub listener: UnixListener,
        path: PathBuf,
    }

    impl Drop for BoundSocket {
        fn drop(&mut self) {
            // An error means that another program has removed the file already.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    impl SocketFolder {
        /// Creates a socket for a session of this process.
        ///
        /// # Errors
        /// Returns an error if the folder cannot be written, or if its path is too long for a
        /// socket.
        pub fn bind_socket(&self, kind: SessionKind) -> io::Result<BoundSocket> {
            create_folder(&self.path)?;
            tighten_permissions(&self.path)?;
            let number = NEXT_SOCKET.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{VERSION}-{}-{number}", kind.as_str(), std::process::id());
            let path = self.path.join(name);
            // The name may be that of an earlier process that was killed.
            let _ = std::fs::remove_file(&path);
            let listener = UnixListener::bind(&path)?;
            tighten_permissions(&path)?;
            Ok(BoundSocket { listener, path })
        }

        /// Connects to the preferred session among the kinds up to `least`; `None` if no session of
        /// this version listens.
        pub async fn connect_session(&self, least: SessionKind) -> Option<(SessionKind, UnixStream)> {
            for kind in SessionKind::ALL.into_iter().filter(|kind| *kind <= least) {
                for path in self.list_sockets(kind) {
                    match UnixStream::connect(&path).await {
                        Ok(stream) if has_this_version(&path) => return Some((kind, stream)),
                        Ok(_) => {
                            tracing::info!(path = %path.display(), "a session of another version is not joined");
                        }
                        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                            tracing::debug!(path = %path.display(), "removing the socket of a program that has ended");
                            let _ = std::fs::remove_file(&path);
                        }
                        Err(error) => {
                            tracing::info!(path = %path.display(), %error, "a session cannot be reached");
                        }
                    }
                }
            }
            None
        }
    }

    /// Whether a socket belongs to a program of this version.
    fn has_this_version(socket: &Path) -> bool {
        let name = socket.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        SessionKind::ALL.iter().any(|kind| name.starts_with(&format!("{}-{VERSION}-", kind.as_str())))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn permission_bits(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn an_editor_is_preferred_and_a_dead_socket_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        assert!(sockets.connect_session(SessionKind::Agent).await.is_none());
        let agent = sockets.bind_socket(SessionKind::Agent).unwrap();
        assert!(sockets.connect_session(SessionKind::Editor).await.is_none());
        assert_eq!(sockets.connect_session(SessionKind::Agent).await.unwrap().0, SessionKind::Agent);
        let editor = sockets.bind_socket(SessionKind::Editor).unwrap();
        assert_eq!(sockets.connect_session(SessionKind::Agent).await.unwrap().0, SessionKind::Editor);
        // A killed process leaves its socket behind.
        let left_behind = sockets.path.join("editor-0-0");
        drop(std::os::unix::net::UnixListener::bind(&left_behind).unwrap());
        drop(editor);
        assert_eq!(sockets.connect_session(SessionKind::Agent).await.unwrap().0, SessionKind::Agent);
        assert!(!left_behind.exists());
        drop(agent);
        assert_eq!(std::fs::read_dir(&sockets.path).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn a_session_of_another_version_is_not_joined() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        let agent = sockets.bind_socket(SessionKind::Agent).unwrap();
        let other = sockets.path.join("editor-999.0.0-1-0");
        let listener = std::os::unix::net::UnixListener::bind(&other).unwrap();
        assert_eq!(sockets.connect_session(SessionKind::Agent).await.unwrap().0, SessionKind::Agent);
        assert!(other.exists());
        drop((agent, listener));
    }

    #[tokio::test]
    async fn only_the_owner_can_reach_a_socket() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        let bound = sockets.bind_socket(SessionKind::Agent).unwrap();
        assert_eq!(permission_bits(&sockets.path), 0o700);
        let socket = sockets.list_sockets(SessionKind::Agent).remove(0);
        assert_eq!(permission_bits(&socket) & 0o077, 0);
        drop(bound);
    }
}
