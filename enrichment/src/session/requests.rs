//! The protocol's requests that a session sends. Parameters and answers are plain JSON, because
//! servers answer in more forms than the protocol's types cover.

use super::locations::{LspLocation, parse_locations};
use lsp_types::Uri;
use lsp_types::request::Request;
use serde_json::{Value, json};

/// Declares requests whose parameters and answers are plain JSON.
macro_rules! json_requests {
    ($($(#[$meta:meta])* $name:ident = $method:literal,)+) => { $(
        $(#[$meta])*
        pub(crate) enum $name {}
        impl Request for $name {
            type Params = Value;
            type Result = Value;
            const METHOD: &'static str = $method;
        }
    )+ };
}

json_requests! {
    /// Asks for the definitions of a name.
    Definition = "textDocument/definition",
    /// Asks for the implementations of a type or method.
    Implementation = "textDocument/implementation",
    /// Asks for the uses of a symbol.
    References = "textDocument/references",
    /// Asks for the function at a position.
    PrepareCalls = "textDocument/prepareCallHierarchy",
    /// Asks for the calls that a function makes.
    OutgoingCalls = "callHierarchy/outgoingCalls",
    /// Asks for the type at a position.
    PrepareTypes = "textDocument/prepareTypeHierarchy",
    /// Asks for the supertypes of a type.
    Supertypes = "typeHierarchy/supertypes",
    /// Asks for the declarations of a file.
    DocumentSymbols = "textDocument/documentSymbol",
}

/// A position in the units of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LspPosition {
    pub line: u32,
    pub character: u32,
}

/// Builds the parameters of a request about a position of a document.
pub(crate) fn position_params(uri: &Uri, position: LspPosition) -> Value {
    let LspPosition { line, character } = position;
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// A call that a function makes.
pub(crate) struct ResolvedCall {
    pub target: LspLocation,
    /// Ranges of the called name in the function.
    pub from_ranges: Vec<(LspPosition, LspPosition)>,
}

/// Parses the answer to [`OutgoingCalls`]. Skips entries that cannot be read.
pub(crate) fn parse_outgoing_calls(answer: &Value) -> Vec<ResolvedCall> {
    let calls = answer.as_array().map_or(&[][..], Vec::as_slice);
    calls
        .iter()
        .filter_map(|call| {
            let target = parse_locations(&call["to"]).pop()?;
            let ranges = call["fromRanges"].as_array()?;
            let from_ranges = ranges.iter().filter_map(super::locations::parse_range).collect();
            Some(ResolvedCall { target, from_ranges })
        })
        .collect()
}
