//! Files that are right but unusual: scripts without extension, lines that end with a carriage return, bytes that are no text.

use expect_test::expect;
use kenning_graph::Snapshot;
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::fmt::Write as _;
use std::path::Path;

fn open(root: &Path, database: &Path) -> Workspace {
    let options = WorkspaceOptions { db: Some(database.join("graph.db")), ..WorkspaceOptions::default() };
    Workspace::open(root, options).expect("opens")
}

/// Every symbol with its language and lines from 0, and what it calls.
fn shown(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for file in snapshot.files() {
        let language = snapshot.file(file).expect("a file").language;
        for id in snapshot.file_symbols(file) {
            let symbol = snapshot.symbol(id).expect("a symbol");
            let (name, first, last) = (symbol.qualified_name(), symbol.span.start_line, symbol.span.end_line);
            write!(out, "{name} ({language}, {first}-{last})").expect("a string takes text");
            for edge in snapshot.out_edges(id).iter().filter(|edge| edge.kind.as_str() == "calls") {
                let target = snapshot.symbol(edge.target).expect("a symbol").qualified_name();
                write!(out, " -> {target} in line {:?}", edge.line).expect("a string takes text");
            }
            out.push('\n');
        }
    }
    out
}

#[test]
fn a_script_without_extension_comes_and_goes_with_its_first_line() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    std::fs::write(root.join("lib.py"), "def run(): pass\n").expect("written");
    std::fs::write(root.join("LICENSE"), "Do what you like.\n").expect("written");
    std::fs::write(root.join("tool"), "#!/usr/bin/env python3\nfrom lib import run\ndef main(): run()\n")
        .expect("written");
    let mut workspace = open(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    expect![[r#"
        lib.py (python, 0-0)
        lib.py::run (python, 0-0)
        tool (python, 0-2)
        tool::main (python, 2-2) -> lib.py::run in line Some(2)
    "#]]
    .assert_eq(&shown(&workspace.current_snapshot()));
    // A script in another language, though not one byte of its path says so; then none at all.
    for (text, files) in
        [("#!/usr/bin/ruby\ndef main = 1\n", 2), ("#!/bin/sh\n", 1), ("#!/usr/bin/env node\n", 2)]
    {
        std::fs::write(root.join("tool"), text).expect("written");
        assert_eq!(workspace.refresh_all(&NoProgress).expect("looked").files, files, "{text}");
    }
}

#[test]
fn lines_end_with_a_carriage_return_as_in_an_editor() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    let text = "# Says it.\rdef say(): pass\r\rdef main():\r    say()\r";
    std::fs::write(root.join("a.py"), text).expect("written");
    let mut workspace = open(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    let snapshot = workspace.current_snapshot();
    expect![[r#"
        a.py (python, 0-4)
        a.py::say (python, 1-1)
        a.py::main (python, 3-4) -> a.py::say in line Some(4)
    "#]]
    .assert_eq(&shown(&snapshot));
    let file = snapshot.file(snapshot.file_by_path("a.py").expect("a file")).expect("a file");
    let given = workspace.text_source().file_text("a.py", &file.content_hash).expect("the text");
    assert_eq!(*given, text.replace('\r', "\n"));
}

#[test]
fn a_text_that_is_not_utf8_is_given_with_the_offsets_that_the_graph_has() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    std::fs::write(root.join("a.py"), b"# caf\xe9 \xff\ndef f(): pass\n").expect("written");
    let mut workspace = open(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    let snapshot = workspace.current_snapshot();
    let file = snapshot.file_by_path("a.py").expect("a file");
    let symbols = snapshot.file_symbols(file);
    let f = snapshot.symbol(*symbols.last().expect("f")).expect("a symbol");
    let hash = snapshot.file(file).expect("a file").content_hash;
    let text = workspace.text_source().file_text("a.py", &hash).expect("the text");
    assert_eq!(&text[f.span.start as usize..f.span.end as usize], "def f(): pass");
}
