//! What ends a group of processes when this process is gone, however it ends: also grandchildren, whom no death signal
//! reaches.

/// A process that leads a group and kills it when this process ends. It is there before the others of its group are, so that
/// there is no moment at which they are without it.
pub(super) struct GroupGuard {
    #[cfg(unix)]
    shell: std::process::Child,
}

/// Waits for the end of its input, which comes when the last holder of the other end is gone; then ends its own group.
#[cfg(unix)]
const SCRIPT: &str = "read _; kill -s KILL 0";

impl GroupGuard {
    /// Starts one; `None` where that cannot be done: the death signal of the system, where it has one, still reaches the
    /// server itself.
    #[cfg(unix)]
    pub fn start_shell() -> Option<Self> {
        use std::os::unix::process::CommandExt;
        use std::process::{Command, Stdio};
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "kenning-guard"]).process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
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
    pub fn start_shell() -> Option<Self> {
        None
    }

    /// The group that it leads.
    #[cfg(unix)]
    pub fn group_id(&self) -> u32 {
        self.shell.id()
    }
}

#[cfg(unix)]
impl Drop for GroupGuard {
    fn drop(&mut self) {
        // It must be gone before its input ends. A process that is already gone needs no signal.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
