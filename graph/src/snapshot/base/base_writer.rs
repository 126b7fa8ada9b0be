//! Writes a base: a snapshot, including its overlay, becomes one image with new, dense ids in path
//! order.
//!
//! The sections are written in an order that lets the data of a finished section be dropped: files
//! and symbols first, then edges, sketches, package roots, the symbol indexes with the strings, and
//! the text index. Symbol numbers follow the order of files and positions; phantoms come after all
//! other symbols, sorted by identity.

use super::image_writer::ImageWriter;
use super::{
    BaseMeta, EDGE_FOREIGN, EDGE_FROM_DOCUMENT, EdgeRecord, FILE_DOCUMENT, FileRecord, ForeignOwner,
    ImageSection, IncomingRecord, NONE, PackageRecord, SYMBOL_DOCUMENT, SYMBOL_HAS_ARITY, SYMBOL_TEST,
    SketchRecord, SymbolRecord,
};
use crate::facts::StringTableBuilder;
use crate::hash::Hash;
use crate::paths::parent_folder;
use crate::private_files;
use crate::sketch::BANDS;
use crate::snapshot::edges::mirror_kind;
use crate::snapshot::name_lookup::folded_order;
use crate::snapshot::overlay::StoredEdge;
use crate::snapshot::{FileId, Snapshot, SymbolId, SymbolRef};
use crate::store::{KenningFile, UNFINISHED_PREFIX};
use crate::text::{Corpus, has_file_text};
use crate::vocabulary::{EdgeKind, SymbolKind};
use bytemuck::Zeroable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

/// The bytes of a base file.
pub struct BaseImage(pub(in crate::snapshot) Vec<u8>);

impl BaseImage {
    /// Returns the bytes that a base file contains.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Builds the image of a base in memory. It shows the same graph as `snapshot`.
pub fn build_base_image(snapshot: &Snapshot) -> std::io::Result<BaseImage> {
    let image = BaseWriter::write_image(snapshot, 0, std::io::Cursor::new(Vec::new()), &mut || false)?;
    Ok(BaseImage(image.into_inner()))
}

/// Writes the image of a base that shows the same graph as `snapshot` and belongs to the databases
/// of `lineage`. Writes a temporary file in the folder of `path`, flushes it to disk and renames it
/// to `path`. If `interrupted` returns `true` meanwhile, removes the unfinished file and returns
/// `false`.
pub fn write_base_file(
    snapshot: &Snapshot,
    lineage: u64,
    path: &Path,
    interrupted: &mut dyn FnMut() -> bool,
) -> std::io::Result<bool> {
    remove_leftovers(path);
    let temporary = path.with_extension(format!("{UNFINISHED_PREFIX}{}", std::process::id()));
    let (mut was_interrupted, mut is_created) = (false, false);
    let result = (|| {
        let out = BufWriter::with_capacity(1 << 20, private_files::create_new_file(&temporary)?);
        is_created = true;
        let check = &mut || {
            was_interrupted = was_interrupted || interrupted();
            was_interrupted
        };
        BaseWriter::write_image(snapshot, lineage, out, check)?.get_ref().sync_all()?;
        std::fs::rename(&temporary, path)
    })();
    if result.is_err() && is_created {
        let _ = std::fs::remove_file(&temporary);
    }
    if was_interrupted { Ok(false) } else { result.map(|()| true) }
}

/// Removes the files of processes that were killed while they wrote a base. Files of other programs
/// with similar names stay.
fn remove_leftovers(path: &Path) {
    let (Some(folder), Some(image)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_name().to_str().and_then(|name| KenningFile::from_name(name, image));
        if kind == Some(KenningFile::UnfinishedImage) && KenningFile::UnfinishedImage.is_at(&entry.path()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The number of records of a streamed section that are encoded at a time.
const RECORDS_PER_PART: usize = 4096;

/// The state of an image that is being written: everything that later sections need from earlier
/// sections.
pub(super) struct BaseWriter<'a, W> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) files: Vec<FileId>,
    strings: StringTableBuilder,
    /// The records of the symbols, until their section is written.
    symbols: Vec<SymbolRecord>,
    pub(super) symbol_count: usize,
    pub(super) new_symbol: FxHashMap<SymbolId, u32>,
    pub(super) new_file: FxHashMap<FileId, u32>,
    pub(super) image: ImageWriter<W>,
    pub(super) meta: BaseMeta,
    /// Returns `true` if the caller wants the writing to stop.
    interrupted: &'a mut dyn FnMut() -> bool,
}

impl<'a, W: Write + Seek> BaseWriter<'a, W> {
    fn write_image(
        snapshot: &'a Snapshot,
        lineage: u64,
        out: W,
        interrupted: &'a mut dyn FnMut() -> bool,
    ) -> std::io::Result<W> {
        let files = snapshot.files();
        let mut writer = BaseWriter {
            new_file: files.iter().enumerate().map(|(i, &id)| (id, i as u32)).collect(),
            files,
            snapshot,
            strings: StringTableBuilder::default(),
            symbols: Vec::new(),
            symbol_count: 0,
            new_symbol: FxHashMap::default(),
            image: ImageWriter::new(out)?,
            meta: BaseMeta { revision: snapshot.overlay.revision, ..BaseMeta::default() },
            interrupted,
        };
        writer.write_files_and_symbols()?;
        writer.write_edges()?;
        writer.write_sketches()?;
        writer.write_package_roots()?;
        writer.write_symbol_orders()?;
        writer.write_text_index()?;
        let meta = postcard::to_stdvec(&writer.meta).map_err(std::io::Error::other)?;
        writer.image.write_section(ImageSection::Meta, &meta)?;
        writer.image.finish(lineage)
    }

    /// Returns an error of the kind `Interrupted` if the caller wants the writing to stop.
    pub(super) fn check_interrupted(&mut self) -> std::io::Result<()> {
        if (self.interrupted)() { Err(std::io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    pub(super) fn write_records<T: bytemuck::Pod>(
        &mut self,
        section: ImageSection,
        records: &[T],
    ) -> std::io::Result<()> {
        self.image.write_section(section, bytemuck::cast_slice(records))
    }

    fn write_files_and_symbols(&mut self) -> std::io::Result<()> {
        let leaves = structure_leaves(self.snapshot, &self.files);
        let mut records = Vec::with_capacity(self.files.len());
        let (mut lookups, mut imports, mut mounts) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (&id, leaf)) in self.files.clone().iter().zip(leaves).enumerate() {
            self.check_interrupted()?;
            let Some(file) = self.snapshot.file(id) else { continue };
            let ids = self.snapshot.file_symbols(id);
            let documents = self.document_flags(id, ids.len());
            // In a damaged base a symbol of the file may be unreadable.
            let symbols: Vec<(SymbolRef<'_>, bool)> =
                ids.iter().zip(documents).filter_map(|(&s, d)| Some((self.snapshot.symbol(s)?, d))).collect();
            let first_symbol = self.symbols.len() as u32;
            for (index, (symbol, _)) in symbols.iter().enumerate() {
                self.new_symbol.insert(symbol.id, first_symbol + index as u32);
            }
            for (symbol, document) in &symbols {
                let record = self.build_symbol_record(symbol, i as u32, *document);
                self.symbols.push(record);
            }
            let lookups_start = lookups.len() as u32;
            lookups.extend_from_slice(self.snapshot.file_lookups(id));
            let imports_start = imports.len() as u32;
            let file_imports = self.snapshot.file_imports(id);
            if !file_imports.is_empty() {
                imports.extend(postcard::to_stdvec(&*file_imports).unwrap_or_default());
            }
            let file_mounts = self.snapshot.file_mounts(id);
            if !file_mounts.is_empty() {
                mounts.push((i as u32, file_mounts.to_vec()));
            }
            records.push(FileRecord {
                content: file.content_hash.0,
                structure_leaf: leaf.0,
                size: file.size,
                mtime_ns: file.mtime_ns,
                path: self.strings.intern(file.path),
                language: self.strings.intern(file.language),
                package: self.strings.intern(file.package),
                lines: file.lines,
                first_symbol,
                symbol_count: symbols.len() as u32,
                resolved: file.calls.resolved,
                ambiguous: file.calls.ambiguous,
                external: file.calls.external,
                unresolved: file.calls.unresolved,
                lookups_start,
                lookups_len: lookups.len() as u32 - lookups_start,
                imports_start,
                imports_len: imports.len() as u32 - imports_start,
                flags: if file.is_document { FILE_DOCUMENT } else { 0 },
                reserved: 0,
            });
        }
        self.meta.first_phantom = self.symbols.len() as u32;
        self.count_documents(&records);
        self.write_records(ImageSection::Files, &records)?;
        let mut order: Vec<u32> = (0..lookups.len() as u32).collect();
        order.sort_unstable_by_key(|&at| (lookups[at as usize], at));
        self.write_records(ImageSection::LookupOrder, &order)?;
        self.write_records(ImageSection::Lookups, &lookups)?;
        self.image.write_section(ImageSection::Imports, &imports)?;
        let mounts = postcard::to_stdvec(&mounts).map_err(std::io::Error::other)?;
        self.image.write_section(ImageSection::Mounts, &mounts)?;
        self.write_file_orders(&records)
    }

    /// Records the number of symbols of code and of the documents of each corpus.
    fn count_documents(&mut self, files: &[FileRecord]) {
        let sections = self.symbols.iter().filter(|s| s.kind == SymbolKind::Section.number()).count();
        self.meta.symbols = (self.symbols.len() - files.len() - sections) as u32;
        let mut add = |is_document: bool, code: Corpus, document: Corpus| {
            self.meta.documents[if is_document { document } else { code } as usize] += 1;
        };
        let is_document = |file: u32| files[file as usize].flags & FILE_DOCUMENT != 0;
        for symbol in self.symbols.iter().filter(|s| s.flags & SYMBOL_DOCUMENT != 0) {
            add(is_document(symbol.file), Corpus::Symbols, Corpus::Sections);
        }
        for file in 0..files.len() as u32 {
            add(is_document(file), Corpus::Files, Corpus::DocumentFiles);
        }
    }

    /// Returns whether each symbol of a file (the file symbol first) is a document of the text
    /// index.
    fn document_flags(&self, file: FileId, symbols: usize) -> Vec<bool> {
        if let Some(content) = self.snapshot.overlay.file_content(file) {
            let file_text = has_file_text(&content.facts);
            return std::iter::once(file_text).chain(content.documents.iter().copied()).collect();
        }
        let first =
            self.snapshot.base.file_records().get(file.0 as usize).map_or(0, |f| f.first_symbol as usize);
        let all = self.snapshot.base.symbol_records();
        (first..first + symbols).map(|i| all.get(i).is_some_and(|s| s.flags & SYMBOL_DOCUMENT != 0)).collect()
    }

    fn build_symbol_record(&mut self, symbol: &SymbolRef<'_>, file: u32, document: bool) -> SymbolRecord {
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        SymbolRecord {
            hash: symbol.hash.0,
            body_hash: symbol.body_hash,
            file,
            parent: symbol.parent.and_then(|p| self.new_symbol.get(&p).copied()).unwrap_or(NONE),
            name: self.strings.intern(symbol.name),
            container: self.strings.intern(if file == NONE { symbol.path } else { symbol.container }),
            signature: self.strings.intern(symbol.signature_text()),
            doc: self.strings.intern(symbol.doc_text()),
            params: self.strings.intern(symbol.param_types()),
            ty: self.strings.intern(symbol.type_text()),
            bases: self.strings.intern(symbol.encoded_bases()),
            span: [symbol.span.start, symbol.span.end, symbol.span.start_line, symbol.span.end_line],
            name_span: [
                symbol.name_span.start,
                symbol.name_span.len,
                symbol.name_span.line,
                symbol.name_span.column,
            ],
            kind: symbol.kind.number(),
            visibility: symbol.visibility.number(),
            flags: flag(symbol.is_test, SYMBOL_TEST)
                | flag(document, SYMBOL_DOCUMENT)
                | flag(symbol.arity.is_some(), SYMBOL_HAS_ARITY),
            arity: symbol.arity.unwrap_or(0),
        }
    }

    fn write_file_orders(&mut self, records: &[FileRecord]) -> std::io::Result<()> {
        let paths: Vec<&str> = self.files.iter().map(|&id| self.snapshot.file_path(id)).collect();
        let packages: Vec<&str> =
            self.files.iter().map(|&id| self.snapshot.file(id).map_or("", |f| f.package)).collect();
        let mut by_folder: Vec<u32> = (0..records.len() as u32).collect();
        by_folder.sort_by_key(|&i| (parent_folder(paths[i as usize]), i));
        let mut by_package: Vec<u32> = (0..records.len() as u32).collect();
        by_package.sort_by_key(|&i| (packages[i as usize], i));
        self.write_records(ImageSection::Folders, &by_folder)?;
        self.write_records(ImageSection::Packages, &by_package)
    }

    fn write_edges(&mut self) -> std::io::Result<()> {
        self.collect_phantoms();
        let mut edges: Vec<RenumberedEdge> = Vec::new();
        for file in self.files.clone() {
            self.check_interrupted()?;
            edges.extend(
                self.snapshot.edges_shown_by(file).iter().filter_map(|edge| self.renumber_edge(edge)),
            );
        }
        edges.sort_unstable_by_key(|edge| (edge.source, edge.kind, edge.target, edge.owner));
        let symbols = &self.symbols;
        let is_foreign = |edge: &RenumberedEdge| symbols[edge.source as usize].file != edge.owner;
        let mut foreign = Vec::new();
        let mut out_counts = vec![0u32; symbols.len()];
        let mut in_counts = vec![0u32; symbols.len()];
        for (index, edge) in edges.iter().enumerate() {
            if is_foreign(edge) {
                foreign.push(ForeignOwner { edge: index as u32, file: edge.owner });
            }
            out_counts[edge.source as usize] += 1;
            in_counts[edge.target as usize] += 1;
        }
        self.meta.edges = edges.iter().map(|e| 1 + u32::from(mirror_kind(e.kind).is_some())).sum();
        let out_starts = running_starts(&out_counts);
        let in_starts = running_starts(&in_counts);
        let is_document: Vec<bool> = self.files.iter().map(|&file| self.snapshot.is_document(file)).collect();
        let flags = |edge: &RenumberedEdge| {
            let from_document = is_document.get(edge.owner as usize).is_some_and(|is_document| *is_document);
            let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
            flag(is_foreign(edge), EDGE_FOREIGN) | flag(from_document, EDGE_FROM_DOCUMENT)
        };
        let record = |edge: &RenumberedEdge| EdgeRecord {
            target: edge.target,
            line: edge.line,
            kind: edge.kind.number(),
            provenance: edge.provenance,
            confidence: edge.confidence,
            flags: flags(edge),
        };
        let out = edges.chunks(RECORDS_PER_PART).map(|part| {
            let records: Vec<EdgeRecord> = part.iter().map(record).collect();
            bytemuck::cast_slice::<_, u8>(&records).to_vec()
        });
        self.image.write_section_parts(ImageSection::Out, out)?;
        let incoming = incoming_records(&edges, &in_starts);
        drop(edges);
        self.write_records(ImageSection::OutStarts, &out_starts)?;
        self.write_records(ImageSection::In, &incoming)?;
        self.write_records(ImageSection::InStarts, &in_starts)?;
        let mut order: Vec<u32> = (0..foreign.len() as u32).collect();
        order.sort_by_key(|&at| (foreign[at as usize].file, at));
        self.write_records(ImageSection::ForeignOrder, &order)?;
        self.write_records(ImageSection::Foreign, &foreign)
    }

    /// Converts an edge to the ids of the new base; returns `None` if one of its ends is not in it.
    fn renumber_edge(&self, edge: &StoredEdge) -> Option<RenumberedEdge> {
        Some(RenumberedEdge {
            source: *self.new_symbol.get(&edge.source)?,
            kind: edge.kind,
            target: *self.new_symbol.get(&edge.target)?,
            owner: self.new_file.get(&edge.owner).copied().unwrap_or(NONE),
            line: edge.line,
            provenance: edge.provenance.number(),
            confidence: edge.confidence,
        })
    }

    /// Appends the phantoms that are an end of an edge, after all other symbols, sorted by
    /// identity.
    fn collect_phantoms(&mut self) {
        let missing_ends: FxHashSet<SymbolId> = self
            .files
            .iter()
            .flat_map(|&file| self.snapshot.edges_shown_by(file))
            .flat_map(|edge| [edge.source, edge.target])
            .filter(|end| !self.new_symbol.contains_key(end))
            .collect();
        let mut phantoms: Vec<(Hash, SymbolId)> = missing_ends
            .into_iter()
            .filter_map(|end| self.snapshot.symbol(end))
            .filter(|symbol| symbol.file.is_none())
            .map(|symbol| (symbol.hash, symbol.id))
            .collect();
        phantoms.sort_unstable();
        for (_, id) in phantoms {
            if let Some(symbol) = self.snapshot.symbol(id) {
                self.new_symbol.insert(id, self.symbols.len() as u32);
                let is_document = false;
                let record = self.build_symbol_record(&symbol, NONE, is_document);
                self.symbols.push(record);
            }
        }
    }

    fn write_sketches(&mut self) -> std::io::Result<()> {
        let mut records: Vec<SketchRecord> = Vec::new();
        for &file in &self.files {
            let ids = self.snapshot.file_symbols(file);
            for (index, sketch) in self.snapshot.file_sketches(file) {
                if let Some(&symbol) = ids.get(index).and_then(|id| self.new_symbol.get(id)) {
                    records.push(SketchRecord { symbol, sketch });
                }
            }
        }
        let band = |at: u32| records[at as usize / BANDS].sketch.band_hashes()[at as usize % BANDS];
        let mut order: Vec<u32> = (0..(records.len() * BANDS) as u32).collect();
        order.sort_unstable_by_key(|&at| (band(at), at));
        self.write_records(ImageSection::BandOrder, &order)?;
        self.write_records(ImageSection::Sketches, &records)
    }

    fn write_symbol_orders(&mut self) -> std::io::Result<()> {
        let mut by_hash: Vec<u32> = (0..self.symbols.len() as u32).collect();
        by_hash.sort_unstable_by_key(|&i| self.symbols[i as usize].hash);
        self.write_records(ImageSection::ByHash, &by_hash)?;
        let strings = self.strings.as_table();
        let name = |i: u32| strings.get(self.symbols[i as usize].name);
        let mut by_name: Vec<u32> = (0..self.meta.first_phantom)
            .filter(|&i| {
                let kind = self.symbols[i as usize].kind;
                kind != SymbolKind::File.number() && kind != SymbolKind::Section.number()
            })
            .collect();
        by_name.sort_by(|&a, &b| folded_order(name(a), name(b)).then(a.cmp(&b)));
        self.write_records(ImageSection::ByName, &by_name)?;
        let symbols = std::mem::take(&mut self.symbols);
        self.write_records(ImageSection::Symbols, &symbols)?;
        self.symbol_count = symbols.len();
        let strings = std::mem::take(&mut self.strings).into_table();
        self.write_records(ImageSection::StringEnds, strings.string_ends())?;
        self.image.write_section(ImageSection::StringBytes, strings.joined_text().as_bytes())
    }

    fn write_package_roots(&mut self) -> std::io::Result<()> {
        let roots = self.snapshot.package_roots();
        let mut records = Vec::with_capacity(roots.len());
        for (folder, roots) in roots {
            records.push(PackageRecord {
                structure: roots.structure.0,
                content: roots.content.0,
                documents: roots.documents.0,
                folder: self.strings.intern(&folder),
                ..PackageRecord::zeroed()
            });
        }
        self.write_records(ImageSection::PackageRoots, &records)
    }
}

/// An edge with the ids of the new base.
struct RenumberedEdge {
    source: u32,
    target: u32,
    owner: u32,
    line: u32,
    kind: EdgeKind,
    provenance: u8,
    confidence: u8,
}

/// Returns the edges grouped by target. The edges of one target keep the order of their sources.
fn incoming_records(edges: &[RenumberedEdge], starts: &[u32]) -> Vec<IncomingRecord> {
    let mut next_slots: Vec<u32> = starts.to_vec();
    let mut incoming = vec![IncomingRecord::zeroed(); edges.len()];
    for (index, edge) in edges.iter().enumerate() {
        let slot = &mut next_slots[edge.target as usize];
        incoming[*slot as usize] = IncomingRecord { source: edge.source, edge: index as u32 };
        *slot += 1;
    }
    incoming
}

/// Returns the start of each of the consecutive groups with these sizes, and the end of the last
/// group.
fn running_starts(counts: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    std::iter::once(0)
        .chain(counts.iter().map(|count| {
            sum += count;
            sum
        }))
        .collect()
}

/// Computes the structure leaves of all files, on all cores.
fn structure_leaves(snapshot: &Snapshot, files: &[FileId]) -> Vec<Hash> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let chunk = files.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(chunk)
            .map(|part| scope.spawn(|| part.iter().map(|&f| snapshot.structure_leaf(f)).collect::<Vec<_>>()))
            .collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_default()).collect()
    })
}
