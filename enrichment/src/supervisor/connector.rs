//! Starts servers as child processes, or through a substitute that a test provides.

use crate::client::{ClientError, InheritVariables, InitializeOptions, LanguageServer, LaunchSpec};
use crate::client::{guardian, sandbox_support};
use crate::servers::{
    CommandContext, FoundServer, ServerSetup, ShimFolder, build_sandbox, fill_computed_values,
};
use serde_json::Value;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

/// Time limit for the initialization of a server.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(60);
/// Priority of child processes in `nice` units of the system.
const NICENESS: i32 = 10;

/// Name of an environment variable. If the variable is set and not empty, servers of untrusted
/// workspaces run in a sandbox where the system supports it.
const SANDBOX_VARIABLE: &str = "KENNING_SANDBOX";

/// The data needed to start a server.
#[derive(Clone, Debug)]
pub struct StartRequest {
    /// The program and its row of `servers.toml`.
    pub found: FoundServer,
    /// The folder that the server is started for.
    pub folder: PathBuf,
    /// Options, settings and environment for this folder.
    pub setup: ServerSetup,
}

/// The future of a server that is being started.
pub type ServerFuture = Pin<Box<dyn Future<Output = Result<LanguageServer, ClientError>> + Send>>;

/// Starts servers.
pub trait ServerConnector: Send + Sync + 'static {
    /// Starts a server and initializes it.
    fn connect_server(&self, start: StartRequest) -> ServerFuture;
}

/// Starts servers as child processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessConnector;

impl ServerConnector for ProcessConnector {
    fn connect_server(&self, start: StartRequest) -> ServerFuture {
        Box::pin(async move {
            let PreparedLaunch { launch, tools, sandbox_note } = prepare_launch(&start).await?;
            let ServerSetup { options, settings, capabilities, .. } = start.setup;
            let options = Some(options).filter(|options| *options != Value::Null);
            let initialize = InitializeOptions { options, capabilities };
            let server =
                LanguageServer::launch_and_initialize(&launch, settings, initialize, INITIALIZE_TIMEOUT)
                    .await?;
            Ok(server.with_tool_folder(tools, sandbox_note))
        })
    }
}

/// A server process that is ready to start.
struct PreparedLaunch {
    launch: LaunchSpec,
    /// The folder of the server's tools and temporary files, if it needs one.
    tools: Option<ShimFolder>,
    /// Whether the server runs in a sandbox, or why not; empty unless a sandbox was requested.
    sandbox_note: String,
}

/// Prepares the process of a server with the variables that it may inherit. In an untrusted
/// workspace, the working folder is outside it, so that the server and the version managers that
/// find its program (rustup, pyenv, asdf, nvm) do not read which version the workspace requests.
async fn prepare_launch(start: &StartRequest) -> Result<PreparedLaunch, ClientError> {
    let StartRequest { found, folder, setup } = start;
    let start_error = |reason: String| {
        let program = found.program.display().to_string();
        ClientError::Start { program, reason }
    };
    let mut environment = found.search.inherited_variables(std::env::vars_os());
    let mut variables = setup.environment.clone();
    let working_folder = system_folder();
    let context = CommandContext { tools: &found.tools, folder: &working_folder, environment: &environment };
    fill_computed_values(&mut variables, &context).await.map_err(|error| start_error(error.to_string()))?;
    environment.extend(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
    let wants_sandbox =
        !found.search.trusted && std::env::var_os(SANDBOX_VARIABLE).is_some_and(|value| !value.is_empty());
    let unsupported = wants_sandbox.then(sandbox_support).and_then(Result::err);
    let tool_shims = found.server.tool_shims.as_ref().filter(|_| !found.search.trusted);
    let is_sandboxed = wants_sandbox && unsupported.is_none() && guardian::is_available();
    let tools = (tool_shims.is_some() || is_sandboxed)
        .then(|| ShimFolder::new(tool_shims, &found.tools, &working_folder, &mut environment));
    let tools = tools
        .transpose()
        .map_err(|error| start_error(format!("cannot keep its tools out of the workspace: {error}")))?;
    let sandbox = tools.as_ref().filter(|_| is_sandboxed);
    let sandbox =
        sandbox.map(|tools| build_sandbox(found, folder, tools.folder_path(), &mut environment)).transpose();
    let sandbox = sandbox.map_err(|error| start_error(format!("cannot create its sandbox: {error}")))?;
    let sandbox_note = match (&unsupported, &sandbox) {
        (Some(reason), _) => format!("not in a sandbox: {reason}"),
        (None, Some(_)) => "in a sandbox".to_owned(),
        (None, None) => String::new(),
    };
    let launch = LaunchSpec {
        program: found.program.clone(),
        arguments: found.server.command.iter().skip(1).map(Into::into).collect(),
        environment: environment.into_iter().collect(),
        inherits: InheritVariables::None,
        folder: folder.clone(),
        working_folder: (!found.search.trusted).then_some(working_folder),
        niceness: NICENESS,
        sandbox,
        scratch: tools.as_ref().map(|tools| tools.folder_path().to_owned()),
    };
    Ok(PreparedLaunch { launch, tools, sandbox_note })
}

/// Returns a folder that belongs to the system. Neither a workspace nor another user can have put
/// files into it or its parents.
fn system_folder() -> PathBuf {
    if cfg!(windows) {
        std::env::var_os("SystemRoot").map_or_else(|| PathBuf::from("C:\\Windows"), PathBuf::from)
    } else {
        PathBuf::from("/")
    }
}
