//! `kenning.fileContext`: the pack for files.

use super::packs::{GcfSessionPart, PackAnswer, PackOptions, PackRequest, answer_pack, build_question};
use super::{CommandCall, LspCommand, locate_document, request_sequence};
use crate::answer::QuestionSubject;
use crate::format::PackFormat;
use crate::ranking_choice::RankConfigName;
use crate::session::{ServedFolder, Session};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};

/// Returns the code that matters for work on some files: their symbols and the code close to them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileContextArguments {
    /// The files, as URIs: at least one, and all in one folder.
    uris: Vec<String>,
    /// Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option
    /// `pack.budget`.
    budget: Option<NonZeroUsize>,
    /// The ranking configuration. Defaults to the option `ranking.configuration`.
    configuration: Option<RankConfigName>,
    /// Adds the pack in this format, as `text`.
    format: Option<PackFormat>,
    /// Adds the pack as `text` in the format of the option `pack.format`, as the command line prints
    /// it. `format` names another format.
    text: Option<bool>,
    /// Adds the reasons for the ranking to the fields of the answer: score components, channels,
    /// evidence, whole ids. They do not count in the budget. `text` does not change.
    explain: Option<bool>,
    /// The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a
    /// note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens
    /// of the whole pack. A session remembers the last 16 packs that it sent; for any other root the
    /// answer is the whole pack.
    pack_root: Option<String>,
    /// Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session,
    /// the text only refers to symbols that earlier texts of the session had. Start a new one when the
    /// reader no longer has the earlier texts.
    gcf_session: Option<GcfSessionPart>,
    /// Neither uses nor records feedback or recently shown symbols, so that the same request returns
    /// the same bytes.
    no_learning: Option<bool>,
    /// Ignores the symbols that the session showed recently, so that the answer does not depend on
    /// earlier questions of the session. Feedback counts.
    ignore_shown: Option<bool>,
}

/// The command `kenning.fileContext`; see [`FileContextArguments`].
pub struct GetFileContext;

impl LspCommand for GetFileContext {
    const NAME: &'static str = "kenning.fileContext";
    type Arguments = FileContextArguments;
    type Result = PackAnswer;

    async fn run_command(call: CommandCall, arguments: FileContextArguments) -> Result<Value> {
        let (folder, paths) = locate_files(&call.session, &arguments.uris)?;
        let question = build_question(QuestionSubject::Files(paths), arguments.budget)?;
        let arrival = request_sequence(&call.session, &folder);
        let title = "Kenning: context for files";
        let options = PackOptions {
            title,
            format: arguments.format,
            text: arguments.text.unwrap_or(false),
            configuration: arguments.configuration,
            explain: arguments.explain.unwrap_or(false),
            pack_root: arguments.pack_root,
            gcf_session: arguments.gcf_session,
            no_learning: arguments.no_learning.unwrap_or(false),
            ignore_shown: arguments.ignore_shown.unwrap_or(false),
        };
        answer_pack(&call, folder, arrival, PackRequest::Question(question), options).await
    }
}

/// Returns the folder that contains all of these files, and their paths in it.
///
/// # Errors
/// Returns `InvalidParams` with the name `uris` if the list is empty, if a file is not in an open
/// folder, or if the files are in several folders.
pub fn locate_files(session: &Session, uris: &[String]) -> Result<(Arc<ServedFolder>, Vec<String>)> {
    let mut common_folder: Option<Arc<ServedFolder>> = None;
    let mut paths = Vec::with_capacity(uris.len());
    for uri in uris {
        let Some((folder, path)) = locate_document(session, uri, "uris")? else {
            return Err(Error::invalid_params(format!("uris: {uri} is not in an open folder")));
        };
        if common_folder.as_ref().is_some_and(|known| !Arc::ptr_eq(known, &folder)) {
            return Err(Error::invalid_params(
                "uris: the files belong to several folders; send one request per folder",
            ));
        }
        common_folder = Some(folder);
        paths.push(path);
    }
    match common_folder {
        Some(folder) => Ok((folder, paths)),
        None => Err(Error::invalid_params("uris: the list is empty; pass at least one file")),
    }
}
