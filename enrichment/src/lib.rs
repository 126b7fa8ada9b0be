//! Downstream language servers: which there are for each language, which of them this machine has, and speaking with
//! one of them.
//!
//! The crate will turn their answers into facts. It must not know SQL, ranking or parsing.

pub mod lsp;
pub mod servers;
