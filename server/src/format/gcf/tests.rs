//! Tests of GCF: the text, and the round trip of arbitrary packs.

use super::decoder::{GraphPayload, PayloadNode, decode_payload};
use super::graph::located_name;
use super::*;
use crate::answer::AnsweredPack;
use crate::format::PackFormat;
use crate::format::samples::{empty_answer, full_answer, hostile_answer, sample_symbol};
use crate::format::sent_pack::{SentEdge, SentSymbol};
use crate::freshness::Freshness;
use expect_test::expect;
use kenning_graph::{EdgeKind, Provenance, SymbolId};
use kenning_retrieval::{DetailLevel, PackEdge};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn with_view<T>(answer: &AnsweredPack, work: impl FnOnce(PackView<'_>) -> T) -> T {
    let freshness = Freshness { unsaved_files: 1, ..Freshness::default() };
    work(PackView { answer, freshness: &freshness, timings: None, explain: false })
}

fn render_whole(answer: &AnsweredPack) -> String {
    with_view(answer, |view| PackFormat::Gcf.codec().render_pack(&view).unwrap().into_text())
}

/// Returns an answer with these names, scores and distances, and edges between neighbors.
fn answer_with_symbols(symbols: &[(String, f64, u32)]) -> AnsweredPack {
    let mut answer = empty_answer("task");
    answer.pack.symbols = symbols
        .iter()
        .map(|(name, score, distance)| {
            let mut symbol = sample_symbol(name, *distance, DetailLevel::Name, None);
            (symbol.score, symbol.file) = (*score, format!("src/{name}"));
            symbol
        })
        .collect();
    answer.pack.edges = (1..symbols.len())
        .map(|at| PackEdge {
            source: at,
            target: at - 1,
            kind: EdgeKind::Calls,
            provenance: Provenance::AstResolved,
            confidence: 1.0,
        })
        .collect();
    answer
}

#[test]
fn a_pack_is_one_line_for_each_symbol_and_edge() {
    expect![[r#"
        GCF profile=graph tool=kenning budget=50000 tokens=157 symbols=3 edges=1 pack_root=sha256:64193e0a6fb5db2ef18684fed9ff8ffe65a62a0b78e437d7543f6d3e58148d6e
        # 1 file with unsaved changes
        ## targets
        @0 method src/app.py:12::App.hook 0.84 ast_resolved
        ## related
        @1 method src/app.py:13::App.`odd` 0.84 ast_resolved
        ## extended
        @2 method src/app.py:15::App.far 0.84 ast_resolved
        ## edges [1]
        @1<@0 calls
    "#]].assert_eq(&render_whole(&full_answer()));
}

#[test]
fn names_from_outside_stay_on_their_line() {
    let text = render_whole(&hostile_answer());
    let payload = decode_payload(&text).unwrap();
    assert_eq!(payload.nodes[0].name, located_name(&hostile_answer().pack.symbols[0]));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
}

#[test]
fn sections_are_by_group_and_lines_in_the_order_of_the_pack() {
    let symbols = [("c", 0.7, 0), ("b", 0.9, 0), ("a", 0.3, 0), ("near", 0.1, 2), ("far", 0.9, 5)];
    let answer =
        answer_with_symbols(&symbols.map(|(name, score, distance)| (name.to_owned(), score, distance)));
    let text = render_whole(&answer);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("GCF")).collect();
    expect![[r#"
        # 1 file with unsaved changes
        ## targets
        @0 method src/c:12::c 0.70 ast_resolved
        @1 method src/b:12::b 0.90 ast_resolved
        @2 method src/a:12::a 0.30 ast_resolved
        ## extended
        @3 method src/near:14::near 0.10 ast_resolved
        @4 method src/far:17::far 0.90 ast_resolved
        ## edges [4]
        @0<@1 calls
        @1<@2 calls
        @2<@3 calls
        @3<@4 calls"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn symbols_with_one_name_on_one_line_stay_apart() {
    let mut answer = answer_with_symbols(&[("x".into(), 0.5, 0), ("x".into(), 0.5, 0), ("y".into(), 0.5, 0)]);
    answer.pack.symbols[1].id = kenning_graph::Hash::from_content(b"second");
    let payload = decode_payload(&render_whole(&answer)).unwrap();
    let names: BTreeSet<&str> = payload.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_session_refers_to_symbols_that_were_sent_before() {
    let named = |names: &[&str]| -> AnsweredPack {
        answer_with_symbols(&names.iter().map(|&name| (name.to_owned(), 0.5, 0)).collect::<Vec<_>>())
    };
    let mut session = Some(GcfSession::default());
    let mut texts = [named(&["a", "b"]), named(&["b", "c"]), named(&["c", "d", "a"])]
        .map(|answer| with_view(&answer, |view| render_session(&view, &mut session)));
    for text in &mut texts {
        decode_payload(text).unwrap();
        let start = text.find(" pack_root=").unwrap();
        let end = text.find('\n').unwrap();
        text.replace_range(start..end, "");
    }
    expect![[r#"
        GCF profile=graph tool=kenning budget=50000 tokens=117 symbols=2 edges=1 session=true
        # 1 file with unsaved changes
        ## targets
        @0 method src/a:12::a 0.50 ast_resolved
        @1 method src/b:12::b 0.50 ast_resolved
        ## edges [1]
        @0<@1 calls
        GCF profile=graph tool=kenning budget=50000 tokens=110 symbols=2 edges=1 session=true
        # 1 file with unsaved changes
        ## targets
        @1  # previously transmitted
        @2 method src/c:12::c 0.50 ast_resolved
        ## edges [1]
        @1<@2 calls
        GCF profile=graph tool=kenning budget=50000 tokens=119 symbols=3 edges=2 session=true
        # 1 file with unsaved changes
        ## targets
        @2  # previously transmitted
        @3 method src/d:12::d 0.50 ast_resolved
        @0  # previously transmitted
        ## edges [2]
        @3<@0 calls
        @2<@3 calls
    "#]]
    .assert_eq(&texts.concat());
}

#[test]
fn a_full_session_ends_with_a_whole_pack() {
    let many: Vec<(String, f64, u32)> =
        (0..=MAX_SESSION_SYMBOLS).map(|number| (number.to_string(), 0.5, 0)).collect();
    let answer = answer_with_symbols(&many);
    let mut session = Some(GcfSession::default());
    let text = with_view(&answer, |view| render_session(&view, &mut session));
    assert_eq!((session.is_none(), text.contains("session=true")), (true, false));
    let next = with_view(&full_answer(), |view| render_session(&view, &mut session));
    assert_eq!(next, render_whole(&full_answer()), "without a session, packs are whole");
}

/// Applies a difference to the graph of the old pack, and returns the root of the result.
fn apply_delta(base: &SentPack, payload: &GraphPayload) -> String {
    let mut nodes: Vec<graph::GraphNode> = base.symbols.iter().map(|symbol| symbol.node.clone()).collect();
    let mut edges: BTreeSet<(String, String, String)> = base
        .edges
        .iter()
        .map(|edge| {
            let name = |at: usize| base.symbols[at].node.name.clone();
            (name(edge.source), name(edge.target), edge.kind.clone())
        })
        .collect();
    for (kind, name) in &payload.removed {
        let at = nodes.iter().position(|node| (&node.kind, &node.name) == (kind, &graph::encode_name(name)));
        nodes.remove(at.expect("the node was in the old pack"));
    }
    for PayloadNode { kind, name, score, provenance, distance, .. } in payload.nodes.clone() {
        let node = graph::GraphNode { kind, name: graph::encode_name(&name), score, provenance, distance };
        assert!(!nodes.iter().any(|old| (&old.kind, &old.name) == (&node.kind, &node.name)));
        nodes.push(node);
    }
    let encoded = |(source, target, kind): &(String, String, String)| {
        (graph::encode_name(source), graph::encode_name(target), kind.clone())
    };
    for edge in &payload.edges_removed {
        assert!(edges.remove(&encoded(edge)), "the edge was in the old pack");
    }
    for edge in &payload.edges_added {
        assert!(edges.insert(encoded(edge)), "the edge is new");
    }
    let at = |name: &str| nodes.iter().position(|node| node.name == name).expect("the node is there");
    let edges: Vec<SentEdge> = edges
        .iter()
        .map(|(source, target, kind)| SentEdge { source: at(source), target: at(target), kind: kind.clone() })
        .collect();
    let symbols: Vec<SentSymbol> = nodes
        .into_iter()
        .map(|node| SentSymbol {
            id: String::new(),
            name: String::new(),
            file: String::new(),
            line: 0,
            end_line: 0,
            content: String::new(),
            node,
        })
        .collect();
    graph::graph_root(&symbols, &edges)
}

fn render_difference(before: &AnsweredPack, after: &AnsweredPack) -> (SentPack, SentPack, String) {
    let (base, current) = (SentPack::from_answer(before), SentPack::from_answer(after));
    let text = with_view(after, |view| {
        let delta = PackDelta::compare_packs(&base, &current, view);
        PackFormat::Gcf.codec().render_delta(&delta).unwrap().unwrap().into_text()
    });
    (base, current, text)
}

#[test]
fn a_difference_has_four_sections() {
    let before =
        answer_with_symbols(&[("gone".into(), 0.9, 0), ("kept".into(), 0.5, 1), ("weaker".into(), 0.4, 0)]);
    let after =
        answer_with_symbols(&[("kept".into(), 0.5, 1), ("weaker".into(), 0.2, 0), ("new".into(), 0.1, 3)]);
    let (_, _, text) = render_difference(&before, &after);
    expect![[r#"
        GCF profile=graph tool=kenning delta=true base_root=sha256:51b9826fa9c8b2184209ad9cb8e4408d82e8998aec72d51a761663776b2df062 new_root=sha256:33e55a1e35479c5137f71ae99d5f0bc1ceca36a109fdee8c5f9e7111d79bea04 tokens=217 savings=0%
        # 1 file with unsaved changes
        ## removed
        method src/gone:12::gone
        method src/weaker:12::weaker
        ## added
        @0 method src/weaker:12::weaker 0.20 ast_resolved 0
        @1 method src/new:15::new 0.10 ast_resolved 2
        ## edges_removed
        src/kept:13::kept -> src/gone:12::gone calls
        ## edges_added
        src/new:15::new -> src/weaker:12::weaker calls
    "#]].assert_eq(&text);
}

#[test]
fn an_unchanged_pack_is_a_header() {
    let answer = full_answer();
    let pack = SentPack::from_answer(&answer);
    let text = with_view(&answer, |view| PackFormat::Gcf.codec().render_unchanged(&pack, &view));
    let text = text.unwrap().unwrap().into_text();
    let payload = decode_payload(&text).unwrap();
    assert_eq!((&payload.header["unchanged"][..], &payload.header["symbols"][..]), ("true", "3"));
    assert_eq!(payload.header["pack_root"], pack.graph_root);
}

fn arbitrary_symbols() -> impl Strategy<Value = Vec<(String, f64, u32)>> {
    let name = prop_oneof![any::<String>(), "[ \"'%@#<\\\\\n\r\t->]{0,8}", "[a-c]"];
    proptest::collection::vec((name, -1.0..2.0_f64, 0..5_u32), 0..8)
}

proptest! {
    #[test]
    fn arbitrary_names_survive_encoding_and_decoding(symbols in arbitrary_symbols()) {
        let mut answer = answer_with_symbols(&symbols);
        for (at, symbol) in answer.pack.symbols.iter_mut().enumerate() {
            (symbol.symbol, symbol.line) = (SymbolId(at as u32), at as u32 + 1);
        }
        let payload = decode_payload(&render_whole(&answer)).unwrap();
        let mut names: Vec<String> = payload.nodes.iter().map(|node| node.name.clone()).collect();
        let mut expected: Vec<String> = answer.pack.symbols.iter().map(located_name).collect();
        let by_id = |id: usize| payload.nodes.iter().find(|node| node.id == id).unwrap().name.clone();
        for (source, target, _) in &payload.edges {
            let (source, target) = (by_id(*source), by_id(*target));
            let position = |name: &String| expected.iter().position(|other| other == name).unwrap();
            prop_assert_eq!(position(&source), position(&target) + 1);
        }
        prop_assert_eq!(payload.edges.len(), symbols.len().saturating_sub(1));
        names.sort();
        expected.sort();
        prop_assert_eq!(names, expected);
    }

    #[test]
    fn a_difference_turns_the_old_graph_into_the_new_one(
        before in arbitrary_symbols(),
        after in arbitrary_symbols(),
    ) {
        let (base, current, text) = render_difference(&answer_with_symbols(&before), &answer_with_symbols(&after));
        let payload = decode_payload(&text).unwrap();
        prop_assert_eq!(&payload.header["base_root"], &base.graph_root);
        prop_assert_eq!(&payload.header["new_root"], &current.graph_root);
        prop_assert_eq!(apply_delta(&base, &payload), current.graph_root);
    }
}
