//! Kenning's binary as a library: the language server, the command line and the serialised formats.
//!
//! It must not know how text is parsed or how answers are ranked: it asks `kenning-indexing` and
//! `kenning-retrieval`, and translates.

mod allocator;
pub mod answer;
pub mod cancel;
pub mod change;
pub mod cli;
pub mod config;
pub mod doctor;
pub mod enrich;
pub mod format;
pub mod freshness;
pub mod grammars;
pub mod learning;
pub mod log;
pub mod lsp;
pub mod resolve_name;
pub mod session;
pub mod status;
pub mod timings;
