//! Tests of changes, compared with the output of git itself.

use super::*;
use crate::git::git_command;
use expect_test::{Expect, expect};
use std::fmt::Write;
use tempfile::TempDir;

/// A repository in a temporary folder.
struct TestRepository {
    folder: TempDir,
}

impl TestRepository {
    fn new() -> Self {
        let repo = Self { folder: tempfile::tempdir().unwrap() };
        repo.git(&["init", "-q", "-b", "main", "."]);
        repo
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, None)
    }

    fn git_with(&self, arguments: &[&str], index: Option<&str>) -> String {
        let variables: Vec<(&str, &str)> = index.map(|index| ("GIT_INDEX_FILE", index)).into_iter().collect();
        git_command::run_git(self.root(), "a", &variables, arguments)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    fn changes(&self, base: Option<&str>) -> Result<ChangeSet, ChangesError> {
        collect_changes(self.root(), base, &BTreeMap::new(), &Arc::default())
    }

    fn check(&self, base: Option<&str>, expect: Expect) {
        let changes = self.changes(base).unwrap();
        expect.assert_eq(&format!("since {}\n{}", changes.base, render_changes(&changes.files)));
    }

    /// Returns git's own list of changes in the working tree against `base`, with all untracked
    /// files.
    fn changes_by_git(&self, base: &str) -> String {
        let index = self.root().join(".git/another-index");
        std::fs::copy(self.root().join(".git/index"), &index).unwrap();
        let index = index.to_str().unwrap();
        self.git_with(&["add", "-A"], Some(index));
        let diff = ["diff", "--cached", "-U0", "-M", "--no-color", "--no-ext-diff", base];
        parse_git_diff(&self.git_with(&diff, Some(index)))
    }
}

fn render_changes(files: &[ChangedFile]) -> String {
    let mut out = String::new();
    for file in files {
        let _ = write!(out, "{} {}", file.status.as_str(), file.path);
        if let Some(old) = &file.old_path {
            let _ = write!(out, " from {old}");
        }
        if file.binary {
            out.push_str(" binary");
        }
        for (first, last) in &file.lines {
            let _ = write!(out, " {first}-{last}");
        }
        for line in &file.removed_after {
            let _ = write!(out, " after {line}");
        }
        out.push('\n');
    }
    out
}

/// Parses the output of `git diff` without context. Returns the text that [`render_changes`] gives
/// for the same changes.
fn parse_git_diff(diff: &str) -> String {
    let mut files: Vec<ChangedFile> = Vec::new();
    for line in diff.lines() {
        if let Some(names) = line.strip_prefix("diff --git a/") {
            let (_, path) = names.split_once(" b/").unwrap();
            files.push(ChangedFile { path: path.to_owned(), ..ChangedFile::default() });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if line.starts_with("new file mode") {
            file.status = ChangeStatus::Added;
        } else if line.starts_with("deleted file mode") {
            file.status = ChangeStatus::Deleted;
        } else if let Some(old) = line.strip_prefix("rename from ") {
            (file.status, file.old_path) = (ChangeStatus::Renamed, Some(old.to_owned()));
        } else if line.starts_with("Binary files") {
            file.binary = file.status != ChangeStatus::Deleted;
        } else if let Some(hunk) = line.strip_prefix("@@ ")
            && file.status != ChangeStatus::Deleted
        {
            let after = hunk.split_whitespace().nth(1).unwrap().trim_start_matches('+');
            let (first, count) = after.split_once(',').unwrap_or((after, "1"));
            let (first, count): (u32, u32) = (first.parse().unwrap(), count.parse().unwrap());
            match count {
                0 => file.removed_after.push(first),
                _ => file.lines.push((first, first + count - 1)),
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    render_changes(&files)
}

fn lines(name: &str, numbers: std::ops::Range<u32>) -> String {
    numbers.map(|n| format!("{name} line {n}\n")).collect::<Vec<_>>().concat()
}

/// Creates a commit on main, and a branch with every kind of change: committed, staged, in the
/// working tree, untracked.
fn create_branch_with_every_change() -> TestRepository {
    let repo = TestRepository::new();
    repo.write(".gitignore", "*.log\n");
    for name in ["committed.py", "staged.py", "edited.py", "shrunk.py", "gone.py", "moved.py", "same.py"] {
        repo.write(name, lines(name, 0..12));
    }
    repo.write("picture.bin", b"\0\x01\x02");
    repo.write("both.py", lines("both", 0..12));
    repo.commit("first");
    repo.git(&["checkout", "-q", "-b", "work"]);
    repo.write("committed.py", lines("committed.py", 0..12).replace("line 3", "line three"));
    repo.write("both.py", lines("both", 0..12).replace("line 1\n", "line one\n"));
    repo.commit("second");
    repo.write("staged.py", lines("staged.py", 0..14));
    repo.write("staged new.py", "x = 1\n");
    repo.git(&["add", "-A"]);
    repo.write("edited.py", format!("first\n{}", lines("edited.py", 0..12)));
    repo.write("shrunk.py", lines("shrunk.py", 0..5) + &lines("shrunk.py", 8..12));
    repo.write(
        "both.py",
        lines("both", 0..12).replace("line 1\n", "line one\n").replace("line 9", "line nine"),
    );
    repo.write("sub/untracked é.py", "y = 2\nz = 3\n");
    repo.write("noise.log", "ignored\n");
    // The length differs, because git may miss a change of equal length in the same instant.
    repo.write("picture.bin", b"\0\x01\x03\x04");
    std::fs::remove_file(repo.root().join("gone.py")).unwrap();
    std::fs::remove_file(repo.root().join("moved.py")).unwrap();
    repo.write("sub/moved.py", lines("moved.py", 0..12).replace("line 7", "line seven"));
    repo
}

#[test]
fn changes_include_commits_index_working_tree_and_untracked_files() {
    let repo = create_branch_with_every_change();
    repo.check(
        None,
        expect![[r#"
            since main
            modified both.py 2-2 10-10
            modified committed.py 4-4
            modified edited.py 1-1
            deleted gone.py
            modified picture.bin binary
            modified shrunk.py after 5
            added staged new.py 1-1
            modified staged.py 13-14
            renamed sub/moved.py from moved.py 8-8
            added sub/untracked é.py 1-2
        "#]],
    );
    let ours = render_changes(&repo.changes(Some("main")).unwrap().files);
    repo.git(&["config", "core.quotePath", "false"]);
    assert_eq!(ours, repo.changes_by_git("main"));
    // With `HEAD` as the base, the committed changes on the branch do not count.
    let ours = render_changes(&repo.changes(Some("HEAD")).unwrap().files);
    assert_eq!(ours, repo.changes_by_git("HEAD"));
    assert!(!ours.contains("committed.py"), "{ours}");
}

#[test]
fn commits_on_the_base_after_the_branch_point_are_not_changes() {
    let repo = create_branch_with_every_change();
    repo.git(&["stash", "-q", "-u"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("same.py", "other work\n");
    repo.commit("on main");
    repo.git(&["checkout", "-q", "work"]);
    let changes = repo.changes(Some("main")).unwrap();
    assert_eq!(render_changes(&changes.files), "modified both.py 2-2\nmodified committed.py 4-4\n");
    let branch_point = repo.git(&["merge-base", "main", "work"]);
    assert_eq!(changes.merge_base.as_deref(), Some(branch_point.trim()));
}

#[test]
fn changes_after_random_edits_equal_those_of_git() {
    let repo = TestRepository::new();
    let mut state = 12_345_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let names: Vec<String> = (0..6).map(|n| format!("d{}/f{n}.py", n % 2)).collect();
    for name in &names {
        repo.write(name, lines(name, 0..40));
    }
    repo.commit("first");
    let mut committed = false;
    for round in 0..12 {
        let name = &names[random(6) as usize];
        let text = std::fs::read_to_string(repo.root().join(name)).unwrap();
        let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
        for edit in 0..=random(3) {
            let at = random(all.len().max(1) as u64) as usize;
            match random(3) {
                0 if !all.is_empty() => drop(all.remove(at)),
                1 if !all.is_empty() => all[at] = format!("changed {round} {edit}"),
                _ => all.insert(at, format!("new {round} {edit}")),
            }
        }
        all.push(String::new());
        repo.write(name, all.join("\n"));
        match random(5) {
            0 => repo.git(&["add", "-A"]),
            1 => {
                committed = true;
                repo.git(&["commit", "-q", "--allow-empty", "-am", "more"])
            }
            _ => String::new(),
        };
        for base in ["HEAD", "main~1"].into_iter().take(1 + usize::from(committed)) {
            assert_eq!(
                render_changes(&repo.changes(Some(base)).unwrap().files),
                repo.changes_by_git(base),
                "{round} {base}"
            );
        }
    }
}

#[test]
fn the_default_base_prefers_the_branch_of_the_remote() {
    let repo = TestRepository::new();
    repo.write("a.py", "a\n");
    repo.commit("first");
    let base = || repo.changes(None).unwrap().base;
    assert_eq!(base(), "main");
    repo.git(&["branch", "-m", "main", "trunk"]);
    assert_eq!(base(), "trunk");
    repo.git(&["checkout", "-q", "-b", "elsewhere"]);
    repo.git(&["branch", "-D", "-q", "trunk"]);
    assert_eq!(base(), "HEAD");
    repo.git(&["update-ref", "refs/remotes/origin/master", "HEAD"]);
    assert_eq!(base(), "origin/master");
    repo.git(&["update-ref", "refs/remotes/origin/dev", "HEAD"]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev"]);
    assert_eq!(base(), "origin/HEAD");
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let repo = TestRepository::new();
    repo.write("staged.py", "a\nb\n");
    repo.git(&["add", "-A"]);
    repo.write("untracked.py", "c\n");
    repo.check(
        None,
        expect![[r#"
            since the empty tree
            added staged.py 1-2
            added untracked.py 1-1
        "#]],
    );
    assert_eq!(
        repo.changes(Some("HEAD")).unwrap_err().to_string(),
        "\"HEAD\" is not a commit of this repository; pass a branch, a tag or a commit"
    );
}

#[test]
fn untracked_files_count_whatever_git_status_is_configured_to_show() {
    let repo = TestRepository::new();
    repo.write("a.py", "a = 1\n");
    repo.commit("first");
    repo.write("new/b.py", "b = 1\n");
    for shown in ["no", "normal", "all", "nonsense"] {
        repo.git(&["config", "status.showUntrackedFiles", shown]);
        repo.check(
            Some("HEAD"),
            expect![[r"
            since HEAD
            added new/b.py 1-1
        "]],
        );
    }
}

#[test]
fn names_that_are_no_longer_declared_are_reported() {
    let repo = TestRepository::new();
    let removed = || -> Vec<(String, Vec<String>)> {
        repo.changes(Some("HEAD")).unwrap().files.into_iter().map(|file| (file.path, file.removed)).collect()
    };
    repo.write("a.py", "class A:\n    def f(self): pass\n    def g(self): pass\n\ndef f(): pass\n");
    repo.write("B.java", "class B { void f(int a) {} void f(String a) {} }\n");
    repo.write("notes.unknown", "def f(): pass\n");
    repo.commit("first");
    repo.write("a.py", "class A:\n    def g(self): pass\n\ndef f(): pass\n\ndef h(): pass\n");
    repo.write("B.java", "class B { void f(String a) {} }\n");
    repo.write("notes.unknown", "\n");
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let expected = [("B.java", names(&["B.f"])), ("a.py", names(&["A.f"])), ("notes.unknown", names(&[]))];
    assert_eq!(removed(), expected.map(|(path, names)| (path.to_owned(), names)));
    std::fs::remove_file(repo.root().join("a.py")).unwrap();
    assert_eq!(removed()[1], ("a.py".to_owned(), names(&["A", "A.f", "A.g", "f"])));
}

#[test]
fn a_base_that_is_not_a_commit_is_an_error() {
    let repo = TestRepository::new();
    repo.write("a.py", "a\n");
    repo.commit("first");
    for base in ["nowhere", "", "HEAD:a.py", "main..main", "-x", "a\0b", "\u{1f9e8}", "@{-1}"] {
        let error = repo.changes(Some(base)).unwrap_err();
        assert!(matches!(error, ChangesError::UnknownBase(_)), "{base:?}: {error}");
    }
    repo.git(&["checkout", "-q", "--orphan", "alone"]);
    repo.commit("another first");
    assert!(matches!(repo.changes(Some("main")).unwrap_err(), ChangesError::Unrelated(_)));
    assert_eq!(repo.changes(None).unwrap().base, "HEAD", "a default base without common history is skipped");
    let elsewhere = tempfile::tempdir().unwrap();
    let error = collect_changes(elsewhere.path(), None, &BTreeMap::new(), &Arc::default()).unwrap_err();
    assert!(error.to_string().contains("is not in a git repository"), "{error}");
}

#[test]
fn a_workspace_in_a_subfolder_has_only_changes_to_files_in_it() {
    let repo = TestRepository::new();
    repo.write("app/a.py", "a\n");
    repo.write("other.py", "o\n");
    repo.commit("first");
    repo.write("app/a.py", "b\n");
    repo.write("app/n w.py", "n\n");
    repo.write("other.py", "p\n");
    repo.write("application/c.py", "c\n");
    let found = collect_changes(&repo.root().join("app"), None, &BTreeMap::new(), &Arc::default()).unwrap();
    assert_eq!(render_changes(&found.files), "modified a.py 1-1\nadded n w.py 1-1\n");
}

#[test]
fn unsaved_text_replaces_the_file_on_disk() {
    let repo = TestRepository::new();
    repo.write("a.py", "one\ntwo\n");
    repo.write("b.py", "one\n");
    repo.commit("first");
    repo.write("a.py", "one\n2\n");
    let buffers = |texts: &[(&str, &str)]| -> BTreeMap<String, Arc<str>> {
        texts.iter().map(|&(path, text)| (path.to_owned(), text.into())).collect()
    };
    let changes_with = |texts| {
        render_changes(&collect_changes(repo.root(), None, &buffers(texts), &Arc::default()).unwrap().files)
    };
    assert_eq!(changes_with(&[]), "modified a.py 2-2\n");
    assert_eq!(changes_with(&[("a.py", "one\ntwo\n")]), "", "the edit was undone in the editor");
    assert_eq!(
        changes_with(&[("b.py", "zero\none\n"), ("new.py", "x\n")]),
        "modified a.py 2-2\nmodified b.py 1-1\nadded new.py 1-1\n"
    );
}

#[test]
fn submodules_and_links_are_not_followed() {
    let repo = TestRepository::new();
    let inner = repo.root().join("vendored");
    std::fs::create_dir(&inner).unwrap();
    repo.git(&["-C", "vendored", "init", "-q", "-b", "main", "."]);
    repo.write("vendored/x.py", "x\n");
    repo.git(&["-C", "vendored", "add", "-A"]);
    repo.git(&["-C", "vendored", "commit", "-q", "-m", "inner"]);
    repo.write("a.py", "a\n");
    repo.git(&["add", "a.py", "vendored"]);
    repo.git(&["commit", "-q", "-m", "outer"]);
    repo.write("vendored/x.py", "y\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", repo.root().join("link.py")).unwrap();
    let shown = render_changes(&repo.changes(None).unwrap().files);
    assert!(!shown.contains("vendored"), "{shown}");
    #[cfg(unix)]
    assert_eq!(shown, "added link.py binary\n");
    let open = BTreeMap::from([("vendored/x.py".to_owned(), Arc::from("z\n"))]);
    let with_open = collect_changes(repo.root(), None, &open, &Arc::default()).unwrap();
    assert!(with_open.files.iter().all(|file| file.path != "vendored/x.py"));
}

#[test]
fn programs_in_the_configuration_do_not_run() {
    let repo = TestRepository::new();
    repo.write("a.py", "a\n");
    repo.commit("first");
    let witness = repo.root().join(".git/witness");
    let program = format!("touch '{}'; cat", witness.display());
    for key in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
    ] {
        repo.git(&["config", key, &program]);
    }
    repo.git(&["config", "filter.evil.required", "true"]);
    repo.write(".gitattributes", "*.py filter=evil diff=evil\n");
    repo.write("a.py", "b\n");
    repo.write("new.py", "c\n");
    let shown = render_changes(&repo.changes(None).unwrap().files);
    assert_eq!(shown, "added .gitattributes 1-1\nmodified a.py 1-1\nadded new.py 1-1\n");
    assert!(!witness.exists());
}

#[test]
fn a_cancelled_search_stops() {
    let repo = create_branch_with_every_change();
    let cancelled = Arc::new(AtomicBool::new(true));
    let stopped = collect_changes(repo.root(), None, &BTreeMap::new(), &cancelled);
    assert!(matches!(stopped, Err(ChangesError::Cancelled)));
}
