//! What servers say, joined to the graph: what readers see of it, and that following the graph gives what composing
//! anew gives.

use super::tests::{apply, compacted, put, remove, shown};
use super::*;
use crate::facts::Role;
use crate::verdicts::{
    Answer, DiscoveredEdge, Ground, Guess, Made, Resolution, Sent, ServerId, Site, SiteKey, Target,
    Unresolved, Verdict, body_of,
};
use crate::{EdgeKind, Provenance};
use proptest::prelude::*;
use std::fmt::Write;

const ALL: usize = usize::MAX;

fn server() -> Arc<ServerId> {
    Arc::new(ServerId { name: "toyls".into(), version: "1".into() })
}

fn symbol<'a>(snapshot: &'a Snapshot, qualified: &str) -> SymbolRef<'a> {
    let all = snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id));
    all.into_iter().find(|symbol| symbol.qualified_name() == qualified).expect("there")
}

/// The only reference of a symbol: a call, with what the text makes of it.
fn site(snapshot: &Snapshot, subject: &SymbolRef) -> Site {
    let file = subject.file.expect("in a file");
    let mut guesses = Vec::new();
    snapshot.stored_out(subject.id, |edge| {
        if edge.kind == EdgeKind::Calls {
            guesses.push(Guess {
                source: subject.hash,
                target: snapshot.symbol(edge.target).expect("live").hash,
                kind: EdgeKind::Calls,
                provenance: Provenance::AstInferred,
                confidence: 0.4,
                sites: 1,
            });
        }
    });
    guesses.sort_by_key(|guess| guess.target);
    Site {
        key: SiteKey { subject: subject.hash, body: body_of(snapshot, subject), nth: 0 },
        ground: Ground::new(snapshot, file).of(subject),
        path: snapshot.path_of(file).into(),
        content: Hash::default(),
        name: "x".into(),
        at: NameSpan::default(),
        subject_line: 0,
        role: Role::Call,
        makes: vec![Made {
            kind: EdgeKind::Calls,
            end: subject.hash,
            from_target: false,
            not_to_tests: false,
        }],
        guesses,
        outside: false,
    }
}

fn says(snapshot: &Snapshot, subject: &str, is: impl Fn(&Site) -> Resolution) -> Verdict {
    let site = site(snapshot, &symbol(snapshot, subject));
    let is = is(&site);
    Verdict::on(&site, &server(), is, Sent::default())
}

fn leads(snapshot: &Snapshot, subject: &str, target: &str) -> Verdict {
    says(snapshot, subject, |site| site.leads_to(snapshot, &symbol(snapshot, target)))
}

fn outside(snapshot: &Snapshot, subject: &str, package: &str, name: &str) -> Verdict {
    says(snapshot, subject, |_| Resolution::External { package: package.into(), name: name.into() })
}

fn discovered(snapshot: &Snapshot, of: &str, edges: &[(&str, &str, EdgeKind)]) -> Verdict {
    let edge = |(source, target, kind): &(&str, &str, EdgeKind)| {
        let (source, target) = (symbol(snapshot, source), symbol(snapshot, target));
        let source_body = body_of(snapshot, &source);
        let (source, target) = (Target::of(&source), Target::of(&target));
        DiscoveredEdge { source, source_body, target, kind: *kind, line: None }
    };
    let subject = symbol(snapshot, of);
    Verdict {
        server: server(),
        subject: subject.hash,
        body: body_of(snapshot, &subject),
        ground: 0,
        answer: Answer::Discovered { edges: edges.iter().map(edge).collect() },
        sent: Sent::default(),
    }
}

fn base() -> Snapshot {
    compacted(&apply(
        &Snapshot::empty(),
        vec![put("a.go", &["run", "T.run"]), put("b.go", &["runx"]), put("c.go", &["U.runx", "far"])],
    ))
}

/// The edges of a symbol, both ways, with how each is known.
fn edges(snapshot: &Snapshot, qualified: &str) -> String {
    let id = symbol(snapshot, qualified).id;
    let name = |id| snapshot.symbol(id).expect("live").qualified_name();
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
fn without_answers_the_graph_is_what_it_was() {
    let plain = base();
    let mut composer = Composer::default();
    let composed = composer.compose(&plain, ALL);
    assert!(composed.is(&plain));
    assert_eq!(composed.identity(), plain.source_root());
    assert_eq!(composed.revision(), plain.revision());
    composer.take(&[says(&plain, "a.go::run", |_| Resolution::Unresolved(Unresolved::Nothing))]);
    let composed = composer.compose(&plain, ALL);
    assert_eq!((shown(&composed), composed.identity()), (shown(&plain), plain.source_root()));
    let image = |snapshot: &Snapshot| snapshot.compact().expect("written").bytes().to_vec();
    assert!(image(&composed) == image(&plain), "what is kept of the graph is the text alone");
    assert_eq!(composed.counts(), plain.counts());
}

#[test]
fn one_confirmed_target_hides_its_siblings() {
    let plain = base();
    let mut composer = Composer::default();
    composer.take(&[leads(&plain, "a.go::run", "c.go::U.runx")]);
    let composed = composer.compose(&plain, ALL);
    expect_test::expect![[r#"
        calls c.go::U.runx lsp_resolved 0.90
    "#]]
    .assert_eq(&edges(&composed, "a.go::run"));
    expect_test::expect![[r#"
        from calls a.go::T.run ast_resolved
    "#]]
    .assert_eq(&edges(&composed, "b.go::runx"));
    assert_eq!(composed.source_root(), plain.source_root());
    assert_ne!(composed.identity(), plain.identity());
    assert_eq!(composed.revision(), plain.revision() + 1);
    assert_eq!(composed.edge_count(), composed.counts().edges);
    let [(_, tally)] = &composed.tallies()[..] else { panic!("one server") };
    assert_eq!(*tally, Tally { confirmed: 1, ..Tally::default() });
}

#[test]
fn a_call_that_leads_elsewhere_leaves_no_guess() {
    let plain = base();
    let mut composer = Composer::default();
    composer
        .take(&[leads(&plain, "a.go::run", "c.go::far"), outside(&plain, "a.go::T.run", "net/http", "Get")]);
    let composed = composer.compose(&plain, ALL);
    expect_test::expect![[r#"
        calls c.go::far lsp_resolved 0.90
    "#]]
    .assert_eq(&edges(&composed, "a.go::run"));
    expect_test::expect![[r#"
        calls external::net/http.Get lsp_resolved 0.90
    "#]]
    .assert_eq(&edges(&composed, "a.go::T.run"));
    expect_test::expect![[r#"
        from calls a.go::run lsp_resolved
    "#]]
    .assert_eq(&edges(&composed, "c.go::far"));
    let phantom = composed.symbol_by_hash(&crate::verdicts::external("net/http", "Get")).expect("a phantom");
    assert_eq!(composed.in_edges(phantom).len(), 1);
    assert_eq!(composed.counts().phantoms, plain.counts().phantoms + 1);
    composer.take(&[says(&plain, "a.go::run", |_| Resolution::Local)]);
    assert_eq!(
        edges(&composer.compose(&plain, ALL), "a.go::run"),
        "",
        "neither the guess nor what was said before"
    );
}

#[test]
fn two_that_use_one_thing_outside_meet_there() {
    let plain = base();
    let mut composer = Composer::default();
    // The text of `far` shows the same thing outside.
    composer
        .take(&[outside(&plain, "a.go::run", "lib", "far"), outside(&plain, "a.go::T.run", "lib", "far")]);
    let composed = composer.compose(&plain, ALL);
    let phantom = composed.symbol_by_hash(&crate::verdicts::external("lib", "far")).expect("a phantom");
    let sources = composed.in_edges(phantom).into_iter().map(|e| composed.symbol(e.source).expect("live"));
    let mut names: Vec<String> = sources.map(|symbol| symbol.qualified_name()).collect();
    names.sort();
    assert_eq!(names, ["a.go::T.run", "a.go::run", "c.go::far"]);
}

#[test]
fn an_edge_of_several_places_goes_when_all_are_answered() {
    let plain = base();
    let twice = |nth: u32, target: &str| {
        let mut site = site(&plain, &symbol(&plain, "a.go::run"));
        site.key.nth = nth;
        site.guesses.iter_mut().for_each(|guess| guess.sites = 2);
        Verdict::on(&site, &server(), site.leads_to(&plain, &symbol(&plain, target)), Sent::default())
    };
    let mut composer = Composer::default();
    composer.take(&[twice(0, "b.go::runx")]);
    assert!(edges(&composer.compose(&plain, ALL), "a.go::run").contains("U.runx"));
    composer.take(&[twice(1, "b.go::runx")]);
    assert!(!edges(&composer.compose(&plain, ALL), "a.go::run").contains("U.runx"));
}

#[test]
fn what_was_true_of_another_state_is_not_shown_and_comes_back_with_it() {
    let plain = base();
    let mut composer = Composer::default();
    composer.take(&[leads(&plain, "a.go::run", "c.go::far")]);
    let confirmed = edges(&composer.compose(&plain, ALL), "a.go::run");
    let guessed = edges(&plain, "a.go::run");
    let stale = |composer: &mut Composer, changed: &Snapshot| {
        let composed = composer.compose(changed, ALL);
        assert_eq!(composed.tallies()[0].1.stale, 1);
        edges(&composed, "a.go::run")
    };
    // Another text of the caller.
    let edited = apply(&plain, vec![put("a.go", &["run#1", "T.run"])]);
    assert_eq!(stale(&mut composer, &edited), guessed);
    // The target is declared otherwise, is gone.
    assert_eq!(stale(&mut composer, &apply(&plain, vec![put("c.go", &["U.runx", "far#5"])])), guessed);
    assert_eq!(stale(&mut composer, &apply(&plain, vec![put("c.go", &["U.runx"])])), guessed);
    // The text of the target is another: nothing is stale.
    let composed = composer.compose(&apply(&plain, vec![put("c.go", &["U.runx", "far#1"])]), ALL);
    assert_eq!(edges(&composed, "a.go::run"), confirmed);
    // One more that fits the name: what the text shows there is another.
    let more = apply(&plain, vec![put("d.go", &["runx"])]);
    assert_eq!(stale(&mut composer, &more), edges(&more, "a.go::run"));
    assert_eq!(edges(&composer.compose(&plain, ALL), "a.go::run"), confirmed);
}

#[test]
fn what_is_discovered_is_shown_where_the_text_says_less() {
    let plain = base();
    let mut composer = Composer::default();
    let found = [
        ("c.go::far", "b.go::runx", EdgeKind::Implements),
        ("a.go::run", "b.go::runx", EdgeKind::References),
        ("a.go::T.run", "b.go::runx", EdgeKind::Calls),
    ];
    composer.take(&[discovered(&plain, "b.go::runx", &found)]);
    let composed = composer.compose(&plain, ALL);
    expect_test::expect![[r#"
        from calls a.go::T.run lsp_resolved
        from calls a.go::run ast_resolved
        from implements c.go::far lsp_resolved
    "#]]
    .assert_eq(&edges(&composed, "b.go::runx"));
    let asked = symbol(&composed, "b.go::runx").id;
    let standing = |snapshot: &Snapshot| snapshot.said_of(asked, DISCOVERY).map(|(standing, _)| standing);
    assert_eq!(standing(&composed), Some(Standing::Discovered));
    let edited = composer.compose(&apply(&plain, vec![put("b.go", &["runx#1"])]), ALL);
    assert_eq!(standing(&edited), Some(Standing::Stale), "to be asked again");
    composer.take(&[discovered(&plain, "b.go::runx", &[])]);
    assert_eq!(edges(&composer.compose(&plain, ALL), "b.go::runx"), edges(&plain, "b.go::runx"));
}

#[test]
fn an_edit_looks_at_its_file_and_a_bounded_number_of_others() {
    let files = (0..40).map(|n| put(&format!("f{n}.go"), &["run"])).chain([put("t.go", &["runx"])]);
    let plain = compacted(&apply(&Snapshot::empty(), files.collect()));
    let mut composer = Composer::default();
    let verdicts: Vec<Verdict> =
        (0..40).map(|n| leads(&plain, &format!("f{n}.go::run"), "t.go::runx")).collect();
    composer.take(&verdicts);
    composer.compose(&plain, 0);
    assert_eq!((composer.looked_at(), composer.behind()), (40, 0));
    composer.compose(&plain, 0);
    assert_eq!(composer.looked_at(), 0);
    let edited = apply(&plain, vec![put("f3.go", &["run#1"])]);
    composer.compose(&edited, 4);
    assert_eq!((composer.looked_at(), composer.behind()), (1, 0));
    // Renaming the target is seen by its users a few at a time.
    let renamed = plain.with_files(vec![put("t.go", &["other"])]).0;
    let composed = composer.compose(&renamed, 4);
    assert_eq!((composer.looked_at(), composer.behind()), (6, 35));
    for n in 0..40 {
        let run = symbol(&composed, &format!("f{n}.go::run")).id;
        assert!(composed.out_edges(run).iter().all(|edge| composed.symbol(edge.target).is_some()));
    }
    composer.compose(&renamed, ALL);
    assert_eq!((composer.looked_at(), composer.behind()), (35, 0));
}

/// What is done to a workspace.
#[derive(Clone, Debug)]
enum Step {
    Change(Vec<FileChange>),
    Compact,
    /// Of the symbol with this number: where it leads, by another number.
    Say(Vec<(usize, usize)>),
    Discover(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let path = prop::sample::select(vec!["a.go", "b.go", "d/c.go", "d/e.go"]);
    let names = vec!["f", "fx#1", "fxx", "g#2", "T.f", "T.gx", "U.fx", "gx#7", "lib"];
    let name = (prop::sample::subsequence(names, 0..7), 0u8..3);
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
            || remove(path),
            |names| put(path, &names.iter().map(String::as_str).collect::<Vec<_>>()),
        )
    });
    let step = prop_oneof![
        3 => prop::collection::vec(change, 1..3).prop_map(Step::Change),
        1 => Just(Step::Compact),
        4 => prop::collection::vec((any::<usize>(), any::<usize>()), 1..5).prop_map(Step::Say),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Step::Discover(a, b)),
    ];
    prop::collection::vec(step, 1..14)
}

fn verdict(plain: &Snapshot, (subject, target): (usize, usize)) -> Option<Verdict> {
    let all = plain.symbols();
    let subject = plain.symbol(*all.get(subject % all.len().max(1))?)?;
    let site = site(plain, &subject);
    let is = match target % (all.len() + 4) {
        0 => Resolution::Unresolved(Unresolved::Nothing),
        1 => Resolution::Local,
        2 => Resolution::External { package: "lib".into(), name: "f".into() },
        3 => Resolution::External { package: "lib".into(), name: "only".into() },
        n => site.leads_to(plain, &plain.symbol(all[n - 4])?),
    };
    Some(Verdict::on(&site, &server(), is, Sent::default()))
}

fn discovery(plain: &Snapshot, (subject, source): (usize, usize)) -> Option<Verdict> {
    let all = plain.symbols();
    let name = |n: usize| Some(plain.symbol(*all.get(n % all.len().max(1))?)?.qualified_name());
    let (subject, source) = (name(subject)?, name(source)?);
    let kind = if subject.len() > source.len() { EdgeKind::References } else { EdgeKind::Overrides };
    Some(discovered(plain, &subject, &[(&source, &subject, kind)]))
}

/// Everything a reader can see of a composed graph.
fn seen(snapshot: &Snapshot) -> String {
    let mut out = shown(snapshot);
    for id in snapshot.symbols() {
        writeln!(out, "{:?} {:?}", snapshot.said_of(id, 0), snapshot.answered_in(id)).expect("text");
        for edge in snapshot.out_edges(id) {
            writeln!(out, "{} {} {:?}", edge.kind, edge.provenance, edge.line).expect("text");
        }
    }
    writeln!(out, "{:?} {}", snapshot.tallies(), snapshot.edge_count()).expect("text");
    out
}

proptest! {
    #[test]
    fn composing_after_changes_equals_composing_anew(steps in steps()) {
        let mut plain = Snapshot::empty();
        let (mut composer, mut said) = (Composer::default(), Vec::<Verdict>::new());
        for step in steps {
            match step {
                Step::Change(changes) => plain = apply(&plain, changes),
                Step::Compact => plain = compacted(&plain),
                Step::Say(pairs) => {
                    let batch: Vec<Verdict> = pairs.into_iter().filter_map(|pair| verdict(&plain, pair)).collect();
                    composer.take(&batch);
                    said.extend(batch);
                }
                Step::Discover(subject, source) => {
                    let batch: Vec<Verdict> = discovery(&plain, (subject, source)).into_iter().collect();
                    composer.take(&batch);
                    said.extend(batch);
                }
            }
            let followed = composer.compose(&plain, ALL);
            let mut fresh = Composer::default();
            for verdict in &said {
                fresh.take([verdict]);
            }
            let anew = fresh.compose(&plain, ALL);
            prop_assert_eq!(seen(&followed), seen(&anew));
            prop_assert_eq!(followed.identity(), anew.identity());
            prop_assert_eq!(followed.source_root(), plain.source_root());
            prop_assert_eq!(followed.edge_count(), followed.counts().edges);
        }
    }
}
