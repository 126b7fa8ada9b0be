//! The client side of the Language Server Protocol: the child process, the frames on its pipes, requests and answers,
//! and what the server says and asks on its own.

mod answers;
mod client;
mod columns;
mod error;
mod guard;
pub mod guardian;
mod message;
mod observed;
mod pending;
mod process;
#[cfg(target_os = "linux")]
mod process_tree;
mod sandbox;
mod server;
mod transport;

#[cfg(test)]
mod tests;

pub use answers::Answers;
pub use client::Client;
pub use columns::Encoding;
pub use error::ClientError;
/// What documents are called by.
pub use lsp_types::Uri;
pub use observed::{Observed, Progress};
pub use process::{InheritVariables, Launch, Process, StderrTail};
#[cfg(target_os = "linux")]
pub(crate) use process_tree::descendants;
pub use sandbox::{Sandbox, support as sandbox_support};
pub use server::{Introduction, LanguageServer};
pub use transport::{FrameError, MAX_FRAME};
#[cfg(test)]
pub(crate) use transport::{frame, read_frame};
