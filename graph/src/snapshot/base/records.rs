//! Fixed-size records of the base file.
//!
//! The base file is mapped into memory, and its sections are read in place as slices of these
//! records. Strings, files and symbols are numbers, which are indices into the other sections;
//! [`NONE`] stands for an absent number.
//!
//! Invariants: a record has no padding, and its layout is part of the format of the file. The
//! numbers are little-endian, as all supported targets are.

use crate::sketch::BodySketch;
use crate::snapshot::CallStats;
use crate::text;
use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

#[cfg(target_endian = "big")]
compile_error!("the base file is read in place and is little-endian");

/// The value that represents an absent optional number.
pub(crate) const NONE: u32 = u32::MAX;

/// The values that describe a base as a whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BaseMeta {
    /// The revision of the graph that the image shows.
    pub revision: u64,
    /// The number of documents of each corpus of the text index.
    pub documents: [u32; text::CORPUS_COUNT],
    /// The sum of the lengths of all documents of each corpus, by field.
    pub totals: [[u64; text::FIELDS]; text::CORPUS_COUNT],
    /// The number of the first phantom; all symbols before it belong to the workspace.
    pub first_phantom: u32,
    /// The number of symbols that are neither files nor phantoms nor sections of documents.
    pub symbols: u32,
    /// The number of edges, mirrors included.
    pub edges: u32,
}

/// A file; sorted by path. Strings are numbers of interned strings.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FileRecord {
    pub content: [u8; 32],
    /// The leaf of the file in the Merkle tree of the structure: the hash over its symbols and edges.
    pub structure_leaf: [u8; 32],
    pub size: u64,
    pub mtime_ns: i64,
    pub path: u32,
    pub language: u32,
    pub package: u32,
    pub lines: u32,
    pub first_symbol: u32,
    pub symbol_count: u32,
    pub resolved: u32,
    pub ambiguous: u32,
    pub external: u32,
    pub unresolved: u32,
    pub lookups_start: u32,
    pub lookups_len: u32,
    pub imports_start: u32,
    pub imports_len: u32,
    /// [`FILE_DOCUMENT`] or 0.
    pub flags: u32,
    pub reserved: u32,
}

/// Flag of [`FileRecord::flags`]: the file is a document.
pub(crate) const FILE_DOCUMENT: u32 = 1;

impl FileRecord {
    /// Returns the file's call counts by resolution result.
    pub fn call_stats(&self) -> CallStats {
        CallStats {
            resolved: self.resolved,
            ambiguous: self.ambiguous,
            external: self.external,
            unresolved: self.unresolved,
        }
    }
}

/// A symbol; sorted by file and position, phantoms last. Strings are numbers of interned strings.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SymbolRecord {
    pub hash: [u8; 32],
    pub body_hash: u64,
    pub file: u32,
    pub parent: u32,
    pub name: u32,
    /// For phantoms, the package.
    pub container: u32,
    pub signature: u32,
    pub doc: u32,
    pub params: u32,
    pub ty: u32,
    pub bases: u32,
    /// The start byte, the end byte, the start line and the end line. Lines count from 0.
    pub span: [u32; 4],
    /// The start byte, the length in bytes, the line and the column. Both count from 0.
    pub name_span: [u32; 4],
    pub kind: u8,
    pub visibility: u8,
    pub flags: u8,
    pub arity: u8,
}

/// Flag of [`SymbolRecord::flags`]: the text marks the symbol as a test.
pub(crate) const SYMBOL_TEST: u8 = 1;
/// Flag of [`SymbolRecord::flags`]: the symbol is a document of the text index.
pub(crate) const SYMBOL_DOCUMENT: u8 = 2;
/// Flag of [`SymbolRecord::flags`]: `arity` has a value.
pub(crate) const SYMBOL_HAS_ARITY: u8 = 4;

/// An edge, in the row of its source; sorted by kind and target.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct EdgeRecord {
    pub target: u32,
    pub line: u32,
    pub kind: u8,
    pub provenance: u8,
    /// The confidence in hundredths.
    pub confidence: u8,
    /// [`EDGE_FOREIGN`] and [`EDGE_FROM_DOCUMENT`].
    pub flags: u8,
}

/// Flag of [`EdgeRecord::flags`]: the edge belongs to a file other than its source's; see
/// [`ForeignOwner`].
pub(crate) const EDGE_FOREIGN: u8 = 1;
/// Flag of [`EdgeRecord::flags`]: the edge belongs to a document.
pub(crate) const EDGE_FROM_DOCUMENT: u8 = 2;

/// An edge, in the row of its target.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct IncomingRecord {
    pub source: u32,
    /// The index into the out-edges.
    pub edge: u32,
}

/// The owner of an edge that its source's file does not own; sorted by edge.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ForeignOwner {
    pub edge: u32,
    pub file: u32,
}

/// The sketch of a symbol's body; sorted by symbol.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SketchRecord {
    pub symbol: u32,
    pub sketch: BodySketch,
}

/// The Merkle roots of a folder; sorted by folder.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PackageRecord {
    pub structure: [u8; 32],
    pub content: [u8; 32],
    pub documents: [u8; 32],
    pub folder: u32,
    pub reserved: u32,
}
