//! `kenning.affectedTests`: the tests that reach what changed.

use super::file_context::files;
use super::{Call, Command, Running, TextDocument, arrival, blocking, changes, folder, json, usable};
use crate::answer;
use crate::change::Change;
use crate::format::Format;
use crate::format::affected::{AffectedJson, Subject};
use crate::format::json as data;
use crate::lsp::locations::Documents;
use crate::lsp::to_proto;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};

/// The tests that reach what changed, each with the way by which it does. What changed is `uris`, or the change since
/// `base` as `kenning.changeContext` sees it; without both it is that change since its default base.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Arguments {
    /// The files, as URIs; all of one folder. Everything in them counts as changed.
    uris: Option<Vec<String>>,
    /// The revision to compare with, as for `kenning.changeContext`; not together with `uris`.
    base: Option<String>,
    /// The answer also holds this form, as `text`.
    format: Option<Format>,
    /// With several folders open and no `uris` it chooses the folder; without it the first one answers.
    text_document: Option<TextDocument>,
}

/// See [`Arguments`].
pub struct GetAffectedTests;

impl Command for GetAffectedTests {
    const NAME: &'static str = "kenning.affectedTests";
    type Arguments = Arguments;
    type Result = AffectedJson<'static>;

    async fn run(call: Call, arguments: Arguments) -> Result<Value> {
        let (folder, paths) = match (&arguments.uris, &arguments.base) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid_params("base: give files or a base, not both"));
            }
            (Some(uris), None) => {
                let (folder, paths) = files(&call.session, uris)?;
                (folder, Some(paths))
            }
            (None, _) => (folder(&call.session, arguments.text_document.as_ref())?, None),
        };
        let arrival = arrival(&call.session, &folder);
        let running = Running::begin(&call, "Kenning: affected tests");
        let cancel = running.cancel();
        let view = usable(&folder, folder.view(arrival).await)?;
        let encoding = call.session.encoding();
        let value = blocking(move || {
            let (state, freshness) = (&view.state, &view.freshness);
            let change: Change;
            let subject = match &paths {
                Some(paths) => Subject::Files(paths),
                None => {
                    change = changes::since(&folder, state, arguments.base.as_deref(), &cancel)?;
                    Subject::Change(&change)
                }
            };
            let (targets, found) = answer::affected(&state.snapshot, subject, freshness.pending_files > 0)
                .map_err(|error| to_proto::question_error(&error))?;
            if cancel.is_cancelled() {
                return Err(to_proto::cancelled());
            }
            let documents = Documents::new(folder.root(), state, encoding);
            let mut answer =
                AffectedJson::new(&state.snapshot, subject, targets, &found, freshness, &documents);
            answer.text = match arguments.format {
                None => None,
                Some(Format::Markdown) => Some(answer.markdown(subject)),
                Some(Format::Json) => {
                    Some(data::text(&answer).map_err(|error| to_proto::internal(error.to_string()))?)
                }
            };
            json(&answer)
        })
        .await;
        running.finish().await;
        value
    }
}
