//! What ends a group of processes when this process is gone, however it ends: also grandchildren, whom no death signal
//! reaches.

/// Kills a process group when this process ends. Dropped, it lets the group be.
pub(super) struct Guard {
    #[cfg(unix)]
    shell: std::process::Child,
}

/// Waits for the end of its input, which comes when the last holder of the other end is gone.
#[cfg(unix)]
const SCRIPT: &str = "read _; kill -s KILL -- \"-$1\"";

impl Guard {
    /// Watches over a group; `None` where that cannot be done: the death signal of the system, where it has one, still
    /// reaches the server itself.
    #[cfg(unix)]
    pub fn over(group: u32) -> Option<Self> {
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "kenning-guard", &group.to_string()]);
        // In a group of its own: what is meant for this process (an interrupt at the terminal) must not end it first.
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        match shell.spawn() {
            Ok(shell) => Some(Self { shell }),
            Err(error) => {
                tracing::debug!(%error, "no guard over a language server");
                None
            }
        }
    }

    /// There is nothing to do it with.
    #[cfg(not(unix))]
    pub fn over(_group: u32) -> Option<Self> {
        None
    }
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        // It must be gone before its input ends. One that is gone already has nothing to be told.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
