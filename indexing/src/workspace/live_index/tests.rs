//! Tests of the graph while a text with errors is typed, and of unsaved files.

use super::*;
use crate::workspace::buffer::MAX_LIVE_BYTES;
use crate::workspace::buffer::tests::buffers_changed_by_confirmation;
use crate::workspace::{DiskIndex, NoProgress, RefreshScope};
use kenning_graph::Hash;

/// Indexes a folder with one file.
fn index_one_file(folder: &Path) -> LiveIndex {
    std::fs::create_dir(folder.join("work")).expect("made");
    std::fs::write(folder.join("work/other.py"), "def other():\n    total()\n").expect("written");
    let options = WorkspaceOptions { db: Some(folder.join("graph.db")), ..WorkspaceOptions::default() };
    let mut disk = DiskIndex::open(&folder.join("work"), options).expect("opens");
    disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("indexed");
    LiveIndex::new(disk.current_state())
}

#[test]
fn confirmed_facts_replace_provisional_ones_in_the_graph() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fresh = index_one_file(folder.path());
    let limit = fresh.disk_state().options.max_file_size;
    let symbol_types = |live: &LiveIndex| -> Vec<_> {
        let snapshot = live.current_snapshot();
        let symbols = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbol_refs(file));
        symbols.map(|symbol| (symbol.hash, symbol.type_text().to_owned())).collect()
    };
    let mut differing = 0;
    for buffer in buffers_changed_by_confirmation() {
        let mut live = LiveIndex::new(fresh.disk_state().clone());
        live.set_buffer(Arc::new(buffer.clone()));
        let provisional = symbol_types(&live);
        live.set_buffer(Arc::new(buffer.with_confirmed_facts(limit)));
        let mut alone = LiveIndex::new(fresh.disk_state().clone());
        alone.set_buffer(Arc::new(Buffer::new(buffer.file_path(), buffer.buffer_text().clone(), limit)));
        assert_eq!(symbol_types(&live), symbol_types(&alone), "{}", buffer.buffer_text());
        assert_eq!(live.current_snapshot().source_root(), alone.current_snapshot().source_root());
        differing += usize::from(provisional != symbol_types(&live));
    }
    assert!(differing > 0, "confirming some text changes its declarations");
}

/// Returns the source root of the graph of these files on disk.
fn saved_root(files: &[(&str, &str)]) -> Hash {
    let folder = tempfile::tempdir().expect("a temporary folder");
    index_files(folder.path(), files).snapshot.source_root()
}

/// Writes the files to disk and returns their graph.
fn index_files(folder: &Path, files: &[(&str, &str)]) -> DiskState {
    for (path, text) in files {
        let path = folder.join("work").join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let options = WorkspaceOptions { db: Some(folder.join("graph.db")), ..WorkspaceOptions::default() };
    let mut disk = DiskIndex::open(&folder.join("work"), options).expect("opens");
    disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("indexed");
    disk.current_state()
}

/// Files with their paths and texts.
type FileList = &'static [(&'static str, &'static str)];

/// A workspace with files on disk and with open documents that are not saved.
struct UnsavedCase {
    saved: FileList,
    unsaved: FileList,
}

const UNSAVED: &[UnsavedCase] = &[
    // A Python package makes the folder above it a source root, which files on disk and unsaved
    // files search.
    UnsavedCase {
        saved: &[
            ("other.py", "from shop import total\n\n\ndef run():\n    total()\n"),
            ("third.py", "def third():\n    pass\n"),
        ],
        unsaved: &[
            ("ex/shop/__init__.py", "def total():\n    return 1\n"),
            ("ex/tests/test_shop.py", "from shop import total\n\n\ndef test_total():\n    total()\n"),
        ],
    },
    // A folder above becomes a package, so it stops being a source root.
    UnsavedCase {
        saved: &[
            ("lib/shop/__init__.py", "def total():\n    return 1\n"),
            ("run.py", "from shop import total\n\n\ndef run():\n    total()\n"),
        ],
        unsaved: &[("lib/__init__.py", "")],
    },
    // A folder is added to Ruby's load path.
    UnsavedCase {
        saved: &[("run.rb", "require 'shop'\n\ndef run\n  total\nend\n")],
        unsaved: &[("engine/lib/shop.rb", "def total\n  1\nend\n")],
    },
    // The first source file is created next to a manifest on disk.
    UnsavedCase {
        saved: &[
            ("go.mod", "module example.com/shop\n"),
            ("shop.go", "package main\n"),
            ("tools/go.mod", "module example.com/tools\n"),
        ],
        unsaved: &[
            ("tools/total/total.go", "package total\n\nfunc Total() int { return 1 }\n"),
            (
                "main.go",
                "package main\n\nimport \"example.com/tools/total\"\n\nfunc main() { total.Total() }\n",
            ),
        ],
    },
    UnsavedCase {
        saved: &[
            ("packages/shop/package.json", "{ \"name\": \"shop\", \"main\": \"index.js\" }"),
            ("app/run.ts", "import { total } from 'shop'\n\nexport function run() { total() }\n"),
        ],
        unsaved: &[("packages/shop/index.ts", "export function total() { return 1 }\n")],
    },
];

#[test]
fn unsaved_files_resolve_like_saved_files() {
    for &UnsavedCase { saved, unsaved } in UNSAVED {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut live = LiveIndex::new(index_files(folder.path(), saved));
        for (path, text) in unsaved {
            live.set_text(path, text);
        }
        assert!(live.resolve_deferred(&mut || false));
        let all: Vec<_> = saved.iter().chain(unsaved).copied().collect();
        assert_eq!(live.current_snapshot().source_root(), saved_root(&all), "{unsaved:?}");
        // Each file is edited once more, and the edit is undone.
        for (path, text) in unsaved {
            live.set_text(path, &format!("{text}\n"));
            live.set_text(path, text);
        }
        assert!(live.resolve_deferred(&mut || false));
        assert_eq!(live.current_snapshot().source_root(), saved_root(&all), "{unsaved:?}, edited");
        // A new graph of the disk changes nothing.
        live.set_disk_state(live.disk_state().clone());
        assert!(live.resolve_deferred(&mut || false));
        for (path, _) in unsaved {
            live.close_buffer(path);
        }
        assert!(live.resolve_deferred(&mut || false));
        assert_eq!(live.current_snapshot().source_root(), saved_root(saved), "{unsaved:?}, closed");
    }
}

#[test]
fn an_open_file_that_was_deleted_still_makes_its_folder_a_package() {
    let files = [
        ("ex/shop/__init__.py", "def total():\n    return 1\n"),
        ("ex/tests/test_shop.py", "from shop import total\n\n\ndef test_total():\n    total()\n"),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options =
        WorkspaceOptions { db: Some(folder.path().join("graph.db")), ..WorkspaceOptions::default() };
    let mut live = LiveIndex::new(index_files(folder.path(), &files));
    live.set_text(files[0].0, files[0].1);
    std::fs::remove_file(folder.path().join("work").join(files[0].0)).expect("removed");
    let mut disk = DiskIndex::open(&folder.path().join("work"), options).expect("opens");
    disk.refresh_within(&RefreshScope::Whole, &NoProgress).expect("indexed");
    live.set_disk_state(disk.current_state());
    assert!(live.resolve_deferred(&mut || false));
    assert_eq!(live.current_snapshot().source_root(), saved_root(&files));
}

#[test]
fn a_new_package_resolves_only_the_files_that_looked_it_up() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|i| (format!("m{i}.py"), format!("import os\n\n\ndef f{i}():\n    os.getcwd()\n")))
        .collect();
    files.push(("user.py".into(), "from shop import total\n\n\ndef run():\n    total()\n".into()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut live = LiveIndex::new(index_files(folder.path(), &files));
    live.set_text("ex/shop/__init__.py", "def total():\n    return 1\n");
    assert_eq!(live.deferred_count(), 0, "the files are few enough to be resolved immediately");
    let all: Vec<_> =
        files.iter().copied().chain([("ex/shop/__init__.py", "def total():\n    return 1\n")]).collect();
    assert_eq!(live.current_snapshot().source_root(), saved_root(&all));
}

/// Returns a Python text longer than `bytes`, mostly comments, so that parsing is fast.
fn long_text(bytes: u64) -> String {
    let comment = format!("# {}\n", "long ".repeat(12)).repeat(36);
    let function = |number: u64| format!("def function_{number:06}():\n    return {number}\n\n\n{comment}");
    // The comment alone is longer than 2 KB.
    (0..=bytes / 2048).map(function).collect()
}

#[test]
fn a_text_that_is_too_large_to_parse_on_every_edit_waits_for_the_save() {
    let large = long_text(MAX_LIVE_BYTES);
    let small = "def function_000000():\n    return 0\n";
    let user = ("user.py", "from large import function_000000\n\n\ndef run():\n    function_000000()\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = [("large.py", large.as_str()), user];
    let mut live = LiveIndex::new(index_files(folder.path(), &files));
    let saved = live.current_snapshot().source_root();
    live.set_text("large.py", &large);
    assert!(
        live.shows_text(live.find_buffer("large.py").expect("open")),
        "a text that is not edited is shown"
    );
    assert!(live.find_buffer("large.py").expect("open").file_facts().is_none(), "a large text is not parsed");
    live.set_text("large.py", &format!("{large}def more():\n    pass\n"));
    let buffer = Arc::clone(live.find_buffer("large.py").expect("open"));
    assert!(live.awaits_save(&buffer) && !live.is_unsaved(&buffer) && !live.shows_text(&buffer));
    assert_eq!(
        (live.current_snapshot().source_root(), live.unsaved_count()),
        (saved, 0),
        "the graph shows the text on disk"
    );
    // The text shrinks and grows again.
    live.set_text("large.py", small);
    assert_eq!(live.current_snapshot().source_root(), saved_root(&[("large.py", small), user]));
    live.set_text("large.py", &format!("{large}def more():\n    pass\n"));
    assert!(live.resolve_deferred(&mut || false));
    assert_eq!(live.current_snapshot().source_root(), saved);
    live.close_buffer("large.py");
    assert_eq!(live.current_snapshot().source_root(), saved);
}
