//! What a snapshot hands out and takes in: ids, borrowed views of symbols, files and edges, and changes.

use super::BaseGraph;
use super::base::SymbolRecord;
use crate::facts::{BaseRelation, FileFacts, NameSpan, Span, SymbolFact};
use crate::hash::Hash;
use crate::vocabulary::{EdgeKind, Provenance, SymbolKind, Visibility};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A symbol in one snapshot and its successors; a new base renumbers. Stable outside: [`SymbolRef::hash`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// A file in one snapshot and its successors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A symbol, borrowed from a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SymbolRef<'a> {
    /// Its id in this snapshot.
    pub id: SymbolId,
    /// Its identity.
    pub hash: Hash,
    /// The file that declares it; `None` for phantoms.
    pub file: Option<FileId>,
    /// Workspace-relative path of that file with `/`; for phantoms the package or empty.
    pub path: &'a str,
    /// Language id; empty for phantoms.
    pub language: &'a str,
    /// Enclosing symbol in the same file.
    pub parent: Option<SymbolId>,
    /// Simple name.
    pub name: &'a str,
    /// Dotted container inside the file ([`crate::facts::SymbolFact::container`]).
    pub container: &'a str,
    /// What it is.
    pub kind: SymbolKind,
    /// The whole declaration.
    pub span: Span,
    /// The name in the declaration.
    pub name_span: NameSpan,
    /// Number of parameters of a callable.
    pub arity: Option<u8>,
    /// Who may see it.
    pub visibility: Visibility,
    /// The text marks it as a test.
    pub is_test: bool,
    /// First eight bytes of the hash of its text.
    pub body_hash: u64,
    /// Where its longer texts lie: they are read when they are asked for.
    pub(super) texts: SymbolTexts<'a>,
}

/// Where the longer texts of a symbol lie.
#[derive(Clone, Copy)]
pub(super) enum SymbolTexts<'a> {
    /// Nowhere: all of them are empty.
    None,
    /// In the base file.
    Base(&'a BaseGraph, &'a SymbolRecord),
    /// In a changed file; the base list is encoded already.
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
    /// One line, as written.
    pub fn signature_text(&self) -> &'a str {
        self.select_text(|record| record.signature, |fact| &fact.signature)
    }

    /// Documentation without markers.
    pub fn doc_text(&self) -> &'a str {
        self.select_text(|record| record.doc, |fact| &fact.doc)
    }

    /// Normalised parameter types.
    pub fn param_types(&self) -> &'a str {
        self.select_text(|record| record.params, |fact| &fact.params)
    }

    /// Return type, declared type or aliased type; empty when unknown.
    pub fn type_text(&self) -> &'a str {
        self.select_text(|record| record.ty, |fact| &fact.ty)
    }

    /// Encoded base list; read it with [`SymbolRef::base_types`].
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

    /// The name inside the file: `Class.method`, `function`.
    pub fn display_name(&self) -> String {
        if self.container.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.container, self.name)
        }
    }

    /// `path::Outer.Inner.name`; for phantoms `external::package.name`.
    pub fn qualified_name(&self) -> String {
        if self.kind.is_phantom() {
            let scope = match self.kind {
                SymbolKind::EnvVar => "env",
                SymbolKind::Process => "process",
                SymbolKind::Owner => "owner",
                SymbolKind::Author => "author",
                SymbolKind::Route => "route",
                SymbolKind::Flag => "flag",
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

    /// The base list, in order.
    pub fn base_types(&self) -> impl Iterator<Item = (BaseRelation, &'a str)> + use<'a> {
        self.encoded_bases().split('\u{1f}').filter_map(|entry| {
            let relation = match entry.chars().next()? {
                'e' => BaseRelation::Extends,
                'i' => BaseRelation::Implements,
                _ => BaseRelation::Embeds,
            };
            Some((relation, &entry[1..]))
        })
    }
}

/// The few facts of a symbol that need no text: cheap to read for many symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFacets {
    /// The file that declares it; `None` for phantoms.
    pub file: Option<FileId>,
    /// What it is.
    pub kind: SymbolKind,
    /// The text marks it as a test.
    pub is_test: bool,
}

/// A file, borrowed from a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct FileRef<'a> {
    /// Its id in this snapshot.
    pub id: FileId,
    /// Workspace-relative path with `/`.
    pub path: &'a str,
    /// Language id.
    pub language: &'a str,
    /// Declared package or namespace.
    pub package: &'a str,
    /// SHA-256 of the bytes.
    pub content_hash: Hash,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the Unix epoch; 0 for unsaved buffers.
    pub mtime_ns: i64,
    /// Number of lines.
    pub lines: u32,
    /// How its calls were resolved.
    pub calls: CallStats,
}

/// How the call sites of a file were resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallStats {
    /// To exactly one symbol of the workspace.
    pub resolved: u32,
    /// To several candidates, each with confidence below 0.7.
    pub ambiguous: u32,
    /// To something outside the workspace (through an import, or a builtin).
    pub external: u32,
    /// To nothing.
    pub unresolved: u32,
}

impl CallStats {
    /// Adds another file's figures.
    pub fn add_stats(&mut self, other: Self) {
        self.resolved += other.resolved;
        self.ambiguous += other.ambiguous;
        self.external += other.external;
        self.unresolved += other.unresolved;
    }

    /// All call sites.
    pub fn total_calls(self) -> u32 {
        self.resolved + self.ambiguous + self.external + self.unresolved
    }
}

/// A directed edge between two symbols of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub source: SymbolId,
    /// Where it points.
    pub target: SymbolId,
    /// What it says.
    pub kind: EdgeKind,
    /// How it is known.
    pub provenance: Provenance,
    /// 0..=1; below 0.7 when the site fits several targets.
    pub confidence: f32,
    /// 0-based line of the first site in the file that shows it; `None` for edges without a site.
    pub line: Option<u32>,
}

/// What a changed file's new state is.
#[derive(Clone, Debug)]
pub enum FileChange {
    /// The file is new or has new content.
    Put {
        /// Workspace-relative path with `/`.
        path: String,
        /// SHA-256 of the bytes.
        content_hash: Hash,
        /// Size in bytes.
        size: u64,
        /// Modification time in nanoseconds since the Unix epoch; 0 for unsaved buffers.
        mtime_ns: i64,
        /// What the text says.
        facts: Arc<FileFacts>,
    },
    /// The file is gone.
    Remove {
        /// Workspace-relative path with `/`.
        path: String,
    },
}

/// The resolved edges of one file; they replace all edges that the file showed before.
#[derive(Clone, Debug, Default)]
pub struct FileEdges {
    /// The file whose text shows the edges.
    pub path: String,
    /// The edges. Several with the same source, target and kind are reduced to the strongest.
    pub edges: Vec<NewEdge>,
    /// Every key that resolution looked up for this file ([`LookupKey::key_number`]), in any order. When the value of
    /// one of them changes, the file must be resolved again.
    pub lookups: Vec<u32>,
    /// Figures for `status`.
    pub calls: CallStats,
}

/// An edge as resolution makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEdge {
    /// Where it starts: a symbol of the workspace. Of a kind that starts outside ([`EdgeKind::starts_outside`]) and whose
    /// target is a phantom, source and target are exchanged in the graph.
    pub source: SymbolId,
    /// Where it points.
    pub target: EdgeTarget,
    /// What it says. `contains` and `tested_by` are not made: they are the mirrors of `member_of` and `tests`.
    pub kind: EdgeKind,
    /// How it is known.
    pub provenance: Provenance,
    /// 0..=1, kept in hundredths.
    pub confidence: f32,
    /// 0-based line of the site.
    pub line: Option<u32>,
}

/// Where a new edge points.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EdgeTarget {
    /// A symbol of the snapshot.
    Symbol(SymbolId),
    /// Something outside the workspace.
    Phantom {
        /// One that is a phantom ([`SymbolKind::is_phantom`]).
        kind: SymbolKind,
        /// Package or module (`net/http`, `java.util`); may be empty.
        package: String,
        /// Name in that package; empty for the package itself.
        name: String,
    },
}

/// What resolution may look up. A file's edges are a function of its own facts, the project's manifests and the
/// values of the keys it looked up; so a file needs resolving again only when one of those values changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LookupKey<'a> {
    /// The symbols with this exact simple name, with all that resolution may read of them: identity, kind,
    /// container, parameters, type, bases, visibility. Never their lines.
    Name(&'a str),
    /// The symbols with this simple name (the second) in the file at a path, with the same. Says less than [`Self::Name`], and
    /// so changes less often: `tests` is a name in most files of a Rust crate.
    NameIn(&'a str, &'a str),
    /// The symbols with this simple name (the second) that stand in a container with this qualified name, in whatever file.
    NameOf(&'a str, &'a str),
    /// Whether a file exists at this path.
    Path(&'a str),
    /// Which files stand directly in this folder (`""` is the root).
    Folder(&'a str),
    /// Which files declare this package or namespace.
    Package(&'a str),
    /// The imports of the file at this path.
    Imports(&'a str),
    /// The symbols whose bodies have this band in their sketches ([`crate::sketch`]): identity and sketch.
    Band(u32),
    /// The members that stand in a container (a qualified name inside the file): in the file at a path, or in the files
    /// directly in a folder. Identity, name, kind and visibility of each.
    Members(&'a str, &'a str),
    /// The mounts of all files ([`crate::facts::MountFact`]).
    Mounts,
}

impl LookupKey<'_> {
    /// The number under which a file records what its mounts lead through: who looks up [`Self::Mounts`] has looked that up,
    /// and need not record it for every mount of the workspace.
    pub fn mount_path_number(number: u32) -> u32 {
        use std::hash::{Hash as _, Hasher as _};
        let mut hasher = rustc_hash::FxHasher::default();
        (10u8, number).hash(&mut hasher);
        let full = hasher.finish();
        (full ^ (full >> 32)) as u32
    }

    /// A 32-bit number for the key; two keys with one number only cost a needless resolution.
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
            Self::Members(t, more) => (5, t, more),
            Self::NameIn(t, more) => (7, t, more),
            Self::NameOf(t, more) => (8, t, more),
            Self::Mounts => (9, "", ""),
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

/// The lookup keys whose values a change of files changed, as sorted numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedKeys(pub Vec<u32>);

/// Totals of a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// Files.
    pub files: usize,
    /// Symbols of the workspace (phantoms and the files themselves not counted).
    pub symbols: usize,
    /// Phantom symbols that an edge points to.
    pub phantoms: usize,
    /// Edges, mirrors included.
    pub edges: usize,
    /// Symbols by kind.
    pub symbols_by_kind: std::collections::BTreeMap<&'static str, usize>,
    /// Files by language.
    pub files_by_language: std::collections::BTreeMap<String, usize>,
    /// Edges by kind.
    pub edges_by_kind: std::collections::BTreeMap<&'static str, usize>,
    /// Edges by provenance.
    pub edges_by_provenance: std::collections::BTreeMap<&'static str, usize>,
    /// Call sites.
    pub calls: CallStats,
}
