//! The neighbors of found entries: the entries that they link to or that link to them.
//!
//! As in the search over code, a neighbor gets the score of the entry before it on the path, times
//! a factor. The best of several paths counts (`docs/search.md`).

use super::entry::{KnowledgeEntry, LinkTarget};
use super::recall::RecalledEntry;
use std::collections::BTreeMap;

/// The factor of a link between entries, as in *graphmemory* for all graphs except code.
const LINK_DECAY: f64 = 0.8;

/// Limits on following links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLimits {
    /// Number of the best entries from which links are followed.
    pub top_k: usize,
    /// Number of links that are followed from each of them, one after another.
    pub depth: u32,
    /// Factor of the score for every link; `None` for 0.8.
    pub decay: Option<f64>,
    /// Smallest score, from 0 to 1.
    pub min_score: f64,
    /// Maximum number of entries, found and linked.
    pub max_entries: usize,
}

/// Returns the found entries and their neighbors, the best first. An entry that a text found stays
/// before a neighbor with the same score, and skills that a trigger found stay before all.
pub fn add_linked_entries<'e>(
    found: Vec<RecalledEntry<'e>>,
    entries: &'e [KnowledgeEntry],
    limits: LinkLimits,
) -> Vec<RecalledEntry<'e>> {
    let neighbors = collect_neighbors(entries);
    let positions: BTreeMap<&str, usize> =
        entries.iter().enumerate().map(|(position, entry)| (entry.path.as_str(), position)).collect();
    let position = |recalled: &RecalledEntry<'_>| positions.get(recalled.entry.path.as_str()).copied();
    let ranks: BTreeMap<usize, usize> =
        found.iter().enumerate().filter_map(|(rank, recalled)| Some((position(recalled)?, rank))).collect();
    let mut scores: BTreeMap<usize, f64> =
        found.iter().filter_map(|recalled| Some((position(recalled)?, recalled.score))).collect();
    let seeds = found.iter().take(limits.top_k).filter_map(position).collect();
    follow_links(&neighbors, seeds, limits, &mut scores);
    let rank = |position: usize| ranks.get(&position).copied();
    let trigger = |position: usize| rank(position).and_then(|rank| found.get(rank)?.trigger);
    let mut all: Vec<(usize, f64)> = scores.into_iter().collect();
    all.sort_by(|&(a, score), &(b, other_score)| {
        let by_trigger = trigger(b).is_some().cmp(&trigger(a).is_some());
        let by_rank = rank(a).unwrap_or(found.len()).cmp(&rank(b).unwrap_or(found.len()));
        by_trigger.then(other_score.total_cmp(&score)).then(by_rank).then(a.cmp(&b))
    });
    let triggered = all.iter().filter(|&&(position, _)| trigger(position).is_some()).count();
    all.truncate(limits.max_entries.max(triggered));
    let to_recalled = |(position, score): (usize, f64)| {
        Some(RecalledEntry { entry: entries.get(position)?, score, trigger: trigger(position) })
    };
    all.into_iter().filter_map(to_recalled).collect()
}

/// Raises the scores of the entries that links lead to from the seeds. A layer holds the entries
/// whose score the layer before improved.
fn follow_links(
    neighbors: &BTreeMap<usize, Vec<usize>>,
    seeds: Vec<usize>,
    limits: LinkLimits,
    scores: &mut BTreeMap<usize, f64>,
) {
    let (mut layer, decay) = (seeds, limits.decay.unwrap_or(LINK_DECAY));
    for _ in 0..limits.depth {
        let mut next = Vec::new();
        for from in layer {
            let score = scores.get(&from).copied().unwrap_or_default() * decay;
            if score < limits.min_score {
                continue;
            }
            for &to in neighbors.get(&from).into_iter().flatten() {
                if scores.get(&to).is_none_or(|&best| score > best) {
                    scores.insert(to, score);
                    next.push(to);
                }
            }
        }
        layer = next;
    }
}

/// Returns for each entry, by its position, the entries that a link connects with it, whichever has
/// the link.
fn collect_neighbors(entries: &[KnowledgeEntry]) -> BTreeMap<usize, Vec<usize>> {
    let references: BTreeMap<LinkTarget, usize> =
        entries.iter().enumerate().map(|(position, entry)| (entry.reference(), position)).collect();
    let mut neighbors: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (from, entry) in entries.iter().enumerate() {
        for to in entry.links.iter().filter_map(|link| references.get(&link.target).copied()) {
            neighbors.entry(from).or_default().push(to);
            neighbors.entry(to).or_default().push(from);
        }
    }
    neighbors
}

#[cfg(test)]
mod tests {
    use super::super::entry::{EntryDetails, EntryKind, EntryLink, LinkFacts, RELATED_TO};
    use super::*;

    fn note(id: &str, targets: &[&str]) -> KnowledgeEntry {
        let link = |(index, target): (usize, &&str)| EntryLink {
            target: LinkTarget::parse(target),
            kind: RELATED_TO.to_owned(),
            facts: LinkFacts::default(),
            line: 0,
            index,
        };
        KnowledgeEntry {
            kind: EntryKind::Note,
            id: id.to_owned(),
            path: format!("k/notes/{id}.md"),
            title: id.to_owned(),
            tags: Vec::new(),
            details: EntryDetails::Note,
            links: targets.iter().enumerate().map(link).collect(),
            body: String::new(),
        }
    }

    const LIMITS: LinkLimits = LinkLimits { top_k: 5, depth: 1, decay: None, min_score: 0.5, max_entries: 5 };

    /// Returns the entries with their scores when `start` was found with the given scores.
    fn linked(start: &[(usize, f64)], limits: LinkLimits) -> Vec<(String, f64)> {
        let entries = [
            note("a", &["note:b", "src/app.py::run"]),
            note("b", &["note:c"]),
            note("c", &[]),
            note("d", &["note:a", "note:missing"]),
        ];
        let found =
            start.iter().map(|&(at, score)| RecalledEntry { entry: &entries[at], score, trigger: None });
        let all = add_linked_entries(found.collect(), &entries, limits);
        all.iter().map(|recalled| (recalled.entry.id.clone(), (recalled.score * 1e6).round() / 1e6)).collect()
    }

    fn pairs(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
        expected.iter().map(|&(id, score)| (id.to_owned(), score)).collect()
    }

    #[test]
    fn links_are_followed_both_ways_and_weaken_the_score() {
        assert_eq!(linked(&[(0, 1.0)], LIMITS), pairs(&[("a", 1.0), ("b", 0.8), ("d", 0.8)]));
    }

    #[test]
    fn depth_decay_and_limits_are_those_of_the_question() {
        let two = LinkLimits { depth: 2, ..LIMITS };
        assert_eq!(linked(&[(0, 1.0)], two), pairs(&[("a", 1.0), ("b", 0.8), ("d", 0.8), ("c", 0.64)]));
        let slow = LinkLimits { decay: Some(0.9), max_entries: 2, ..LIMITS };
        assert_eq!(linked(&[(0, 1.0)], slow), pairs(&[("a", 1.0), ("b", 0.9)]));
        assert_eq!(linked(&[(0, 0.6)], LIMITS), pairs(&[("a", 0.6)]), "0.48 is less than the smallest score");
        assert_eq!(linked(&[(0, 1.0)], LinkLimits { depth: 0, ..LIMITS }), pairs(&[("a", 1.0)]));
    }

    #[test]
    fn the_best_path_to_an_entry_counts() {
        let start = [(0, 1.0), (1, 0.6), (2, 0.9)];
        let expected = pairs(&[("a", 1.0), ("c", 0.9), ("b", 0.8), ("d", 0.8)]);
        assert_eq!(linked(&start, LIMITS), expected);
    }

    #[test]
    fn a_trigger_stays_first() {
        let entries = [note("a", &["note:b"]), note("b", &[])];
        let triggered = RecalledEntry { entry: &entries[1], score: 0.2, trigger: Some("t") };
        let found = vec![triggered, RecalledEntry { entry: &entries[0], score: 0.9, trigger: None }];
        let all = add_linked_entries(found, &entries, LIMITS);
        assert_eq!(all.iter().map(|recalled| recalled.entry.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(all[0].trigger, Some("t"));
    }
}
