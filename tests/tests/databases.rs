//! Databases that cannot be used: a sentence that says what to do, and nothing lost.

use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceError, WorkspaceOptions};
use std::path::PathBuf;
use tests::Fixture;

fn cached(fixture: &Fixture) -> WorkspaceOptions {
    WorkspaceOptions {
        cache_home: Some(fixture.root().with_file_name("cache")),
        ..WorkspaceOptions::default()
    }
}

fn indexed(fixture: &Fixture) -> (PathBuf, PathBuf) {
    let mut workspace = Workspace::open(&fixture.root(), cached(fixture)).expect("opens");
    workspace.refresh(&NoProgress).expect("indexed");
    (workspace.db_path().to_owned(), workspace.base_path())
}

fn failure(fixture: &Fixture, options: WorkspaceOptions) -> String {
    match Workspace::open(&fixture.root(), options) {
        Ok(_) => panic!("it opened"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_damaged_database_of_the_cache_is_set_aside_and_rebuilt_by_the_next_run() {
    let fixture = Fixture::polyglot();
    let (database, _) = indexed(&fixture);
    let damaged = "this was a database once".repeat(300);
    std::fs::write(&database, &damaged).expect("written");
    let _ = std::fs::remove_file(database.with_extension("db-wal"));
    let message = failure(&fixture, cached(&fixture));
    assert!(message.contains("is damaged") && message.contains("run the command again"), "{message}");
    let folder = database.parent().expect("in a folder");
    let aside = std::fs::read_dir(folder)
        .expect("listed")
        .flatten()
        .find(|e| e.file_name().to_string_lossy().contains(".damaged-"))
        .expect("the damaged file is kept");
    assert_eq!(std::fs::read_to_string(aside.path()).expect("read"), damaged);
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens again");
    workspace.refresh(&NoProgress).expect("indexed again");
    assert_eq!(workspace.snapshot().source_root(), fixture.fresh_root());
}

#[test]
fn damage_inside_a_database_is_found_and_set_aside_too() {
    let fixture = Fixture::polyglot();
    let (database, base) = indexed(&fixture);
    // Without the image everything is read from the database.
    std::fs::remove_file(base).expect("removed");
    let mut bytes = std::fs::read(&database).expect("read");
    let end = bytes.len();
    bytes[4096..end].fill(0);
    std::fs::write(&database, &bytes).expect("written");
    let message = failure(&fixture, cached(&fixture));
    assert!(message.contains("set aside") && message.contains("run the command again"), "{message}");
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens again");
    workspace.refresh(&NoProgress).expect("indexed again");
    assert_eq!(workspace.snapshot().source_root(), fixture.fresh_root());
}

#[test]
fn what_was_learned_outlives_a_damaged_graph() {
    use kenning_graph::Hash;
    use kenning_graph::store::{Feedback, MemoryStore};
    let fixture = Fixture::polyglot();
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
    workspace.refresh(&NoProgress).expect("indexed");
    let (database, memory) = (workspace.db_path().to_owned(), workspace.memory_path());
    drop(workspace);
    let symbol = Hash::of_content(b"symbol");
    let answer = Feedback { symbol, cluster: symbol, useful: true, package_root: symbol, at: 1 };
    MemoryStore::open(&memory).and_then(|store| store.add_feedback(&answer)).expect("kept");
    std::fs::write(&database, "x".repeat(5000)).expect("written");
    failure(&fixture, cached(&fixture));
    Workspace::open(&fixture.root(), cached(&fixture))
        .and_then(|mut w| w.refresh(&NoProgress))
        .expect("indexed");
    let kept = MemoryStore::open(&memory).and_then(|store| store.feedback(Some(&symbol)));
    let kept: Vec<_> =
        kept.expect("read").iter().map(|sum| (sum.symbol, sum.useful, sum.not_useful)).collect();
    assert_eq!(kept, [(symbol, 1, 0)]);
}

#[test]
fn a_server_goes_on_with_a_new_database() {
    let fixture = Fixture::polyglot();
    let (database, _) = indexed(&fixture);
    std::fs::write(&database, "x".repeat(5000)).expect("written");
    let _ = std::fs::remove_file(database.with_extension("db-wal"));
    let mut workspace =
        Workspace::open(&fixture.root(), WorkspaceOptions { keep_going: true, ..cached(&fixture) })
            .expect("opens");
    let report = workspace.refresh(&NoProgress).expect("indexed");
    assert!(report.rebuilt.expect("told").contains("set aside"));
}

#[test]
fn a_file_that_the_user_names_is_never_moved() {
    let fixture = Fixture::polyglot();
    let letter = fixture.root().with_file_name("letter.txt");
    let text = "Dear reader, this is not a database at all.\n".repeat(100);
    std::fs::write(&letter, &text).expect("written");
    let options = WorkspaceOptions { db: Some(letter.clone()), ..WorkspaceOptions::default() };
    let message = failure(&fixture, options);
    assert!(message.contains("move it away, or name another database with --db"), "{message}");
    assert_eq!(std::fs::read_to_string(&letter).expect("read"), text);
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let fixture = Fixture::polyglot();
    let (database, _) = indexed(&fixture);
    rusqlite::Connection::open(&database)
        .and_then(|c| c.pragma_update(None, "user_version", 99))
        .expect("made newer");
    let message = failure(&fixture, cached(&fixture));
    assert!(message.contains("newer Kenning (schema 99"), "{message}");
    let version: u32 = rusqlite::Connection::open(&database)
        .and_then(|c| c.pragma_query_value(None, "user_version", |row| row.get(0)))
        .expect("read");
    assert_eq!(version, 99);
}

#[test]
fn a_lost_or_damaged_image_is_rebuilt_from_the_database_without_parsing() {
    let fixture = Fixture::polyglot();
    let (_, base) = indexed(&fixture);
    let whole = std::fs::read(&base).expect("read");
    let fresh = fixture.fresh_root();
    for damage in ["missing", "cut", "foreign"] {
        match damage {
            "missing" => std::fs::remove_file(&base).expect("removed"),
            "cut" => std::fs::write(&base, &whole[..whole.len() / 2]).expect("written"),
            _ => std::fs::write(&base, b"hello").expect("written"),
        }
        let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
        assert_eq!(workspace.snapshot().source_root(), fresh, "{damage}");
        let report = workspace.refresh(&NoProgress).expect("refreshed");
        assert_eq!(report.parsed, 0, "{damage}");
        assert_eq!(workspace.snapshot().source_root(), fresh, "{damage}");
        drop(workspace);
        fixture.write("tax/tax.go", &fixture.read("tax/tax.go"));
    }
}

#[test]
fn roots_that_cannot_be_indexed_are_explained() {
    let fixture = Fixture::new();
    fixture.write("notes.txt", "no source here\n");
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
    let empty = workspace.refresh(&NoProgress).expect_err("nothing to index");
    assert!(matches!(empty, WorkspaceError::NoSource(_)));
    assert!(empty.to_string().contains("give the folder that holds the code"), "{empty}");
    for root in ["missing", "notes.txt"] {
        let root = fixture.root().join(root);
        let error = Workspace::open(&root, cached(&fixture)).err().expect("refused").to_string();
        assert!(error.contains("no folder") || error.contains("is a file"), "{error}");
    }
}
