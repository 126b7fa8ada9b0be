//! Watching the client's process: a server whose client died must not stay behind.

use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How often the client's process is looked for.
const INTERVAL: Duration = Duration::from_secs(3);

/// Sends once when process `id` is gone; never when that cannot be known on this system.
pub async fn watch(id: u32, gone: UnboundedSender<()>) {
    while is_alive(id) {
        tokio::time::sleep(INTERVAL).await;
    }
    let _ = gone.send(());
}

#[cfg(unix)]
fn is_alive(id: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return true };
    // A process of another user cannot be signalled, but it is there.
    test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

/// Elsewhere the end of the client shows in its streams only.
#[cfg(not(unix))]
fn is_alive(_: u32) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_was_waited_for() {
        assert!(is_alive(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        assert!(!is_alive(id));
    }
}
