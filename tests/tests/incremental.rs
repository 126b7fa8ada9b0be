//! Tests that incremental indexing equals indexing from scratch: after every edit the graph equals
//! that of a fresh index, and only the files that the edit affects are parsed and resolved.

use kenning_graph::EdgeKind;
use kenning_graph::paths::parent_folder;
use kenning_graph::store::{self, DatabaseKind};
use kenning_indexing::workspace::{NoProgress, RefreshScope, Workspace};
use tests::{Fixture, POLYGLOT, RandomNumbers};

/// Names that edits swap with one another, so that they collide with definitions and calls in other
/// files.
const NAMES: &[&str] =
    &["apply", "rate", "total", "round", "Cart", "Tax", "Base", "apply_tax", "applyTax", "Apply"];

/// Makes a random change to the workspace on disk and returns the changed paths.
fn edit_randomly(fixture: &Fixture, numbers: &mut RandomNumbers, step: usize) -> Vec<String> {
    let present: Vec<&str> =
        POLYGLOT.iter().map(|(path, _)| *path).filter(|p| fixture.root().join(p).exists()).collect();
    let path = present[numbers.next_below(present.len())];
    let text = fixture.read(path);
    match numbers.next_below(7) {
        // Rename one word everywhere in the file.
        0 | 1 => {
            let (from, to) = (NAMES[numbers.next_below(NAMES.len())], NAMES[numbers.next_below(NAMES.len())]);
            fixture.write(path, &text.replace(from, to));
        }
        // Delete a line.
        2 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                lines.remove(numbers.next_below(lines.len()));
            }
            fixture.write(path, &(lines.join("\n") + "\n"));
        }
        // Repeat a line.
        3 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let at = numbers.next_below(lines.len());
                lines.insert(at, lines[at]);
            }
            fixture.write(path, &(lines.join("\n") + "\n"));
        }
        // Delete the file, unless few are left.
        4 if present.len() > 8 => {
            std::fs::remove_file(fixture.root().join(path)).expect("the file is removed");
        }
        // Move the file into another folder.
        5 => {
            let (target, _) = POLYGLOT[numbers.next_below(POLYGLOT.len())];
            let name = path.rsplit('/').next().expect("`rsplit` yields at least one part");
            let target =
                format!("{}/{step}-{name}", parent_folder(target)).trim_start_matches('/').to_owned();
            fixture.write(&target, &text);
            return vec![target];
        }
        // Restore an original file.
        _ => {
            let (path, text) = POLYGLOT[numbers.next_below(POLYGLOT.len())];
            fixture.write(path, text);
            return vec![path.to_owned()];
        }
    }
    vec![path.to_owned()]
}

/// Asserts that the checksums in a database match its content, so that intact data is never
/// reported as damaged.
fn assert_undamaged(database: &std::path::Path, step: usize) {
    let check = store::verify_database(database, DatabaseKind::Graph).expect("the database is readable");
    assert_eq!(check.problems, [""; 0], "step {step}");
}

#[test]
fn after_each_of_a_hundred_random_edits_the_graph_equals_a_fresh_index() {
    let fixture = Fixture::polyglot();
    let mut numbers = RandomNumbers(7);
    let mut workspace = fixture.open("incremental");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    for step in 0..100 {
        let touched = edit_randomly(&fixture, &mut numbers, step);
        if step % 10 == 9 {
            // Another process must find the same state.
            drop(workspace);
            workspace = fixture.open("incremental");
        }
        let report = workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
        assert!(
            report.parsed <= touched.len(),
            "step {step}: {} files parsed for {touched:?}",
            report.parsed
        );
        assert_eq!(
            workspace.current_snapshot().source_root(),
            fixture.fresh_source_root(),
            "step {step}: {touched:?}"
        );
        assert_undamaged(&fixture.database_path("incremental"), step);
    }
}

#[test]
fn unsaved_edits_give_the_same_graph_as_saved_ones() {
    let fixture = Fixture::polyglot();
    let mut numbers = RandomNumbers(11);
    let mut workspace = fixture.open("buffers");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    let disk = workspace.current_snapshot().source_root();
    for step in 0..20 {
        let (path, text) = POLYGLOT[1 + numbers.next_below(POLYGLOT.len() - 1)];
        if path == "Cargo.toml" {
            continue;
        }
        let (from, to) = (NAMES[numbers.next_below(NAMES.len())], NAMES[numbers.next_below(NAMES.len())]);
        let edited = text.replace(from, to);
        let unsaved = workspace.set_buffer(path, &edited).source_root();
        fixture.write(path, &edited);
        assert_eq!(unsaved, fixture.fresh_source_root(), "step {step}: {from} -> {to} in {path}");
        fixture.write(path, text);
        assert_eq!(workspace.close_buffer(path).source_root(), disk, "step {step}: closed");
    }
}

/// Numbers of files after a refresh.
#[derive(Debug, PartialEq, Eq)]
struct RefreshCounts {
    parsed: usize,
    resolved: usize,
    /// Files in the overlay.
    overlay: usize,
}

/// Replaces text in a file and refreshes the workspace.
fn replace_and_refresh(
    workspace: &mut Workspace,
    fixture: &Fixture,
    path: &str,
    from: &str,
    to: &str,
) -> RefreshCounts {
    fixture.write(path, &fixture.read(path).replace(from, to));
    let report = workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    RefreshCounts {
        parsed: report.parsed,
        resolved: report.resolved_files,
        overlay: workspace.current_snapshot().overlay_file_count(),
    }
}

#[test]
fn an_edit_parses_and_resolves_only_the_affected_files() {
    let fixture = Fixture::polyglot();
    let mut workspace = fixture.open("cost");
    let first = workspace.refresh_all(&NoProgress).expect("the index succeeds");
    assert_eq!((first.parsed, first.resolved_files), (first.files, first.files));
    assert_eq!(workspace.current_snapshot().overlay_file_count(), 0, "a fresh index has no overlay");
    let unchanged = workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert_eq!((unchanged.parsed, unchanged.resolved_files), (0, 0));
    // An edit inside a body resolves only its own file.
    assert_eq!(
        replace_and_refresh(&mut workspace, &fixture, "tax/tax.go", "price / 5", "price / 6"),
        RefreshCounts { parsed: 1, resolved: 1, overlay: 1 }
    );
    // After an undo, the facts are found in the cache by content hash.
    assert_eq!(
        replace_and_refresh(&mut workspace, &fixture, "tax/tax.go", "price / 6", "price / 5"),
        RefreshCounts { parsed: 0, resolved: 1, overlay: 1 }
    );
    // A new name also resolves the files that looked it up.
    let counts = replace_and_refresh(&mut workspace, &fixture, "tax/tax.go", "func Apply", "func Applied");
    assert_eq!(counts.parsed, 1);
    assert!((2..6).contains(&counts.resolved), "{counts:?}");
}

/// Two independent groups of files that use the same names, in languages whose names are resolved
/// in a file (Python) or in a type (Go, Rust).
const TWO_SHOPS: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shops\n\ngo 1.24\n"),
    ("Cargo.toml", "[package]\nname = \"shops\"\nversion = \"1.0.0\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "mod one;\nmod two;\nmod use_one;\nmod use_two;\n"),
    ("src/one.rs", "pub struct Mill;\nimpl Mill {\n    pub fn grind(&self, corn: u8) {}\n}\n"),
    ("src/two.rs", "pub struct Wine;\nimpl Wine {\n    pub fn grind(&self) {}\n}\n"),
    ("src/use_one.rs", "use crate::one::Mill;\nfn run(m: &Mill) {\n    m.grind(1);\n}\n"),
    ("src/use_two.rs", "use crate::two::Wine;\nfn run(p: &Wine) {\n    p.grind();\n}\n"),
    ("one/mill.go", "package one\n\ntype Mill struct{}\n\nfunc (m *Mill) Grind(corn int) {}\n"),
    ("two/press.go", "package two\n\ntype Press struct{}\n\nfunc (p *Press) Grind() {}\n"),
    ("a/a.go", "package a\n\nimport \"example.com/shops/one\"\n\nfunc Run(m *one.Mill) {\n\tm.Grind(1)\n}\n"),
    ("b/b.go", "package b\n\nimport \"example.com/shops/two\"\n\nfunc Run(p *two.Press) {\n\tp.Grind()\n}\n"),
    ("one.py", "def grind(corn):\n    pass\n"),
    ("two.py", "def grind():\n    pass\n"),
    ("use_one.py", "from one import grind\n\n\ndef run():\n    grind(1)\n"),
    ("use_two.py", "from two import grind\n\n\ndef run():\n    grind()\n"),
];

#[test]
fn a_changed_definition_does_not_resolve_files_that_use_a_namesake() {
    let fixture = Fixture::new();
    for (path, text) in TWO_SHOPS {
        fixture.write(path, text);
    }
    let mut workspace = fixture.open("names");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    for (path, from, to) in [
        ("src/two.rs", "grind(&self)", "grind(&self, olives: u8)"),
        ("two/press.go", "Grind()", "Grind(olives int)"),
        ("two.py", "grind()", "grind(olives)"),
    ] {
        let counts = replace_and_refresh(&mut workspace, &fixture, path, from, to);
        assert_eq!(counts.resolved, 2, "{path}: the changed file and its one caller are resolved");
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root(), "{path}");
        // After the definition is removed, only the files that resolved to it are resolved again.
        let text = fixture.read(path);
        fixture.write(path, "");
        let report = workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
        assert_eq!(report.resolved_files, 2, "{path} is empty");
        assert_eq!(
            workspace.current_snapshot().source_root(),
            fixture.fresh_source_root(),
            "{path} is empty"
        );
        fixture.write(path, &text);
        workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    }
}

/// Returns the routes of a workspace with a confidence above 0.7, each with the file that serves
/// it, sorted.
fn confident_routes(workspace: &Workspace) -> Vec<String> {
    let snapshot = workspace.current_snapshot();
    let ids = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbols(file));
    let route_edges =
        ids.flat_map(|id| snapshot.in_edges(id)).filter(|edge| edge.kind == EdgeKind::HandlesRoute);
    let routes = route_edges.filter(|edge| edge.confidence > 0.7).filter_map(|edge| {
        Some(format!("{} {}", snapshot.symbol(edge.source)?.name, snapshot.symbol(edge.target)?.path))
    });
    let mut routes: Vec<String> = routes.collect();
    routes.sort();
    routes
}

#[test]
fn the_routes_of_a_router_follow_the_file_that_mounts_it() {
    let fixture = Fixture::new();
    let app =
        "const express = require('express');\nconst app = express();\napp.use('/api', require('./users'));\n";
    fixture.write("web/app.js", app);
    fixture.write(
        "web/users.js",
        "const { Router } = require('express');\nconst router = Router();\nrouter.get('/:id', show);\nfunction show() {}\nmodule.exports = router;\n",
    );
    fixture.write("web/other.js", "export function other() {\n  return 1;\n}\n");
    let mut workspace = fixture.open("mounts");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    assert_eq!(confident_routes(&workspace), ["GET /api/{} web/users.js"]);
    // The next process knows the mounts only from the image.
    drop(workspace);
    workspace = fixture.open("mounts");
    let counts = replace_and_refresh(&mut workspace, &fixture, "web/app.js", "/api", "/v2");
    assert_eq!(counts.resolved, 2, "the file that mounts the router and the file that defines it");
    assert_eq!(confident_routes(&workspace), ["GET /v2/{} web/users.js"]);
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
    // Unsaved text also counts.
    workspace.set_buffer("web/app.js", &app.replace("/api", "/unsaved"));
    assert_eq!(confident_routes(&workspace), ["GET /unsaved/{} web/users.js"]);
    workspace.close_buffer("web/app.js");
    std::fs::rename(fixture.root().join("web/app.js"), fixture.root().join("web/main.js")).expect("renamed");
    workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert_eq!(confident_routes(&workspace), ["GET /v2/{} web/users.js"]);
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
    std::fs::remove_file(fixture.root().join("web/main.js")).expect("the file is removed");
    workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert!(confident_routes(&workspace).is_empty(), "no file mounts the router");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
}

#[test]
fn a_changed_codeowners_file_resolves_only_files_whose_owners_change() {
    let fixture = Fixture::polyglot();
    fixture.write("CODEOWNERS", "*.go @go\n*.py @py\n");
    let mut workspace = fixture.open("owners");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    let python_files = {
        let snapshot = workspace.current_snapshot();
        let files = snapshot.files();
        files
            .iter()
            .filter(|&&id| snapshot.file(id).expect("the file is in the graph").language == "python")
            .count()
    };
    for text in ["*.go @go\n*.py @others\n", "*.go @go\n"] {
        fixture.write("CODEOWNERS", text);
        // The next process knows the old owners only from the graph.
        drop(workspace);
        workspace = fixture.open("owners");
        let report = workspace
            .refresh_within(&RefreshScope::for_path("CODEOWNERS"), &NoProgress)
            .expect("the refresh succeeds");
        assert_eq!((report.parsed, report.resolved_files), (0, python_files));
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
    }
}

#[test]
fn refreshing_the_changed_paths_gives_the_same_graph_as_a_full_walk() {
    let fixture = Fixture::polyglot();
    fixture.write(".gitignore", "out/\n*.skip.py\n");
    let mut numbers = RandomNumbers(23);
    let mut workspace = fixture.open("named");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    for step in 0..60 {
        let mut touched = edit_randomly(&fixture, &mut numbers, step);
        let extra = match numbers.next_below(10) {
            0 => Some((format!("out/{step}.py"), "def apply():\n    pass\n")),
            1 => Some((format!("py/{step}.skip.py"), "def apply():\n    pass\n")),
            2 => Some((format!("new{step}/in/side.py"), "from shop.tax import rate\n")),
            3 => Some(("py/made.py".to_owned(), "# Code generated by x. DO NOT EDIT.\ndef rate(): pass\n")),
            4 => Some(("py/made.py".to_owned(), "def rate(): pass\n")),
            6 => Some((
                "CODEOWNERS".to_owned(),
                if step % 2 == 0 { "*.py @a\n/web/ @b\n" } else { "*.go @c\n/py/shop @b\n" },
            )),
            7 => Some((".github/CODEOWNERS".to_owned(), "/tax/ @org/tax\n")),
            5 => Some(("py/.gitignore".to_owned(), if step % 2 == 0 { "tax.py\n" } else { "" })),
            _ => None,
        };
        if let Some((path, text)) = extra {
            fixture.write(&path, text);
            touched.push(path);
        }
        if step % 15 == 14 && fixture.root().join("java/shop").exists() {
            // Remove a folder and report only the folder itself as changed.
            std::fs::remove_dir_all(fixture.root().join("java/shop")).expect("the folder is removed");
            touched.push("java/shop".to_owned());
        }
        let scope = touched
            .iter()
            .map(|path| RefreshScope::for_path(path))
            .reduce(RefreshScope::merge_with)
            .expect("something changed");
        let report = workspace.refresh_within(&scope, &NoProgress).expect("the refresh succeeds");
        assert!(report.parsed <= touched.len() + 2, "step {step}: {} parsed for {touched:?}", report.parsed);
        assert_eq!(
            workspace.current_snapshot().source_root(),
            fixture.fresh_source_root(),
            "step {step}: {touched:?}"
        );
        assert_undamaged(&fixture.database_path("named"), step);
    }
}

#[test]
fn a_change_that_keeps_size_and_modification_time_is_detected() {
    let fixture = Fixture::polyglot();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let rewrite = |text: &str| {
        fixture.write("tax/tax.go", text);
        let file = std::fs::File::options()
            .write(true)
            .open(fixture.root().join("tax/tax.go"))
            .expect("the file opens");
        file.set_modified(long_ago).expect("the time is set");
    };
    let text = fixture.read("tax/tax.go");
    rewrite(&text);
    let mut workspace = fixture.open("clock");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    rewrite(&text.replace("Apply", "Bpply"));
    workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
}
