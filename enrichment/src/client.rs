//! The client side of the Language Server Protocol.
//!
//! The input is a [`LaunchSpec`], and the output is a running [`LanguageServer`]:
//!
//! * `process`, `guardian`, `group_guard` and `sandbox` run the child process, end it with
//!   everything that it started, and confine it.
//! * `transport` and `message` read and write frames and JSON-RPC messages.
//! * `connection` and `pending_requests` match answers with requests. A request whose future is
//!   dropped or whose time is up is cancelled at the server.
//! * `server_activity` records the server's notifications: progress, status and messages.
//!   `server_requests` answers the server's own requests.
//!
//! If the connection breaks, every pending and later request fails with the same reason, which
//! quotes the last lines of the server's standard error.

mod connection;
mod error;
mod group_guard;
pub mod guardian;
mod language_server;
mod message;
mod pending_requests;
mod process;
#[cfg(target_os = "linux")]
mod process_tree;
mod sandbox;
mod server_activity;
mod server_requests;
mod transport;

#[cfg(test)]
mod tests;

pub use connection::LspClient;
pub use error::ClientError;
pub(crate) use guardian::SCRATCH_PREFIX;
pub use language_server::{InitializeOptions, LanguageServer};
/// The address of a document in the protocol.
pub use lsp_types::Uri;
pub use process::{InheritVariables, LaunchSpec, ServerProcess, StderrTail};
#[cfg(target_os = "linux")]
pub(crate) use process_tree::descendant_pids;
pub use sandbox::{SandboxRules, check_support as sandbox_support};
pub use server_activity::{ServerActivity, WorkProgress};
pub use server_requests::ClientAnswers;
pub use transport::{FrameError, MAX_FRAME};
#[cfg(test)]
pub(crate) use transport::{encode_frame, read_frame};
