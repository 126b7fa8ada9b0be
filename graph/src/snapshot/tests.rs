//! Tests that a graph is the same in an overlay, after compaction and in a base file.

use super::overlay::{SnapshotOverlay, StoredEdge};
use super::shared_map::SharedMap;
use super::*;
use crate::facts::{FILE_SCOPE, FileFacts, StringTableBuilder, SymbolFact, TermCounts};
use crate::text::{FieldParams, LengthNorm, TextField, TextParams, TextQuery, TextQueryTerm};
use crate::{EdgeKind, Provenance};
use proptest::prelude::*;
use std::fmt::Write;

/// Builds a file with these functions (`Type.method` for methods, `Property.name` for accessors of a
/// property) whose text is their names.
fn build_facts(names: &[&str]) -> Arc<FileFacts> {
    let mut facts =
        FileFacts { language: "go".into(), package: "p".into(), lines: 10, ..FileFacts::default() };
    let mut terms = StringTableBuilder::default();
    let mut analyzer = crate::analysis::Analyzer::default();
    for (line, spec) in names.iter().enumerate() {
        // `name#2` is a symbol with its second text. From the fifth text on, the declaration also
        // differs.
        let (qualified, body) = spec.split_once('#').unwrap_or((spec, "0"));
        let body: u64 = body.parse().expect("a number");
        let (container, name) = qualified.rsplit_once('.').unwrap_or(("", qualified));
        let mut counts = TermCounts::default();
        analyzer.for_each_name_token(name, |token| {
            counts.counts.push((terms.intern(token), TextField::Name as u8, 1));
            counts.lengths[0] += u16::from(!token.starts_with('='));
        });
        counts.counts.sort_unstable();
        facts.text.symbols.push(counts);
        facts.symbols.push(SymbolFact {
            name: name.into(),
            parent: None,
            container: container.into(),
            kind: match container {
                "" => SymbolKind::Function,
                "Property" => SymbolKind::Property,
                _ => SymbolKind::Method,
            },
            span: Span { start_line: line as u32, end_line: line as u32, ..Span::default() },
            name_span: NameSpan::default(),
            signature: if body < 5 { format!("func {name}()") } else { format!("func {name}(other)") },
            doc: String::new(),
            params: String::new(),
            arity: Some(0),
            ty: String::new(),
            bases: Vec::new(),
            visibility: Visibility::Public,
            is_test: false,
            body_hash: body,
        });
    }
    facts.text.terms = terms.into_table();
    Arc::new(facts)
}

pub(super) fn file_change(path: &str, names: &[&str]) -> FileChange {
    let content_hash = Hash::from_content(names.join("\n").as_bytes());
    FileChange::Put { path: path.into(), content_hash, size: 1, mtime_ns: 2, facts: build_facts(names) }
}

pub(super) fn remove_file(path: &str) -> FileChange {
    FileChange::Remove { path: path.into() }
}

/// Resolves references of a toy language: every symbol calls each symbol in any file whose name is
/// its own name followed by `x`.
fn resolve(snapshot: &Snapshot, files: &[FileId]) -> Snapshot {
    let edges = files.iter().map(|&file| {
        let mut edges = FileEdges { path: snapshot.file_path(file).to_owned(), ..FileEdges::default() };
        for symbol in snapshot.file_symbols(file).into_iter().skip(1).filter_map(|id| snapshot.symbol(id)) {
            let called = format!("{}x", symbol.name);
            edges.lookups.push(LookupKey::Name(&called).key_number());
            for target in snapshot.symbols_by_name(&called) {
                edges.edges.push(NewEdge {
                    source: symbol.id,
                    target: EdgeTarget::Symbol(target),
                    kind: EdgeKind::Calls,
                    provenance: Provenance::AstResolved,
                    confidence: 0.85,
                    line: Some(symbol.span.start_line),
                });
            }
            let target = EdgeTarget::Phantom {
                kind: SymbolKind::External,
                package: "lib".into(),
                name: symbol.name.to_owned(),
            };
            edges.edges.push(NewEdge {
                source: symbol.id,
                target,
                kind: EdgeKind::References,
                provenance: Provenance::AstInferred,
                confidence: 0.7,
                line: None,
            });
            let (kind, package) = (SymbolKind::Route, String::new());
            edges.edges.push(NewEdge {
                source: symbol.id,
                target: EdgeTarget::Phantom { kind, package, name: format!("GET /{}", symbol.name) },
                kind: EdgeKind::HandlesRoute,
                provenance: Provenance::AstResolved,
                confidence: 0.85,
                line: None,
            });
        }
        edges
    });
    snapshot.with_edges(edges.collect())
}

pub(super) fn apply_changes(snapshot: &Snapshot, changes: Vec<FileChange>) -> Snapshot {
    let paths: Vec<String> = changes.iter().map(|c| c.file_path().to_owned()).collect();
    let (next, keys) = snapshot.with_files(changes);
    // The root of the graph without the new edges must not stay.
    next.source_root();
    let mut files = next.files_affected_by(&keys);
    files.extend(paths.iter().filter_map(|p| next.file_by_path(p)));
    files.sort_unstable();
    files.dedup();
    resolve(&next, &files)
}

pub(super) fn compact(snapshot: &Snapshot) -> Snapshot {
    Snapshot::from_base(Arc::new(
        BaseGraph::from_image(&snapshot.to_base_image().expect("the image is written"))
            .expect("the image opens"),
    ))
}

/// Returns everything that a reader can see, as text.
pub(super) fn render_graph(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for id in snapshot.symbols() {
        let symbol = snapshot.symbol(id).expect("listed symbols are live");
        writeln!(out, "{} {}", symbol.qualified_name(), symbol.signature_text())
            .expect("a string accepts text");
        let mut lines: Vec<String> = snapshot
            .out_edges(id)
            .iter()
            .map(|e| {
                format!(
                    "  {} {}\n",
                    e.kind,
                    snapshot.symbol(e.target).expect("the symbol is live").qualified_name()
                )
            })
            .chain(snapshot.in_edges(id).iter().map(|e| {
                format!(
                    "  from {} {}\n",
                    e.kind,
                    snapshot.symbol(e.source).expect("the symbol is live").qualified_name()
                )
            }))
            .collect();
        lines.sort();
        out.extend(lines);
    }
    out
}

pub(super) fn text_params() -> TextParams {
    TextParams {
        k1: 1.2,
        idf_exponent: 1.0,
        fields: [FieldParams { weight: 1.0, b: 0.75 }; crate::text::FIELDS],
        norm: LengthNorm::PerField,
    }
}

pub(super) fn token_query(token: &str) -> TextQuery {
    TextQuery {
        terms: vec![TextQueryTerm { tokens: vec![token.into()], weight: 1.0, field: None, prefix: false }],
    }
}

pub(super) fn search_names(snapshot: &Snapshot, token: &str) -> Vec<(String, f32)> {
    let mut hits: Vec<(String, f32)> = snapshot
        .search_symbols(&token_query(token), &text_params())
        .into_iter()
        .map(|(id, score)| (snapshot.symbol(id).expect("the symbol is live").qualified_name(), score))
        .collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits
}

#[test]
fn compaction_changes_nothing_that_a_reader_sees() {
    let snapshot = apply_changes(
        &Snapshot::empty(),
        vec![file_change("a/one.go", &["run", "T.runx", "T.run"]), file_change("b.go", &["runx", "other"])],
    );
    let base = compact(&snapshot);
    assert_eq!(render_graph(&snapshot), render_graph(&base));
    expect_test::expect![[r#"
        a/one.go::run func run()
          calls a/one.go::T.runx
          calls b.go::runx
          from handles_route route::GET /run
          references external::lib.run
        a/one.go::T.runx func runx()
          from calls a/one.go::T.run
          from calls a/one.go::run
          from handles_route route::GET /runx
          references external::lib.runx
        a/one.go::T.run func run()
          calls a/one.go::T.runx
          calls b.go::runx
          from handles_route route::GET /run
          references external::lib.run
        b.go::runx func runx()
          from calls a/one.go::T.run
          from calls a/one.go::run
          from handles_route route::GET /runx
          references external::lib.runx
        b.go::other func other()
          from handles_route route::GET /other
          references external::lib.other
    "#]]
    .assert_eq(&render_graph(&base));
    assert_eq!(snapshot.source_root(), base.source_root());
    assert_eq!(snapshot.compute_counts(), base.compute_counts());
    assert_eq!(search_names(&snapshot, "run"), search_names(&base, "run"));
    assert_eq!(base.symbols_by_name("run").len(), 2);
    assert_eq!(base.symbols_by_prefix("ru", 10).len(), 4);
    assert_eq!(base.symbols_by_substring("the", 10).len(), 1);
    assert_eq!(base.files_in_folder(""), [base.file_by_path("b.go").expect("the file exists")]);
    assert_eq!(base.files_of_package("p").len(), 2);
}

#[test]
fn a_part_of_a_name_is_found_across_underscores_unless_it_has_some() {
    let base = compact(&apply_changes(
        &Snapshot::empty(),
        vec![file_change("a.go", &["get_cookie_name", "getCookieName", "target_cookie"])],
    ));
    let changed = apply_changes(&base, vec![file_change("b.go", &["GetCookieName_", "_cookie"])]);
    let names = |part: &str| {
        let symbols = changed.symbols_by_substring(part, 9).into_iter().filter_map(|id| changed.symbol(id));
        symbols.map(|symbol| symbol.name.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("getcookien"), ["get_cookie_name", "getCookieName", "GetCookieName_"]);
    assert_eq!(names("get_cookie"), ["get_cookie_name", "target_cookie"]);
    assert_eq!(names("_cookie"), ["_cookie", "get_cookie_name", "target_cookie"]);
    assert_eq!(names("cookies"), [""; 0]);
}

#[test]
fn a_symbol_keeps_its_id_and_only_the_changed_file_is_in_the_overlay() {
    let base = compact(&apply_changes(
        &Snapshot::empty(),
        vec![
            file_change("a.go", &["run", "stop"]),
            file_change("b.go", &["runx"]),
            file_change("c.go", &["far"]),
        ],
    ));
    let run = base.symbols_by_name("run");
    let next = apply_changes(&base, vec![file_change("a.go", &["first", "run", "stop"])]);
    assert_eq!(next.symbols_by_name("run"), run, "an insertion above changes no id");
    assert_eq!(next.overlay_file_count(), 1);
    assert_eq!(next.out_edges(run[0]).len(), 2);
    for id in next.symbols() {
        let symbol = next.symbol(id).expect("the symbol is live");
        let facets = next.symbol_facets(id).expect("the symbol is live");
        assert_eq!((facets.file, facets.kind, facets.is_test), (symbol.file, symbol.kind, symbol.is_test));
    }
    let file = |snapshot: &Snapshot, path: &str| snapshot.file_by_path(path).expect("the file exists");
    assert_eq!(next.symbols_named_in_file(file(&next, "a.go"), "run"), run, "in the overlay");
    assert_eq!(next.symbols_named_in_file(file(&next, "b.go"), "run"), [], "in another file");
    assert_eq!(base.symbols_named_in_file(file(&base, "a.go"), "run"), run, "in the base");
    assert_eq!(base.symbols_named_in_file(file(&base, "a.go"), "Run"), [], "another spelling");
    let removed = apply_changes(&next, vec![remove_file("b.go")]);
    assert_eq!(removed.symbols_named_in_file(file(&base, "b.go"), "runx"), [], "in a removed file");
    assert_eq!(removed.out_edges(run[0]).len(), 1, "the call to runx is gone with its file");
    assert_eq!(removed.symbol_facets(base.symbols_by_name("runx")[0]), None);
    assert_eq!(removed.overlay_file_count(), 2);
}

#[test]
fn the_overlay_is_searched_with_the_bases_frequencies() {
    let base = compact(&apply_changes(
        &Snapshot::empty(),
        vec![file_change("a.go", &["parseHeader"]), file_change("b.go", &["parseBody", "writeBody"])],
    ));
    let next = apply_changes(&base, vec![file_change("b.go", &["parseBody", "parseTrailer"])]);
    let names: Vec<String> = search_names(&next, "pars").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a.go::parseHeader", "b.go::parseBody", "b.go::parseTrailer"]);
    assert_eq!(search_names(&next, "write"), [], "the base's postings of a changed file are masked");
    assert_eq!(search_names(&next, "trailer").len(), 1, "a term that is not in the base is found");
}

#[test]
fn identity_counts_ordinals_only_among_equal_signatures() {
    let one = build_facts(&["T.run", "run"]);
    let two = build_facts(&["T.run", "T.run", "run"]);
    let (a, b) = (identity::symbol_hashes("a.go", &one), identity::symbol_hashes("a.go", &two));
    assert_eq!((a[1], a[2]), (b[1], b[3]));
    assert_ne!(b[1], b[2]);
    assert_ne!(identity::symbol_hashes("b.go", &one)[1], a[1]);
    assert_eq!(one.symbols.len(), two.symbols.len() - 1);
    assert_eq!(FILE_SCOPE, u32::MAX);
}

fn arbitrary_changes() -> impl Strategy<Value = Vec<Vec<FileChange>>> {
    let path = prop::sample::select(vec!["a.go", "b.go", "d/c.go", "d/e.go"]);
    let names = prop::sample::subsequence(vec!["f", "fx", "fxx", "g", "T.f", "T.gx", "f"], 0..6);
    let change = (path, prop::option::weighted(0.8, names))
        .prop_map(|(path, names)| names.map_or_else(|| remove_file(path), |names| file_change(path, &names)));
    prop::collection::vec(prop::collection::vec(change, 1..3), 1..8)
}

proptest! {
    #[test]
    fn changes_in_steps_equal_one_change(steps in arbitrary_changes(), compact_at in 0usize..8) {
        let mut snapshot = Snapshot::empty();
        let mut last: std::collections::BTreeMap<String, FileChange> = std::collections::BTreeMap::new();
        for (i, step) in steps.into_iter().enumerate() {
            for change in &step {
                last.insert(change.file_path().to_owned(), change.clone());
            }
            snapshot = apply_changes(&snapshot, step);
            if i == compact_at {
                snapshot = compact(&snapshot);
            }
        }
        let at_once = apply_changes(&Snapshot::empty(), last.into_values().collect());
        prop_assert_eq!(render_graph(&snapshot), render_graph(&at_once));
        prop_assert_eq!(snapshot.source_root(), at_once.source_root());
        prop_assert_eq!(snapshot.compute_counts(), at_once.compute_counts());
        prop_assert_eq!(snapshot.edge_count(), at_once.compute_counts().edges);
        prop_assert_eq!(compact(&snapshot).source_root(), at_once.source_root());
        prop_assert_eq!(search_names(&compact(&snapshot), "f"), search_names(&compact(&at_once), "f"));
    }

    #[test]
    fn a_damaged_base_never_panics(at in 0usize..20_000, bit in 0u8..8) {
        let snapshot = apply_changes(&Snapshot::empty(), vec![file_change("a.go", &["run", "T.runx"]), file_change("d/b.go", &["runx"])]);
        let mut bytes = snapshot.to_base_image().expect("the file is written").as_bytes().to_vec();
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        // The checksums of an image in memory are not checked.
        if let Ok(base) = BaseGraph::from_image(&BaseImage(bytes)) {
            let damaged = Snapshot::from_base(Arc::new(base));
            for id in damaged.symbols() {
                let _ = (damaged.symbol(id), damaged.out_edges(id), damaged.in_edges(id));
            }
            let _ = (damaged.compute_counts(), damaged.source_root(), damaged.symbols_by_name("run"), damaged.files_of_package("p"));
            let _ = damaged.search_symbols(&token_query("run"), &text_params());
            let _ = damaged.search_files(&token_query("run"), &text_params());
            let _ = damaged.to_base_image();
        }
    }
}

#[test]
fn a_truncated_or_foreign_base_is_rejected_with_the_reason() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("base.bin");
    let snapshot = apply_changes(&Snapshot::empty(), vec![file_change("a.go", &["run"])]);
    assert!(snapshot.write_base(7, &path, &mut || false).expect("the file is written"));
    let image = snapshot.to_base_image().expect("the file is written");
    assert_eq!(BaseGraph::open(&path).expect("undamaged").lineage(), 7);
    std::fs::write(&path, &image.as_bytes()[..image.as_bytes().len() - 1]).expect("the file is written");
    let truncated = BaseGraph::open(&path).unwrap_err();
    assert!(truncated.is_damage() && truncated.to_string().ends_with("truncated"), "{truncated}");
    std::fs::write(&path, [image.as_bytes(), b"more"].concat()).expect("the file is written");
    assert!(BaseGraph::open(&path).unwrap_err().to_string().ends_with("longer than it was written"));
    let mut other_version = image.as_bytes().to_vec();
    other_version[8] += 1;
    std::fs::write(&path, &other_version).expect("the file is written");
    assert!(!BaseGraph::open(&path).unwrap_err().is_damage(), "an image of another version is not damage");
    std::fs::write(&path, b"hello").expect("the file is written");
    assert!(BaseGraph::open(&path).unwrap_err().to_string().ends_with("the header is missing"));
}

#[test]
fn an_interrupted_write_keeps_the_existing_image_and_leaves_no_other_file() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("graph.base");
    let before = apply_changes(&Snapshot::empty(), vec![file_change("a.go", &["run"])]);
    assert!(before.write_base(7, &path, &mut || false).expect("the file is written"));
    let existing = std::fs::read(&path).expect("the file is read");
    let after =
        apply_changes(&before, vec![file_change("a.go", &["run", "stop"]), file_change("b.go", &["wait"])]);
    let mut checks = 0;
    while !after
        .write_base(7, &path, &mut {
            let mut remaining = checks;
            move || {
                remaining -= 1;
                remaining < 0
            }
        })
        .expect("no error")
    {
        assert_eq!(std::fs::read(&path).expect("the file is read"), existing);
        assert_eq!(std::fs::read_dir(dir.path()).expect("the file is read").count(), 1);
        checks += 1;
    }
    assert!(checks > 5, "there were only {checks} checks");
    assert_ne!(std::fs::read(&path).expect("the file is read"), existing);
}

#[test]
fn opening_an_image_detects_a_flipped_bit_in_any_section() {
    let functions: Vec<String> = (0..4000).map(|n| format!("function_number_{n}")).collect();
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let snapshot = apply_changes(
        &Snapshot::empty(),
        vec![file_change("a.go", &names), file_change("d/b.go", &["function_number_7"])],
    );
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("graph.base");
    assert!(snapshot.write_base(7, &path, &mut || false).expect("the file is written"));
    let whole = std::fs::read(&path).expect("the file is read");
    assert_eq!(
        Snapshot::from_base(Arc::new(BaseGraph::open(&path).expect("undamaged"))).source_root(),
        snapshot.source_root()
    );
    let mut sections = 0;
    for row in whole[64..64 + 24 * 31].chunks_exact(24) {
        let number =
            |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().expect("eight bytes")) as usize;
        let (start, len) = (number(0), number(8));
        sections += usize::from(len > 0);
        for at in [start, start + len / 2, start + len - 1].into_iter().filter(|_| len > 0) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).expect("the file is written");
            let error = BaseGraph::open(&path).expect_err("a bit is flipped");
            assert!(error.is_damage() && error.to_string().contains(" is damaged"), "byte {at}: {error}");
        }
    }
    assert!(sections > 20, "only {sections} sections have content");
}

#[test]
fn an_opened_image_does_not_change_with_its_file() {
    let snapshot = apply_changes(
        &Snapshot::empty(),
        vec![file_change("a.go", &["run", "stop"]), file_change("d/b.go", &["run"])],
    );
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("graph.base");
    assert!(snapshot.write_base(7, &path, &mut || false).expect("the file is written"));
    let opened = Snapshot::from_base(Arc::new(BaseGraph::open(&path).expect("undamaged")));
    let before = render_graph(&opened);
    let len = std::fs::metadata(&path).expect("the file exists").len() as usize;
    std::fs::write(&path, vec![0xff; len]).expect("overwritten");
    assert_eq!(render_graph(&opened), before);
    std::fs::write(&path, []).expect("truncated");
    assert_eq!((render_graph(&opened), opened.source_root()), (before, snapshot.source_root()));
}

#[test]
fn a_keystroke_changes_only_a_few_shards_of_the_overlay() {
    let functions: Vec<String> = (0..400).map(|n| format!("f{n}")).collect();
    let mut names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let before = apply_changes(&Snapshot::empty(), vec![file_change("a.go", &names)]);
    names.insert(300, "typed");
    let (between, _) = before.with_files(vec![file_change("a.go", &names)]);
    let after = resolve(&between, &between.files());

    let typed = after.symbols_by_name("typed")[0];
    let differing = |ends: fn(&SnapshotOverlay) -> &SharedMap<SymbolId, Vec<StoredEdge>>| {
        ends(&after.overlay).entries_differing_from(ends(&before.overlay)).count()
    };
    let changed = differing(|overlay| &overlay.outgoing);
    assert!((1..40).contains(&changed), "{changed} of about 800 entries are in shards that are not shared");
    assert!(differing(|overlay| &overlay.incoming) < 60, "{}", differing(|overlay| &overlay.incoming));
    assert!(after.overlay.names.entries_differing_from(&before.overlay.names).count() < 20);
    assert_eq!(after.out_edges(typed).len() + after.in_edges(typed).len(), 2);
    assert_eq!(after.edge_count(), before.edge_count() + 2);

    let known = before.symbols_by_name("f7")[0];
    assert_eq!(between.out_edges(known), [], "a replaced file has no edges until it is resolved");
    assert_eq!(between.edge_count(), 0);
    assert_eq!(after.out_edges(known), before.out_edges(known));
}
