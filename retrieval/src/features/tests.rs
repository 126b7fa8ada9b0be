//! Tests of the features' numbers, lists and paths on small snapshots, and of the bounds on a large
//! one.

use super::*;
use crate::fixture::{SnapshotFixture, build_fixture};
use expect_test::{Expect, expect};
use kenning_graph::snapshot::{EdgeTarget, FileChange, FileEdges, NewEdge};
use kenning_graph::{EdgeKind, FileFacts, Hash, Provenance, Snapshot, SymbolId, SymbolKind};
use std::fmt::Write as _;
use std::sync::Arc;

const SHOP: &str = "\
//- shop/price.py
function price -> round_up
function round_up
function unused
//- shop/cart.py
class Cart
constructor Cart.__init__
method Cart.total -> price
method Cart.add
class SpecialCart -> Cart.__init__ => Cart
//- web/views.py
function view -> Cart.__init__, Cart.total
function index -> view, ?unused
//- web/loop.py
function ping -> pong
function pong -> ping, price
//- tests/test_cart.py
test function test_total -> make_cart, test_total.inner ~> Cart.total
function test_total.inner -> Cart.total
function make_cart -> Cart.__init__ ~> Cart.__init__
test function test_view -> index
test function test_far -> helper
test function helper -> pong
";

fn describe_blast(fixture: &SnapshotFixture, blast: &BlastRadius) -> String {
    let name = |id| fixture.symbol_name(id);
    let BlastCounts { callers, dependents, tests, .. } = blast.counts;
    let mut out = format!("{callers} callers, {dependents} dependents, {tests} tests\n");
    for caller in &blast.callers {
        let mark = if caller.ambiguous { " ambiguous" } else { "" };
        let line = caller.line.map_or(String::new(), |line| format!(" line {line}"));
        let (symbol, callee) = (name(caller.symbol), name(caller.callee));
        writeln!(out, "called by {symbol} at {callee}{line} {}{mark}", caller.provenance).unwrap();
    }
    for (depth, level) in blast.levels.iter().enumerate() {
        for dependent in level {
            let mark = if dependent.ambiguous { " ambiguous" } else { "" };
            let (symbol, next) = (name(dependent.symbol), name(dependent.next));
            writeln!(out, "{} {symbol} {} {next}{mark}", depth + 1, dependent.kind).unwrap();
        }
    }
    for folder in &blast.folders {
        writeln!(out, "{} in {}", folder.dependents, folder.folder).unwrap();
    }
    for test in &blast.tests {
        writeln!(
            out,
            "{} at {}{}",
            name(test.test),
            test.distance,
            if test.ambiguous { " ambiguous" } else { "" }
        )
        .unwrap();
    }
    for through in &blast.through_overrides {
        writeln!(out, "overrides {} with {} callers", name(through.base), through.callers).unwrap();
    }
    if blast.mentions > 0 {
        writeln!(out, "{} mentions", blast.mentions).unwrap();
    }
    if blast.truncated {
        out += "truncated\n";
    }
    out
}

fn check(text: &str, target: &str, expected: Expect) {
    let fixture = build_fixture(text);
    let target = fixture.symbol_id(target);
    let blast = blast_radius(&fixture.snapshot, &[target], &BlastOptions::default());
    expected.assert_eq(&describe_blast(&fixture, &blast));
    assert_eq!(blast_counts(&fixture.snapshot, &[target]), blast.counts);
}

#[test]
fn a_function_has_callers_dependents_and_tests() {
    check(
        SHOP,
        "price",
        expect![[r#"
        2 callers, 10 dependents, 3 tests
        called by Cart.total at price line 2 ast_resolved
        called by pong at price line 1 ast_resolved
        1 Cart.total calls price
        1 pong calls price
        2 test_total.inner calls Cart.total
        2 helper calls pong
        2 ping calls pong
        2 view calls Cart.total
        3 test_total calls test_total.inner
        3 test_far calls helper
        3 index calls view
        4 test_view calls index
        5 in tests
        4 in web
        1 in shop
        test_total at 2
        test_far at 3
        test_view at 4
    "#]],
    );
}

#[test]
fn a_cycle_of_calls_does_not_make_a_symbol_its_own_dependent() {
    check(
        SHOP,
        "ping",
        expect![[r#"
        1 callers, 3 dependents, 1 tests
        called by pong at ping line 1 ast_resolved
        1 pong calls ping
        2 helper calls pong
        3 test_far calls helper
        2 in tests
        1 in web
        test_far at 3
    "#]],
    );
}

#[test]
fn constructing_or_extending_a_type_makes_a_dependent() {
    check(
        SHOP,
        "Cart",
        expect![[r#"
            4 callers, 7 dependents, 2 tests
            called by SpecialCart at Cart.__init__ line 4 ast_resolved
            called by test_total.inner at Cart.total line 1 ast_resolved
            called by make_cart at Cart.__init__ line 2 ast_resolved
            called by view at Cart.__init__ line 0 ast_resolved
            1 SpecialCart calls Cart.__init__
            1 test_total.inner calls Cart.total
            1 make_cart calls Cart.__init__
            1 view calls Cart.__init__
            2 test_total calls make_cart
            2 index calls view
            3 test_view calls index
            4 in tests
            2 in web
            1 in shop
            test_total at 1
            test_view at 3
        "#]],
    );
}

#[test]
fn a_number_that_depends_on_an_ambiguous_edge_is_approximate() {
    check(
        SHOP,
        "unused",
        expect![[r#"
        ~1 callers, ~2 dependents, ~1 tests
        called by index at unused line 1 ast_inferred ambiguous
        1 index calls unused ambiguous
        2 test_view calls index ambiguous
        1 in tests
        1 in web
        test_view at 2 ambiguous
    "#]],
    );
}

#[test]
fn a_longer_path_without_ambiguous_edges_makes_a_dependent_certain() {
    check(
        "//- a.py\nfunction target\nfunction near -> target\nfunction far -> ?target, near\nfunction top -> far\n",
        "target",
        expect![[r#"
            ~2 callers, 3 dependents, 0 tests
            called by near at target line 1 ast_resolved
            called by far at target line 2 ast_inferred ambiguous
            1 near calls target
            1 far calls target
            2 top calls far
            3 in 
        "#]],
    );
}

#[test]
fn a_function_without_callers_has_no_dependents() {
    check(
        "//- a.py\nfunction lonely\n",
        "lonely",
        expect![[r#"
        0 callers, 0 dependents, 0 tests
    "#]],
    );
}

const SHAPES: &str = "\
//- shapes.py
interface Shape
method Shape.area
class Circle => Shape
method Circle.area -> square ^> Shape.area
class Square => Shape
method Square.area ^> Shape.area
function square
function draw -> Shape.area
function fit -> Circle.area, Shape.area
test function test_draw -> draw
test function test_circle -> Circle.area
";

#[test]
fn callers_of_an_overridden_symbol_are_possible_callers() {
    check(
        SHAPES,
        "Circle.area",
        expect![[r#"
            ~3 callers, ~4 dependents, ~2 tests
            called by draw at Circle.area line 7 ast_resolved ambiguous
            called by fit at Circle.area line 8 ast_resolved
            called by test_circle at Circle.area line 10 ast_resolved
            1 draw calls Circle.area ambiguous
            1 fit calls Circle.area
            1 test_circle calls Circle.area
            2 test_draw calls draw ambiguous
            4 in 
            test_circle at 1
            test_draw at 2 ambiguous
            overrides Shape.area with 1 callers
        "#]],
    );
    check(
        SHAPES,
        "Shape.area",
        expect![[r#"
        2 callers, 6 dependents, 2 tests
        called by draw at Shape.area line 7 ast_resolved
        called by fit at Shape.area line 8 ast_resolved
        1 Circle.area overrides Shape.area
        1 Square.area overrides Shape.area
        1 draw calls Shape.area
        1 fit calls Shape.area
        2 test_draw calls draw
        2 test_circle calls Circle.area
        6 in 
        test_circle at 2
        test_draw at 2
    "#]],
    );
}

fn check_affected(text: &str, targets: &[&str], expected: Expect) {
    let fixture = build_fixture(text);
    let targets: Vec<SymbolId> = targets.iter().map(|name| fixture.symbol_id(name)).collect();
    let affected = affected_tests(&fixture.snapshot, &targets, 100);
    let mut out = String::new();
    for test in &affected.tests {
        let path_names: Vec<String> = test.path.iter().map(|&id| fixture.symbol_name(id)).collect();
        let possible = if test.possible { " (possible)" } else { "" };
        let ambiguous = if test.ambiguous { " (ambiguous)" } else { "" };
        writeln!(out, "{}: {}{possible}{ambiguous}", fixture.symbol_name(test.test), path_names.join(" > "))
            .unwrap();
    }
    assert!(!affected.truncated);
    expected.assert_eq(&out);
}

#[test]
fn affected_tests_come_with_the_shortest_path_to_the_change() {
    check_affected(
        SHOP,
        &["price"],
        expect![[r#"
        test_total: test_total > Cart.total > price
        test_far: test_far > helper > pong > price
        test_view: test_view > index > view > Cart.total > price
    "#]],
    );
    check_affected(
        SHOP,
        &["unused"],
        expect![[r#"
        test_view: test_view > index > unused (ambiguous)
    "#]],
    );
}

#[test]
fn a_changed_test_is_affected_itself() {
    check_affected(
        SHOP,
        &["test_view", "round_up"],
        expect![[r#"
        test_view: test_view
        test_total: test_total > Cart.total > price > round_up
        test_far: test_far > helper > pong > price > round_up
    "#]],
    );
}

#[test]
fn tests_behind_a_dynamic_call_are_possible() {
    check_affected(
        SHAPES,
        &["Circle.area"],
        expect![[r#"
        test_circle: test_circle > Circle.area
        test_draw: test_draw > draw > Shape.area > Circle.area (possible)
    "#]],
    );
    check_affected(
        SHAPES,
        &["square"],
        expect![[r#"
        test_circle: test_circle > Circle.area > square
        test_draw: test_draw > draw > Shape.area > Circle.area > square (possible)
    "#]],
    );
}

#[test]
fn neighbors_are_sorted_by_distance_and_only_edges_among_them_are_shown() {
    let fixture = build_fixture(SHOP);
    let describe_neighborhood = |depth, limit| {
        let near = build_neighborhood(&fixture.snapshot, fixture.symbol_id("Cart.total"), depth, limit);
        let mut out = String::new();
        for node in &near.nodes {
            writeln!(out, "{} {}", node.distance, fixture.symbol_name(node.symbol)).unwrap();
        }
        for edge in &near.edges {
            writeln!(
                out,
                "{} {} {}",
                fixture.symbol_name(edge.source),
                edge.kind,
                fixture.symbol_name(edge.target)
            )
            .unwrap();
        }
        out + if near.truncated { "truncated\n" } else { "" }
    };
    expect![[r#"
        0 Cart.total
        1 price
        1 test_total.inner
        1 view
        1 test_total
        1 Cart
        Cart.total calls price
        Cart.total member_of Cart
        test_total.inner calls Cart.total
        test_total.inner member_of test_total
        view calls Cart.total
        test_total tests Cart.total
        test_total calls test_total.inner
    "#]]
    .assert_eq(&describe_neighborhood(1, 50));
    expect![[r#"
        0 Cart.total
        1 price
        1 test_total.inner
        1 view
        Cart.total calls price
        test_total.inner calls Cart.total
        view calls Cart.total
        truncated
    "#]]
    .assert_eq(&describe_neighborhood(2, 4));
    assert_eq!(
        build_neighborhood(&fixture.snapshot, fixture.symbol_id("price"), 2, 0),
        SymbolNeighborhood::default()
    );
}

#[test]
fn symbol_at_prefers_a_name_to_an_enclosing_definition() {
    let fixture = build_fixture("//- a.py\nclass Outer\n  text\nmethod Outer.inner\n\nfunction f\n");
    let file = fixture.snapshot.file_by_path("a.py").unwrap();
    let at = |offset| {
        symbol_at(&fixture.snapshot, file, offset).map(|at| match at {
            SymbolAt::Name(id) => format!("name of {}", fixture.symbol_name(id)),
            SymbolAt::Inside(id) => format!("inside {}", fixture.symbol_name(id)),
        })
    };
    // The name of a fixture's symbol begins at the first byte of its line.
    assert_eq!(at(0).as_deref(), Some("name of Outer"));
    assert_eq!(at(1).as_deref(), Some("name of Outer"));
    assert_eq!(at(13).as_deref(), Some("inside Outer"));
    assert_eq!(at(19).as_deref(), Some("name of Outer.inner"));
    assert_eq!(at(25).as_deref(), Some("inside Outer.inner"));
    assert_eq!(at(38), None);
    assert_eq!(at(39).as_deref(), Some("name of f"));
    assert_eq!(at(10_000), None);
}

/// Builds files with one function each, in which all other functions call the first one.
fn build_star_graph(callers: usize) -> (Snapshot, SymbolId) {
    let path = |n: usize| format!("f{n:05}.py");
    let file_change = |n: usize| {
        let mut facts = FileFacts { language: "python".into(), lines: 1, ..FileFacts::default() };
        facts.text.symbols.push(kenning_graph::facts::TermCounts::default());
        facts.symbols.push(kenning_graph::facts::SymbolFact {
            name: format!("f{n}"),
            parent: None,
            container: String::new(),
            kind: SymbolKind::Function,
            span: kenning_graph::facts::Span::default(),
            name_span: kenning_graph::facts::NameSpan::default(),
            signature: String::new(),
            doc: String::new(),
            params: String::new(),
            arity: None,
            ty: String::new(),
            bases: Vec::new(),
            visibility: kenning_graph::Visibility::Public,
            is_test: false,
            body_hash: 0,
        });
        FileChange::Put {
            path: path(n),
            content_hash: Hash::from_content(path(n).as_bytes()),
            size: 1,
            mtime_ns: 0,
            facts: Arc::new(facts),
        }
    };
    let (snapshot, _) = Snapshot::empty().with_files((0..=callers).map(file_change).collect());
    let symbol = |n: usize| {
        let file = snapshot.file_by_path(&path(n)).unwrap();
        snapshot.file_symbols(file)[1]
    };
    let call = |source, target| NewEdge {
        source,
        target: EdgeTarget::Symbol(target),
        kind: EdgeKind::Calls,
        provenance: Provenance::AstResolved,
        confidence: 0.85,
        line: Some(0),
    };
    let target = symbol(0);
    let edges = (1..=callers).map(|n| FileEdges {
        path: path(n),
        edges: vec![call(symbol(n), target)],
        ..FileEdges::default()
    });
    (snapshot.with_edges(edges.collect()), target)
}

#[test]
fn counting_dependents_stops_at_a_thousand_and_callers_are_always_counted() {
    let (snapshot, target) = build_star_graph(1000);
    assert_eq!(blast_counts(&snapshot, &[target]).dependents.to_string(), "1,000");
    let (snapshot, target) = build_star_graph(6000);
    let blast = blast_radius(&snapshot, &[target], &BlastOptions { list: 10, ..BlastOptions::default() });
    let BlastCounts { callers, dependents, tests, .. } = blast.counts;
    assert_eq!((callers.to_string(), dependents.to_string()), ("6,000".to_owned(), "1,000+".to_owned()));
    assert_eq!(tests.to_string(), "0+", "the search for tests stopped at its bound");
    assert_eq!((blast.callers.len(), blast.levels[0].len(), blast.truncated), (10, 10, true));
    let first = snapshot.symbol(blast.callers[0].symbol).unwrap();
    assert_eq!(first.path, "f00001.py", "lists contain the first by path");
}

#[test]
fn a_compacted_graph_gives_the_same_answers() {
    let fixture = build_fixture(SHOP);
    let image = fixture.snapshot.to_base_image().unwrap();
    let base = kenning_graph::snapshot::BaseGraph::from_image(&image).unwrap();
    let compacted = Snapshot::from_base(Arc::new(base));
    for id in fixture.snapshot.symbols() {
        let hash = fixture.snapshot.symbol(id).unwrap().hash;
        let same = compacted.symbol_by_hash(&hash).unwrap();
        assert_eq!(blast_counts(&fixture.snapshot, &[id]), blast_counts(&compacted, &[same]));
        let names = |snapshot: &Snapshot, id| {
            let affected = affected_tests(snapshot, &[id], 100);
            let name = |&id: &SymbolId| snapshot.symbol(id).unwrap().qualified_name();
            affected.tests.iter().map(|t| t.path.iter().map(name).collect()).collect::<Vec<Vec<String>>>()
        };
        assert_eq!(names(&fixture.snapshot, id), names(&compacted, same));
    }
}

#[test]
fn symbols_outside_the_workspace_and_whole_files_can_be_targets() {
    let fixture =
        build_fixture("//- a.py\nfunction f -> lib.go, g\nfunction g\n//- b.py\nfunction h -> f, lib.go\n");
    let snapshot = &fixture.snapshot;
    let outside = snapshot
        .out_edges(fixture.symbol_id("f"))
        .into_iter()
        .find(|e| snapshot.file_of_symbol(e.target).is_none());
    let blast = blast_radius(snapshot, &[outside.unwrap().target], &BlastOptions::default());
    expect![[r#"
        2 callers, 2 dependents, 0 tests
        called by f at go line 0 ast_resolved
        called by h at go line 0 ast_resolved
        1 f calls go
        1 h calls go
        2 in 
    "#]]
    .assert_eq(&describe_blast(&fixture, &blast));
    let file = snapshot.file_symbols(snapshot.file_by_path("a.py").unwrap())[0];
    let blast = blast_radius(snapshot, &[file], &BlastOptions::default());
    expect![[r#"
        1 callers, 1 dependents, 0 tests
        called by h at f line 0 ast_resolved
        1 h calls f
        1 in 
    "#]]
    .assert_eq(&describe_blast(&fixture, &blast));
    assert_eq!(blast_counts(snapshot, &[SymbolId(9999)]), BlastCounts::default());
}

#[test]
fn decorated_symbols_count_as_callers_of_the_decorator() {
    let fixture =
        build_fixture("//- deco.py\nfunction logged\n//- app.py\nfunction serve\nfunction main -> serve\n");
    let (logged, serve) = (fixture.symbol_id("logged"), fixture.symbol_id("serve"));
    let existing_edges =
        fixture.snapshot.file_by_path("app.py").map(|file| fixture.snapshot.edges_of_file(file));
    let mut edges: Vec<NewEdge> = existing_edges
        .into_iter()
        .flatten()
        .map(|e| NewEdge {
            source: e.source,
            target: EdgeTarget::Symbol(e.target),
            kind: e.kind,
            provenance: e.provenance,
            confidence: e.confidence,
            line: e.line,
        })
        .collect();
    edges.push(NewEdge {
        source: logged,
        target: EdgeTarget::Symbol(serve),
        kind: EdgeKind::Decorates,
        provenance: Provenance::AstResolved,
        confidence: 0.9,
        line: Some(0),
    });
    let snapshot =
        fixture.snapshot.with_edges(vec![FileEdges { path: "app.py".into(), edges, ..FileEdges::default() }]);
    let blast = blast_radius(&snapshot, &[logged], &BlastOptions::default());
    let names =
        |symbols: Vec<SymbolId>| symbols.into_iter().map(|id| fixture.symbol_name(id)).collect::<Vec<_>>();
    assert_eq!(names(blast.callers.iter().map(|c| c.symbol).collect()), ["serve"]);
    assert_eq!(names(blast.levels.iter().flatten().map(|d| d.symbol).collect()), ["serve", "main"]);
    assert_eq!(blast.counts, blast_counts(&snapshot, &[logged]));
}

/// Renders the direct users of a symbol with their roles, and whether they have users themselves.
fn render_users(text: &str, target: &str) -> String {
    let fixture = build_fixture(text);
    let (snapshot, id) = (&fixture.snapshot, fixture.symbol_id(target));
    let blast = blast_radius(snapshot, &[id], &BlastOptions::default());
    assert_eq!(direct_users(snapshot, &[id]), blast.users);
    let mut out = String::new();
    for user in blast.users {
        let name = |id| fixture.symbol_name(id);
        let through = user.through.map_or(String::new(), |base| format!(" through {}", name(base)));
        let flags = [(user.is_test, " test"), (has_users(snapshot, user.symbol), " used")];
        let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
        writeln!(out, "{} {} {}{through}{flags}", user.role.as_str(), name(user.symbol), name(user.used))
            .unwrap();
    }
    if let Some(reason) = blast.hidden_uses {
        writeln!(out, "{reason:?}").unwrap();
    }
    out
}

#[test]
fn direct_users_have_a_role_and_may_have_users() {
    expect![[r#"
        caller SpecialCart Cart.__init__
        caller test_total.inner Cart.total used
        caller make_cart Cart.__init__ used
        caller view Cart.__init__ used
    "#]]
    .assert_eq(&render_users(SHOP, "Cart"));
    let dispatch = "//- a.py\nmethod Base.run\nmethod Fast.run ^> Base.run\nfunction start -> Base.run\n\
                    function go -> Fast.run\ntest function test_run -> Fast.run\n";
    expect![[r#"
        caller go Fast.run
        caller test_run Fast.run test
        dispatch start Fast.run through Base.run
    "#]]
    .assert_eq(&render_users(dispatch, "Fast.run"));
    expect![[r#"
        caller start Base.run
        implementation Fast.run Base.run used
    "#]]
    .assert_eq(&render_users(dispatch, "Base.run"));
    assert_eq!(render_users("//- a.py\nfunction lonely\n", "lonely"), "");
    let implicit = "//- a.py\nclass Pool\nmethod Pool.__enter__\nfunction open_pool -> Pool\n";
    assert_eq!(render_users(implicit, "Pool.__enter__"), "possible open_pool Pool.__enter__\n");
}
