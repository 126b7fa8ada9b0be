//! Tests of damaged images. Opening an image detects damage on disk, and the graph is then read
//! from the database. Damage that occurs while a workspace is open does not change its graph.

use kenning_indexing::workspace::{DiskIndex, NoProgress, RefreshScope, Workspace, WorkspaceOptions};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Number of files in a workspace: enough that a refresh writes an image immediately.
const FILES: usize = 100;

fn temporary_folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Creates and indexes a workspace. Returns its folder and the folder of its database.
fn index_workspace() -> (TempDir, TempDir) {
    let (folder, database) = (temporary_folder(), temporary_folder());
    for n in 0..FILES {
        let text = format!("class Cart{n}:\n    def add(self):\n        return self.add()\n");
        std::fs::write(folder.path().join(format!("m{n}.py")), text).expect("written");
    }
    Workspace::open(folder.path(), workspace_options(database.path()))
        .expect("opens")
        .refresh_all(&NoProgress)
        .expect("indexed");
    (folder, database)
}

fn workspace_options(database: &Path) -> WorkspaceOptions {
    WorkspaceOptions { db: Some(database.join("graph.db")), ..WorkspaceOptions::default() }
}

fn source_root(disk: &DiskIndex) -> String {
    disk.current_state().snapshot.source_root().to_hex()
}

/// Flips a bit in the last section of the image, which opening reads only for its check.
fn damage_image(database: &Path) -> PathBuf {
    let image = database.join("graph.base");
    let mut bytes = std::fs::read(&image).expect("an image");
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&image, &bytes).expect("written");
    image
}

#[test]
fn a_damaged_image_is_detected_at_opening_and_rebuilt_from_the_database() {
    let (folder, database) = index_workspace();
    let image = database.path().join("graph.base");
    let (expected_root, intact) = {
        let disk = DiskIndex::open(folder.path(), workspace_options(database.path())).expect("opens");
        assert!(!disk.needs_rebuild());
        (source_root(&disk), std::fs::read(&image).expect("an image"))
    };
    damage_image(database.path());
    let mut disk = DiskIndex::open(folder.path(), workspace_options(database.path())).expect("opens");
    assert!(disk.needs_rebuild() && !image.exists());
    assert!(disk.take_repairs()[0].contains("graph.base is not a usable base image: section"));
    assert_eq!(
        (source_root(&disk), disk.current_state().snapshot.overlay_file_count()),
        (expected_root.clone(), FILES)
    );
    let report = disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("refreshed");
    assert_eq!((report.parsed, disk.needs_rebuild()), (0, false));
    assert!(disk.compact_if_due(&mut || false).expect("written"));
    assert_eq!(std::fs::read(&image).expect("an image"), intact, "the rebuilt image equals the original");
    assert_eq!((source_root(&disk), disk.current_state().snapshot.overlay_file_count()), (expected_root, 0));
}

#[test]
fn the_damaged_image_of_a_small_workspace_is_rebuilt_in_the_same_run() {
    let (folder, database) = (temporary_folder(), temporary_folder());
    std::fs::write(folder.path().join("one.py"), "def one(): pass\n").expect("written");
    let run = || {
        let mut workspace =
            Workspace::open(folder.path(), workspace_options(database.path())).expect("opens");
        workspace.refresh_all(&NoProgress).expect("indexed")
    };
    run();
    let intact = std::fs::read(database.path().join("graph.base")).expect("an image");
    let image = damage_image(database.path());
    assert!(run().rebuilt.expect("a report").contains("graph.base"));
    assert_eq!(std::fs::read(&image).expect("an image"), intact);
    assert_eq!(run().rebuilt, None);
}

#[test]
fn truncating_or_overwriting_the_image_does_not_change_an_open_workspace() {
    let (folder, database) = index_workspace();
    let image = database.path().join("graph.base");
    let disk = DiskIndex::open(folder.path(), workspace_options(database.path())).expect("opens");
    let snapshot = disk.current_state().snapshot;
    let before = (
        source_root(&disk),
        format!("{:?}", snapshot.compute_counts()),
        snapshot.symbols_by_name("add").len(),
    );
    let len = std::fs::metadata(&image).expect("the image exists").len();
    for cut in [0, len / 2] {
        let file = std::fs::File::options().write(true).open(&image).expect("the image is writable");
        file.set_len(cut).expect("truncated");
        file.set_len(len).expect("filled with zeros");
        file.set_len(cut).expect("truncated");
        let now = (
            source_root(&disk),
            format!("{:?}", snapshot.compute_counts()),
            snapshot.symbols_by_name("add").len(),
        );
        assert_eq!(now, before);
    }
}

#[test]
fn a_damaged_image_that_cannot_be_removed_is_ignored_and_not_written_again() {
    let (folder, database) = index_workspace();
    let image = damage_image(database.path());
    let expected_root = {
        let other = temporary_folder();
        let mut disk = DiskIndex::open(folder.path(), workspace_options(other.path())).expect("opens");
        disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("indexed");
        source_root(&disk)
    };
    // A folder that is not empty can neither be removed as a file nor replaced by one.
    std::fs::remove_file(&image).expect("removed");
    std::fs::create_dir_all(image.join("in the way")).expect("created");
    let mut disk = DiskIndex::open(folder.path(), workspace_options(database.path())).expect("opens");

    assert!(disk.needs_rebuild());
    assert_eq!(
        disk.current_state().snapshot.overlay_file_count(),
        FILES,
        "all files are read from the database"
    );
    assert_eq!(source_root(&disk), expected_root);
    disk.compact_if_due(&mut || false).expect_err("a folder is in the place of the image");
    assert!(!disk.compact_if_due(&mut || false).expect("no second attempt"));

    std::fs::remove_dir_all(&image).expect("removed");
    for n in 0..=FILES {
        std::fs::write(folder.path().join(format!("later{n}.py")), "def later(): pass\n").expect("written");
    }
    disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("indexed");
    assert!(image.is_file());
    assert_eq!(disk.current_state().snapshot.overlay_file_count(), 0, "the new image contains all files");
}
