//! Shows the result of a command to the user, for clients that only send commands, as a Markdown
//! document in the user's cache folder.
//!
//! Any command with the argument `show: true` is shown in this way, in its Markdown format.

use super::capabilities;
use crate::cache::{is_document_name, is_file};
use kenning_graph::Hash;
use lsp_types::{MessageType, ShowDocumentParams, Uri};
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tower_lsp::Client;

/// Maximum number of generated documents in the folder.
const MAX_DOCUMENTS: usize = 50;
/// Maximum number of lines of a result that a message shows. A blast radius can have hundreds.
const MAX_MESSAGE_LINES: usize = 12;

/// Whether the result has to be shown. If so, sets the `format` argument to Markdown.
pub fn is_show_requested(arguments: &mut [Value]) -> bool {
    let Some(Value::Object(fields)) = arguments.first_mut() else { return false };
    let is_requested = fields.get("show") == Some(&Value::Bool(true));
    if is_requested {
        fields.insert("format".to_owned(), Value::String("markdown".to_owned()));
    }
    is_requested
}

/// Shows the text of a result as a document if the client opens documents, otherwise as a message.
pub async fn show_result(
    client: &Client,
    capabilities: capabilities::ClientFeatures,
    cache: Option<PathBuf>,
    command: &str,
    result: &Value,
) {
    let Some(text) = result.get("text").and_then(Value::as_str).map(str::to_owned) else { return };
    let name = file_name(command, &text);
    let content = text.clone();
    let written = tokio::task::spawn_blocking(move || {
        let folder = cache.ok_or_else(|| io::Error::other("no cache folder found"))?.join("shown");
        write_document(&folder, &name, &content)
    });
    let file = match written.await {
        Ok(Ok(file)) => Some(file),
        Ok(Err(error)) => {
            tracing::warn!(%error, "cannot write a result to the cache folder");
            None
        }
        Err(_) => None,
    };
    if let Some(uri) = file.as_ref().filter(|_| capabilities.show_document).and_then(Uri::from_file_path) {
        let params = ShowDocumentParams { uri, external: None, take_focus: Some(true), selection: None };
        if client.show_document(params).await.unwrap_or(false) {
            return;
        }
    }
    client.show_message(MessageType::INFO, result_message(&text, file.as_deref())).await;
}

/// Returns the message for a result: the path of the whole text, and then its first lines. The path
/// comes first because some clients show only one line.
fn result_message(text: &str, file: Option<&Path>) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut message: Vec<String> = Vec::new();
    if let Some(file) = file.filter(|_| lines.len() > 1) {
        message.push(format!("{}:", file.display()));
    }
    message.extend(lines.iter().take(MAX_MESSAGE_LINES).map(|line| (*line).to_owned()));
    if lines.len() > MAX_MESSAGE_LINES {
        message.push("…".to_owned());
    }
    message.join("\n")
}

/// Returns the name of the document, from the command and the title, so that the same question
/// opens the same document.
fn file_name(command: &str, text: &str) -> String {
    let title = text.lines().next().unwrap_or("");
    let command = command.rsplit('.').next().unwrap_or(command);
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let title_words: String = title.trim_start_matches('#').trim().chars().take(40).map(word).collect();
    let hash = Hash::from_content(title.as_bytes()).to_hex();
    format!("{command}-{}-{}.md", title_words.trim_matches('-'), &hash[..8])
}

/// Writes the document to a temporary file and renames it. Deletes the oldest documents beyond
/// [`MAX_DOCUMENTS`]; files that Kenning did not write stay.
fn write_document(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    if !std::fs::symlink_metadata(folder)?.is_dir() {
        return Err(io::Error::other(format!("{} is a link", folder.display())));
    }
    let mut documents: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .filter(|(_, path)| {
            is_file(path) && path.file_name().and_then(|n| n.to_str()).is_some_and(is_document_name)
        })
        .collect();
    documents.sort();
    for (_, old) in documents.iter().take((documents.len() + 1).saturating_sub(MAX_DOCUMENTS)) {
        // Another session may have deleted the file already.
        let _ = std::fs::remove_file(old);
    }
    let (file, temporary) = (folder.join(name), folder.join(format!("{name}.{}.tmp", std::process::id())));
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, &file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_is_shown_only_if_requested() {
        let mut arguments = [json!({ "symbol": "x", "show": true, "format": "json" })];
        assert!(is_show_requested(&mut arguments));
        assert_eq!(arguments[0]["format"], "markdown");
        for other in [json!({ "show": "yes" }), json!({ "show": false }), json!([1]), json!(null)] {
            assert!(!is_show_requested(&mut [other]));
        }
        assert!(!is_show_requested(&mut []));
    }

    #[test]
    fn a_file_name_contains_no_path_characters() {
        let name = file_name("kenning.blastRadius", "# Blast radius of `../../etc/passwd`\n\nx");
        assert!(name.starts_with("blastRadius-Blast-radius-of--"), "{name}");
        assert!(!name.contains(['/', '\\', '`', ' ']) && !name.contains(".."), "{name}");
        assert_eq!(name, file_name("kenning.blastRadius", "# Blast radius of `../../etc/passwd`\nother"));
    }

    #[test]
    fn old_documents_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("notes.md"), "mine").unwrap();
        for n in 0..MAX_DOCUMENTS + 5 {
            let name = file_name("kenning.blastRadius", &format!("# {n}"));
            write_document(folder.path(), &name, "text").unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), MAX_DOCUMENTS + 1);
        assert!(folder.path().join("notes.md").exists());
    }

    #[test]
    fn a_long_result_is_cut_in_a_message() {
        let lines: Vec<String> = (0..40).map(|n| format!("line {n}")).collect();
        let text = lines.join("\n\n");
        let shown = result_message(&text, Some(Path::new("/c/x.md")));
        assert!(shown.starts_with("/c/x.md:\nline 0\n") && shown.ends_with("line 11\n…"), "{shown}");
        assert_eq!(result_message("a\n\nb\n", None), "a\nb");
        assert_eq!(result_message("a\n", Some(Path::new("/c/x.md"))), "a");
    }
}
