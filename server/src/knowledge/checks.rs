//! Checks all entries together for duplicate ids, links to missing entries, `belongs_to` links to
//! tasks that are not epics, and cycles among links that must be acyclic.

use super::entry::{EntryKind, KnowledgeEntry, LinkTarget};
use super::folder::{KnowledgeFinding, fold_id};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of links that must not form a cycle.
const ACYCLIC_KINDS: [&str; 3] = ["subtask_of", "depends_on", "blocks"];

/// Returns the findings that involve more than one entry. The entries must be sorted by path.
pub fn check_entries(entries: &[KnowledgeEntry]) -> Vec<KnowledgeFinding> {
    let mut by_id: BTreeMap<(EntryKind, String), usize> = BTreeMap::new();
    let mut findings = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        match by_id.entry((entry.kind, fold_id(&entry.id))) {
            std::collections::btree_map::Entry::Vacant(free) => drop(free.insert(at)),
            std::collections::btree_map::Entry::Occupied(first) => findings.push(KnowledgeFinding {
                path: entry.path.clone(),
                line: None,
                message: format!(
                    "{} has the same id, so links to {} lead to it; rename one of the two files",
                    entries[*first.get()].path,
                    entry.reference()
                ),
            }),
        }
    }
    let find = |target: &LinkTarget| match target {
        LinkTarget::Entry { kind, id } => Some(by_id.get(&(*kind, fold_id(id))).copied()),
        LinkTarget::Code(_) => None,
    };
    for entry in entries {
        for link in &entry.links {
            let message = match find(&link.target) {
                Some(None) => format!("{} does not exist; correct or remove the link", link.target),
                Some(Some(to)) if link.kind == "belongs_to" => {
                    if entries[to].task_details().is_some_and(|task| task.is_epic) {
                        continue;
                    }
                    format!("{} is not an epic; give it kind: epic, or use subtask_of", link.target)
                }
                _ => continue,
            };
            findings.push(KnowledgeFinding { path: entry.path.clone(), line: Some(link.line), message });
        }
    }
    for kind in ACYCLIC_KINDS {
        findings.extend(find_cycles(entries, kind, &|target| find(target).flatten()));
    }
    findings
}

/// Returns one finding for each cycle of links of a kind.
fn find_cycles(
    entries: &[KnowledgeEntry],
    kind: &str,
    find: &dyn Fn(&LinkTarget) -> Option<usize>,
) -> Vec<KnowledgeFinding> {
    let targets: Vec<Vec<(usize, u32)>> = entries
        .iter()
        .map(|entry| {
            let links = entry.links.iter().filter(|link| link.kind == kind);
            links.filter_map(|link| Some((find(&link.target)?, link.line))).collect()
        })
        .collect();
    // An entry without links to remaining entries is in no cycle.
    let mut remaining: BTreeSet<usize> = (0..entries.len()).filter(|&at| !targets[at].is_empty()).collect();
    let mut findings = Vec::new();
    loop {
        loop {
            let before = remaining.len();
            let kept = |at: &usize| targets[*at].iter().any(|(to, _)| remaining.contains(to));
            remaining = remaining.iter().copied().filter(kept).collect();
            if remaining.len() == before {
                break;
            }
        }
        let Some(&start) = remaining.first() else { return findings };
        // Each remaining entry links to a remaining entry, so a walk must revisit one.
        let mut walk = vec![start];
        let cycle = loop {
            let last = walk[walk.len() - 1];
            let Some((next, _)) = targets[last].iter().find(|(to, _)| remaining.contains(to)) else {
                return findings;
            };
            match walk.iter().position(|at| at == next) {
                Some(from) => break walk.split_off(from),
                None => walk.push(*next),
            }
        };
        let first = cycle.iter().copied().min().unwrap_or(start);
        let at = cycle.iter().position(|&entry| entry == first).unwrap_or(0);
        let names = cycle[at..].iter().chain(&cycle[..=at]).map(|&at| entries[at].reference().to_string());
        let names = names.collect::<Vec<_>>().join(" -> ");
        let next = cycle[(at + 1) % cycle.len()];
        let line = targets[first].iter().find(|(to, _)| *to == next).map(|(_, line)| *line);
        let message = format!("{kind} links form a cycle: {names}; remove one of them");
        findings.push(KnowledgeFinding { path: entries[first].path.clone(), line, message });
        for at in cycle {
            remaining.remove(&at);
        }
    }
}
