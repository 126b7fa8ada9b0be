//! The table of language servers (`servers.toml`) and looking for them on a search path.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A language and the servers that know it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageServers {
    /// Language id as in the index.
    pub id: String,
    /// Files that mark the root of a project, as glob patterns without folders.
    pub root_markers: Vec<String>,
    /// In order of preference.
    pub servers: Vec<Server>,
}

/// A language server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Name under which it is reported.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// What to do to have it.
    pub install: String,
}

#[derive(Deserialize)]
struct Table {
    language: Vec<LanguageServers>,
}

static LANGUAGES: LazyLock<Vec<LanguageServers>> = LazyLock::new(|| {
    let table: Table =
        toml::from_str(include_str!("../servers.toml")).expect("servers.toml is part of the program");
    table.language
});

/// Every language with its servers, in the order of the table.
pub fn languages() -> &'static [LanguageServers] {
    &LANGUAGES
}

impl LanguageServers {
    /// The first server of the list whose program is in one of `folders`, and where. Nothing is started.
    pub fn find(&self, folders: &[PathBuf]) -> Option<(&Server, PathBuf)> {
        self.servers.iter().find_map(|server| {
            let program = server.command.first()?;
            find_program(program, folders).map(|file| (server, file))
        })
    }
}

/// Where a program is: in one of `folders` by its name, or at its absolute path. A relative path is nowhere: what it
/// means would depend on the folder that somebody happens to stand in.
pub fn find_program(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return is_program(path).then(|| path.to_owned());
    }
    if path.components().count() != 1 {
        return None;
    }
    folders.iter().map(|folder| folder.join(program)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.with_extension("exe").is_file() || path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete_and_no_language_comes_twice() {
        let mut ids: Vec<&str> = languages().iter().map(|l| l.id.as_str()).collect();
        for language in languages() {
            assert!(!language.root_markers.is_empty(), "{}", language.id);
            for server in &language.servers {
                assert!(!server.command.is_empty() && !server.install.is_empty(), "{}", server.name);
            }
        }
        ids.sort_unstable();
        assert_eq!(ids, ["csharp", "go", "java", "python", "ruby", "rust", "typescript"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_preferred_server_that_is_there_and_may_run_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, mode: u32| {
            let file = folder.path().join(name);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let python = languages().iter().find(|l| l.id == "python").unwrap();
        let folders = [folder.path().to_owned()];
        assert!(python.find(&folders).is_none());
        put("pylsp", 0o755);
        put("pyright-langserver", 0o644);
        assert_eq!(python.find(&folders).unwrap().0.name, "pylsp", "a file that may not run is no program");
        let absolute = folder.path().join("pylsp");
        assert_eq!(find_program(absolute.to_str().unwrap(), &[]), Some(absolute.clone()));
        assert_eq!(find_program("./pylsp", &folders), None);
        put("ty", 0o755);
        assert_eq!(python.find(&folders).unwrap().0.name, "ty");
    }
}
