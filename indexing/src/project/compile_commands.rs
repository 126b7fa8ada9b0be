//! Reads the folders in which a compiler searches for included files from `compile_commands.json`.
//!
//! The file names absolute folders of the machine that wrote it. The root of the workspace on that
//! machine is the part of a compiled file's path before the path of an indexed file. Folders
//! outside that root are left out.

use super::ManifestReader;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of the file.
pub(super) const FILE_NAME: &str = "compile_commands.json";
/// Folders below the root in which build tools write the file although no source is in them.
const BUILD_FOLDERS: [&str; 4] = ["build", "out", "builddir", "cmake-build-debug"];
/// Options that name a search path, in the order in which they are tried.
const OPTIONS: [&str; 4] = ["-isystem", "-iquote", "-I", "/I"];
/// Maximum number of commands that are read from one file. Larger projects have more, but their
/// commands repeat the same search paths.
const MAX_COMMANDS: usize = 20_000;

/// Returns the search paths of all compile commands, relative to the workspace.
pub(super) fn search_paths(
    paths: &[String],
    folders: &[String],
    source: &mut ManifestReader,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let indexed: FxHashSet<&str> = paths.iter().map(String::as_str).collect();
    let known = folders.iter().map(String::as_str);
    let build = BUILD_FOLDERS.into_iter().filter(|folder| !folders.iter().any(|known| known == folder));
    for folder in known.chain(build) {
        let path = if folder.is_empty() { FILE_NAME.to_owned() } else { format!("{folder}/{FILE_NAME}") };
        let Some(Value::Array(commands)) = source.read_json(&path) else { continue };
        for command in commands.iter().take(MAX_COMMANDS) {
            add_search_paths(command, &indexed, &mut found);
        }
    }
    found
}

/// Adds the search paths of one command.
fn add_search_paths(command: &Value, indexed: &FxHashSet<&str>, found: &mut BTreeSet<String>) {
    let text = |key: &str| command.get(key).and_then(Value::as_str).unwrap_or("");
    let directory = text("directory");
    let Some(file) = resolve_path(directory, text("file")) else { return };
    let Some(root) = workspace_root(&file, indexed) else { return };
    let arguments: Vec<&str> = match command.get("arguments") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => text("command").split_whitespace().collect(),
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let argument = argument.trim_matches('"');
        let Some(rest) = OPTIONS.iter().find_map(|option| argument.strip_prefix(option)) else { continue };
        let folder = if rest.is_empty() { arguments.next().unwrap_or("") } else { rest };
        let folder = folder.trim_matches('"');
        if let Some(folder) = resolve_path(directory, folder)
            && let Some(below) = folder.strip_prefix(root)
            && (below.is_empty() || below.starts_with('/'))
        {
            found.insert(below.trim_start_matches('/').to_owned());
        }
    }
}

/// Returns the part of an absolute path before the longest path of an indexed file.
fn workspace_root<'p>(file: &'p str, indexed: &FxHashSet<&str>) -> Option<&'p str> {
    let mut slashes = file.match_indices('/').map(|(slash, _)| slash);
    slashes.find(|slash| indexed.contains(&file[slash + 1..])).map(|slash| &file[..slash])
}

/// Joins a path to a directory and removes `.` and `..`. Returns `None` for an empty path, and for
/// one that leaves the file system.
fn resolve_path(directory: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let path = path.replace('\\', "/");
    let directory = directory.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.get(1..2) == Some(":");
    let joined = if is_absolute { path } else { format!("{directory}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    let start = if joined.starts_with('/') { "/" } else { "" };
    Some(format!("{start}{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use crate::project::Project;

    #[test]
    fn search_paths_inside_the_workspace_are_import_folders() {
        let paths = ["src/core/a.cc", "third/x/y.h"].map(str::to_owned);
        let commands = r#"[
            { "directory": "/home/me/app/build", "file": "../src/core/a.cc",
              "command": "c++ -I../third -isystem /home/me/app/deps/include -I/usr/include -I.. -c a.cc" },
            { "directory": "/home/me/app", "file": "src/core/a.cc", "arguments": ["cc", "-I", "src/core", "-Iout/../../../x"] },
            { "directory": 1 }
        ]"#;
        let read = |path: &str| Ok((path == "build/compile_commands.json").then(|| commands.to_owned()));
        let project = Project::read_manifests(&paths, &read);
        assert_eq!(project.import_folders["c"], ["", "deps/include", "src", "src/core", "third"]);
        assert!(project.issues.is_empty());
    }
}
