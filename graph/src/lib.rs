//! Kenning's code graph: its vocabulary, its SQLite store and the snapshot everything reads.
//!
//! This crate holds the only SQL of the project. It must not know how text is parsed (`kenning-indexing`),
//! how answers are ranked (`kenning-retrieval`) or which protocol carries them (`kenning`).

pub mod analysis;
pub mod blame;
pub mod commits;
pub mod credentials;
pub mod facts;
pub mod hash;
pub mod packages;
pub mod paths;
pub mod positions;
pub mod private_files;
pub mod receiver_notation;
pub mod sketch;
pub mod snapshot;
pub mod static_members;
pub mod store;
pub mod text;
pub mod verdicts;
pub mod vocabulary;

pub use facts::FileFacts;
pub use hash::Hash;
pub use snapshot::{Edge, FileId, FileRef, Snapshot, SymbolId, SymbolRef};
pub use vocabulary::{EdgeKind, Provenance, SymbolKind, Visibility};
