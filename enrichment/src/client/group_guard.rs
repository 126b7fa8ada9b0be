//! A guard that kills a process group when this process exits for whatever reason. It also reaches
//! grandchildren, which get no parent-death signal.

/// A shell that leads a process group and kills the group when this process exits. It starts
/// before the other processes of the group, so that it guards them from the start.
pub(super) struct GroupGuard {
    #[cfg(unix)]
    shell: std::process::Child,
}

/// The guard's script. It blocks until its standard input is closed, which happens when this process
/// exits, and then kills its own group.
#[cfg(unix)]
const SCRIPT: &str = "read _; kill -s KILL 0";

impl GroupGuard {
    /// Starts a guard. Returns `None` if that fails; a parent-death signal, where the system has
    /// one, still reaches the server itself.
    #[cfg(unix)]
    pub fn spawn() -> Option<Self> {
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "kenning-guard"]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        match shell.spawn() {
            Ok(shell) => Some(Self { shell }),
            Err(error) => {
                tracing::debug!(%error, "cannot start the guard of a language server");
                None
            }
        }
    }

    /// Returns `None`, because this system has no process groups.
    #[cfg(not(unix))]
    pub fn spawn() -> Option<Self> {
        None
    }

    /// Returns the id of the process group that the guard leads.
    #[cfg(unix)]
    pub fn group_id(&self) -> u32 {
        self.shell.id()
    }
}

#[cfg(unix)]
impl Drop for GroupGuard {
    fn drop(&mut self) {
        // Kill the shell before its standard input closes, because at end-of-file it kills its whole
        // group. A shell that has already exited needs no signal.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
