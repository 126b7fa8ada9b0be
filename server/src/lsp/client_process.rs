//! Watching the client: a server whose client is gone must not stay behind.

use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How often the client's process is looked for.
const INTERVAL: Duration = Duration::from_secs(3);

/// Sends once when process `id` is gone; never when that cannot be known on this system, or when there is no such
/// process to begin with: a client outside of the server's container names a number that means nothing here.
///
/// The process is checked before this returns: a client that dies right afterwards is not taken for one that
/// cannot be seen.
pub fn watch_process(id: u32, gone: UnboundedSender<()>) -> impl Future<Output = ()> + Send {
    let seen = is_alive(id);
    async move {
        if !seen {
            let words =
                "the client's process is not seen from here; the end of the session shows in its streams";
            return tracing::info!(id, "{words}");
        }
        while is_alive(id) {
            tokio::time::sleep(INTERVAL).await;
        }
        let _ = gone.send(());
    }
}

/// Sends once when the writing end of standard input is closed, even while there is something to read from it.
///
/// Reading does not show that when the client does not take the answers, since then nothing more is read.
pub fn watch_standard_input(closed: UnboundedSender<()>) {
    let watch = move || {
        if wait_for_hang_up() {
            let _ = closed.send(());
        }
    };
    if let Err(error) = std::thread::Builder::new().name("kenning-hang-up".into()).spawn(watch) {
        tracing::warn!(%error, "the end of standard input is seen only when it is read");
    }
}

/// Waits until standard input is hung up; false when that cannot be seen here.
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

    #[tokio::test]
    async fn a_process_that_was_never_seen_does_not_end_the_session() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        let (gone, mut received) = tokio::sync::mpsc::unbounded_channel();
        watch_process(id, gone).await;
        assert!(received.recv().await.is_none());
    }

    #[test]
    fn a_process_is_alive_until_it_was_waited_for() {
        assert!(is_alive(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = child.id();
        child.wait().unwrap();
        assert!(!is_alive(id));
    }
}
