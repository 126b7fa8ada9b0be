//! Go modules: `go.mod` and `go.work`.

use super::{Manifests, below, folder_of, join, join_relative};
use std::collections::BTreeSet;

/// A Go module of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoModule {
    /// Module path: `github.com/caddyserver/caddy/v2`.
    pub path: String,
    /// Folder of its `go.mod`.
    pub folder: String,
    /// Folders that `replace` directives put in the place of other module paths.
    pub replaced: Vec<(String, String)>,
}

impl GoModule {
    /// The folder of the package with this import path, if it lies in this module.
    pub fn folder_of_package(&self, import: &str) -> Option<String> {
        below(import, &self.path).filter(|_| !self.path.is_empty()).map(|rest| join(&self.folder, rest))
    }
}

pub(super) fn modules(folders: &[String], source: &mut Manifests) -> Vec<GoModule> {
    let mut all: BTreeSet<String> = folders.iter().cloned().collect();
    for folder in folders {
        if let Some(text) = source.text(&join(folder, "go.work")) {
            all.extend(
                directives(&text, "use").iter().filter_map(|used| join_relative(folder, &unquoted(used))),
            );
        }
    }
    let mut modules = Vec::new();
    for folder in all {
        let path = join(&folder, "go.mod");
        let Some(text) = source.text(&path) else { continue };
        let Some(module) = directives(&text, "module").first().map(|line| unquoted(line)) else {
            source.issue(&path, "no module directive".to_owned());
            continue;
        };
        let replaced =
            directives(&text, "replace").iter().filter_map(|line| replacement(&path, line)).collect();
        modules.push(GoModule { path: module, folder, replaced });
    }
    modules.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.cmp(b)));
    modules
}

/// `old [version] => ./folder`: the old path and the folder.
fn replacement(manifest: &str, line: &str) -> Option<(String, String)> {
    let (old, new) = line.split_once("=>")?;
    let new = unquoted(new);
    if !new.starts_with('.') {
        return None;
    }
    let old = unquoted(old.split_whitespace().next()?);
    Some((old, join_relative(folder_of(manifest), &new)?))
}

/// The arguments of a directive, whether each stands on its own line or in a block in parentheses.
pub(super) fn directives(text: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        if in_block {
            if line == ")" {
                in_block = false;
            } else if !line.is_empty() {
                found.push(line.to_owned());
            }
        } else if let Some(rest) = line.strip_prefix(name) {
            let argument = rest.trim();
            if argument == "(" {
                in_block = true;
            } else if !argument.is_empty() && rest.starts_with([' ', '\t', '"']) {
                found.push(argument.to_owned());
            }
        }
    }
    found
}

pub(super) fn unquoted(text: &str) -> String {
    text.trim().trim_matches(['"', '`']).to_owned()
}
