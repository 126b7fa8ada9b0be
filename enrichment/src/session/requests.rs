//! The questions, as plain JSON: servers answer in more forms than the protocol's types have.

use super::locations::{LspLocation, parse_locations};
use lsp_types::Uri;
use lsp_types::request::Request;
use serde_json::{Value, json};

/// Declares requests whose parameters and answers are taken as they are.
macro_rules! plain {
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

plain! {
    /// Where a name is defined.
    Definition = "textDocument/definition",
    /// What implements a type or a method.
    Implementation = "textDocument/implementation",
    /// Where a symbol is used.
    References = "textDocument/references",
    /// The function at a place.
    PrepareCalls = "textDocument/prepareCallHierarchy",
    /// What a function calls.
    OutgoingCalls = "callHierarchy/outgoingCalls",
    /// The type at a place.
    PrepareTypes = "textDocument/prepareTypeHierarchy",
    /// The types above a type.
    Supertypes = "typeHierarchy/supertypes",
    /// What a file declares.
    DocumentSymbols = "textDocument/documentSymbol",
}

/// A position as servers count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LspPosition {
    pub line: u32,
    pub character: u32,
}

/// The parameters of a question about a place.
pub(crate) fn position_params(uri: &Uri, position: LspPosition) -> Value {
    let LspPosition { line, character } = position;
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// A call that a function makes.
pub(crate) struct ResolvedCall {
    pub target: LspLocation,
    pub from: Vec<(LspPosition, LspPosition)>,
}

/// Reads the answer to [`OutgoingCalls`]; what cannot be read is left out.
pub(crate) fn parse_outgoing_calls(answer: &Value) -> Vec<ResolvedCall> {
    let calls = answer.as_array().map_or(&[][..], Vec::as_slice);
    calls
        .iter()
        .filter_map(|call| {
            let target = parse_locations(&call["to"]).pop()?;
            let ranges = call["fromRanges"].as_array()?;
            let from = ranges.iter().filter_map(super::locations::parse_range).collect();
            Some(ResolvedCall { target, from })
        })
        .collect()
}
