//! Signatures only; replaced by the real thing.
#![allow(clippy::todo, unused_variables, missing_docs)]
use super::*;
use crate::hash::Hash;
use crate::facts::Import;
use crate::text::{TextParams, TextQuery};
use std::sync::Arc;
#[derive(Clone, Debug)]
pub struct Snapshot {}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageRoots { pub structure: Hash, pub content: Hash }
impl Snapshot {
    pub fn empty() -> Snapshot { todo!() }
    pub fn files(&self) -> Vec<FileId> { todo!() }
    pub fn file(&self, id: FileId) -> Option<FileRef<'_>> { todo!() }
    pub fn file_by_path(&self, path: &str) -> Option<FileId> { todo!() }
    pub fn files_in_folder(&self, folder: &str) -> Vec<FileId> { todo!() }
    pub fn files_of_package(&self, package: &str) -> Vec<FileId> { todo!() }
    pub fn file_imports(&self, id: FileId) -> Arc<[Import]> { todo!() }
    pub fn file_symbols(&self, id: FileId) -> Vec<SymbolId> { todo!() }
    pub fn symbols(&self) -> Vec<SymbolId> { todo!() }
    pub fn symbol(&self, id: SymbolId) -> Option<SymbolRef<'_>> { todo!() }
    pub fn symbol_by_hash(&self, hash: &Hash) -> Option<SymbolId> { todo!() }
    pub fn by_name(&self, name: &str) -> Vec<SymbolId> { todo!() }
    pub fn by_folded_name(&self, lower: &str) -> Vec<SymbolId> { todo!() }
    pub fn by_folded_prefix(&self, lower: &str, limit: usize) -> Vec<SymbolId> { todo!() }
    pub fn by_folded_substring(&self, lower: &str, limit: usize) -> Vec<SymbolId> { todo!() }
    pub fn symbol_count(&self) -> usize { todo!() }
    pub fn out_edges(&self, id: SymbolId) -> Vec<Edge> { todo!() }
    pub fn in_edges(&self, id: SymbolId) -> Vec<Edge> { todo!() }
    pub fn for_each_out(&self, id: SymbolId, f: impl FnMut(Edge)) { todo!() }
    pub fn for_each_in(&self, id: SymbolId, f: impl FnMut(Edge)) { todo!() }
    pub fn search_symbols(&self, query: &TextQuery, params: &TextParams) -> Vec<(SymbolId, f32)> { todo!() }
    pub fn search_files(&self, query: &TextQuery, params: &TextParams) -> Vec<(FileId, f32)> { todo!() }
    pub fn document_frequency(&self, token: &str) -> u32 { todo!() }
    pub fn document_count(&self) -> u32 { todo!() }
    pub fn source_root(&self) -> Hash { todo!() }
    pub fn package_root(&self, folder: &str) -> Option<PackageRoots> { todo!() }
    pub fn revision(&self) -> u64 { todo!() }
    pub fn counts(&self) -> Counts { todo!() }
    pub fn with_files(&self, changes: Vec<FileChange>) -> (Snapshot, ChangedKeys) { todo!() }
    pub fn with_edges(&self, edges: Vec<FileEdges>) -> Snapshot { todo!() }
    pub fn affected_by(&self, keys: &ChangedKeys) -> Vec<FileId> { todo!() }
}
