//! `kenning.unsavedTexts`: the texts of open documents that are not saved.

use super::{
    CommandCall, LspCommand, TextDocument, ensure_usable, folder_for_document, run_blocking, to_json_value,
};
use kenning_indexing::named_file::read_source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::jsonrpc::Result;

/// Returns the texts of open documents that differ from their files. The command line asks the
/// session of an editor for them, so that its answers include the text that the user sees.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnsavedTextsArguments {
    /// A document that selects the folder if several folders are open. Defaults to the first
    /// folder.
    text_document: Option<TextDocument>,
}

/// The unsaved texts of a folder.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct UnsavedTexts {
    /// The texts, sorted by path.
    pub files: Vec<UnsavedText>,
}

/// The unsaved text of one document.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnsavedText {
    /// The path in the workspace, with `/` as the separator.
    pub path: String,
    /// The text in the editor.
    pub text: String,
}

/// The command `kenning.unsavedTexts`; see [`UnsavedTextsArguments`].
pub struct GetUnsavedTexts;

impl LspCommand for GetUnsavedTexts {
    const NAME: &'static str = "kenning.unsavedTexts";
    type Arguments = UnsavedTextsArguments;
    type Result = UnsavedTexts;

    async fn run_command(call: CommandCall, arguments: UnsavedTextsArguments) -> Result<Value> {
        let folder = folder_for_document(&call.session, arguments.text_document.as_ref())?;
        let arrival = folder.sequence_for_edits();
        let view = ensure_usable(&folder, folder.wait_for_view(arrival).await)?;
        run_blocking(move || {
            let open = view.state.open.values().filter(|open| open.is_in_graph);
            let is_unsaved = |path: &str, text: &str| {
                read_source(&folder.root_path().join(path)).is_none_or(|saved| saved != text.as_bytes())
            };
            let unsaved = open.filter(|open| is_unsaved(&open.path, &open.text));
            let files =
                unsaved.map(|open| UnsavedText { path: open.path.clone(), text: open.text.to_string() });
            to_json_value(&UnsavedTexts { files: files.collect() })
        })
        .await
    }
}
