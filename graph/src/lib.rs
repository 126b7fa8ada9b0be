//! Kenning's code graph: its vocabulary, its SQLite store and the snapshot that everything reads.
//!
//! Indexing writes facts and edges here, language servers contribute verdicts, and ranking and the
//! server read snapshots. The crate has four layers:
//!
//! * `vocabulary`, `hash`, `facts` and the smaller modules define the plain data that other crates
//!   exchange.
//! * [`store`] keeps that data in SQLite databases. It holds the only SQL of the project.
//! * [`snapshot`] joins a base image with the overlay of changed files into one immutable graph
//!   with a text index ([`text`], [`analysis`]).
//! * [`verdicts`] adds the answers of language servers to that graph as a layer.
//!
//! The crate must not know how text is parsed (`kenning-indexing`), how answers are ranked
//! (`kenning-retrieval`) or which protocol carries them (`kenning`).

pub mod analysis;
pub mod blame;
pub mod commits;
pub mod credentials;
pub mod derived;
pub mod facts;
pub mod hash;
pub mod packages;
pub mod paths;
pub mod positions;
pub mod private_files;
pub mod receiver_notation;
pub mod runs;
pub mod sketch;
pub mod snapshot;
pub mod static_members;
pub mod store;
pub mod text;
pub mod vectors;
pub mod verdicts;
pub mod vocabulary;

pub use facts::FileFacts;
pub use hash::Hash;
pub use snapshot::{Edge, FileId, FileRef, Snapshot, SymbolId, SymbolRef};
pub use vocabulary::{EdgeKind, Provenance, SymbolKind, Visibility};
