//! How a server comes to be: as a child process, or however a test makes one.

use crate::lsp::{ClientError, Introduction, LanguageServer, Launch};
use crate::servers::{Found, Setup};
use serde_json::Value;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

/// How long a server may take to be initialised.
const INITIALISE: Duration = Duration::from_secs(60);
/// What children are told to be modest with, in the system's `nice` units.
const NICENESS: i32 = 10;

/// What is to be started.
#[derive(Clone, Debug)]
pub struct Start {
    /// The program and its row.
    pub found: Found,
    /// The folder it is started for.
    pub folder: PathBuf,
    /// Options, settings and environment for this workspace.
    pub setup: Setup,
}

/// A server on its way.
pub type Connecting = Pin<Box<dyn Future<Output = Result<LanguageServer, ClientError>> + Send>>;

/// Starts servers.
pub trait Connect: Send + Sync + 'static {
    /// Starts one and initialises it.
    fn connect(&self, start: Start) -> Connecting;
}

/// Starts them as child processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spawn;

impl Connect for Spawn {
    fn connect(&self, start: Start) -> Connecting {
        Box::pin(async move {
            let Start { found, folder, setup } = start;
            let arguments = found.server.command.iter().skip(1);
            let launch = Launch {
                program: found.program,
                arguments: arguments.map(Into::into).collect(),
                environment: setup
                    .environment
                    .iter()
                    .map(|(name, value)| (name.into(), value.into()))
                    .collect(),
                folder,
                niceness: NICENESS,
            };
            let options = Some(setup.options).filter(|options| *options != Value::Null);
            let introduction = Introduction { options, capabilities: setup.capabilities };
            LanguageServer::start(&launch, setup.settings, introduction, INITIALISE).await
        })
    }
}
