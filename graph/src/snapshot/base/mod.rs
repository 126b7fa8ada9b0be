//! The base: an immutable image of the whole graph and its text index, in one file.
//!
//! The file has a header (magic, version, length, checksum of the table, lineage), a table of
//! sections (start, length and checksum of each) and the sections themselves. Sections are arrays
//! of fixed-size records, which are read in place, or encoded data. Strings are interned and stored
//! once.
//!
//! `base_writer` turns a snapshot into an image, with new, dense ids in path order. It writes the
//! image to a temporary file and renames it; an image is never changed in place.
//! [`BaseGraph::open`] reads the whole file into private memory and checks every section against
//! its checksum. Later changes to the file have no effect on the answers.
//!
//! Readers also check all bounds, so that an image with valid checksums and wrong content does not
//! make them panic.

mod base_writer;
mod encoded_postings;
mod image_reader;
mod image_writer;
mod records;
mod search_hints;
mod text_index_writer;

pub use base_writer::{BaseImage, build_base_image, write_base_file};
pub(crate) use records::{
    BaseMeta, EDGE_FOREIGN, EDGE_FROM_DOCUMENT, EdgeRecord, FILE_DOCUMENT, FileRecord, ForeignOwner,
    IncomingRecord, NONE, PackageRecord, SYMBOL_DOCUMENT, SYMBOL_HAS_ARITY, SYMBOL_TEST, SketchRecord,
    SymbolRecord,
};

use crate::facts::MountFact;
use crate::snapshot::FileId;
use crate::text::{FIELDS, TextTotals};
use search_hints::SearchHints;
use std::borrow::Cow;
use std::fs::File;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The reason why a base file cannot be used. It is then rebuilt from the databases.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is damaged, or it is not a base file.
    #[error("{path} is not a usable base image: {reason}")]
    Format {
        /// The path of the file.
        path: PathBuf,
        /// The damage that was found.
        reason: Cow<'static, str>,
    },
    /// Another version of Kenning wrote the file. It is not damaged.
    #[error("{path} was written by another version of Kenning")]
    Version {
        /// The path of the file.
        path: PathBuf,
    },
}

impl BaseError {
    /// Whether the file exists and is damaged or unreadable.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.kind() != std::io::ErrorKind::NotFound,
            Self::Format { .. } => true,
            Self::Version { .. } => false,
        }
    }
}

/// The first bytes of a base file.
const MAGIC: [u8; 8] = *b"KENNBASE";

/// Whether the file at `path` begins as a base file, even if it is damaged or of another version.
pub fn is_base_image(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
    read.is_ok() && start == MAGIC
}

/// The version of the layout. Increase it when the layout changes; files of another version are
/// rebuilt.
pub const BASE_VERSION: u32 = 6;

/// The length of the header in bytes.
const HEADER: usize = 64;

/// The end of the table of sections in bytes. The table has the start, length and checksum of each
/// section, 24 bytes per section.
const TABLE_END: usize = HEADER + SECTIONS * 24;

/// The alignment of the sections in bytes.
const ALIGN: usize = 16;

/// The position in the header, in bytes, of the lineage of the databases to which the image
/// belongs.
const LINEAGE: usize = 32;

/// The sections of an image, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum ImageSection {
    Meta,
    StringEnds,
    StringBytes,
    Files,
    Folders,
    Packages,
    PackageRoots,
    Lookups,
    Imports,
    Symbols,
    ByHash,
    ByName,
    OutStarts,
    Out,
    InStarts,
    In,
    Foreign,
    TermEnds,
    TermBytes,
    SymbolPostingEnds,
    SymbolPostings,
    FilePostingEnds,
    FilePostings,
    TermStats,
    SymbolLengths,
    FileLengths,
    LookupOrder,
    ForeignOrder,
    Sketches,
    BandOrder,
    Mounts,
    SectionPostingEnds,
    SectionPostings,
    DocumentFilePostingEnds,
    DocumentFilePostings,
}

/// The number of sections.
pub(crate) const SECTIONS: usize = 35;

/// The bytes of an image.
enum ImageBytes {
    /// Private memory that was read from a file.
    Read(memmap2::Mmap),
    /// An image that was built in memory: its words, aligned for all records, and its length in
    /// bytes.
    Owned(Vec<u128>, usize),
}

impl ImageBytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Read(memory) => memory,
            Self::Owned(words, len) => &bytemuck::cast_slice(words)[..*len],
        }
    }
}

/// An opened base.
pub struct BaseGraph {
    bytes: ImageBytes,
    sections: [(usize, usize); SECTIONS],
    lineage: u64,
    pub(crate) meta: BaseMeta,
    /// Hints for the index of names.
    pub(crate) name_hints: SearchHints,
    /// Hints for the index of identities.
    pub(crate) hash_hints: SearchHints,
    /// Hints for the files, which are sorted by path.
    pub(crate) path_hints: SearchHints,
    mounts: OnceLock<Vec<FileMounts>>,
}

/// The number of a file and the mounts in it.
pub(crate) type FileMounts = (u32, Arc<[MountFact]>);

impl std::fmt::Debug for BaseGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Base({} symbols)", self.symbol_records().len())
    }
}

impl BaseGraph {
    /// Returns a base without files or symbols.
    pub fn empty() -> Self {
        Self {
            bytes: ImageBytes::Owned(Vec::new(), 0),
            sections: [(0, 0); SECTIONS],
            lineage: 0,
            meta: BaseMeta::default(),
            name_hints: SearchHints::default(),
            hash_hints: SearchHints::default(),
            path_hints: SearchHints::default(),
            mounts: OnceLock::new(),
        }
    }

    /// Reads the base file at `path` and checks all of it against its checksums.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is damaged anywhere, or was written by another
    /// version.
    pub fn open(path: &Path) -> Result<Self, BaseError> {
        let io_error = |source| BaseError::Io { path: path.to_owned(), source };
        let format_error = |reason| BaseError::Format { path: path.to_owned(), reason };
        // Opening a pipe would wait for a writer.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(format_error("not a regular file".into()));
        }
        let file = File::open(path).map_err(io_error)?;
        let len = file.metadata().map_err(io_error)?.len();
        let mut head = [0; TABLE_END];
        let head_len = usize::try_from(len).unwrap_or(TABLE_END).min(TABLE_END);
        image_reader::read_at(&file, 0, &mut head[..head_len]).map_err(io_error)?;
        let layout = ImageLayout::parse(&head[..head_len], len, path)?;
        let memory = image_reader::read_sections(&file, len, &layout).map_err(|error| match error {
            image_reader::ImageReadError::Io(source) => io_error(source),
            image_reader::ImageReadError::Damaged(section) => {
                format_error(format!("section {section} is damaged").into())
            }
        })?;
        Self::with_layout(ImageBytes::Read(memory), &layout, path)
    }

    /// Opens a base from an image in memory.
    pub fn from_image(image: &BaseImage) -> Result<Self, BaseError> {
        let bytes = image.as_bytes();
        let mut words = vec![0u128; bytes.len().div_ceil(16)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let path = Path::new("(memory)");
        let layout = ImageLayout::parse(bytes, bytes.len() as u64, path)?;
        Self::with_layout(ImageBytes::Owned(words, bytes.len()), &layout, path)
    }

    fn with_layout(bytes: ImageBytes, layout: &ImageLayout, path: &Path) -> Result<Self, BaseError> {
        let format_error =
            |reason: &'static str| BaseError::Format { path: path.to_owned(), reason: reason.into() };
        let (start, len) = layout.sections[ImageSection::Meta as usize];
        let meta = postcard::from_bytes(&bytes.as_slice()[start..start + len])
            .map_err(|_| format_error("the description is damaged"))?;
        let ImageLayout { sections, lineage, .. } = *layout;
        let base = Self { bytes, sections, lineage, meta, ..Self::empty() };
        if base.section_slice::<u32>(ImageSection::OutStarts).len() != base.symbol_records().len() + 1 {
            return Err(format_error("the sections do not match"));
        }
        Ok(base)
    }

    /// Returns the lineage of the databases to which the image belongs
    /// ([`crate::store::GraphMeta::lineage`]).
    pub fn lineage(&self) -> u64 {
        self.lineage
    }

    /// Returns the revision of the graph that the image shows.
    pub fn revision(&self) -> u64 {
        self.meta.revision
    }

    /// Returns the size of the image in bytes.
    pub fn image_size(&self) -> usize {
        self.bytes.as_slice().len()
    }

    pub(crate) fn section_bytes(&self, section: ImageSection) -> &[u8] {
        let (start, len) = self.sections[section as usize];
        &self.bytes.as_slice()[start..start + len]
    }

    pub(crate) fn section_slice<T: bytemuck::Pod>(&self, section: ImageSection) -> &[T] {
        bytemuck::try_cast_slice(self.section_bytes(section)).unwrap_or(&[])
    }

    pub(crate) fn file_records(&self) -> &[FileRecord] {
        self.section_slice(ImageSection::Files)
    }

    pub(crate) fn symbol_records(&self) -> &[SymbolRecord] {
        self.section_slice(ImageSection::Symbols)
    }

    /// Returns the files with mounts, each with its mounts, sorted by file number. Decodes them on
    /// first use.
    pub(crate) fn mounts_by_file(&self) -> &[FileMounts] {
        self.mounts.get_or_init(|| {
            let stored: Vec<(u32, Vec<MountFact>)> =
                postcard::from_bytes(self.section_bytes(ImageSection::Mounts)).unwrap_or_default();
            stored.into_iter().map(|(file, mounts)| (file, mounts.into())).collect()
        })
    }

    /// Returns the interned string with this number; empty for a number out of range or damaged
    /// text.
    pub(crate) fn string_text(&self, id: u32) -> &str {
        text_at(
            self.section_slice(ImageSection::StringEnds),
            self.section_bytes(ImageSection::StringBytes),
            id as usize,
        )
    }

    /// Returns the bytes of a string. Comparing them needs no UTF-8 check.
    pub(crate) fn string_bytes(&self, id: u32) -> &[u8] {
        bytes_at(
            self.section_slice(ImageSection::StringEnds),
            self.section_bytes(ImageSection::StringBytes),
            id as usize,
        )
    }

    pub(crate) fn term_text(&self, id: usize) -> &str {
        text_at(self.section_slice(ImageSection::TermEnds), self.section_bytes(ImageSection::TermBytes), id)
    }

    pub(crate) fn term_count(&self) -> usize {
        self.section_slice::<u32>(ImageSection::TermEnds).len()
    }

    pub(crate) fn document_lengths(&self, section: ImageSection, document: usize) -> [u16; FIELDS] {
        let all: &[u16] = self.section_slice(section);
        all.get(document * FIELDS..(document + 1) * FIELDS)
            .and_then(|row| row.try_into().ok())
            .unwrap_or([0; FIELDS])
    }

    /// Counts the documents of a file and sums up their lengths. A file that the base does not have
    /// has none.
    pub(crate) fn text_totals_of_file(&self, file: FileId) -> TextTotals {
        let mut totals = TextTotals::default();
        let number = file.0 as usize;
        let Some(record) = self.file_records().get(number) else { return totals };
        let is_document = record.flags & FILE_DOCUMENT != 0;
        totals.add_file(is_document, &self.document_lengths(ImageSection::FileLengths, number));
        let first = record.first_symbol as usize;
        let symbols = self.symbol_records().iter().enumerate().skip(first).take(record.symbol_count as usize);
        for (symbol, _) in symbols.filter(|(_, symbol)| symbol.flags & SYMBOL_DOCUMENT != 0) {
            totals.add_symbol(is_document, &self.document_lengths(ImageSection::SymbolLengths, symbol));
        }
        totals
    }

    /// Returns the bytes of `section` for one term, whose end and start are consecutive values of
    /// `ends`.
    pub(crate) fn term_postings(&self, ends: ImageSection, section: ImageSection, term: usize) -> &[u8] {
        let ends: &[u32] = self.section_slice(ends);
        let Some(&end) = ends.get(term) else { return &[] };
        let start = if term == 0 { 0 } else { ends[term - 1] };
        self.section_bytes(section).get(start as usize..end as usize).unwrap_or(&[])
    }

    /// Returns the records of one row of a section that is indexed by starts (CSR).
    pub(crate) fn csr_row<T: bytemuck::Pod>(
        &self,
        starts: ImageSection,
        section: ImageSection,
        row: usize,
    ) -> &[T] {
        let starts: &[u32] = self.section_slice(starts);
        let (Some(&from), Some(&to)) = (starts.get(row), starts.get(row + 1)) else { return &[] };
        self.section_slice::<T>(section).get(from as usize..to as usize).unwrap_or(&[])
    }
}

/// The positions and checksums of an image's sections, according to its table.
struct ImageLayout {
    /// The start and length of each section.
    sections: [(usize, usize); SECTIONS],
    sums: [u64; SECTIONS],
    lineage: u64,
}

impl ImageLayout {
    /// Reads the header and the table from the first bytes of a file that is `len` bytes long.
    fn parse(head: &[u8], len: u64, path: &Path) -> Result<Self, BaseError> {
        let format_error =
            |reason: &'static str| BaseError::Format { path: path.to_owned(), reason: reason.into() };
        if head.len() < TABLE_END || head[..8] != MAGIC {
            return Err(format_error("the header is missing"));
        }
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap_or_default());
        if number(24) != xxh3_checksum(&head[HEADER..TABLE_END]) {
            // The size of the table depends on the version.
            if number(8) == u64::from(BASE_VERSION) {
                return Err(format_error("the section table is damaged"));
            }
            return Err(BaseError::Version { path: path.to_owned() });
        }
        if number(8) != u64::from(BASE_VERSION) {
            return Err(BaseError::Version { path: path.to_owned() });
        }
        if number(16) != len {
            return Err(format_error(if len < number(16) {
                "truncated"
            } else {
                "longer than it was written"
            }));
        }
        let lineage = number(LINEAGE);
        let mut layout = Self { sections: [(0, 0); SECTIONS], sums: [0; SECTIONS], lineage };
        for i in 0..SECTIONS {
            let [start, size, sum] = [0, 8, 16].map(|at| number(HEADER + i * 24 + at));
            if !start.is_multiple_of(ALIGN as u64) || start.checked_add(size).is_none_or(|end| end > len) {
                return Err(format_error("a section is outside the file"));
            }
            layout.sections[i] = (start as usize, size as usize);
            layout.sums[i] = sum;
        }
        Ok(layout)
    }
}

fn text_at<'a>(ends: &[u32], bytes: &'a [u8], index: usize) -> &'a str {
    std::str::from_utf8(bytes_at(ends, bytes, index)).unwrap_or("")
}

fn bytes_at<'a>(ends: &[u32], bytes: &'a [u8], index: usize) -> &'a [u8] {
    let Some(&end) = ends.get(index) else { return &[] };
    let start = if index == 0 { 0 } else { ends[index - 1] };
    bytes.get(start as usize..end as usize).unwrap_or(&[])
}

pub(crate) fn xxh3_checksum(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}

/// Computes the checksum of bytes that arrive in parts.
#[derive(Default)]
pub(crate) struct StreamChecksum(twox_hash::XxHash3_64);

impl StreamChecksum {
    /// Adds the next bytes.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// Returns the [`xxh3_checksum`] of all bytes that were added.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}
