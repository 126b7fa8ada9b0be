//! Errors of requests to a language server.

use serde_json::Value;
use std::time::Duration;

/// The reason why a request or a notification failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The program could not be started.
    #[error("cannot start {program}: {reason}")]
    Start {
        /// The program, as given in the [`super::LaunchSpec`].
        program: String,
        /// The system's error message.
        reason: String,
    },
    /// The connection is closed: the server exited, crashed, or its stream became unreadable.
    /// Contains the reason with the last lines of its standard error.
    #[error("the language server exited: {0}")]
    Disconnected(String),
    /// No answer arrived in time, and the request was cancelled.
    #[error("no answer to {method} within {limit:?}")]
    Timeout {
        /// Method of the request.
        method: &'static str,
        /// The time limit that was exceeded.
        limit: Duration,
    },
    /// The server answered with an error.
    #[error("the language server answered {method} with error {code}: {message}")]
    ErrorResponse {
        /// Method of the request.
        method: &'static str,
        /// JSON-RPC error code.
        code: i64,
        /// The server's error message.
        message: String,
        /// Additional data from the server.
        data: Option<Value>,
    },
    /// The parameters cannot be encoded as JSON.
    #[error("cannot encode the parameters of {method}: {reason}")]
    InvalidParams {
        /// Method of the request or notification.
        method: &'static str,
        /// Description of the problem.
        reason: String,
    },
    /// The answer does not have the form that the protocol requires.
    #[error("cannot read the answer to {method}: {reason}")]
    Malformed {
        /// Method of the request.
        method: &'static str,
        /// Description of the problem.
        reason: String,
    },
}
