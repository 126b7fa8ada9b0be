//! The guardian: a small process between Kenning and a language server. It kills the server and
//! everything that the server started when Kenning ends, even if Kenning is killed with `kill -9`
//! and the server's children have left its process group.
//!
//! The guardian is Kenning's own program, started with [`GUARDIAN_COMMAND`] (Linux only). It makes
//! itself the *child subreaper*: it adopts every descendant whose parent ends, even after `setsid`,
//! so the process tree below it contains everything that the server ever started. It holds the read
//! end of a pipe, the lifeline; only Kenning holds the write end. The guardian acts when the write
//! end is closed, because Kenning ended or dropped the server, or when the server ends by itself.
//! It then kills its descendants until none is left and exits with the server's status. If the
//! guardian itself is killed, the server dies by its parent-death signal.
//!
//! Where this program cannot act as the guardian (tests, other systems), a process group with a
//! guard (`group_guard.rs`) replaces it. The guard does not reach a process that leaves the group.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of this program when it is started as a guardian.
pub const GUARDIAN_COMMAND: &str = "__guard-language-server";

/// The beginning of the name of a server's temporary folder. The guardian removes the folder and
/// everything in it, and refuses any folder without this name.
pub(crate) const SCRATCH_PREFIX: &str = "kenning-server-";

/// Whether the running program can be started as a guardian.
static AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Acts as the guardian if the process was started as one, and returns the exit status. Otherwise
/// returns `None`; from then on language servers are started below guardians where the system
/// supports it. Call this first in `main`.
pub fn run_if_guardian() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == GUARDIAN_COMMAND) {
        return Some(run_guardian(arguments.collect()));
    }
    AVAILABLE.store(cfg!(target_os = "linux"), Ordering::Relaxed);
    None
}

/// Whether servers are started below guardians.
pub(crate) fn is_available() -> bool {
    AVAILABLE.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
use linux::run_guardian;
#[cfg(target_os = "linux")]
pub(super) use linux::{LifelinePipe, build_command};

#[cfg(not(target_os = "linux"))]
fn run_guardian(_: Vec<std::ffi::OsString>) -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use super::super::process::LaunchSpec;
    use super::super::process_tree::descendant_pids;
    use super::super::sandbox::SandboxRules;
    use super::{GUARDIAN_COMMAND, SCRATCH_PREFIX};
    use rustix::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, getppid, kill_process, nice,
        set_child_subreaper, set_parent_process_death_signal, wait, waitid,
    };
    use std::ffi::OsString;
    use std::fs::File;
    use std::io::{self, Read, Write};
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::{Duration, Instant};

    /// The running program, even if its file was replaced in the meantime.
    const THIS_PROGRAM: &str = "/proc/self/exe";
    /// Time limit for descendants to end after they were killed. A process that waits for a disk
    /// cannot end.
    const KILL_TIMEOUT: Duration = Duration::from_secs(10);
    /// Maximum pause before the guardian kills processes that were started in the meantime, because
    /// a process can start others until it is killed.
    const MAX_PAUSE: Duration = Duration::from_millis(50);
    /// Exit status of a server that a signal ended, minus the signal's number, as in shells.
    const SIGNAL_STATUS: i32 = 128;
    /// Exit status if the server cannot be started, as in shells.
    const NOT_STARTED: u8 = 127;

    /// Kenning's end of the pipe that a guardian watches. Closing it ends the server.
    pub struct LifelinePipe {
        _write_end: OwnedFd,
    }

    /// Builds the command that starts a server below a guardian, and the lifeline of both.
    ///
    /// # Errors
    /// Returns an error if the system cannot create a pipe.
    pub fn build_command(launch: &LaunchSpec) -> io::Result<(tokio::process::Command, LifelinePipe)> {
        let (read_end, write_end) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let mut command = tokio::process::Command::new(THIS_PROGRAM);
        command.arg0("kenning-guardian").arg(GUARDIAN_COMMAND);
        command.arg(read_end.as_raw_fd().to_string()).arg(launch.niceness.to_string());
        command.arg(launch.scratch.as_deref().unwrap_or(Path::new("")));
        command.args(sandbox_arguments(launch.sandbox.as_ref()));
        command.arg(&launch.program).args(&launch.arguments);
        command.process_group(0);
        let keep_open =
            move || rustix::io::fcntl_setfd(&read_end, rustix::io::FdFlags::empty()).map_err(Into::into);
        // SAFETY: between fork and exec one system call is made and nothing is allocated.
        unsafe {
            command.pre_exec(keep_open);
        }
        Ok((command, LifelinePipe { _write_end: write_end }))
    }

    /// Encodes the sandbox as arguments: the number of lists, and for each list its length and its
    /// paths; a single 0 for no sandbox.
    fn sandbox_arguments(sandbox: Option<&SandboxRules>) -> Vec<OsString> {
        let Some(SandboxRules { read, write }) = sandbox else { return vec!["0".into()] };
        let mut arguments: Vec<OsString> = vec!["2".into()];
        for paths in [read, write] {
            arguments.push(paths.len().to_string().into());
            arguments.extend(paths.iter().map(Into::into));
        }
        arguments
    }

    /// Decodes the arguments of [`sandbox_arguments`].
    fn parse_sandbox(arguments: &mut impl Iterator<Item = OsString>) -> Result<Option<SandboxRules>, String> {
        let lists = parse_number(arguments)?;
        let mut read_list = || {
            let length = parse_number(arguments)?;
            Ok::<_, String>(arguments.take(length).map(PathBuf::from).collect())
        };
        Ok(if lists == 0 { None } else { Some(SandboxRules { read: read_list()?, write: read_list()? }) })
    }

    fn parse_number(arguments: &mut impl Iterator<Item = OsString>) -> Result<usize, String> {
        let number = arguments.next().and_then(|argument| argument.to_str()?.parse().ok());
        number.ok_or_else(|| "a number is missing".to_owned())
    }

    /// An event that the guardian waits for.
    enum GuardianEvent {
        /// Kenning ended or dropped the server.
        Released,
        /// A child has ended and must be reaped. The receiver of the event then notifies the
        /// sender.
        ChildEnded(Sender<()>),
    }

    /// Starts the server, and waits until it and everything that it started are gone.
    pub fn run_guardian(arguments: Vec<OsString>) -> ExitCode {
        match GuardedServer::start_server(arguments) {
            Ok(guarded) => guarded.watch_server(),
            Err(reason) => {
                // Standard error belongs to the server; Kenning reports its contents when the
                // server ends.
                let _ = writeln!(io::stderr(), "{reason}");
                ExitCode::from(NOT_STARTED)
            }
        }
    }

    /// A server that runs below this process.
    struct GuardedServer {
        server: Pid,
        /// Folder to remove at the end; empty for none.
        scratch: PathBuf,
        events: Receiver<GuardianEvent>,
    }

    impl GuardedServer {
        /// Starts the server of the command line and the threads that watch it and the lifeline.
        fn start_server(arguments: Vec<OsString>) -> Result<Self, String> {
            let mut arguments = arguments.into_iter();
            let mut next_number = || arguments.next()?.to_str()?.parse::<i32>().ok();
            let (Some(lifeline), Some(niceness)) = (next_number(), next_number()) else {
                return Err("this command is internal: Kenning starts language servers with it".to_owned());
            };
            let scratch: PathBuf = arguments.next().ok_or("there is no folder to remove")?.into();
            check_scratch(&scratch)?;
            let sandbox = parse_sandbox(&mut arguments)?;
            let program = arguments.next().ok_or("there is no program to start")?;
            let lifeline = take_lifeline(lifeline)?;
            set_child_subreaper(Some(getpid())).map_err(|error| format!("no subreaper: {error}"))?;
            // Continue if the priority cannot be lowered.
            let _ = nice(niceness);
            let start_error = |error: io::Error| format!("cannot start {}: {error}", program.display());
            let mut command = Command::new(&program);
            // The server gets its own group, so that a server that signals its group does not hit
            // the guardian.
            command.args(arguments).process_group(0);
            let guardian = getpid();
            let die_with_guardian = move || {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                if getppid() == Some(guardian) {
                    Ok(())
                } else {
                    Err(io::Error::other("the guardian has ended"))
                }
            };
            // SAFETY: between fork and exec only system calls are made, and nothing is allocated
            // unless the guardian is gone.
            unsafe {
                command.pre_exec(die_with_guardian);
            }
            if let Some(sandbox) = &sandbox {
                // This also restricts the guardian, which needs nothing outside the sandbox.
                super::super::sandbox::restrict_thread(sandbox)?;
            }
            // The parent-death signal is sent when the thread that started the server ends; this is
            // the main thread.
            let server = command.spawn().map_err(start_error)?;
            let server = i32::try_from(server.id())
                .ok()
                .and_then(Pid::from_raw)
                .ok_or("the server has no process id")?;
            close_streams().map_err(|error| format!("cannot close the streams of the guardian: {error}"))?;
            let (sender, events) = channel();
            spawn_thread({
                let sender = sender.clone();
                move || await_lifeline_end(lifeline, &sender)
            })?;
            spawn_thread(move || await_children(&sender))?;
            Ok(Self { server, scratch, events })
        }

        fn watch_server(self) -> ExitCode {
            let mut status = None;
            while status.is_none() {
                match self.events.recv() {
                    Ok(GuardianEvent::ChildEnded(reaped)) => {
                        status = reap_children(self.server);
                        // The receiving thread lives as long as this process.
                        let _ = reaped.send(());
                    }
                    Ok(GuardianEvent::Released) | Err(_) => break,
                }
            }
            let status_at_kill = self.kill_descendants();
            if !self.scratch.as_os_str().is_empty() {
                // Kenning may have removed it already.
                let _ = std::fs::remove_dir_all(&self.scratch);
            }
            let status = status_at_kill.or(status).unwrap_or(SIGNAL_STATUS + Signal::KILL.as_raw());
            ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX))
        }

        /// Kills everything below this process until nothing is left. Returns the server's status
        /// if the server ended here.
        fn kill_descendants(&self) -> Option<i32> {
            let (start, mut pause, mut status) = (Instant::now(), Duration::from_millis(1), None);
            while start.elapsed() < KILL_TIMEOUT {
                let descendants = descendant_pids(std::process::id());
                if descendants.is_empty() {
                    break;
                }
                for pid in descendants.iter().filter_map(|&pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
                    // The process may have ended in the meantime.
                    let _ = kill_process(pid, Signal::KILL);
                }
                std::thread::sleep(pause);
                // No process is reaped while the ids are in use, because the id of an unreaped
                // process cannot be reused.
                status = reap_children(self.server).or(status);
                pause = (pause * 2).min(MAX_PAUSE);
            }
            status
        }
    }

    /// Checks that a folder to remove is one that Kenning created for a server, or none.
    fn check_scratch(scratch: &Path) -> Result<(), String> {
        let name = scratch.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_own = name.is_none_or(|name| name.starts_with(SCRATCH_PREFIX));
        if is_own && (scratch.as_os_str().is_empty() || scratch.file_name().is_some()) {
            return Ok(());
        }
        Err(format!("{} is not a folder that Kenning made for a server", scratch.display()))
    }

    /// Takes the read end of the pipe that Kenning passed to this process, and marks it as
    /// close-on-exec, so that the server does not inherit it.
    fn take_lifeline(number: RawFd) -> Result<File, String> {
        if number <= 2 {
            return Err(format!("{number} is not a lifeline"));
        }
        // SAFETY: Kenning opened it for this process, and nothing else in this process uses it; a
        // number that is not open makes the next call fail.
        let lifeline = unsafe { OwnedFd::from_raw_fd(number) };
        rustix::io::fcntl_setfd(&lifeline, rustix::io::FdFlags::CLOEXEC)
            .map_err(|error| format!("{number} is not a lifeline: {error}"))?;
        Ok(File::from(lifeline))
    }

    /// Closes the guardian's standard streams. Only the server may hold them, so that their end
    /// shows that the server is gone.
    fn close_streams() -> io::Result<()> {
        let null = File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        Ok(())
    }

    fn spawn_thread(work: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(work);
        thread.map(drop).map_err(|error| format!("cannot start a thread of the guardian: {error}"))
    }

    fn await_lifeline_end(mut lifeline: File, events: &Sender<GuardianEvent>) {
        let mut byte = [0];
        while matches!(lifeline.read(&mut byte), Ok(1..)) {}
        // The receiver lives as long as this process.
        let _ = events.send(GuardianEvent::Released);
    }

    /// Reports children that have ended. The main thread reaps them.
    fn await_children(events: &Sender<GuardianEvent>) {
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Ok(_) => {
                    let (reaped, done) = channel();
                    if events.send(GuardianEvent::ChildEnded(reaped)).is_err() || done.recv().is_err() {
                        return;
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                // No children are left.
                Err(_) => return,
            }
        }
    }

    /// Reaps every child that has ended. Returns the status of the server if it is one of them.
    fn reap_children(server: Pid) -> Option<i32> {
        let mut status = None;
        while let Ok(Some((pid, exit))) = wait(WaitOptions::NOHANG) {
            if pid == server {
                let by_signal = exit.terminating_signal().map(|signal| SIGNAL_STATUS + signal);
                status = exit.exit_status().or(by_signal).or(Some(1));
            }
        }
        status
    }
}
