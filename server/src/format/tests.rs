//! The formats as text.

use super::samples::{empty, explanation, full};
use super::*;
use expect_test::expect;

fn freshness() -> Freshness {
    Freshness { indexed_at: Some("2026-01-01T00:00:00Z".into()), unsaved_files: 1, ..Freshness::default() }
}

#[test]
fn json_has_the_documented_fields_in_their_order() {
    let text = Format::Json.pack(&full(), &freshness(), None).unwrap();
    expect![[""]].assert_eq(&text);
}

#[test]
fn json_carries_timings_only_when_asked() {
    let timings = Timings::start();
    let text = Format::Json.pack(&full(), &freshness(), Some(&timings)).unwrap();
    assert!(text.contains("\"timings_ms\": {\n    \"total\": "));
    assert!(!Format::Json.pack(&full(), &freshness(), None).unwrap().contains("timings_ms"));
}

#[test]
fn markdown_groups_by_distance_and_fences_survive_backticks() {
    let text = Format::Markdown.pack(&full(), &freshness(), Some(&Timings::start())).unwrap();
    expect![[""]].assert_eq(&text);
}

#[test]
fn an_empty_pack_says_so() {
    let text = Format::Markdown.pack(&empty(&"x".repeat(200)), &Freshness::default(), None).unwrap();
    expect![[""]].assert_eq(&text);
}

#[test]
fn an_explanation_shows_every_stage() {
    expect![[""]].assert_eq(&explanation::text(&explanation()));
    let json = json::text(&explanation::ExplanationJson::new(&explanation())).unwrap();
    expect![[""]].assert_eq(&json);
}

#[test]
fn what_took_no_part_is_said_plainly() {
    let absent = kenning_retrieval::Explanation {
        rank: None,
        ranked: None,
        channels: vec![],
        fused: None,
        path: vec![],
        packed: None,
        ..explanation()
    };
    expect![[""]].assert_eq(&explanation::text(&absent));
}

#[test]
fn a_format_is_found_by_its_name() {
    for &format in Format::value_variants() {
        assert_eq!(Format::parse(format.name()), Some(format));
    }
    assert_eq!(Format::parse("xml"), None);
}
