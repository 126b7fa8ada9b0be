//! Merkle roots: the leaves of files, the roots of packages (folders), the root of the workspace.
//!
//! In: the symbols, edges and contents of files. Out: hashes from which a cache or another machine
//! sees whether a part of the graph is the same. The base stores the leaves and the roots of its
//! folders; only the leaves and the roots that the overlay affects are computed.
//!
//! `source_root` covers the graph of the text and the contents that it came from. Invariant: two
//! machines that index the same text, in any order, in full or incrementally, compute the same
//! root.

use super::Snapshot;
use super::base::{ImageSection, PackageRecord};
use super::types::FileId;
use crate::hash::{Hash, HashBuilder};
use crate::paths::parent_folder;
use std::collections::BTreeMap;

/// The roots of one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageRoots {
    /// The root over symbol identities and edges. Learned data and cached walks depend on it.
    pub structure: Hash,
    /// The root over file contents. Cached packs depend on it.
    pub content: Hash,
    /// The root over the sections, edges and contents of the documents in the folder, which are
    /// part of no other root; zeros if the folder has no documents.
    pub documents: Hash,
}

impl Snapshot {
    /// Returns the root of the graph of the text. Computes it on first use, because every pack has
    /// it, and large workspaces have thousands of folders.
    pub fn source_root(&self) -> Hash {
        *self.source_root.get_or_init(|| self.compute_source_root())
    }

    fn compute_source_root(&self) -> Hash {
        let mut hasher = HashBuilder::new("source");
        for (folder, roots) in self.package_roots() {
            hasher.add_text(&folder).add_hash(&roots.structure).add_hash(&roots.content);
            if roots.documents != Hash::default() {
                hasher.add_hash(&roots.documents);
            }
        }
        hasher.finish()
    }

    /// Returns the roots of a folder; `None` if the folder has no file directly in it.
    pub fn package_root(&self, folder: &str) -> Option<PackageRoots> {
        if self.overlay.dirty_folders.contains(folder) {
            return self.compute_package(folder);
        }
        let records: &[PackageRecord] = self.base.section_slice(ImageSection::PackageRoots);
        let at = records.partition_point(|r| self.base.string_text(r.folder) < folder);
        records.get(at).filter(|r| self.base.string_text(r.folder) == folder).map(roots_from_record)
    }

    /// Returns the roots of every folder that has files directly in it.
    pub fn package_roots(&self) -> BTreeMap<String, PackageRoots> {
        let records: &[PackageRecord] = self.base.section_slice(ImageSection::PackageRoots);
        let mut all: BTreeMap<String, PackageRoots> = records
            .iter()
            .map(|r| (self.base.string_text(r.folder).to_owned(), roots_from_record(r)))
            .filter(|(folder, _)| !self.overlay.dirty_folders.contains(folder.as_str()))
            .collect();
        for folder in &self.overlay.dirty_folders {
            if let Some(roots) = self.compute_package(folder) {
                all.insert(folder.to_string(), roots);
            }
        }
        all
    }

    fn compute_package(&self, folder: &str) -> Option<PackageRoots> {
        let files = self.files_in_folder(folder);
        if files.is_empty() {
            return None;
        }
        let (mut structure, mut content) = (HashBuilder::new("structure"), HashBuilder::new("content"));
        let mut documents: Option<HashBuilder> = None;
        for id in files {
            let Some(file) = self.file(id) else { continue };
            debug_assert_eq!(parent_folder(file.path), folder);
            if file.is_document {
                let documents = documents.get_or_insert_with(|| HashBuilder::new("documents"));
                documents.add_text(file.path).add_hash(&self.structure_leaf(id)).add_hash(&file.content_hash);
                continue;
            }
            structure.add_text(file.path).add_hash(&self.structure_leaf(id));
            content.add_text(file.path).add_hash(&file.content_hash);
        }
        let documents = documents.map_or_else(Hash::default, HashBuilder::finish);
        Some(PackageRoots { structure: structure.finish(), content: content.finish(), documents })
    }

    /// Returns the leaf of one file: the hash of its symbols and of the edges that it shows.
    pub(crate) fn structure_leaf(&self, id: FileId) -> Hash {
        match self.overlay.layers.get(&id) {
            Some(layer) => *layer.leaf.get_or_init(|| self.compute_leaf(id)),
            None => self
                .base
                .file_records()
                .get(id.0 as usize)
                .map_or_else(Hash::default, |f| Hash(f.structure_leaf)),
        }
    }

    fn compute_leaf(&self, id: FileId) -> Hash {
        let mut symbols: Vec<Hash> = self.file_symbol_refs(id).into_iter().map(|s| s.hash).collect();
        symbols.sort_unstable();
        let mut hasher = HashBuilder::new("leaf");
        hasher.add_number(symbols.len() as u64);
        for symbol in &symbols {
            hasher.add_hash(symbol);
        }
        let mut record = [0u8; 66];
        for edge in self.owned_edges(id) {
            record[..32].copy_from_slice(&self.hash_of_symbol(edge.source).0);
            record[32..64].copy_from_slice(&self.hash_of_symbol(edge.target).0);
            record[64] = edge.kind.number();
            record[65] = edge.provenance.number();
            hasher.add_bytes(&record);
        }
        hasher.finish()
    }
}

fn roots_from_record(record: &PackageRecord) -> PackageRoots {
    PackageRoots {
        structure: Hash(record.structure),
        content: Hash(record.content),
        documents: Hash(record.documents),
    }
}
