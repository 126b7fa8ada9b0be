//! Changes a snapshot, in two steps.
//!
//! [`Snapshot::with_files`] replaces or removes files. Replaced files have no edges afterwards, and
//! the result contains the lookup keys whose values changed. [`Snapshot::files_affected_by`] finds
//! the files that looked these keys up, resolution computes their edges, and
//! [`Snapshot::with_edges`] stores them.
//!
//! Between the two steps the old edges of a replaced file stay in the adjacency maps, marked as
//! outdated, because most of them return unchanged.

use super::base::{BaseGraph, NONE};
use super::base_types::encode_base_types;
use super::overlay::{FileContent, FileOverlay, ResolvedEdges, SnapshotOverlay, StoredEdge};
use super::types::{ChangedKeys, EdgeTarget, FileChange, FileEdges, FileId, LookupKey, SymbolId};
use super::{Snapshot, base, identity, known_in_base};
use crate::facts::{ImportFact, MountFact, Span};
use crate::paths::{file_name, parent_folder};
use crate::sketch::BodySketch;
use crate::static_members::is_static_member;
use crate::vocabulary::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

/// The maximum number of files with moved symbols for which a search checks whether a file has
/// looked up their lines. A change of branch can move the symbols of thousands of files; their keys
/// are then returned unchecked.
const MAX_CHECKED_MOVES: usize = 64;

/// The lookups that [`Snapshot::files_looking_up`] searches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LookupScope {
    /// The lookups of files with current edges.
    Current,
    /// Also the old lookups of files that were replaced and are not resolved yet.
    WithOutdated,
}

/// The place where new edges are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeStorage {
    /// In the adjacency maps, visible at both ends.
    Attached,
    /// By file only, until [`Snapshot::attach_edges`].
    ByFile,
}

impl Snapshot {
    /// Returns the graph with these files replaced or removed. Replaced files have no edges until
    /// [`Snapshot::with_edges`]. Also returns the lookup keys whose values changed, so that the
    /// files that looked them up can be resolved again.
    pub fn with_files(&self, mut changes: Vec<FileChange>) -> (Self, ChangedKeys) {
        // The last change to a path wins. Ids are assigned in path order, whatever the order of the
        // changes.
        changes.reverse();
        changes.sort_by(|a, b| a.file_path().cmp(b.file_path()));
        changes.dedup_by(|earlier, last| earlier.file_path() == last.file_path());
        let (mut keys, mut bands, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        let mut overlay = (*self.overlay).clone();
        overlay.attach_edges();
        // In a graph without files, no file can have looked up a key.
        let has_files =
            self.base.file_records().len() + self.overlay.new_paths.len() > self.overlay.removed.len();
        for change in changes {
            let before = FileFingerprint::from_snapshot(self, change.file_path());
            let path = change.file_path().to_owned();
            match change {
                FileChange::Put { path, content_hash, size, mtime_ns, facts } => {
                    if has_files {
                        let after = FileFingerprint::from_facts(&path, &facts);
                        FileFingerprint::collect_changed_keys(
                            &path,
                            before.as_ref(),
                            Some(&after),
                            &mut keys,
                        );
                        FileFingerprint::collect_changed_bands(before.as_ref(), Some(&after), &mut bands);
                        if before.is_some_and(|before| before.lines.finish() != after.lines.finish()) {
                            moved.push(LookupKey::Lines(&path).key_number());
                        }
                    }
                    insert_file(self, &mut overlay, &path, content_hash, size, mtime_ns, facts);
                }
                FileChange::Remove { path } => {
                    remove_file(self, &mut overlay, &path);
                    FileFingerprint::collect_changed_keys(&path, before.as_ref(), None, &mut keys);
                    FileFingerprint::collect_changed_bands(before.as_ref(), None, &mut bands);
                }
            }
            overlay.dirty_folders.insert(parent_folder(&path).into());
        }
        overlay.revision += 1;
        let next = Self {
            base: self.base.clone(),
            overlay: Arc::new(overlay),
            layer: self.layer.clone(),
            verdicts: Arc::default(),
            runs: self.runs.clone(),
            derived: self.derived.clone(),
            run_changes: Arc::default(),
            source_root: Arc::default(),
        };
        bands.sort_unstable();
        bands.dedup();
        // A band that is too crowded in both states returns no symbols in either.
        bands.retain(|&band| {
            !(self.symbols_in_band(band).is_empty() && next.symbols_in_band(band).is_empty())
        });
        // Nearly every edit moves symbols, and hardly any file looks up lines.
        if moved.len() <= MAX_CHECKED_MOVES {
            moved.retain(|&key| !self.files_looking_up(&[key], LookupScope::WithOutdated).is_empty());
        }
        keys.extend(moved);
        keys.extend(bands.into_iter().map(|band| LookupKey::Band(band).key_number()));
        keys.sort_unstable();
        keys.dedup();
        (next, ChangedKeys(keys))
    }

    /// Returns the graph with new edges for these files. Skips files that are not in the graph.
    pub fn with_edges(&self, edges: Vec<FileEdges>) -> Self {
        let mut next = self.clone().without_verdicts();
        next.add_edges(edges);
        next
    }

    /// Does the same as [`Snapshot::with_edges`] in place. Copies nothing if no other snapshot
    /// shares the overlay.
    pub fn add_edges(&mut self, edges: Vec<FileEdges>) {
        self.attach_edges();
        self.record_edges(edges, EdgeStorage::Attached);
    }

    /// Does the same as [`Snapshot::add_edges`] for a graph that is about to be written to a base:
    /// stores the edges by file only. They become visible at their ends after
    /// [`Snapshot::attach_edges`].
    pub fn add_edges_by_file(&mut self, edges: Vec<FileEdges>) {
        self.record_edges(edges, EdgeStorage::ByFile);
    }

    fn record_edges(&mut self, edges: Vec<FileEdges>, storage: EdgeStorage) {
        self.source_root = Arc::default();
        for file_edges in edges {
            let Some(file) = self.file_by_path(&file_edges.path) else { continue };
            let folder: Arc<str> = parent_folder(self.file_path(file)).into();
            let base = self.base.clone();
            let overlay = Arc::make_mut(&mut self.overlay);
            let before = take_visible_edges(overlay, file);
            let resolved = Arc::new(build_resolved_edges(&base, overlay, file, file_edges));
            if storage == EdgeStorage::Attached {
                overlay.replace_edges(before.as_deref(), Some(&resolved));
            } else {
                overlay.replace_edges(before.as_deref(), None);
                overlay.unattached.push(file);
            }
            let content = overlay.file_content(file).cloned();
            overlay.dirty_folders.insert(folder);
            overlay
                .layers
                .insert(file, FileOverlay { content, resolved: Some(resolved), leaf: Arc::default() });
        }
        Arc::make_mut(&mut self.overlay).revision += 1;
    }

    /// Adds the edges that are stored only by file to the adjacency maps.
    pub fn attach_edges(&mut self) {
        if self.overlay.unattached.is_empty() {
            return;
        }
        self.source_root = Arc::default();
        Arc::make_mut(&mut self.overlay).attach_edges();
    }

    /// Returns the files whose recorded lookups contain one of the keys, sorted by path. Reads the
    /// index of lookups and the changed files, not all files.
    pub fn files_affected_by(&self, keys: &ChangedKeys) -> Vec<FileId> {
        if keys.0.is_empty() {
            return Vec::new();
        }
        let mount_keys: Vec<u32> = keys.0.iter().map(|&key| LookupKey::mount_path_number(key)).collect();
        let mounting = self.files_looking_up(&sort_keys(mount_keys), LookupScope::WithOutdated);
        let mut direct_keys = keys.0.clone();
        if !mounting.is_empty() {
            // The routers that these files mount may resolve differently now.
            direct_keys.push(LookupKey::Mounts.key_number());
        }
        let mut affected = self.files_looking_up(&sort_keys(direct_keys), LookupScope::Current);
        affected.extend(mounting);
        let mut affected: Vec<FileId> = affected.into_iter().collect();
        affected.sort_by(|a, b| self.file_path(*a).cmp(self.file_path(*b)));
        affected
    }

    /// Returns the files whose recorded lookups contain one of the sorted `keys`.
    fn files_looking_up(&self, keys: &[u32], scope: LookupScope) -> FxHashSet<FileId> {
        let mut found: FxHashSet<FileId> = FxHashSet::default();
        for &key in keys {
            found.extend(self.base_files_looking_up(key).filter(|&id| !self.overlay.masks_edges(id)));
        }
        for (&id, layer) in &self.overlay.layers {
            let lookups = match &layer.resolved {
                Some(resolved) => &resolved.lookups[..],
                None if scope == LookupScope::WithOutdated => self.outdated_lookups(id),
                None => &[],
            };
            let is_affected = if lookups.len() < keys.len() {
                lookups.iter().any(|key| keys.binary_search(key).is_ok())
            } else {
                keys.iter().any(|key| lookups.binary_search(key).is_ok())
            };
            if is_affected && !self.overlay.removed.contains(&id) {
                found.insert(id);
            }
        }
        found
    }

    /// Returns the lookups that were recorded for a file before it was replaced.
    fn outdated_lookups(&self, file: FileId) -> &[u32] {
        match self.overlay.outdated.get(&file) {
            Some(before) => &before.lookups,
            None => self.base_lookups(file),
        }
    }

    /// Returns the files of the base that looked up a key, masked or not.
    fn base_files_looking_up(&self, key: u32) -> impl Iterator<Item = FileId> {
        let lookups: &[u32] = self.base.section_slice(base::ImageSection::Lookups);
        let order: &[u32] = self.base.section_slice(base::ImageSection::LookupOrder);
        let value = move |at: u32| lookups.get(at as usize).copied().unwrap_or(u32::MAX);
        let from = order.partition_point(|&at| value(at) < key);
        let files = self.base.file_records();
        order[from..].iter().take_while(move |&&at| value(at) == key).map(move |&at| {
            // Lookups are stored in the order of the files.
            FileId(files.partition_point(|f| f.lookups_start + f.lookups_len <= at) as u32)
        })
    }

    /// Returns the sorted lookup keys that are recorded for a file.
    pub(crate) fn file_lookups(&self, file: FileId) -> &[u32] {
        match self.overlay.layers.get(&file) {
            Some(layer) => layer.resolved.as_ref().map_or(&[], |r| &r.lookups),
            None => self.base_lookups(file),
        }
    }

    fn base_lookups(&self, file: FileId) -> &[u32] {
        let Some(row) = self.base.file_records().get(file.0 as usize) else { return &[] };
        let all: &[u32] = self.base.section_slice(base::ImageSection::Lookups);
        let start = row.lookups_start as usize;
        all.get(start..start + row.lookups_len as usize).unwrap_or(&[])
    }
}

impl FileChange {
    /// Returns the workspace-relative path of the file.
    pub fn file_path(&self) -> &str {
        match self {
            Self::Put { path, .. } | Self::Remove { path } => path,
        }
    }
}

/// Takes the edges of a file that are in the adjacency maps, whether current or outdated.
fn take_visible_edges(overlay: &mut SnapshotOverlay, file: FileId) -> Option<Arc<ResolvedEdges>> {
    let outdated = overlay.outdated.remove(&file);
    overlay.layers.get_mut(&file).and_then(|layer| layer.resolved.take()).or(outdated)
}

/// Builds the stored form of a file's edges: the strongest per source, kind and target.
fn build_resolved_edges(
    base: &BaseGraph,
    overlay: &mut SnapshotOverlay,
    owner: FileId,
    file_edges: FileEdges,
) -> ResolvedEdges {
    let mut edges: Vec<StoredEdge> = Vec::with_capacity(file_edges.edges.len());
    for edge in file_edges.edges {
        let target = overlay.target_id(&edge.target, |hash| known_in_base(base, hash));
        let outside = matches!(edge.target, EdgeTarget::Phantom { .. });
        if target.0 == NONE || (target == edge.source && outside) {
            continue;
        }
        let is_reversed = outside && edge.kind.starts_outside();
        let (source, target) = if is_reversed { (target, edge.source) } else { (edge.source, target) };
        edges.push(StoredEdge {
            source,
            target,
            owner,
            line: edge.line.unwrap_or(NONE),
            kind: edge.kind,
            provenance: edge.provenance,
            confidence: (edge.confidence.clamp(0.0, 1.0) * 100.0).round() as u8,
        });
    }
    edges.sort_by_key(|e| {
        let strength = (u8::MAX - e.provenance.number(), u8::MAX - e.confidence);
        (e.source, e.kind, e.target, strength, e.line)
    });
    edges.dedup_by(|weaker, strongest| {
        let same = (weaker.source, weaker.kind, weaker.target)
            == (strongest.source, strongest.kind, strongest.target);
        if same {
            strongest.line = strongest.line.min(weaker.line);
        }
        same
    });
    edges.shrink_to_fit();
    let mut lookups = file_edges.lookups;
    lookups.sort_unstable();
    lookups.dedup();
    ResolvedEdges { edges, lookups: lookups.into(), calls: file_edges.calls }
}

fn insert_file(
    snapshot: &Snapshot,
    overlay: &mut SnapshotOverlay,
    path: &str,
    content_hash: crate::Hash,
    size: u64,
    mtime_ns: i64,
    facts: Arc<crate::FileFacts>,
) {
    let file =
        snapshot.known_file_id(path).or_else(|| overlay.new_paths.get(path).copied()).unwrap_or_else(|| {
            let id = FileId(overlay.next_file);
            overlay.next_file += 1;
            overlay.new_paths.insert(path.into(), id);
            overlay.new_folders.entry(parent_folder(path).into()).or_default().push(id);
            id
        });
    if let Some(before) = take_visible_edges(overlay, file) {
        overlay.outdated.insert(file, before);
    }
    let hashes = identity::symbol_hashes(path, &facts);
    let ids: Vec<SymbolId> = hashes
        .iter()
        .map(|hash| snapshot.known_symbol(hash).unwrap_or_else(|| overlay.find_or_assign_id(*hash)))
        .collect();
    let content = Arc::new(FileContent::new(path, facts, content_hash, size, mtime_ns, hashes, ids));
    overlay.replace_totals(&snapshot.base, file, Some(&content));
    overlay.removed.remove(&file);
    overlay.replace_symbols(file, Some(&content));
    overlay.layers.insert(file, FileOverlay { content: Some(content), resolved: None, leaf: Arc::default() });
}

fn remove_file(snapshot: &Snapshot, overlay: &mut SnapshotOverlay, path: &str) {
    let Some(file) = snapshot.file_by_path(path) else { return };
    let before = take_visible_edges(overlay, file);
    overlay.replace_edges(before.as_deref(), None);
    overlay.replace_totals(&snapshot.base, file, None);
    overlay.replace_symbols(file, None);
    overlay.layers.remove(&file);
    overlay.removed.insert(file);
}

/// Hashes of everything that other files may have looked up in one file.
struct FileFingerprint {
    package: String,
    imports: Arc<[ImportFact]>,
    mounts: Arc<[MountFact]>,
    /// Fingerprints and containers of the symbols, by simple name; sorted.
    symbols: FxHashMap<String, Vec<(u64, String)>>,
    /// Bands with the fingerprints of the symbols that have them; sorted.
    bands: Vec<(u32, u64)>,
    /// Fingerprints of the symbols as members, by container; sorted.
    members: FxHashMap<String, Vec<u64>>,
    /// The sections, in order.
    sections: Vec<crate::Hash>,
    /// The hash of the spans of all symbols that are not sections.
    lines: FxHasher,
}

impl FileFingerprint {
    fn from_snapshot(snapshot: &Snapshot, path: &str) -> Option<Self> {
        let file = snapshot.file_by_path(path)?;
        let mut fingerprint = Self {
            package: snapshot.file(file)?.package.to_owned(),
            imports: snapshot.file_imports(file),
            mounts: snapshot.file_mounts(file),
            symbols: FxHashMap::default(),
            bands: Vec::new(),
            members: FxHashMap::default(),
            sections: Vec::new(),
            lines: FxHasher::default(),
        };
        let ids = snapshot.file_symbols(file);
        for (index, sketch) in snapshot.file_sketches(file) {
            if let Some(symbol) = ids.get(index).and_then(|&id| snapshot.symbol(id)) {
                fingerprint.add_sketch(&symbol.hash, &sketch);
            }
        }
        for symbol in ids.into_iter().skip(1).filter_map(|id| snapshot.symbol(id)) {
            if symbol.kind == SymbolKind::Section {
                fingerprint.sections.push(symbol.hash);
                continue;
            }
            fingerprint.add_span(symbol.span);
            let is_static = is_static_member(symbol.signature_text());
            let member = (symbol.hash, symbol.name, symbol.kind, symbol.visibility, is_static);
            fingerprint.add_member(symbol.container, member);
            fingerprint.add_symbol(
                symbol.name,
                symbol.container,
                (
                    symbol.hash,
                    symbol.param_types(),
                    symbol.type_text(),
                    symbol.encoded_bases(),
                    symbol.visibility,
                    symbol.arity,
                    symbol.is_test,
                    is_static,
                ),
            );
        }
        fingerprint.sort_entries();
        Some(fingerprint)
    }

    fn from_facts(path: &str, facts: &crate::FileFacts) -> Self {
        let mut fingerprint = Self {
            package: facts.package.clone(),
            imports: facts.imports.clone().into(),
            mounts: facts.mounts.clone().into(),
            symbols: FxHashMap::default(),
            bands: Vec::new(),
            members: FxHashMap::default(),
            sections: Vec::new(),
            lines: FxHasher::default(),
        };
        let hashes = identity::symbol_hashes(path, facts);
        for (symbol, sketch) in &facts.sketches {
            let at = *symbol as usize;
            if let Some(hash) = hashes.get(at + 1) {
                fingerprint.add_sketch(hash, sketch);
            }
        }
        for (symbol, &hash) in facts.symbols.iter().zip(hashes.iter().skip(1)) {
            if symbol.kind == SymbolKind::Section {
                fingerprint.sections.push(hash);
                continue;
            }
            fingerprint.add_span(symbol.span);
            let bases = encode_base_types(&symbol.bases);
            let is_static = is_static_member(&symbol.signature);
            let member = (hash, symbol.name.as_str(), symbol.kind, symbol.visibility, is_static);
            fingerprint.add_member(&symbol.container, member);
            fingerprint.add_symbol(
                &symbol.name,
                &symbol.container,
                (
                    hash,
                    symbol.params.as_str(),
                    symbol.ty.as_str(),
                    bases.as_str(),
                    symbol.visibility,
                    symbol.arity,
                    symbol.is_test,
                    is_static,
                ),
            );
        }
        fingerprint.sort_entries();
        fingerprint
    }

    fn add_span(&mut self, span: Span) {
        (span.start, span.end, span.start_line, span.end_line).hash(&mut self.lines);
    }

    fn add_symbol(&mut self, name: &str, container: &str, attributes: impl std::hash::Hash) {
        let mut hasher = FxHasher::default();
        attributes.hash(&mut hasher);
        let entry = (hasher.finish(), container.to_owned());
        self.symbols.entry(name.to_owned()).or_default().push(entry);
    }

    fn add_sketch(&mut self, symbol: &crate::Hash, sketch: &BodySketch) {
        let mut hasher = FxHasher::default();
        (symbol, sketch).hash(&mut hasher);
        let entry = hasher.finish();
        self.bands.extend(sketch.band_hashes().map(|band| (band, entry)));
    }

    fn add_member(&mut self, container: &str, attributes: impl std::hash::Hash) {
        if !container.is_empty() {
            let mut hasher = FxHasher::default();
            attributes.hash(&mut hasher);
            self.members.entry(container.to_owned()).or_default().push(hasher.finish());
        }
    }

    fn sort_entries(&mut self) {
        self.bands.sort_unstable();
        self.symbols.values_mut().for_each(|fingerprints| fingerprints.sort_unstable());
        self.members.values_mut().for_each(|fingerprints| fingerprints.sort_unstable());
    }

    /// Adds the bands whose symbols or sketches differ between two states of a file.
    fn collect_changed_bands(before: Option<&Self>, after: Option<&Self>, bands: &mut Vec<u32>) {
        let old = before.map_or(&[][..], |fingerprint| &fingerprint.bands);
        let new = after.map_or(&[][..], |fingerprint| &fingerprint.bands);
        for (entries, other) in [(old, new), (new, old)] {
            bands.extend(
                entries.iter().filter(|entry| other.binary_search(entry).is_err()).map(|(band, _)| *band),
            );
        }
    }

    /// Adds the keys whose values differ between two states of the file at `path`.
    fn collect_changed_keys(path: &str, before: Option<&Self>, after: Option<&Self>, keys: &mut Vec<u32>) {
        let mut add_key = |key: LookupKey<'_>| keys.push(key.key_number());
        if before.is_some() != after.is_some() {
            add_key(LookupKey::Path(path));
            add_key(LookupKey::Folder(parent_folder(path)));
            add_key(LookupKey::FileName(file_name(path)));
        }
        let sections = |fingerprint: Option<&Self>| fingerprint.map_or(Vec::new(), |s| s.sections.clone());
        if sections(before) != sections(after) {
            add_key(LookupKey::Sections(path));
        }
        let package = |fingerprint: Option<&Self>| fingerprint.map(|s| s.package.clone());
        let package_changed = package(before) != package(after);
        if package_changed {
            for name in [package(before), package(after)].into_iter().flatten() {
                add_key(LookupKey::Package(&name));
            }
        }
        if !has_same_imports(before, after) {
            add_key(LookupKey::Imports(path));
        }
        let mounts = |fingerprint: Option<&Self>| fingerprint.map(|s| s.mounts.clone()).unwrap_or_default();
        // Mounts are resolved in the package of their file.
        if mounts(before) != mounts(after) || (package_changed && !mounts(after).is_empty()) {
            add_key(LookupKey::Mounts);
        }
        let none = FxHashMap::default();
        let old = before.map_or(&none, |s| &s.symbols);
        let new = after.map_or(&none, |s| &s.symbols);
        let changed = old.keys().filter(|name| new.get(*name) != old.get(*name));
        for name in changed.chain(new.keys().filter(|name| !old.contains_key(*name))) {
            add_key(LookupKey::Name(name));
            add_key(LookupKey::NameInFile { path, name });
            for (_, container) in [old, new].into_iter().filter_map(|names| names.get(name)).flatten() {
                add_key(LookupKey::NameInContainer { container, name });
            }
        }
        let none = FxHashMap::default();
        let old = before.map_or(&none, |s| &s.members);
        let new = after.map_or(&none, |s| &s.members);
        for container in old.keys().chain(new.keys()) {
            if old.get(container) != new.get(container) {
                add_key(LookupKey::Members { file_or_folder: path, container });
                add_key(LookupKey::Members { file_or_folder: parent_folder(path), container });
            }
        }
    }
}

fn sort_keys(mut keys: Vec<u32>) -> Vec<u32> {
    keys.sort_unstable();
    keys
}

/// Whether two states of a file have the same imports, regardless of their positions.
fn has_same_imports(before: Option<&FileFingerprint>, after: Option<&FileFingerprint>) -> bool {
    let (Some(a), Some(b)) = (before, after) else { return before.is_none() && after.is_none() };
    a.imports.len() == b.imports.len()
        && a.imports.iter().zip(b.imports.iter()).all(|(x, y)| {
            (&x.path, &x.name, &x.alias, x.reexport, x.scope)
                == (&y.path, &y.name, &y.alias, y.reexport, y.scope)
        })
}
