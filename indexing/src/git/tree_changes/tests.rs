//! Tests with repositories whose few small objects describe enormous trees.

use crate::git::git_command::run_git;
use crate::git::{Blamer, ChangesError, CommitLog, ReadLines, collect_changes, find_problem};
use gix::ObjectId;
use gix::objs::{Kind, Write as _};
use kenning_graph::Hash;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const TEXT: &str = "def alpha():\n    return 1\n";

/// A repository with one file, to which objects are written without git's checks.
struct BombRepository {
    folder: TempDir,
    repository: gix::Repository,
}

/// An entry of a tree: its mode, its name and its object.
type TreeEntry = (&'static str, String, ObjectId);

impl BombRepository {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.py"), TEXT).unwrap();
        for arguments in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "first"]] {
            run_git(folder.path(), "a", &[], arguments);
        }
        let repository = gix::open(folder.path()).unwrap();
        Self { folder, repository }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, kind: Kind, bytes: &[u8]) -> ObjectId {
        self.repository.objects.write_buf(kind, bytes).unwrap()
    }

    fn write_tree(&self, entries: &[TreeEntry]) -> ObjectId {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").as_bytes());
            bytes.extend(id.as_slice());
        }
        self.write(Kind::Tree, &bytes)
    }

    fn write_commit(&self, tree: ObjectId, parents: &[ObjectId]) -> ObjectId {
        let parents = parents.iter().map(|parent| format!("parent {parent}\n")).collect::<Vec<_>>().concat();
        let person = "a <a@x> 1717243200 +0000";
        let text = format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\nGrow wisteria\n");
        self.write(Kind::Commit, text.as_bytes())
    }

    fn head(&self) -> ObjectId {
        self.repository.head_id().unwrap().detach()
    }

    fn head_tree(&self) -> ObjectId {
        self.repository.head_tree_id().unwrap().detach()
    }

    fn set_head(&self, commit: ObjectId) {
        run_git(self.root(), "a", &[], &["update-ref", "refs/heads/main", &commit.to_string()]);
    }

    /// Commits a tree between the first commit and a copy of it, which is checked out.
    fn hide_in_history(&self, tree: ObjectId) -> ObjectId {
        let bomb = self.write_commit(tree, &[self.head()]);
        self.set_head(self.write_commit(self.head_tree(), &[bomb]));
        bomb
    }

    /// Returns a tree with ten entries that are the same tree, and so on: 10^10 files.
    fn nested_bomb(&self) -> ObjectId {
        let blob = self.write(Kind::Blob, TEXT.as_bytes());
        let files: Vec<TreeEntry> = (0..10).map(|at| ("100644", format!("f{at}.py"), blob)).collect();
        (0..9).fold(self.write_tree(&files), |tree, _| {
            let folders: Vec<TreeEntry> = (0..10).map(|at| ("40000", format!("d{at}"), tree)).collect();
            self.write_tree(&folders)
        })
    }

    fn deep_bomb(&self) -> ObjectId {
        let blob = self.write(Kind::Blob, TEXT.as_bytes());
        let file = self.write_tree(&[("100644", "f.py".to_owned(), blob)]);
        (0..10_000).fold(file, |tree, _| self.write_tree(&[("40000", "d".repeat(20), tree)]))
    }

    fn wide_bomb(&self) -> ObjectId {
        let blob = self.write(Kind::Blob, TEXT.as_bytes());
        let files: Vec<TreeEntry> = (0..400_000).map(|at| ("100644", format!("{at:07}.py"), blob)).collect();
        self.write_tree(&files)
    }

    /// Returns a tree of a folder with a name of a megabyte that has a thousand files.
    fn long_name_bomb(&self) -> ObjectId {
        let blob = self.write(Kind::Blob, TEXT.as_bytes());
        let files: Vec<TreeEntry> = (0..1_000).map(|at| ("100644", format!("{at:04}.py"), blob)).collect();
        let folder = self.write_tree(&files);
        self.write_tree(&[("40000", "d".repeat(1 << 20), folder)])
    }

    fn bombs(&self) -> [(&'static str, ObjectId); 4] {
        [
            ("nested", self.nested_bomb()),
            ("deep", self.deep_bomb()),
            ("wide", self.wide_bomb()),
            ("long names", self.long_name_bomb()),
        ]
    }
}

#[test]
fn a_commit_with_an_enormous_tree_has_no_files_and_its_neighbors_are_read() {
    let repo = BombRepository::new();
    let first = repo.head();
    for (name, bomb) in repo.bombs() {
        repo.set_head(first);
        let commit = repo.hide_in_history(bomb);
        let mut log = CommitLog::open(repo.root()).unwrap();
        let ids = log.newest_commits(10).unwrap();
        assert_eq!(ids.len(), 3, "{name}");
        for id in ids {
            let facts = log.read_commit(&id, ReadLines::Yes).unwrap();
            // The next commit deletes all files of the enormous tree.
            assert_eq!(facts.is_too_large(), id != first.to_string(), "{name}: {facts:?}");
            let has_content = facts.is_too_large() && (facts.subject.len() + facts.files.len()) > 0;
            assert!(!has_content, "{name}: {commit} {facts:?}");
        }
    }
}

#[test]
fn a_commit_with_many_files_is_read() {
    let repo = BombRepository::new();
    let blob = repo.write(Kind::Blob, TEXT.as_bytes());
    let files: Vec<TreeEntry> = (0..50_000).map(|at| ("100644", format!("{at:07}.py"), blob)).collect();
    let commit = repo.write_commit(repo.write_tree(&files), &[]);
    repo.set_head(commit);
    let facts =
        CommitLog::open(repo.root()).unwrap().read_commit(&commit.to_string(), ReadLines::Yes).unwrap();
    assert_eq!((facts.touched_count, facts.files.len()), (50_000, 500));
}

#[test]
fn blame_stops_at_an_enormous_tree_and_gives_up_after_three_files() {
    let repo = BombRepository::new();
    // The file has another path in the enormous tree, so its name is followed through all changes.
    let blob = repo.write(Kind::Blob, TEXT.as_bytes());
    for (name, bomb) in repo.bombs() {
        let tree = [("100644", "old.py".to_owned(), blob), ("40000", "z".to_owned(), bomb)];
        let bomb = repo.write_commit(repo.write_tree(&tree), &[]);
        repo.set_head(repo.write_commit(repo.head_tree(), &[bomb]));
        let mut blamer = Blamer::open(repo.root()).unwrap();
        let content = Hash::from_content(TEXT.as_bytes());
        for _ in 0..3 {
            let error = blamer.blame_file("a.py", &content).unwrap_err();
            assert!(!error.contains("the history has folders"), "{name}: {error}");
        }
        let error = blamer.blame_file("a.py", &content).unwrap_err();
        assert!(error.contains("more entries than Kenning compares"), "{name}: {error}");
    }
}

#[test]
fn changes_against_an_enormous_tree_are_an_error() {
    let repo = BombRepository::new();
    let first = repo.head();
    for (name, bomb, reason) in [
        ("nested", repo.nested_bomb(), "more files than Kenning lists"),
        ("long names", repo.long_name_bomb(), "more files than Kenning lists"),
        ("wide", repo.wide_bomb(), "more than 100000 files changed"),
    ] {
        repo.set_head(repo.write_commit(bomb, &[first]));
        let error = collect_changes(repo.root(), None, &BTreeMap::new(), &Arc::default()).unwrap_err();
        let says = error.to_string().contains(reason);
        assert!(matches!(error, ChangesError::Unreadable { .. }) && says, "{name}: {error}");
    }
}

#[test]
fn an_index_with_folders_nested_too_deeply_is_refused() {
    let repo = BombRepository::new();
    let path = repo.root().join(".git/index");
    let mut index = fs::read(&path).unwrap();
    index.truncate(index.len() - 20);
    let folders = b"d\0-1 1\n".repeat(200_000);
    index.extend(b"TREE");
    index.extend((folders.len() as u32).to_be_bytes());
    index.extend(folders);
    index.extend([0; 20]);
    fs::write(&path, index).unwrap();
    let problem = find_problem(repo.root()).unwrap().to_string();
    assert!(problem.contains("index: has more nested folders than git writes"), "{problem}");
    assert!(CommitLog::open(repo.root()).is_none() && Blamer::open(repo.root()).is_none());
}
