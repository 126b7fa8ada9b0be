//! Requests for definitions without a graph. Benchmarks compare Kenning's own resolution with the
//! answers.

use super::file_uris::file_from_uri;
use super::locations::{LspLocation, parse_locations};
use super::requests::{Definition, LspPosition, position_params};
use crate::client::{ClientError, LanguageServer};
use lsp_types::Uri;
use std::path::PathBuf;
use std::time::Duration;

/// The start of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionLocation {
    /// The file; `None` if the definition is not in a file.
    pub file: Option<PathBuf>,
    /// 0-based line.
    pub line: u32,
    /// 0-based character, in the server's units ([`LanguageServer::position_encoding`]).
    pub character: u32,
}

/// Asks a server for the definitions of the name at a line and character of an open document, in
/// the units of [`DefinitionLocation`].
///
/// # Errors
/// Returns an error if the server does not answer within `limit`, refuses the request, or is gone.
pub async fn request_definitions(
    server: &LanguageServer,
    uri: &Uri,
    line: u32,
    character: u32,
    limit: Duration,
) -> Result<Vec<DefinitionLocation>, ClientError> {
    let answer = server
        .lsp_client()
        .send_request::<Definition>(position_params(uri, LspPosition { line, character }), limit)
        .await?;
    let definition = |LspLocation { uri, at }: LspLocation| DefinitionLocation {
        file: file_from_uri(&uri).ok(),
        line: at.line,
        character: at.character,
    };
    Ok(parse_locations(&answer).into_iter().map(definition).collect())
}
