//! The overlay: the files that differ from the base, in values that are cheap to share between
//! snapshots.
//!
//! [`SnapshotOverlay::layers`] has the content and the edges of each changed file. All other maps
//! are indexes over the layers, which `overlay_updates` keeps up to date. Ids of the base start at
//! 0; `next_symbol` and `next_file` start after them and number the symbols and files that the base
//! lacks.

use super::base_types::encode_base_types;
use super::identity;
use super::shared_map::SharedMap;
use super::types::{CallStats, EdgeTarget, FileId, SymbolId};
use crate::facts::{FileFacts, ImportFact, MountFact};
use crate::hash::Hash;
use crate::sketch::BodySketch;
use crate::text::{FileTextIndex, TextTotals, document_flags};
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// The new content of one file.
#[derive(Debug)]
pub(crate) struct FileContent {
    pub path: Arc<str>,
    pub facts: Arc<FileFacts>,
    pub sha256: Hash,
    pub size: u64,
    pub mtime_ns: i64,
    /// The ids of the file symbol and of every symbol of `facts`, in order.
    pub ids: Vec<SymbolId>,
    /// The identities of `ids`, in the same order.
    pub hashes: Vec<Hash>,
    /// The encoded base lists of the symbols of `facts`.
    pub bases: Vec<Box<str>>,
    /// Whether each symbol of `facts` is a document of the text index.
    pub documents: Vec<bool>,
    pub imports: Arc<[ImportFact]>,
    pub mounts: Arc<[MountFact]>,
    /// The number and lengths of the documents of this file.
    pub totals: TextTotals,
    index: OnceLock<FileTextIndex>,
    /// Indexes into `facts.symbols`, sorted by name and position; built on the first lookup of a
    /// name.
    names: OnceLock<Box<[u32]>>,
    /// Whether the data that only resolution reads was dropped from `facts`.
    pub has_dropped_references: bool,
}

impl FileContent {
    /// Creates the content of a file from its facts. `hashes` and `ids` are the identities of its
    /// symbols, in the order of the facts.
    pub fn new(
        path: &str,
        facts: Arc<FileFacts>,
        sha256: Hash,
        size: u64,
        mtime_ns: i64,
        hashes: Vec<Hash>,
        ids: Vec<SymbolId>,
    ) -> Self {
        let documents = document_flags(&facts);
        Self {
            path: path.into(),
            totals: TextTotals::from_facts(path, &facts, &documents),
            sha256,
            size,
            mtime_ns,
            ids,
            hashes,
            bases: facts.symbols.iter().map(|s| encode_base_types(&s.bases).into()).collect(),
            documents,
            imports: facts.imports.clone().into(),
            mounts: facts.mounts.clone().into(),
            facts,
            index: OnceLock::new(),
            names: OnceLock::new(),
            has_dropped_references: false,
        }
    }

    /// Returns the symbols that have a sketch of their body.
    pub fn sketched_symbols(&self) -> impl Iterator<Item = (SymbolId, &BodySketch)> {
        // The first id is the file symbol's.
        let id = |symbol: u32| self.ids.get(symbol as usize + 1).copied();
        self.facts.sketches.iter().filter_map(move |(symbol, sketch)| Some((id(*symbol)?, sketch)))
    }

    /// Returns the symbols with exactly this simple name, in source order, without sections. Uses
    /// binary search, because large files can have thousands of symbols.
    pub fn symbols_named(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        let symbols = &self.facts.symbols;
        let name_of = |&index: &u32| symbols.get(index as usize).map_or("", |symbol| symbol.name.as_str());
        let order = self.names.get_or_init(|| {
            let mut order: Vec<u32> = (0..symbols.len() as u32).collect();
            order.retain(|&index| symbols[index as usize].kind != SymbolKind::Section);
            order.sort_by_key(name_of);
            order.into()
        });
        let from = order.partition_point(|index| name_of(index) < name);
        let count = order[from..].partition_point(|index| name_of(index) == name);
        // The first id is the file symbol's.
        order[from..][..count].iter().filter_map(|&index| self.ids.get(index as usize + 1).copied())
    }

    /// Returns the file's part of the text index, built on first use.
    pub fn text_index(&self) -> &FileTextIndex {
        self.index.get_or_init(|| FileTextIndex::from_facts(&self.path, &self.facts, &self.documents))
    }
}

/// An edge of the overlay, stored at both of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StoredEdge {
    pub source: SymbolId,
    pub target: SymbolId,
    /// The file whose text shows the edge.
    pub owner: FileId,
    /// The 0-based line; [`super::base::NONE`] for edges without a site.
    pub line: u32,
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// The confidence in hundredths.
    pub confidence: u8,
}

/// The resolved edges of one file.
#[derive(Debug, Default)]
pub(crate) struct ResolvedEdges {
    /// The edges, sorted by source, kind and target; one edge per triple.
    pub edges: Vec<StoredEdge>,
    /// The lookup keys, sorted.
    pub lookups: Box<[u32]>,
    pub calls: CallStats,
}

/// The difference of one file from the base.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileOverlay {
    /// The new content; `None` if only the file's edges differ from the base.
    pub content: Option<Arc<FileContent>>,
    /// The file's edges; `None` between `with_files` and `with_edges`.
    pub resolved: Option<Arc<ResolvedEdges>>,
    /// The structure leaf, computed on first use.
    pub leaf: Arc<OnceLock<Hash>>,
}

/// A symbol outside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhantomSymbol {
    pub hash: Hash,
    pub kind: SymbolKind,
    pub package: Arc<str>,
    pub name: Arc<str>,
}

/// All differences from the base.
#[derive(Clone, Debug, Default)]
pub(crate) struct SnapshotOverlay {
    pub layers: FxHashMap<FileId, FileOverlay>,
    /// The removed files of the base or of an earlier overlay.
    pub removed: FxHashSet<FileId>,
    /// The ids of files that the base does not have.
    pub new_paths: FxHashMap<Arc<str>, FileId>,
    /// The same files, by folder.
    pub new_folders: FxHashMap<Arc<str>, Vec<FileId>>,
    /// The changed files, by the package that they declare.
    pub packages: FxHashMap<Arc<str>, Vec<FileId>>,
    /// The positions of the symbols of changed files: the file, and the index into
    /// [`FileContent::ids`].
    pub positions: SharedMap<SymbolId, (FileId, u32)>,
    /// The ids of identities that the base does not have. They stay after a symbol is gone.
    pub ids: SharedMap<Hash, SymbolId>,
    /// The live symbols of changed files, by simple name.
    pub names: SharedMap<Arc<str>, Vec<SymbolId>>,
    /// The symbols of changed files, by the bands of their sketches.
    pub bands: SharedMap<u32, Vec<SymbolId>>,
    /// The phantoms that the base does not have.
    pub phantoms: SharedMap<SymbolId, PhantomSymbol>,
    /// The edges of changed files, by source.
    pub outgoing: SharedMap<SymbolId, Vec<StoredEdge>>,
    /// The edges of changed files, by target.
    pub incoming: SharedMap<SymbolId, Vec<StoredEdge>>,
    /// The files whose edges are not in `outgoing` and `incoming` yet.
    pub unattached: Vec<FileId>,
    /// Outdated edges in `outgoing` and `incoming`, by the file that was replaced. Readers skip
    /// them. They are not removed immediately, because most of them return when the file is
    /// resolved.
    pub outdated: FxHashMap<FileId, Arc<ResolvedEdges>>,
    /// The difference between the totals of the text index and those of the base.
    pub totals: TextTotals,
    pub next_symbol: u32,
    pub next_file: u32,
    pub revision: u64,
    /// The folders whose Merkle roots differ from the base.
    pub dirty_folders: FxHashSet<Arc<str>>,
}

impl SnapshotOverlay {
    /// Returns the content of a file, if the overlay has it.
    pub fn file_content(&self, file: FileId) -> Option<&Arc<FileContent>> {
        self.layers.get(&file).and_then(|layer| layer.content.as_ref())
    }

    /// Whether the overlay replaces the base's symbols and text of `file`.
    pub fn masks_content(&self, file: FileId) -> bool {
        self.removed.contains(&file) || self.file_content(file).is_some()
    }

    /// Whether the overlay may replace the base's text of any file.
    pub fn masks_any_content(&self) -> bool {
        !self.layers.is_empty() || !self.removed.is_empty()
    }

    /// Whether the overlay replaces the base's edges that `file` owns.
    pub fn masks_edges(&self, file: FileId) -> bool {
        self.removed.contains(&file) || self.layers.contains_key(&file)
    }

    /// Returns the current edges at a symbol, in unspecified order.
    pub fn edges_at<'o>(
        &'o self,
        ends: &'o SharedMap<SymbolId, Vec<StoredEdge>>,
        id: SymbolId,
    ) -> impl Iterator<Item = &'o StoredEdge> {
        ends.get(&id).into_iter().flatten().filter(|edge| self.is_current_edge(edge))
    }

    /// Whether the current text of its owner shows an edge.
    pub fn is_current_edge(&self, edge: &StoredEdge) -> bool {
        self.outdated.is_empty() || !self.outdated.contains_key(&edge.owner)
    }

    /// Adds the edges of all unattached files to both adjacency maps.
    pub fn attach_edges(&mut self) {
        let mut files = std::mem::take(&mut self.unattached);
        files.sort_unstable();
        files.dedup();
        for file in files {
            let resolved = self.layers.get(&file).and_then(|layer| layer.resolved.clone());
            self.replace_edges(None, resolved.as_deref());
        }
    }

    /// Returns the id of an identity; assigns a new one if it is unknown.
    pub fn find_or_assign_id(&mut self, hash: Hash) -> SymbolId {
        let next = &mut self.next_symbol;
        *self.ids.get_or_insert_with(hash, || {
            let id = SymbolId(*next);
            *next += 1;
            id
        })
    }

    /// Returns the id of an edge's target. Adds the phantom if it is new. `find_in_base` returns
    /// the id that the base assigns to an identity.
    pub fn target_id(
        &mut self,
        target: &EdgeTarget,
        find_in_base: impl Fn(&Hash) -> Option<SymbolId>,
    ) -> SymbolId {
        let EdgeTarget::Phantom { kind, package, name } = target else {
            let EdgeTarget::Symbol(id) = target else { return SymbolId(u32::MAX) };
            return *id;
        };
        let hash = identity::phantom_hash(*kind, package, name);
        if !self.ids.contains_key(&hash)
            && let Some(id) = find_in_base(&hash)
        {
            return id;
        }
        let id = self.find_or_assign_id(hash);
        self.phantoms.get_or_insert_with(id, || PhantomSymbol {
            hash,
            kind: *kind,
            package: package.as_str().into(),
            name: name.as_str().into(),
        });
        id
    }
}
