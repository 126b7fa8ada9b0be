//! Converts the protocol's types to the session's.

use crate::session::documents::TextEdit;
use kenning_graph::positions::{PositionEncoding, TextPosition};
use lsp_types::{
    ClientCapabilities, InitializeParams, PositionEncodingKind, TextDocumentContentChangeEvent, Uri,
};
use std::path::PathBuf;

/// Returns the position encoding to use: UTF-16 if the client offers it or offers nothing, because
/// mixed encodings in one buffer confuse editors; else UTF-8, else UTF-32.
pub fn negotiate_encoding(offered: &ClientCapabilities) -> PositionEncoding {
    let offers = offered.general.as_ref().and_then(|g| g.position_encodings.as_deref()).unwrap_or_default();
    let has = |kind: PositionEncodingKind| offers.contains(&kind);
    if offers.is_empty() || has(PositionEncodingKind::UTF16) {
        PositionEncoding::Utf16
    } else if has(PositionEncodingKind::UTF8) {
        PositionEncoding::Utf8
    } else if has(PositionEncodingKind::UTF32) {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

/// Returns the file that a URI names; `None` for unsaved (`untitled:`) documents and other URIs
/// that are not files.
pub fn file_path(uri: &Uri) -> Option<PathBuf> {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    uri.to_file_path().map(std::borrow::Cow::into_owned)
}

/// Returns the folders that the client opened, in its order.
pub fn workspace_folders(params: &InitializeParams) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> =
        params.workspace_folders.iter().flatten().filter_map(|folder| file_path(&folder.uri)).collect();
    if !folders.is_empty() {
        return folders;
    }
    // Older clients name only one root.
    #[expect(deprecated, reason = "clients without workspace folders still send them")]
    let (uri, path) = (params.root_uri.as_ref(), params.root_path.as_ref());
    uri.and_then(file_path).or_else(|| path.map(PathBuf::from)).into_iter().collect()
}

/// Converts one change of a document to an edit.
pub fn text_edit(event: TextDocumentContentChangeEvent) -> TextEdit {
    match event.range {
        None => TextEdit::Whole(event.text),
        Some(range) => TextEdit::Range {
            start: text_position(range.start),
            end: text_position(range.end),
            text: event.text,
        },
    }
}

/// Converts a position.
pub fn text_position(position: lsp_types::Position) -> TextPosition {
    TextPosition { line: position.line, character: position.character }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn negotiated(offers: Value) -> PositionEncoding {
        let offered = json!({ "general": { "positionEncodings": offers } });
        negotiate_encoding(&serde_json::from_value(offered).unwrap())
    }

    #[test]
    fn utf_16_wins_whenever_it_is_offered_or_nothing_is() {
        assert_eq!(negotiate_encoding(&ClientCapabilities::default()), PositionEncoding::Utf16);
        assert_eq!(negotiated(json!([])), PositionEncoding::Utf16);
        assert_eq!(negotiated(json!(["utf-8", "utf-16"])), PositionEncoding::Utf16);
        assert_eq!(negotiated(json!(["utf-32", "utf-8"])), PositionEncoding::Utf8);
        assert_eq!(negotiated(json!(["utf-32"])), PositionEncoding::Utf32);
        assert_eq!(negotiated(json!(["utf-7"])), PositionEncoding::Utf16);
    }

    #[test]
    #[cfg(unix)]
    fn only_file_uris_name_files() {
        let path = |uri: &str| file_path(&uri.parse().unwrap());
        assert_eq!(path("file:///a%20b/%C3%A9.py"), Some("/a b/é.py".into()));
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("vscode-notebook-cell:/a.ipynb#1"), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_client_without_folders_may_name_a_root() {
        let folders = |params: Value| workspace_folders(&serde_json::from_value(params).unwrap());
        let listed = json!([{ "uri": "file:///a", "name": "a" }, { "uri": "file:///b", "name": "b" }]);
        let both = json!({ "capabilities": {}, "workspaceFolders": listed, "rootUri": "file:///c" });
        assert_eq!(folders(both), [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!(folders(json!({ "capabilities": {}, "rootUri": "file:///c" })), [PathBuf::from("/c")]);
        assert_eq!(folders(json!({ "capabilities": {}, "rootPath": "/d" })), [PathBuf::from("/d")]);
        assert!(folders(json!({ "capabilities": {}, "workspaceFolders": null, "rootUri": null })).is_empty());
    }
}
