//! Watches the client's process, so that the server ends when the client is gone.

use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Interval at which the client's process is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(3);

/// Sends a message when process `id` has ended. Sends nothing if the system cannot tell, or if
/// there is no such process at the start: a client outside the server's container reports an id
/// that has no meaning here.
///
/// Checks the process before it returns, so that a client that dies right afterwards
/// is not mistaken for an invisible one.
pub fn watch_process(id: u32, ended: UnboundedSender<()>) -> impl Future<Output = ()> + Send {
    let is_visible = is_alive(id);
    async move {
        if !is_visible {
            let message = "the client's process is not visible here; the session ends when its streams close";
            return tracing::info!(id, "{message}");
        }
        while is_alive(id) {
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
        let _ = ended.send(());
    }
}

/// Sends a message when the writing end of standard input is closed, even while there is something
/// to read from it.
///
/// Reading alone does not detect this if the client does not read its answers, because the server
/// then stops reading.
pub fn watch_standard_input(closed: UnboundedSender<()>) {
    let watch = move || {
        if wait_for_hang_up() {
            let _ = closed.send(());
        }
    };
    if let Err(error) = std::thread::Builder::new().name("kenning-hang-up".into()).spawn(watch) {
        tracing::warn!(%error, "cannot watch standard input; its end is detected only on the next read");
    }
}

/// Waits until the other end of standard input is closed. Returns false if the system cannot detect
/// that.
#[cfg(unix)]
fn wait_for_hang_up() -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    let input = std::io::stdin();
    loop {
        let mut watched = [PollFd::new(&input, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => return watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(not(unix))]
fn wait_for_hang_up() -> bool {
    false
}

#[cfg(unix)]
fn is_alive(id: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return true };
    // A process of another user cannot be signaled, but it exists.
    test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

/// Returns true on other systems, where only the streams show that the client is gone.
#[cfg(not(unix))]
fn is_alive(_: u32) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_process_that_was_never_visible_does_not_end_the_session() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        let (ended, mut received) = tokio::sync::mpsc::unbounded_channel();
        watch_process(id, ended).await;
        assert!(received.recv().await.is_none());
    }

    #[test]
    fn a_process_is_alive_until_its_parent_has_waited_for_it() {
        assert!(is_alive(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        assert!(!is_alive(id));
    }
}
