//! Downstream language servers: which there are for each language, and which of them this machine has.
//!
//! The crate will drive them and turn their answers into facts. It must not know SQL, ranking or parsing.

pub mod servers;
