//! Tests `kenning cache`, automatic pruning, and databases of other workspaces: with real folders,
//! a process that has an index open, links in the cache, and damaged databases.

use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(86_400);

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// Creates workspaces with these names.
    fn new(workspaces: &[&str]) -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        for name in workspaces {
            let root = fixture.root(name);
            std::fs::create_dir_all(&root).unwrap();
            let name = name.rsplit('/').next().unwrap();
            let text = format!("class {name}Cart:\n    def add_item(self, item):\n        return item\n");
            std::fs::write(root.join("app.py"), text).unwrap();
        }
        fixture
    }

    fn base(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn root(&self, name: &str) -> PathBuf {
        self.base().join("src").join(name)
    }

    fn cache(&self) -> PathBuf {
        self.base().join("cache/kenning")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.base()).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        command
            .env("XDG_CACHE_HOME", self.base().join("cache"))
            .env("XDG_DATA_HOME", self.base().join("data"));
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Returns the standard output of a command that succeeds.
    fn expect_success(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), error.as_str()), (Some(0), ""), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the standard error of a command that fails.
    fn expect_failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn index(&self, name: &str) {
        self.expect_success(&["index", self.root(name).to_str().unwrap()]);
    }

    fn learn(&self, name: &str) {
        let root = self.root(name);
        let symbol = format!("{name}Cart.add_item");
        self.expect_success(&["feedback", "add item", "--used", &symbol, "--root", root.to_str().unwrap()]);
    }

    fn list(&self) -> Value {
        serde_json::from_str(&self.expect_success(&["cache", "list", "--json"])).unwrap()
    }

    /// Returns the kind and the state of each entry about a workspace, sorted.
    fn states(&self, name: &str) -> Vec<String> {
        let list = self.list();
        let root = self.root(name);
        let entries = list["entries"].as_array().unwrap().iter();
        let entries = entries.filter(|entry| entry["workspace"] == root.to_str().unwrap());
        let mut states: Vec<String> = entries
            .map(|e| format!("{} {}", e["kind"].as_str().unwrap(), e["state"].as_str().unwrap()))
            .collect();
        states.sort();
        states
    }

    /// Returns the folder with the index of a workspace.
    fn index_folder(&self, name: &str) -> PathBuf {
        let folders = std::fs::read_dir(self.cache()).unwrap().map(|entry| entry.unwrap().path());
        let prefix = format!("{name}-");
        let is_index = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(&prefix);
        folders.into_iter().find(is_index).unwrap()
    }

    /// Opens a workspace in this process, which differs from the processes of the commands.
    fn open(&self, name: &str) -> Workspace {
        let cache_home = Some(self.base().join("cache"));
        let options = WorkspaceOptions { cache_home, ..WorkspaceOptions::default() };
        Workspace::open_refreshed(&self.root(name), options, &NoProgress).unwrap().0
    }

    /// Sets the time of the last change of all files in the cache to `age` before now.
    fn make_older(&self, age: Duration) {
        let mut pending = vec![self.cache()];
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.file_name().unwrap() != "last-prune" {
                let file = File::options().write(true).open(path).unwrap();
                file.set_modified(SystemTime::now() - age).unwrap();
            }
        }
    }
}

/// Returns all files below a folder with their contents, sorted.
fn read_all(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let (mut files, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.push((path.clone(), std::fs::read(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Writes a schema number into the header of a database.
fn set_schema(database: &Path, schema: u32) {
    let mut bytes = std::fs::read(database).unwrap();
    bytes[60..64].copy_from_slice(&schema.to_be_bytes());
    std::fs::write(database, bytes).unwrap();
}

#[test]
fn the_list_has_every_file_and_its_sizes_add_up() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    assert!(fixture.expect_success(&["cache", "list"]).starts_with("The cache is empty: "));
    assert!(fixture.expect_success(&["cache", "size"]).starts_with("The cache is empty: "));
    fixture.index("Shop");
    fixture.index("Blog");
    fixture.learn("Shop");
    std::fs::create_dir(fixture.cache().join("shown")).unwrap();
    std::fs::write(fixture.cache().join("shown/a.md"), "12345").unwrap();
    std::fs::write(fixture.cache().join("mine.txt"), "123").unwrap();
    let list = fixture.list();
    let entries = list["entries"].as_array().unwrap();
    let sizes: Vec<u64> = entries.iter().map(|entry| entry["bytes"].as_u64().unwrap()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    let files: usize = read_all(&fixture.cache()).iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(sizes.iter().sum::<u64>(), files as u64);
    assert_eq!(list["bytes"], files as u64);
    assert_eq!(fixture.states("Shop"), ["facts current", "index current"]);
    let shop = entries.iter().find(|e| e["kind"] == "index" && e["learned_bytes"] != 0).unwrap();
    assert_eq!(shop["workspace"], fixture.root("Shop").to_str().unwrap());
    for (kind, bytes) in [("shown_documents", 5), ("other", 3)] {
        assert!(entries.iter().any(|entry| entry["kind"] == kind && entry["bytes"] == bytes), "{kind}");
    }
    let text = fixture.expect_success(&["cache", "list"]);
    let line = format!("today         current  {}\n", fixture.root("Blog").display());
    assert!(text.contains(&line), "{text}");
    assert!(text.contains("other files: mine.txt\n") && text.contains("facts of "), "{text}");
    assert!(text.contains(" in 2 indexes and 2 caches of facts, in "), "{text}");
    let size: Value = serde_json::from_str(&fixture.expect_success(&["cache", "size", "--json"])).unwrap();
    assert_eq!((&size["bytes"], &size["indexes"]), (&list["bytes"], &2.into()));
    assert!(fixture.expect_success(&["cache", "size"]).ends_with(" bytes\n"));
}

#[test]
fn status_shows_the_space_of_the_index_and_of_the_cache() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    fixture.index("Shop");
    fixture.index("Blog");
    let root = fixture.root("Shop");
    let status = fixture.expect_success(&["status", root.to_str().unwrap()]);
    assert!(status.contains(" for 2 indexes (kenning cache list)\n"), "{status}");
    let status = fixture.expect_success(&["status", "--json", root.to_str().unwrap()]);
    let disk = &serde_json::from_str::<Value>(&status).unwrap()["disk"];
    let bytes = |field: &str| disk[field].as_u64().unwrap();
    assert!(bytes("index_bytes") > 0 && bytes("facts_bytes") > 0);
    assert!(bytes("cache_bytes") > bytes("index_bytes") + bytes("facts_bytes"));
}

#[test]
fn pruning_removes_the_indexes_and_facts_of_workspaces_that_are_gone() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    fixture.index("Shop");
    fixture.index("Blog");
    assert!(fixture.expect_success(&["cache", "prune", "--yes"]).starts_with("Nothing to remove"));
    std::fs::remove_dir_all(fixture.root("Shop")).unwrap();
    assert_eq!(fixture.states("Shop"), ["facts current", "index workspace_gone"]);
    let before = read_all(&fixture.cache());
    let planned = fixture.expect_success(&["cache", "prune", "--dry-run"]);
    assert_eq!(read_all(&fixture.cache()), before, "a dry run changes nothing");
    let pruned = fixture.expect_success(&["cache", "prune", "--yes"]);
    for (text, verb) in [(planned, "Would remove"), (pruned, "Removed")] {
        let root = fixture.root("Shop");
        assert!(text.contains(&format!("{verb} the index of {} (", root.display())), "{text}");
        assert!(text.contains("): the folder does not exist any more\n"), "{text}");
        assert!(text.contains(&format!("{verb} the facts of {} (", root.display())), "{text}");
        let lines = if verb == "Removed" { 3 } else { 5 };
        assert_eq!(text.lines().count(), lines, "a dry run names the files: {text}");
    }
    assert_eq!(fixture.states("Shop"), Vec::<String>::new());
    assert_eq!(fixture.states("Blog"), ["facts current", "index current"]);
    let folders = std::fs::read_dir(fixture.cache()).unwrap().count();
    assert_eq!(folders, 3, "two folders and the time of the last pruning");
}

#[test]
fn learned_data_is_kept_unless_the_user_removes_it() {
    let fixture = Fixture::new(&["Shop"]);
    fixture.index("Shop");
    fixture.learn("Shop");
    let root = fixture.root("Shop");
    std::fs::rename(&root, fixture.base().join("moved")).unwrap();
    let text = fixture.expect_success(&["cache", "prune", "--yes"]);
    assert!(text.contains("Kept its learned data and imported runs ("), "{text}");
    assert!(fixture.expect_success(&["cache", "prune", "--yes"]).starts_with("Nothing to remove"));
    let list = fixture.expect_success(&["cache", "list"]);
    assert!(list.contains(&format!("workspace is gone  {} (only learned data)\n", root.display())), "{list}");
    // The learned data is back together with the workspace.
    std::fs::rename(fixture.base().join("moved"), &root).unwrap();
    assert_eq!(fixture.states("Shop"), ["index only_learned"]);
    fixture.index("Shop");
    let learned = fixture.expect_success(&["debug", "feedback", "--root", root.to_str().unwrap()]);
    assert!(learned.contains("ShopCart.add_item"), "{learned}");
    fixture.expect_success(&["cache", "clear", "--yes", "--root", root.to_str().unwrap()]);
    assert_eq!(fixture.states("Shop"), ["index only_learned"]);
    std::fs::remove_dir_all(&root).unwrap();
    let text = fixture.expect_success(&["cache", "prune", "--yes", "--learned"]);
    assert!(text.contains(&format!("Removed the learned data of {}", root.display())), "{text}");
    assert_eq!(fixture.states("Shop"), Vec::<String>::new());
}

#[test]
fn an_index_that_a_process_has_open_is_never_removed() {
    let fixture = Fixture::new(&["Shop"]);
    // The first process writes, the second one only reads.
    let (writer, reader) = (fixture.open("Shop"), fixture.open("Shop"));
    drop(writer);
    assert_eq!(fixture.states("Shop"), ["facts in_use", "index in_use"]);
    let root = fixture.root("Shop");
    let error = fixture.expect_failure(&["cache", "clear", "--yes", "--root", root.to_str().unwrap()]);
    let expected = format!("kenning: the index of {} was not removed: it is in use; close ", root.display());
    assert!(error.starts_with(&expected), "{error}");
    let error = fixture.expect_failure(&["cache", "clear", "--all", "--yes"]);
    assert!(error.starts_with(&expected), "{error}");
    let everything = ["cache", "prune", "--yes", "--older-than", "0s", "--learned"];
    assert!(fixture.expect_success(&everything).starts_with("Nothing to remove"));
    std::fs::remove_dir_all(&root).unwrap();
    assert!(fixture.expect_success(&everything).starts_with("Nothing to remove"));
    assert!(fixture.index_folder("Shop").join("graph.db").exists());
    drop(reader);
    assert!(fixture.expect_success(&everything).starts_with("Removed the index of "));
}

#[test]
fn opening_and_removing_at_the_same_time_loses_nothing() {
    let fixture = Fixture::new(&["Shop"]);
    let root = fixture.root("Shop");
    let root = root.to_str().unwrap();
    for _ in 0..10 {
        std::thread::scope(|scope| {
            let clearing = scope.spawn(|| fixture.run(&["cache", "clear", "--yes", "--root", root]));
            let opening: Vec<_> = (0..2)
                .map(|_| scope.spawn(|| fixture.open("Shop").current_snapshot().files().len()))
                .collect();
            for opened in opening {
                assert_eq!(opened.join().unwrap(), 1);
            }
            let cleared = clearing.join().unwrap();
            let error = String::from_utf8_lossy(&cleared.stderr).into_owned();
            assert!(error.is_empty() || error.contains("it is in use"), "{error}");
        });
    }
    fixture.index("Shop");
    assert_eq!(fixture.states("Shop"), ["facts current", "index current"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_cache() {
    let fixture = Fixture::new(&["Shop"]);
    fixture.index("Shop");
    let outside = fixture.base().join("outside");
    std::fs::create_dir_all(outside.join("deep")).unwrap();
    for file in ["graph.db", "facts.db", "deep/precious.txt"] {
        std::fs::write(outside.join(file), "precious").unwrap();
    }
    let link = |target: &Path, link: &Path| std::os::unix::fs::symlink(target, link);
    let folder = fixture.index_folder("Shop");
    link(&outside, &fixture.cache().join("Gone-0123456789abcdef")).unwrap();
    link(&outside, &fixture.cache().join("shown")).unwrap();
    link(&outside.join("deep"), &folder.join("packs")).unwrap();
    link(&outside.join("graph.db"), &folder.join("vectors.db")).unwrap();
    let before = read_all(&outside);
    let entries = fixture.list();
    let is_link = |entry: &&Value| entry["path"].as_str().unwrap().ends_with("Gone-0123456789abcdef");
    let entry = entries["entries"].as_array().unwrap().iter().find(is_link).unwrap().clone();
    assert_eq!(entry["kind"], "other");
    std::fs::remove_dir_all(fixture.root("Shop")).unwrap();
    let text = fixture.expect_success(&["cache", "prune", "--yes", "--older-than", "0s", "--learned"]);
    for name in ["packs", "vectors.db"] {
        let kept = format!("  Kept {}, which Kenning did not write\n", folder.join(name).display());
        assert!(text.contains(&kept), "{text}");
    }
    let left = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 2, "the links are not Kenning's, so they and the folder stay");
    std::fs::remove_dir_all(&folder).unwrap();
    fixture.expect_success(&["cache", "clear", "--all", "--yes", "--learned"]);
    assert_eq!(read_all(&outside), before);
    // A link in place of a lock is not opened.
    fixture.expect_success(&["cache", "size"]);
    let broken = fixture.cache().join("Other-0123456789abcdef");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("graph.db"), "").unwrap();
    link(&outside.join("new"), &broken.join("graph.workspace")).unwrap();
    assert!(fixture.expect_failure(&["cache", "clear", "--all", "--yes"]).contains("is a link"));
    assert!(!outside.join("new").exists() && broken.join("graph.db").exists());
}

#[test]
fn damaged_databases_and_other_schemas_are_recognized() {
    let fixture = Fixture::new(&["Shop"]);
    fixture.index("Shop");
    let root = fixture.root("Shop");
    let graph = fixture.index_folder("Shop").join("graph.db");
    let sound = std::fs::read(&graph).unwrap();
    for (damage, state) in
        [(b"no database".to_vec(), "damaged"), (sound[..sound.len() / 2].to_vec(), "damaged")]
    {
        std::fs::write(&graph, damage).unwrap();
        assert_eq!(fixture.states("Shop"), ["facts current", &format!("index {state}")]);
    }
    std::fs::write(&graph, &sound).unwrap();
    set_schema(&graph, 99);
    assert_eq!(fixture.states("Shop"), ["facts current", "index newer_schema"]);
    assert!(fixture.expect_success(&["cache", "list"]).contains("newer schema (99)"));
    let error = fixture.expect_failure(&["pack", "add item", "--root", root.to_str().unwrap()]);
    assert!(error.contains("was written by a newer version of Kenning (schema 99, "), "{error}");
    assert!(
        fixture.expect_success(&["cache", "prune", "--yes"]).starts_with("Nothing to remove"),
        "a newer version may use it"
    );
    let doctor = fixture.run(&["doctor", root.to_str().unwrap()]);
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains("fix: update Kenning, or remove the index with kenning cache clear"), "{doctor}");
    set_schema(&graph, 9999);
    assert_eq!(fixture.states("Shop"), ["facts current", "index damaged"], "no version writes this number");
    set_schema(&graph, 2);
    assert_eq!(fixture.states("Shop"), ["facts current", "index older_schema"]);
    let text = fixture.expect_success(&["cache", "prune", "--yes"]);
    assert!(text.contains(": an older version wrote it (schema 2)\n"), "{text}");
    fixture.index("Shop");
    assert_eq!(fixture.states("Shop"), ["facts current", "index current"]);
    let name = |entry: &Value| entry["path"].as_str().unwrap().to_owned();
    let list = fixture.list();
    let facts = list["entries"].as_array().unwrap().iter().find(|e| e["kind"] == "facts").map(name).unwrap();
    set_schema(&Path::new(&facts).join("facts.db"), 99);
    assert_eq!(fixture.states("Shop"), ["facts newer_schema", "index current"]);
    fixture.expect_success(&["cache", "clear", "--yes", "--root", root.to_str().unwrap()]);
    fixture.index("Shop");
    assert_eq!(fixture.states("Shop"), ["facts current", "index current"]);
}

#[test]
fn a_workspace_is_cleared_by_its_path_even_if_it_is_gone() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    fixture.index("Shop");
    fixture.index("Blog");
    let shop = fixture.root("Shop");
    let clear = ["cache", "clear", "--yes", "--root", shop.to_str().unwrap()];
    assert!(fixture.expect_success(&clear).starts_with(&format!("Removed the index of {}", shop.display())));
    assert!(fixture.expect_success(&clear).starts_with("There is no index of "));
    fixture.index("Shop");
    std::fs::remove_dir_all(&shop).unwrap();
    assert!(fixture.expect_success(&clear).starts_with(&format!("Removed the index of {}", shop.display())));
    assert_eq!(fixture.states("Blog"), ["facts current", "index current"]);
    let error = fixture.expect_failure(&["cache", "clear", "--all"]);
    assert!(error.contains("Would remove the index of ") && error.contains(": graph.base, "), "{error}");
    assert!(error.contains("3 items would be removed as listed, but nothing was"), "{error}");
    assert!(error.contains("pass --yes"), "{error}");
    assert_eq!(fixture.states("Blog"), ["facts current", "index current"]);
    std::fs::write(fixture.cache().join("mine.txt"), "123").unwrap();
    fixture.expect_success(&["cache", "clear", "--all", "--yes"]);
    assert_eq!(read_all(&fixture.cache()), [(fixture.cache().join("mine.txt"), b"123".to_vec())]);
}

#[test]
fn unused_indexes_are_removed_by_age() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    fixture.index("Shop");
    fixture.make_older(40 * DAY);
    fixture.index("Blog");
    let text = fixture.expect_success(&["cache", "list"]);
    assert!(text.contains("40 days ago"), "{text}");
    assert!(
        fixture
            .expect_success(&["cache", "prune", "--yes", "--older-than", "41d"])
            .starts_with("Nothing to remove")
    );
    let text = fixture.expect_success(&["cache", "prune", "--yes", "--older-than", "6w"]);
    assert!(text.starts_with("Nothing to remove"), "{text}");
    let text = fixture.expect_success(&["cache", "prune", "--yes", "--older-than", "30d"]);
    assert!(text.contains(": not used for 40 days\n") && text.contains("Removed the facts of "), "{text}");
    assert_eq!(fixture.states("Shop"), Vec::<String>::new());
    assert_eq!(fixture.states("Blog"), ["facts current", "index current"]);
    assert_eq!(fixture.run(&["cache", "prune", "--yes", "--older-than", "soon"]).status.code(), Some(2));
}

#[test]
fn automatic_pruning_needs_age_and_a_parent_folder_and_runs_once_a_day() {
    let fixture = Fixture::new(&["Shop", "Blog", "disk/Plug"]);
    fixture.index("Shop");
    fixture.expect_success(&["index", fixture.root("disk/Plug").to_str().unwrap()]);
    let stamp = fixture.cache().join("last-prune");
    let make_due = || std::fs::remove_file(&stamp).unwrap();
    std::fs::remove_dir_all(fixture.root("Shop")).unwrap();
    // The mount point of a disk that is not mounted is an empty folder.
    std::fs::remove_dir_all(fixture.root("disk/Plug")).unwrap();
    make_due();
    fixture.index("Blog");
    assert_eq!(fixture.states("Shop"), ["facts current", "index workspace_gone"], "the index is too new");
    fixture.make_older(31 * DAY);
    fixture.index("Blog");
    assert_eq!(
        fixture.states("Shop"),
        ["facts current", "index workspace_gone"],
        "the cache was pruned today"
    );
    make_due();
    fixture.index("Blog");
    assert_eq!(fixture.states("Shop"), Vec::<String>::new());
    assert_eq!(
        fixture.states("disk/Plug"),
        ["facts current", "index workspace_gone"],
        "the disk may come back"
    );
    assert_eq!(fixture.states("Blog"), ["facts current", "index current"]);
}

#[test]
fn a_database_of_another_workspace_is_refused_before_anything_is_written() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    let (shop, blog) = (fixture.root("Shop"), fixture.root("Blog"));
    let (shop, blog) = (shop.to_str().unwrap(), blog.to_str().unwrap());
    let folder = fixture.base().join("db");
    let database = folder.join("my.db");
    let database = database.to_str().unwrap();
    fixture.expect_success(&["index", shop, "--db", database]);
    fixture.expect_success(&["status", shop, "--db", database]);
    let before = read_all(&folder);
    let commands: [&[&str]; 9] = [
        &["index", blog],
        &["status", blog],
        &["pack", "add item", "--root", blog],
        &["search", "add item", "--root", blog],
        &["blast", "BlogCart", "--root", blog],
        &["forget", "--yes", "--root", blog],
        &["mcp", "--root", blog],
        &["enrich", blog],
        &["cache", "clear", "--yes", "--root", blog],
    ];
    for command in commands {
        let error = fixture.expect_failure(&[command, &["--db", database]].concat());
        let expected =
            format!("kenning: {database} holds the index of {shop}, not of {blog}: choose another ");
        assert!(error.starts_with(&expected), "{command:?}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
    let doctor = fixture.run(&["doctor", blog, "--db", database]);
    assert_eq!(doctor.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("holds the index of"));
    let output = fixture.command(&["status", blog]).env("KENNING_DB", database).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("holds the index of"));
    assert_eq!(read_all(&folder), before);
    fixture.expect_success(&["status", shop, "--db", database]);
    // Without the database, the record of its workspace has no effect.
    std::fs::remove_file(database).unwrap();
    assert_eq!(fixture.run(&["index", blog, "--db", database]).status.code(), Some(0));
    assert!(fixture.expect_failure(&["index", shop, "--db", database]).contains("holds the index of"));
}

#[test]
fn clearing_a_named_database_keeps_files_that_other_databases_use() {
    let fixture = Fixture::new(&["Shop", "Blog"]);
    let (shop, blog) = (fixture.root("Shop"), fixture.root("Blog"));
    let (shop, blog) = (shop.to_str().unwrap(), blog.to_str().unwrap());
    let folder = fixture.base().join("db");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    fixture.expect_success(&["index", shop, "--db", &path("one.db")]);
    fixture.expect_success(&["index", blog, "--db", &path("two.db")]);
    let text = fixture.expect_success(&["cache", "clear", "--yes", "--root", shop, "--db", &path("one.db")]);
    assert!(text.starts_with("Removed the index in "), "{text}");
    let names = || -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["facts.db", "two.base", "two.db", "two.lock", "two.workspace"]);
    fixture.expect_success(&["cache", "clear", "--yes", "--root", blog, "--db", &path("two.db")]);
    assert_eq!(names(), ["facts.db"]);
}

#[test]
fn nothing_is_removed_without_an_answer() {
    let fixture = Fixture::new(&["Shop"]);
    fixture.index("Shop");
    let root = fixture.root("Shop");
    let database = fixture.base().join("db/my.db");
    let (root_text, database) = (root.to_str().unwrap(), database.to_str().unwrap());
    fixture.expect_success(&["index", root_text, "--db", database]);
    let before = read_all(&fixture.base());
    let commands: [&[&str]; 4] = [
        &["cache", "clear", "--root", root_text],
        &["cache", "clear", "--root", root_text, "--db", database],
        &["cache", "clear", "--all"],
        &["cache", "prune", "--older-than", "0s"],
    ];
    for command in commands {
        for json in [&[][..], &["--json"]] {
            let error = fixture.expect_failure(&[command, json].concat());
            assert!(error.starts_with("Would remove the index "), "{command:?}: {error}");
            assert!(error.contains("there is no terminal to ask on; pass --yes"), "{command:?}: {error}");
        }
    }
    assert_eq!(read_all(&fixture.base()), before);
    assert_eq!(fixture.run(&["cache", "prune", "--yes", "--dry-run"]).status.code(), Some(2));
}

#[test]
fn a_named_path_that_is_no_database_of_kenning_is_never_removed() {
    let fixture = Fixture::new(&["Shop"]);
    let root = fixture.root("Shop");
    let root = root.to_str().unwrap();
    let folder = fixture.base().join("mine");
    let path = |name: &str| folder.join(name);
    std::fs::create_dir_all(path("project/src")).unwrap();
    std::fs::create_dir_all(path("empty-folder")).unwrap();
    for (name, text) in [
        ("project/src/main.rs", "fn main() {}"),
        ("notes.txt", "my notes"),
        ("notes.base", "my base"),
        ("notes.lock", "my lock"),
        ("empty.db", ""),
        ("zeros.db", &"\0".repeat(9000)),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    std::fs::create_dir(path("notes.packs")).unwrap();
    std::fs::write(path("notes.packs/list.txt"), "my list").unwrap();
    std::fs::write(path("other.db"), foreign_database()).unwrap();
    let before = read_all(&folder);
    for (name, problem) in [
        ("project", "it is a folder"),
        ("empty-folder", "it is a folder"),
        ("notes.txt", "it is not a Kenning database"),
        ("empty.db", "it is not a Kenning database"),
        ("zeros.db", "it is not a Kenning database"),
        ("other.db", "it is not a Kenning database"),
        ("project/src/main.rs", "it is not a Kenning database"),
    ] {
        let database = path(name);
        let database = database.to_str().unwrap();
        let error = fixture.expect_failure(&["cache", "clear", "--yes", "--root", root, "--db", database]);
        let expected = format!("kenning: the index in {database} was not removed: {problem}");
        assert!(error.starts_with(&expected), "{error}");
        let by_variable = ["cache", "clear", "--yes", "--root", root];
        let output = fixture.command(&by_variable).env("KENNING_DB", database).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
    assert_eq!(read_all(&folder), before);
    assert!(path("empty-folder").is_dir());
}

/// Returns the bytes of a SQLite database of another program: its first page has one cell.
fn foreign_database() -> Vec<u8> {
    let mut bytes = vec![0; 8192];
    bytes[..16].copy_from_slice(b"SQLite format 3\0");
    // Two pages of 4,096 bytes.
    bytes[16..18].copy_from_slice(&4096_u16.to_be_bytes());
    bytes[28..32].copy_from_slice(&2_u32.to_be_bytes());
    bytes[100] = 0x0d;
    bytes[104] = 1;
    bytes
}

#[test]
fn clearing_a_named_database_keeps_its_folder_and_every_file_that_is_not_kennings() {
    let fixture = Fixture::new(&["Shop"]);
    let root = fixture.root("Shop");
    let root = root.to_str().unwrap();
    let folder = fixture.base().join("own/folder");
    let database = folder.join("my.db");
    let database = database.to_str().unwrap();
    fixture.expect_success(&["index", root, "--db", database]);
    fixture.expect_success(&["pack", "add item", "--root", root, "--db", database]);
    for (name, text) in [("my.packs/list.json", "mine"), ("my.new-design.txt", "mine"), ("my.db.bak", "mine")]
    {
        std::fs::create_dir_all(folder.join("my.packs")).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    }
    let text = fixture.expect_success(&["cache", "clear", "--yes", "--root", root, "--db", database]);
    assert!(text.starts_with("Removed the index in "), "{text}");
    let mut left: Vec<PathBuf> = read_all(&folder).into_iter().map(|(path, _)| path).collect();
    left.sort();
    let names = ["facts.db", "my.db.bak", "my.new-design.txt", "my.packs/list.json"];
    assert_eq!(left, names.map(|name| folder.join(name)));
    for name in names {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    std::fs::remove_dir(folder.join("my.packs")).unwrap();
    fixture.expect_success(&["index", root, "--db", database]);
    std::fs::remove_file(folder.join("facts.db")).unwrap();
    fixture.expect_success(&["cache", "clear", "--yes", "--root", root, "--db", database]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "the folder is empty, and still there");
}

#[cfg(unix)]
#[test]
fn links_at_and_next_to_a_named_database_are_neither_followed_nor_removed() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new(&["Shop"]);
    let root = fixture.root("Shop");
    let root = root.to_str().unwrap();
    let (folder, outside) = (fixture.base().join("db"), fixture.base().join("outside"));
    std::fs::create_dir_all(&outside).unwrap();
    for name in ["notes.txt", "editor-notes.txt", "agent-x.md"] {
        std::fs::write(outside.join(name), "mine").unwrap();
    }
    let database = folder.join("my.db");
    let database = database.to_str().unwrap();
    fixture.expect_success(&["index", root, "--db", database]);
    symlink(&outside, folder.join("my.packs")).unwrap();
    symlink(&outside, folder.join("my.sockets")).unwrap();
    symlink(database, folder.join("link.db")).unwrap();
    let before = read_all(&outside);
    let link = folder.join("link.db");
    let link = link.to_str().unwrap();
    let error = fixture.expect_failure(&["cache", "clear", "--yes", "--root", root, "--db", link]);
    assert!(error.contains("it is a link"), "{error}");
    assert!(Path::new(&database).exists());
    let text = fixture.expect_success(&["cache", "clear", "--yes", "--root", root, "--db", database]);
    assert_eq!(text.matches("which Kenning did not write").count(), 2, "{text}");
    assert_eq!(read_all(&outside), before);
    assert!(folder.join("my.packs").is_symlink() && !Path::new(&database).exists());
}

#[test]
fn files_of_other_programs_are_not_overwritten_next_to_a_named_database() {
    let fixture = Fixture::new(&["Shop"]);
    let root = fixture.root("Shop");
    let root = root.to_str().unwrap();
    for name in ["yarn.lock", "yarn.workspace", "yarn.base", "yarn.db-wal", "facts.db", "yarn.new-notes"] {
        let folder = fixture.base().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(name), "mine, and longer than a header of a database: ".repeat(9))
            .unwrap();
        let before = read_all(&folder.join(name));
        let database = folder.join("yarn.db");
        let output = fixture.run(&["index", root, "--db", database.to_str().unwrap()]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = if name == "yarn.new-notes" { Some(0) } else { Some(1) };
        assert_eq!(output.status.code(), expected, "{name}: {error}");
        assert!(expected == Some(0) || error.contains(name), "{name}: {error}");
        assert_eq!(read_all(&folder.join(name)), before, "{name}");
    }
}
