//! Indexing: turns text into symbols and references, references into edges, and changed files into
//! a changed graph.
//!
//! `walk` lists the files of a workspace, `extract` turns each file's text into facts, `project`
//! reads the manifests, and `resolve` turns the facts of all files into edges. `git` reads the
//! repository, and `workspace` owns the databases and keeps the snapshot up to date. `highlight`
//! colors code for terminals.

mod bounded_parse;
mod builtins;
mod derived;
pub mod extract;
pub mod git;
pub mod hidden_values;
pub mod highlight;
pub mod languages;
pub mod named_file;
mod pattern_list;
pub mod project;
pub mod reader_threads;
pub mod resolve;
pub mod runs;
pub mod walk;
pub mod workspace;
