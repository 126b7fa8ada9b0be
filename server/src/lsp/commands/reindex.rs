//! `kenning.reindex`: brings the index up to the disk now and answers when that is done.

use super::{Arguments, folder, status};
use crate::lsp::to_proto;
use crate::session::{Change, Session};
use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::Result;

/// `textDocument?` to choose a folder; returns the status afterwards.
pub async fn run(session: &Session, arguments: &Arguments) -> Result<Value> {
    let (reply, done) = oneshot::channel();
    folder(session, arguments)?.push(Change::Reindex(reply));
    match done.await {
        Ok(Ok(_)) => status::run(session).await,
        Ok(Err(reason)) => Err(to_proto::failed(reason)),
        Err(_) => Err(to_proto::failed("the folder was closed before it was indexed")),
    }
}
