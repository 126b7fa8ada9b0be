//! The search for programs of servers: on the search path, in the folders where a language's tools
//! install programs, and in the project.
//!
//! [`LanguageServers::find_usable`] tries the servers of a language in the order of the table. The
//! result is a [`FoundServer`], or the reason why there is none ([`ServerUnavailable`]). In an
//! untrusted workspace, a server is usable only if its program is outside the workspace, directly
//! and through links, and if it runs no code of the workspace. The search starts no program.

use super::{LanguageServers, ServerOverride, ServerSpec};
use std::fmt;
use std::path::{Path, PathBuf};

/// The locations to search for programs.
#[derive(Clone, Debug, Default)]
pub struct ServerSearch {
    /// The folders of the search path. Relative folders are ignored, because their meaning depends
    /// on the current folder.
    pub path: Vec<PathBuf>,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folder of the workspace.
    pub root: PathBuf,
    /// Whether programs inside the workspace may run.
    pub trusted: bool,
}

/// A server whose program exists and may run.
#[derive(Clone, Debug)]
pub struct FoundServer {
    /// The server's row with the user's overrides.
    pub server: ServerSpec,
    /// Path of the program.
    pub program: PathBuf,
    /// Replacement for the module that an untrusted workspace would provide
    /// ([`super::ModuleReplacement`]).
    pub replacement_file: Option<PathBuf>,
    /// The locations that were searched.
    pub search: ServerSearch,
    /// The search path for the tools of the language. Excludes folders inside an untrusted
    /// workspace.
    pub tools: Vec<PathBuf>,
}

/// The reason why a language has no usable server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerUnavailable {
    /// All servers are disabled.
    Disabled,
    /// No server is installed. Describes the preferred one.
    Missing {
        /// Name of the server.
        server: String,
        /// Instructions for installing it.
        install: String,
    },
    /// The server is inside the workspace, which is not trusted.
    Untrusted {
        /// Name of the server.
        server: String,
        /// Path of the program.
        program: PathBuf,
    },
    /// The server runs code of the workspace, which is not trusted, and no setting prevents that.
    RunsCode {
        /// Name of the server.
        server: String,
        /// Description of the code that it runs; empty if unknown.
        what: String,
    },
    /// The server would run a module of the workspace, which is not trusted, and no replacement is
    /// installed.
    NoReplacement {
        /// Name of the server.
        server: String,
        /// The module that it would run.
        module: String,
    },
}

impl ServerUnavailable {
    /// Returns the name of the missing server; empty if all are disabled.
    pub fn server_name(&self) -> &str {
        match self {
            Self::Disabled => "",
            Self::Missing { server, .. }
            | Self::Untrusted { server, .. }
            | Self::RunsCode { server, .. }
            | Self::NoReplacement { server, .. } => server,
        }
    }
}

/// Writes a message for the user: why the server is missing, and what to do.
impl fmt::Display for ServerUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("disabled in the configuration"),
            Self::Missing { install, .. } => f.write_str(install),
            Self::Untrusted { program, .. } => {
                write!(f, "{} is in the workspace, which is not trusted", program.display())
            }
            Self::RunsCode { what, .. } => {
                f.write_str("not started: it runs code of the workspace, which is not trusted")?;
                if !what.is_empty() {
                    write!(f, " ({what})")?;
                }
                f.write_str("; trust the workspace to use it (kenning trust)")
            }
            Self::NoReplacement { module, .. } => {
                write!(
                    f,
                    "it would run {module} from the workspace, which is not trusted; install {module} next to the server"
                )
            }
        }
    }
}

impl ServerSearch {
    /// Creates a search with the search path and the home folder of this process.
    pub fn from_environment(root: PathBuf, trusted: bool) -> Self {
        let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect());
        Self { path: path.unwrap_or_default(), home: std::env::home_dir(), root, trusted }
    }

    /// Whether a path lies in the workspace, directly or through links.
    pub(crate) fn is_in_workspace(&self, program: &Path) -> bool {
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        program.starts_with(&self.root)
            || canonical(program).starts_with(canonical(&self.root))
            || program.parent().is_some_and(|folder| canonical(folder).starts_with(canonical(&self.root)))
    }

    /// Checks whether a program may run. Returns the replacement for the module that the workspace
    /// would provide, if the server needs one.
    fn check_trust(&self, server: &ServerSpec, program: &Path) -> Result<Option<PathBuf>, ServerUnavailable> {
        if self.trusted {
            return Ok(None);
        }
        let server_name = || server.name.clone();
        if self.is_in_workspace(program) {
            return Err(ServerUnavailable::Untrusted { server: server_name(), program: program.to_owned() });
        }
        if !server.is_safe_untrusted() {
            let what = server.runs_code.clone().unwrap_or_default();
            return Err(ServerUnavailable::RunsCode { server: server_name(), what });
        }
        let Some(replaced) = &server.module_replacement else { return Ok(None) };
        let replacement =
            find_node_module(program, &replaced.module).filter(|file| !self.is_in_workspace(file));
        replacement.map(Some).ok_or_else(|| ServerUnavailable::NoReplacement {
            server: server_name(),
            module: replaced.module.clone(),
        })
    }

    /// Returns the usable folders of the search path: absolute folders that are not inside an
    /// untrusted workspace.
    pub(crate) fn trusted_folders(&self) -> impl Iterator<Item = &PathBuf> {
        let is_usable =
            |folder: &&PathBuf| folder.is_absolute() && (self.trusted || !self.is_in_workspace(folder));
        self.path.iter().filter(is_usable)
    }

    /// Finds a program of the user by its name, in the usable folders of the search path. A link to a
    /// program in an untrusted workspace is not one.
    pub fn find_on_path(&self, program: &str) -> Option<PathBuf> {
        let folders = self.trusted_folders();
        let mut found = folders.filter_map(|folder| find_program(program, std::slice::from_ref(folder)));
        found.find(|program| self.trusted || !self.is_in_workspace(program))
    }

    /// Returns the search path for the tools of a language.
    fn tool_folders(&self, language: &LanguageServers) -> Vec<PathBuf> {
        let home = self.home.iter().flat_map(|home| language.home.iter().map(|folder| home.join(folder)));
        let home = home.filter(|folder| self.trusted || !self.is_in_workspace(folder));
        self.trusted_folders().cloned().chain(home).collect()
    }

    fn candidate_programs(&self, language: &LanguageServers, program: &str) -> Vec<PathBuf> {
        let path = self.path.iter().filter(|folder| folder.is_absolute()).cloned();
        let home = self.home.iter().flat_map(|home| language.home.iter().map(|folder| home.join(folder)));
        let project = language.project.iter().map(|folder| self.root.join(folder));
        let folders: Vec<PathBuf> = path.chain(home).chain(project).collect();
        if Path::new(program).is_absolute() {
            return find_program(program, &[]).into_iter().collect();
        }
        folders.iter().filter_map(|folder| find_program(program, std::slice::from_ref(folder))).collect()
    }
}

impl LanguageServers {
    /// Returns the first server of the list whose program is in one of `folders`, with the
    /// program's path. Starts nothing.
    pub fn find_installed(&self, folders: &[PathBuf]) -> Option<(&ServerSpec, PathBuf)> {
        self.servers.iter().find_map(|server| {
            let program = server.command.first()?;
            find_program(program, folders).map(|file| (server, file))
        })
    }

    /// Returns the first server of the list that is installed and may run. `override_for` returns
    /// the user's settings for the server with a name. Starts nothing.
    ///
    /// # Errors
    /// Returns the reason if there is none.
    pub fn find_usable(
        &self,
        search: &ServerSearch,
        override_for: &dyn Fn(&str) -> ServerOverride,
    ) -> Result<FoundServer, ServerUnavailable> {
        let mut unavailable = ServerUnavailable::Disabled;
        for row in &self.servers {
            let settings = override_for(&row.name);
            if settings.disabled {
                continue;
            }
            let server = row.with_override(&settings);
            let Some(name) = server.command.first() else { continue };
            for program in search.candidate_programs(self, name) {
                let reason = match search.check_trust(&server, &program) {
                    Ok(replacement_file) => {
                        let (search, tools) = (search.clone(), search.tool_folders(self));
                        return Ok(FoundServer { server, program, replacement_file, search, tools });
                    }
                    Err(reason) => reason,
                };
                if matches!(unavailable, ServerUnavailable::Disabled | ServerUnavailable::Missing { .. }) {
                    unavailable = reason;
                }
            }
            if unavailable == ServerUnavailable::Disabled {
                unavailable =
                    ServerUnavailable::Missing { server: row.name.clone(), install: row.install.clone() };
            }
        }
        Err(unavailable)
    }
}

/// Returns a Node.js module as a program would find it: in a `node_modules` folder next to or above
/// its file.
fn find_node_module(program: &Path, module: &str) -> Option<PathBuf> {
    let file = program.canonicalize().ok()?;
    file.ancestors().map(|folder| folder.join("node_modules").join(module)).find(|file| file.is_file())
}

/// Returns the path of a program: in one of `folders` if `program` is a name, or at its absolute
/// path. Returns `None` for a relative path, because its meaning would depend on the current
/// folder.
pub fn find_program(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return is_executable(path).then(|| path.to_owned());
    }
    if path.components().count() != 1 {
        return None;
    }
    folders.iter().map(|folder| folder.join(program)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.with_extension("exe").is_file() || path.is_file()
}
