//! Checks all entries together for ids that two files have, for links to entries that do not exist,
//! and for circles of links of acyclic kinds.

use super::entry::{EntryKind, KnowledgeEntry, LinkTarget};
use super::folder::{KnowledgeFinding, fold_id};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of links that must not form a circle.
const ACYCLIC_KINDS: [&str; 3] = ["subtask_of", "depends_on", "blocks"];

/// Returns the problems between entries. The entries are in the order of their paths.
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
        findings.extend(find_circles(entries, kind, &|target| find(target).flatten()));
    }
    findings
}

/// Returns one finding for each circle of links of a kind.
fn find_circles(
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
    // An entry without links to remaining entries is in no circle.
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
        // Each remaining entry leads to another one, so that a walk must come back.
        let mut walk = vec![start];
        let circle = loop {
            let last = walk[walk.len() - 1];
            let Some((next, _)) = targets[last].iter().find(|(to, _)| remaining.contains(to)) else {
                return findings;
            };
            match walk.iter().position(|at| at == next) {
                Some(from) => break walk.split_off(from),
                None => walk.push(*next),
            }
        };
        let first = circle.iter().copied().min().unwrap_or(start);
        let at = circle.iter().position(|&entry| entry == first).unwrap_or(0);
        let names = circle[at..].iter().chain(&circle[..=at]).map(|&at| entries[at].reference().to_string());
        let names = names.collect::<Vec<_>>().join(" -> ");
        let next = circle[(at + 1) % circle.len()];
        let line = targets[first].iter().find(|(to, _)| *to == next).map(|(_, line)| *line);
        let message = format!("{kind} leads in a circle: {names}; remove one of these links");
        findings.push(KnowledgeFinding { path: entries[first].path.clone(), line, message });
        for at in circle {
            remaining.remove(&at);
        }
    }
}
