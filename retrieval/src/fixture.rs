//! Small snapshots for tests, written as text.
//!
//! `//- path` starts a file. Every other line that does not begin with a space declares a symbol,
//! and a line that begins with a space continues the text of the last symbol:
//!
//! ```text
//! kind Container.name: Documentation. { identifiers of the body } -> called, called => implemented
//! ```
//!
//! `test ` before the kind marks a test. Before a called name, `?` marks an ambiguous call, `!` a
//! call that a language server found, and `lib.` a call to a library; `lib.Name` names a type in
//! the signature. `^> overridden` and `~> tested` may follow in this order. Text in double quotes
//! in a body is a string literal. A file that begins with a `section` is a document. The line of a
//! reference is the line of its declaration.

use crate::text_source::TextSource;
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::facts::{FileFacts, NameSpan, Span, StringTableBuilder, SymbolFact, TermCounts};
use kenning_graph::snapshot::{EdgeTarget, FileChange, FileEdges, NewEdge};
use kenning_graph::text::TextField;
use kenning_graph::{EdgeKind, Hash, Provenance, Snapshot, SymbolId, SymbolKind, Visibility};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A snapshot and the texts of its files.
pub(crate) struct SnapshotFixture {
    pub snapshot: Snapshot,
    texts: BTreeMap<String, Arc<str>>,
}

impl TextSource for SnapshotFixture {
    fn read_text(&self, path: &str, content_hash: &Hash) -> Option<Arc<str>> {
        self.texts.get(path).filter(|text| Hash::from_content(text.as_bytes()) == *content_hash).cloned()
    }
}

impl SnapshotFixture {
    /// Returns the name of a symbol inside its file.
    pub fn symbol_name(&self, id: SymbolId) -> String {
        self.snapshot.symbol(id).map_or_else(|| "gone".to_owned(), |s| s.display_name())
    }

    /// Returns the only symbol with this name inside its file. Panics if there is none or more than
    /// one.
    pub fn symbol_id(&self, name: &str) -> SymbolId {
        let mut found = self.snapshot.symbols();
        found.retain(|&id| self.symbol_name(id) == name);
        assert_eq!(found.len(), 1, "{name}");
        found[0]
    }
}

/// Builds the snapshot that `text` describes. Panics if a named symbol is not declared.
pub(crate) fn build_fixture(text: &str) -> SnapshotFixture {
    build_fixture_in("python", text)
}

/// Builds the snapshot that `text` describes, with files of code in this language.
pub(crate) fn build_fixture_in(language: &str, text: &str) -> SnapshotFixture {
    let mut texts = BTreeMap::new();
    for part in text.split("//- ").skip(1) {
        let (path, body) = part.split_once('\n').unwrap_or((part, ""));
        texts.insert(path.trim().to_owned(), Arc::<str>::from(body));
    }
    let changes = texts.iter().map(|(path, text)| FileChange::Put {
        path: path.clone(),
        content_hash: Hash::from_content(text.as_bytes()),
        size: text.len() as u64,
        mtime_ns: 0,
        facts: Arc::new(parse_facts(text, language)),
    });
    let (snapshot, _) = Snapshot::empty().with_files(changes.collect());
    let edges = texts.iter().map(|(path, text)| file_edges(&snapshot, path, text)).collect();
    SnapshotFixture { snapshot: snapshot.with_edges(edges), texts }
}

/// A declaration in the text.
struct ParsedDeclaration<'a> {
    kind: SymbolKind,
    container: &'a str,
    name: &'a str,
    signature: &'a str,
    doc: &'a str,
    code: String,
    is_test: bool,
    calls: Vec<&'a str>,
    implements: Vec<&'a str>,
    overrides: Vec<&'a str>,
    tests: Vec<&'a str>,
    span: Span,
}

fn parse_declarations(text: &str) -> Vec<ParsedDeclaration<'_>> {
    let mut found: Vec<ParsedDeclaration<'_>> = Vec::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.trim_end().len();
        if line.starts_with(' ') {
            let last = found.last_mut().expect("a symbol comes first");
            last.code.push_str(line);
            (last.span.end, last.span.end_line) = (end as u32, number as u32);
        } else if !line.trim().is_empty() {
            let span = Span {
                start: start as u32,
                end: end as u32,
                start_line: number as u32,
                end_line: number as u32,
            };
            found.push(parse_declaration(line.trim_end(), span));
        }
        start += line.len();
    }
    found
}

fn parse_declaration(line: &str, span: Span) -> ParsedDeclaration<'_> {
    let (line, tests) = line.split_once(" ~> ").unwrap_or((line, ""));
    let (line, overrides) = line.split_once(" ^> ").unwrap_or((line, ""));
    let (line, implements) = line.split_once(" => ").unwrap_or((line, ""));
    let (line, calls) = line.split_once(" -> ").unwrap_or((line, ""));
    let (line, code) = line.split_once(" { ").unwrap_or((line, ""));
    let (head, doc) = line.split_once(": ").unwrap_or((line, ""));
    let (head, is_test) = head.strip_prefix("test ").map_or((head, false), |head| (head, true));
    let (kind, qualified) = head.split_once(' ').expect("kind and name");
    let qualified = qualified.trim();
    let (container, name) = qualified.rsplit_once('.').unwrap_or(("", qualified));
    ParsedDeclaration {
        kind: SymbolKind::parse(kind).expect("a kind"),
        container,
        name,
        signature: head,
        doc,
        code: code.trim_end_matches('}').to_owned(),
        is_test,
        calls: split_names(calls),
        implements: split_names(implements),
        overrides: split_names(overrides),
        tests: split_names(tests),
        span,
    }
}

fn split_names(list: &str) -> Vec<&str> {
    list.split(", ").filter(|name| !name.is_empty()).collect()
}

fn parse_facts(text: &str, language: &str) -> FileFacts {
    let declared = parse_declarations(text);
    let is_document = declared.first().is_some_and(|first| first.kind == SymbolKind::Section);
    let language = if is_document { "markdown" } else { language };
    let mut facts = FileFacts { language: language.into(), is_document, ..FileFacts::default() };
    facts.lines = text.lines().count().max(1) as u32;
    let mut terms = StringTableBuilder::default();
    let mut analyzer = Analyzer::default();
    for declaration in declared {
        let mut counts: BTreeMap<(u32, u8), u16> = BTreeMap::new();
        let mut lengths = [0; kenning_graph::text::FIELDS];
        let mut add = |field: TextField, token: &str| {
            *counts.entry((terms.intern(token), field as u8)).or_insert(0) += 1;
            lengths[field as usize] += u16::from(!token.starts_with(WHOLE_TOKEN_PREFIX));
        };
        analyzer.for_each_name_token(declaration.name, |t| add(TextField::Name, t));
        analyzer.for_each_token(declaration.container, |t| add(TextField::Container, t));
        analyzer.for_each_token(declaration.signature, |t| add(TextField::Signature, t));
        analyzer.for_each_token(declaration.doc, |t| add(TextField::Doc, t));
        analyzer.for_each_token(&declaration.code, |t| add(TextField::Code, t));
        for literal in declaration.code.split('"').skip(1).step_by(2) {
            analyzer.for_each_token(literal, |t| add(TextField::Strings, t));
        }
        let counts = counts.into_iter().map(|((term, field), n)| (term, field, n)).collect();
        facts.text.symbols.push(TermCounts { counts, lengths });
        let parent =
            facts.symbols.iter().position(|s| s.qualified_name() == declaration.container).map(|p| p as u32);
        facts.symbols.push(SymbolFact {
            name: declaration.name.into(),
            parent,
            container: declaration.container.into(),
            kind: declaration.kind,
            span: declaration.span,
            name_span: NameSpan {
                start: declaration.span.start,
                len: 1,
                line: declaration.span.start_line,
                column: 0,
            },
            signature: declaration.signature.into(),
            doc: declaration.doc.into(),
            params: String::new(),
            arity: None,
            ty: String::new(),
            bases: Vec::new(),
            visibility: Visibility::Public,
            is_test: declaration.is_test,
            body_hash: 0,
        });
    }
    facts.text.terms = terms.into_table();
    facts
}

fn file_edges(snapshot: &Snapshot, path: &str, text: &str) -> FileEdges {
    let file = snapshot.file_by_path(path).expect("the file is in the snapshot");
    let symbols = snapshot.file_symbols(file);
    let find = |qualified: &str| -> SymbolId {
        let all = snapshot.symbols();
        let has_name = |id: &&SymbolId| snapshot.symbol(**id).is_some_and(|s| s.display_name() == qualified);
        *all.iter().find(has_name).unwrap_or_else(|| panic!("{qualified} is not declared"))
    };
    let mut edges = FileEdges { path: path.to_owned(), ..FileEdges::default() };
    let mut add = |source, target, kind, provenance: Provenance, confidence: f32| {
        let line = snapshot.symbol(source).map(|s| s.span.start_line);
        edges.edges.push(NewEdge { source, target, kind, provenance, confidence, line });
    };
    let resolved = (Provenance::AstResolved, Provenance::AstResolved.base_confidence());
    for (declared, &source) in parse_declarations(text).iter().zip(&symbols[1..]) {
        for called in &declared.calls {
            let confirmed = (Provenance::LspResolved, Provenance::LspResolved.base_confidence());
            let (called, (provenance, confidence)) =
                match (called.strip_prefix('?'), called.strip_prefix('!')) {
                    (Some(name), _) => (name, (Provenance::AstInferred, 0.42)),
                    (_, Some(name)) => (name, confirmed),
                    _ => (*called, resolved),
                };
            let target = match called.strip_prefix("lib.") {
                Some(name) => EdgeTarget::Phantom {
                    kind: SymbolKind::External,
                    package: "lib".into(),
                    name: name.into(),
                },
                None => EdgeTarget::Symbol(find(called)),
            };
            let is_type =
                called.strip_prefix("lib.").is_some_and(|name| name.starts_with(char::is_uppercase));
            let kind = if is_type { EdgeKind::TypeHintOf } else { EdgeKind::Calls };
            add(source, target, kind, provenance, confidence);
        }
        for (kind, names) in [
            (EdgeKind::Implements, &declared.implements),
            (EdgeKind::Overrides, &declared.overrides),
            (EdgeKind::Tests, &declared.tests),
        ] {
            for name in names {
                add(source, EdgeTarget::Symbol(find(name)), kind, resolved.0, resolved.1);
            }
        }
        let parent = snapshot.symbol(source).and_then(|s| s.parent);
        if let Some(parent) = parent {
            add(source, EdgeTarget::Symbol(parent), EdgeKind::MemberOf, Provenance::Structural, 1.0);
        }
    }
    edges
}
