//! The sockets by which programs of one user find each other's sessions on a workspace.
//!
//! A session of an editor or an agent listens on a socket in the folder `graph.sockets` beside the
//! database, named after its kind, its version and its process. Programs of another version may
//! have other commands, so their sessions are not joined. The next program that looks for a session
//! removes the sockets of processes that have ended. On systems without Unix sockets, every program
//! reads the disk by itself.
//!
//! Invariants: a session and its guests belong to one user. The folder is a real folder of this
//! user that no one else can write to, and the process at the other end of a connection is checked
//! when a program connects and when a session accepts. A database in a shared folder therefore leads
//! neither to the session of another user nor to a guest of another user. Only sockets are ever
//! removed; other files in the folder are not Kenning's.

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

    /// Returns the kind of the session that listens on a socket with this name.
    fn from_socket_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| {
            name.strip_prefix(kind.as_str()).is_some_and(|rest| rest.len() > 1 && rest.starts_with('-'))
        })
    }
}

/// Whether Kenning gives this name to a socket.
pub fn is_socket_name(name: &str) -> bool {
    SessionKind::from_socket_name(name).is_some()
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

    /// Returns the sockets of sessions of this kind, sorted by name. Returns none if the folder is
    /// not one of this user.
    pub fn list_sockets(&self, kind: SessionKind) -> Vec<PathBuf> {
        if let Err(reason) = check_folder(&self.path) {
            if reason.kind() != io::ErrorKind::NotFound {
                tracing::info!(path = %self.path.display(), %reason, "sessions in this folder are not joined");
            }
            return Vec::new();
        }
        let names = std::fs::read_dir(&self.path).into_iter().flatten().filter_map(Result::ok);
        let is_kind = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(SessionKind::from_socket_name) == Some(kind) && is_socket(path)
        };
        let mut sockets: Vec<PathBuf> = names.map(|entry| entry.path()).filter(is_kind).collect();
        sockets.sort();
        sockets
    }
}

/// Whether there is a socket at `path`; a link to a socket is none.
#[cfg(unix)]
pub fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}

/// Whether there is a socket at `path`; this system has none.
#[cfg(not(unix))]
pub fn is_socket(_: &Path) -> bool {
    false
}

/// Checks that a folder of sockets is a folder of this user that no one else can write to.
///
/// # Errors
/// Returns an error if it is missing, is a link or a file, or if another user could put a socket
/// there.
#[cfg(unix)]
fn check_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = std::fs::symlink_metadata(path)?;
    let problem = if !metadata.is_dir() {
        "it is not a folder"
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if metadata.mode() & 0o022 != 0 {
        "other users can write to it"
    } else {
        return Ok(());
    };
    Err(io::Error::other(problem))
}

#[cfg(not(unix))]
fn check_folder(_: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::NotFound))
}

#[cfg(unix)]
pub use unix::{BoundSocket, connect_socket, is_own_process};

#[cfg(unix)]
mod unix {
    use super::{Path, PathBuf, SessionKind, SocketFolder, VERSION, check_folder, io, is_socket};
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
            remove_socket(&self.path);
        }
    }

    impl SocketFolder {
        /// Creates a socket for a session of this process.
        ///
        /// # Errors
        /// Returns an error if the folder cannot be written or is not one of this user, or if its
        /// path is too long for a socket.
        pub fn bind_socket(&self, kind: SessionKind) -> io::Result<BoundSocket> {
            create_folder(&self.path)?;
            tighten_permissions(&self.path)?;
            check_folder(&self.path)?;
            let number = NEXT_SOCKET.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{VERSION}-{}-{number}", kind.as_str(), std::process::id());
            let path = self.path.join(name);
            // The name may be that of an earlier process that was killed.
            remove_socket(&path);
            let listener = UnixListener::bind(&path)?;
            tighten_permissions(&path)?;
            Ok(BoundSocket { listener, path })
        }

        /// Returns the sockets of this version up to the kind `least`, the preferred ones first.
        pub fn candidates(&self, least: SessionKind) -> Vec<(SessionKind, PathBuf)> {
            let kinds = SessionKind::ALL.into_iter().filter(|kind| *kind <= least);
            kinds.flat_map(|kind| self.list_sockets(kind).into_iter().map(move |path| (kind, path))).collect()
        }
    }

    /// Connects to the session that listens on a socket; `None` if no session of this user and this
    /// version listens. Removes the socket of a process that has ended.
    pub async fn connect_socket(path: &Path) -> Option<UnixStream> {
        match UnixStream::connect(path).await {
            Ok(stream) if !has_this_version(path) => {
                drop(stream);
                tracing::info!(path = %path.display(), "a session of another version is not joined");
                None
            }
            Ok(stream) if is_own_process(&stream) => Some(stream),
            Ok(_) => {
                tracing::warn!(path = %path.display(), "the session of another user is not joined");
                None
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                tracing::debug!(path = %path.display(), "removing the socket of a program that has ended");
                remove_socket(path);
                None
            }
            Err(error) => {
                tracing::info!(path = %path.display(), %error, "a session cannot be reached");
                None
            }
        }
    }

    /// Whether the process at the other end of a connection belongs to the user of this process.
    pub fn is_own_process(stream: &UnixStream) -> bool {
        stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
    }

    /// Removes a socket, and nothing else. An error means that another program has removed it.
    fn remove_socket(path: &Path) {
        if is_socket(path) {
            let _ = std::fs::remove_file(path);
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
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    fn permission_bits(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Connects to the preferred session; returns its kind.
    async fn connect(sockets: &SocketFolder, least: SessionKind) -> Option<SessionKind> {
        for (kind, path) in sockets.candidates(least) {
            if connect_socket(&path).await.is_some() {
                return Some(kind);
            }
        }
        None
    }

    #[tokio::test]
    async fn an_editor_is_preferred_and_a_dead_socket_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        assert_eq!(connect(&sockets, SessionKind::Agent).await, None);
        let agent = sockets.bind_socket(SessionKind::Agent).unwrap();
        assert_eq!(connect(&sockets, SessionKind::Editor).await, None);
        assert_eq!(connect(&sockets, SessionKind::Agent).await, Some(SessionKind::Agent));
        let editor = sockets.bind_socket(SessionKind::Editor).unwrap();
        assert_eq!(connect(&sockets, SessionKind::Agent).await, Some(SessionKind::Editor));
        // A killed process leaves its socket behind.
        let left_behind = sockets.path.join("editor-0-0");
        drop(UnixListener::bind(&left_behind).unwrap());
        drop(editor);
        assert_eq!(connect(&sockets, SessionKind::Agent).await, Some(SessionKind::Agent));
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
        let listener = UnixListener::bind(&other).unwrap();
        assert_eq!(connect(&sockets, SessionKind::Agent).await, Some(SessionKind::Agent));
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

    #[tokio::test]
    async fn only_sockets_are_removed_and_a_link_to_a_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        let notes = folder.path().join("notes");
        let write_files = |folder: &Path| {
            for name in ["editor-notes.txt", "agent-x.md", "editor-0-0"] {
                std::fs::write(folder.join(name), "mine").unwrap();
            }
            std::fs::create_dir(folder.join("agent-folder")).unwrap();
        };
        std::fs::create_dir(&sockets.path).unwrap();
        std::fs::set_permissions(&sockets.path, std::fs::Permissions::from_mode(0o700)).unwrap();
        write_files(&sockets.path);
        assert_eq!(connect(&sockets, SessionKind::Agent).await, None);
        assert_eq!(std::fs::read_dir(&sockets.path).unwrap().count(), 4, "no file was removed");
        std::fs::remove_dir_all(&sockets.path).unwrap();
        // The folder is a link, as a repository may contain one, to a folder with a dead socket.
        std::fs::create_dir(&notes).unwrap();
        std::fs::set_permissions(&notes, std::fs::Permissions::from_mode(0o700)).unwrap();
        write_files(&notes);
        drop(UnixListener::bind(notes.join("editor-1-1")).unwrap());
        symlink(&notes, &sockets.path).unwrap();
        assert_eq!(connect(&sockets, SessionKind::Agent).await, None);
        assert_eq!(std::fs::read_dir(&notes).unwrap().count(), 5, "no file was removed");
        assert!(sockets.bind_socket(SessionKind::Agent).is_err());
        assert!(!sockets.has_sockets(SessionKind::Editor));
    }

    #[tokio::test]
    async fn a_folder_that_others_can_write_to_has_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let sockets = SocketFolder::for_database(&folder.path().join("graph.db"));
        let bound = sockets.bind_socket(SessionKind::Editor).unwrap();
        assert!(sockets.has_sockets(SessionKind::Editor));
        std::fs::set_permissions(&sockets.path, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!sockets.has_sockets(SessionKind::Editor));
        assert_eq!(connect(&sockets, SessionKind::Agent).await, None);
        let another = sockets.bind_socket(SessionKind::Agent).unwrap();
        assert_eq!(permission_bits(&sockets.path), 0o700, "a session takes the folder for itself");
        drop((bound, another));
    }
}
