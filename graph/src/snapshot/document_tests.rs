//! Tests that the text and the edges of documents are separate from the text and edges of code.

use super::tests::{apply_changes, compact, file_change, search_names, text_params, token_query};
use super::*;
use crate::analysis::Analyzer;
use crate::facts::{FileFacts, StringTableBuilder, SymbolFact, TermCounts};
use crate::text::TextField;
use crate::{EdgeKind, Provenance};

/// Returns the change that adds a document: `text` before the first section, then one section per
/// name. The text of each section is its name.
pub(super) fn document_change(path: &str, text: &str, sections: &[&str]) -> FileChange {
    let mut facts =
        FileFacts { language: "markdown".into(), is_document: true, lines: 9, ..FileFacts::default() };
    let mut terms = StringTableBuilder::default();
    let mut analyzer = Analyzer::default();
    let mut count = |words: &str, field: TextField| {
        let mut counts = TermCounts::default();
        analyzer.for_each_token(words, |token| {
            counts.counts.push((terms.intern(token), field as u8, 1));
            counts.lengths[field as usize] += 1;
        });
        counts.counts.sort_unstable();
        counts
    };
    facts.text.rest = count(text, TextField::Doc);
    for name in sections {
        facts.text.symbols.push(count(name, TextField::Name));
        facts.symbols.push(SymbolFact {
            name: (*name).into(),
            parent: None,
            container: String::new(),
            kind: SymbolKind::Section,
            span: Span::default(),
            name_span: NameSpan::default(),
            signature: format!("# {name}"),
            doc: String::new(),
            params: String::new(),
            arity: None,
            ty: String::new(),
            bases: Vec::new(),
            visibility: Visibility::Public,
            is_test: false,
            body_hash: 0,
        });
    }
    facts.text.terms = terms.into_table();
    let content_hash = Hash::from_content([text, &sections.join(",")].concat().as_bytes());
    FileChange::Put { path: path.into(), content_hash, size: 1, mtime_ns: 2, facts: Arc::new(facts) }
}

fn code_changes() -> Vec<FileChange> {
    vec![file_change("a/one.go", &["run", "T.runx", "T.run"]), file_change("z.go", &["runx", "other"])]
}

fn document_changes() -> Vec<FileChange> {
    vec![
        document_change("README.md", "run everything", &["run", "install other"]),
        document_change("docs/run.md", "", &["usage"]),
    ]
}

fn add_section_edges(snapshot: &Snapshot) -> Snapshot {
    let readme = snapshot.file_by_path("README.md").expect("the document exists");
    let section = snapshot.file_symbols(readme)[1];
    let target = snapshot.symbols_by_name("other")[0];
    let edge = NewEdge {
        source: section,
        target: EdgeTarget::Symbol(target),
        kind: EdgeKind::Documents,
        provenance: Provenance::AstInferred,
        confidence: 0.7,
        line: Some(3),
    };
    let edges = FileEdges { path: "README.md".into(), edges: vec![edge], ..FileEdges::default() };
    snapshot.with_edges(vec![edges])
}

/// Returns the sections with a score above 0, by name, each with the bits of its score for an exact
/// comparison.
fn section_hits(snapshot: &Snapshot, token: &str) -> Vec<(String, u32)> {
    let scores = snapshot.section_scores(&token_query(token), &text_params());
    let hits = scores.iter().zip(0..).filter(|(score, _)| **score > 0.0);
    let mut hits: Vec<(String, u32)> = hits
        .map(|(score, id)| (snapshot.symbol(SymbolId(id)).expect("live").qualified_name(), score.to_bits()))
        .collect();
    hits.sort();
    hits
}

#[test]
fn documents_have_their_own_statistics() {
    let plain = apply_changes(&Snapshot::empty(), code_changes());
    let all =
        apply_changes(&Snapshot::empty(), code_changes().into_iter().chain(document_changes()).collect());
    let rebuilt =
        apply_changes(&compact(&apply_changes(&Snapshot::empty(), code_changes())), document_changes());
    let bits = |hits: Vec<(String, f32)>| -> Vec<(String, u32)> {
        hits.into_iter().map(|(name, score)| (name, score.to_bits())).collect()
    };
    for snapshot in [&all, &compact(&all), &compact(&compact(&all)), &compact(&rebuilt)] {
        for token in ["run", "runx", "other", "instal", "usag"] {
            assert_eq!(bits(search_names(snapshot, token)), bits(search_names(&plain, token)), "{token}");
            assert_eq!(snapshot.document_frequency(token), plain.document_frequency(token), "{token}");
            let files = |s: &Snapshot| -> Vec<(String, u32)> {
                let hits = s.search_files(&token_query(token), &text_params()).into_iter();
                hits.map(|(id, score)| (s.file_path(id).to_owned(), score.to_bits())).collect()
            };
            assert_eq!(files(snapshot), files(&plain), "{token}");
            assert_eq!(section_hits(snapshot, token), section_hits(&all, token), "{token}");
        }
        assert_eq!(snapshot.document_count(), plain.document_count());
        assert_eq!((snapshot.symbol_count(), snapshot.symbols().len()), (5, 5));
        // Three sections, and the text before the first section.
        assert_eq!(snapshot.section_count(), 4);
        assert_eq!((snapshot.section_frequency("run"), snapshot.section_frequency("runx")), (3, 0));
        let names: Vec<String> = section_hits(snapshot, "run").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["README.md", "README.md::run", "docs/run.md::usage"]);
        let files = snapshot.document_file_scores(&token_query("run"), &text_params());
        let found: Vec<&str> = snapshot
            .files()
            .into_iter()
            .filter(|id| files[id.0 as usize] > 0.0)
            .map(|id| snapshot.file_path(id))
            .collect();
        assert_eq!(found, ["README.md", "docs/run.md"]);
    }
}

#[test]
fn symbol_lookups_and_code_edges_exclude_sections() {
    let all =
        apply_changes(&Snapshot::empty(), code_changes().into_iter().chain(document_changes()).collect());
    let all = add_section_edges(&all);
    for snapshot in [&all, &compact(&all), &compact(&compact(&all))] {
        let other = snapshot.symbols_by_name("other")[0];
        assert!(snapshot.symbols_by_name("usage").is_empty());
        assert!(snapshot.symbols_by_folded_name("usage").is_empty());
        assert!(
            snapshot.symbols_by_prefix("usa", 9).is_empty()
                && snapshot.symbols_by_substring("sage", 9).is_empty()
        );
        let document = snapshot.file_by_path("docs/run.md").expect("the document exists");
        assert!(snapshot.symbols_named_in_file(document, "usage").is_empty());
        assert!(snapshot.is_document(document) && snapshot.code_file_by_path("docs/run.md").is_none());
        let is_documents = |edge: &Edge| edge.kind == EdgeKind::Documents;
        assert!(!snapshot.in_edges(other).iter().any(is_documents));
        let mut neighbors = Vec::new();
        snapshot.for_each_neighbor(other, &mut NeighborBuffer::default(), |_, kind, _| neighbors.push(kind));
        assert!(!neighbors.contains(&EdgeKind::Documents));
        let sections = snapshot.edges_from_documents(other);
        assert_eq!((sections.len(), sections[0].line), (1, Some(3)));
        assert!(snapshot.out_edges(sections[0].source).iter().any(is_documents));
        assert_eq!(snapshot.edge_count(), snapshot.compute_counts().edges);
    }
}

#[test]
fn documents_change_only_their_own_root() {
    let plain = apply_changes(&Snapshot::empty(), code_changes());
    let all = apply_changes(&plain, vec![document_change("a/README.md", "x", &["run"])]);
    let (before, after) = (plain.package_root("a").expect("roots"), all.package_root("a").expect("roots"));
    assert_eq!((before.structure, before.content), (after.structure, after.content));
    assert_ne!(before.documents, after.documents);
    assert_ne!(plain.source_root(), all.source_root());
    assert_eq!(all.source_root(), compact(&all).source_root());
    let edited = apply_changes(&all, vec![document_change("a/README.md", "x", &["ran"])]);
    assert_ne!(edited.source_root(), all.source_root());
}
