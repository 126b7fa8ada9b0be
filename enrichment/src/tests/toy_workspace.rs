//! A workspace in a toy language: `def name` and `type name` declare symbols, and indented lines
//! below them refer to symbols with `call name`, `call .name` (a member) or `call! name`.

use crate::workspace::{DocumentText, VerdictSink, WorkspaceSource};
use kenning_graph::facts::{FileFacts, NameSpan, ReferenceRole, Span, SymbolFact};
use kenning_graph::hash::Hash;
use kenning_graph::snapshot::{FileChange, Snapshot, SymbolRef};
use kenning_graph::verdicts::{
    ContextHash, GuessedEdge, ReferenceSite, ServerId, ServerResolution, SiteKey, SymbolVersion, TargetEdge,
    Verdict, VerdictAnswer, symbol_body_hash,
};
use kenning_graph::vocabulary::{EdgeKind, Provenance, SymbolKind, Visibility};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A word of a text: its byte offset, line, column in bytes, and text.
pub type Word = (u32, u32, u32, String);

/// Returns the word after the first `prefix` in each line that contains it.
pub fn words_after(text: &str, prefix: &str) -> Vec<Word> {
    let mut offset = 0;
    let mut found = Vec::new();
    for (line, line_text) in text.split('\n').enumerate() {
        if let Some(at) = line_text.find(prefix) {
            let column = at + prefix.len();
            let name: String = line_text[column..].chars().take_while(|c| c.is_alphanumeric()).collect();
            found.push(((offset + column) as u32, line as u32, column as u32, name));
        }
        offset += line_text.len() + 1;
    }
    found
}

fn extract_facts(text: &str) -> FileFacts {
    let kinds = [
        ("def ", SymbolKind::Function),
        ("type ", SymbolKind::Class),
        ("iface ", SymbolKind::Interface),
        ("test ", SymbolKind::Function),
    ];
    let mut declared: Vec<(Word, SymbolKind, u32)> = Vec::new();
    for (keyword, kind) in kinds {
        for word in words_after(text, keyword).into_iter().filter(|word| word.2 as usize == keyword.len()) {
            let start = word.0 - keyword.len() as u32;
            declared.push((word, kind, start));
        }
    }
    declared.sort();
    let mut facts =
        FileFacts { language: "go".into(), lines: text.lines().count() as u32, ..FileFacts::default() };
    for (i, ((start, line, column, name), kind, begin)) in declared.iter().enumerate() {
        let (end, end_line) = declared
            .get(i + 1)
            .map_or((text.len() as u32, facts.lines), |(next, _, begin)| (*begin, next.1.saturating_sub(1)));
        let body = &text[*begin as usize..end as usize];
        facts.text.symbols.push(kenning_graph::facts::TermCounts::default());
        facts.symbols.push(SymbolFact {
            name: name.clone(),
            parent: None,
            container: String::new(),
            kind: *kind,
            span: Span { start: *begin, end, start_line: *line, end_line },
            name_span: NameSpan { start: *start, len: name.len() as u32, line: *line, column: *column },
            signature: name.clone(),
            doc: String::new(),
            params: String::new(),
            arity: None,
            ty: String::new(),
            bases: Vec::new(),
            visibility: Visibility::Public,
            is_test: false,
            body_hash: Hash::from_content(body.as_bytes()).sort_prefix(),
        });
    }
    facts
}

fn file_change(path: &str, text: &str) -> FileChange {
    FileChange::Put {
        path: path.to_owned(),
        content_hash: Hash::from_content(text.as_bytes()),
        size: text.len() as u64,
        mtime_ns: 1,
        facts: Arc::new(extract_facts(text)),
    }
}

/// A workspace in memory that collects all verdicts about it.
pub struct ToyWorkspace {
    root: PathBuf,
    texts: Mutex<BTreeMap<String, String>>,
    snapshot: Mutex<Arc<Snapshot>>,
    verdicts: Mutex<Vec<Verdict>>,
}

impl ToyWorkspace {
    pub fn new(files: &[(&str, &str)]) -> Arc<Self> {
        let texts: BTreeMap<_, _> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let changes = texts.iter().map(|(path, text)| file_change(path, text)).collect();
        let snapshot = Snapshot::empty().with_files(changes).0.with_edges(Vec::new());
        Arc::new(Self {
            root: PathBuf::from("/w s/ä"),
            texts: Mutex::new(texts),
            snapshot: Mutex::new(Arc::new(snapshot)),
            verdicts: Mutex::default(),
        })
    }

    pub fn texts(&self) -> BTreeMap<String, String> {
        self.texts.lock().unwrap().clone()
    }

    /// Writes a file. The graph follows with the next call to `index`.
    pub fn write(&self, path: &str, text: &str) {
        self.texts.lock().unwrap().insert(path.to_owned(), text.to_owned());
    }

    /// Updates the graph to the current texts.
    pub fn index(&self) {
        let changes = self.texts().iter().map(|(path, text)| file_change(path, text)).collect();
        let next = self.current_snapshot().with_files(changes).0.with_edges(Vec::new());
        *self.snapshot.lock().unwrap() = Arc::new(next);
    }

    pub fn verdicts(&self) -> Vec<Verdict> {
        self.verdicts.lock().unwrap().clone()
    }

    /// Returns the stored verdicts, one per line, sorted.
    pub fn verdict_lines(&self) -> String {
        let snapshot = self.current_snapshot();
        let name = |hash: &Hash| {
            let id = snapshot.symbol_by_hash(hash);
            id.and_then(|id| snapshot.symbol(id)).map_or("?".to_owned(), |symbol| symbol.qualified_name())
        };
        let mut lines = BTreeSet::new();
        for verdict in self.verdicts() {
            let subject = name(&verdict.subject);
            match &verdict.answer {
                VerdictAnswer::Reference { reference, resolution } => {
                    let resolution = match resolution {
                        ServerResolution::Confirmed(SymbolVersion { symbol, .. }) => {
                            format!("confirmed {}", name(symbol))
                        }
                        ServerResolution::Retargeted(SymbolVersion { symbol, .. }) => {
                            format!("retargeted {}", name(symbol))
                        }
                        ServerResolution::External { package, name } => format!("external {package} {name}"),
                        ServerResolution::Local => "local".to_owned(),
                        ServerResolution::Unresolved(reason) => reason.as_str().to_owned(),
                    };
                    lines.insert(format!("{subject} {}#{}: {resolution}", reference.name, reference.nth));
                }
                VerdictAnswer::Discovered { edges } => {
                    for edge in edges {
                        let (source, target) = (name(&edge.source.symbol), name(&edge.target.symbol));
                        lines.insert(format!("{source} {} {target}", edge.kind));
                    }
                }
            }
        }
        let mut text = String::new();
        for line in lines {
            writeln!(text, "{line}").unwrap();
        }
        text
    }
}

impl WorkspaceSource for ToyWorkspace {
    fn root_folder(&self) -> &Path {
        &self.root
    }

    fn current_snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock().unwrap())
    }

    fn file_text(&self, path: &str) -> Option<DocumentText> {
        self.texts.lock().unwrap().get(path).map(|text| DocumentText::new(text))
    }

    /// Returns the calls in a file. The guess for each call is the first symbol with its name, by
    /// path. A `call` has the provenance `AstInferred`, a `call!` has `AstResolved`.
    fn reference_sites(&self, snapshot: &Snapshot, path: &str) -> Vec<ReferenceSite> {
        let (Some(text), Some(file)) = (self.texts().remove(path), snapshot.file_by_path(path)) else {
            return Vec::new();
        };
        let context = ContextHash::new(snapshot, file);
        let symbols: Vec<SymbolRef> =
            snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id)).collect();
        let mut next_nth: BTreeMap<Hash, u32> = BTreeMap::new();
        let mut sites = Vec::new();
        let resolved = words_after(&text, " call! ").into_iter().map(|word| (word, Provenance::AstResolved));
        let guessed = [" call ", " call ."].into_iter().flat_map(|prefix| words_after(&text, prefix));
        let guessed =
            guessed.filter(|(.., name)| !name.is_empty()).map(|word| (word, Provenance::AstInferred));
        let mut calls: Vec<(Word, Provenance)> = resolved.chain(guessed).collect();
        calls.sort();
        for ((start, line, column, name), provenance) in calls {
            let enclosing = symbols.iter().skip(1).find(|s| s.span.start <= start && start < s.span.end);
            let Some(subject) = enclosing.or(symbols.first()) else { continue };
            let nth = next_nth.entry(subject.hash).or_default();
            let key = SiteKey { subject: subject.hash, body: symbol_body_hash(snapshot, subject), nth: *nth };
            *nth += 1;
            let mut candidates: Vec<SymbolRef> = snapshot
                .symbols()
                .into_iter()
                .filter_map(|id| snapshot.symbol(id))
                .filter(|s| s.name == name)
                .collect();
            candidates.sort_by_key(|symbol| symbol.path);
            let guesses = candidates.first().map(|target| GuessedEdge {
                source: subject.hash,
                target: target.hash,
                kind: EdgeKind::Calls,
                provenance,
                confidence: 0.7,
                sites: 1,
            });
            sites.push(ReferenceSite {
                key,
                context: context.for_symbol(subject),
                path: path.into(),
                content: Hash::from_content(text.as_bytes()),
                at: NameSpan { start, len: name.len() as u32, line, column },
                name: name.into(),
                subject_line: subject.span.start_line,
                role: ReferenceRole::Call,
                target_edges: vec![TargetEdge {
                    kind: EdgeKind::Calls,
                    end: subject.hash,
                    starts_at_target: false,
                    excludes_tests: false,
                }],
                guesses: guesses.into_iter().collect(),
                is_external: false,
            });
        }
        sites
    }

    fn is_answered(&self, _: &Snapshot, site: &ReferenceSite, server: &ServerId) -> bool {
        self.verdicts.lock().unwrap().iter().any(|verdict| {
            let is_site = matches!(&verdict.answer, VerdictAnswer::Reference { reference, .. } if reference.nth == site.key.nth);
            *verdict.server == *server && verdict.subject == site.key.subject && verdict.body == site.key.body && is_site
        })
    }

    fn is_discovered(&self, snapshot: &Snapshot, subject: &SymbolRef, _: &ServerId) -> bool {
        let body = symbol_body_hash(snapshot, subject);
        self.verdicts.lock().unwrap().iter().any(|verdict| {
            let discovered = matches!(verdict.answer, VerdictAnswer::Discovered { .. });
            discovered && verdict.subject == subject.hash && verdict.body == body
        })
    }

    /// Whether a file exists. These tests have no files on disk; a path exists unless it contains
    /// `missing`.
    fn is_file(&self, file: &Path) -> bool {
        !file.to_string_lossy().contains("missing")
    }

    fn is_test_file(&self, _: &str, path: &str) -> bool {
        path.contains("_test")
    }
}

impl VerdictSink for ToyWorkspace {
    fn accept_verdicts(&self, batch: Vec<Verdict>) {
        self.verdicts.lock().unwrap().extend(batch);
    }
}
