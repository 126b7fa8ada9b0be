//! `kenning.explain`: why a symbol stands where it stands in the pack for a task.

use super::{Arguments, arrival, blocking, folder, question, usable};
use crate::answer::{self, About};
use crate::format::explanation::ExplanationJson;
use crate::lsp::to_proto;
use crate::session::Session;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// `task`, `symbol`, `textDocument?`.
pub async fn run(session: &Session, arguments: &Arguments) -> Result<Value> {
    let question = question(About::Task(arguments.text("task")?), arguments)?;
    let symbol = arguments.text("symbol")?;
    let folder = folder(session, arguments)?;
    let arrival = arrival(session, &folder);
    let view = usable(&folder, folder.view(arrival).await)?;
    blocking(move || {
        let text = view.state.text.as_deref();
        let explanation = answer::why(&view.state.snapshot, text, &question, &symbol)
            .map_err(|error| to_proto::question_error(&error))?;
        serde_json::to_value(ExplanationJson::new(&explanation))
            .map_err(|error| to_proto::internal(error.to_string()))
    })
    .await
}
