//! Tests several open workspaces on one database, which behave like several processes: all answer,
//! one writes, and another takes over when the writer closes. Also tests that worktrees share parsed
//! facts.

use kenning_indexing::workspace::NoProgress;
use tests::Fixture;

#[test]
fn two_processes_answer_one_writes_and_the_reader_takes_over() {
    let fixture = Fixture::polyglot();
    let mut first = fixture.open("shared");
    first.refresh_all(&NoProgress).expect("the index succeeds");
    let mut second = fixture.open("shared");
    assert!(first.is_writer() && !second.is_writer());
    assert_eq!(second.current_snapshot().source_root(), first.current_snapshot().source_root());

    let database = std::fs::read(fixture.database_path("shared")).expect("the file is readable");
    fixture.write("tax/tax.go", "package tax\n\nfunc Apply(price int) int { return price }\n");
    second.refresh_all(&NoProgress).expect("the reader refreshes");
    assert_eq!(
        second.current_snapshot().source_root(),
        fixture.fresh_source_root(),
        "a reader refreshes its own snapshot from disk"
    );
    assert_eq!(
        std::fs::read(fixture.database_path("shared")).expect("the file is readable"),
        database,
        "a reader writes nothing"
    );

    first.refresh_all(&NoProgress).expect("the writer refreshes");
    second.refresh_all(&NoProgress).expect("the reader refreshes");
    assert_eq!(second.current_snapshot().source_root(), first.current_snapshot().source_root());

    drop(first);
    fixture.write("tax/more.go", "package tax\n\nfunc More() int { return Apply(1) }\n");
    second.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert!(second.is_writer(), "the lock is free");
    drop(second);
    let third = fixture.open("shared");
    assert_eq!(
        third.current_snapshot().source_root(),
        fixture.fresh_source_root(),
        "the new writer stored the change"
    );
}

#[test]
fn each_process_has_its_own_buffers_and_the_last_one_commits() {
    let fixture = Fixture::polyglot();
    let mut first = fixture.open("shared");
    first.refresh_all(&NoProgress).expect("the index succeeds");
    let mut second = fixture.open("shared");
    second.refresh_all(&NoProgress).expect("the refresh succeeds");
    let disk = first.current_snapshot().source_root();
    let count_symbols = |workspace: &kenning_indexing::workspace::Workspace, name: &str| {
        workspace.current_snapshot().symbols_by_name(name).len()
    };
    first.set_buffer("tax/tax.go", "package tax\n\nfunc Mine() {}\n");
    second.set_buffer("tax/tax.go", "package tax\n\nfunc Yours() {}\n");
    assert_eq!((count_symbols(&first, "Mine"), count_symbols(&first, "Yours")), (1, 0));
    assert_eq!((count_symbols(&second, "Mine"), count_symbols(&second, "Yours")), (0, 1));

    // The writer saves and commits. The reader follows and keeps its own buffer.
    fixture.write("py/new.py", "def saved():\n    pass\n");
    first.refresh_all(&NoProgress).expect("the writer refreshes");
    second.refresh_all(&NoProgress).expect("the reader refreshes");
    assert_eq!((count_symbols(&second, "saved"), count_symbols(&second, "Yours")), (1, 1));

    // The writer ends with unsaved text. The reader takes over and commits only what is on disk.
    drop(first);
    fixture.write("py/new.py", "def later():\n    pass\n");
    second.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert!(second.is_writer());
    let mut third = fixture.open("shared");
    assert_eq!(
        (count_symbols(&third, "later"), count_symbols(&third, "Yours"), count_symbols(&third, "Mine")),
        (1, 0, 0)
    );
    std::fs::remove_file(fixture.root().join("py/new.py")).expect("the file is removed");
    third.refresh_all(&NoProgress).expect("the refresh succeeds");
    assert_eq!(third.current_snapshot().source_root(), disk);
}

#[test]
fn worktrees_of_one_repository_share_parsed_facts() {
    let fixture = Fixture::new();
    let (main, tree) = (fixture.root().join("main"), fixture.root().join("tree"));
    for (path, text) in [
        ("main/.git/HEAD", "ref: refs/heads/main\n"),
        ("main/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"),
        ("main/.git/objects/keep", ""),
        ("main/.git/refs/heads/keep", ""),
        ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n"),
        ("main/.git/worktrees/tree/commondir", "../..\n"),
        ("main/a.py", "def one():\n    pass\n"),
        ("tree/a.py", "def one():\n    pass\n"),
        ("tree/b.py", "def two():\n    pass\n"),
    ] {
        fixture.write(path, text);
    }
    let worktree_folder = main.join(".git/worktrees/tree");
    std::fs::write(worktree_folder.join("gitdir"), format!("{}\n", tree.join(".git").display()))
        .expect("the file is written");
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", worktree_folder.display()))
        .expect("the file is written");
    let open = |root: &std::path::Path| {
        let options = kenning_indexing::workspace::WorkspaceOptions {
            cache_home: Some(fixture.root().with_file_name("cache")),
            ..kenning_indexing::workspace::WorkspaceOptions::default()
        };
        kenning_indexing::workspace::Workspace::open(root, options).expect("the workspace opens")
    };
    let (mut one, mut two) = (open(&main), open(&tree));
    assert_ne!(one.db_path(), two.db_path());
    assert_eq!(one.refresh_all(&NoProgress).expect("the index succeeds").parsed, 1);
    let report = two.refresh_all(&NoProgress).expect("the index succeeds");
    assert_eq!((report.files, report.parsed, report.from_cache), (2, 1, 1));
    // The main checkout switches to content that the other worktree has.
    fixture.write("main/b.py", "def two():\n    pass\n");
    assert_eq!(one.refresh_all(&NoProgress).expect("the index succeeds").parsed, 0);
    assert_eq!(one.current_snapshot().source_root(), two.current_snapshot().source_root());
}
