//! JSON-RPC messages, received and sent.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// JSON-RPC error code for an unknown method.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// A message from the server.
#[derive(Debug)]
pub(super) enum IncomingMessage {
    /// A request from the server; the response repeats its id unchanged.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The response to the request with this id.
    Response {
        id: i64,
        result: Result<Box<RawValue>, RpcError>,
    },
}

/// A JSON-RPC error object.
#[derive(Debug, Deserialize)]
pub(super) struct RpcError {
    pub code: i64,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub data: Option<Value>,
}

#[derive(Deserialize)]
struct RawMessage {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<RpcError>,
}

impl IncomingMessage {
    /// Parses the body of a message.
    ///
    /// # Errors
    /// Returns a description of the problem if the body is not a valid message.
    pub fn parse(body: &[u8]) -> Result<Self, String> {
        let raw: RawMessage = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        match (raw.method, raw.id) {
            (Some(method), Some(id)) => Ok(Self::Request { id, method, params: raw.params }),
            (Some(method), None) => Ok(Self::Notification { method, params: raw.params }),
            (None, Some(id)) => {
                let id =
                    id.as_i64().ok_or_else(|| format!("a response to request {id}, which was never sent"))?;
                let result = match (raw.error, raw.result) {
                    (Some(error), _) => Err(error),
                    (None, Some(result)) => Ok(result),
                    // serde reads `"result": null` as `None`.
                    (None, None) => Ok(RawValue::NULL.to_owned()),
                };
                Ok(Self::Response { id, result })
            }
            (None, None) => Err("neither a method nor an id".to_owned()),
        }
    }
}

/// Encodes the body of a request.
pub(super) fn encode_request(id: i64, method: &str, params: Value) -> Vec<u8> {
    // A request without parameters omits the member, because some servers refuse null.
    encode_message(if params.is_null() {
        json!({"jsonrpc": "2.0", "id": id, "method": method})
    } else {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    })
}

/// Encodes the body of a notification.
pub(super) fn encode_notification(method: &str, params: Value) -> Vec<u8> {
    encode_message(if params.is_null() {
        json!({"jsonrpc": "2.0", "method": method})
    } else {
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    })
}

/// Encodes the body of a response to a request from the server.
pub(super) fn encode_response(id: Value, result: Result<Value, RpcError>) -> Vec<u8> {
    encode_message(match result {
        Ok(value) => json!({"jsonrpc": "2.0", "id": id, "result": value}),
        Err(RpcError { code, message, .. }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    })
}

fn encode_message(message: Value) -> Vec<u8> {
    message.to_string().into_bytes()
}
