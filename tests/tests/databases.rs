//! Tests with damaged, foreign and outdated databases: Kenning rebuilds its cache in the same run,
//! leaves the user's files alone, and reports what it did or what the user must do.

use kenning_indexing::workspace::{DatabasePaths, NoProgress, Workspace, WorkspaceError, WorkspaceOptions};
use std::path::PathBuf;
use tests::{Fixture, RandomNumbers};

/// Returns options that put the databases into a cache folder next to the workspace.
fn cache_options(fixture: &Fixture) -> WorkspaceOptions {
    WorkspaceOptions {
        cache_home: Some(fixture.root().with_file_name("cache")),
        ..WorkspaceOptions::default()
    }
}

/// Indexes the workspace and returns the paths of its database and its base image.
fn index_workspace(fixture: &Fixture) -> (PathBuf, PathBuf) {
    let mut workspace =
        Workspace::open(&fixture.root(), cache_options(fixture)).expect("the workspace opens");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    (workspace.db_path().to_owned(), workspace.image_path())
}

/// Returns the message of the error with which opening the workspace fails.
fn open_error(fixture: &Fixture, options: WorkspaceOptions) -> String {
    match Workspace::open(&fixture.root(), options) {
        Ok(_) => panic!("the workspace opened"),
        Err(error) => error.to_string(),
    }
}

/// Opens the workspace, refreshes it from disk and returns the report of the rebuild.
fn rebuild_report(fixture: &Fixture) -> String {
    let mut workspace =
        Workspace::open(&fixture.root(), cache_options(fixture)).expect("a damaged workspace opens");
    let report = workspace.refresh_all(&NoProgress).expect("the same run indexes it");
    assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
    report.rebuilt.expect("the rebuild is reported")
}

/// Returns the path to which Kenning moved a damaged database.
fn find_moved_database(database: &std::path::Path) -> Option<PathBuf> {
    let mut entries =
        std::fs::read_dir(database.parent().expect("in a folder")).expect("the folder is readable").flatten();
    entries.find(|entry| entry.file_name().to_string_lossy().contains(".damaged-")).map(|entry| entry.path())
}

#[test]
fn a_damaged_database_of_the_cache_is_set_aside_and_rebuilt_in_the_same_run() {
    let fixture = Fixture::polyglot();
    let (database, _) = index_workspace(&fixture);
    let damaged = "this was a database once".repeat(300);
    std::fs::write(&database, &damaged).expect("the file is written");
    let _ = std::fs::remove_file(database.with_extension("db-wal"));
    let report = rebuild_report(&fixture);
    assert!(report.contains("is damaged") && report.contains("Kenning moved it to"), "{report}");
    let moved = find_moved_database(&database).expect("the damaged file is kept");
    assert_eq!(std::fs::read_to_string(moved).expect("the file is readable"), damaged);
}

#[test]
fn a_database_with_damaged_pages_is_also_set_aside() {
    let fixture = Fixture::polyglot();
    let (database, base) = index_workspace(&fixture);
    // Without the image, everything is read from the database.
    std::fs::remove_file(base).expect("the file is removed");
    let mut bytes = std::fs::read(&database).expect("the file is readable");
    let end = bytes.len();
    bytes[4096..end].fill(0);
    std::fs::write(&database, &bytes).expect("the file is written");
    assert!(rebuild_report(&fixture).contains("Kenning moved it to"));
    assert!(find_moved_database(&database).is_some());
}

#[test]
fn a_damaged_facts_database_is_set_aside_and_filled_in_the_same_run() {
    let fixture = Fixture::polyglot();
    index_workspace(&fixture);
    let paths =
        DatabasePaths::from_root(&fixture.root(), &cache_options(&fixture)).expect("the paths are known");
    for damage in ["no database", "noise inside", "a database of another program"] {
        let mut bytes = std::fs::read(&paths.facts).expect("the file is readable");
        match damage {
            "no database" => bytes.fill(0x5a),
            "noise inside" => bytes[4096..].fill(0x5a),
            // Change the application id, which is in bytes 68 to 71 of SQLite's header.
            _ => bytes[68] ^= 0xff,
        }
        std::fs::write(&paths.facts, &bytes).expect("the file is written");
        // Change the file, so that it is read again and the cache is queried.
        fixture.write("tax/tax.go", &format!("{}\n// {damage}\n", fixture.read("tax/tax.go")));
        let report = rebuild_report(&fixture);
        assert!(report.contains("facts.db") && report.contains("Kenning moved it to"), "{damage}: {report}");
        assert!(find_moved_database(&paths.facts).is_some(), "{damage}");
        let mut reopened =
            Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
        assert_eq!(
            reopened.refresh_all(&NoProgress).expect("the refresh succeeds").rebuilt,
            None,
            "{damage}: the next run rebuilds nothing"
        );
    }
}

#[test]
fn a_reader_continues_without_a_damaged_database_that_another_process_writes() {
    let fixture = Fixture::polyglot();
    let (database, base) = index_workspace(&fixture);
    let lock = kenning_graph::store::WriterLock::try_acquire(&database)
        .expect("the lock can be tried")
        .expect("the lock is free");
    std::fs::remove_file(&base).expect("the file is removed");
    let mut bytes = std::fs::read(&database).expect("the file is readable");
    bytes[4096..].fill(0);
    std::fs::write(&database, &bytes).expect("the file is written");
    assert!(rebuild_report(&fixture).contains("another process uses it"));
    assert_eq!(
        (std::fs::read(&database).expect("the database is left alone"), find_moved_database(&database)),
        (bytes, None)
    );
    drop(lock);
    assert!(rebuild_report(&fixture).contains("Kenning moved it to"));
}

#[test]
fn a_missing_database_or_one_without_its_last_commits_is_updated_from_the_files() {
    let fixture = Fixture::polyglot();
    let (database, base) = index_workspace(&fixture);
    let (old_database, old_image) = (
        std::fs::read(&database).expect("the file is readable"),
        std::fs::read(&base).expect("the file is readable"),
    );
    fixture.write("tax/tax.go", "package tax\n\nfunc Apply(price int) int { return price }\n");
    index_workspace(&fixture);
    for is_missing in [false, true] {
        // This state arises when SQLite discards a damaged write-ahead log.
        if is_missing {
            std::fs::remove_file(&database).expect("the file is removed");
        } else {
            std::fs::write(&database, &old_database).expect("the old file is restored");
            std::fs::write(&base, &old_image).expect("the old file is restored");
        }
        let mut workspace =
            Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
        assert!(workspace.needs_rebuild(), "missing: {is_missing}");
        let report = workspace
            .refresh_all(&NoProgress)
            .expect("the refresh succeeds")
            .rebuilt
            .expect("the rebuild is reported");
        assert!(report.contains("has lost its last changes"), "{report}");
        assert_eq!(workspace.current_snapshot().source_root(), fixture.fresh_source_root());
        drop(workspace);
        let reopened =
            Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
        assert!(!reopened.needs_rebuild());
    }
}

/// Returns the database and image files of a workspace with their bytes.
fn read_stored_files(paths: &DatabasePaths) -> Vec<(PathBuf, Vec<u8>)> {
    let files = [paths.graph.clone(), paths.image_path(), paths.facts.clone()];
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("the file is readable"))).collect()
}

/// Returns the source root of a graph and its edges as text.
fn describe_graph(workspace: &Workspace) -> (kenning_graph::Hash, String) {
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
fn damage_anywhere_in_the_files_changes_no_answer() {
    let fixture = Fixture::polyglot();
    index_workspace(&fixture);
    let paths =
        DatabasePaths::from_root(&fixture.root(), &cache_options(&fixture)).expect("the paths are known");
    let open = || {
        let mut workspace =
            Workspace::open(&fixture.root(), cache_options(&fixture)).expect("a damaged workspace opens");
        if workspace.needs_rebuild() {
            workspace.refresh_all(&NoProgress).expect("the rebuild succeeds");
        }
        describe_graph(&workspace)
    };
    let undamaged = open();
    let intact_files = read_stored_files(&paths);
    let mut numbers = RandomNumbers(28);
    for round in 0..90 {
        // Every third round has no image, so that everything is read from the databases.
        for (path, bytes) in &intact_files {
            if *path == paths.image_path() && round % 3 == 2 {
                let _ = std::fs::remove_file(path);
            } else {
                std::fs::write(path, bytes).expect("the file is written");
            }
        }
        let (path, bytes) = &intact_files[if round % 3 == 2 { 0 } else { round % 3 }];
        let mut bytes = bytes.clone();
        let at = numbers.next_below(bytes.len());
        match round / 3 % 4 {
            0 => bytes[at] ^= 1 << numbers.next_below(8),
            1 => (0..8).for_each(|_| {
                let at = numbers.next_below(bytes.len());
                bytes[at] ^= 1 << numbers.next_below(8);
            }),
            2 => bytes[at / 4096 * 4096..].iter_mut().take(4096).for_each(|byte| *byte = 0),
            _ => bytes.truncate(at),
        }
        std::fs::write(path, &bytes).expect("the damaged file is written");
        assert_eq!(open(), undamaged, "round {round}, {} at {at}", path.display());
        assert_eq!(open(), undamaged, "round {round}, opened again");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_cache_including_older_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::polyglot();
    let cache = fixture.root().with_file_name("cache");
    let home = cache.join("kenning");
    let list_cache = || -> Vec<PathBuf> {
        let mut paths = vec![home.clone()];
        for folder in std::fs::read_dir(&home).expect("the folder is readable").flatten() {
            paths.push(folder.path());
            paths.extend(
                std::fs::read_dir(folder.path())
                    .expect("the folder is readable")
                    .flatten()
                    .map(|file| file.path()),
            );
        }
        paths
    };
    let readable_by_others = || -> Vec<PathBuf> {
        let mode = |path: &PathBuf| std::fs::metadata(path).expect("the path exists").permissions().mode();
        list_cache().into_iter().filter(|path| mode(path) & 0o077 != 0).collect()
    };
    index_workspace(&fixture);
    assert!(list_cache().len() >= 6, "{:?}", list_cache());
    assert_eq!(readable_by_others(), [""; 0].map(PathBuf::from));
    for path in list_cache() {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
            .expect("the permissions change");
    }
    index_workspace(&fixture);
    assert_eq!(readable_by_others(), [""; 0].map(PathBuf::from));
}

#[test]
fn feedback_outlives_a_damaged_graph() {
    use kenning_graph::Hash;
    use kenning_graph::store::{Feedback, MemoryStore};
    let fixture = Fixture::polyglot();
    let mut workspace =
        Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
    workspace.refresh_all(&NoProgress).expect("the index succeeds");
    let (database, memory) = (workspace.db_path().to_owned(), workspace.memory_path());
    drop(workspace);
    let symbol = Hash::from_content(b"symbol");
    let feedback = Feedback { symbol, cluster: symbol, useful: true, package_root: symbol, at: 1 };
    MemoryStore::open(&memory)
        .and_then(|mut store| store.insert_feedback(&feedback))
        .expect("the feedback is stored");
    std::fs::write(&database, "x".repeat(5000)).expect("the file is written");
    Workspace::open(&fixture.root(), cache_options(&fixture))
        .and_then(|mut w| w.refresh_all(&NoProgress))
        .expect("the index succeeds");
    let stored = MemoryStore::open(&memory).and_then(|store| store.load_feedback(Some(&symbol)));
    let stored: Vec<_> = stored
        .expect("the feedback is readable")
        .iter()
        .map(|sum| (sum.symbol, sum.useful, sum.not_useful))
        .collect();
    assert_eq!(stored, [(symbol, 1, 0)]);
}

#[test]
fn a_server_continues_with_a_new_database() {
    let fixture = Fixture::polyglot();
    let (database, _) = index_workspace(&fixture);
    std::fs::write(&database, "x".repeat(5000)).expect("the file is written");
    let _ = std::fs::remove_file(database.with_extension("db-wal"));
    let mut workspace = Workspace::open(
        &fixture.root(),
        WorkspaceOptions { wait_for_files: true, ..cache_options(&fixture) },
    )
    .expect("the workspace opens");
    let report = workspace.refresh_all(&NoProgress).expect("the index succeeds");
    assert!(report.rebuilt.expect("the rebuild is reported").contains("Kenning moved it to"));
}

#[test]
fn a_file_that_the_user_names_is_never_moved() {
    let fixture = Fixture::polyglot();
    let letter = fixture.root().with_file_name("letter.txt");
    let text = "Dear reader, this is not a database at all.\n".repeat(100);
    std::fs::write(&letter, &text).expect("the file is written");
    let options = WorkspaceOptions { db: Some(letter.clone()), ..WorkspaceOptions::default() };
    let message = open_error(&fixture, options);
    assert!(message.contains("move it away, or choose another database with --db"), "{message}");
    assert_eq!(std::fs::read_to_string(&letter).expect("the file is readable"), text);
}

#[test]
fn a_database_with_a_newer_schema_is_refused_and_left_alone() {
    let fixture = Fixture::polyglot();
    let (database, _) = index_workspace(&fixture);
    rusqlite::Connection::open(&database)
        .and_then(|c| c.pragma_update(None, "user_version", 99))
        .expect("the version is set");
    let message = open_error(&fixture, cache_options(&fixture));
    assert!(message.contains("a newer version of Kenning (schema 99"), "{message}");
    let version: u32 = rusqlite::Connection::open(&database)
        .and_then(|c| c.pragma_query_value(None, "user_version", |row| row.get(0)))
        .expect("the file is readable");
    assert_eq!(version, 99);
}

#[test]
fn an_index_of_an_older_schema_is_updated_and_filled_from_the_files() {
    let fixture = Fixture::polyglot();
    let (database, base) = index_workspace(&fixture);
    let fresh = fixture.fresh_source_root();
    std::fs::remove_file(&database).expect("the file is removed");
    rusqlite::Connection::open(&database)
        .and_then(|connection| {
            connection.execute_batch(include_str!("../../migrations/graph/0001_initial.sql"))?;
            connection.pragma_update(None, "application_id", 0x4b4e_4e47)?;
            connection.pragma_update(None, "user_version", 1)?;
            connection.execute("INSERT INTO meta VALUES ('lineage', '7'), ('revision', '3')", [])
        })
        .expect("the older database is written");
    assert!(base.exists(), "the image of the other database is not used");
    let mut workspace = Workspace::open(&fixture.root(), cache_options(&fixture)).expect("it opens");
    let report = workspace.refresh_all(&NoProgress).expect("the index succeeds");
    assert_eq!((report.parsed, report.rebuilt.as_deref()), (0, None), "all facts are in the cache");
    assert_eq!(workspace.current_snapshot().source_root(), fresh);
}

#[test]
fn a_lost_or_damaged_image_is_rebuilt_from_the_database_without_parsing() {
    let fixture = Fixture::polyglot();
    let (_, base) = index_workspace(&fixture);
    let image = std::fs::read(&base).expect("the file is readable");
    let fresh = fixture.fresh_source_root();
    for damage in ["missing", "truncated", "foreign"] {
        match damage {
            "missing" => std::fs::remove_file(&base).expect("the file is removed"),
            "truncated" => std::fs::write(&base, &image[..image.len() / 2]).expect("the file is written"),
            _ => std::fs::write(&base, b"hello").expect("the file is written"),
        }
        let mut workspace =
            Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
        assert_eq!(workspace.current_snapshot().source_root(), fresh, "{damage}");
        let report = workspace.refresh_all(&NoProgress).expect("the refresh succeeds");
        assert_eq!(report.parsed, 0, "{damage}");
        assert_eq!(workspace.current_snapshot().source_root(), fresh, "{damage}");
        drop(workspace);
        fixture.write("tax/tax.go", &fixture.read("tax/tax.go"));
    }
}

#[test]
fn a_new_extractor_version_replaces_the_image() {
    let fixture = Fixture::polyglot();
    let (database, base) = index_workspace(&fixture);
    let old = std::fs::read(&base).expect("the file is readable");
    rusqlite::Connection::open(&database)
        .and_then(|c| c.execute("UPDATE meta SET value = '1' WHERE key = 'extractor'", []))
        .expect("the extractor's version is set");
    index_workspace(&fixture);
    assert!(std::fs::read(&base).expect("the file is readable") != old, "the image has a new revision");
}

#[test]
fn roots_that_cannot_be_indexed_are_explained() {
    let fixture = Fixture::new();
    fixture.write("notes.txt", "no source here\n");
    let mut workspace =
        Workspace::open(&fixture.root(), cache_options(&fixture)).expect("the workspace opens");
    let empty = workspace.refresh_all(&NoProgress).expect_err("nothing to index");
    assert!(matches!(empty, WorkspaceError::NoSource(_)));
    assert!(empty.to_string().contains("pass the folder that contains the code"), "{empty}");
    for root in ["missing", "notes.txt"] {
        let root = fixture.root().join(root);
        let error = Workspace::open(&root, cache_options(&fixture)).err().expect("refused").to_string();
        assert!(error.contains("does not exist") || error.contains("is a file"), "{error}");
    }
}
