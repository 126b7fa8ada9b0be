//! Tests with damaged repositories and with files that must not be opened: no reader hangs or
//! panics.

use super::*;
use crate::git::git_command::run_git;
use crate::git::{
    Blamer, ChangesError, CommitLog, MAX_OBJECT_BYTES, ReadLines, collect_changes,
    common_git_dir as shared_dir, find_problem, head_commit, head_folders, open_history,
};
use crate::named_file::describe_limit;
use kenning_graph::Hash;
use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

const TEXT: &str = "def alpha():\n    return 1\n";

/// Creates a small repository with a packed and a loose commit, two branches and a tag.
fn create_repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| run_git(folder.path(), "a", &[], arguments);
    run(&["init", "-q", "-b", "main"]);
    fs::write(folder.path().join("a.py"), TEXT).unwrap();
    run(&["add", "."]);
    run(&["commit", "-qm", "first"]);
    run(&["branch", "side"]);
    run(&["tag", "-am", "one", "one"]);
    run(&["gc", "-q"]);
    fs::write(folder.path().join("b.py"), "import a\n").unwrap();
    run(&["add", "."]);
    run(&["commit", "-qm", "second"]);
    fs::write(folder.path().join("a.py"), format!("{TEXT}\n\nx = alpha()\n")).unwrap();
    folder
}

/// Reads everything that the product reads from a repository.
fn read_all(root: &Path) -> Result<usize, ChangesError> {
    let _ = (head_commit(root), shared_dir(root), head_folders(root), find_problem(root));
    if let Some(mut log) = CommitLog::open(root) {
        for id in log.newest_commits(10).unwrap_or_default() {
            let _ = log.read_commit(&id, ReadLines::Yes);
        }
    }
    if let Some(mut blamer) = Blamer::open(root) {
        let _ = blamer.blame_file("a.py", &Hash::from_content(TEXT.as_bytes()));
        let _ = blamer.contains_commit(&"0".repeat(40));
    }
    let _ = collect_changes(root, Some("side"), &BTreeMap::new(), &Arc::default());
    collect_changes(root, None, &BTreeMap::new(), &Arc::default()).map(|changes| changes.files.len())
}

#[test]
fn an_undamaged_repository_is_read() {
    let folder = create_repository();
    assert_eq!(check_repository(folder.path(), RepositoryFiles::ReferencesAndHistory), Ok(()));
    assert_eq!(find_problem(folder.path()), None);
    assert_eq!(read_all(folder.path()).unwrap(), 1);
    assert_eq!(CommitLog::open(folder.path()).unwrap().newest_commits(10).unwrap().len(), 2);
    assert_eq!(find_exclude_file(folder.path()), Some(folder.path().join(".git/info/exclude")));
}

#[cfg(unix)]
#[test]
fn a_repository_with_a_pipe_or_a_device_is_refused_and_the_file_is_named() {
    let folder = create_repository();
    let dot_git = folder.path().join(".git");
    for name in [
        "HEAD",
        "config",
        "index",
        "packed-refs",
        "shallow",
        "commondir",
        "info/exclude",
        "objects/info/alternates",
        "refs/heads/main",
        "logs/HEAD",
    ] {
        let file = dot_git.join(name);
        let before = fs::read(&file).ok();
        let restore = || match &before {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        };
        let _ = fs::remove_file(&file);
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let expected = format!(
            ".git/{name}: is a pipe, a socket or a device; Kenning ignores the history of this repository"
        );
        assert_eq!(find_problem(folder.path()).map(|found| found.to_string()), Some(expected.clone()));
        assert!(read_all(folder.path()).unwrap_err().to_string().contains(&expected));
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert_eq!(find_problem(folder.path()).map(|found| found.to_string()), Some(expected));
        assert!(read_all(folder.path()).is_err());
        fs::remove_file(&file).unwrap();
        if before.is_some() {
            restore();
        }
    }
    assert_eq!(find_problem(folder.path()), None);
}

#[cfg(unix)]
#[test]
fn changes_are_refused_if_a_pattern_file_is_a_pipe() {
    for name in
        [".gitignore", ".gitattributes", "below/.gitattributes", "ignored/.gitattributes", "nested/.git/HEAD"]
    {
        let folder = create_repository();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        if name.starts_with("ignored") {
            fs::write(folder.path().join("ignored/x.py"), "x = 1\n").unwrap();
            run_git(folder.path(), "a", &[], &["add", "."]);
            fs::write(folder.path().join(".gitignore"), "/ignored/\n").unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
        let error = read_all(folder.path()).unwrap_err();
        assert!(matches!(&error, ChangesError::Refused(problem) if problem.path == name), "{name}: {error}");
    }
}

#[test]
fn files_over_their_limit_are_refused() {
    let folder = create_repository();
    let dot_git = folder.path().join(".git");
    for (name, bytes) in
        [("refs/heads/side", MAX_REFERENCE_BYTES), ("index", MAX_INDEX_BYTES), ("large", MAX_CONFIG_BYTES)]
    {
        let file = dot_git.join(name);
        let before = fs::read(&file).unwrap_or_default();
        // A sparse file takes no space on disk.
        fs::File::create(&file).unwrap().set_len(bytes + 1).unwrap();
        if name == "large" {
            fs::write(dot_git.join("config"), "[include]\n\tpath = large\n").unwrap();
        }
        let found = find_problem(folder.path()).unwrap();
        assert_eq!(found.path, format!(".git/{name}"));
        assert!(found.message.starts_with(&format!("is larger than {}", describe_limit(bytes))), "{found}");
        fs::write(&file, before).unwrap();
    }
}

#[test]
fn a_truncated_index_is_an_error_but_head_is_still_read() {
    let folder = create_repository();
    let index = folder.path().join(".git/index");
    let intact = fs::read(&index).unwrap();
    for length in [0, 1, 11, 12, 19, 20, 31, 32, 33, intact.len() - 1] {
        fs::write(&index, &intact[..length]).unwrap();
        let error = read_all(folder.path()).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.len() < 500, "{length}: {error}");
        assert!(head_commit(folder.path()).is_some(), "{length}");
    }
}

#[test]
fn an_object_that_inflates_beyond_the_limit_is_skipped() {
    let folder = create_repository();
    let id = "c".repeat(40);
    let objects = folder.path().join(".git/objects/cc");
    fs::create_dir_all(&objects).unwrap();
    // The beginning of a zlib stream whose only stored block has the header of a commit of two
    // billion bytes.
    let header = b"commit 2000000000\0tree ";
    let mut stream = vec![0x78, 0x01, 0x00];
    stream.extend((header.len() as u16).to_le_bytes());
    stream.extend((!(header.len() as u16)).to_le_bytes());
    stream.extend(header);
    fs::write(objects.join("c".repeat(38)), stream).unwrap();
    fs::write(folder.path().join(".git/refs/heads/main"), format!("{id}\n")).unwrap();
    let mut log = CommitLog::open(folder.path()).unwrap();
    let error = log.newest_commits(10).unwrap_err();
    let read = log.read_commit(&id, ReadLines::Yes).unwrap_err();
    assert!([error, read].iter().all(|error| !error.is_empty() && error.len() < 500));
    assert!(read_all(folder.path()).is_err());
}

#[test]
fn loose_and_packed_objects_over_the_limit_are_not_inflated() {
    let folder = create_repository();
    let run = |arguments: &[&str]| run_git(folder.path(), "a", &[], arguments);
    // The configuration of a repository cannot lift the limit.
    run(&["config", "gitoxide.objects.allocLimit", "4000000000"]);
    run(&["config", "core.bigFileThreshold", "1"]);
    let write = |name: &str, bytes: usize| {
        fs::write(folder.path().join(name), vec![b'a'; bytes]).unwrap();
        run(&["add", name]);
        run(&["rev-parse", &format!(":{name}")]).trim().to_owned()
    };
    let (fits, exceeds) = (write("fits", MAX_OBJECT_BYTES), write("exceeds", MAX_OBJECT_BYTES + 1));
    run(&["commit", "-qm", "large"]);
    let size_and_readability = |id: &str| {
        let repository = open_history(folder.path()).unwrap();
        let id = gix::ObjectId::from_hex(id.as_bytes()).unwrap();
        (repository.find_header(id).unwrap().size() as usize, repository.find_object(id).is_ok())
    };
    for _ in ["loose", "packed"] {
        assert_eq!(size_and_readability(&fits), (MAX_OBJECT_BYTES, true));
        assert_eq!(size_and_readability(&exceeds), (MAX_OBJECT_BYTES + 1, false));
        // A commit that touches such a file can still be read, and so can a change to it.
        let id = head_commit(folder.path()).unwrap();
        let commit = CommitLog::open(folder.path()).unwrap().read_commit(&id, ReadLines::Yes).unwrap();
        assert_eq!(commit.touched_count, 2);
        fs::write(folder.path().join("exceeds"), "b\n").unwrap();
        assert_eq!(read_all(folder.path()).unwrap(), 2);
        run(&["gc", "-q", "--prune=now"]);
    }
}

/// Collects the files below a git directory that the product reads, sorted.
fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match entry.file_name().to_str() {
            Some("hooks" | "description" | "COMMIT_EDITMSG") => {}
            _ if path.is_dir() => collect_files(&path, found),
            _ => found.push(path),
        }
    }
    found.sort();
}

/// Returns a deterministic random number generator.
fn random_numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |bound| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound.max(1)
    }
}

#[test]
fn no_reader_panics_or_hangs_on_damaged_files() {
    let folder = create_repository();
    let mut files = Vec::new();
    collect_files(&folder.path().join(".git"), &mut files);
    assert!(files.len() > 12, "{files:?}");
    let mut random = random_numbers(28);
    for file in files {
        let intact = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        for round in 0..8 {
            let mut bytes = intact.clone();
            match round {
                0 => bytes.clear(),
                1 | 2 => bytes.truncate(random(intact.len())),
                3 => bytes = (0..random(200)).map(|_| random(256) as u8).collect(),
                _ => {
                    for _ in 0..=random(3) {
                        if let Some(byte) = bytes.get_mut(random(intact.len())) {
                            *byte ^= 1 << random(8);
                        }
                    }
                }
            }
            fs::write(&file, bytes).unwrap();
            let started = Instant::now();
            let _ = read_all(folder.path());
            assert!(started.elapsed() < Duration::from_secs(20), "{} round {round}", file.display());
        }
        fs::write(&file, intact).unwrap();
    }
    assert_eq!(read_all(folder.path()).unwrap(), 1, "all files were restored");
}
