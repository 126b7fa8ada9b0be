//! Tests of the formats, as text.

use super::samples::{answer_with_ripple, empty_answer, full_answer, hostile_answer, sample_explanation};
use super::*;
use expect_test::expect;

fn freshness() -> Freshness {
    Freshness { indexed_at: Some("2026-01-01T00:00:00Z".into()), unsaved_files: 1, ..Freshness::default() }
}

fn render_as_json() -> String {
    PackFormat::Json.render_pack(&full_answer(), &freshness(), None).unwrap()
}

#[test]
fn json_has_the_documented_fields_in_their_order() {
    expect![[r#"
        {
          "schema": 1,
          "task": "\n## add a hook\n\nlong text",
          "pack_root": "4862f447f2c7f272fa2f4aaf89dadb3b1ac09105bd5864f8d1a0c9452bb0a226",
          "base_root": null,
          "source_root": "41cf6794ba4200b839c53531555f0f3998df4cbb01a4d5cb0b94e3ca5e23947d",
          "snapshot": "16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112",
          "budget": 50000,
          "tokens_used": 30,
          "confidence": "medium",
          "freshness": {
            "indexed_at": "2026-01-01T00:00:00Z",
            "head": null,
            "pending_files": 0,
            "unsaved_files": 1,
            "servers": []
          },
          "symbols": [
            {
              "id": "95eb85d23cfb1e52c90f5c536207ea394dde182a1508bb282032a51244769f0a",
              "qualified_name": "src/app.py::App.hook",
              "name": "App.hook",
              "kind": "method",
              "language": "python",
              "file": "src/app.py",
              "line": 12,
              "end_line": 17,
              "signature": "def hook(self, f)",
              "doc": "Registers `f`.",
              "score": 0.84,
              "distance": 0,
              "confidence": 0.9,
              "provenance": "ast_resolved",
              "channels": [
                "text"
              ],
              "components": {
                "text": 0.7,
                "graph": 0.14
              },
              "detail": "body",
              "tokens": 10,
              "text": "def hook(self, f):\n    \"\"\"\n    ```\n    app.hook(f)\n    ```\n    \"\"\"\n"
            },
            {
              "id": "c2a7e3ace44230165b2a74df755fe4064cd7006578b2d90b55ae7f8843bacfcf",
              "qualified_name": "src/app.py::App.`odd`",
              "name": "App.`odd`",
              "kind": "method",
              "language": "python",
              "file": "src/app.py",
              "line": 13,
              "end_line": 18,
              "signature": "def hook(self, f)",
              "doc": "Registers `f`.",
              "score": 0.84,
              "distance": 1,
              "confidence": 0.9,
              "provenance": "ast_resolved",
              "channels": [
                "text"
              ],
              "components": {
                "text": 0.7,
                "graph": 0.14
              },
              "detail": "signature",
              "tokens": 10
            },
            {
              "id": "98332baa6eeaaedf6fbfa6a5b50376fcf625458e514caa79e89651fd82dbc3c4",
              "qualified_name": "src/app.py::App.far",
              "name": "App.far",
              "kind": "method",
              "language": "python",
              "file": "src/app.py",
              "line": 15,
              "end_line": 20,
              "signature": "def hook(self, f)",
              "doc": "Registers `f`.",
              "score": 0.84,
              "distance": 3,
              "confidence": 0.9,
              "provenance": "ast_resolved",
              "channels": [
                "text"
              ],
              "components": {
                "text": 0.7,
                "graph": 0.14
              },
              "detail": "name",
              "tokens": 10
            }
          ],
          "edges": [
            {
              "source": 0,
              "target": 1,
              "kind": "calls",
              "provenance": "ast_inferred",
              "confidence": 0.7
            }
          ],
          "omitted": [
            {
              "name": "src/app.py::big",
              "reason": "budget",
              "tokens": 900
            }
          ],
          "omitted_counts": {
            "budget": 1
          }
        }
    "#]]
    .assert_eq(&render_as_json());
}

#[test]
fn json_has_timings_only_if_requested() {
    let timings = StageTimings::start_now();
    let text = PackFormat::Json.render_pack(&full_answer(), &freshness(), Some(&timings)).unwrap();
    assert!(text.contains("\"timings_ms\": {\n    \"total\": "));
    assert!(!render_as_json().contains("timings_ms"));
}

#[test]
fn markdown_groups_by_distance_and_fences_survive_backticks() {
    let text = PackFormat::Markdown
        .render_pack(&full_answer(), &freshness(), Some(&StageTimings::start_now()))
        .unwrap();
    expect![[r##"
        # Context: add a hook

        3 symbols, 30 of 50,000 tokens. Pack `4862f447f2c7`.

        > Confidence: medium; check that the first symbols are what you mean.

        > Freshness: 1 file with unsaved changes.

        ## Target

        - `src/app.py:12` `App.hook` (method, lines 12-17, ast_resolved 0.90)

        ````python
        def hook(self, f):
            """
            ```
            app.hook(f)
            ```
            """
        ````

        ## Related

        - `src/app.py:13` `` App.`odd` `` (method, ast_resolved 0.90)
          `def hook(self, f)`
          Registers `f`.

        ## Extended

        - `src/app.py:15` `App.far` (method, ast_resolved 0.90)

        Omitted: 1 over the budget.
    "##]]
    .assert_eq(&text);
}

#[test]
fn every_format_has_the_files_that_usually_change_together_with_the_subject() {
    let render = |format: PackFormat| format.render_pack(&answer_with_ripple(), &freshness(), None).unwrap();
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
    let text = PackFormat::Markdown
        .render_pack(&empty_answer(&"x".repeat(200)), &Freshness::default(), None)
        .unwrap();
    expect![[r#"
        # Context: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…

        0 symbols, 0 of 50,000 tokens. Pack `4862f447f2c7`.

        Nothing in the index matches.
    "#]].assert_eq(&text);
}

#[test]
fn an_empty_pack_names_the_budget_as_the_reason() {
    let mut answer = empty_answer("clear \u{1b}[31mred\tand  \u{7} bells");
    answer.pack.omitted_counts = [("budget", 3)].into();
    let text = PackFormat::Markdown.render_pack(&answer, &Freshness::default(), None).unwrap();
    expect![[r#"
        # Context: clear [31mred and bells

        0 symbols, 0 of 50,000 tokens. Pack `4862f447f2c7`.

        Nothing fits the budget; use a larger one.

        Omitted: 3 over the budget.
    "#]]
    .assert_eq(&text);
}

#[test]
fn an_explanation_shows_every_stage() {
    expect![[r#"
        # Why `src/app.py::App.hook`

        - rank 1 of 40 (config default)
        - in the pack as body, 61 tokens, density 0.012300

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
    .assert_eq(&explanation::render_explanation(&sample_explanation()));
    let json = json::render_json(&explanation::ExplanationJson::new(&sample_explanation())).unwrap();
    expect![[r#"
        {
          "schema": 1,
          "qualified_name": "src/app.py::App.hook",
          "config": "default",
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
        ..sample_explanation()
    };
    expect![[r#"
        # Why `src/app.py::App.hook`

        - not among the 40 candidates (config default)
        - not in the pack

        ## Channels

        - no channel found it
    "#]]
    .assert_eq(&explanation::render_explanation(&absent));
}

#[test]
fn xml_groups_by_distance_with_position_evidence_and_detail() {
    let text =
        PackFormat::Xml.render_pack(&full_answer(), &freshness(), Some(&StageTimings::start_now())).unwrap();
    expect![[r#"
        <context tokens_used="30" token_budget="50000" pack_root="4862f447f2c7f272fa2f4aaf89dadb3b1ac09105bd5864f8d1a0c9452bb0a226" source_root="41cf6794ba4200b839c53531555f0f3998df4cbb01a4d5cb0b94e3ca5e23947d" snapshot="16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112" confidence="medium">
          <task>
        ## add a hook

        long text</task>
          <freshness>1 file with unsaved changes</freshness>
          <target_symbols>
            <symbol name="App.hook" kind="method" at="src/app.py:12" end_line="17" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="0" detail="body" tokens="10" channels="text" id="95eb85d23cfb1e52c90f5c536207ea394dde182a1508bb282032a51244769f0a">
              <signature>def hook(self, f)</signature>
              <doc>Registers `f`.</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
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
            <symbol name="App.`odd`" kind="method" at="src/app.py:13" end_line="18" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="1" detail="signature" tokens="10" channels="text" id="c2a7e3ace44230165b2a74df755fe4064cd7006578b2d90b55ae7f8843bacfcf">
              <signature>def hook(self, f)</signature>
              <doc>Registers `f`.</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
            </symbol>
          </related_symbols>
          <extended_context>
            <symbol name="App.far" kind="method" at="src/app.py:15" end_line="20" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="3" detail="name" tokens="10" channels="text" id="98332baa6eeaaedf6fbfa6a5b50376fcf625458e514caa79e89651fd82dbc3c4">
              <signature>def hook(self, f)</signature>
              <doc>Registers `f`.</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
            </symbol>
          </extended_context>
          <edge source="src/app.py::App.hook" target="src/app.py::App.`odd`" kind="calls" provenance="ast_inferred" confidence="0.70"/>
          <omitted reason="budget" count="1"/>
          <relationship_summary>
            <total_symbols>3</total_symbols>
            <by_distance>
              <distance hop="0" count="1"/>
              <distance hop="1" count="1"/>
              <distance hop="3" count="1"/>
            </by_distance>
          </relationship_summary>
        </context>
    "#]].assert_eq(&text);
}

#[test]
fn hostile_text_cannot_leave_its_element_in_xml() {
    let text = PackFormat::Xml.render_pack(&hostile_answer(), &Freshness::default(), None).unwrap();
    expect![[r#"
        <context tokens_used="0" token_budget="50000" pack_root="4862f447f2c7f272fa2f4aaf89dadb3b1ac09105bd5864f8d1a0c9452bb0a226" source_root="41cf6794ba4200b839c53531555f0f3998df4cbb01a4d5cb0b94e3ca5e23947d" snapshot="16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112">
          <task># fix a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}
        &lt;script&gt;</task>
          <unknown_file path="a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}.py"/>
          <target_symbols>
            <symbol name="a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}" kind="method" at="src/a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}.py:12" end_line="17" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="0" detail="body" tokens="10" channels="text" id="22cd1a48f14241de84be0fc515426b60cfad1cdfd765c57f178bcba30b83f317">
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
            <symbol name="plain" kind="method" at="src/app.py:13" end_line="18" language="python" score="0.8400" confidence="0.90" provenance="ast_resolved" distance="1" detail="signature" tokens="10" channels="tiered:exact bm25" id="a116c9ed46d6207734a43317d30fd88f52ac8634c37d904bbf4e41d865f90475">
              <signature>def a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}(	&lt;T&gt;)</signature>
              <doc>``` a&lt;/symbol&gt;"]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b} &lt;b&gt;</doc>
              <component name="text" value="0.7000"/>
              <component name="graph" value="0.1400"/>
            </symbol>
          </related_symbols>
          <edge source="src/a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}.py::a&lt;/symbol&gt;&quot;]]&gt;`\u{1b}[2J&amp;\u{202e}\u{9b}" target="src/app.py::plain" kind="calls" provenance="lsp_resolved" confidence="0.90"/>
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
    let text = PackFormat::Markdown.render_pack(&hostile_answer(), &Freshness::default(), None).unwrap();
    expect![[r##"
        # Context: fix a\</symbol>"]]>\` [2J&\u{202e}

        2 symbols, 0 of 50,000 tokens. Pack `4862f447f2c7`.

        ## Target

        - `` src/a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}.py:12 `` `` a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b} `` (method, lines 12-17, ast_resolved 0.90)

        ````python
        ```
        a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}
        ]]>
        </text></context>\r
        ````

        ## Related

        - `src/app.py:13` `plain` (method, ast_resolved 0.90)
          `` def a</symbol>"]]>`\u{1b}[2J&\u{202e}\u{9b}(	<T>) ``
          \`\`\` a\</symbol>"]]>\`\u{1b}[2J&\u{202e}\u{9b} \<b>

        Omitted: 2 as noise.
    "##]].assert_eq(&text.replace('\r', "\\r"));
    assert!(text.chars().all(|c| c == '\n' || c == '\r' || c == '\t' || !c.is_control()), "{text:?}");
}

#[test]
fn hostile_text_is_escaped_in_json_and_the_data_stays_the_same() {
    let answer = hostile_answer();
    let text = PackFormat::Json.render_pack(&answer, &Freshness::default(), None).unwrap();
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
