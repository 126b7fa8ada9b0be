//! Tests of the last changes to symbols, in repositories that git creates.

use super::HistoryReport;
use crate::git::git_command;
use crate::workspace::{NoProgress, Workspace, WorkspaceOptions};
use expect_test::{Expect, expect};
use std::fmt::Write as _;
use std::path::PathBuf;
use tempfile::TempDir;

struct TestRepository {
    folder: TempDir,
}

impl TestRepository {
    fn new() -> Self {
        let repo = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(repo.root()).unwrap();
        repo.run_git("a", 0, &["init", "-q", "-b", "main", "."]);
        repo
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Runs git with this author and this day of May 2024 as the date of commits.
    fn run_git(&self, author: &str, day: u32, arguments: &[&str]) {
        let date = format!("2024-05-{:02}T12:00:00Z", day + 1);
        let times = [("GIT_AUTHOR_DATE", date.as_str()), ("GIT_COMMITTER_DATE", &date)];
        git_command::run_git(&self.root(), author, &times, arguments);
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn commit(&self, author: &str, day: u32) {
        self.run_git(author, day, &["add", "-A"]);
        self.run_git(author, day, &["commit", "-q", "-m", "x"]);
    }

    fn open_workspace(&self) -> Workspace {
        let db = Some(self.folder.path().join("db/graph.db"));
        let mut workspace =
            Workspace::open(&self.root(), WorkspaceOptions { db, ..WorkspaceOptions::default() }).unwrap();
        workspace.refresh_all(&NoProgress).unwrap();
        workspace
    }
}

/// Returns a line per symbol with its name, the author of its last change, and the day.
fn render_last_changes(workspace: &Workspace) -> String {
    let snapshot = workspace.current_snapshot();
    let mut out = String::new();
    for id in snapshot.symbols() {
        let name = snapshot.symbol(id).unwrap().qualified_name();
        let authors: Vec<String> = snapshot
            .out_edges(id)
            .into_iter()
            .filter(|edge| edge.kind == kenning_graph::EdgeKind::AuthoredBy)
            .map(|edge| snapshot.symbol(edge.target).unwrap().qualified_name())
            .collect();
        let day = snapshot.last_change(id).map_or(0, |(_, time)| (time / 86_400) % 1000);
        writeln!(out, "{name}: {} {day}", authors.join(" ")).unwrap();
    }
    out
}

fn check_last_changes(workspace: &Workspace, expected: Expect) {
    expected.assert_eq(&render_last_changes(workspace));
}

/// Reads the whole history of a workspace.
fn read_whole_history(workspace: &mut Workspace) -> HistoryReport {
    workspace.read_history(&mut || false).unwrap().unwrap()
}

#[test]
fn a_symbol_has_its_last_author_while_its_body_equals_the_committed_body() {
    let repo = TestRepository::new();
    repo.write("a.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
    repo.write("b.py", "def three():\n    return 3\n");
    repo.commit("ann", 0);
    repo.write("a.py", "def one():\n    return 1\n\n\ndef two():\n    return 22\n");
    repo.run_git("bob", 1, &["mv", "b.py", "c.py"]);
    repo.commit("bob", 1);
    let mut workspace = repo.open_workspace();
    let root = workspace.current_snapshot().source_root();
    assert_eq!(read_whole_history(&mut workspace), HistoryReport { read: 2, ..HistoryReport::default() });
    check_last_changes(
        &workspace,
        expect![[r#"
        a.py::one: author::ann <ann@x> 844
        a.py::two: author::bob <bob@x> 845
        c.py::three: author::ann <ann@x> 844
    "#]],
    );
    assert_eq!(
        workspace.current_snapshot().source_root(),
        root,
        "the history layer does not change the source root"
    );
    assert_eq!(workspace.current_snapshot().known_change_count(), 3);

    // After an uncommitted edit, only the other body keeps its entry.
    repo.write("a.py", "def one():\n    return 11\n\n\ndef two():\n    return 22\n");
    workspace.refresh_all(&NoProgress).unwrap();
    assert_eq!(workspace.current_snapshot().known_change_count(), 2);
    let report = read_whole_history(&mut workspace);
    assert_eq!(report, HistoryReport { known: 1, without_history: 1, ..HistoryReport::default() });
    check_last_changes(
        &workspace,
        expect![[r#"
        a.py::one:  0
        a.py::two: author::bob <bob@x> 845
        c.py::three: author::ann <ann@x> 844
    "#]],
    );
    repo.commit("cid", 2);
    assert_eq!(
        read_whole_history(&mut workspace),
        HistoryReport { read: 1, known: 1, ..HistoryReport::default() }
    );
    check_last_changes(
        &workspace,
        expect![[r#"
        a.py::one: author::cid <cid@x> 846
        a.py::two: author::bob <bob@x> 845
        c.py::three: author::ann <ann@x> 844
    "#]],
    );
}

#[test]
fn blame_is_reused_for_later_commits_but_not_on_other_branches() {
    let repo = TestRepository::new();
    repo.write("a.py", "def one():\n    return 1\n");
    repo.commit("ann", 0);
    repo.run_git("ann", 0, &["branch", "side"]);
    repo.write("a.py", "def one():\n    return 2\n");
    repo.commit("bob", 1);
    assert_eq!(
        read_whole_history(&mut repo.open_workspace()),
        HistoryReport { read: 1, ..HistoryReport::default() }
    );
    repo.write("b.py", "def two():\n    return 2\n");
    repo.commit("bob", 2);
    let mut workspace = repo.open_workspace();
    let interrupted = workspace.read_history(&mut || true).unwrap().unwrap();
    assert_eq!(interrupted, HistoryReport { known: 1, unread: 1, ..HistoryReport::default() });
    assert_eq!(workspace.current_snapshot().known_change_count(), 1);
    assert_eq!(
        read_whole_history(&mut workspace),
        HistoryReport { read: 1, known: 1, ..HistoryReport::default() }
    );
    // On this branch, the same text has a different history.
    repo.run_git("ann", 3, &["checkout", "-q", "side"]);
    repo.write("a.py", "def one():\n    return 2\n");
    repo.commit("cid", 4);
    let mut workspace = repo.open_workspace();
    assert_eq!(read_whole_history(&mut workspace), HistoryReport { read: 1, ..HistoryReport::default() });
    check_last_changes(
        &workspace,
        expect![[r#"
        a.py::one: author::cid <cid@x> 848
    "#]],
    );
}

#[test]
fn without_a_repository_there_is_no_history() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.py"), "def one(): ...\n").unwrap();
    let db = Some(folder.path().join("db/graph.db"));
    let mut workspace =
        Workspace::open(folder.path(), WorkspaceOptions { db, ..WorkspaceOptions::default() }).unwrap();
    workspace.refresh_all(&NoProgress).unwrap();
    assert_eq!(workspace.read_history(&mut || false).unwrap(), None);
}

#[test]
fn credentials_in_the_names_of_authors_are_masked() {
    let repo = TestRepository::new();
    repo.write("a.py", "def one():\n    return 1\n");
    // Built from parts, because hosting services refuse pushes that contain tokens.
    repo.commit(&format!("ghp_{}", "Ab3dEf6h".repeat(5)), 0);
    let mut workspace = repo.open_workspace();
    read_whole_history(&mut workspace);
    let shown = render_last_changes(&workspace);
    assert!(shown.contains("author::****") && !shown.contains("Ab3dEf6h"), "{shown}");
}
