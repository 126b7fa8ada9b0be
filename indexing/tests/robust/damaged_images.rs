//! An image that was damaged on the disk is found, in portions, and the graph read from the database.

use kenning_indexing::workspace::{Disk, ImageCheck, Look, NoProgress, Workspace, WorkspaceOptions};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// More files than are folded into an image at leisure.
const FILES: usize = 100;

/// A workspace and its database, indexed.
fn indexed() -> (TempDir, TempDir) {
    let (folder, database) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
    for n in 0..FILES {
        let text = format!("class Cart{n}:\n    def add(self):\n        return self.add()\n");
        std::fs::write(folder.path().join(format!("m{n}.py")), text).expect("written");
    }
    Workspace::open(folder.path(), options(database.path()))
        .expect("opens")
        .refresh(&NoProgress)
        .expect("indexed");
    (folder, database)
}

fn options(database: &Path) -> WorkspaceOptions {
    WorkspaceOptions { db: Some(database.join("graph.db")), ..WorkspaceOptions::default() }
}

fn source_root(disk: &Disk) -> String {
    disk.state().snapshot.source_root().to_hex()
}

/// Turns a bit in the last section of the image, which is not read when it is opened.
fn damage(database: &Path) -> PathBuf {
    let image = database.join("graph.base");
    let mut bytes = std::fs::read(&image).expect("an image");
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&image, &bytes).expect("written");
    image
}

/// Says that something else is to be done after one portion.
fn after_one_portion() -> impl FnMut() -> bool {
    let mut portions = 0;
    move || {
        portions += 1;
        portions > 1
    }
}

#[test]
fn a_check_goes_on_in_the_next_pause_and_is_done_once() {
    let (folder, database) = indexed();
    let mut disk = Disk::open(folder.path(), options(database.path())).expect("opens");
    let mut pauses = 1;
    while disk.mend_image(&mut after_one_portion()).expect("readable") == ImageCheck::BrokenOff {
        assert!(disk.image_is_unchecked());
        pauses += 1;
    }
    assert!((30..100).contains(&pauses), "it took {pauses} pauses");
    assert!(!disk.image_is_unchecked());
}

#[test]
fn a_damaged_image_is_found_although_its_check_is_broken_off() {
    let (folder, database) = indexed();
    let image = damage(database.path());
    let mut disk = Disk::open(folder.path(), options(database.path())).expect("opens");
    let whole = source_root(&disk);
    let mut check = ImageCheck::BrokenOff;
    while check == ImageCheck::BrokenOff {
        check = disk.mend_image(&mut after_one_portion()).expect("readable");
    }
    assert_eq!((check, disk.image_is_unchecked(), image.exists()), (ImageCheck::Mended, false, false));
    assert_eq!(source_root(&disk), whole);
    assert!(disk.compact_if_due(&mut || false).expect("written"));
    assert!(image.exists());
}

#[test]
fn a_damaged_image_that_cannot_be_removed_is_not_used_and_costs_no_pause_after_that() {
    let (folder, database) = indexed();
    let image = damage(database.path());
    let mut disk = Disk::open(folder.path(), options(database.path())).expect("opens");
    let whole = source_root(&disk);
    // What is mapped stays mapped; a folder with something in it can neither be removed so nor replaced.
    std::fs::rename(&image, database.path().join("elsewhere")).expect("moved");
    std::fs::create_dir_all(image.join("in the way")).expect("made");

    assert_eq!(disk.mend_image(&mut || false).expect("readable"), ImageCheck::Mended);
    assert!(!disk.image_is_unchecked());
    assert_eq!(disk.state().snapshot.overlay_files(), FILES, "all is read from the database");
    assert_eq!(source_root(&disk), whole);
    disk.compact_if_due(&mut || false).expect_err("there is no place for an image");
    assert!(!disk.compact_if_due(&mut || false).expect("not tried again"));

    std::fs::remove_dir_all(&image).expect("removed");
    for n in 0..=FILES {
        std::fs::write(folder.path().join(format!("later{n}.py")), "def later(): pass\n").expect("written");
    }
    disk.refresh(&Look::Whole, &NoProgress).expect("indexed");
    assert!(image.is_file());
    assert_eq!(disk.state().snapshot.overlay_files(), 0, "an image shows all again");
}
