//! Kenning's binary as a library: the language server, the command line and the serialized formats.
//!
//! Input comes as command-line arguments (`cli`) or as messages of the language server protocol
//! (`lsp`, `session`). Both turn it into a question and a snapshot, which `answer` passes to
//! `kenning-retrieval`; `format` serializes the result, and `terminal` renders it for a terminal.
//! `config` reads the settings, `enrich` connects `kenning-enrichment` to a workspace, `learning`
//! keeps feedback, `agents` configures the clients of AI agents, `cache` manages the cache folder,
//! and `doctor`, `status` and `freshness` report on all of them.
//!
//! This crate knows neither how text is parsed nor how answers are ranked: it asks
//! `kenning-indexing` and `kenning-retrieval`, and translates.

pub mod agents;
mod allocator;
pub mod answer;
pub mod cache;
pub mod cancel;
pub mod change;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod enrich;
mod file_write;
pub mod format;
pub mod freshness;
pub mod grammars;
mod hash_prefix;
pub mod knowledge;
pub mod learning;
pub mod log;
pub mod lsp;
pub mod mcp;
mod module_names;
pub mod rank_overrides;
pub mod ranking_choice;
pub mod resolve_name;
pub mod session;
pub mod session_link;
pub mod session_sockets;
mod shell_words;
mod similar_names;
pub mod status;
pub mod symbol_names;
pub mod terminal;
pub mod test_commands;
#[cfg(test)]
mod test_workspace;
pub mod timings;
pub mod vectors;
pub mod workspace_search;
pub mod written_position;
