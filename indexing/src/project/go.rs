//! Go modules, read from `go.mod` and `go.work`.

use super::ManifestReader;
use kenning_graph::paths::{join_path, join_relative, parent_folder, path_below};
use std::collections::BTreeSet;

/// A Go module of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GoModule {
    /// Module path: `github.com/caddyserver/caddy/v2`.
    pub path: String,
    /// The folder of its `go.mod`.
    pub folder: String,
    /// The `replace` directives of its `go.mod` whose replacement is a folder.
    pub replacements: Vec<ModuleReplacement>,
}

/// A Go module that a folder of the workspace replaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleReplacement {
    /// Path of the replaced module: `github.com/caddyserver/certmagic`.
    pub path: String,
    /// The folder with the replacement.
    pub folder: String,
}

impl GoModule {
    /// Returns the folder of the package with this import path, or `None` if it is not in this
    /// module.
    pub fn folder_of_package(&self, import: &str) -> Option<String> {
        path_below(import, &self.path)
            .filter(|_| !self.path.is_empty())
            .map(|rest| join_path(&self.folder, rest))
    }
}

/// Returns the modules of the `go.mod` files in `folders` and in the folders that `go.work` files
/// use, longest module path first.
pub(super) fn go_modules(folders: &[String], source: &mut ManifestReader) -> Vec<GoModule> {
    let mut all: BTreeSet<String> = folders.iter().cloned().collect();
    for folder in folders {
        if let Some(text) = source.manifest_text(&join_path(folder, "go.work")) {
            all.extend(
                directive_arguments(&text, "use")
                    .iter()
                    .filter_map(|used| join_relative(folder, &unquote_text(used))),
            );
        }
    }
    let mut modules = Vec::new();
    for folder in all {
        let path = join_path(&folder, "go.mod");
        let Some(text) = source.manifest_text(&path) else { continue };
        let Some(module) = directive_arguments(&text, "module").first().map(|line| unquote_text(line)) else {
            source.record_issue(&path, "no module directive".to_owned());
            continue;
        };
        let replacements = directive_arguments(&text, "replace")
            .iter()
            .filter_map(|line| parse_replacement(&path, line))
            .collect();
        modules.push(GoModule { path: module, folder, replacements });
    }
    modules.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.cmp(b)));
    modules
}

/// Parses `old [version] => ./folder`. Returns `None` if the replacement is not a relative path.
pub(super) fn parse_replacement(manifest: &str, line: &str) -> Option<ModuleReplacement> {
    let (old, new) = line.split_once("=>")?;
    let new = unquote_text(new);
    if !new.starts_with('.') {
        return None;
    }
    let path = unquote_text(old.split_whitespace().next()?);
    Some(ModuleReplacement { path, folder: join_relative(parent_folder(manifest), &new)? })
}

/// Returns the arguments of a directive, from single lines and from blocks in parentheses.
fn directive_arguments(text: &str, name: &str) -> Vec<String> {
    directive_lines(text, name).into_iter().map(|(_, argument)| argument).collect()
}

/// Does the same as [`directive_arguments`], with the 0-based line of each argument.
pub(super) fn directive_lines(text: &str, name: &str) -> Vec<(u32, String)> {
    let mut arguments = Vec::new();
    let mut in_block = false;
    for (line, number) in text.lines().zip(0..) {
        let line = line.split("//").next().unwrap_or("").trim();
        if in_block {
            if line == ")" {
                in_block = false;
            } else if !line.is_empty() {
                arguments.push((number, line.to_owned()));
            }
        } else if let Some(rest) = line.strip_prefix(name) {
            let argument = rest.trim();
            if argument == "(" {
                in_block = true;
            } else if !argument.is_empty() && rest.starts_with([' ', '\t', '"']) {
                arguments.push((number, argument.to_owned()));
            }
        }
    }
    arguments
}

/// Returns the text without surrounding white space and quotes.
pub(super) fn unquote_text(text: &str) -> String {
    text.trim().trim_matches(['"', '`']).to_owned()
}
