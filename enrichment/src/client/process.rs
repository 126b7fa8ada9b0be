//! A language server as a child process. It runs in its own process group at low priority, and
//! where the system allows it, none of its processes outlives Kenning.
//!
//! The input is a [`LaunchSpec`]; the output is a [`ServerProcess`] with the standard streams of
//! the child. On Linux a guardian (`guardian.rs`) runs above the server if this program can act as
//! one. Otherwise a process group with a guard (`group_guard.rs`) is used. Dropping the
//! [`ServerProcess`] kills the server and everything that it started. [`StderrTail`] keeps the last
//! lines of standard error for error messages.

use super::error::ClientError;
use super::group_guard::GroupGuard;
#[cfg(target_os = "linux")]
use super::guardian;
use super::sandbox::SandboxRules;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

/// Maximum number of lines of standard error to keep. A crashing server can print thousands.
const MAX_TAIL_LINES: usize = 20;
/// Maximum length of a line of standard error, in bytes; longer lines are split.
const MAX_LINE_BYTES: u64 = 1000;
/// Time to wait for the end of standard error after the connection broke.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

/// Time limit for a guardian to end everything below it, before the guardian itself is killed.
const GUARDIAN_TIMEOUT: Duration = Duration::from_secs(15);

/// Whether a server gets the environment variables of this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InheritVariables {
    /// The server gets all variables of this process.
    #[default]
    All,
    /// The server gets only the variables in [`LaunchSpec::environment`].
    None,
}

/// The parameters of a server process.
#[derive(Debug, Clone, Default)]
pub struct LaunchSpec {
    /// The program: a path, or a name on the search path.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
    /// Environment variables to set.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether the server also gets the variables of this process.
    pub inherits: InheritVariables,
    /// The folder of the workspace.
    pub folder: PathBuf,
    /// The folder that the server runs in; `None` for the folder of the workspace.
    pub working_folder: Option<PathBuf>,
    /// A temporary folder of the server. The guardian removes it if Kenning ends first.
    pub scratch: Option<PathBuf>,
    /// Files and connections that the server is restricted to; `None` for no restriction. Requires
    /// a guardian.
    pub sandbox: Option<SandboxRules>,
    /// Added to the priority of this process in `nice` units, 0 to 19; a larger number is a lower
    /// priority.
    pub niceness: i32,
}

/// The last lines of a child's standard error. Cheap to clone.
#[derive(Clone)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    ended: watch::Receiver<bool>,
}

impl StderrTail {
    /// Creates an empty tail for a connection without a process.
    pub fn without_process() -> Self {
        Self { lines: Arc::default(), ended: watch::channel(true).1 }
    }

    /// Reads a stream to its end in a separate task and keeps its last lines.
    pub fn from_stream<R: AsyncRead + Send + Unpin + 'static>(stream: R) -> Self {
        let (ended, receiver) = watch::channel(false);
        let tail = Self { lines: Arc::default(), ended: receiver };
        let lines = Arc::clone(&tail.lines);
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            // A line without an end is split, so that it cannot fill the memory.
            while let Ok(1..) = (&mut stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == MAX_TAIL_LINES {
                    lines.pop_front();
                }
                lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
                line.clear();
            }
            ended.send_replace(true);
        });
        tail
    }

    /// Returns the last lines so far, oldest first.
    pub fn last_lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Waits for the end of the stream, at most for a short time, and returns the last lines.
    pub(super) async fn wait_for_last_lines(&self) -> Vec<String> {
        let mut ended = self.ended.clone();
        // After the timeout, report what has arrived.
        let _ = tokio::time::timeout(STDERR_TIMEOUT, ended.wait_for(|ended| *ended)).await;
        self.last_lines()
    }
}

/// A running server. Dropping it kills the server and all processes that it started.
pub struct ServerProcess {
    /// The server, or the guardian above it.
    child: Child,
    /// `None` after it was dropped to end all processes.
    keeper: Option<ProcessKeeper>,
}

/// The mechanism that ends a server and everything that it started when it is dropped.
enum ProcessKeeper {
    /// A guardian, which acts when the lifeline is closed.
    #[cfg(target_os = "linux")]
    Guardian(#[expect(dead_code, reason = "dropping it closes the lifeline")] guardian::LifelinePipe),
    /// A process group, and a guard that outlives this process and then kills the group.
    Group { id: Option<u32>, _guard: Option<GroupGuard> },
}

impl Drop for ProcessKeeper {
    fn drop(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Self::Guardian(_) => {}
            Self::Group { id, .. } => kill_group(*id),
        }
    }
}

/// Kills every process of a group. On systems without groups, a server is killed when its handle is
/// dropped.
fn kill_group(id: Option<u32>) {
    #[cfg(unix)]
    if let Some(id) = id.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw) {
        // An error means that the group is empty.
        let _ = rustix::process::kill_process_group(id, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// The standard streams of a new process.
pub(super) struct ProcessStreams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: StderrTail,
}

impl ServerProcess {
    /// Starts a program. Must be called inside a tokio runtime.
    pub(super) async fn start_process(launch: &LaunchSpec) -> Result<(Self, ProcessStreams), ClientError> {
        let start_error =
            |reason: String| ClientError::Start { program: launch.program.display().to_string(), reason };
        let (mut child, keeper) =
            start_child(launch).await.map_err(|error| start_error(error.to_string()))?;
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => {
                let stderr = StderrTail::from_stream(stderr);
                Ok((Self { child, keeper: Some(keeper) }, ProcessStreams { stdin, stdout, stderr }))
            }
            _ => Err(start_error("its standard streams are missing".to_owned())),
        }
    }

    /// Returns the process id. Returns `None` if the process has ended.
    pub fn process_id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for the process to end and kills it after `limit`. The processes that it started also
    /// end.
    pub async fn wait_or_kill(mut self, limit: Duration) -> std::io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(limit, self.child.wait()).await {
            return status;
        }
        drop(self.keeper.take());
        if let Ok(status) = tokio::time::timeout(GUARDIAN_TIMEOUT, self.child.wait()).await {
            return status;
        }
        self.child.kill().await?;
        self.child.wait().await
    }
}

/// Starts a program below the mechanism that ends it and everything that it starts.
async fn start_child(launch: &LaunchSpec) -> std::io::Result<(Child, ProcessKeeper)> {
    #[cfg(target_os = "linux")]
    if guardian::is_available() {
        let (mut command, lifeline) = guardian::build_command(launch)?;
        configure_command(&mut command, launch);
        return Ok((spawn_child(command).await?, ProcessKeeper::Guardian(lifeline)));
    }
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).kill_on_drop(true);
    configure_command(&mut command, launch);
    let guard = GroupGuard::spawn();
    #[cfg(unix)]
    let guard_group = guard.as_ref().map(GroupGuard::group_id);
    #[cfg(not(unix))]
    let guard_group = None;
    #[cfg(unix)]
    command.process_group(guard_group.and_then(|group| i32::try_from(group).ok()).unwrap_or(0));
    #[cfg(target_os = "linux")]
    linux::prepare_command(&mut command, launch.niceness);
    let child = spawn_child(command).await?;
    let id = guard_group.or(child.id());
    Ok((child, ProcessKeeper::Group { id, _guard: guard }))
}

/// Sets the folder, the variables and the standard streams.
fn configure_command(command: &mut Command, launch: &LaunchSpec) {
    command.current_dir(launch.working_folder.as_ref().unwrap_or(&launch.folder));
    if launch.inherits == InheritVariables::None {
        command.env_clear();
    }
    command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

#[cfg(not(target_os = "linux"))]
async fn spawn_child(mut command: Command) -> std::io::Result<Child> {
    command.spawn()
}

#[cfg(target_os = "linux")]
use linux::spawn_child;

#[cfg(target_os = "linux")]
mod linux {
    //! Children that end with their parent.

    use std::io;
    use std::sync::{LazyLock, mpsc};
    use tokio::process::{Child, Command};
    use tokio::runtime::Handle;
    use tokio::sync::oneshot;

    struct SpawnJob {
        command: Command,
        runtime: Handle,
        done: oneshot::Sender<io::Result<Child>>,
    }

    /// The thread that starts all children. The system sends the parent-death signal when the
    /// *thread* that started the child ends. The threads of a runtime come and go; this one lives
    /// as long as the process.
    static SPAWNER: LazyLock<io::Result<mpsc::Sender<SpawnJob>>> = LazyLock::new(|| {
        let (sender, jobs) = mpsc::channel::<SpawnJob>();
        std::thread::Builder::new().name("language-servers".to_owned()).spawn(move || {
            for SpawnJob { mut command, runtime, done } in jobs {
                let _runtime = runtime.enter();
                // The receiver may be gone; dropping the child then kills it.
                let _ = done.send(command.spawn());
            }
        })?;
        Ok(sender)
    });

    /// Makes the child end with this process, for whatever reason this process ends, and sets its
    /// priority.
    pub fn prepare_command(command: &mut Command, niceness: i32) {
        let parent = rustix::process::getpid();
        let set_up = move || {
            if niceness != 0 {
                rustix::process::nice(niceness)?;
            }
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // The parent may have ended before the signal was set.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::Error::other("the parent process has ended"))
            }
        };
        // SAFETY: between fork and exec only system calls are made, and nothing is allocated unless
        // the parent is gone.
        unsafe {
            command.pre_exec(set_up);
        }
    }

    pub async fn spawn_child(command: Command) -> io::Result<Child> {
        let spawner = SPAWNER.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let (done, child) = oneshot::channel();
        let spawner_ended = || io::Error::other("the thread that starts processes has ended");
        spawner.send(SpawnJob { command, runtime: Handle::current(), done }).map_err(|_| spawner_ended())?;
        child.await.map_err(|_| spawner_ended())?
    }
}
