//! Tests of unusual files: scripts without an extension, lines that end with a carriage return,
//! bytes that are not UTF-8, configuration files that their keys identify, and secret values.

use expect_test::expect;
use kenning_graph::Snapshot;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::workspace::{NoProgress, RefreshScope, Workspace, WorkspaceOptions};
use std::fmt::Write as _;
use std::path::Path;

fn open_workspace(root: &Path, database: &Path) -> Workspace {
    let options = WorkspaceOptions { db: Some(database.join("graph.db")), ..WorkspaceOptions::default() };
    Workspace::open(root, options).expect("opens")
}

/// Renders every symbol with its language, its 0-based lines and its calls.
fn render_symbols(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for file in snapshot.files() {
        let language = snapshot.file(file).expect("a file").language;
        for id in snapshot.file_symbols(file) {
            let symbol = snapshot.symbol(id).expect("a symbol");
            let (name, first, last) = (symbol.qualified_name(), symbol.span.start_line, symbol.span.end_line);
            write!(out, "{name} ({language}, {first}-{last})").expect("writing to a string succeeds");
            for edge in snapshot.out_edges(id).iter().filter(|edge| edge.kind.as_str() == "calls") {
                let target = snapshot.symbol(edge.target).expect("a symbol").qualified_name();
                write!(out, " -> {target} in line {:?}", edge.line).expect("writing to a string succeeds");
            }
            out.push('\n');
        }
    }
    out
}

#[test]
fn a_script_without_extension_is_indexed_according_to_its_first_line() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    std::fs::write(root.join("lib.py"), "def run(): pass\n").expect("written");
    std::fs::write(root.join("LICENSE"), "Do what you like.\n").expect("written");
    std::fs::write(root.join("tool"), "#!/usr/bin/env python3\nfrom lib import run\ndef main(): run()\n")
        .expect("written");
    let mut workspace = open_workspace(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    expect![[r#"
        lib.py (python, 0-0)
        lib.py::run (python, 0-0)
        tool (python, 0-2)
        tool::main (python, 2-2) -> lib.py::run in line Some(2)
    "#]]
    .assert_eq(&render_symbols(&workspace.current_snapshot()));
    // The same path becomes a script in another language, then a file in an unknown language, then
    // a script again.
    for (text, files) in
        [("#!/usr/bin/ruby\ndef main = 1\n", 2), ("#!/bin/unknown\n", 1), ("#!/usr/bin/env node\n", 2)]
    {
        std::fs::write(root.join("tool"), text).expect("written");
        assert_eq!(workspace.refresh_all(&NoProgress).expect("refreshed").files, files, "{text}");
    }
}

#[test]
fn a_carriage_return_ends_a_line_as_in_an_editor() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    let text = "# Says it.\rdef say(): pass\r\rdef main():\r    say()\r";
    std::fs::write(root.join("a.py"), text).expect("written");
    let mut workspace = open_workspace(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    let snapshot = workspace.current_snapshot();
    expect![[r#"
        a.py (python, 0-4)
        a.py::say (python, 1-1)
        a.py::main (python, 3-4) -> a.py::say in line Some(4)
    "#]]
    .assert_eq(&render_symbols(&snapshot));
    let file = snapshot.file(snapshot.file_by_path("a.py").expect("a file")).expect("a file");
    let text_from_source = workspace.text_source().file_text("a.py", &file.content_hash).expect("the text");
    assert_eq!(*text_from_source, text.replace('\r', "\n"));
}

#[test]
fn offsets_of_the_graph_apply_to_the_text_of_a_file_that_is_not_utf8() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    std::fs::write(root.join("a.py"), b"# caf\xe9 \xff\ndef f(): pass\n").expect("written");
    let mut workspace = open_workspace(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    let snapshot = workspace.current_snapshot();
    let file = snapshot.file_by_path("a.py").expect("a file");
    let symbols = snapshot.file_symbols(file);
    let function = snapshot.symbol(*symbols.last().expect("the function")).expect("a symbol");
    let hash = snapshot.file(file).expect("a file").content_hash;
    let text = workspace.text_source().file_text("a.py", &hash).expect("the text");
    let (start, end) = (function.span.start as usize, function.span.end as usize);
    assert_eq!(&text[start..end], "def f(): pass");
}

#[test]
fn the_keys_of_a_configuration_file_decide_whether_it_is_indexed() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    std::fs::write(root.join("a.py"), "def run(): pass\n").expect("written");
    std::fs::write(root.join("values.yaml"), "kind: none\n").expect("written");
    std::fs::write(root.join("data.json"), "{\"name\": \"a\"}\n").expect("written");
    let mut workspace = open_workspace(root, database.path());
    assert_eq!(workspace.refresh_all(&NoProgress).expect("indexed").files, 1);
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n";
    for (text, files) in [(pod, 2), ("kind: Pod\n", 1), ("openapi: 3.0.3\ninfo: {}\n", 2), (pod, 2)] {
        std::fs::write(root.join("values.yaml"), text).expect("written");
        assert!(RefreshScope::can_affect_graph("values.yaml"));
        let scope = RefreshScope::for_path("values.yaml");
        assert_eq!(workspace.refresh_within(&scope, &NoProgress).expect("refreshed").files, files, "{text}");
    }
    expect![[r#"
        a.py (python, 0-0)
        a.py::run (python, 0-0)
        values.yaml (kubernetes, 0-3)
        values.yaml::Pod/a (kubernetes, 0-3)
    "#]]
    .assert_eq(&render_symbols(&workspace.current_snapshot()));
    std::fs::create_dir_all(root.join(".github/workflows")).expect("made");
    std::fs::write(root.join(".github/workflows/ci.yml"), "jobs: {test: {}}\n").expect("written");
    std::fs::write(root.join(".github/other.yml"), pod).expect("written");
    let scope = RefreshScope::for_path(".github/workflows/ci.yml")
        .merge_with(RefreshScope::for_path(".github/other.yml"));
    assert_eq!(workspace.refresh_within(&scope, &NoProgress).expect("refreshed").files, 3);
    assert_eq!(workspace.refresh_all(&NoProgress).expect("refreshed").files, 3);
}

#[test]
fn the_databases_contain_no_secret_values() {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    let root = folder.path();
    // The values do not look like credentials, so only the rules for these files can mask them.
    let texts = [
        (".env", "# was: zebraword\nSHOP_NAME=zebraword # zebraword\nexport SHOP_OWNER='a\n  zebraword\n'\n"),
        ("deploy/prod.env", "SHOP_NAME = \"zebraword\"\n"),
        (".env.local", "SHOP_NAME=zebraword"),
        (
            "k8s/a.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  SHOP_NAME: zebraword\n  b: |\n    zebraword\n",
        ),
        (
            "k8s/b.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {SHOP_NAME: zebraword,\n  b: zebraword}\n",
        ),
        (
            "k8s/env.yaml",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - env:\n    - name: SHOP_NAME\n      value: zebraword\n    - value: 'zebraword'\n      name: B\n",
        ),
        (
            ".gitlab-ci.yml",
            "variables:\n  SHOP_NAME: zebraword\n  B:\n    value: zebraword\ntest:\n  script: make\n",
        ),
        ("k8s/broken.yaml", "apiVersion: v1\nkind: Secret\ndata:\n  {{ a: zebraword\n  b: [zebraword\n"),
    ];
    for (path, text) in texts {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
        let language = LanguageRegistry::get().find_by_file(path, text.as_bytes()).expect("a language");
        let facts = Extractor::new().extract_file(language.language_id(), text.as_bytes());
        assert!(!format!("{facts:?}").contains("zebra"), "{path}: {facts:?}");
        let has_names = !matches!(path, "k8s/b.yaml" | "k8s/broken.yaml");
        assert!(!has_names || format!("{facts:?}").contains("SHOP_NAME"), "{path}");
    }
    let mut workspace = open_workspace(root, database.path());
    workspace.refresh_all(&NoProgress).expect("indexed");
    let snapshot = workspace.current_snapshot();
    for (path, text) in texts {
        let file = snapshot.file(snapshot.file_by_path(path).expect("indexed")).expect("a file");
        let shown = workspace.text_source().file_text(path, &file.content_hash).expect("the text");
        assert!(shown.len() == text.len() && !shown.contains("zebra"), "{path}: {shown}");
    }
    drop(workspace);
    let mut bytes_read = 0;
    for entry in std::fs::read_dir(database.path()).expect("listed") {
        let path = entry.expect("an entry").path();
        let Ok(bytes) = std::fs::read(&path) else { continue };
        bytes_read += bytes.len();
        assert!(!bytes.windows(5).any(|window| window == b"zebra"), "{}", path.display());
    }
    assert!(bytes_read > 1000, "only {bytes_read} bytes of the databases were read");
}
