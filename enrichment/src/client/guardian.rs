//! The guardian: a small process between Kenning and a language server that ends the server with everything that it started,
//! however Kenning ends, also by `kill -9`, and wherever the server's children went.
//!
//! It is the same program, started with [`GUARDIAN_COMMAND`] (Linux only). It makes itself the *child subreaper*: a descendant whose
//! parent ends becomes its child, also after `setsid`, so that the process tree below it is everything that the server ever
//! started. It holds the read end of a pipe, the lifeline, whose write end only Kenning holds: when that end is closed, because
//! Kenning ended or let go of the server, or when the server ends by itself, it kills its descendants until none is left and
//! ends with the server's status. If the guardian itself is killed, the server dies by its parent-death signal.
//!
//! Where this program cannot act as guardian (tests, other systems), a process group with a guard (`guard.rs`) takes its place;
//! it does not reach a process that leaves the group.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of this program when it is started as guardian.
pub const GUARDIAN_COMMAND: &str = "__guard-language-server";

/// Whether the running program acts as guardian when it is started as one.
static AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Acts as guardian if the process was started as one, and returns with the status to end with. `None` otherwise; from then on
/// language servers are started below guardians, where the system has what they need. To be called first in `main`.
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
    use super::GUARDIAN_COMMAND;
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

    /// The program that runs, also when its file was replaced meanwhile.
    const THIS_PROGRAM: &str = "/proc/self/exe";
    /// How long descendants may take to be gone after they were killed: one that waits for a disk cannot go.
    const PATIENCE: Duration = Duration::from_secs(10);
    /// The longest pause before killing those that were started meanwhile.
    const LONGEST_PAUSE: Duration = Duration::from_millis(50);
    /// Added to the number of a signal for the status of a server that died of it, as shells do.
    const BY_SIGNAL: i32 = 128;
    /// The status when the server cannot be started, as in shells.
    const NOT_STARTED: u8 = 127;

    /// Kenning's end of the pipe that a guardian watches. When it is closed, the server ends.
    pub struct LifelinePipe {
        _write_end: OwnedFd,
    }

    /// The command that starts a server below a guardian, and the lifeline of both.
    ///
    /// # Errors
    /// When the system has no more pipes.
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

    /// The sandbox as arguments: numbers of paths, and the paths; a single 0 for none.
    fn sandbox_arguments(sandbox: Option<&SandboxRules>) -> Vec<OsString> {
        let Some(SandboxRules { read, write }) = sandbox else { return vec!["0".into()] };
        let mut arguments: Vec<OsString> = vec!["2".into()];
        for paths in [read, write] {
            arguments.push(paths.len().to_string().into());
            arguments.extend(paths.iter().map(Into::into));
        }
        arguments
    }

    /// Reads what [`sandbox_arguments`] has written.
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

    /// Why the guardian does something.
    enum GuardianEvent {
        /// Kenning is gone or has let go of the server.
        LetGo,
        /// A child has ended and is to be reaped; the sender is notified when it is.
        Ended(Sender<()>),
    }

    /// Starts the server and watches until both it and everything that it started are gone.
    pub fn run_guardian(arguments: Vec<OsString>) -> ExitCode {
        match GuardedServer::start_server(arguments) {
            Ok(guarded) => guarded.watch_server(),
            Err(reason) => {
                // Standard error is the server's: its output there is reported when it ends.
                let _ = writeln!(io::stderr(), "{reason}");
                ExitCode::from(NOT_STARTED)
            }
        }
    }

    /// A server below this process.
    struct GuardedServer {
        server: Pid,
        /// Removed in the end; empty for none.
        scratch: PathBuf,
        events: Receiver<GuardianEvent>,
    }

    impl GuardedServer {
        fn start_server(arguments: Vec<OsString>) -> Result<Self, String> {
            let mut arguments = arguments.into_iter();
            let mut number = || arguments.next()?.to_str()?.parse::<i32>().ok();
            let (Some(lifeline), Some(niceness)) = (number(), number()) else {
                return Err(
                    "this command is for Kenning itself, which starts language servers with it".to_owned()
                );
            };
            let scratch = arguments.next().ok_or("there is no folder to remove")?.into();
            let sandbox = parse_sandbox(&mut arguments)?;
            let program = arguments.next().ok_or("there is no program to start")?;
            let lifeline = take_lifeline(lifeline)?;
            set_child_subreaper(Some(getpid())).map_err(|error| format!("no subreaper: {error}"))?;
            // A priority that cannot be lowered is no reason not to work.
            let _ = nice(niceness);
            let failed = |error: io::Error| format!("{} cannot be started: {error}", program.display());
            let mut command = Command::new(&program);
            // In a group of its own: a server that signals its group does not mean the guardian.
            command.args(arguments).process_group(0);
            let guardian = getpid();
            let dies_with_guardian = move || {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                if getppid() == Some(guardian) {
                    Ok(())
                } else {
                    Err(io::Error::other("the guardian is gone"))
                }
            };
            // SAFETY: between fork and exec only system calls are made, nothing is allocated unless the guardian is gone.
            unsafe {
                command.pre_exec(dies_with_guardian);
            }
            if let Some(sandbox) = &sandbox {
                // Of the guardian, too: what it still does is allowed in there.
                super::super::sandbox::restrict_thread(sandbox)?;
            }
            // The signal is sent when the thread that started the server ends: this is the main thread.
            let server = command.spawn().map_err(failed)?;
            let server =
                i32::try_from(server.id()).ok().and_then(Pid::from_raw).ok_or("it has no process id")?;
            close_streams()
                .map_err(|error| format!("the streams of the guardian cannot be closed: {error}"))?;
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
                    Ok(GuardianEvent::Ended(reaped)) => {
                        status = reap_children(self.server);
                        // Its thread is there as long as this process.
                        let _ = reaped.send(());
                    }
                    Ok(GuardianEvent::LetGo) | Err(_) => break,
                }
            }
            let ended = self.kill_descendants();
            if !self.scratch.as_os_str().is_empty() {
                // Kenning may have removed it already.
                let _ = std::fs::remove_dir_all(&self.scratch);
            }
            let status = ended.or(status).unwrap_or(BY_SIGNAL + Signal::KILL.as_raw());
            ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX))
        }

        /// Kills everything below this process until nothing is left; the status of the server, if it ended by that.
        fn kill_descendants(&self) -> Option<i32> {
            let (began, mut pause, mut status) = (Instant::now(), Duration::from_millis(1), None);
            while began.elapsed() < PATIENCE {
                let left = descendant_pids(std::process::id());
                if left.is_empty() {
                    break;
                }
                for pid in left.iter().filter_map(|&pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
                    // It may have ended meanwhile.
                    let _ = kill_process(pid, Signal::KILL);
                }
                std::thread::sleep(pause);
                // Nothing is reaped while the ids are used: an id that waits to be reaped cannot be reused.
                status = reap_children(self.server).or(status);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            status
        }
    }

    /// The read end of the pipe that this process was started with, closed to the server.
    fn take_lifeline(number: RawFd) -> Result<File, String> {
        if number <= 2 {
            return Err(format!("{number} is no lifeline"));
        }
        // SAFETY: Kenning opened it for this process, and nothing else in here knows of it; a number that is not open makes the
        // next call fail.
        let lifeline = unsafe { OwnedFd::from_raw_fd(number) };
        rustix::io::fcntl_setfd(&lifeline, rustix::io::FdFlags::CLOEXEC)
            .map_err(|error| format!("{number} is no lifeline: {error}"))?;
        Ok(File::from(lifeline))
    }

    /// The server alone is to hold its streams: their end says that it is gone.
    fn close_streams() -> io::Result<()> {
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nothing)?;
        rustix::stdio::dup2_stdout(&nothing)?;
        rustix::stdio::dup2_stderr(&nothing)?;
        Ok(())
    }

    fn spawn_thread(work: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let spawned = std::thread::Builder::new().stack_size(64 << 10).spawn(work);
        spawned.map(drop).map_err(|error| format!("the guardian has no thread: {error}"))
    }

    fn await_lifeline_end(mut lifeline: File, events: &Sender<GuardianEvent>) {
        let mut byte = [0];
        while matches!(lifeline.read(&mut byte), Ok(1..)) {}
        // The receiver is there as long as this process.
        let _ = events.send(GuardianEvent::LetGo);
    }

    /// Tells of children that have ended, and leaves it to the main thread to reap them.
    fn await_children(events: &Sender<GuardianEvent>) {
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Ok(_) => {
                    let (reaped, done) = channel();
                    if events.send(GuardianEvent::Ended(reaped)).is_err() || done.recv().is_err() {
                        return;
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                // No children are left.
                Err(_) => return,
            }
        }
    }

    /// Reaps every child that has ended; the status of the server if it is one of them.
    fn reap_children(server: Pid) -> Option<i32> {
        let mut status = None;
        while let Ok(Some((pid, how))) = wait(WaitOptions::NOHANG) {
            if pid == server {
                let by_signal = how.terminating_signal().map(|signal| BY_SIGNAL + signal);
                status = how.exit_status().or(by_signal).or(Some(1));
            }
        }
        status
    }
}
