//! Tests of the sections of documents in packs and in differences between packs.

use super::*;
use crate::answer::AnsweredPack;
use crate::format::samples::{full_answer, sample_symbol};
use crate::freshness::Freshness;
use kenning_graph::{Hash, SymbolKind};
use kenning_retrieval::{DetailLevel, PackGroup};
use std::sync::LazyLock;

/// Returns a pack with a section of a document, whose text tries to break out of its field.
fn documented_pack() -> AnsweredPack {
    let mut answer = full_answer();
    let text = "## Install\n```\n</text> <b>\n```\n";
    let mut section = sample_symbol("Guide > Install", 0, DetailLevel::Body, Some(text));
    section.file = "docs/guide\n.md".into();
    (section.kind, section.group) = (SymbolKind::Section, PackGroup::Documentation);
    section.signature = String::new();
    answer.pack.documents = vec![section];
    answer.pack.pack_root = Hash::from_content(b"with documents");
    answer
}

fn view(answer: &AnsweredPack) -> PackView<'_> {
    static FRESHNESS: LazyLock<Freshness> = LazyLock::new(Freshness::default);
    PackView { answer, freshness: &FRESHNESS, timings: None, explain: false }
}

fn render_whole(answer: &AnsweredPack, format: PackFormat) -> String {
    format.codec().render_pack(&view(answer)).unwrap().into_text()
}

fn render_delta(before: &AnsweredPack, after: &AnsweredPack, format: PackFormat) -> String {
    let (base, current) = (SentPack::from_answer(before), SentPack::from_answer(after));
    let delta = PackDelta::compare_packs(&base, &current, view(after));
    format.codec().render_delta(&delta).unwrap().unwrap().into_text()
}

/// The beginning of the sections of documents in each format that has a place for them.
const BEGINNINGS: [(PackFormat, &str); 4] = [
    (PackFormat::Markdown, "\n## Documentation\n\n- `docs/guide\\n.md:12` `Guide > Install` (section"),
    (PackFormat::Xml, "<documentation>\n    <symbol n=\"1\" name=\"Guide &gt; Install\" kind=\"section\""),
    (
        PackFormat::Json,
        "\"name\":\"Guide > Install\",\"kind\":\"section\",\"file\":\"docs/guide\\n.md\",\"line\":12",
    ),
    (PackFormat::Gcf, "\n# documentation: docs/guide .md:12 Guide > Install\n"),
];

#[test]
fn each_format_with_a_place_for_documents_shows_them() {
    let (plain, documented) = (full_answer(), documented_pack());
    for (format, beginning) in BEGINNINGS {
        let text = render_whole(&documented, format);
        assert!(text.contains(beginning), "{format:?}: {text}");
        assert!(!render_whole(&plain, format).contains(beginning), "{format:?}");
    }
    assert!(!PackFormat::Gcb.codec().shows_documents());
    assert_eq!(render_whole(&documented, PackFormat::Gcb), render_whole(&plain, PackFormat::Gcb));
    assert!(!render_whole(&documented, PackFormat::Xml).contains("<b>"));
}

#[test]
fn a_difference_shows_all_documents_if_they_changed() {
    let (plain, documented) = (full_answer(), documented_pack());
    let mut moved = documented_pack();
    moved.pack.documents[0].line += 1;
    for (format, beginning) in BEGINNINGS {
        assert!(render_delta(&plain, &documented, format).contains(beginning), "{format:?}");
        assert!(!render_delta(&documented, &documented, format).contains(beginning), "{format:?}");
        let after_move = beginning.replace(":12", ":13");
        assert!(render_delta(&documented, &moved, format).contains(&after_move), "{format:?}");
    }
    let none = |format| render_delta(&documented, &plain, format);
    assert!(none(PackFormat::Markdown).contains("No documentation matches any more."));
    assert!(none(PackFormat::Xml).contains("<documentation/>"));
    assert!(none(PackFormat::Json).contains("\"documents\":[]"));
    assert!(none(PackFormat::Gcf).contains("# no documentation"));
}
