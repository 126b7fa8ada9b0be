//! Tests with unusable databases: each gives a message that says what to do, and no data is lost.

use kenning_indexing::workspace::{DatabasePaths, NoProgress, Workspace, WorkspaceError, WorkspaceOptions};
use std::path::PathBuf;
use tests::{Fixture, Numbers};

fn cached(fixture: &Fixture) -> WorkspaceOptions {
    WorkspaceOptions {
        cache_home: Some(fixture.root().with_file_name("cache")),
        ..WorkspaceOptions::default()
    }
}

fn indexed(fixture: &Fixture) -> (PathBuf, PathBuf) {
    let mut workspace = Workspace::open(&fixture.root(), cached(fixture)).expect("opens");
    workspace.refresh_all(&NoProgress).expect("indexed");
    (workspace.db_path().to_owned(), workspace.image_path())
}

fn failure(fixture: &Fixture, options: WorkspaceOptions) -> String {
    match Workspace::open(&fixture.root(), options) {
        Ok(_) => panic!("it opened"),
        Err(error) => error.to_string(),
    }
}

/// Opens the workspace, refreshes it from disk and returns the reports of damage.
fn mended(fixture: &Fixture) -> String {
    let mut workspace = Workspace::open(&fixture.root(), cached(fixture)).expect("opens all the same");
    let report = workspace.refresh_all(&NoProgress).expect("indexed in the same run");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
    report.rebuilt.expect("told")
}

fn aside(database: &std::path::Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(database.parent().expect("in a folder")).expect("listed").flatten();
    entries.find(|entry| entry.file_name().to_string_lossy().contains(".damaged-")).map(|entry| entry.path())
}

#[test]
fn a_damaged_database_of_the_cache_is_set_aside_and_rebuilt_in_the_same_run() {
    let fixture = Fixture::polyglot();
    let (database, _) = indexed(&fixture);
    let damaged = "this was a database once".repeat(300);
    std::fs::write(&database, &damaged).expect("written");
    let _ = std::fs::remove_file(database.with_extension("db-wal"));
    let told = mended(&fixture);
    assert!(told.contains("is damaged") && told.contains("Kenning moved it to"), "{told}");
    let aside = aside(&database).expect("the damaged file is kept");
    assert_eq!(std::fs::read_to_string(aside).expect("read"), damaged);
}

#[test]
fn damage_inside_a_database_is_found_and_set_aside_too() {
    let fixture = Fixture::polyglot();
    let (database, base) = indexed(&fixture);
    // Without the image, everything is read from the database.
    std::fs::remove_file(base).expect("removed");
    let mut bytes = std::fs::read(&database).expect("read");
    let end = bytes.len();
    bytes[4096..end].fill(0);
    std::fs::write(&database, &bytes).expect("written");
    assert!(mended(&fixture).contains("Kenning moved it to"));
    assert!(aside(&database).is_some());
}

#[test]
fn a_damaged_cache_of_facts_is_set_aside_and_filled_in_the_same_run() {
    let fixture = Fixture::polyglot();
    indexed(&fixture);
    let places = DatabasePaths::from_root(&fixture.root(), &cached(&fixture)).expect("there");
    for damage in ["no database", "noise inside", "that of another program"] {
        let mut bytes = std::fs::read(&places.facts).expect("read");
        match damage {
            "no database" => bytes.fill(0x5a),
            "noise inside" => bytes[4096..].fill(0x5a),
            // Change the application id in the header (sqlite.org/fileformat.html, "The Application
            // ID").
            _ => bytes[68] ^= 0xff,
        }
        std::fs::write(&places.facts, &bytes).expect("written");
        // Change the file, so that it is read again and the cache is queried.
        fixture.write("tax/tax.go", &format!("{}\n// {damage}\n", fixture.read("tax/tax.go")));
        let told = mended(&fixture);
        assert!(told.contains("facts.db") && told.contains("Kenning moved it to"), "{damage}: {told}");
        assert!(aside(&places.facts).is_some(), "{damage}");
        let mut again = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
        assert_eq!(again.refresh_all(&NoProgress).expect("looked").rebuilt, None, "{damage}: once is enough");
    }
}

#[test]
fn a_reader_goes_on_without_a_damaged_database_that_another_process_keeps() {
    let fixture = Fixture::polyglot();
    let (database, base) = indexed(&fixture);
    let lock = kenning_graph::store::WriterLock::try_acquire(&database).expect("possible").expect("free");
    std::fs::remove_file(&base).expect("removed");
    let mut bytes = std::fs::read(&database).expect("read");
    bytes[4096..].fill(0);
    std::fs::write(&database, &bytes).expect("written");
    assert!(mended(&fixture).contains("another process uses it"));
    assert_eq!((std::fs::read(&database).expect("left alone"), aside(&database)), (bytes, None));
    drop(lock);
    assert!(mended(&fixture).contains("Kenning moved it to"));
}

#[test]
fn a_database_that_lost_its_last_commits_or_is_gone_is_brought_up_to_the_files_again() {
    let fixture = Fixture::polyglot();
    let (database, base) = indexed(&fixture);
    let (earlier, image) = (std::fs::read(&database).expect("read"), std::fs::read(&base).expect("read"));
    fixture.write("tax/tax.go", "package tax\n\nfunc Apply(price int) int { return price }\n");
    indexed(&fixture);
    for gone in [false, true] {
        // This state arises when SQLite discards a damaged write-ahead log.
        if gone {
            std::fs::remove_file(&database).expect("removed");
        } else {
            std::fs::write(&database, &earlier).expect("put back");
            std::fs::write(&base, &image).expect("put back");
        }
        let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
        assert!(workspace.needs_rebuild(), "gone: {gone}");
        let told = workspace.refresh_all(&NoProgress).expect("looked").rebuilt.expect("told");
        assert!(told.contains("has lost its last changes"), "{told}");
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_root());
        drop(workspace);
        let again = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
        assert!(!again.needs_rebuild());
    }
}

/// Returns the stored files of a workspace with their bytes.
fn kept(places: &DatabasePaths) -> Vec<(PathBuf, Vec<u8>)> {
    let files = [places.graph.clone(), places.image_path(), places.facts.clone()];
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("read"))).collect()
}

/// Returns the visible content of a graph.
fn shown(workspace: &Workspace) -> (kenning_graph::Hash, String) {
    let snapshot = workspace.current_snapshot();
    let mut edges: Vec<String> = Vec::new();
    for id in snapshot.symbols() {
        for edge in snapshot.out_edges(id) {
            let name = |id| snapshot.symbol(id).map(|symbol| symbol.qualified_name());
            let (source, target) = (name(edge.source), name(edge.target));
            edges.push(format!(
                "{source:?} {target:?} {:?} {:?} {}",
                edge.kind, edge.provenance, edge.confidence
            ));
        }
    }
    edges.sort();
    (snapshot.source_root(), edges.join("\n"))
}

#[test]
fn wherever_bytes_turn_the_answer_is_the_same_or_the_files_are_read_again() {
    let fixture = Fixture::polyglot();
    indexed(&fixture);
    let places = DatabasePaths::from_root(&fixture.root(), &cached(&fixture)).expect("there");
    let open = || {
        let mut workspace =
            Workspace::open(&fixture.root(), cached(&fixture)).expect("opens whatever there is");
        if workspace.needs_rebuild() {
            workspace.refresh_all(&NoProgress).expect("made anew");
        }
        shown(&workspace)
    };
    let whole = open();
    let sound = kept(&places);
    let mut numbers = Numbers(28);
    for round in 0..90 {
        // Every third round has no image, so that everything is read from the databases.
        for (path, bytes) in &sound {
            if *path == places.image_path() && round % 3 == 2 {
                let _ = std::fs::remove_file(path);
            } else {
                std::fs::write(path, bytes).expect("written");
            }
        }
        let (path, bytes) = &sound[if round % 3 == 2 { 0 } else { round % 3 }];
        let mut bytes = bytes.clone();
        let at = numbers.below(bytes.len());
        match round / 3 % 4 {
            0 => bytes[at] ^= 1 << numbers.below(8),
            1 => (0..8).for_each(|_| {
                let at = numbers.below(bytes.len());
                bytes[at] ^= 1 << numbers.below(8);
            }),
            2 => bytes[at / 4096 * 4096..].iter_mut().take(4096).for_each(|byte| *byte = 0),
            _ => bytes.truncate(at),
        }
        std::fs::write(path, &bytes).expect("damaged");
        assert_eq!(open(), whole, "round {round}, {} at {at}", path.display());
        assert_eq!(open(), whole, "round {round}, once more");
    }
}

#[cfg(unix)]
#[test]
fn what_is_kept_can_be_read_by_its_owner_only_also_what_was_there_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::polyglot();
    let cache = fixture.root().with_file_name("cache");
    let home = cache.join("kenning");
    let all = || -> Vec<PathBuf> {
        let mut all = vec![home.clone()];
        for folder in std::fs::read_dir(&home).expect("listed").flatten() {
            all.push(folder.path());
            all.extend(std::fs::read_dir(folder.path()).expect("listed").flatten().map(|file| file.path()));
        }
        all
    };
    let loose = || -> Vec<PathBuf> {
        let mode = |path: &PathBuf| std::fs::metadata(path).expect("there").permissions().mode();
        all().into_iter().filter(|path| mode(path) & 0o077 != 0).collect()
    };
    indexed(&fixture);
    assert!(all().len() >= 6, "{:?}", all());
    assert_eq!(loose(), [""; 0].map(PathBuf::from));
    for path in all() {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("loosened");
    }
    indexed(&fixture);
    assert_eq!(loose(), [""; 0].map(PathBuf::from));
}

#[test]
fn what_was_learned_outlives_a_damaged_graph() {
    use kenning_graph::Hash;
    use kenning_graph::store::{Feedback, MemoryStore};
    let fixture = Fixture::polyglot();
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
    workspace.refresh_all(&NoProgress).expect("indexed");
    let (database, memory) = (workspace.db_path().to_owned(), workspace.memory_path());
    drop(workspace);
    let symbol = Hash::from_content(b"symbol");
    let answer = Feedback { symbol, cluster: symbol, useful: true, package_root: symbol, at: 1 };
    MemoryStore::open(&memory).and_then(|mut store| store.insert_feedback(&answer)).expect("kept");
    std::fs::write(&database, "x".repeat(5000)).expect("written");
    Workspace::open(&fixture.root(), cached(&fixture))
        .and_then(|mut w| w.refresh_all(&NoProgress))
        .expect("indexed");
    let kept = MemoryStore::open(&memory).and_then(|store| store.load_feedback(Some(&symbol)));
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
    let report = workspace.refresh_all(&NoProgress).expect("indexed");
    assert!(report.rebuilt.expect("told").contains("Kenning moved it to"));
}

#[test]
fn a_file_that_the_user_names_is_never_moved() {
    let fixture = Fixture::polyglot();
    let letter = fixture.root().with_file_name("letter.txt");
    let text = "Dear reader, this is not a database at all.\n".repeat(100);
    std::fs::write(&letter, &text).expect("written");
    let options = WorkspaceOptions { db: Some(letter.clone()), ..WorkspaceOptions::default() };
    let message = failure(&fixture, options);
    assert!(message.contains("move it away, or choose another database with --db"), "{message}");
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
    assert!(message.contains("a newer version of Kenning (schema 99"), "{message}");
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
        assert_eq!(workspace.current_snapshot().source_root(), fresh, "{damage}");
        let report = workspace.refresh_all(&NoProgress).expect("refreshed");
        assert_eq!(report.parsed, 0, "{damage}");
        assert_eq!(workspace.current_snapshot().source_root(), fresh, "{damage}");
        drop(workspace);
        fixture.write("tax/tax.go", &fixture.read("tax/tax.go"));
    }
}

#[test]
fn other_rules_of_extraction_replace_the_image() {
    let fixture = Fixture::polyglot();
    let (database, base) = indexed(&fixture);
    let old = std::fs::read(&base).expect("read");
    rusqlite::Connection::open(&database)
        .and_then(|c| c.execute("UPDATE meta SET value = '1' WHERE key = 'extractor'", []))
        .expect("made older");
    indexed(&fixture);
    assert!(std::fs::read(&base).expect("read") != old, "the image has a new revision");
}

#[test]
fn roots_that_cannot_be_indexed_are_explained() {
    let fixture = Fixture::new();
    fixture.write("notes.txt", "no source here\n");
    let mut workspace = Workspace::open(&fixture.root(), cached(&fixture)).expect("opens");
    let empty = workspace.refresh_all(&NoProgress).expect_err("nothing to index");
    assert!(matches!(empty, WorkspaceError::NoSource(_)));
    assert!(empty.to_string().contains("pass the folder that contains the code"), "{empty}");
    for root in ["missing", "notes.txt"] {
        let root = fixture.root().join(root);
        let error = Workspace::open(&root, cached(&fixture)).err().expect("refused").to_string();
        assert!(error.contains("does not exist") || error.contains("is a file"), "{error}");
    }
}
