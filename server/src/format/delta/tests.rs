//! Tests of differences: their contents, the decision to send them, and their text forms.

use super::*;
use crate::answer::AnsweredPack;
use crate::format::samples::{answer_with_ripple, empty_answer, full_answer, hostile_answer, sample_symbol};
use crate::freshness::Freshness;
use expect_test::expect;
use kenning_graph::{EdgeKind, Hash, Provenance};
use kenning_retrieval::{DetailLevel, PackEdge};

/// Returns a pack with `count` symbols that have bodies, and an edge from each to the next.
fn pack_of(first: usize, count: usize) -> AnsweredPack {
    let mut answer = empty_answer("task");
    answer.pack.symbols = (first..first + count)
        .map(|n| {
            let body = format!("def step{n}(self):\n    return self.value[{n}] + self.offset\n");
            let mut symbol = sample_symbol(&format!("App.step{n}"), 0, DetailLevel::Body, Some(&body));
            (symbol.line, symbol.end_line) = (10 * n as u32 + 1, 10 * n as u32 + 2);
            symbol
        })
        .collect();
    answer.pack.edges = (1..count)
        .map(|at| PackEdge {
            source: at - 1,
            target: at,
            kind: EdgeKind::Calls,
            provenance: Provenance::AstResolved,
            confidence: 1.0,
        })
        .collect();
    answer.pack.pack_root = Hash::from_content(format!("{first} {count}").as_bytes());
    answer
}

/// Returns the next pack of a session: it lacks one symbol of the first pack, has one new symbol,
/// one with another body, and one at another line.
fn edited_pack() -> AnsweredPack {
    let mut answer = pack_of(1, 10);
    answer.pack.pack_root = Hash::from_content(b"edited");
    answer.pack.symbols[2].text = Some("def step3(self):\n    return 3\n".into());
    answer.pack.symbols[4].line += 1;
    answer.pack.symbols[4].end_line += 1;
    answer
}

fn render(before: &AnsweredPack, after: &AnsweredPack, format: PackFormat) -> String {
    let (base, current) = (SentPack::from_answer(before), SentPack::from_answer(after));
    let view = PackView { answer: after, freshness: &Freshness::default(), timings: None, explain: false };
    let delta = PackDelta::compare_packs(&base, &current, view);
    format.codec().render_delta(&delta).unwrap().unwrap().into_text()
}

/// Returns the kind of reply that a reader of `before` gets instead of `after`.
fn reply(
    known: Option<&str>,
    before: Option<&AnsweredPack>,
    after: &AnsweredPack,
    format: PackFormat,
) -> &'static str {
    let (base, current) = (before.map(SentPack::from_answer), SentPack::from_answer(after));
    let view = PackView { answer: after, freshness: &Freshness::default(), timings: None, explain: false };
    match choose_reply(known, base.as_ref(), &current, view, format).unwrap() {
        PackReply::Unchanged => "unchanged",
        PackReply::Delta(_) => "delta",
        PackReply::Whole => "whole",
    }
}

#[test]
fn a_difference_has_removed_added_changed_and_moved_symbols() {
    let (before, after) = (pack_of(0, 10), edited_pack());
    let (base, current) = (SentPack::from_answer(&before), SentPack::from_answer(&after));
    let view = PackView { answer: &after, freshness: &Freshness::default(), timings: None, explain: false };
    let delta = PackDelta::compare_packs(&base, &current, view);
    let removed: Vec<&str> = delta.removed.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(removed, ["src/app.py::App.step0"]);
    assert_eq!((&delta.added[..], &delta.changed[..], &delta.moved[..]), (&[9][..], &[2][..], &[4][..]));
    assert_eq!((delta.is_reordered, delta.unchanged_count()), (false, 7));
    let ends = |edges: &[EdgeEnds<'_>]| -> Vec<String> {
        edges.iter().map(|edge| format!("{} {} {}", edge.source.name, edge.kind, edge.target.name)).collect()
    };
    assert_eq!(ends(&delta.edges_removed), [""; 0], "an edge is removed with its symbol");
    assert_eq!(ends(&delta.edges_added), ["src/app.py::App.step9 calls src/app.py::App.step10"]);
    let mut cut = pack_of(0, 10);
    cut.pack.edges.remove(4);
    let cut = SentPack::from_answer(&cut);
    let removed = PackDelta::compare_packs(&base, &cut, view).edges_removed;
    assert_eq!(ends(&removed), ["src/app.py::App.step4 calls src/app.py::App.step5"]);
    let mut swapped = pack_of(0, 10);
    swapped.pack.symbols.swap(3, 4);
    let swapped = SentPack::from_answer(&swapped);
    assert!(PackDelta::compare_packs(&base, &swapped, view).is_reordered);
}

#[test]
fn only_a_small_difference_from_a_known_pack_is_sent() {
    let (before, after) = (pack_of(0, 10), edited_pack());
    let root = before.pack.pack_root.to_hex();
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json] {
        assert_eq!(reply(None, Some(&before), &after, format), "whole", "nothing is known");
        assert_eq!(reply(Some(&root), None, &after, format), "whole", "the base is unknown");
        assert_eq!(reply(Some(&root), Some(&before), &after, format), "delta", "{format:?}");
        assert_eq!(reply(Some(&root), Some(&before), &pack_of(2, 10), format), "delta", "{format:?}");
        assert_eq!(reply(Some(&root), Some(&before), &pack_of(9, 10), format), "whole", "{format:?}");
        assert_eq!(reply(Some(&root), Some(&before), &before, format), "unchanged");
        assert_eq!(reply(Some(&root[..12]), None, &before, format), "unchanged");
    }
    assert_eq!(reply(Some(&root), Some(&before), &after, PackFormat::Gcb), "whole");
    assert_eq!(reply(Some(&root), Some(&before), &before, PackFormat::Gcb), "unchanged");
}

#[test]
fn a_delta_never_has_more_than_its_share_of_the_tokens() {
    let before = pack_of(0, 20);
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json, PackFormat::Gcf] {
        let mut replies = Vec::new();
        for shift in 1..20 {
            let after = pack_of(shift, 20);
            let view =
                PackView { answer: &after, freshness: &Freshness::default(), timings: None, explain: false };
            let whole = format.codec().render_pack(&view).unwrap().count_tokens();
            let small = kenning_retrieval::pack::count_tokens(&render(&before, &after, format)) * 100
                <= whole * MAX_SHARE;
            let reply = reply(Some(&before.pack.pack_root.to_hex()), Some(&before), &after, format);
            assert_eq!(reply == "delta", small, "{format:?} {shift}");
            replies.push(reply);
        }
        assert_eq!((replies[0], replies[18]), ("delta", "whole"), "{format:?}");
    }
}

#[test]
fn the_root_of_the_graph_is_about_the_graph_only() {
    let mut after = pack_of(0, 10);
    after.pack.pack_root = Hash::from_content(b"other bodies");
    after.pack.symbols[0].text = Some("def step0(self): ...\n".into());
    let before = pack_of(0, 10);
    let graph_root = SentPack::from_answer(&before).graph_root;
    assert_eq!(SentPack::from_answer(&after).graph_root, graph_root);
    assert_eq!(reply(Some(&graph_root), Some(&before), &after, PackFormat::Gcf), "unchanged");
    assert_eq!(reply(Some(&graph_root), None, &after, PackFormat::Gcf), "unchanged");
    assert_eq!(reply(Some(&graph_root), Some(&before), &after, PackFormat::Markdown), "delta");
    assert_eq!(reply(Some(&graph_root), None, &after, PackFormat::Markdown), "whole");
}

#[test]
fn the_markdown_form_has_only_the_changes() {
    expect![[r#"
        # Context: what changed

        Pack `1fb9f4097256` instead of `5315eb24c206`: 1 added, 1 changed, 1 moved, 1 removed, 7 unchanged. 0 of 50,000 tokens.

        ## Removed

        - `src/app.py::App.step0`

        ## Added

        - `src/app.py:101` `App.step10` (method, lines 12-102)

        ```python
        def step10(self):
            return self.value[10] + self.offset
        ```

        ## Changed

        - `src/app.py:31` `App.step3` (method, lines 12-32)

        ```python
        def step3(self):
            return 3
        ```

        ## Moved

        - `src/app.py:52` `App.step5`
    "#]].assert_eq(&render(&pack_of(0, 10), &edited_pack(), PackFormat::Markdown));
}

#[test]
fn the_xml_form_has_only_the_changes() {
    expect![[r#"
        <context_delta base_root="5315eb24c206" pack_root="1fb9f4097256" tokens_used="0" token_budget="50000">
          <removed id="4adfbb43d771" name="src/app.py::App.step0"/>
          <added>
            <symbol n="10" name="App.step10" kind="method" at="src/app.py:101" end_line="102" detail="body" id="d79b46732576" rank="1">
              <text first_line="12">def step10(self):
            return self.value[10] + self.offset
        </text>
            </symbol>
          </added>
          <changed>
            <symbol n="3" name="App.step3" kind="method" at="src/app.py:31" end_line="32" detail="body" id="3be9e1dd7795" rank="1">
              <text first_line="12">def step3(self):
            return 3
        </text>
            </symbol>
          </changed>
          <moved id="1982c01ba5b1" at="src/app.py:52" end_line="53"/>
          <edges_added kind="calls">83a65fcd8a5b-d79b46732576</edges_added>
        </context_delta>
    "#]].assert_eq(&render(&pack_of(0, 10), &edited_pack(), PackFormat::Xml));
}

#[test]
fn the_json_form_has_only_the_changes() {
    expect![[r#"
        {
         "schema":2,
         "base_root":"5315eb24c206",
         "pack_root":"1fb9f4097256",
         "budget":50000,
         "tokens_used":0,
         "freshness":{"indexed_at":null,"head":null,"pending_files":0,"unsaved_files":0,"servers":[]},
         "removed":[
          "4adfbb43d771"],
         "added":[
          {"position":10,"id":"d79b46732576","name":"App.step10","kind":"method","file":"src/app.py","line":101,"end_line":102,"rank":1,"score":0.84,"group":"subject","distance":0,"detail":"body","text":"def step10(self):\n    return self.value[10] + self.offset\n","text_line":12}],
         "changed":[
          {"position":3,"id":"3be9e1dd7795","name":"App.step3","kind":"method","file":"src/app.py","line":31,"end_line":32,"rank":1,"score":0.84,"group":"subject","distance":0,"detail":"body","text":"def step3(self):\n    return 3\n","text_line":12}],
         "moved":[
          {"id":"1982c01ba5b1","file":"src/app.py","line":52,"end_line":53}],
         "edges_removed":[],
         "edges_added":[
          {"source":"83a65fcd8a5b","target":"d79b46732576","kind":"calls"}]
        }
    "#]].assert_eq(&render(&pack_of(0, 10), &edited_pack(), PackFormat::Json));
}

#[test]
fn an_order_is_listed_if_it_changed() {
    let mut after = pack_of(0, 3);
    after.pack.symbols.swap(0, 2);
    let ids: Vec<String> =
        after.pack.symbols.iter().map(|symbol| symbol.id.to_hex()[..12].to_owned()).collect();
    let before = pack_of(0, 3);
    let json: serde_json::Value = serde_json::from_str(&render(&before, &after, PackFormat::Json)).unwrap();
    assert_eq!(json["order"], serde_json::json!(ids));
    let xml = render(&before, &after, PackFormat::Xml);
    assert!(xml.contains(&format!("<order>{}</order>", ids.join(" "))), "{xml}");
}

#[test]
fn hostile_text_stays_in_its_place_in_a_difference() {
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json, PackFormat::Gcf] {
        for (before, after) in [(full_answer(), hostile_answer()), (hostile_answer(), full_answer())] {
            let text = render(&before, &after, format);
            assert!(text.chars().all(|c| matches!(c, '\n' | '\r' | '\t') || !c.is_control()), "{text:?}");
            if format == PackFormat::Xml {
                assert_eq!(text.matches("</context_delta>").count(), 1, "{text}");
                assert!(!text.contains("]]>"), "{text}");
            }
        }
    }
}

#[test]
fn unchanged_packs_are_one_short_note() {
    let answer = full_answer();
    let pack = SentPack::from_answer(&answer);
    let view = PackView { answer: &answer, freshness: &Freshness::default(), timings: None, explain: false };
    let note = |format: PackFormat| PackReply::Unchanged.render(format, &pack, &view).unwrap();
    let texts = [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json]
        .map(|format| note(format).unwrap().into_text());
    expect![[r#"
        Pack `4862f447f2c7` is unchanged: 3 symbols.
        <unchanged pack_root="4862f447f2c7" symbols="3">
        </unchanged>
        {
         "schema":2,
         "unchanged":true,
         "pack_root":"4862f447f2c7",
         "freshness":{"indexed_at":null,"head":null,"pending_files":0,"unsaved_files":0,"servers":[]}
        }
    "#]]
    .assert_eq(&texts.concat());
    assert_eq!(note(PackFormat::Gcb), None);
}

#[test]
fn other_files_that_change_together_are_only_in_whole_packs() {
    let before = pack_of(0, 10);
    let mut after = edited_pack();
    let known = SentPack::from_answer(&before).root;
    let reply_in = |after: &AnsweredPack, format| reply(Some(&known), Some(&before), after, format);
    assert_eq!(reply_in(&after, PackFormat::Markdown), "delta");
    after.ripple = answer_with_ripple().ripple;
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json] {
        assert_eq!(reply_in(&after, format), "whole", "{format:?}");
    }
    // GCF does not have them.
    assert_ne!(reply_in(&after, PackFormat::Gcf), "unchanged");
    let same_graph = AnsweredPack { ripple: after.ripple, ..pack_of(0, 10) };
    assert_eq!(reply_in(&same_graph, PackFormat::Gcf), "unchanged");
}
