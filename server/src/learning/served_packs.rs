//! The packs that a session was sent, with the data that feedback on them needs.

use kenning_graph::Hash;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Maximum number of packs to remember. Clients give feedback on recent packs.
const MAX_PACKS: usize = 64;

/// Shortest prefix of a root that identifies a pack: the length that Markdown shows.
const MIN_PREFIX: usize = 12;

/// A pack that was sent with learning enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedPack {
    /// The root of the pack.
    pub root: Hash,
    /// The folder that the pack is about.
    pub folder: PathBuf,
    /// The cluster of the question.
    pub cluster: Hash,
}

/// The last packs of a session, newest first.
#[derive(Debug, Default)]
pub struct ServedPacks(VecDeque<ServedPack>);

impl ServedPacks {
    /// Records a pack as the newest one.
    pub fn record_pack(&mut self, pack: ServedPack) {
        self.0.retain(|known| *known != pack);
        self.0.push_front(pack);
        self.0.truncate(MAX_PACKS);
    }

    /// Returns the pack whose root is or starts with `root`; `None` if there is none or the prefix
    /// is shorter than Markdown shows.
    pub fn find_by_root(&self, root: &str) -> Option<&ServedPack> {
        let root = root.to_ascii_lowercase();
        if root.len() < MIN_PREFIX {
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
        for n in 0..=MAX_PACKS {
            served.record_pack(pack(n));
        }
        let root = pack(MAX_PACKS).root.to_hex();
        for name in [&root[..], &root[..12], &root.to_uppercase()] {
            assert_eq!(served.find_by_root(name), Some(&pack(MAX_PACKS)));
        }
        assert_eq!(
            (served.find_by_root(&root[..11]), served.find_by_root("")),
            (None, None),
            "the prefix is too short"
        );
        assert_eq!(served.find_by_root(&pack(0).root.to_hex()), None, "the oldest pack was dropped");
        assert_eq!(served.0.len(), MAX_PACKS);
    }
}
