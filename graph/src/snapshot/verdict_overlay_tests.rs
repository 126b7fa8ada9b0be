//! Tests of verdicts applied to the graph: readers see the right edges, and an incremental update
//! gives the same result as composing from scratch.

use super::tests::{apply_changes, compact, file_change, remove_file, render_graph};
use super::*;
use crate::facts::ReferenceRole;
use crate::verdicts::{
    ContextHash, DiscoveredEdge, GuessedEdge, NoAnswerReason, ReferenceSite, SentHashes, ServerId,
    ServerResolution, SiteKey, SymbolVersion, TargetEdge, Verdict, VerdictAnswer, symbol_body_hash,
};
use crate::{EdgeKind, Provenance};
use proptest::prelude::*;
use std::fmt::Write;

/// The number of dependent files to recompose in tests that recompose all of them.
const NO_LIMIT: usize = usize::MAX;

fn test_server() -> Arc<ServerId> {
    Arc::new(ServerId { name: "toyls".into(), version: "1".into() })
}

fn find_symbol<'a>(snapshot: &'a Snapshot, qualified: &str) -> SymbolRef<'a> {
    let mut symbols = snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id));
    symbols.find(|symbol| symbol.qualified_name() == qualified).expect("the symbol exists")
}

/// Builds the only reference of a symbol: a call, with the edge derived from it.
fn call_site(snapshot: &Snapshot, subject: &SymbolRef) -> ReferenceSite {
    let file = subject.file.expect("the symbol is in a file");
    let mut guesses = Vec::new();
    snapshot.for_each_stored_out(subject.id, |edge| {
        if edge.kind == EdgeKind::Calls {
            guesses.push(GuessedEdge {
                source: subject.hash,
                target: snapshot.symbol(edge.target).expect("the symbol is live").hash,
                kind: EdgeKind::Calls,
                provenance: Provenance::AstInferred,
                confidence: 0.4,
                sites: 1,
            });
        }
    });
    guesses.sort_by_key(|guess| guess.target);
    ReferenceSite {
        key: SiteKey { subject: subject.hash, body: symbol_body_hash(snapshot, subject), nth: 0 },
        context: ContextHash::new(snapshot, file).for_symbol(subject),
        path: snapshot.file_path(file).into(),
        content: Hash::default(),
        name: "x".into(),
        at: NameSpan::default(),
        subject_line: 0,
        role: ReferenceRole::Call,
        target_edges: vec![TargetEdge {
            kind: EdgeKind::Calls,
            end: subject.hash,
            starts_at_target: false,
            excludes_tests: false,
        }],
        guesses,
        is_external: false,
    }
}

fn verdict_with(
    snapshot: &Snapshot,
    subject: &str,
    resolve: impl Fn(&ReferenceSite) -> ServerResolution,
) -> Verdict {
    let site = call_site(snapshot, &find_symbol(snapshot, subject));
    Verdict::for_site(&site, &test_server(), resolve(&site), SentHashes::default())
}

fn verdict_leading_to(snapshot: &Snapshot, subject: &str, target: &str) -> Verdict {
    verdict_with(snapshot, subject, |site| site.classify_target(snapshot, &find_symbol(snapshot, target)))
}

fn verdict_outside(snapshot: &Snapshot, subject: &str, package: &str, name: &str) -> Verdict {
    verdict_with(snapshot, subject, |_| ServerResolution::External {
        package: package.into(),
        name: name.into(),
    })
}

fn verdict_discovering(snapshot: &Snapshot, subject: &str, edges: &[(&str, &str, EdgeKind)]) -> Verdict {
    let build_edge = |(source, target, kind): &(&str, &str, EdgeKind)| {
        let (source, target) = (find_symbol(snapshot, source), find_symbol(snapshot, target));
        let source_body = symbol_body_hash(snapshot, &source);
        let (source, target) = (SymbolVersion::from_symbol(&source), SymbolVersion::from_symbol(&target));
        DiscoveredEdge { source, source_body, target, kind: *kind, line: None }
    };
    let subject = find_symbol(snapshot, subject);
    Verdict {
        server: test_server(),
        subject: subject.hash,
        body: symbol_body_hash(snapshot, &subject),
        context: 0,
        answer: VerdictAnswer::Discovered { edges: edges.iter().map(build_edge).collect() },
        sent: SentHashes::default(),
    }
}

fn base_snapshot() -> Snapshot {
    compact(&apply_changes(
        &Snapshot::empty(),
        vec![
            file_change("a.go", &["run", "T.run"]),
            file_change("b.go", &["runx"]),
            file_change("c.go", &["U.runx", "far"]),
        ],
    ))
}

/// Returns the edges of a symbol, both ways, with the provenance of each.
fn render_edges(snapshot: &Snapshot, qualified: &str) -> String {
    let id = find_symbol(snapshot, qualified).id;
    let name = |id| snapshot.symbol(id).expect("the symbol is live").qualified_name();
    let mut lines: Vec<String> = Vec::new();
    for edge in snapshot.out_edges(id).into_iter().filter(|edge| edge.kind != EdgeKind::References) {
        lines.push(format!(
            "{} {} {} {:.2}\n",
            edge.kind,
            name(edge.target),
            edge.provenance,
            edge.confidence
        ));
    }
    for edge in snapshot.in_edges(id).into_iter().filter(|edge| edge.kind != EdgeKind::HandlesRoute) {
        lines.push(format!("from {} {} {}\n", edge.kind, name(edge.source), edge.provenance));
    }
    lines.sort();
    lines.concat()
}

#[test]
fn without_answers_the_graph_does_not_change() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    assert!(composed.is_same_as(&plain));
    assert_eq!(composed.identity_hash(), plain.source_root());
    assert_eq!(composed.revision(), plain.revision());
    composer.record_verdicts(&[verdict_with(&plain, "a.go::run", |_| {
        ServerResolution::Unresolved(NoAnswerReason::NoDefinition)
    })]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    assert_eq!(
        (render_graph(&composed), composed.identity_hash()),
        (render_graph(&plain), plain.source_root())
    );
    let image =
        |snapshot: &Snapshot| snapshot.to_base_image().expect("the image is written").as_bytes().to_vec();
    assert!(image(&composed) == image(&plain), "the image contains only the indexer's edges");
    assert_eq!(composed.compute_counts(), plain.compute_counts());
}

#[test]
fn one_confirmed_target_hides_its_siblings() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    composer.record_verdicts(&[verdict_leading_to(&plain, "a.go::run", "c.go::U.runx")]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    expect_test::expect![[r#"
        calls c.go::U.runx lsp_resolved 0.90
    "#]]
    .assert_eq(&render_edges(&composed, "a.go::run"));
    expect_test::expect![[r#"
        from calls a.go::T.run ast_resolved
    "#]]
    .assert_eq(&render_edges(&composed, "b.go::runx"));
    assert_eq!(composed.source_root(), plain.source_root());
    assert_ne!(composed.identity_hash(), plain.identity_hash());
    assert_eq!(composed.revision(), plain.revision() + 1);
    assert_eq!(composed.edge_count(), composed.compute_counts().edges);
    let [(_, tally)] = &composed.verdict_counts()[..] else { panic!("one server") };
    assert_eq!(*tally, VerdictCounts { confirmed: 1, ..VerdictCounts::default() });
}

#[test]
fn an_answer_for_one_accessor_stands_for_all_accessors_of_the_property() {
    let files = vec![
        file_change("a.go", &["run", "go"]),
        file_change("b.go", &["Property.runx", "Property.runx#1", "T.runx"]),
    ];
    let plain = compact(&apply_changes(&Snapshot::empty(), files));
    let mut composer = VerdictOverlayBuilder::default();
    // Names the first accessor, where the text has all three; then, where the text has none.
    composer.record_verdicts(&[
        verdict_leading_to(&plain, "a.go::run", "b.go::Property.runx"),
        verdict_leading_to(&plain, "a.go::go", "b.go::Property.runx"),
    ]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    for caller in ["a.go::run", "a.go::go"] {
        expect_test::expect![[r#"
            calls b.go::Property.runx lsp_resolved 0.90
            calls b.go::Property.runx lsp_resolved 0.90
        "#]]
        .assert_eq(&render_edges(&composed, caller));
    }
}

#[test]
fn a_call_with_another_target_hides_the_guesses() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    composer.record_verdicts(&[
        verdict_leading_to(&plain, "a.go::run", "c.go::far"),
        verdict_outside(&plain, "a.go::T.run", "net/http", "Get"),
    ]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    expect_test::expect![[r#"
        calls c.go::far lsp_resolved 0.90
    "#]]
    .assert_eq(&render_edges(&composed, "a.go::run"));
    expect_test::expect![[r#"
        calls external::net/http.Get lsp_resolved 0.90
    "#]]
    .assert_eq(&render_edges(&composed, "a.go::T.run"));
    expect_test::expect![[r#"
        from calls a.go::run lsp_resolved
    "#]]
    .assert_eq(&render_edges(&composed, "c.go::far"));
    let phantom =
        composed.symbol_by_hash(&crate::verdicts::external_hash("net/http", "Get")).expect("a phantom");
    assert_eq!(composed.in_edges(phantom).len(), 1);
    assert_eq!(composed.compute_counts().phantoms, plain.compute_counts().phantoms + 1);
    composer.record_verdicts(&[verdict_with(&plain, "a.go::run", |_| ServerResolution::Local)]);
    assert_eq!(
        render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "a.go::run"),
        "",
        "neither the guess nor the earlier answer is visible"
    );
}

#[test]
fn uses_of_one_external_symbol_share_its_phantom() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    // The text of `far` has an edge to the same external symbol.
    composer.record_verdicts(&[
        verdict_outside(&plain, "a.go::run", "lib", "far"),
        verdict_outside(&plain, "a.go::T.run", "lib", "far"),
    ]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    let phantom = composed.symbol_by_hash(&crate::verdicts::external_hash("lib", "far")).expect("a phantom");
    let sources = composed
        .in_edges(phantom)
        .into_iter()
        .map(|e| composed.symbol(e.source).expect("the symbol is live"));
    let mut names: Vec<String> = sources.map(|symbol| symbol.qualified_name()).collect();
    names.sort();
    assert_eq!(names, ["a.go::T.run", "a.go::run", "c.go::far"]);
}

#[test]
fn an_edge_of_several_sites_is_hidden_when_all_sites_are_answered() {
    let plain = base_snapshot();
    let verdict_of_two = |nth: u32, target: &str| {
        let mut site = call_site(&plain, &find_symbol(&plain, "a.go::run"));
        site.key.nth = nth;
        site.guesses.iter_mut().for_each(|guess| guess.sites = 2);
        Verdict::for_site(
            &site,
            &test_server(),
            site.classify_target(&plain, &find_symbol(&plain, target)),
            SentHashes::default(),
        )
    };
    let mut composer = VerdictOverlayBuilder::default();
    composer.record_verdicts(&[verdict_of_two(0, "b.go::runx")]);
    assert!(render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "a.go::run").contains("U.runx"));
    composer.record_verdicts(&[verdict_of_two(1, "b.go::runx")]);
    assert!(!render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "a.go::run").contains("U.runx"));
}

#[test]
fn a_stale_verdict_is_hidden_until_its_state_returns() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    composer.record_verdicts(&[verdict_leading_to(&plain, "a.go::run", "c.go::far")]);
    let confirmed = render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "a.go::run");
    let guessed = render_edges(&plain, "a.go::run");
    let edges_when_stale = |composer: &mut VerdictOverlayBuilder, changed: &Snapshot| {
        let composed = composer.compose_snapshot(changed, NO_LIMIT);
        assert_eq!(composed.verdict_counts()[0].1.stale, 1);
        render_edges(&composed, "a.go::run")
    };
    // Edit the text of the caller.
    let edited = apply_changes(&plain, vec![file_change("a.go", &["run#1", "T.run"])]);
    assert_eq!(edges_when_stale(&mut composer, &edited), guessed);
    // Edit the declaration of the target, and then remove the target.
    assert_eq!(
        edges_when_stale(
            &mut composer,
            &apply_changes(&plain, vec![file_change("c.go", &["U.runx", "far#5"])])
        ),
        guessed
    );
    assert_eq!(
        edges_when_stale(&mut composer, &apply_changes(&plain, vec![file_change("c.go", &["U.runx"])])),
        guessed
    );
    // Edit only the text of the target, so that nothing becomes stale.
    let composed = composer
        .compose_snapshot(&apply_changes(&plain, vec![file_change("c.go", &["U.runx", "far#1"])]), NO_LIMIT);
    assert_eq!(render_edges(&composed, "a.go::run"), confirmed);
    // Add another symbol with a matching name, which changes the indexer's edges.
    let more = apply_changes(&plain, vec![file_change("d.go", &["runx"])]);
    assert_eq!(edges_when_stale(&mut composer, &more), render_edges(&more, "a.go::run"));
    assert_eq!(render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "a.go::run"), confirmed);
}

#[test]
fn discovered_edges_are_visible_unless_the_text_has_stronger_edges() {
    let plain = base_snapshot();
    let mut composer = VerdictOverlayBuilder::default();
    let found = [
        ("c.go::far", "b.go::runx", EdgeKind::Implements),
        ("a.go::run", "b.go::runx", EdgeKind::References),
        ("a.go::T.run", "b.go::runx", EdgeKind::Calls),
    ];
    composer.record_verdicts(&[verdict_discovering(&plain, "b.go::runx", &found)]);
    let composed = composer.compose_snapshot(&plain, NO_LIMIT);
    expect_test::expect![[r#"
        from calls a.go::T.run lsp_resolved
        from calls a.go::run ast_resolved
        from implements c.go::far lsp_resolved
    "#]]
    .assert_eq(&render_edges(&composed, "b.go::runx"));
    let subject = find_symbol(&composed, "b.go::runx").id;
    let status =
        |snapshot: &Snapshot| snapshot.find_verdict_status(subject, WHOLE_SYMBOL).map(|(status, _)| status);
    assert_eq!(status(&composed), Some(VerdictStatus::Discovered));
    let edited =
        composer.compose_snapshot(&apply_changes(&plain, vec![file_change("b.go", &["runx#1"])]), NO_LIMIT);
    assert_eq!(status(&edited), Some(VerdictStatus::Stale));
    composer.record_verdicts(&[verdict_discovering(&plain, "b.go::runx", &[])]);
    assert_eq!(
        render_edges(&composer.compose_snapshot(&plain, NO_LIMIT), "b.go::runx"),
        render_edges(&plain, "b.go::runx")
    );
}

#[test]
fn an_edit_recomposes_its_file_and_a_limited_number_of_others() {
    let files =
        (0..40).map(|n| file_change(&format!("f{n}.go"), &["run"])).chain([file_change("t.go", &["runx"])]);
    let plain = compact(&apply_changes(&Snapshot::empty(), files.collect()));
    let mut composer = VerdictOverlayBuilder::default();
    let verdicts: Vec<Verdict> =
        (0..40).map(|n| verdict_leading_to(&plain, &format!("f{n}.go::run"), "t.go::runx")).collect();
    composer.record_verdicts(&verdicts);
    composer.compose_snapshot(&plain, 0);
    assert_eq!((composer.recomposed_count(), composer.pending_count()), (40, 0));
    composer.compose_snapshot(&plain, 0);
    assert_eq!(composer.recomposed_count(), 0);
    let edited = apply_changes(&plain, vec![file_change("f3.go", &["run#1"])]);
    composer.compose_snapshot(&edited, 4);
    assert_eq!((composer.recomposed_count(), composer.pending_count()), (1, 0));
    // After the target is renamed, its users follow a few at a time.
    let renamed = plain.with_files(vec![file_change("t.go", &["other"])]).0;
    let composed = composer.compose_snapshot(&renamed, 4);
    assert_eq!((composer.recomposed_count(), composer.pending_count()), (6, 35));
    for n in 0..40 {
        let run = find_symbol(&composed, &format!("f{n}.go::run")).id;
        assert!(composed.out_edges(run).iter().all(|edge| composed.symbol(edge.target).is_some()));
    }
    composer.compose_snapshot(&renamed, NO_LIMIT);
    assert_eq!((composer.recomposed_count(), composer.pending_count()), (35, 0));
}

/// A step of the random test.
#[derive(Clone, Debug)]
enum WorkspaceStep {
    Change(Vec<FileChange>),
    Compact,
    /// Verdicts, as pairs of numbers of subject and target.
    Answer(Vec<(usize, usize)>),
    /// A discovered edge, as numbers of subject and source.
    Discover(usize, usize),
}

fn arbitrary_steps() -> impl Strategy<Value = Vec<WorkspaceStep>> {
    let path = prop::sample::select(vec!["a.go", "b.go", "d/c.go", "d/e.go"]);
    let names =
        vec!["f", "fx#1", "fxx", "g#2", "T.f", "T.gx", "U.fx", "gx#7", "lib", "Property.fx", "Property.fx#3"];
    let name = (prop::sample::subsequence(names, 0..8), 0u8..3);
    let names = name.prop_map(|(names, more)| {
        let bodies = names.into_iter().map(|name| match (name.split_once('#'), more) {
            (Some((name, _)), 1) => name.to_owned(),
            (None, 2) => format!("{name}#6"),
            _ => name.to_owned(),
        });
        bodies.collect::<Vec<_>>()
    });
    let change = (path, prop::option::weighted(0.8, names)).prop_map(|(path, names)| {
        names.map_or_else(
            || remove_file(path),
            |names| file_change(path, &names.iter().map(String::as_str).collect::<Vec<_>>()),
        )
    });
    let step = prop_oneof![
        3 => prop::collection::vec(change, 1..3).prop_map(WorkspaceStep::Change),
        1 => Just(WorkspaceStep::Compact),
        4 => prop::collection::vec((any::<usize>(), any::<usize>()), 1..5).prop_map(WorkspaceStep::Answer),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| WorkspaceStep::Discover(a, b)),
    ];
    prop::collection::vec(step, 1..14)
}

fn build_verdict(plain: &Snapshot, subject: usize, target: usize) -> Option<Verdict> {
    let all = plain.symbols();
    let subject = plain.symbol(*all.get(subject % all.len().max(1))?)?;
    let site = call_site(plain, &subject);
    let resolution = match target % (all.len() + 4) {
        0 => ServerResolution::Unresolved(NoAnswerReason::NoDefinition),
        1 => ServerResolution::Local,
        2 => ServerResolution::External { package: "lib".into(), name: "f".into() },
        3 => ServerResolution::External { package: "lib".into(), name: "only".into() },
        n => site.classify_target(plain, &plain.symbol(all[n - 4])?),
    };
    Some(Verdict::for_site(&site, &test_server(), resolution, SentHashes::default()))
}

fn build_discovery(plain: &Snapshot, subject: usize, source: usize) -> Option<Verdict> {
    let all = plain.symbols();
    let name = |n: usize| Some(plain.symbol(*all.get(n % all.len().max(1))?)?.qualified_name());
    let (subject, source) = (name(subject)?, name(source)?);
    let kind = if subject.len() > source.len() { EdgeKind::References } else { EdgeKind::Overrides };
    Some(verdict_discovering(plain, &subject, &[(&source, &subject, kind)]))
}

/// Returns everything that a reader can see of a composed graph.
fn render_visible(snapshot: &Snapshot) -> String {
    let mut out = render_graph(snapshot);
    for id in snapshot.symbols() {
        writeln!(out, "{:?} {:?}", snapshot.find_verdict_status(id, 0), snapshot.answer_counts(id))
            .expect("a string accepts text");
        for edge in snapshot.out_edges(id) {
            writeln!(out, "{} {} {:?}", edge.kind, edge.provenance, edge.line)
                .expect("a string accepts text");
        }
    }
    writeln!(out, "{:?} {}", snapshot.verdict_counts(), snapshot.edge_count())
        .expect("a string accepts text");
    out
}

proptest! {
    #[test]
    fn incremental_composition_equals_composition_from_scratch(steps in arbitrary_steps()) {
        let mut plain = Snapshot::empty();
        let (mut composer, mut verdicts) = (VerdictOverlayBuilder::default(), Vec::<Verdict>::new());
        for step in steps {
            match step {
                WorkspaceStep::Change(changes) => plain = apply_changes(&plain, changes),
                WorkspaceStep::Compact => plain = compact(&plain),
                WorkspaceStep::Answer(pairs) => {
                    let batch: Vec<Verdict> = pairs.into_iter().filter_map(|(subject, target)| build_verdict(&plain, subject, target)).collect();
                    composer.record_verdicts(&batch);
                    verdicts.extend(batch);
                }
                WorkspaceStep::Discover(subject, source) => {
                    let batch: Vec<Verdict> = build_discovery(&plain, subject, source).into_iter().collect();
                    composer.record_verdicts(&batch);
                    verdicts.extend(batch);
                }
            }
            let updated = composer.compose_snapshot(&plain, NO_LIMIT);
            let mut fresh = VerdictOverlayBuilder::default();
            for verdict in &verdicts {
                fresh.record_verdicts([verdict]);
            }
            let fresh = fresh.compose_snapshot(&plain, NO_LIMIT);
            prop_assert_eq!(render_visible(&updated), render_visible(&fresh));
            prop_assert_eq!(updated.identity_hash(), fresh.identity_hash());
            prop_assert_eq!(updated.source_root(), plain.source_root());
            prop_assert_eq!(updated.edge_count(), updated.compute_counts().edges);
        }
    }
}
