//! Tests that incremental indexing equals indexing from scratch: after every edit the graph is the
//! one of a fresh index, and the cost of an edit depends on what it changes.

use kenning_graph::EdgeKind;
use kenning_graph::paths::folder_of;
use kenning_graph::store::{self, DatabaseKind};
use kenning_indexing::workspace::{NoProgress, RefreshScope, Workspace};
use tests::{Fixture, Numbers, POLYGLOT};

/// Names that edits exchange, so that they collide with definitions and calls of other files.
const NAMES: &[&str] =
    &["apply", "rate", "total", "round", "Cart", "Tax", "Base", "apply_tax", "applyTax", "Apply"];

/// Makes a random change to the workspace on disk and returns the changed paths.
fn edit(fixture: &Fixture, numbers: &mut Numbers, step: usize) -> Vec<String> {
    let present: Vec<&str> =
        POLYGLOT.iter().map(|(path, _)| *path).filter(|p| fixture.root().join(p).exists()).collect();
    let path = present[numbers.below(present.len())];
    let text = fixture.read(path);
    match numbers.below(7) {
        // Rename one word everywhere in the file.
        0 | 1 => {
            let (from, to) = (NAMES[numbers.below(NAMES.len())], NAMES[numbers.below(NAMES.len())]);
            fixture.write(path, &text.replace(from, to));
        }
        // Delete a line.
        2 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                lines.remove(numbers.below(lines.len()));
            }
            fixture.write(path, &(lines.join("\n") + "\n"));
        }
        // Repeat a line.
        3 => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let at = numbers.below(lines.len());
                lines.insert(at, lines[at]);
            }
            fixture.write(path, &(lines.join("\n") + "\n"));
        }
        // Delete the file, but never the last ones.
        4 if present.len() > 8 => std::fs::remove_file(fixture.root().join(path)).expect("removed"),
        // Move the file into another folder.
        5 => {
            let (target, _) = POLYGLOT[numbers.below(POLYGLOT.len())];
            let name = path.rsplit('/').next().expect("a name");
            let target = format!("{}/{step}-{name}", folder_of(target)).trim_start_matches('/').to_owned();
            fixture.write(&target, &text);
            return vec![target];
        }
        // Put the original back.
        _ => {
            let (path, text) = POLYGLOT[numbers.below(POLYGLOT.len())];
            fixture.write(path, text);
            return vec![path.to_owned()];
        }
    }
    vec![path.to_owned()]
}

/// Asserts that the checksums in a database match its content, so that sound data is never reported
/// as damaged.
fn assert_sound(database: &std::path::Path, step: usize) {
    let check = store::verify_database(database, DatabaseKind::Graph).expect("readable");
    assert_eq!(check.problems, [""; 0], "step {step}");
}

#[test]
fn after_each_of_a_hundred_random_edits_the_graph_is_that_of_a_fresh_index() {
    let fixture = Fixture::polyglot();
    let mut numbers = Numbers(7);
    let mut workspace = fixture.open("incremental");
    workspace.refresh_all(&NoProgress).expect("indexed");
    for step in 0..100 {
        let touched = edit(&fixture, &mut numbers, step);
        if step % 10 == 9 {
            // Another process must find the same state.
            drop(workspace);
            workspace = fixture.open("incremental");
        }
        let report = workspace.refresh_all(&NoProgress).expect("refreshed");
        assert!(
            report.parsed <= touched.len(),
            "step {step}: {} files parsed for {touched:?}",
            report.parsed
        );
        assert_eq!(
            workspace.current_snapshot().source_root(),
            fixture.fresh_root(),
            "step {step}: {touched:?}"
        );
        assert_sound(&fixture.database("incremental"), step);
    }
}

#[test]
fn unsaved_edits_give_the_graph_that_saving_them_gives() {
    let fixture = Fixture::polyglot();
    let mut numbers = Numbers(11);
    let mut workspace = fixture.open("buffers");
    workspace.refresh_all(&NoProgress).expect("indexed");
    let disk = workspace.current_snapshot().source_root();
    for step in 0..20 {
        let (path, text) = POLYGLOT[1 + numbers.below(POLYGLOT.len() - 1)];
        if path == "Cargo.toml" {
            continue;
        }
        let (from, to) = (NAMES[numbers.below(NAMES.len())], NAMES[numbers.below(NAMES.len())]);
        let edited = text.replace(from, to);
        let unsaved = workspace.set_buffer(path, &edited).source_root();
        fixture.write(path, &edited);
        assert_eq!(unsaved, fixture.fresh_root(), "step {step}: {from} -> {to} in {path}");
        fixture.write(path, text);
        assert_eq!(workspace.close_buffer(path).source_root(), disk, "step {step}: closed");
    }
}

/// Replaces text in a file and returns the number of parsed files, of resolved files, and of files
/// in the overlay.
fn cost(
    workspace: &mut Workspace,
    fixture: &Fixture,
    path: &str,
    from: &str,
    to: &str,
) -> (usize, usize, usize) {
    fixture.write(path, &fixture.read(path).replace(from, to));
    let report = workspace.refresh_all(&NoProgress).expect("refreshed");
    (report.parsed, report.resolved_files, workspace.current_snapshot().overlay_file_count())
}

#[test]
fn an_edit_costs_what_it_changes() {
    let fixture = Fixture::polyglot();
    let mut workspace = fixture.open("cost");
    let first = workspace.refresh_all(&NoProgress).expect("indexed");
    assert_eq!((first.parsed, first.resolved_files), (first.files, first.files));
    assert_eq!(workspace.current_snapshot().overlay_file_count(), 0, "a fresh index is all base");
    let nothing = workspace.refresh_all(&NoProgress).expect("refreshed");
    assert_eq!((nothing.parsed, nothing.resolved_files), (0, 0));
    // An edit inside a body resolves only its own file.
    assert_eq!(cost(&mut workspace, &fixture, "tax/tax.go", "price / 5", "price / 6"), (1, 1, 1));
    // After undoing it, the facts are found by content hash.
    assert_eq!(cost(&mut workspace, &fixture, "tax/tax.go", "price / 6", "price / 5"), (0, 1, 1));
    // A new name also resolves the files that looked it up.
    let (parsed, resolved, _) = cost(&mut workspace, &fixture, "tax/tax.go", "func Apply", "func Applied");
    assert_eq!(parsed, 1);
    assert!((2..6).contains(&resolved), "{resolved} files were resolved");
}

/// Two shops that use the same names and are independent of each other, in languages where a name
/// is found in one file (Python, Java) and in a type (Go, Rust).
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
fn a_name_that_changes_in_one_place_leaves_those_who_found_it_elsewhere() {
    let fixture = Fixture::new();
    for (path, text) in TWO_SHOPS {
        fixture.write(path, text);
    }
    let mut workspace = fixture.open("names");
    workspace.refresh_all(&NoProgress).expect("indexed");
    for (path, from, to) in [
        ("src/two.rs", "grind(&self)", "grind(&self, olives: u8)"),
        ("two/press.go", "Grind()", "Grind(olives int)"),
        ("two.py", "grind()", "grind(olives)"),
    ] {
        let (_, resolved, _) = cost(&mut workspace, &fixture, path, from, to);
        assert_eq!(resolved, 2, "{path}: itself and the one file that calls it");
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root(), "{path}");
        // After the name is gone, files that found it here are resolved again, and the others are
        // not.
        let text = fixture.read(path);
        fixture.write(path, "");
        let report = workspace.refresh_all(&NoProgress).expect("refreshed");
        assert_eq!(report.resolved_files, 2, "{path} is empty");
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root(), "{path} is empty");
        fixture.write(path, &text);
        workspace.refresh_all(&NoProgress).expect("refreshed");
    }
}

/// Returns the certain routes of a workspace with the files that serve them, sorted.
fn routes(workspace: &Workspace) -> Vec<String> {
    let snapshot = workspace.current_snapshot();
    let ids = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbols(file));
    let served = ids.flat_map(|id| snapshot.in_edges(id)).filter(|edge| edge.kind == EdgeKind::HandlesRoute);
    let named = served.filter(|edge| edge.confidence > 0.7).filter_map(|edge| {
        Some(format!("{} {}", snapshot.symbol(edge.source)?.name, snapshot.symbol(edge.target)?.path))
    });
    let mut all: Vec<String> = named.collect();
    all.sort();
    all
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
    workspace.refresh_all(&NoProgress).expect("indexed");
    assert_eq!(routes(&workspace), ["GET /api/{} web/users.js"]);
    // The next process knows the mounts only from the image.
    drop(workspace);
    workspace = fixture.open("mounts");
    let (_, resolved, _) = cost(&mut workspace, &fixture, "web/app.js", "/api", "/v2");
    assert_eq!(resolved, 2, "the file that mounts, and the one that is mounted");
    assert_eq!(routes(&workspace), ["GET /v2/{} web/users.js"]);
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
    // Unsaved text counts as well.
    workspace.set_buffer("web/app.js", &app.replace("/api", "/unsaved"));
    assert_eq!(routes(&workspace), ["GET /unsaved/{} web/users.js"]);
    workspace.close_buffer("web/app.js");
    std::fs::rename(fixture.root().join("web/app.js"), fixture.root().join("web/main.js")).expect("renamed");
    workspace.refresh_all(&NoProgress).expect("refreshed");
    assert_eq!(routes(&workspace), ["GET /v2/{} web/users.js"]);
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
    std::fs::remove_file(fixture.root().join("web/main.js")).expect("removed");
    workspace.refresh_all(&NoProgress).expect("refreshed");
    assert!(routes(&workspace).is_empty(), "nobody mounts it that can be seen");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
}

#[test]
fn a_new_list_of_owners_resolves_only_the_files_it_gives_other_owners() {
    let fixture = Fixture::polyglot();
    fixture.write("CODEOWNERS", "*.go @go\n*.py @py\n");
    let mut workspace = fixture.open("owners");
    workspace.refresh_all(&NoProgress).expect("indexed");
    let python = {
        let snapshot = workspace.current_snapshot();
        let files = snapshot.files();
        files.iter().filter(|&&id| snapshot.file(id).expect("live").language == "python").count()
    };
    for text in ["*.go @go\n*.py @others\n", "*.go @go\n"] {
        fixture.write("CODEOWNERS", text);
        // The next process knows the old owners only from the graph.
        drop(workspace);
        workspace = fixture.open("owners");
        let report =
            workspace.refresh_within(&RefreshScope::for_path("CODEOWNERS"), &NoProgress).expect("looked");
        assert_eq!((report.parsed, report.resolved_files), (0, python));
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
    }
}

#[test]
fn looking_at_the_named_files_gives_what_a_walk_of_everything_gives() {
    let fixture = Fixture::polyglot();
    fixture.write(".gitignore", "out/\n*.skip.py\n");
    let mut numbers = Numbers(23);
    let mut workspace = fixture.open("named");
    workspace.refresh_all(&NoProgress).expect("indexed");
    for step in 0..60 {
        let mut touched = edit(&fixture, &mut numbers, step);
        let extra = match numbers.below(10) {
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
            // Remove a folder. Only the folder itself is named as changed.
            std::fs::remove_dir_all(fixture.root().join("java/shop")).expect("removed");
            touched.push("java/shop".to_owned());
        }
        let scope = touched
            .iter()
            .map(|path| RefreshScope::for_path(path))
            .reduce(RefreshScope::merge_with)
            .expect("something changed");
        let report = workspace.refresh_within(&scope, &NoProgress).expect("refreshed");
        assert!(report.parsed <= touched.len() + 2, "step {step}: {} parsed for {touched:?}", report.parsed);
        assert_eq!(
            workspace.current_snapshot().source_root(),
            fixture.fresh_root(),
            "step {step}: {touched:?}"
        );
        assert_sound(&fixture.database("named"), step);
    }
}

#[test]
fn a_change_of_the_same_size_whose_time_was_put_back_is_seen() {
    let fixture = Fixture::polyglot();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let rewrite = |text: &str| {
        fixture.write("tax/tax.go", text);
        let file =
            std::fs::File::options().write(true).open(fixture.root().join("tax/tax.go")).expect("opens");
        file.set_modified(long_ago).expect("set");
    };
    let text = fixture.read("tax/tax.go");
    rewrite(&text);
    let mut workspace = fixture.open("clock");
    workspace.refresh_all(&NoProgress).expect("indexed");
    rewrite(&text.replace("Apply", "Bpply"));
    workspace.refresh_all(&NoProgress).expect("refreshed");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
}
