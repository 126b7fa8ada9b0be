//! Tests of the formats, as text.

use super::samples::{answer_with_ripple, empty_answer, full_answer, hostile_answer, sample_explanation};
use super::*;
use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use expect_test::expect;
use kenning_retrieval::pack::count_tokens;
use kenning_retrieval::{PackDecision, PackOutcome, RankCause, RankConfidence};

fn freshness() -> Freshness {
    Freshness { indexed_at: Some("2026-01-01T00:00:00Z".into()), unsaved_files: 1, ..Freshness::default() }
}

/// Renders an answer without the explanation of the ranking.
fn render_plain(format: PackFormat, answer: &AnsweredPack, freshness: &Freshness) -> String {
    render_view(format, &PackView { answer, freshness, timings: None, explain: false })
}

/// Renders an answer with the explanation of the ranking.
fn render_explained(format: PackFormat, answer: &AnsweredPack, freshness: &Freshness) -> String {
    render_view(format, &PackView { answer, freshness, timings: None, explain: true })
}

fn render_view(format: PackFormat, view: &PackView<'_>) -> String {
    format.codec().render_pack(view).unwrap().into_text()
}

fn render_as_json() -> String {
    render_plain(PackFormat::Json, &full_answer(), &freshness())
}

#[test]
fn json_has_the_documented_fields_in_their_order() {
    expect![[r#"
        {
         "schema":2,
         "task":"\n## add a hook\n\nlong text",
         "pack_root":"4862f447f2c7",
         "budget":50000,
         "tokens_used":30,
         "confidence":"medium",
         "probability":0.64,
         "freshness":{"indexed_at":"2026-01-01T00:00:00Z","head":null,"pending_files":0,"unsaved_files":1,"servers":[]},
         "first":[
          {"index":0,"likelihood":0.58,"reason":"\"hook\" in its name"}],
         "symbols":[
          {"id":"95eb85d23cfb","name":"App.hook","kind":"method","file":"src/app.py","line":12,"end_line":17,"rank":1,"score":0.84,"group":"subject","distance":0,"detail":"body","text":"def hook(self, f):\n    \"\"\"\n    ```\n    app.hook(f)\n    ```\n    \"\"\"\n","text_line":12},
          {"id":"c2a7e3ace442","name":"App.`odd`","kind":"method","file":"src/app.py","line":13,"end_line":18,"signature":"def hook(self, f)","doc":"Registers `f`.","rank":2,"score":0.84,"group":"related","distance":1,"detail":"signature"},
          {"id":"98332baa6eea","name":"App.far","kind":"method","file":"src/app.py","line":15,"end_line":20,"rank":4,"score":0.84,"group":"tests","distance":3,"detail":"name"}],
         "edges":[
          {"source":0,"target":1,"kind":"calls"}],
         "omitted_counts":{"budget":1}
        }
    "#]]
    .assert_eq(&render_as_json());
}

#[test]
fn explained_forms_add_the_data_of_the_ranking() {
    let answer = full_answer();
    let id = answer.pack.symbols[0].id.to_hex();
    let (root, source) = (answer.pack.pack_root.to_hex(), answer.pack.source_root.to_hex());
    for (format, parts) in [
        (
            PackFormat::Json,
            ["\"components\":{\"text\":0.7,\"graph\":0.14}", "\"channels\":[\"text\"]", &id, &root, &source],
        ),
        (
            PackFormat::Xml,
            ["<component name=\"text\" value=\"0.7000\"/>", "channels=\"text\"", &id, &root, &source],
        ),
    ] {
        let (lean, explained) =
            (render_plain(format, &answer, &freshness()), render_explained(format, &answer, &freshness()));
        for part in parts {
            assert!(explained.contains(part), "{format:?} {part}\n{explained}");
            assert!(!lean.contains(part), "{format:?} {part}\n{lean}");
        }
        assert!(count_tokens(&lean) * 10 < count_tokens(&explained) * 6, "{format:?}");
    }
    let explained = render_explained(PackFormat::Markdown, &answer, &freshness());
    let lean = render_plain(PackFormat::Markdown, &answer, &freshness());
    let ranking = explained.strip_prefix(&lean).unwrap();
    expect![[r#"

        ## Ranking

        1. `src/app.py::App.hook` 0.8400 = text 0.7000 + graph 0.1400; found by text; ast_resolved 0.90; id `95eb85d23cfb1e52c90f5c536207ea394dde182a1508bb282032a51244769f0a`
        2. `` src/app.py::App.`odd` `` 0.8400 = text 0.7000 + graph 0.1400; found by text; ast_resolved 0.90; id `c2a7e3ace44230165b2a74df755fe4064cd7006578b2d90b55ae7f8843bacfcf`
        3. `src/app.py::App.far` 0.8400 = text 0.7000 + graph 0.1400; found by text; ast_resolved 0.90; id `98332baa6eeaaedf6fbfa6a5b50376fcf625458e514caa79e89651fd82dbc3c4`
    "#]].assert_eq(ranking);
}

#[test]
fn lean_forms_have_no_long_ids() {
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json] {
        let text = render_plain(format, &full_answer(), &freshness());
        let longest = text.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max();
        assert_eq!(longest, Some(12), "{format:?}");
    }
}

#[test]
fn json_has_timings_only_if_requested() {
    let timings = StageTimings::start_now();
    let (answer, freshness) = (full_answer(), freshness());
    let view = PackView { answer: &answer, freshness: &freshness, timings: Some(&timings), explain: false };
    let text = render_view(PackFormat::Json, &view);
    assert!(text.contains("\n \"timings_ms\":{\"total\":"));
    assert!(!render_as_json().contains("timings_ms"));
}

#[test]
fn markdown_groups_by_distance_and_fences_survive_backticks() {
    let text = render_plain(PackFormat::Markdown, &full_answer(), &freshness());
    expect![[r##"
        # Context: add a hook

        3 symbols, 30 of at most 50,000 tokens. Pack `4862f447f2c7`.

        > Confidence: medium, 64% that one of the first five is to be edited; check that the first symbols are what you mean.

        > Freshness: 1 file with unsaved changes.

        ## Start here

        1. `src/app.py:12` `App.hook` (58%; "hook" in its name)

        ## Change here

        - `src/app.py:12` `App.hook` (method, lines 12-17)

        ````python
        def hook(self, f):
            """
            ```
            app.hook(f)
            ```
            """
        ````

        ## Related

        - `src/app.py:13` `` App.`odd` `` (method)
          `def hook(self, f)`
          Registers `f`.

        ## Tests

        - `src/app.py:15` `App.far` (method)

        Ends at rank 4: each further symbol is 1% likely to be edited, or less.
    "##]]
    .assert_eq(&text);
}

#[test]
fn every_format_has_the_files_that_usually_change_together_with_the_subject() {
    let render = |format: PackFormat| render_plain(format, &answer_with_ripple(), &freshness());
    let reasons = "changed together in 7 of 9 commits, 2 symbols there use it";
    let markdown = format!("\n## Also likely to change\n\n- `src/tree_unix.go`: {reasons}\n");
    assert!(render(PackFormat::Markdown).contains(&markdown));
    let element = format!("<likely_file path=\"src/tree_unix.go\" reasons=\"{reasons}\"/>");
    assert!(render(PackFormat::Xml).contains(&element));
    let json: serde_json::Value = serde_json::from_str(&render(PackFormat::Json)).unwrap();
    let expected = serde_json::json!([{
        "file": "src/tree_unix.go",
        "reasons": ["changed together in 7 of 9 commits", "2 symbols there use it"],
    }]);
    assert_eq!(json["ripple"], expected);
}

#[test]
fn an_empty_pack_says_so() {
    let answer = empty_answer(&"x".repeat(200));
    let text = render_plain(PackFormat::Markdown, &answer, &Freshness::default());
    expect![[r#"
        # Context: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…

        0 symbols, 0 of at most 50,000 tokens. Pack `4862f447f2c7`.

        Nothing in the index matches.
    "#]].assert_eq(&text);
}

#[test]
fn every_text_says_that_nothing_in_the_workspace_matches() {
    const STATEMENT: &str = "Nothing in this workspace matches.";
    let mut answer = empty_answer("recipe for lasagna");
    answer.pack.confidence = Some(RankConfidence::NO_MATCH);
    let render_lean = |format| render_plain(format, &answer, &Freshness::default());
    expect![[r#"
        # Context: recipe for lasagna

        Nothing in this workspace matches. Name a symbol, a file or an error message of this workspace.

        0 symbols, 0 of at most 50,000 tokens. Pack `4862f447f2c7`.
    "#]]
    .assert_eq(&render_lean(PackFormat::Markdown));
    let xml = render_lean(PackFormat::Xml);
    assert!(xml.contains(&format!("<statement>{STATEMENT}</statement>")), "{xml}");
    assert!(xml.contains("confidence=\"none\""), "{xml}");
    let gcf = render_lean(PackFormat::Gcf);
    assert!(gcf.ends_with(&format!("\n# {STATEMENT}\n")), "{gcf}");
    let json: serde_json::Value = serde_json::from_str(&render_lean(PackFormat::Json)).unwrap();
    assert_eq!((&json["confidence"], &json["statement"]), (&"none".into(), &STATEMENT.into()));

    let mut weak = full_answer();
    weak.pack.confidence = Some(RankConfidence::NO_MATCH);
    weak.pack.omitted_counts.clear();
    let text = render_explained(PackFormat::Markdown, &weak, &Freshness::default());
    assert!(
        text.contains("\nNothing in this workspace clearly matches; these are only the closest."),
        "{text}"
    );
    assert!(!text.contains("Ends at rank"), "{text}");
    for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Gcf, PackFormat::Json] {
        let text = render_plain(format, &full_answer(), &Freshness::default());
        assert!(!text.contains(STATEMENT), "{text}");
    }
}

#[test]
fn an_empty_pack_names_the_budget_as_the_reason() {
    let mut answer = empty_answer("clear \u{1b}[31mred\tand  \u{7} bells");
    answer.pack.omitted_counts = [("budget", 3)].into();
    let text = render_plain(PackFormat::Markdown, &answer, &Freshness::default());
    expect![[r#"
        # Context: clear [31mred and bells

        0 symbols, 0 of at most 50,000 tokens. Pack `4862f447f2c7`.

        Nothing fits the budget; use a larger one.
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_explanation_is_sentences_and_shows_every_stage_on_request() {
    let sentences = explanation::render_explanation(&sample_explanation());
    expect![[r##"
        # Why `App.hook`

        method in `src/app.py`

        Ranked 1st of 40 candidates because the task's word "hook" is in its name, 1 commit about "hook" changed it, and `App.register` (ranked 2nd) calls it.

        The pack shows all of it.

        The closest commits:

        - 2020-09-13: `Add a hook`
    "##]].assert_eq(&sentences);
    let with_numbers = explanation::render_with_numbers(&sample_explanation());
    let numbers = with_numbers.strip_prefix(&sentences).unwrap();
    expect![[r#"

        ## Numbers

        - rank 1 of 40 (config default)
        - in the pack as body, 61 tokens, density 0.012300

        ## Causes

        - words in its name: +0.2500
        - similar commits: +0.1250
        - calls and uses among the found symbols: +0.0625
        - number of users: -0.1250

        ## Score 0.8400

        - text: +0.7000
        - graph: +0.1400

        ## Features

        - name_cover: +0.2500
        - users: -0.1250

        ## Graph

        - walk: 1.0000, distance 0
        - reached through `src/app.py::App` → `src/app.py::App.hook`

        ## Channels

        - tiered (exact): rank 2, score 0.5000, weight 1
        - fused: rank 1, score 0.7000

        ## Related commits

        - 0123456789, 2020-09-13: adds 0.2500 to the symbol, 0.1250 to its file: `Add a hook`
        - fe, 1969-12-31: adds 0.5000 to its file: `Fix it`
        - 5 more
    "#]]
    .assert_eq(numbers);
}

#[test]
fn the_json_of_an_explanation_has_the_sentences_and_every_stage() {
    let json = json::render_json(&explanation::ExplanationJson::new(&sample_explanation())).unwrap();
    expect![[r#"
        {
          "schema": 1,
          "qualified_name": "src/app.py::App.hook",
          "config": "default",
          "summary": "Ranked 1st of 40 candidates because the task's word \"hook\" is in its name, 1 commit about \"hook\" changed it, and `App.register` (ranked 2nd) calls it.\n\nThe pack shows all of it.",
          "rank": 1,
          "candidates": 40,
          "score": 0.84,
          "components": {
            "text": 0.7,
            "graph": 0.14
          },
          "features": {
            "name_cover": 0.25,
            "users": -0.125
          },
          "channels": [
            {
              "channel": "tiered",
              "reason": "exact",
              "rank": 2,
              "score": 0.5,
              "weight": 1.0
            }
          ],
          "fused": {
            "rank": 1,
            "score": 0.7
          },
          "seed": null,
          "walk": 1.0,
          "distance": 0,
          "authority": null,
          "hub": null,
          "path": [
            "src/app.py::App",
            "src/app.py::App.hook"
          ],
          "votes": [
            {
              "commit": "0123456789abcdef0123",
              "date": "2020-09-13",
              "subject": "Add a hook",
              "symbol": 0.25,
              "file": 0.125
            },
            {
              "commit": "fe",
              "date": "1969-12-31",
              "subject": "Fix it",
              "symbol": 0.0,
              "file": 0.5
            }
          ],
          "voters": 7,
          "noise": false,
          "noise_rule": null,
          "injected": null,
          "fallback": null,
          "packed": {
            "detail": "body",
            "tokens": 61
          },
          "left_out": null,
          "density": 0.0123
        }
    "#]]
    .assert_eq(&json);
}

/// Returns the sample with these effects and gaps instead of its own.
fn with_effects(effects: &[(RankCause, f64, f64)]) -> kenning_retrieval::RankExplanation {
    let mut explanation = sample_explanation();
    let effect = |&(cause, effect, gap)| kenning_retrieval::CauseEffect { cause, effect, gap };
    explanation.reasons.effects = effects.iter().map(effect).collect();
    explanation.votes.clear();
    explanation
}

#[test]
fn a_word_that_was_read_as_names_is_said() {
    let mut explanation = with_effects(&[]);
    explanation.respelled = [("hookal".to_owned(), "hook_all hook_allowed".to_owned())].into();
    let json = json::render_json(&explanation::ExplanationJson::new(&explanation)).unwrap();
    let summary = "The task's word `hookal` was read as `hook_all`, `hook_allowed`.";
    assert!(json.contains(summary), "{json}");
}

#[test]
fn a_reason_without_an_effect_is_not_claimed() {
    let summary = |effects: &[(RankCause, f64, f64)]| {
        let json = json::render_json(&explanation::ExplanationJson::new(&with_effects(effects))).unwrap();
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["summary"].as_str().unwrap().to_owned()
    };
    let first = |effects: &[(RankCause, f64, f64)]| summary(effects).lines().next().unwrap().to_owned();
    assert_eq!(first(&[]), "Ranked 1st of 40 candidates.");
    assert_eq!(
        first(&[(RankCause::Name, -0.2, 0.0), (RankCause::Commits, 0.2, 0.0)]),
        "Ranked 1st of 40 candidates because 1 commit about \"hook\" changed it."
    );
    assert_eq!(
        first(&[(RankCause::Name, 0.2, 0.0), (RankCause::Commits, 0.009, 0.0)]),
        "Ranked 1st of 40 candidates because the task's word \"hook\" is in its name."
    );
    // Without facts, a sentence mentions an effect but not as a reason.
    let silent = summary(&[(RankCause::Members, 0.2, 0.0)]);
    assert!(silent.starts_with("Ranked 1st of 40 candidates.\n\nThe rest comes from many small"), "{silent}");
}

#[test]
fn a_low_rank_is_explained_by_objections() {
    let mut low = with_effects(&[
        (RankCause::Name, 0.1, -0.2),
        (RankCause::TestCode, -0.3, -0.35),
        (RankCause::Commits, -0.1, -0.1),
        (RankCause::Kind, -0.01, -0.005),
        (RankCause::Connections, 0.02, -0.12),
    ]);
    low.rank = Some(23);
    low.packed =
        low.packed.map(|decision| PackDecision { outcome: PackOutcome::LeftOut("budget"), ..decision });
    let facts = &mut low.reasons.facts;
    facts.is_secondary = true;
    facts.neighbor = None;
    facts.commits = kenning_retrieval::CommitMatches { any: true, ..Default::default() };
    expect![[r##"
        # Why `App.hook`

        method in `src/app.py`

        Ranked 23rd of 40 candidates.

        For it: the task's word "hook" is in its name.

        Against it, compared with the symbols before it: it belongs to tests, examples or documentation, not to the product; it has only 1 of the task's 2 words; none of the first 20 symbols uses it or is used by it.

        It is not in the pack, because the budget is used up before it.
    "##]].assert_eq(&explanation::render_explanation(&low));
    low.reasons.behind = Some(20);
    low.reasons.facts.is_weak = true;
    low.packed = None;
    expect![[r##"
        # Why `App.hook`

        method in `src/app.py`

        Ranked 23rd of 40 candidates.

        Only the first 20 matches are compared in detail, and it is not among them. Tests and examples count less unless the task asks for them.

        For it: the task's word "hook" is in its name.

        Against it, compared with the symbols before it: it belongs to tests, examples or documentation, not to the product; it has only 1 of the task's 2 words; none of the first 20 symbols uses it or is used by it.

        Nothing in this workspace matches the task well; these candidates are only the closest.
    "##]].assert_eq(&explanation::render_explanation(&low));
}

#[test]
fn pins_exclusions_and_noise_rules_come_first() {
    let sentence = |change: fn(&mut kenning_retrieval::RankExplanation)| {
        let mut explanation = sample_explanation();
        change(&mut explanation);
        explanation::render_explanation(&explanation).lines().nth(4).unwrap().to_owned()
    };
    let pinned = sentence(|explanation| explanation.reasons.facts.is_pinned = true);
    assert_eq!(pinned, "Ranked 1st of 40 candidates because it is pinned.");
    let excluded = sentence(|explanation| {
        explanation.rank = None;
        explanation.reasons.facts.is_excluded = true;
    });
    assert_eq!(excluded, "Not ranked, because the request excludes it.");
    let noise = sentence(|explanation| {
        explanation.rank = None;
        explanation.noise = Some("minified");
    });
    assert_eq!(noise, "Not ranked, because a rule against noise removed it: minified.");
}

#[test]
fn the_explanation_of_a_symbol_that_no_channel_found_is_short() {
    let absent = kenning_retrieval::RankExplanation {
        rank: None,
        ranked: None,
        channels: vec![],
        fused: None,
        path: vec![],
        votes: vec![],
        packed: None,
        reasons: kenning_retrieval::RankReasons { effects: vec![], ..sample_explanation().reasons },
        ..sample_explanation()
    };
    expect![[r##"
        # Why `App.hook`

        method in `src/app.py`

        Not among the 40 candidates: it has 1 of the task's 2 words ("hook"), and enough other symbols match better.

        ## Numbers

        - not among the 40 candidates (config default)
        - not in the pack

        ## Channels

        - no channel found it
    "##]].assert_eq(&explanation::render_with_numbers(&absent));
}

#[test]
fn xml_groups_by_distance_with_position_evidence_and_detail() {
    let text = render_plain(PackFormat::Xml, &full_answer(), &freshness());
    expect![[r#"
        <context tokens_used="30" token_budget="50000" pack_root="4862f447f2c7" confidence="medium" probability="0.64">
          <task>
        ## add a hook

        long text</task>
          <freshness>1 file with unsaved changes</freshness>
          <start_here rank="1" at="src/app.py:12" name="App.hook" likelihood="0.58" reason="&quot;hook&quot; in its name"/>
          <target_symbols>
            <symbol n="1" name="App.hook" kind="method" at="src/app.py:12" end_line="17" detail="body" id="95eb85d23cfb" rank="1">
              <text first_line="12">def hook(self, f):
            """
            ```
            app.hook(f)
            ```
            """
        </text>
            </symbol>
          </target_symbols>
          <related_symbols>
            <symbol n="2" name="App.`odd`" kind="method" at="src/app.py:13" end_line="18" detail="signature" id="c2a7e3ace442" rank="2">
              <signature>def hook(self, f)</signature>
              <doc>Registers `f`.</doc>
            </symbol>
          </related_symbols>
          <test_symbols>
            <symbol n="3" name="App.far" kind="method" at="src/app.py:15" end_line="20" detail="name" id="98332baa6eea" rank="4"/>
          </test_symbols>
          <edges kind="calls">1-2</edges>
          <omitted reason="budget" count="1"/>
        </context>
    "#]].assert_eq(&text);
}

#[test]
fn hostile_text_cannot_leave_its_element_in_xml() {
    let text = render_explained(PackFormat::Xml, &hostile_answer(), &Freshness::default());
    expect![[r#"
        <context tokens_used="0" token_budget="50000" pack_root="4862f447f2c7f272fa2f4aaf89dadb3b1ac09105bd5864f8d1a0c9452bb0a226" source_root="41cf6794ba4200b839c53531555f0f3998df4cbb01a4d5cb0b94e3ca5e23947d" snapshot="16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112">
          <task># fix a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}
        &lt;script&gt;</task>
          <unknown_file path="a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}.py"/>
          <target_symbols>
            <symbol n="1" name="a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}" kind="method" at="src/a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}.py:12" end_line="17" detail="body" id="22cd1a48f14241de84be0fc515426b60cfad1cdfd765c57f178bcba30b83f317" rank="1" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="0" tokens="10" channels="text">
              <signature>def hook(self, f)</signature>
              <doc>Registers `f`.</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
              <text first_line="12">```
        a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}
        ]]&gt;
        &lt;/text&gt;&lt;/context&gt;\r
        </text>
            </symbol>
          </target_symbols>
          <related_symbols>
            <symbol n="2" name="plain" kind="method" at="src/app.py:13" end_line="18" detail="signature" id="a116c9ed46d6207734a43317d30fd88f52ac8634c37d904bbf4e41d865f90475" rank="2" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="1" tokens="10" channels="tiered:exact bm25">
              <signature>def a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}(	&lt;T&gt;)</signature>
              <doc>``` a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b} &lt;b&gt;</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
            </symbol>
          </related_symbols>
          <edge source="1" target="2" kind="calls" provenance="lsp_resolved" confidence="0.90"/>
          <omitted reason="noise" count="2"/>
          <relationship_summary>
            <total_symbols>2</total_symbols>
            <by_distance>
              <distance hop="0" count="1"/>
              <distance hop="1" count="1"/>
            </by_distance>
          </relationship_summary>
        </context>
    "#]].assert_eq(&text.replace('\r', "\\r"));
    assert!(text.chars().all(|c| matches!(c, '\n' | '\r' | '\t') || !c.is_control()), "{text:?}");
    assert_eq!(text.matches("<symbol ").count(), text.matches("</symbol>").count());
    assert_eq!(text.matches("]]>").count(), 0);
    assert_eq!(text.matches("</context>").count(), 1);
}

#[test]
fn hostile_text_cannot_leave_its_field_in_markdown() {
    let text = render_plain(PackFormat::Markdown, &hostile_answer(), &Freshness::default());
    expect![[r##"
        # Context: fix a\</symbol>"]]>\` [2J&\u{202e}

        2 symbols, 0 of at most 50,000 tokens. Pack `4862f447f2c7`.

        ## Change here

        - `` src/a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}.py:12 `` `` a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b} `` (method, lines 12-17)

        ````python
        ```
        a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}
        ]]>
        </text></context>\r
        ````

        ## Related

        - `src/app.py:13` `plain` (method)
          `` def a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}(	<T>) ``
          \`\`\` a\</symbol>"]]>\`\u{1b}[2J&\u{202e}\u{9b} \<b>
    "##]].assert_eq(&text.replace('\r', "\\r"));
    assert!(text.chars().all(|c| c == '\n' || c == '\r' || c == '\t' || !c.is_control()), "{text:?}");
}

#[test]
fn hostile_text_is_escaped_in_json_and_the_data_stays_the_same() {
    let answer = hostile_answer();
    let text = render_explained(PackFormat::Json, &answer, &Freshness::default());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(!text.contains('\u{202e}'), "{text:?}");
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (shown, symbol) in read["symbols"].as_array().unwrap().iter().zip(&answer.pack.symbols) {
        assert_eq!(shown["name"], *symbol.name);
        assert_eq!(shown["file"], *symbol.file);
        assert_eq!(shown["doc"], *symbol.doc);
        assert_eq!(shown["text"].as_str(), symbol.text.as_deref());
    }
    assert_eq!(read["task"], *answer.pack.task);
}

#[test]
fn every_format_counts_its_own_tokens() {
    let current = Freshness::default();
    for answer in [empty_answer("task"), full_answer(), answer_with_ripple(), hostile_answer()] {
        for format in [PackFormat::Markdown, PackFormat::Xml, PackFormat::Json, PackFormat::Gcf] {
            for (freshness, explain) in [(&current, false), (&freshness(), false), (&freshness(), true)] {
                let view = PackView { answer: &answer, freshness, timings: None, explain };
                let counted = format.count_used_tokens(&view).unwrap();
                let text = render_view(format, &PackView { answer: &counted, ..view });
                assert_eq!(counted.pack.tokens_used, count_tokens(&text), "{format:?}: {text}");
            }
        }
        // A binary number changes the base64 text around it, so the budget is in its place.
        let view = PackView { answer: &answer, freshness: &current, timings: None, explain: false };
        let counted = PackFormat::Gcb.count_used_tokens(&view).unwrap();
        let mut measured = counted.clone();
        measured.pack.tokens_used = measured.pack.budget;
        let text = render_plain(PackFormat::Gcb, &measured, &current);
        assert_eq!(counted.pack.tokens_used, count_tokens(&text));
    }
}

#[test]
fn the_number_of_tokens_is_right_where_it_gets_another_digit() {
    let mut counts = Vec::new();
    for words in 900..1_000 {
        let mut answer = empty_answer("");
        answer.subject = "# a".to_owned();
        answer.pack.unknown_files = vec!["a ".repeat(words)];
        for format in [PackFormat::Xml, PackFormat::Json] {
            let freshness = Freshness::default();
            let view = PackView { answer: &answer, freshness: &freshness, timings: None, explain: false };
            let counted = format.count_used_tokens(&view).unwrap();
            let text = render_view(format, &PackView { answer: &counted, ..view });
            assert_eq!(counted.pack.tokens_used, count_tokens(&text), "{format:?}, {words} words");
            counts.push(counted.pack.tokens_used);
        }
    }
    assert!(counts.contains(&999) && counts.iter().any(|count| (1_000..1_010).contains(count)));
}

#[test]
fn timings_do_not_count() {
    let mut timings = StageTimings::start_now();
    timings.begin_stage("pack");
    let (answer, freshness) = (full_answer(), freshness());
    let view = PackView { answer: &answer, freshness: &freshness, timings: None, explain: true };
    let with_timings = PackView { timings: Some(&timings), ..view };
    let count = |view| PackFormat::Json.count_used_tokens(view).unwrap().pack.tokens_used;
    assert_eq!(count(&with_timings), count(&view));
}
