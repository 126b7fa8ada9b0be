//! Tests of the commit log, in repositories that git creates.

use super::*;
use crate::git::git_command;
use expect_test::{Expect, expect};
use std::fmt::Write as _;
use tempfile::TempDir;

struct TestRepository {
    folder: TempDir,
    day: u32,
}

impl TestRepository {
    fn new() -> Self {
        let repo = Self { folder: tempfile::tempdir().unwrap(), day: 0 };
        repo.git(&["init", "-q", "-b", "main", "."]);
        repo
    }

    fn git(&self, arguments: &[&str]) -> String {
        let date = format!("2024-05-{:02}T12:00:00Z", self.day + 1);
        let times = [("GIT_AUTHOR_DATE", date.as_str()), ("GIT_COMMITTER_DATE", &date)];
        git_command::run_git(self.folder.path(), "a", &times, arguments)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn commit(&mut self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.day += 1;
    }

    fn check(&self, lines: ReadLines, expect: Expect) {
        let mut log = CommitLog::open(self.folder.path()).unwrap();
        let mut out = String::new();
        for id in log.newest_commits(10).unwrap() {
            let commit = log.read_commit(&id, lines).unwrap();
            let day = (commit.time / 86_400) % 1000;
            let (subject, body) = (&commit.subject_tokens, &commit.body_tokens);
            let _ = writeln!(
                out,
                "{} ({day}) [{subject}] [{body}], {} files",
                commit.subject, commit.touched_count
            );
            for file in &commit.files {
                let _ = write!(out, "  {}", file.path);
                if let Some(old) = &file.old_path {
                    let _ = write!(out, " from {old}");
                }
                let _ = writeln!(out, ": {}", file.symbols.join(" "));
            }
        }
        expect.assert_eq(&out);
    }
}

#[test]
fn commits_have_the_tokens_of_their_messages_and_the_names_they_touched() {
    let mut repo = TestRepository::new();
    repo.write(
        "a.py",
        "class App:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 2\n",
    );
    repo.write("README.md", "x");
    repo.commit("First version");
    repo.write(
        "a.py",
        "class App:\n    def run(self):\n        return 11\n\n    def stop(self):\n        return 2\n",
    );
    repo.commit(
        "fix(app): run returnsEleven\n\nThe caller expects it.\n\nSigned-off-by: Ann <a@x>\nReviewers: Bob",
    );
    repo.git(&["mv", "a.py", "b.py"]);
    repo.write(
        "b.py",
        "class App:\n    def run(self):\n        return 11\n\n    def stop(self):\n        return 3\n",
    );
    repo.commit("Move");
    repo.git(&["rm", "-q", "b.py"]);
    repo.commit("Gone");
    repo.check(
        ReadLines::Yes,
        expect![[r#"
        Gone (847) [gone] [], 1 files
          b.py: 
        Move (846) [move] [], 1 files
          b.py from a.py: App.stop
        fix(app): run returnsEleven (845) [app run return eleven =returnseleven] [caller expect], 1 files
          a.py: App.run
        First version (844) [first version] [], 2 files
          a.py: App App.run App.stop
    "#]],
    );
    // Without reading contents, only files with equal content count as renamed.
    repo.check(
        ReadLines::No,
        expect![[r#"
        Gone (847) [gone] [], 1 files
          b.py: 
        Move (846) [move] [], 2 files
          a.py: 
          b.py: 
        fix(app): run returnsEleven (845) [app run return eleven =returnseleven] [caller expect], 1 files
          a.py: 
        First version (844) [first version] [], 2 files
          a.py: 
    "#]],
    );
}

#[test]
fn merges_are_left_out_but_the_merged_commits_are_read() {
    let mut repo = TestRepository::new();
    repo.write("a.py", "def a(): ...\n");
    repo.commit("one");
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("b.py", "def b(): ...\n");
    repo.commit("two");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.py", "def a(): return 1\n");
    repo.commit("three");
    repo.git(&["merge", "-q", "--no-ff", "side", "-m", "merge it"]);
    repo.check(
        ReadLines::Yes,
        expect![[r#"
        three (846) [three] [], 1 files
          a.py: a
        two (845) [two] [], 1 files
          b.py: b
        one (844) [one] [], 1 files
          a.py: a
    "#]],
    );
    let log = CommitLog::open(repo.folder.path()).unwrap();
    assert_eq!(log.newest_commits(2).unwrap(), log.newest_commits(10).unwrap()[..2]);
}

#[test]
fn without_a_repository_or_commits_there_is_no_log() {
    let folder = tempfile::tempdir().unwrap();
    assert!(CommitLog::open(folder.path()).is_none());
    assert!(CommitLog::open(TestRepository::new().folder.path()).is_none());
}

#[test]
fn credentials_are_masked_before_messages_are_tokenized() {
    let mut repo = TestRepository::new();
    // Built from parts, because hosting services refuse pushes that contain tokens.
    let token = format!("ghp_{}", "Ab3dEf6h".repeat(5));
    repo.write("a.py", "def login():\n    pass\n");
    repo.commit(&format!("Rotate {token} of login\n\nThe password: wisteria42 was in it.\n"));
    let long = format!("Log\n\n{}{token}", "x ".repeat((MAX_MESSAGE_BYTES - 24) / 2));
    repo.commit(&long);
    repo.check(
        ReadLines::Yes,
        expect![[r#"
            Log (845) [log] [], 0 files
            Rotate ******************************************** of login (844) [rotat login] [password], 1 files
              a.py: login
        "#]],
    );
    let mut log = CommitLog::open(repo.folder.path()).unwrap();
    for id in log.newest_commits(10).unwrap() {
        let facts = format!("{:?}", log.read_commit(&id, ReadLines::Yes).unwrap()).to_lowercase();
        assert!(!facts.contains("ab3def6h") && !facts.contains("wisteria"), "{facts}");
    }
}

#[test]
fn all_commits_of_a_history_share_one_budget() {
    let mut repo = TestRepository::new();
    for day in 0..6 {
        for file in 0..4 {
            repo.write(&format!("{file}.py"), &format!("x = {day}\n"));
        }
        repo.commit("Change four files");
    }
    let count_read = |changes, read_bytes| {
        let mut log = CommitLog::open(repo.folder.path()).unwrap();
        log.budget = HistoryBudget { changes, read_bytes };
        let ids = log.newest_commits(10).unwrap();
        ids.iter().filter(|id| !log.read_commit(id, ReadLines::No).unwrap().is_too_large()).count()
    };
    assert_eq!(count_read(24, u64::MAX), 6);
    assert_eq!(count_read(12, u64::MAX), 3, "later commits are left out");
    // A tree of four files has 128 bytes, and each commit but the first reads two.
    assert_eq!(count_read(usize::MAX, 600), 2);
}
