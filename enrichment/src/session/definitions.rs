//! Where a name is defined, asked without a graph: benchmarks learn from it what is true.

use super::file_uris::file_from_uri;
use super::locations::{LspLocation, parse_locations};
use super::requests::{Definition, LspPosition, position_params};
use crate::client::{ClientError, LanguageServer};
use lsp_types::Uri;
use std::path::PathBuf;
use std::time::Duration;

/// Where a server says that the name at a line and a character of an open document is defined, in whatever form it answers:
/// files (`None` for what stands in none), lines and characters, both from 0 and as the server counts them
/// ([`LanguageServer::position_encoding`]).
///
/// # Errors
/// When the server gives no answer within `limit`, refuses one, or is gone.
pub async fn request_definitions(
    server: &LanguageServer,
    uri: &Uri,
    (line, character): (u32, u32),
    limit: Duration,
) -> Result<Vec<(Option<PathBuf>, u32, u32)>, ClientError> {
    let answer = server
        .lsp_client()
        .send_request::<Definition>(position_params(uri, LspPosition { line, character }), limit)
        .await?;
    let led = parse_locations(&answer).into_iter();
    Ok(led.map(|LspLocation { uri, at }| (file_from_uri(&uri).ok(), at.line, at.character)).collect())
}
