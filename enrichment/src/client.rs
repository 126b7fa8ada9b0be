//! The client side of the Language Server Protocol: the child process, the frames on its pipes, requests and answers,
//! and what the server says and asks on its own.

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
pub use language_server::{InitializeOptions, LanguageServer};
/// What documents are called by.
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
