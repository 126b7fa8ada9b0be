//! The memory limit of a server, which includes every process that the server started.

use super::server_status::StatusPublisher;
use std::time::Duration;

/// Time between two measurements.
const MEASURE_INTERVAL: Duration = Duration::from_secs(3);

/// Measures the memory of a process tree repeatedly. Returns a message for the user when the
/// tree exceeds `limit_mib` (MiB). Never returns if the memory cannot be read.
pub(super) async fn watch_memory_limit(
    pid: Option<u32>,
    limit_mib: u64,
    publisher: &StatusPublisher,
) -> String {
    let Some(pid) = pid else { return std::future::pending().await };
    loop {
        let used = tokio::task::spawn_blocking(move || resident_bytes(pid)).await.ok().flatten();
        let Some(used) = used else { return std::future::pending().await };
        publisher.update_status(|status| {
            status.memory = used;
            status.peak_memory = status.peak_memory.max(used);
        });
        if used > limit_mib << 20 {
            let used_mib = used >> 20;
            return format!(
                "stopped: it used {used_mib} MiB, and the limit is {limit_mib} MiB; raise the limit or disable the server"
            );
        }
        tokio::time::sleep(MEASURE_INTERVAL).await;
    }
}

/// Returns the resident memory of a process and its descendants in bytes. Returns `None` if it
/// cannot be read or the process has ended.
#[cfg(target_os = "linux")]
fn resident_bytes(root: u32) -> Option<u64> {
    let processes = std::iter::once(root).chain(crate::client::descendant_pids(root));
    let total: u64 =
        processes.map(|pid| resident_pages(pid).unwrap_or(0) * rustix::param::page_size() as u64).sum();
    (total > 0).then_some(total)
}

#[cfg(target_os = "linux")]
fn resident_pages(pid: u32) -> Option<u64> {
    std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes(_root: u32) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::server_status::{ServerStatus, StatusPublisher};
    use super::{resident_bytes, watch_memory_limit};
    use std::process::{Command, Stdio};
    use tokio::sync::watch;

    #[tokio::test]
    async fn the_message_about_an_exceeded_limit_has_both_numbers() {
        let publisher = StatusPublisher::new(ServerStatus::default(), watch::Sender::new(0));
        let reason = watch_memory_limit(Some(std::process::id()), 0, &publisher).await;
        assert!(reason.starts_with("stopped: it used "), "{reason}");
        assert!(reason.contains(" MiB, and the limit is 0 MiB"), "{reason}");
        let status = publisher.current_status();
        assert!(
            status.memory > 0 && status.peak_memory == status.memory,
            "the status has the measured memory"
        );
    }

    #[test]
    fn the_memory_of_children_counts() {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", "exec 3<&0; cat <&3 & echo started; wait"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.as_mut().unwrap()), &mut line)
            .unwrap();
        let shell_alone = super::resident_pages(shell.id()).unwrap() * rustix::param::page_size() as u64;
        assert!(resident_bytes(shell.id()).unwrap() > shell_alone);
        shell.kill().unwrap();
        shell.wait().unwrap();
        assert_eq!(resident_bytes(shell.id()), None);
    }
}
