//! The snapshot: an immutable view of the whole graph and its text index.
//!
//! A [`Snapshot`] has six parts, each shared between snapshots by reference counting:
//!
//! * the [`BaseGraph`]: an immutable, compressed image of the graph in one piece of memory;
//! * the overlay: the files that changed since the base was written, including unsaved buffers;
//! * the [`VerdictOverlay`]: edges that language servers add or hide;
//! * the [`HistoryLayer`]: edges that come from git and belong to no text;
//! * the [`RunLayer`]: the results of recorded test runs and traces for symbols;
//! * the marks of derived files, which no one edits ([`crate::derived`]).
//!
//! A change consists of [`FileChange`]s (new facts of files) and then of [`FileEdges`] (the edges
//! that resolution found). Each change creates a new snapshot; readers keep their old snapshot.
//! Writing a base folds the overlay into a new image.
//!
//! Invariants:
//!
//! * The unit of change is the file. A change replaces all symbols, text and edges of a file.
//! * A symbol that keeps its identity keeps its [`SymbolId`] until the next base.
//! * A file of the overlay masks the file of the base with the same id. Readers check this for
//!   every record of the base. A symbol or file is *live* if no overlay entry masks it.
//! * `source_root` depends on the text only: neither verdicts nor history are part of it.

mod apply_changes;
pub mod base;
mod base_types;
mod derived_layer;
#[cfg(test)]
mod document_tests;
mod documents;
mod edges;
mod file_verdicts;
mod history_layer;
pub mod identity;
mod merkle;
mod name_lookup;
pub(crate) mod overlay;
mod overlay_updates;
mod run_layer;
mod separate_definitions;
mod shared_map;
mod sketches;
mod symbol_views;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod text_statistics_tests;
mod types;
mod verdict_overlay;
mod verdict_overlay_builder;
#[cfg(test)]
mod verdict_overlay_tests;

pub use base::{BaseError, BaseGraph, BaseImage, is_base_image};
pub use edges::NeighborBuffer;
pub use history_layer::{HistoryEdge, HistoryLayer, HistoryLayerBuilder};
pub use merkle::PackageRoots;
pub use run_layer::{CoveringTest, RunLayer, RunTotals, observation_confidence};
use symbol_views::{blank_symbol, overlay_symbol};
use types::SymbolTexts;
pub use types::*;
pub use verdict_overlay::{VerdictCounts, VerdictOverlay, VerdictStatus, WHOLE_SYMBOL};
pub use verdict_overlay_builder::VerdictOverlayBuilder;

use crate::facts::{ImportFact, MountFact, NameSpan, Span};
use crate::hash::Hash;
use crate::paths::parent_folder;
use crate::vocabulary::{SymbolKind, Visibility};
use base::{FILE_DOCUMENT, ImageSection, NONE};
use overlay::SnapshotOverlay;
use std::sync::{Arc, OnceLock};

/// An immutable view of the graph. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) base: Arc<BaseGraph>,
    pub(crate) overlay: Arc<SnapshotOverlay>,
    pub(crate) layer: Arc<HistoryLayer>,
    pub(crate) verdicts: Arc<VerdictOverlay>,
    pub(crate) runs: Arc<RunLayer>,
    derived: Arc<derived_layer::DerivedLayer>,
    /// The changes since each batch of the runs was recorded, computed on first use.
    run_changes: Arc<OnceLock<Vec<run_layer::RunChanges>>>,
    /// The root of the graph of the text, computed on first use. Whatever changes the overlay's
    /// files or edges in place replaces it.
    source_root: Arc<OnceLock<Hash>>,
}

impl Snapshot {
    /// Returns a graph without files or symbols.
    pub fn empty() -> Self {
        Self::from_base(Arc::new(BaseGraph::empty()))
    }

    /// Returns the graph of a base image, without changes.
    pub fn from_base(base: Arc<BaseGraph>) -> Self {
        let overlay = SnapshotOverlay {
            next_symbol: base.symbol_records().len() as u32,
            next_file: base.file_records().len() as u32,
            revision: base.meta.revision,
            ..SnapshotOverlay::default()
        };
        Self {
            base,
            overlay: Arc::new(overlay),
            layer: Arc::default(),
            verdicts: Arc::default(),
            runs: Arc::default(),
            derived: Arc::default(),
            run_changes: Arc::default(),
            source_root: Arc::default(),
        }
    }

    /// Builds the image of a new base in memory. It shows the same graph with an empty overlay.
    pub fn to_base_image(&self) -> std::io::Result<BaseImage> {
        base::build_base_image(self)
    }

    /// Writes the image of a new base to `path`, for the databases of `lineage`. The new base shows
    /// the same graph with an empty overlay. It replaces an existing file atomically. If
    /// `interrupted` returns `true` while the image is being written, the existing file stays and
    /// the result is `false`.
    pub fn write_base(
        &self,
        lineage: u64,
        path: &std::path::Path,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> std::io::Result<bool> {
        base::write_base_file(self, lineage, path, interrupted)
    }

    /// Returns the facts of a file that differs from the base. Returns `None` for a file that only
    /// the base has, and after [`Snapshot::drop_references`].
    pub fn file_facts(&self, id: FileId) -> Option<Arc<crate::FileFacts>> {
        self.overlay
            .file_content(id)
            .filter(|content| !content.has_dropped_references)
            .map(|content| content.facts.clone())
    }

    /// Frees the data of these files that only resolution reads (references, bindings, imports and
    /// the strings of the facts). Skips data that another snapshot shares. Call it for a large
    /// overlay that is about to be written to a base.
    pub fn drop_references(&mut self, files: &[FileId]) {
        let Some(overlay) = Arc::get_mut(&mut self.overlay) else { return };
        for file in files {
            let content = overlay.layers.get_mut(file).and_then(|layer| layer.content.as_mut());
            let Some(content) = content.and_then(Arc::get_mut) else { continue };
            if let Some(facts) = Arc::get_mut(&mut content.facts) {
                facts.references = Vec::new();
                facts.bindings = Vec::new();
                // `FileContent` has its own copy of the imports, from which the snapshot answers.
                facts.imports = Vec::new();
                facts.strings = crate::facts::StringTable::default();
                content.has_dropped_references = true;
            }
        }
    }

    /// Whether two snapshots share base, overlay, verdicts and the marks of derived files, so that
    /// they show the same graph.
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.base, &other.base)
            && Arc::ptr_eq(&self.overlay, &other.overlay)
            && Arc::ptr_eq(&self.verdicts, &other.verdicts)
            && Arc::ptr_eq(&self.derived, &other.derived)
    }

    /// Returns the base of this snapshot.
    pub fn base_graph(&self) -> &BaseGraph {
        &self.base
    }

    /// Returns the number of files that differ from the base.
    pub fn overlay_file_count(&self) -> usize {
        self.overlay.layers.len() + self.overlay.removed.len()
    }

    /// Returns the revision number of this snapshot. It grows with every change, including new
    /// verdicts of language servers.
    pub fn revision(&self) -> u64 {
        self.overlay.revision + self.verdicts.batches
    }

    /// Returns the same graph with another revision number.
    pub fn at_revision(mut self, revision: u64) -> Self {
        Arc::make_mut(&mut self.overlay).revision = revision;
        self
    }

    // ---- files ----

    /// Returns the live files, sorted by path.
    pub fn files(&self) -> Vec<FileId> {
        let live = (0..self.base.file_records().len() as u32)
            .map(FileId)
            .filter(|id| !self.overlay.removed.contains(id));
        if self.overlay.new_paths.is_empty() {
            return live.collect();
        }
        let added = self.overlay.new_paths.values().copied().filter(|id| !self.overlay.removed.contains(id));
        let mut all: Vec<FileId> = live.chain(added).collect();
        all.sort_by_cached_key(|&id| self.file_path(id).to_owned());
        all
    }

    pub(crate) fn file_path(&self, id: FileId) -> &str {
        if let Some(content) = self.overlay.file_content(id) {
            return &content.path;
        }
        self.base.file_records().get(id.0 as usize).map_or("", |file| self.base.string_text(file.path))
    }

    /// Returns the bytes of the path of a file, as the base or the overlay has it; empty for an
    /// unknown file. Cheap enough to compare all files of a large workspace with a word.
    pub fn file_path_bytes(&self, id: FileId) -> &[u8] {
        if let Some(content) = self.overlay.file_content(id) {
            return content.path.as_bytes();
        }
        self.base.file_records().get(id.0 as usize).map_or(&[], |file| self.base.string_bytes(file.path))
    }

    /// Returns a live file; `None` for a removed or unknown file.
    pub fn file(&self, id: FileId) -> Option<FileRef<'_>> {
        if self.overlay.removed.contains(&id) {
            return None;
        }
        let layer = self.overlay.layers.get(&id);
        let record = self.base.file_records().get(id.0 as usize);
        let calls = layer
            .and_then(|l| l.resolved.as_ref())
            .map(|r| r.calls)
            .or_else(|| record.map(base::FileRecord::call_stats))
            .unwrap_or_default();
        if let Some(content) = layer.and_then(|l| l.content.as_ref()) {
            return Some(FileRef {
                id,
                path: &content.path,
                language: &content.facts.language,
                package: &content.facts.package,
                content_hash: content.sha256,
                size: content.size,
                mtime_ns: content.mtime_ns,
                lines: content.facts.lines,
                is_document: content.facts.is_document,
                derived: self.derived_reason(id),
                calls,
            });
        }
        let record = record?;
        Some(FileRef {
            id,
            path: self.base.string_text(record.path),
            language: self.base.string_text(record.language),
            package: self.base.string_text(record.package),
            content_hash: Hash(record.content),
            size: record.size,
            mtime_ns: record.mtime_ns,
            lines: record.lines,
            is_document: record.flags & FILE_DOCUMENT != 0,
            derived: self.derived_reason(id),
            calls,
        })
    }

    /// Returns the live file at a workspace-relative path.
    pub fn file_by_path(&self, path: &str) -> Option<FileId> {
        self.known_file_id(path).filter(|id| !self.overlay.removed.contains(id))
    }

    /// Returns the id of a path that has or had a file.
    pub(crate) fn known_file_id(&self, path: &str) -> Option<FileId> {
        if let Some(&id) = self.overlay.new_paths.get(path) {
            return Some(id);
        }
        let files = self.base.file_records();
        let compare = |at: usize| self.base.string_bytes(files[at].path).cmp(path.as_bytes());
        let at = self.base.path_hints.find_lower_bound(path, files.len(), compare);
        files.get(at).filter(|file| self.base.string_text(file.path) == path).map(|_| FileId(at as u32))
    }

    /// Returns the files directly in a folder (`""` is the root), sorted by path.
    pub fn files_in_folder(&self, folder: &str) -> Vec<FileId> {
        let order: &[u32] = self.base.section_slice(ImageSection::Folders);
        let key = |id: &u32| {
            self.base
                .file_records()
                .get(*id as usize)
                .map_or("", |file| parent_folder(self.base.string_text(file.path)))
        };
        let from = order.partition_point(|id| key(id) < folder);
        let base = order[from..].iter().take_while(|id| key(id) == folder).map(|&id| FileId(id));
        let added = self.overlay.new_folders.get(folder).into_iter().flatten().copied();
        self.sort_live_files(base.chain(added))
    }

    /// Returns the files that declare a package or namespace, sorted by path.
    pub fn files_of_package(&self, package: &str) -> Vec<FileId> {
        let order: &[u32] = self.base.section_slice(ImageSection::Packages);
        let key = |id: &u32| {
            self.base.file_records().get(*id as usize).map_or("", |file| self.base.string_text(file.package))
        };
        let from = order.partition_point(|id| key(id) < package);
        let base = order[from..]
            .iter()
            .take_while(|id| key(id) == package)
            .map(|&id| FileId(id))
            .filter(|&id| !self.overlay.masks_content(id));
        let changed = self.overlay.packages.get(package).into_iter().flatten().copied();
        self.sort_live_files(base.chain(changed))
    }

    fn sort_live_files(&self, ids: impl Iterator<Item = FileId>) -> Vec<FileId> {
        let mut all: Vec<FileId> = ids.filter(|id| !self.overlay.removed.contains(id)).collect();
        if !self.overlay.layers.is_empty() {
            all.sort_by(|a, b| self.file_path(*a).cmp(self.file_path(*b)));
        }
        all
    }

    /// Returns the imports of a file, in source order.
    pub fn file_imports(&self, id: FileId) -> Arc<[ImportFact]> {
        if let Some(content) = self.overlay.file_content(id) {
            return content.imports.clone();
        }
        let Some(file) = self.base.file_records().get(id.0 as usize) else { return Arc::new([]) };
        let from = file.imports_start as usize;
        let bytes =
            self.base.section_bytes(ImageSection::Imports).get(from..from + file.imports_len as usize);
        let imports: Vec<ImportFact> = bytes.and_then(|b| postcard::from_bytes(b).ok()).unwrap_or_default();
        imports.into()
    }

    /// Returns the mounts of a file, sorted.
    pub fn file_mounts(&self, id: FileId) -> Arc<[MountFact]> {
        if let Some(content) = self.overlay.file_content(id) {
            return content.mounts.clone();
        }
        let mounts = self.base.mounts_by_file();
        let at = mounts.binary_search_by_key(&id.0, |(file, _)| *file);
        at.ok().and_then(|at| mounts.get(at)).map(|(_, mounts)| mounts.clone()).unwrap_or_default()
    }

    /// Returns the files with mounts, sorted by path.
    pub fn files_with_mounts(&self) -> Vec<FileId> {
        let unchanged = self.base.mounts_by_file().iter().map(|(file, _)| FileId(*file));
        let unchanged = unchanged.filter(|&file| !self.overlay.masks_content(file));
        let has_mounts =
            |layer: &overlay::FileOverlay| layer.content.as_ref().is_some_and(|c| !c.mounts.is_empty());
        let changed =
            self.overlay.layers.iter().filter(|(_, layer)| has_mounts(layer)).map(|(&file, _)| file);
        self.sort_live_files(unchanged.chain(changed))
    }

    /// Returns the file symbol followed by every symbol of a file, in source order.
    pub fn file_symbols(&self, id: FileId) -> Vec<SymbolId> {
        if self.overlay.removed.contains(&id) {
            return Vec::new();
        }
        if let Some(content) = self.overlay.file_content(id) {
            return content.ids.clone();
        }
        self.base
            .file_records()
            .get(id.0 as usize)
            .map(|f| {
                let end = f
                    .first_symbol
                    .saturating_add(f.symbol_count)
                    .min(self.base.symbol_records().len() as u32);
                (f.first_symbol..end).map(SymbolId).collect()
            })
            .unwrap_or_default()
    }

    /// Returns the live symbols among [`Snapshot::file_symbols`], in the same order.
    pub fn file_symbol_refs(&self, id: FileId) -> Vec<SymbolRef<'_>> {
        if let Some(content) = self.overlay.file_content(id).filter(|_| !self.overlay.removed.contains(&id)) {
            let symbols = content.ids.iter().zip(0..);
            let file = (id, self.derived_reason(id));
            return symbols.map(|(&symbol, index)| overlay_symbol(content, file, index, symbol)).collect();
        }
        self.file_symbols(id).into_iter().filter_map(|symbol| self.symbol(symbol)).collect()
    }

    // ---- symbols ----

    /// Returns the live symbols by path and position, without file symbols, phantoms, or the
    /// sections of documents.
    pub fn symbols(&self) -> Vec<SymbolId> {
        self.code_files().into_iter().flat_map(|file| self.file_symbols(file).into_iter().skip(1)).collect()
    }

    /// Returns the number of live symbols, without file symbols, phantoms, or the sections of
    /// documents.
    pub fn symbol_count(&self) -> usize {
        let mut count = self.base.meta.symbols as usize;
        for (id, layer) in &self.overlay.layers {
            if let Some(content) = &layer.content {
                if !content.facts.is_document {
                    count += content.ids.len() - 1;
                }
                count = count.saturating_sub(self.base_symbols_in_file(*id));
            }
        }
        for &id in &self.overlay.removed {
            count = count.saturating_sub(self.base_symbols_in_file(id));
        }
        count
    }

    fn base_symbols_in_file(&self, id: FileId) -> usize {
        let record = self.base.file_records().get(id.0 as usize);
        let code = record.filter(|record| record.flags & FILE_DOCUMENT == 0);
        code.map_or(0, |f| (f.symbol_count as usize).saturating_sub(1))
    }

    /// Returns the file that declares a live symbol; `None` for a phantom and for a symbol that is
    /// gone.
    pub fn file_of_symbol(&self, id: SymbolId) -> Option<FileId> {
        if let Some(&(file, _)) = self.overlay.positions.get(&id) {
            return Some(file);
        }
        let record = self.base.symbol_records().get(id.0 as usize)?;
        let file = FileId(record.file);
        (record.file != NONE && !self.overlay.masks_content(file)).then_some(file)
    }

    pub(crate) fn is_live(&self, id: SymbolId) -> bool {
        if self.overlay.positions.contains_key(&id) || self.overlay.phantoms.contains_key(&id) {
            return true;
        }
        self.base
            .symbol_records()
            .get(id.0 as usize)
            .is_some_and(|record| record.file == NONE || !self.overlay.masks_content(FileId(record.file)))
    }

    /// Returns a live symbol or phantom.
    pub fn symbol(&self, id: SymbolId) -> Option<SymbolRef<'_>> {
        if let Some(&(file, index)) = self.overlay.positions.get(&id) {
            let content = self.overlay.file_content(file);
            let file = (file, self.derived_reason(file));
            return content.map(|content| overlay_symbol(content, file, index, id));
        }
        if let Some(phantom) = self.overlay.phantoms.get(&id) {
            return Some(SymbolRef {
                hash: phantom.hash,
                path: &phantom.package,
                name: &phantom.name,
                kind: phantom.kind,
                ..blank_symbol(id)
            });
        }
        let in_base =
            self.base_symbol(id).filter(|symbol| symbol.file.is_none_or(|f| !self.overlay.masks_content(f)));
        in_base.or_else(|| self.server_phantom(id)).or_else(|| self.layer_node(id))
    }

    /// Returns the identity of a live symbol or phantom, or zeros for any other id. Reads less than
    /// [`Snapshot::symbol`].
    pub(crate) fn hash_of_symbol(&self, id: SymbolId) -> Hash {
        if let Some(&(file, index)) = self.overlay.positions.get(&id) {
            let content = self.overlay.file_content(file);
            return content.and_then(|c| c.hashes.get(index as usize)).copied().unwrap_or_default();
        }
        if let Some(phantom) = self.overlay.phantoms.get(&id) {
            return phantom.hash;
        }
        match self.base.symbol_records().get(id.0 as usize) {
            Some(record) if record.file == NONE || !self.overlay.masks_content(FileId(record.file)) => {
                Hash(record.hash)
            }
            _ => self.symbol(id).map(|symbol| symbol.hash).unwrap_or_default(),
        }
    }

    /// Returns the facets of a live symbol or phantom: the part of [`Snapshot::symbol`] without
    /// texts.
    pub fn symbol_facets(&self, id: SymbolId) -> Option<SymbolFacets> {
        let is_in_overlay =
            self.overlay.positions.contains_key(&id) || self.overlay.phantoms.contains_key(&id);
        if !is_in_overlay && let Some(record) = self.base.symbol_records().get(id.0 as usize) {
            let file = (record.file != NONE).then_some(FileId(record.file));
            if file.is_some_and(|file| self.overlay.masks_content(file)) {
                return None;
            }
            let kind = SymbolKind::from_number(record.kind)?;
            return Some(SymbolFacets { file, kind, is_test: record.flags & base::SYMBOL_TEST != 0 });
        }
        self.symbol(id).map(|s| SymbolFacets { file: s.file, kind: s.kind, is_test: s.is_test })
    }

    /// Returns the number of symbols of the base. Symbols with smaller ids belong to the base;
    /// the ids of symbols that are newer than the base start at this number.
    pub fn base_symbol_count(&self) -> usize {
        self.base.symbol_records().len()
    }

    fn base_symbol(&self, id: SymbolId) -> Option<SymbolRef<'_>> {
        let base = &*self.base;
        let record = base.symbol_records().get(id.0 as usize)?;
        let kind = SymbolKind::from_number(record.kind)?;
        let file = base.file_records().get(record.file as usize);
        let container = base.string_text(record.container);
        let [start, end, start_line, end_line] = record.span;
        let [name_start, len, line, column] = record.name_span;
        Some(SymbolRef {
            id,
            hash: Hash(record.hash),
            file: file.map(|_| FileId(record.file)),
            path: file.map_or(container, |f| base.string_text(f.path)),
            language: file.map_or("", |f| base.string_text(f.language)),
            parent: (record.parent != NONE).then_some(SymbolId(record.parent)),
            name: base.string_text(record.name),
            container: if file.is_some() { container } else { "" },
            kind,
            span: Span { start, end, start_line, end_line },
            name_span: NameSpan { start: name_start, len, line, column },
            arity: (record.flags & base::SYMBOL_HAS_ARITY != 0).then_some(record.arity),
            visibility: Visibility::from_number(record.visibility).unwrap_or(Visibility::Public),
            is_test: record.flags & base::SYMBOL_TEST != 0,
            derived: file.and_then(|_| self.derived_reason(FileId(record.file))),
            body_hash: record.body_hash,
            texts: SymbolTexts::Base(base, record),
        })
    }

    /// Returns the live symbol or phantom with this identity.
    pub fn symbol_by_hash(&self, hash: &Hash) -> Option<SymbolId> {
        let text_symbol = self.known_symbol(hash).filter(|&id| self.is_live(id));
        text_symbol.or_else(|| self.server_phantom_by_hash(hash))
    }

    /// Returns the id of an identity that is or was in the graph.
    pub(crate) fn known_symbol(&self, hash: &Hash) -> Option<SymbolId> {
        if let Some(&id) = self.overlay.ids.get(hash) {
            return Some(id);
        }
        known_in_base(&self.base, hash)
    }
}

/// Returns the id that a base assigns to an identity.
pub(crate) fn known_in_base(base: &BaseGraph, hash: &Hash) -> Option<SymbolId> {
    let symbols = base.symbol_records();
    let order: &[u32] = base.section_slice(ImageSection::ByHash);
    let key = |id: u32| symbols.get(id as usize).map_or([0; 32], |s| s.hash);
    let at =
        base.hash_hints.find_lower_bound(hash.sort_prefix(), order.len(), |at| key(order[at]).cmp(&hash.0));
    order.get(at).filter(|&&id| key(id) == hash.0).map(|&id| SymbolId(id))
}
