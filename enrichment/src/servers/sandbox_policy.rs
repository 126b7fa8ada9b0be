//! The files that a language server may read and write in the sandbox (`sandbox.toml`), for
//! untrusted workspaces.
//!
//! The sandbox is a second line of defense. Other settings turn off everything that a workspace
//! could run. If they miss something, the code that runs can read no credentials of the user,
//! write only to the server's own folders, and open no TCP connection.

use super::FoundServer;
use crate::client::SandboxRules;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Folders next to a program's `bin` folder that belong to the program.
const PROGRAM_FOLDERS: [&str; 4] = ["lib", "lib64", "libexec", "share"];

/// The contents of `sandbox.toml`, which describes the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SandboxTable {
    system: Vec<PathBuf>,
    home: Vec<PathBuf>,
    devices: Vec<PathBuf>,
    variables: BTreeMap<String, Vec<String>>,
}

static TABLE: LazyLock<SandboxTable> = LazyLock::new(|| {
    toml::from_str(include_str!("../../sandbox.toml")).expect("sandbox.toml is part of the program")
});

/// Builds the sandbox of a server, and sets the variables that name the folders it may write to.
///
/// `project_folder` is the folder that the server is started for; the sandbox allows reading it.
/// `scratch` is a folder for temporary files that is removed with the server. Caches are kept in a
/// folder of the server inside the user's cache folder.
///
/// # Errors
/// Returns an error if the folders cannot be created.
pub(crate) fn build_sandbox(
    found: &FoundServer,
    project_folder: &Path,
    scratch: &Path,
    environment: &mut BTreeMap<OsString, OsString>,
) -> io::Result<SandboxRules> {
    let value = |name: &str| environment.get(OsStr::new(name)).map(PathBuf::from);
    let home = found.search.home.clone().or_else(|| value("HOME"));
    let mut read = TABLE.system.clone();
    read.extend(home.iter().flat_map(|home| TABLE.home.iter().map(|path| home.join(path))));
    for (name, parts) in &TABLE.variables {
        // The server's tools may get a variable's original value (`ToolShims`), so the values of
        // this process are also allowed.
        let values = [value(name), std::env::var_os(name).map(PathBuf::from)];
        read.extend(values.iter().flatten().flat_map(|value| parts.iter().map(|part| value.join(part))));
    }
    // The name "x" stands for any program in a folder of the search path.
    for program in
        found.search.trusted_folders().map(|folder| folder.join("x")).chain([found.program.clone()])
    {
        read.extend(folders_of_program(&program));
        read.extend(program.canonicalize().iter().flat_map(|program| folders_of_program(program)));
    }
    read.extend([found.search.root.clone(), project_folder.to_owned()]);
    let caches = value("XDG_CACHE_HOME").or_else(|| home.map(|home| home.join(".cache")));
    let caches =
        caches.unwrap_or_else(|| scratch.join("cache")).join("kenning/servers").join(&found.server.name);
    let temporary = scratch.join("tmp");
    for folder in [&caches, &temporary] {
        create_private_folder(folder)?;
    }
    tag_cache(&caches)?;
    for (name, folder) in
        [("XDG_CACHE_HOME", caches.clone()), ("GOCACHE", caches.join("go-build")), ("TMPDIR", temporary)]
    {
        environment.insert(name.into(), folder.into());
    }
    let write = [scratch.to_owned(), caches].into_iter().chain(TABLE.devices.iter().cloned()).collect();
    // The root of the file system would allow everything.
    read.retain(|path| path.is_absolute() && path.parent().is_some());
    Ok(SandboxRules { read, write })
}

/// The file that marks a folder as a cache (bford.info/cachedir), and here also as one that Kenning
/// made for a server.
const TAG_NAME: &str = "CACHEDIR.TAG";

/// The content of the file. The first line is that of the specification.
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# Kenning made this folder for the caches of a language server.\n";

/// Writes the tag into the folder of a server's caches, unless there is a file with this name.
fn tag_cache(folder: &Path) -> io::Result<()> {
    match std::fs::File::create_new(folder.join(TAG_NAME)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created?.write_all(TAG_TEXT.as_bytes()),
    }
}

/// Whether a folder has the caches of a server that Kenning started: it is a real folder with the
/// tag that Kenning writes. A server names the other files in it as it likes.
pub fn is_server_cache(folder: &Path) -> bool {
    let tag = folder.join(TAG_NAME);
    let is_real = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|m| !m.is_symlink());
    let has_length = std::fs::metadata(&tag).is_ok_and(|m| m.is_file() && m.len() == TAG_TEXT.len() as u64);
    is_real(folder)
        && is_real(&tag)
        && has_length
        && std::fs::read(tag).is_ok_and(|text| text == TAG_TEXT.as_bytes())
}

/// Returns the folders that belong to a program: its own folder, folders next to it if it is called
/// `bin`, and every `node_modules` around it.
fn folders_of_program(program: &Path) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    let mut folders = vec![folder.to_owned()];
    if let Some(prefix) = folder.parent().filter(|_| folder.ends_with("bin")) {
        folders.extend(PROGRAM_FOLDERS.iter().map(|name| prefix.join(name)));
        // In a Python virtual environment, this file names the interpreter.
        folders.push(prefix.join("pyvenv.cfg"));
    }
    folders.extend(program.ancestors().filter(|folder| folder.ends_with("node_modules")).map(Path::to_owned));
    folders
}

#[cfg(unix)]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn the_table_allows_neither_the_whole_home_nor_the_whole_disk() {
        assert!(
            TABLE.system.iter().chain(&TABLE.devices).all(|path| path.has_root() && path.parent().is_some())
        );
        assert!(TABLE.home.iter().all(|path| path.is_relative() && path.components().count() > 0));
        for credentials in [".ssh", ".aws", ".gnupg", ".config", ".cargo", ".npmrc", ".netrc"] {
            assert!(!TABLE.home.iter().any(|path| path.as_os_str() == credentials), "{credentials}");
        }
        assert!(!TABLE.variables["CARGO_HOME"].iter().any(String::is_empty), "the folder holds credentials");
    }
}
