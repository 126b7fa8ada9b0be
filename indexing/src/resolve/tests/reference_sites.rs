//! Reference sites: the references that a language server can resolve.

use super::{extract_facts, parse_fixture, read_project, resolve_workspace};
use crate::resolve::collect_sites;
use expect_test::{Expect, expect};
use kenning_graph::verdicts::{ReferenceSite, ServerResolution};
use kenning_graph::{Hash, Snapshot};
use std::fmt::Write as _;

/// Returns the snapshot of a fixture, the sites of one of its files, and the text of the file.
fn collect_fixture_sites(path: &str, fixture: &str) -> (Snapshot, Vec<ReferenceSite>, String) {
    let files = parse_fixture(fixture);
    let (snapshot, project) = (resolve_workspace(&files), read_project(&files));
    let (file, facts) = (snapshot.file_by_path(path).unwrap(), extract_facts(path, &files[path]).unwrap());
    let found = collect_sites(&snapshot, &project, file, &facts);
    (snapshot, found, files[path].clone())
}

fn qualified_name(snapshot: &Snapshot, hash: &Hash) -> String {
    let symbol = snapshot.symbol_by_hash(hash).and_then(|id| snapshot.symbol(id));
    symbol.map_or_else(|| "?".to_owned(), |symbol| symbol.qualified_name())
}

/// Checks the sites of one file of a fixture, with the edges and guesses of each.
fn check(path: &str, fixture: &str, expected: Expect) {
    let (snapshot, found, text) = collect_fixture_sites(path, fixture);
    let mut out = String::new();
    for site in &found {
        assert_eq!(&text[site.at.start as usize..][..site.at.len as usize], &*site.name);
        let outside = if site.is_external { " outside" } else { "" };
        let open = if site.is_undetermined() { " open" } else { "" };
        let subject = qualified_name(&snapshot, &site.key.subject);
        writeln!(out, "{subject} #{} {} {:?}{open}{outside}", site.key.nth, site.name, site.role).unwrap();
        for edge in &site.target_edges {
            let reversed = if edge.starts_at_target { " turned" } else { "" };
            writeln!(out, "    makes {} at {}{reversed}", edge.kind, qualified_name(&snapshot, &edge.end))
                .unwrap();
        }
        for guess in &site.guesses {
            let ends = format!(
                "{} -> {}",
                qualified_name(&snapshot, &guess.source),
                qualified_name(&snapshot, &guess.target)
            );
            let (kind, sites) = (guess.kind, guess.sites);
            writeln!(out, "    {kind} {ends} {} {:.2} of {sites}", guess.provenance, guess.confidence)
                .unwrap();
        }
    }
    expected.assert_eq(&out);
}

const PYTHON: &str = "
    //- a.py
    import os
    from b import Box, deco

    @deco
    def run(box: Box, bare):
        box.open()
        box.open()
        os.getcwd()
        bare.shut()
        len(bare)
        bare.unheard()
        raise Box(1)

    run(None, 1)
    //- b.py
    def deco(f): return f
    class Box:
        def __init__(self, lid):
            self.lid = lid
        def open(self): ...
        def shut(self): ...
    class Door:
        def shut(self): ...
    //- test_a.py
    from b import Box
    def test_box():
        assert Box(1).open() is None
    ";

#[test]
fn every_call_is_a_site_with_its_edges_from_the_text() {
    check(
        "a.py",
        PYTHON,
        expect![[r#"
        a.py::run #0 deco Decorator
            makes decorates at a.py::run turned
            decorates b.py::deco -> a.py::run ast_resolved 0.85 of 1
        a.py::run #1 Box Type
            makes type_hint_of at a.py::run
            type_hint_of a.py::run -> b.py::Box ast_resolved 0.85 of 1
        a.py::run #2 open Call
            makes calls at a.py::run
            calls a.py::run -> b.py::Box.open ast_resolved 0.85 of 2
        a.py::run #3 open Call
            makes calls at a.py::run
            calls a.py::run -> b.py::Box.open ast_resolved 0.85 of 2
        a.py::run #4 getcwd Call outside
            makes calls at a.py::run
            calls a.py::run -> external::os.getcwd ast_resolved 0.85 of 1
        a.py::run #5 shut Call open
            makes calls at a.py::run
            calls a.py::run -> b.py::Box.shut ast_inferred 0.42 of 1
            calls a.py::run -> b.py::Door.shut ast_inferred 0.42 of 1
        a.py::run #6 len Call outside
            makes calls at a.py::run
        a.py::run #7 unheard Call outside
            makes calls at a.py::run
        a.py::run #8 Box Call
            makes calls at a.py::run
            calls a.py::run -> b.py::Box.__init__ ast_resolved 0.85 of 1
        a.py::run #9 Box Throw
            makes throws at a.py::run
            throws a.py::run -> b.py::Box ast_resolved 0.85 of 1
        a.py #0 run Call
            makes calls at a.py
            calls a.py -> a.py::run ast_resolved 0.85 of 1
    "#]],
    );
}

#[test]
fn calls_in_a_test_make_tests_edges() {
    check(
        "test_a.py",
        PYTHON,
        expect![[r#"
        test_a.py::test_box #0 Box Call
            makes calls at test_a.py::test_box
            makes tests at test_a.py::test_box
            calls test_a.py::test_box -> b.py::Box.__init__ ast_resolved 0.85 of 1
            tests test_a.py::test_box -> b.py::Box.__init__ ast_resolved 0.85 of 1
        test_a.py::test_box #1 open Call
            makes calls at test_a.py::test_box
            makes tests at test_a.py::test_box
            calls test_a.py::test_box -> b.py::Box.open ast_resolved 0.85 of 1
            tests test_a.py::test_box -> b.py::Box.open ast_resolved 0.85 of 1
    "#]],
    );
}

#[test]
fn a_server_that_names_the_type_confirms_its_constructor() {
    let (snapshot, found, _) = collect_fixture_sites("test_a.py", PYTHON);
    let call = found.iter().find(|site| &*site.name == "Box" && site.target_edges.len() == 2).unwrap();
    let symbol = |name: &str| {
        let id =
            snapshot.symbols().into_iter().find(|&id| snapshot.symbol(id).unwrap().display_name() == name);
        snapshot.symbol(id.unwrap()).unwrap()
    };
    let ServerResolution::Confirmed(target) = call.classify_target(&snapshot, &symbol("Box")) else {
        panic!("the constructor of `Box` must be confirmed")
    };
    assert_eq!(qualified_name(&snapshot, &target.symbol), "b.py::Box.__init__");
    let ServerResolution::Retargeted(target) = call.classify_target(&snapshot, &symbol("Door")) else {
        panic!("the call must be retargeted to `Door`")
    };
    assert_eq!(qualified_name(&snapshot, &target.symbol), "b.py::Door");
}

#[test]
fn only_an_edit_of_the_imports_changes_the_context_hash() {
    let site_keys = |fixture: &str| {
        let (_, found, _) = collect_fixture_sites("a.py", fixture);
        let inner = found.iter().filter(|site| site.subject_line > 0);
        inner.map(|site| (site.key, site.context)).collect::<Vec<_>>()
    };
    let before = site_keys(PYTHON);
    assert!(before.len() > 5);
    let moved = site_keys(&PYTHON.replace("@deco", "def other(): ...\n\n    @deco"));
    assert_eq!(before, moved);
    let imports = site_keys(&PYTHON.replace("import os", "import os, sys"));
    assert!(before.iter().zip(&imports).all(|(a, b)| a.0 == b.0 && a.1 != b.1));
}
