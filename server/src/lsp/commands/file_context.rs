//! `kenning.fileContext`: the pack for files.

use super::{Arguments, answer_pack, arrival, file, format, question};
use crate::answer::About;
use crate::session::{Folder, Session};
use serde_json::Value;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};

/// `uris`, `budget?`, `format?`. All files must be of one folder.
pub async fn run(session: &Session, arguments: &Arguments) -> Result<Value> {
    let uris = arguments.texts("uris")?;
    let mut found: Option<Arc<Folder>> = None;
    let mut paths = Vec::with_capacity(uris.len());
    for uri in &uris {
        let located = file(uri)?.and_then(|file| session.locate(&file));
        let Some((folder, path)) = located else {
            return Err(Error::invalid_params(format!("uris: {uri} is no file of an open folder")));
        };
        if found.as_ref().is_some_and(|known| !Arc::ptr_eq(known, &folder)) {
            return Err(Error::invalid_params(
                "uris: the files belong to several folders; ask for each folder",
            ));
        }
        found = Some(folder);
        paths.push(path);
    }
    let question = question(About::Files(paths), arguments)?;
    let format = format(arguments)?;
    let Some(folder) = found else { return Err(Error::invalid_params("uris: the list is empty")) };
    let arrival = arrival(session, &folder);
    answer_pack(session, folder, arrival, question, None, format).await
}
