//! Tests damaged files of the index on the command line: a command reports the damage and still
//! gives the same answer, and `doctor` finds the damage beforehand.

use kenning_graph::Hash;
use kenning_graph::store::{Feedback, MemoryLocation};
use kenning_indexing::workspace::{DatabasePaths, WorkspaceOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// Creates an indexed repository with two commits and some feedback.
    fn new() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(fixture.root()).unwrap();
        for n in 0..40 {
            let text = format!("class Cart{n}:\n    def add_item(self, item):\n        return item\n");
            std::fs::write(fixture.root().join(format!("m{n}.py")), text).unwrap();
        }
        for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "add items to carts"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
            assert!(git.current_dir(fixture.root()).status().unwrap().success());
        }
        assert_eq!(fixture.run(&["index", "."]).status.code(), Some(0));
        let hash = Hash::from_content(b"learned");
        let answer = Feedback { symbol: hash, cluster: hash, useful: true, package_root: hash, at: 7 };
        let location = MemoryLocation { path: fixture.paths().memory_path(), is_in_cache: true };
        location.open_store().unwrap().0.insert_feedback(&answer).unwrap();
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("w")
    }

    fn paths(&self) -> DatabasePaths {
        let cache_home = Some(self.folder.path().join("cache"));
        DatabasePaths::from_root(
            &self.root(),
            &WorkspaceOptions { cache_home, ..WorkspaceOptions::default() },
        )
        .unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kenning"));
        command.args(arguments).current_dir(self.root()).env_remove("KENNING_DB").env_remove("KENNING_LOG");
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        command.env("XDG_DATA_HOME", self.folder.path().join("data"));
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Returns the output and the warnings of a command that succeeds.
    fn output_and_warnings(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {warnings}");
        (String::from_utf8(output.stdout).unwrap(), warnings)
    }
}

/// The arguments of a pack in Markdown, which does not contain the time of indexing.
const PACK: &[&str] = &["pack", "add items to carts", "--no-learning"];

/// Fills everything after the first page with noise.
fn fill_with_noise(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[4096..].fill(0x5a);
    std::fs::write(path, &bytes).unwrap();
}

/// Flips a bit that only a checksum detects: in stored data, after `needle`.
fn flip_bit_after(path: &Path, needle: &[u8]) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(needle.len()).rposition(|window| window == needle).unwrap() + needle.len();
    bytes[at] ^= 1;
    std::fs::write(path, &bytes).unwrap();
}

#[test]
fn each_command_answers_despite_damage_and_reports_it() {
    let fixture = Fixture::new();
    let paths = fixture.paths();
    let (pack, warnings) = fixture.output_and_warnings(PACK);
    assert_eq!(warnings, "");
    let never = [PACK, &["--refresh", "never"]].concat();
    let status = |text: &str| text.lines().filter(|line| line.starts_with("Indexed ")).collect::<String>();
    let intact = status(&fixture.output_and_warnings(&["status"]).0);
    for path in [&paths.graph, &paths.image_path(), &paths.facts] {
        for arguments in [PACK, &never] {
            fill_with_noise(path);
            let (answer, warnings) = fixture.output_and_warnings(arguments);
            assert_eq!(answer, pack, "{arguments:?} with a damaged {}", path.display());
            // If no file changed, the command reads no facts of files, but it reads the commits.
            assert!(warnings.starts_with("kenning: warning: "), "{}: {warnings}", path.display());
            assert!(warnings.contains(path.file_name().unwrap().to_str().unwrap()), "{warnings}");
            assert_eq!(
                fixture.output_and_warnings(arguments),
                (pack.clone(), String::new()),
                "the damage is reported once"
            );
        }
        fill_with_noise(path);
        let (_, warnings) = fixture.output_and_warnings(&["index", "."]);
        assert!(warnings.contains(path.file_name().unwrap().to_str().unwrap()), "{warnings}");
        fill_with_noise(path);
        let (text, warnings) = fixture.output_and_warnings(&["status"]);
        assert_eq!(status(&text), intact, "{}", path.display());
        assert!(!warnings.is_empty() && !warnings.contains("again"), "{warnings}");
    }
}

#[test]
fn doctor_finds_each_damage_and_repairs_nothing() {
    let fixture = Fixture::new();
    let paths = fixture.paths();
    let (intact, _) = fixture.output_and_warnings(&["doctor", "-v"]);
    for name in ["graph.db", "facts.db", "memory.db", "graph.base"] {
        assert!(intact.contains(&format!("ok       {name}: ")), "{intact}");
    }
    let hash = Hash::from_content(b"learned");
    for (path, needle) in [
        (paths.graph.clone(), &b"m7.pypython"[..]),
        (paths.facts.clone(), b"python"),
        (paths.memory_path(), &hash.0),
        (paths.image_path(), b"add_item"),
    ] {
        let before = std::fs::read(&path).unwrap();
        flip_bit_after(&path, needle);
        let damaged = std::fs::read(&path).unwrap();
        let output = fixture.run(&["doctor"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {text}");
        let line = text.lines().find(|line| line.starts_with(&format!("broken   {name}: "))).unwrap();
        assert!(line.contains(path.to_str().unwrap()), "{line}");
        assert!(text.contains("\n         fix: the next "), "{text}");
        assert_eq!(std::fs::read(&path).unwrap(), damaged, "{name} is unchanged");
        std::fs::write(&path, before).unwrap();
    }
    assert_eq!(fixture.run(&["doctor"]).status.code(), Some(0));
}

#[test]
fn readable_feedback_survives_damage_of_its_file() {
    let fixture = Fixture::new();
    let memory = fixture.paths().memory_path();
    let (before, warnings) = fixture.output_and_warnings(&["debug", "feedback"]);
    assert_eq!(warnings, "");
    let mut bytes = std::fs::read(&memory).unwrap();
    // The digest has the number of rows after the name of the table.
    let at = bytes.windows(8).rposition(|window| window == b"feedback").unwrap();
    bytes[at + 8] ^= 8;
    std::fs::write(&memory, &bytes).unwrap();
    let (after, warnings) = fixture.output_and_warnings(&["debug", "feedback"]);
    assert_eq!(after, before);
    assert!(
        warnings.contains("Kenning moved it to") && warnings.contains("kept 1 feedback entry"),
        "{warnings}"
    );
    assert_eq!(fixture.output_and_warnings(&["debug", "feedback"]), (before, String::new()));
}
