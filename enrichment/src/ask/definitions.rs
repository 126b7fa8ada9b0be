//! Where a name is defined, asked without a graph: benchmarks learn from it what is true.

use super::places::{Place, places};
use super::requests::{Definition, Position, at};
use super::uris::file_of;
use crate::lsp::{ClientError, LanguageServer};
use lsp_types::Uri;
use std::path::PathBuf;
use std::time::Duration;

/// Where a server says that the name at a line and a character of an open document is defined, in whatever form it answers:
/// files (`None` for what stands in none), lines and characters, both from 0 and as the server counts them
/// ([`LanguageServer::encoding`]).
///
/// # Errors
/// When the server gives no answer within `limit`, refuses one, or is gone.
pub async fn definitions(
    server: &LanguageServer,
    uri: &Uri,
    (line, character): (u32, u32),
    limit: Duration,
) -> Result<Vec<(Option<PathBuf>, u32, u32)>, ClientError> {
    let answer = server.client().request::<Definition>(at(uri, Position { line, character }), limit).await?;
    let led = places(&answer).into_iter();
    Ok(led.map(|Place { uri, at }| (file_of(&uri).ok(), at.line, at.character)).collect())
}
