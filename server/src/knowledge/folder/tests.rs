//! Tests of reading and writing the folder.

use super::*;
use crate::knowledge::entry::EntryDetails;
use crate::knowledge::front_matter_edit::set_key;
use expect_test::expect;
use std::fmt::Write as _;
use std::fs;
use tempfile::TempDir;

fn workspace(files: &[(&str, &str)]) -> (TempDir, KnowledgeFolder) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join("k").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let folder = KnowledgeFolder::open_configured(root.path(), "k").unwrap();
    (root, folder)
}

fn render_base(base: &KnowledgeBase) -> String {
    let mut out = String::new();
    for entry in &base.entries {
        let _ = writeln!(out, "{} {:?}", entry.reference(), entry.title);
    }
    for KnowledgeFinding { path, line, message } in &base.findings {
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        let _ = writeln!(out, "{path}{line}: {message}");
    }
    out
}

fn new_note(title: &str) -> KnowledgeEntry {
    KnowledgeEntry {
        kind: EntryKind::Note,
        id: String::new(),
        path: String::new(),
        title: title.to_owned(),
        tags: Vec::new(),
        details: EntryDetails::Note,
        links: Vec::new(),
        body: "Body\n".to_owned(),
    }
}

#[test]
fn every_problem_is_reported_and_other_entries_still_work() {
    let (root, folder) = workspace(&[
        ("notes/good.md", "---\ntitle: Good\n---\n\nText\n"),
        ("notes/broken.md", "---\ntitle: [\n---\n\n# Broken, but here\n"),
        ("notes/a/same.md", "# One"),
        ("notes/b/Same.md", "# Two"),
        ("notes/readme.txt", "not an entry"),
        ("notes/.hidden.md", "not an entry"),
        ("notes/1/2/3/4/5/deep.md", "too deep"),
        ("tasks/status.md", "---\nstatus: dne\n---\n"),
        ("tasks/a.md", "---\nlinks:\n  - to: task:b\n    kind: subtask_of\n---\n"),
        ("tasks/b.md", "---\nlinks:\n  - {to: task:a, kind: subtask_of}\n  - to: task:none\n---\n"),
        (
            "tasks/self.md",
            "---\nlinks:\n  - {to: task:self, kind: blocks}\n  - {to: task:a, kind: belongs_to}\n---\n",
        ),
        ("other/x.md", "not a kind"),
    ]);
    fs::write(root.path().join("k/notes/latin.md"), b"caf\xe9").unwrap();
    #[cfg(unix)]
    {
        let outside = root.path().parent().unwrap().join("outside-of-the-workspace");
        std::os::unix::fs::symlink(&outside, root.path().join("k/notes/dangling.md")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.path().join("k/notes/escape.md")).unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("k/skills")).unwrap();
        expect![[r#"
            note:same "One"
            note:Same "Two"
            note:broken "Broken, but here"
            note:good "Good"
            task:a "a"
            task:b "b"
            task:self "self"
            task:status "status"
            k/notes/1/2/3/4/5: the folder is nested more than 4 deep, so it is left out
            k/notes/b/Same.md: k/notes/a/same.md has the same id, so links to note:Same lead to it; rename one of the two files
            k/notes/broken.md:2: the front matter is ignored until it is corrected: unclosed bracket '['
            k/notes/escape.md: the file is a symbolic link that leads out of the workspace, so it is left out
            k/notes/latin.md: the file is not UTF-8, so it is left out
            k/skills: the folder is a symbolic link, which is not followed
            k/tasks/a.md:3: subtask_of links form a cycle: task:a -> task:b -> task:a; remove one of them
            k/tasks/b.md:4: task:none does not exist; correct or remove the link
            k/tasks/self.md:3: blocks links form a cycle: task:self -> task:self; remove one of them
            k/tasks/self.md:4: task:a is not an epic; give it kind: epic, or use subtask_of
            k/tasks/status.md:2: the status "dne" is unknown; use one of backlog, todo, in_progress, review, done, cancelled
        "#]].assert_eq(&render_base(&folder.read_base(&|_| None)));
    }
}

#[test]
fn an_open_document_counts_instead_of_its_file() {
    let (_root, folder) = workspace(&[("notes/a.md", "# On disk")]);
    let base = folder.read_base(&|path| (path == "k/notes/a.md").then(|| "# Unsaved".into()));
    assert_eq!(render_base(&base), "note:a \"Unsaved\"\n");
}

#[test]
fn a_folder_outside_the_workspace_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let open = |folder: &str| {
        KnowledgeFolder::open_configured(root.path(), folder).map_err(|error| error.to_string())
    };
    assert!(open("").unwrap_err().ends_with("kenning.toml: knowledge.folder = \"docs/knowledge\""));
    assert!(open("../x").unwrap_err().contains("leads out of the workspace"));
    assert!(open("./docs/k/").is_ok());
    fs::write(root.path().join("file"), "").unwrap();
    assert!(open("file").unwrap_err().starts_with("file is not a folder"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc", root.path().join("link")).unwrap();
        assert!(open("link").unwrap_err().contains("leads out of the workspace"));
        let folder = open("k").unwrap();
        fs::create_dir(root.path().join("k")).unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("k/notes")).unwrap();
        assert!(folder.add_entry(new_note("x")).unwrap_err().to_string().contains("leads out"));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_new_entry_gets_a_free_id_and_overwrites_nothing() {
    let (root, folder) = workspace(&[("notes/sub/Retry-Policy.md", "mine")]);
    let add = |title: &str| folder.add_entry(new_note(title)).unwrap();
    assert_eq!(add("Retry policy!").path, "k/notes/retry-policy-2.md");
    assert_eq!(add("Retry policy!").id, "retry-policy-3");
    assert_eq!(add("Größe: 100 %").id, "größe-100");
    assert_eq!(
        (add("???").id, add("CON").id, add("com1").id),
        ("note".into(), "con-note".into(), "com1-note".into())
    );
    assert_eq!(add(&"größe".repeat(20)).id.chars().count(), MAX_ID_CHARS);
    assert_eq!(fs::read_to_string(root.path().join("k/notes/sub/Retry-Policy.md")).unwrap(), "mine");
    let names: Vec<_> = fs::read_dir(root.path().join("k/notes")).unwrap().flatten().collect();
    assert!(names.iter().all(|entry| !entry.file_name().to_string_lossy().starts_with('.')), "{names:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| fs::metadata(root.path().join(path)).unwrap().permissions().mode() & 0o777;
        fs::write(root.path().join("plain"), "").unwrap();
        assert_eq!(mode("k/notes/note.md"), mode("plain"), "as any new file");
    }
}

#[test]
fn an_edit_keeps_permissions_and_changes_the_stamp() {
    let (root, folder) = workspace(&[("tasks/a.md", "---\nstatus: todo\nown: 1\n---\n\nBody\n")]);
    let path = root.path().join("k/tasks/a.md");
    let before = folder.compute_stamp();
    assert_eq!(before, folder.compute_stamp());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let edit = || folder.edit_entry("k/tasks/a.md", |text| set_key(text, "status", &"done".into())).unwrap();
    assert_eq!((edit(), edit()), (true, false));
    assert_eq!(fs::read_to_string(&path).unwrap(), "---\nstatus: done\nown: 1\n---\n\nBody\n");
    assert_ne!(before, folder.compute_stamp());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
    let gone = folder.edit_entry("k/tasks/b.md", |text| Ok(text.to_owned())).unwrap_err().to_string();
    assert_eq!(gone, "k/tasks/b.md cannot be written: it no longer exists");
}

#[test]
fn entries_are_found_by_their_id_in_any_case() {
    let (_root, folder) = workspace(&[("notes/retry.md", ""), ("tasks/retry.md", "")]);
    let base = folder.read_base(&|_| None);
    assert_eq!(base.find_entry(EntryKind::Task, "Retry").unwrap().path, "k/tasks/retry.md");
    let error = base.find_entry(EntryKind::Note, "rety").unwrap_err().to_string();
    assert_eq!(error, "no note has the id rety; did you mean retry?");
    assert!(base.find_entry(EntryKind::Skill, "retry").is_err());
    let entry = |path: &str| folder.entry_of_path(path).map(|target| target.to_string());
    assert_eq!(entry("k/tasks/sub/x.md").as_deref(), Some("task:x"));
    assert_eq!((entry("k/tasks.md"), entry("kk/tasks/x.md"), entry("k/tasks/x.py")), (None, None, None));
}
