//! The overlay: the files that differ from the base, as values that are cheap to share between snapshots.

use super::identity;
use super::shared_map::SharedMap;
use super::types::{CallStats, EdgeTarget, FileId, SymbolId};
use crate::facts::{FileFacts, ImportFact, MountFact};
use crate::hash::Hash;
use crate::sketch::BodySketch;
use crate::text::FileTextIndex;
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock};

/// New content of one file.
#[derive(Debug)]
pub(crate) struct FileContent {
    pub path: Arc<str>,
    pub facts: Arc<FileFacts>,
    pub sha256: Hash,
    pub size: u64,
    pub mtime_ns: i64,
    /// Ids of the file symbol and of every symbol of `facts`, in order.
    pub ids: Vec<SymbolId>,
    /// Their identities.
    pub hashes: Vec<Hash>,
    /// Encoded base lists, by symbol of `facts`.
    pub bases: Vec<Box<str>>,
    /// Which symbols of `facts` are documents of the text index.
    pub documents: Vec<bool>,
    pub imports: Arc<[ImportFact]>,
    pub mounts: Arc<[MountFact]>,
    index: OnceLock<FileTextIndex>,
    /// Places in `facts.symbols`, by name and place; made when a name is first asked for.
    names: OnceLock<Box<[u32]>>,
    /// What only resolution reads was dropped from `facts`.
    pub slim: bool,
}

impl FileContent {
    pub fn new(
        path: &str,
        facts: Arc<FileFacts>,
        sha256: Hash,
        stat: (u64, i64),
        hashes: Vec<Hash>,
        ids: Vec<SymbolId>,
    ) -> Self {
        Self {
            path: path.into(),
            sha256,
            size: stat.0,
            mtime_ns: stat.1,
            ids,
            hashes,
            bases: facts.symbols.iter().map(|s| identity::encode_bases(&s.bases).into()).collect(),
            documents: identity::indexed_documents(&facts),
            imports: facts.imports.clone().into(),
            mounts: facts.mounts.clone().into(),
            facts,
            index: OnceLock::new(),
            names: OnceLock::new(),
            slim: false,
        }
    }

    /// The symbols with a sketch of their body.
    pub fn sketched_symbols(&self) -> impl Iterator<Item = (SymbolId, &BodySketch)> {
        // The first id is that of the file.
        let id = |symbol: u32| self.ids.get(symbol as usize + 1).copied();
        self.facts.sketches.iter().filter_map(move |(symbol, sketch)| Some((id(*symbol)?, sketch)))
    }

    /// The symbols with exactly this simple name, in the order of the text. Bisects: half the workspace may have the name.
    pub fn symbols_named(&self, name: &str) -> impl Iterator<Item = SymbolId> {
        let symbols = &self.facts.symbols;
        let name_of = |&place: &u32| symbols.get(place as usize).map_or("", |symbol| symbol.name.as_str());
        let order = self.names.get_or_init(|| {
            let mut order: Vec<u32> = (0..symbols.len() as u32).collect();
            order.sort_by_key(name_of);
            order.into()
        });
        let from = order.partition_point(|place| name_of(place) < name);
        let count = order[from..].partition_point(|place| name_of(place) == name);
        // The first id is that of the file.
        order[from..][..count].iter().filter_map(|&place| self.ids.get(place as usize + 1).copied())
    }

    /// The file's part of the text index, built when it is first asked for.
    pub fn text_index(&self) -> &FileTextIndex {
        self.index.get_or_init(|| FileTextIndex::from_facts(&self.path, &self.facts, &self.documents))
    }
}

/// An edge of the overlay, stored at both of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StoredEdge {
    pub source: SymbolId,
    pub target: SymbolId,
    /// The file whose text shows it.
    pub owner: FileId,
    /// 0-based, [`super::base::NONE`] for none.
    pub line: u32,
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// Hundredths.
    pub confidence: u8,
}

/// The resolved edges of one file.
#[derive(Debug, Default)]
pub(crate) struct ResolvedEdges {
    /// Sorted by source, kind, target; one per (source, target, kind).
    pub edges: Vec<StoredEdge>,
    /// Sorted lookup keys.
    pub lookups: Box<[u32]>,
    pub calls: CallStats,
}

/// What differs for one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileOverlay {
    /// New content; `None` when only its edges differ from the base.
    pub content: Option<Arc<FileContent>>,
    /// Its edges; `None` between `with_files` and `with_edges`.
    pub resolved: Option<Arc<ResolvedEdges>>,
    /// Structure leaf, computed when first asked for.
    pub leaf: Arc<OnceLock<Hash>>,
}

/// Something outside the workspace.
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
    /// Files of the base, or of an earlier overlay, that are gone.
    pub removed: FxHashSet<FileId>,
    /// Ids of files that the base does not have.
    pub new_paths: FxHashMap<Arc<str>, FileId>,
    /// The same files by folder.
    pub new_folders: FxHashMap<Arc<str>, Vec<FileId>>,
    /// Changed files by the package they declare.
    pub packages: FxHashMap<Arc<str>, Vec<FileId>>,
    /// The positions of the symbols of changed files: file, and index into [`FileContent::ids`].
    pub places: SharedMap<SymbolId, (FileId, u32)>,
    /// Ids given to identities that the base does not have; kept after a symbol is gone.
    pub ids: SharedMap<Hash, SymbolId>,
    /// Live symbols of changed files, by simple name.
    pub names: SharedMap<Arc<str>, Vec<SymbolId>>,
    /// Symbols of changed files, by the bands of their sketches.
    pub bands: SharedMap<u32, Vec<SymbolId>>,
    pub phantoms: SharedMap<SymbolId, PhantomSymbol>,
    pub out: SharedMap<SymbolId, Vec<StoredEdge>>,
    pub inn: SharedMap<SymbolId, Vec<StoredEdge>>,
    /// Files whose edges are not in `out` and `inn` yet.
    pub unattached: Vec<FileId>,
    /// Edges of before that still are in `out` and `inn`, by the files that were put since: they count no more, and most of
    /// them will be there again.
    pub outdated: FxHashMap<FileId, Arc<ResolvedEdges>>,
    pub next_symbol: u32,
    pub next_file: u32,
    pub revision: u64,
    /// Folders whose Merkle roots differ from the base's.
    pub dirty_folders: FxHashSet<Arc<str>>,
}

impl SnapshotOverlay {
    pub fn file_content(&self, file: FileId) -> Option<&Arc<FileContent>> {
        self.layers.get(&file).and_then(|layer| layer.content.as_ref())
    }

    /// Whether the base's symbols and text of `file` no longer count.
    pub fn masks_content(&self, file: FileId) -> bool {
        self.removed.contains(&file) || self.file_content(file).is_some()
    }

    /// Whether the base's edges owned by `file` no longer count.
    pub fn masks_edges(&self, file: FileId) -> bool {
        self.removed.contains(&file) || self.layers.contains_key(&file)
    }

    /// The edges at a symbol, in no promised order.
    pub fn edges_at<'o>(
        &'o self,
        ends: &'o SharedMap<SymbolId, Vec<StoredEdge>>,
        id: SymbolId,
    ) -> impl Iterator<Item = &'o StoredEdge> {
        ends.get(&id).into_iter().flatten().filter(|edge| self.is_current_edge(edge))
    }

    /// Whether an edge is one that its file shows now.
    pub fn is_current_edge(&self, edge: &StoredEdge) -> bool {
        self.outdated.is_empty() || !self.outdated.contains_key(&edge.owner)
    }

    /// Makes all edges seen from their ends.
    pub fn attach_edges(&mut self) {
        let mut files = std::mem::take(&mut self.unattached);
        files.sort_unstable();
        files.dedup();
        for file in files {
            let resolved = self.layers.get(&file).and_then(|layer| layer.resolved.clone());
            self.replace_edges(None, resolved.as_deref());
        }
    }

    /// The id of an identity: a known one, or a new one.
    pub fn id_for(&mut self, hash: Hash) -> SymbolId {
        let next = &mut self.next_symbol;
        *self.ids.get_or_insert_with(hash, || {
            let id = SymbolId(*next);
            *next += 1;
            id
        })
    }

    /// The id of a phantom, made when it is new; `known` finds it in the base.
    pub fn phantom_id(&mut self, target: &EdgeTarget, known: impl Fn(&Hash) -> Option<SymbolId>) -> SymbolId {
        let EdgeTarget::Phantom { kind, package, name } = target else {
            let EdgeTarget::Symbol(id) = target else { return SymbolId(u32::MAX) };
            return *id;
        };
        let hash = identity::phantom_hash(*kind, package, name);
        if !self.ids.contains_key(&hash)
            && let Some(id) = known(&hash)
        {
            return id;
        }
        let id = self.id_for(hash);
        self.phantoms.get_or_insert_with(id, || PhantomSymbol {
            hash,
            kind: *kind,
            package: package.as_str().into(),
            name: name.as_str().into(),
        });
        id
    }
}
