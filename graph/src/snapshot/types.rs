//! The types that a snapshot returns and accepts: ids, borrowed views of symbols, files and edges,
//! and changes.
//!
//! A view borrows its texts from the snapshot, so that reading a symbol copies nothing. Ids are
//! numbers that are valid in one snapshot and its successors on the same base. Databases, clients
//! and other processes identify symbols by their hashes.

use super::BaseGraph;
use super::base::SymbolRecord;
use super::base_types::decode_base_types;
use crate::derived::DerivedReason;
use crate::facts::{BaseRelation, FileFacts, NameSpan, Span, SymbolFact};
use crate::hash::Hash;
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind, Visibility};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A symbol in one snapshot and its successors. A new base renumbers all symbols; outside a
/// snapshot, use [`SymbolRef::hash`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// A file in one snapshot and its successors. A new base renumbers all files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A symbol, borrowed from a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SymbolRef<'a> {
    /// The symbol's id in this snapshot.
    pub id: SymbolId,
    /// The symbol's identity.
    pub hash: Hash,
    /// The file that declares the symbol; `None` for phantoms.
    pub file: Option<FileId>,
    /// The workspace-relative path of that file, with `/` as the separator. For phantoms it is the
    /// package, which may be empty.
    pub path: &'a str,
    /// The language id; empty for phantoms.
    pub language: &'a str,
    /// The enclosing symbol in the same file.
    pub parent: Option<SymbolId>,
    /// The simple name.
    pub name: &'a str,
    /// The dotted container inside the file ([`crate::facts::SymbolFact::container`]).
    pub container: &'a str,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The range of the whole declaration.
    pub span: Span,
    /// The range of the name in the declaration.
    pub name_span: NameSpan,
    /// The number of parameters of a callable.
    pub arity: Option<u8>,
    /// The visibility of the symbol.
    pub visibility: Visibility,
    /// Whether the text marks the symbol as a test.
    pub is_test: bool,
    /// The reason why no one edits the symbol's file; `None` for source.
    pub derived: Option<DerivedReason>,
    /// The first eight bytes of the hash of the symbol's text.
    pub body_hash: u64,
    /// The source of the symbol's longer texts, which are read on demand.
    pub(super) texts: SymbolTexts<'a>,
}

/// The source of a symbol's longer texts.
#[derive(Clone, Copy)]
pub(super) enum SymbolTexts<'a> {
    /// All texts are empty.
    None,
    /// A record of the base.
    Base(&'a BaseGraph, &'a SymbolRecord),
    /// A symbol of a changed file, and its encoded base list.
    Fact(&'a SymbolFact, &'a str),
}

impl std::fmt::Debug for SymbolTexts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Base(..) => "Base",
            Self::Fact(..) => "Fact",
        })
    }
}

impl<'a> SymbolRef<'a> {
    /// Returns the signature as written, on one line.
    pub fn signature_text(&self) -> &'a str {
        self.select_text(|record| record.signature, |fact| &fact.signature)
    }

    /// Returns the documentation without comment markers.
    pub fn doc_text(&self) -> &'a str {
        self.select_text(|record| record.doc, |fact| &fact.doc)
    }

    /// Returns the normalized parameter types.
    pub fn param_types(&self) -> &'a str {
        self.select_text(|record| record.params, |fact| &fact.params)
    }

    /// Returns the return type, declared type or aliased type; empty if it is unknown.
    pub fn type_text(&self) -> &'a str {
        self.select_text(|record| record.ty, |fact| &fact.ty)
    }

    /// Returns the encoded base list. [`SymbolRef::base_types`] decodes it.
    pub fn encoded_bases(&self) -> &'a str {
        match self.texts {
            SymbolTexts::None => "",
            SymbolTexts::Base(base, record) => base.string_text(record.bases),
            SymbolTexts::Fact(_, bases) => bases,
        }
    }

    fn select_text(&self, number: fn(&SymbolRecord) -> u32, text: fn(&SymbolFact) -> &str) -> &'a str {
        match self.texts {
            SymbolTexts::None => "",
            SymbolTexts::Base(base, record) => base.string_text(number(record)),
            SymbolTexts::Fact(fact, _) => text(fact),
        }
    }

    /// Returns the name inside the file: `Class.method`, `function`, `Heading > Subheading`.
    pub fn display_name(&self) -> String {
        if self.container.is_empty() {
            return self.name.to_owned();
        }
        [self.container, self.kind.name_separator(), self.name].concat()
    }

    /// Returns `path::Outer.Inner.name`; for phantoms `external::package.name`, where a word for
    /// the kind may replace `external`; for files the path.
    pub fn qualified_name(&self) -> String {
        if self.kind.is_phantom() {
            let scope = match self.kind {
                SymbolKind::EnvVar => "env",
                SymbolKind::Process => "process",
                SymbolKind::Owner => "owner",
                SymbolKind::Author => "author",
                SymbolKind::Route => "route",
                SymbolKind::Flag => "flag",
                // The kind of a resource is its package.
                SymbolKind::Resource => return format!("{}::{}", self.path, self.name),
                _ => "external",
            };
            return match (self.path, self.name) {
                ("", name) => format!("{scope}::{name}"),
                (package, "") => format!("{scope}::{package}"),
                (package, name) => format!("{scope}::{package}.{name}"),
            };
        }
        if self.kind == SymbolKind::File {
            return self.path.to_owned();
        }
        format!("{}::{}", self.path, self.display_name())
    }

    /// Returns the relation and the name of each base type, in the order of the declaration.
    pub fn base_types(&self) -> impl Iterator<Item = (BaseRelation, &'a str)> + use<'a> {
        decode_base_types(self.encoded_bases())
    }
}

/// The facts of a symbol that need no text. They are cheap to read for many symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFacets {
    /// The file that declares the symbol; `None` for phantoms.
    pub file: Option<FileId>,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// Whether the text marks the symbol as a test.
    pub is_test: bool,
}

/// A file, borrowed from a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct FileRef<'a> {
    /// The file's id in this snapshot.
    pub id: FileId,
    /// The workspace-relative path with `/` as the separator.
    pub path: &'a str,
    /// The language id.
    pub language: &'a str,
    /// The declared package or namespace.
    pub package: &'a str,
    /// The SHA-256 of the bytes.
    pub content_hash: Hash,
    /// The size in bytes.
    pub size: u64,
    /// The modification time in nanoseconds since the Unix epoch; 0 for unsaved buffers.
    pub mtime_ns: i64,
    /// The number of lines.
    pub lines: u32,
    /// Whether the file is a document ([`FileFacts::is_document`]).
    pub is_document: bool,
    /// The reason why no one edits the file; `None` for source.
    pub derived: Option<DerivedReason>,
    /// The number of calls by the result of their resolution.
    pub calls: CallStats,
}

/// The call sites of a file, counted by the result of their resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStats {
    /// Calls that resolve to exactly one symbol of the workspace.
    pub resolved: u32,
    /// Calls that resolve to several candidates, each with confidence below 0.7.
    pub ambiguous: u32,
    /// Calls that resolve to a target outside the workspace (an import or a builtin).
    pub external: u32,
    /// Calls without a target.
    pub unresolved: u32,
}

impl CallStats {
    /// Adds the counts of another file.
    pub fn add_stats(&mut self, other: Self) {
        self.resolved += other.resolved;
        self.ambiguous += other.ambiguous;
        self.external += other.external;
        self.unresolved += other.unresolved;
    }

    /// Returns the number of all call sites.
    pub fn total_calls(self) -> u32 {
        self.resolved + self.ambiguous + self.external + self.unresolved
    }
}

/// A directed edge between two symbols of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The symbol at which the edge starts.
    pub source: SymbolId,
    /// The symbol to which the edge points.
    pub target: SymbolId,
    /// The relation between the two.
    pub kind: EdgeKind,
    /// The evidence for the edge.
    pub provenance: Provenance,
    /// The confidence, from 0 to 1; below 0.7 if the site fits several targets.
    pub confidence: f32,
    /// The 0-based line of the first site in the file that shows the edge; `None` for edges without
    /// a site.
    pub line: Option<u32>,
}

/// A change to one file.
#[derive(Clone, Debug)]
pub enum FileChange {
    /// The file is new or has new content.
    Put {
        /// The workspace-relative path with `/` as the separator.
        path: String,
        /// The SHA-256 of the bytes.
        content_hash: Hash,
        /// The size in bytes.
        size: u64,
        /// The modification time in nanoseconds since the Unix epoch; 0 for unsaved buffers.
        mtime_ns: i64,
        /// The facts that extraction found in the text.
        facts: Arc<FileFacts>,
    },
    /// The file is gone.
    Remove {
        /// The workspace-relative path with `/` as the separator.
        path: String,
    },
}

/// The resolved edges of one file. They replace all edges that the file showed before.
#[derive(Clone, Debug, Default)]
pub struct FileEdges {
    /// The file whose text shows the edges.
    pub path: String,
    /// The edges. If several edges have the same source, target and kind, the snapshot keeps the
    /// strongest.
    pub edges: Vec<NewEdge>,
    /// Every key that resolution looked up for this file ([`LookupKey::key_number`]), in any order.
    /// When the value of one of them changes, the file must be resolved again.
    pub lookups: Vec<u32>,
    /// The call sites by result, for `status`.
    pub calls: CallStats,
}

/// An edge that resolution found.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEdge {
    /// The symbol of the workspace at which the edge starts. If the kind starts outside
    /// ([`EdgeKind::starts_outside`]) and the target is a phantom, the graph exchanges source and
    /// target.
    pub source: SymbolId,
    /// The target of the edge.
    pub target: EdgeTarget,
    /// The relation. It is never `contains` or `tested_by`, which are the mirrors of `member_of`
    /// and `tests`.
    pub kind: EdgeKind,
    /// The evidence for the edge.
    pub provenance: Provenance,
    /// The confidence, from 0 to 1; stored in hundredths.
    pub confidence: f32,
    /// The 0-based line of the site.
    pub line: Option<u32>,
}

/// The target of a new edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EdgeTarget {
    /// A symbol of the snapshot.
    Symbol(SymbolId),
    /// A symbol or package outside the workspace.
    Phantom {
        /// A phantom kind ([`SymbolKind::is_phantom`]).
        kind: SymbolKind,
        /// The package or module (`net/http`, `java.util`); may be empty.
        package: String,
        /// The name in that package; empty for the package itself.
        name: String,
    },
}

/// A key that resolution may look up. A file's edges are a function of its own facts, the project's
/// manifests and the values of the keys that it looked up. The file therefore needs to be resolved
/// again only when one of those values changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookupKey<'a> {
    /// The symbols with exactly this simple name. The value covers every property that resolution
    /// may read: identity, kind, container, parameters, type, bases, visibility; never the lines.
    Name(&'a str),
    /// The symbols with this simple name in the file at this path, with the same value. Narrower
    /// than [`Self::Name`], so it changes less often: `tests` is a name in most files of a Rust
    /// crate.
    NameInFile {
        /// The path of the file.
        path: &'a str,
        /// The simple name.
        name: &'a str,
    },
    /// The symbols of any file with this simple name in a container with this qualified name.
    NameInContainer {
        /// The qualified name of the container.
        container: &'a str,
        /// The simple name.
        name: &'a str,
    },
    /// Whether a file exists at this path.
    Path(&'a str),
    /// The files directly in this folder (`""` is the root).
    Folder(&'a str),
    /// The files with this name, without their folders.
    FileName(&'a str),
    /// The files that declare this package or namespace.
    Package(&'a str),
    /// The imports of the file at this path.
    Imports(&'a str),
    /// The symbols whose bodies have this band in their sketches ([`crate::sketch`]). The value
    /// covers identity and sketch.
    Band(u32),
    /// The members of a container in a file, or in the files directly in a folder. The value covers
    /// identity, name, kind and visibility of each.
    Members {
        /// The path of the file or folder.
        file_or_folder: &'a str,
        /// The qualified name of the container inside the file.
        container: &'a str,
    },
    /// The mounts of all files ([`crate::facts::MountFact`]).
    Mounts,
    /// The sections of the document at this path. The value covers their identities, in order.
    Sections(&'a str),
    /// The positions of the symbols in the file of code at this path. They change with nearly every
    /// edit, so only a link to a line of the file looks them up.
    Lines(&'a str),
}

impl LookupKey<'_> {
    /// Returns the number under which a file records a key on which its mounts depend. Files that
    /// look up [`Self::Mounts`] depend on that key indirectly, so that they need not record the
    /// keys of every mount of the workspace.
    pub fn mount_path_number(number: u32) -> u32 {
        use std::hash::{Hash as _, Hasher as _};
        let mut hasher = rustc_hash::FxHasher::default();
        (10u8, number).hash(&mut hasher);
        let full = hasher.finish();
        (full ^ (full >> 32)) as u32
    }

    /// Returns a 32-bit hash of the key. If two keys have the same number, the only cost is a
    /// needless resolution.
    pub fn key_number(self) -> u32 {
        use std::hash::{Hash as _, Hasher as _};
        let mut hasher = rustc_hash::FxHasher::default();
        let (tag, text, more) = match self {
            Self::Band(band) => {
                (6u8, band).hash(&mut hasher);
                let full = hasher.finish();
                return (full ^ (full >> 32)) as u32;
            }
            Self::Name(t) => (0u8, t, ""),
            Self::Path(t) => (1, t, ""),
            Self::Folder(t) => (2, t, ""),
            Self::Package(t) => (3, t, ""),
            Self::Imports(t) => (4, t, ""),
            Self::Members { file_or_folder, container } => (5, file_or_folder, container),
            Self::NameInFile { path, name } => (7, path, name),
            Self::NameInContainer { container, name } => (8, container, name),
            Self::Mounts => (9, "", ""),
            Self::FileName(t) => (11, t, ""),
            Self::Sections(t) => (12, t, ""),
            Self::Lines(t) => (13, t, ""),
        };
        tag.hash(&mut hasher);
        text.as_bytes().hash(&mut hasher);
        if !more.is_empty() {
            more.as_bytes().hash(&mut hasher);
        }
        let full = hasher.finish();
        (full ^ (full >> 32)) as u32
    }
}

/// The lookup keys whose values changed, as sorted numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedKeys(pub Vec<u32>);

/// The totals of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// The number of files.
    pub files: usize,
    /// The number of symbols of the workspace, without phantoms, file symbols and sections of
    /// documents.
    pub symbols: usize,
    /// The number of phantoms that are an end of an edge.
    pub phantoms: usize,
    /// The number of edges, including mirrors.
    pub edges: usize,
    /// The number of symbols by kind.
    pub symbols_by_kind: std::collections::BTreeMap<&'static str, usize>,
    /// The number of files by language.
    pub files_by_language: std::collections::BTreeMap<String, usize>,
    /// The number of edges by kind.
    pub edges_by_kind: std::collections::BTreeMap<&'static str, usize>,
    /// The number of edges by provenance.
    pub edges_by_provenance: std::collections::BTreeMap<&'static str, usize>,
    /// The call sites by result.
    pub calls: CallStats,
}
