//! The packs that a session sent, with the data for feedback on them and for their use.

use kenning_graph::Hash;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum number of packs to remember. Clients give feedback on recent packs.
const MAX_PACKS: usize = 64;

/// Shortest prefix of a root that identifies a pack: the length that Markdown shows.
const MIN_PREFIX_DIGITS: usize = 12;

/// The time for which an action counts as use of a pack. Later, the reader works on something else.
const MAX_USE_AGE: Duration = Duration::from_secs(30 * 60);

/// A pack that was sent with learning enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedPack {
    /// The root of the pack.
    pub root: Hash,
    /// The folder that the pack is about.
    pub folder: PathBuf,
    /// The cluster of the question.
    pub cluster: Hash,
    /// The keywords of the question for which uses are remembered.
    pub keywords: Vec<String>,
    /// The symbols of the pack.
    pub symbols: BTreeSet<Hash>,
    /// The symbols that the reader has used.
    pub used: BTreeSet<Hash>,
    /// The time at which the pack was sent.
    pub at: Instant,
}

/// The symbols of a pack that its reader did or did not use, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackUse {
    /// The cluster of the question.
    pub cluster: Hash,
    /// The keywords of the question for which uses are remembered.
    pub keywords: Vec<String>,
    /// The symbols that were used.
    pub used: Vec<Hash>,
    /// The symbols that were not.
    pub unused: Vec<Hash>,
}

/// The last packs of a session, newest first.
#[derive(Debug, Default)]
pub struct ServedPacks(VecDeque<ServedPack>);

impl ServedPacks {
    /// Records a pack as the newest one, which ends the observation of the last pack of its folder
    /// and cluster. Returns the unused symbols of that pack. Returns `None` if the reader used none
    /// of its symbols, because then nothing is known about them.
    pub fn record_pack(&mut self, pack: ServedPack) -> Option<PackUse> {
        let is_succeeded = |known: &&mut ServedPack| {
            known.folder == pack.folder && known.cluster == pack.cluster && !known.symbols.is_empty()
        };
        let unused = self.0.iter_mut().find(is_succeeded).and_then(ServedPack::end_observation);
        // A pack that was sent again replaces its earlier record.
        self.0.retain(|known| (known.root, &known.folder) != (pack.root, &pack.folder));
        self.0.push_front(pack);
        self.0.truncate(MAX_PACKS);
        unused
    }

    /// Returns the pack whose root is or starts with `root`; `None` if there is none or the prefix
    /// is shorter than Markdown shows.
    pub fn find_by_root(&self, root: &str) -> Option<&ServedPack> {
        let root = root.to_ascii_lowercase();
        if root.len() < MIN_PREFIX_DIGITS {
            return None;
        }
        self.0.iter().find(|pack| pack.root.to_hex().starts_with(&root))
    }

    /// Returns the symbols of a folder's recent packs that are not marked as used in the newest
    /// pack that has them.
    pub fn pending_symbols(&self, folder: &Path, now: Instant) -> BTreeSet<Hash> {
        let (mut seen, mut pending) = (BTreeSet::new(), BTreeSet::new());
        for pack in self.recent_packs(folder, now) {
            for symbol in &pack.symbols {
                if seen.insert(*symbol) && !pack.used.contains(symbol) {
                    pending.insert(*symbol);
                }
            }
        }
        pending
    }

    /// Marks symbols as used, each in the newest recent pack of the folder that has it and once per
    /// pack. Returns the new uses, one entry per pack.
    pub fn mark_used(&mut self, folder: &Path, symbols: &[Hash], now: Instant) -> Vec<PackUse> {
        let mut open: BTreeSet<Hash> = symbols.iter().copied().collect();
        let mut uses = Vec::new();
        for pack in self.0.iter_mut().filter(|pack| pack.is_recent(folder, now)) {
            let shown: Vec<Hash> = pack.symbols.intersection(&open).copied().collect();
            open.retain(|symbol| !pack.symbols.contains(symbol));
            let used: Vec<Hash> = shown.into_iter().filter(|&symbol| pack.used.insert(symbol)).collect();
            if !used.is_empty() {
                let (cluster, keywords) = (pack.cluster, pack.keywords.clone());
                uses.push(PackUse { cluster, keywords, used, unused: Vec::new() });
            }
        }
        uses
    }

    /// Removes the symbols of the packs of a folder, so that nothing more is learned from them.
    /// Feedback on the packs remains possible.
    pub fn forget_symbols(&mut self, folder: &Path) {
        for pack in self.0.iter_mut().filter(|pack| pack.folder == folder) {
            pack.symbols.clear();
        }
    }

    fn recent_packs(&self, folder: &Path, now: Instant) -> impl Iterator<Item = &ServedPack> {
        self.0.iter().filter(move |pack| pack.is_recent(folder, now))
    }
}

impl ServedPack {
    fn is_recent(&self, folder: &Path, now: Instant) -> bool {
        self.folder == folder && now.saturating_duration_since(self.at) <= MAX_USE_AGE
    }

    /// Ends the observation of the pack. Returns the symbols that were not used; `None` if none was
    /// used.
    fn end_observation(&mut self) -> Option<PackUse> {
        let symbols = std::mem::take(&mut self.symbols);
        if self.used.is_empty() {
            return None;
        }
        let unused = symbols.difference(&self.used).copied().collect();
        Some(PackUse { cluster: self.cluster, keywords: Vec::new(), used: Vec::new(), unused })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> Hash {
        Hash::from_content(text.as_bytes())
    }

    fn pack(root: &str, cluster: &str, symbols: &[&str], at: Instant) -> ServedPack {
        ServedPack {
            root: hash(root),
            folder: "/w".into(),
            cluster: hash(cluster),
            keywords: vec![cluster.to_owned()],
            symbols: symbols.iter().map(|name| hash(name)).collect(),
            used: BTreeSet::new(),
            at,
        }
    }

    #[test]
    fn the_last_packs_are_found_by_their_roots() {
        let now = Instant::now();
        let pack = |number: usize| pack(&number.to_string(), "c", &[], now);
        let mut served = ServedPacks::default();
        for number in 0..=MAX_PACKS {
            served.record_pack(pack(number));
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

    #[test]
    fn a_symbol_is_used_once_per_pack_and_in_the_newest_one() {
        let now = Instant::now();
        let folder = Path::new("/w");
        let mut served = ServedPacks::default();
        served.record_pack(pack("old", "pay", &["settle", "print"], now));
        served.record_pack(pack("new", "refund", &["settle"], now));
        assert_eq!(served.pending_symbols(folder, now), [hash("settle"), hash("print")].into());
        let used = served.mark_used(folder, &[hash("settle"), hash("unknown")], now);
        assert_eq!(used.len(), 1);
        assert_eq!((used[0].cluster, &used[0].used), (hash("refund"), &vec![hash("settle")]));
        assert_eq!(used[0].keywords, ["refund"]);
        assert_eq!(served.mark_used(folder, &[hash("settle")], now), [], "it counts once");
        assert_eq!(served.pending_symbols(folder, now), [hash("print")].into());
        assert_eq!(served.mark_used(Path::new("/other"), &[hash("print")], now), []);
        let later = now + MAX_USE_AGE + Duration::from_secs(1);
        assert_eq!(served.mark_used(folder, &[hash("print")], later), [], "the pack is too old");
        assert_eq!(served.mark_used(folder, &[hash("print")], now).len(), 1);
    }

    #[test]
    fn the_next_question_of_a_cluster_ends_the_last_pack_of_that_cluster_only() {
        let now = Instant::now();
        let folder = Path::new("/w");
        let mut served = ServedPacks::default();
        served.record_pack(pack("one", "pay", &["settle", "print"], now));
        served.record_pack(pack("two", "refund", &["print"], now));
        served.mark_used(folder, &[hash("settle")], now);
        let unused = served.record_pack(pack("three", "pay", &["settle", "print"], now)).expect("ended");
        assert_eq!((unused.cluster, unused.unused), (hash("pay"), vec![hash("print")]));
        assert_eq!(
            served.record_pack(pack("four", "pay", &["settle"], now)),
            None,
            "nothing of the third pack was used, so nothing is known about it"
        );
        assert_eq!(served.record_pack(pack("five", "pay", &["settle"], now)), None);
        assert!(
            served.pending_symbols(folder, now).contains(&hash("print")),
            "the pack of the other cluster is still observed"
        );
    }
}
