//! Finds the files that no one edits: generated code, build output and marked copies.
//!
//! In: the text of a file, what surrounds it, and the definitions of all files. Out: evidence
//! ([`kenning_graph::derived`]), which the workspace stores and attaches to the graph. The name of
//! a folder is no evidence, because people write code in folders called `dist`.
//!
//! * [`text_marks`]: what the head, the last lines and the module loader of a text state;
//! * [`built_files`]: files that repeat the definitions of several others.
//!
//! The walk adds what attributes and source maps beside a file state (`walk/git_attributes.rs`).

mod built_files;
mod text_marks;

pub(crate) use built_files::find_built_files;
pub(crate) use text_marks::reason_in_text;
