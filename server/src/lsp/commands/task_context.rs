//! `kenning.taskContext`: the pack for a task.

use super::{Arguments, answer_pack, arrival, folder, format, question};
use crate::answer::About;
use crate::session::Session;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// `task`, `budget?`, `format?`, `packRoot?`, `textDocument?`.
pub async fn run(session: &Session, arguments: &Arguments) -> Result<Value> {
    let question = question(About::Task(arguments.text("task")?), arguments)?;
    let (format, pack_root) = (format(arguments)?, arguments.optional_text("packRoot")?);
    let folder = folder(session, arguments)?;
    let arrival = arrival(session, &folder);
    answer_pack(session, folder, arrival, question, pack_root, format).await
}
