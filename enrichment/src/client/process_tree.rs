//! The descendants of a process, as `/proc` lists them.

use std::collections::HashMap;

/// Returns the ids of the running descendants of a process, or none if `/proc` cannot be read. The
/// result is not an atomic view: processes may start and end while it is read.
pub(crate) fn descendant_pids(root: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for entry in entries {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some((parent, false)) = read_parent_pid(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut descendants = Vec::new();
    let mut unvisited = vec![root];
    while let Some(pid) = unvisited.pop() {
        let pids = children.remove(&pid).unwrap_or_default();
        descendants.extend(&pids);
        unvisited.extend(pids);
    }
    descendants
}

/// Returns the parent of a process, and whether the process has ended and is waiting to be reaped.
fn read_parent_pid(pid: u32) -> Option<(u32, bool)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program's name is in parentheses and may contain any character.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let has_ended = matches!(fields.next()?, "Z" | "X" | "x");
    Some((fields.next()?.parse().ok()?, has_ended))
}
