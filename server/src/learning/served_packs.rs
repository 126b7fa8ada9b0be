//! The packs that a session handed out, as far as an answer about them needs it.

use kenning_graph::Hash;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Packs that are kept: a client answers about what it was given lately.
const KEPT: usize = 64;

/// Shortest beginning of a root that names a pack: as much as Markdown shows.
const SHORTEST: usize = 12;

/// A pack that was handed out with learning on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedPack {
    /// Its root.
    pub root: Hash,
    /// The workspace that it is about.
    pub folder: PathBuf,
    /// The cluster of what was asked.
    pub cluster: Hash,
}

/// The last packs of a session, newest first.
#[derive(Debug, Default)]
pub struct ServedPacks(VecDeque<ServedPack>);

impl ServedPacks {
    /// Notes a pack.
    pub fn record_pack(&mut self, pack: ServedPack) {
        self.0.retain(|known| *known != pack);
        self.0.push_front(pack);
        self.0.truncate(KEPT);
    }

    /// The pack with this root, or with a root that begins so, as Markdown shows it.
    pub fn find_by_root(&self, root: &str) -> Option<&ServedPack> {
        let root = root.to_ascii_lowercase();
        if root.len() < SHORTEST {
            return None;
        }
        self.0.iter().find(|pack| pack.root.to_hex().starts_with(&root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_packs_are_found_by_their_roots() {
        let pack = |n: usize| ServedPack {
            root: Hash::from_content(n.to_string().as_bytes()),
            folder: "/w".into(),
            cluster: Hash::from_content(b"c"),
        };
        let mut served = ServedPacks::default();
        for n in 0..=KEPT {
            served.record_pack(pack(n));
        }
        let root = pack(KEPT).root.to_hex();
        for name in [&root[..], &root[..12], &root.to_uppercase()] {
            assert_eq!(served.find_by_root(name), Some(&pack(KEPT)));
        }
        assert_eq!(
            (served.find_by_root(&root[..11]), served.find_by_root("")),
            (None, None),
            "too short to be meant"
        );
        assert_eq!(served.find_by_root(&pack(0).root.to_hex()), None, "long ago");
        assert_eq!(served.0.len(), KEPT);
    }
}
