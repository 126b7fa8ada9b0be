//! Tests of stored commits, in repositories that git creates.

use super::CommitsReport;
use crate::git::git_command;
use crate::workspace::{Workspace, WorkspaceOptions};
use kenning_graph::commits::CommitFacts;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct TestRepository {
    folder: TempDir,
}

impl TestRepository {
    fn new() -> Self {
        let repo = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(repo.root()).unwrap();
        repo.run_git(0, &["init", "-q", "-b", "main", "."]);
        repo
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Runs git with this day of May 2024 as the date of commits.
    fn run_git(&self, day: u32, arguments: &[&str]) {
        let date = format!("2024-05-{:02}T12:00:00Z", day + 1);
        let times = [("GIT_AUTHOR_DATE", date.as_str()), ("GIT_COMMITTER_DATE", &date)];
        git_command::run_git(&self.root(), "a", &times, arguments);
    }

    /// Commits one file, with a message that names it.
    fn commit(&self, day: u32, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self.run_git(day, &["add", "-A"]);
        self.run_git(day, &["commit", "-q", "-m", &format!("{path} on day {day}")]);
    }

    fn open_workspace(&self, db: &str) -> Workspace {
        open_workspace(&self.root(), &self.folder.path().join(db), WorkspaceOptions::default())
    }
}

fn open_workspace(root: &Path, db: &Path, options: WorkspaceOptions) -> Workspace {
    Workspace::open(root, WorkspaceOptions { db: Some(db.join("graph.db")), ..options }).unwrap()
}

/// Reads all commits of a workspace.
fn read_all_commits(workspace: &Workspace) -> CommitsReport {
    workspace.read_commits(&mut || false).unwrap().unwrap()
}

fn commit_subjects(commits: &[CommitFacts]) -> Vec<&str> {
    commits.iter().map(|commit| &*commit.subject).collect()
}

#[test]
fn reading_commits_in_steps_equals_reading_them_at_once() {
    let repo = TestRepository::new();
    for day in 0..3 {
        repo.commit(day, "a.py", &format!("def a():\n    long = 'a line that stays'\n    return {day}\n"));
    }
    let workspace = repo.open_workspace("db");
    assert_eq!(read_all_commits(&workspace), CommitsReport { read: 3, ..CommitsReport::default() });
    repo.commit(3, "b.py", "def b(): ...\n");
    repo.run_git(4, &["mv", "a.py", "c.py"]);
    repo.commit(4, "c.py", "def a():\n    long = 'a line that stays'\n    return 9\n");
    assert_eq!(read_all_commits(&workspace), CommitsReport { read: 2, known: 3, ..CommitsReport::default() });
    assert_eq!(read_all_commits(&workspace), CommitsReport { known: 5, ..CommitsReport::default() });
    // The history was already read from this head commit. Older commits are not visited, so their
    // objects may be missing.
    let (objects, moved_objects) = (repo.root().join(".git/objects"), repo.folder.path().join("objects"));
    std::fs::rename(&objects, &moved_objects).unwrap();
    let head = std::fs::read_to_string(repo.root().join(".git/refs/heads/main")).unwrap();
    let (folder, file) = head.trim().split_at(2);
    std::fs::create_dir_all(objects.join(folder)).unwrap();
    std::fs::copy(moved_objects.join(folder).join(file), objects.join(folder).join(file)).unwrap();
    assert_eq!(read_all_commits(&workspace), CommitsReport { known: 5, ..CommitsReport::default() });
    std::fs::remove_dir_all(&objects).unwrap();
    std::fs::rename(&moved_objects, &objects).unwrap();
    let known = workspace.load_commits().unwrap();
    assert_eq!(
        commit_subjects(&known),
        ["c.py on day 4", "b.py on day 3", "a.py on day 2", "a.py on day 1", "a.py on day 0"]
    );
    assert_eq!(known[0].files[0].old_path.as_deref(), Some("a.py"));
    assert_eq!(&*known[0].files[0].symbols[0], "a");
    let at_once = repo.open_workspace("other");
    read_all_commits(&at_once);
    assert_eq!(at_once.load_commits().unwrap(), known);
}

#[test]
fn an_interrupted_reading_continues_where_it_stopped() {
    let repo = TestRepository::new();
    for day in 0..4 {
        repo.commit(day, "a.py", &format!("a = {day}\n"));
    }
    let workspace = repo.open_workspace("db");
    let mut remaining_commits = 2;
    let mut interrupted = || {
        remaining_commits -= 1;
        remaining_commits < 0
    };
    let report = workspace.read_commits(&mut interrupted).unwrap();
    assert_eq!(report, Some(CommitsReport { read: 2, unread: 2, ..CommitsReport::default() }));
    assert_eq!(commit_subjects(&workspace.load_commits().unwrap()), ["a.py on day 3", "a.py on day 2"]);
    assert_eq!(read_all_commits(&workspace), CommitsReport { read: 2, known: 2, ..CommitsReport::default() });
    assert_eq!(workspace.load_commits().unwrap().len(), 4);
}

#[test]
fn a_reader_knows_the_commits_that_the_writer_left() {
    let repo = TestRepository::new();
    for day in 0..3 {
        repo.commit(day, "a.py", &format!("a = {day}\n"));
    }
    let (writer, reader) = (repo.open_workspace("db"), repo.open_workspace("db"));
    assert!(writer.is_writer() && !reader.is_writer());
    let unread = CommitsReport { unread: 3, ..CommitsReport::default() };
    assert_eq!(read_all_commits(&reader), unread);
    // Without its tree, the first commit cannot be read, nor the next one, which is compared with it.
    let tree = git_command::run_git(&repo.root(), "a", &[], &["rev-parse", "HEAD~2^{tree}"]);
    let (folder, file) = tree.trim().split_at(2);
    std::fs::remove_file(repo.root().join(".git/objects").join(folder).join(file)).unwrap();
    let with_gaps = CommitsReport { read: 1, unreadable: 2, ..CommitsReport::default() };
    assert_eq!(read_all_commits(&writer), with_gaps);
    let report = read_all_commits(&reader);
    assert_eq!(report, CommitsReport { known: 1, unreadable: 2, ..CommitsReport::default() });
    assert_eq!(commit_subjects(&reader.load_commits().unwrap()), ["a.py on day 2"]);
    // After the next commit, the writer has to read again.
    repo.commit(3, "a.py", "a = 3\n");
    assert_eq!(read_all_commits(&reader).unread, 3);
}

#[test]
fn commits_that_a_rewritten_history_lost_are_removed() {
    let repo = TestRepository::new();
    for day in 0..3 {
        repo.commit(day, "a.py", &format!("a = {day}\n"));
    }
    let workspace = repo.open_workspace("db");
    read_all_commits(&workspace);
    repo.run_git(3, &["reset", "-q", "--hard", "HEAD~2"]);
    repo.commit(4, "b.py", "b = 1\n");
    assert_eq!(read_all_commits(&workspace), CommitsReport { read: 1, known: 1, ..CommitsReport::default() });
    assert_eq!(commit_subjects(&workspace.load_commits().unwrap()), ["b.py on day 4", "a.py on day 0"]);
    // The branch returns to a stored commit, so nothing is read.
    repo.run_git(5, &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(read_all_commits(&workspace), CommitsReport { known: 1, ..CommitsReport::default() });
    assert_eq!(commit_subjects(&workspace.load_commits().unwrap()), ["a.py on day 0"]);
}

#[test]
fn paths_are_relative_to_a_workspace_inside_the_repository() {
    let repo = TestRepository::new();
    repo.commit(0, "sub/a.py", "a = 1\n");
    repo.commit(1, "b.py", "b = 1\n");
    repo.run_git(2, &["mv", "b.py", "sub/b.py"]);
    repo.commit(2, "sub/a.py", "a = 2\n");
    let workspace =
        open_workspace(&repo.root().join("sub"), &repo.folder.path().join("db"), WorkspaceOptions::default());
    read_all_commits(&workspace);
    let shown: Vec<(u32, Vec<String>)> = workspace
        .load_commits()
        .unwrap()
        .iter()
        .map(|commit| {
            let files = commit.files.iter().map(|file| format!("{} {:?}", file.path, file.old_path));
            (commit.touched_count, files.collect())
        })
        .collect();
    assert_eq!(
        shown,
        [
            (2, vec!["a.py None".to_owned(), "b.py None".to_owned()]),
            (1, vec![]),
            (1, vec!["a.py None".to_owned()])
        ]
    );
}

#[test]
fn the_number_of_commits_is_limited_and_a_folder_without_git_has_none() {
    let repo = TestRepository::new();
    for day in 0..3 {
        repo.commit(day, "a.py", &format!("a = {day}\n"));
    }
    let options = WorkspaceOptions { history_commits: 2, ..WorkspaceOptions::default() };
    let workspace = open_workspace(&repo.root(), &repo.folder.path().join("db"), options);
    assert_eq!(read_all_commits(&workspace), CommitsReport { read: 2, ..CommitsReport::default() });

    let folder = tempfile::tempdir().unwrap();
    let workspace = open_workspace(folder.path(), &folder.path().join("db"), WorkspaceOptions::default());
    assert_eq!(workspace.read_commits(&mut || false).unwrap(), None);
    assert_eq!(workspace.load_commits().unwrap(), []);
}
