//! Requests for definitions without a graph. Benchmarks compare Kenning's own resolution with the
//! answers.

use super::file_uris::file_from_uri;
use super::locations::{LspLocation, parse_locations};
use super::requests::{Definition, LspPosition, position_params};
use crate::client::{ClientError, LanguageServer};
use lsp_types::Uri;
use std::path::PathBuf;
use std::time::Duration;

/// Asks a server for the definitions of the name at a line and character of an open document.
/// Returns the file, line and character of each definition; the file is `None` if the definition is
/// not in a file. Lines and characters count from 0, in the server's units
/// ([`LanguageServer::position_encoding`]).
///
/// # Errors
/// Returns an error if the server does not answer within `limit`, refuses the request, or is gone.
pub async fn request_definitions(
    server: &LanguageServer,
    uri: &Uri,
    line: u32,
    character: u32,
    limit: Duration,
) -> Result<Vec<(Option<PathBuf>, u32, u32)>, ClientError> {
    let answer = server
        .lsp_client()
        .send_request::<Definition>(position_params(uri, LspPosition { line, character }), limit)
        .await?;
    let locations = parse_locations(&answer).into_iter();
    Ok(locations.map(|LspLocation { uri, at }| (file_from_uri(&uri).ok(), at.line, at.character)).collect())
}
