//! Why a request to a language server failed.

use serde_json::Value;
use std::time::Duration;

/// Why a request or a notification did not do what it should.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The program could not be started.
    #[error("{program} cannot be started: {reason}")]
    Start {
        /// The program as it was named.
        program: String,
        /// What the system said.
        reason: String,
    },
    /// The server is gone: it ended, crashed, or its stream could not be read any further. Says why, with the last lines
    /// of its standard error.
    #[error("the language server is gone: {0}")]
    Gone(String),
    /// No answer came in time; the request was cancelled.
    #[error("no answer to {method} within {limit:?}")]
    Timeout {
        /// The request.
        method: &'static str,
        /// How long was waited.
        limit: Duration,
    },
    /// The server answered with an error.
    #[error("the language server answered {method} with error {code}: {message}")]
    Refused {
        /// The request.
        method: &'static str,
        /// JSON-RPC error code.
        code: i64,
        /// The server's words.
        message: String,
        /// What it added.
        data: Option<Value>,
    },
    /// The answer has not the form that the protocol says.
    #[error("the answer to {method} cannot be read: {reason}")]
    Form {
        /// The request or notification.
        method: &'static str,
        /// What is wrong.
        reason: String,
    },
}
