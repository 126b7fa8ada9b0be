//! Runs a child process and measures its time and memory.

use anyhow::{Context, bail};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The resources that a finished child used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Wall-clock time from start to end.
    pub wall: Duration,
    /// CPU time of all threads in user mode.
    pub user: Duration,
    /// CPU time of all threads in the kernel.
    pub system: Duration,
    /// Peak resident memory in bytes.
    pub peak_memory: u64,
}

/// Runs a command to its end. Returns its standard output and the resources used.
///
/// # Errors
/// Fails if the command cannot be started or does not end with status 0. The error contains the
/// command's standard error.
pub fn run(command: &mut Command) -> anyhow::Result<(String, Usage)> {
    // With files instead of pipes, nothing has to be read while the child runs.
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let started = Instant::now();
    let child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
    let (status, usage) = wait(child, started)?;
    if status != 0 {
        bail!("{command:?} ended with wait status {status}: {}", read_contents(&mut stderr)?.trim());
    }
    Ok((read_contents(&mut stdout)?, usage))
}

/// Waits for a child that was started at `started`. Returns its raw wait status and the resources
/// used.
///
/// # Errors
/// Fails if the system cannot wait for the child.
pub fn wait(child: Child, started: Instant) -> io::Result<(i32, Usage)> {
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    // Dropping the child closes its pipes, so that it sees the end of its input.
    drop(child);
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are to live, writable values of the right types.
        let ended = unsafe { libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) };
        if ended == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: an `rusage` of zeros is valid, and `wait4` has filled it.
    let usage = unsafe { usage.assume_init() };
    // Linux counts in kilobytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let used = Usage {
        wall: started.elapsed(),
        user: to_duration(usage.ru_utime),
        system: to_duration(usage.ru_stime),
        peak_memory: usage.ru_maxrss as u64 * unit,
    };
    Ok((status, used))
}

fn to_duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
}

fn read_contents(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::run;
    use std::process::Command;

    #[test]
    fn output_and_resources_of_a_child_are_returned() {
        let work = "x = bytearray(64 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('done')";
        let (out, usage) = run(Command::new("python3").args(["-c", work])).expect("python3 runs");
        assert_eq!(out, "done\n");
        assert!(usage.peak_memory > 64 << 20, "{usage:?}");
        assert!(usage.peak_memory < 1 << 30, "{usage:?}");
        assert!(usage.user.as_micros() > 0 && usage.wall >= usage.user / 64, "{usage:?}");
    }

    #[test]
    fn an_error_contains_the_childs_standard_error() {
        let error = run(Command::new("sh").args(["-c", "echo broken >&2; exit 3"])).expect_err("it fails");
        assert!(error.to_string().ends_with(": broken"), "{error}");
        let missing = run(&mut Command::new("./no-such-program")).expect_err("the program does not exist");
        assert!(missing.to_string().contains("no-such-program"), "{missing}");
    }
}
