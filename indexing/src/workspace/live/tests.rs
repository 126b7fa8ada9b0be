//! What the graph shows while a text with errors is typed.

use super::*;
use crate::workspace::buffer::tests::read_otherwise;
use crate::workspace::{Disk, Look, NoProgress};

/// The graph of a folder with one text in it that can be read.
fn live(folder: &Path) -> Live {
    std::fs::create_dir(folder.join("work")).expect("made");
    std::fs::write(folder.join("work/other.py"), "def other():\n    total()\n").expect("written");
    let options = WorkspaceOptions { db: Some(folder.join("graph.db")), ..WorkspaceOptions::default() };
    let mut disk = Disk::open(&folder.join("work"), options).expect("opens");
    disk.refresh(&Look::Whole, &NoProgress).expect("indexed");
    Live::new(disk.state())
}

#[test]
fn what_a_text_says_when_it_is_confirmed_takes_the_place_of_what_was_read_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fresh = live(folder.path());
    let limit = fresh.disk().options.max_file_size;
    let types = |live: &Live| -> Vec<_> {
        let snapshot = live.snapshot();
        let symbols = snapshot.files().into_iter().flat_map(|file| snapshot.symbols_in(file));
        symbols.map(|symbol| (symbol.hash, symbol.ty().to_owned())).collect()
    };
    let mut differing = 0;
    for buffer in read_otherwise() {
        let mut live = Live::new(fresh.disk().clone());
        live.put(Arc::new(buffer.clone()));
        let at_once = types(&live);
        live.put(Arc::new(buffer.confirmed(limit)));
        let mut alone = Live::new(fresh.disk().clone());
        alone.put(Arc::new(Buffer::new(buffer.path(), buffer.text().clone(), limit)));
        assert_eq!(types(&live), types(&alone), "{}", buffer.text());
        assert_eq!(live.snapshot().source_root(), alone.snapshot().source_root());
        differing += usize::from(at_once != types(&live));
    }
    assert!(differing > 0, "some text declares something else when it is read alone");
}
