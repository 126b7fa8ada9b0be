//! Connects Kenning to the clients of AI agents: writes their configuration, a skill, hooks and
//! sub-agent files, and removes exactly that again.
//!
//! `clients.toml` holds all facts about the clients (`client_table`, `path_template`). For the
//! chosen clients and parts, `wanted_items` lists the items that belong in their files.
//! `change_plan` compares the items with the files and plans the new texts, which `config_document`
//! edits without touching the rest of a file. `text_diff` shows the plan, and `file_changes` writes
//! it.
//!
//! `install_record` stores the written items in the user's data folder: the text that an item
//! inserted and the text that it replaced, never the rest of a file. `kenning agents uninstall`
//! puts the replaced text back in place of the inserted text, so that the file has its earlier
//! bytes. If the inserted text has changed, or the record is lost, only the item itself is removed.
//!
//! Invariants: no file outside of the plan is written, a file that changed since the plan was made
//! is left alone, and a file that cannot be parsed is never written. There is no network access.
//!
//! This module knows nothing about ranking, the index, the language server or the tools of the MCP
//! server. It knows the commands `kenning mcp`, `kenning serve` and `kenning agents hook` only as
//! texts that clients start.

pub mod change_plan;
pub mod client_status;
pub mod client_table;
pub mod config_document;
pub mod file_changes;
pub mod file_extensions;
pub mod hook_message;
pub mod install_record;
mod json_document;
pub mod path_template;
pub mod text_change;
pub mod text_diff;
mod toml_document;
pub mod value_template;
pub mod wanted_items;

#[cfg(test)]
mod tests;

use kenning_indexing::named_file::FileRefusal;
use std::path::PathBuf;
use thiserror::Error;

/// The name of Kenning's entry in the tables of clients.
pub const ENTRY_NAME: &str = "kenning";

/// The reason why a client cannot be configured.
#[derive(Debug, Error)]
pub enum AgentError {
    /// The system refuses to read or write a file.
    #[error("{} cannot be {verb}: {error}; check its permissions", path.display())]
    File {
        /// The path of the file or folder.
        path: PathBuf,
        /// The refused operation: `read`, `written` or `removed`.
        verb: &'static str,
        /// The system's error.
        error: std::io::Error,
    },
    /// A file has a syntax error.
    #[error("{}, line {line}: {message}; correct the file, then run the command again", path.display())]
    Syntax {
        /// The path of the file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
    /// A file has another structure than the client documents.
    #[error("{}: {key} is not {expected}; correct the file, then run the command again", path.display())]
    Shape {
        /// The path of the file.
        path: PathBuf,
        /// The dotted key of the value.
        key: String,
        /// The kind of value that the client documents: `an object` or `a list`.
        expected: &'static str,
    },
    /// A key occurs twice in an object. Clients read the last one, and other programs the first.
    #[error(
        "{}: the key {key} occurs more than once; remove all but one of them, then run the command again",
        path.display()
    )]
    DuplicateKey {
        /// The path of the file.
        path: PathBuf,
        /// The dotted key.
        key: String,
    },
    /// A file is not one that Kenning reads.
    #[error("{} {refusal}; it is left alone", path.display())]
    Refused {
        /// The path of the file.
        path: PathBuf,
        /// The reason, which completes the sentence "the file ...".
        refusal: FileRefusal,
    },
    /// A file is not text.
    #[error("{} is not UTF-8 text; it is left alone", .0.display())]
    NotText(PathBuf),
    /// A file changed between the plan and the writing.
    #[error("{} changed in the meantime; nothing was written to it, run the command again", .0.display())]
    Changed(PathBuf),
    /// The record of the installed items is damaged.
    #[error("{} is damaged: {message}; delete it, and kenning agents uninstall removes what it recognizes", path.display())]
    Record {
        /// The path of the record.
        path: PathBuf,
        /// The problem with its content.
        message: String,
    },
    /// The path of a workspace's file leads out of the workspace through a link.
    #[error("{} leads out of the workspace; nothing is read or written there", .0.display())]
    OutsideProject(PathBuf),
    /// The user has no home folder.
    #[error("no home folder found; set HOME")]
    NoHome,
    /// The path of the program cannot be part of a shell command.
    #[error("{0} contains characters that a shell interprets, so hooks cannot start it; put kenning on PATH")]
    Unquotable(String),
}

impl AgentError {
    /// Creates an error of the system about a file.
    pub fn new_file(path: &std::path::Path, verb: &'static str, error: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), verb, error }
    }
}
