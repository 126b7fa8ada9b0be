//! A language server as a child process: started in a group of its own, at low priority, and never left behind.

use super::error::ClientError;
use super::guard::Guard;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

/// Lines of standard error that are kept.
const TAIL_LINES: usize = 20;
/// Longest line of standard error that is kept, in bytes.
const TAIL_LINE: u64 = 1000;
/// How long is waited for the end of standard error after standard output ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    /// The program: a path, or a name on the search path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables that are set besides those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// Added to the priority of this process, in the system's `nice` units: 0 to 19, larger is lower.
    pub niceness: i32,
}

/// The last lines that a child wrote to its standard error. Cheap to clone.
#[derive(Clone)]
pub struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    ended: watch::Receiver<bool>,
}

impl StderrTail {
    /// The tail of nothing: for connections without a process.
    pub fn empty() -> Self {
        Self { lines: Arc::default(), ended: watch::channel(true).1 }
    }

    /// Reads a stream to its end in a task of its own and keeps its last lines.
    pub fn of<R: AsyncRead + Send + Unpin + 'static>(stream: R) -> Self {
        let (ended, receiver) = watch::channel(false);
        let tail = Self { lines: Arc::default(), ended: receiver };
        let lines = Arc::clone(&tail.lines);
        tokio::spawn(async move {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            // A line without an end is cut into pieces, so that it cannot fill the memory.
            while let Ok(1..) = (&mut stream).take(TAIL_LINE).read_until(b'\n', &mut line).await {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                if lines.len() == TAIL_LINES {
                    lines.pop_front();
                }
                lines.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
                line.clear();
            }
            ended.send_replace(true);
        });
        tail
    }

    /// The last lines so far, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The last lines when the stream has ended, or after a short while.
    pub(super) async fn last_words(&self) -> Vec<String> {
        let mut ended = self.ended.clone();
        // Past the time, what is there is what is told.
        let _ = tokio::time::timeout(LAST_WORDS, ended.wait_for(|ended| *ended)).await;
        self.lines()
    }
}

/// A running server. Dropped, it is killed with all processes that it started.
pub struct Process {
    child: Child,
    group: Option<u32>,
    /// Leads the group; outlives this process and kills the group when it is gone.
    _guard: Option<Guard>,
}

/// The streams of a new process.
pub(super) struct Streams {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: StderrTail,
}

impl Process {
    /// Starts a program; needs a tokio runtime around it.
    pub(super) async fn start(launch: &Launch) -> Result<(Self, Streams), ClientError> {
        let failed =
            |reason: String| ClientError::Start { program: launch.program.display().to_string(), reason };
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).current_dir(&launch.folder);
        command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let guard = Guard::start();
        #[cfg(unix)]
        let led = guard.as_ref().map(Guard::group);
        #[cfg(not(unix))]
        let led = None;
        #[cfg(unix)]
        command.process_group(led.and_then(|group| i32::try_from(group).ok()).unwrap_or(0));
        #[cfg(target_os = "linux")]
        linux::prepare(&mut command, launch.niceness);
        let mut child = spawn(command).await.map_err(|error| failed(error.to_string()))?;
        let group = led.or(child.id());
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => {
                let stderr = StderrTail::of(stderr);
                Ok((Self { child, group, _guard: guard }, Streams { stdin, stdout, stderr }))
            }
            _ => Err(failed("its standard streams are not there".to_owned())),
        }
    }

    /// Its process id; `None` when it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for its end, and kills it when it has not ended after `limit`. Processes that it started end as well.
    pub async fn end(mut self, limit: Duration) -> std::io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(limit, self.child.wait()).await {
            return status;
        }
        self.kill_group();
        self.child.wait().await
    }

    #[cfg(unix)]
    fn kill_group(&self) {
        let pid = self.group.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // Nobody left in the group: nothing to do.
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&mut self) {
        // It may have ended at this very moment.
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

#[cfg(not(target_os = "linux"))]
async fn spawn(mut command: Command) -> std::io::Result<Child> {
    command.spawn()
}

#[cfg(target_os = "linux")]
use linux::spawn;

#[cfg(target_os = "linux")]
mod linux {
    //! Children that end with their parent.

    use std::io;
    use std::sync::{LazyLock, mpsc};
    use tokio::process::{Child, Command};
    use tokio::runtime::Handle;
    use tokio::sync::oneshot;

    struct Job {
        command: Command,
        runtime: Handle,
        done: oneshot::Sender<io::Result<Child>>,
    }

    /// The system sends the death signal when the *thread* that started the child ends, and threads of a runtime come
    /// and go: all children are started by one thread that lives as long as the process.
    static SPAWNER: LazyLock<io::Result<mpsc::Sender<Job>>> = LazyLock::new(|| {
        let (sender, jobs) = mpsc::channel::<Job>();
        std::thread::Builder::new().name("language-servers".to_owned()).spawn(move || {
            for Job { mut command, runtime, done } in jobs {
                let _runtime = runtime.enter();
                // Whoever asked may be gone; the child is then killed by being dropped.
                let _ = done.send(command.spawn());
            }
        })?;
        Ok(sender)
    });

    /// Makes the child end with this process, however that ends, and sets its priority.
    pub fn prepare(command: &mut Command, niceness: i32) {
        let parent = rustix::process::getpid();
        let set_up = move || {
            if niceness != 0 {
                rustix::process::nice(niceness)?;
            }
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
            // The parent may have ended before the signal was asked for.
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::Error::other("the parent process is gone"))
            }
        };
        // SAFETY: between fork and exec only system calls are made, nothing is allocated unless the parent is gone.
        unsafe {
            command.pre_exec(set_up);
        }
    }

    pub async fn spawn(command: Command) -> io::Result<Child> {
        let spawner = SPAWNER.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let (done, child) = oneshot::channel();
        let gone = || io::Error::other("the thread that starts processes is gone");
        spawner.send(Job { command, runtime: Handle::current(), done }).map_err(|_| gone())?;
        child.await.map_err(|_| gone())?
    }
}
