//! The snapshot: an immutable view of the whole graph and its text index that everything reads.
//!
//! `Snapshot` = an immutable [`base`](Base) (compressed, memory-mapped) + an overlay for files that changed since the
//! base was written (design `architecture.md`, "A snapshot is cheap to change"). Changing a snapshot gives a new one;
//! readers keep theirs. A file is the unit of change; a symbol that keeps its identity keeps its [`SymbolId`].

mod stub;
mod types;
pub use stub::*;
pub use types::*;
