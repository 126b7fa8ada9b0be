//! Looking for the programs of servers: on the search path, where a language's tools install programs, in the project.

use super::{LanguageServers, ServerOverride, ServerSpec};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where is looked.
#[derive(Clone, Debug, Default)]
pub struct ServerSearch {
    /// The folders of the search path; relative ones count as absent, for what they mean depends on where one stands.
    pub path: Vec<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The workspace.
    pub root: PathBuf,
    /// Whether programs that lie in the workspace may run.
    pub trusted: bool,
}

/// A server whose program is there and may run.
#[derive(Clone, Debug)]
pub struct FoundServer {
    /// Its row, with what the user says of it.
    pub server: ServerSpec,
    /// Its program.
    pub program: PathBuf,
    /// Replacements for the modules that an untrusted workspace would provide ([`super::ModuleReplacement`]).
    pub instead: Option<PathBuf>,
    /// Where it was looked for.
    pub search: ServerSearch,
    /// The folders in which the tools of its language are looked for, none of them in a workspace that is not trusted.
    pub tools: Vec<PathBuf>,
}

/// Why a language has no server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerUnavailable {
    /// All are turned off.
    Disabled,
    /// None is there; what to do to have the preferred one.
    Missing {
        /// Its name.
        server: String,
        /// What to do.
        install: String,
    },
    /// One lies in the workspace, which is not trusted.
    Untrusted {
        /// Its name.
        server: String,
        /// Where it lies.
        program: PathBuf,
    },
    /// It runs code of the workspace, which is not trusted, and no setting keeps it from that.
    RunsCode {
        /// Its name.
        server: String,
        /// The programs that it runs, as a sentence; empty where they are unknown.
        what: String,
    },
    /// It would run something of the workspace, which is not trusted, and nothing else is there to be run instead.
    Alone {
        /// Its name.
        server: String,
        /// What it would run.
        module: String,
    },
}

impl ServerUnavailable {
    /// The server that is missed; empty where all are turned off.
    pub fn server_name(&self) -> &str {
        match self {
            Self::Disabled => "",
            Self::Missing { server, .. }
            | Self::Untrusted { server, .. }
            | Self::RunsCode { server, .. }
            | Self::Alone { server, .. } => server,
        }
    }
}

/// A sentence for people: why it is not there, and what to do.
impl fmt::Display for ServerUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("turned off by the configuration"),
            Self::Missing { install, .. } => f.write_str(install),
            Self::Untrusted { program, .. } => {
                write!(f, "{} lies in the workspace, which is not trusted", program.display())
            }
            Self::RunsCode { what, .. } => {
                f.write_str("not started: it runs code of the workspace, which is not trusted")?;
                if !what.is_empty() {
                    write!(f, " ({what})")?;
                }
                f.write_str("; trust the workspace to use it (kenning trust)")
            }
            Self::Alone { module, .. } => {
                write!(
                    f,
                    "it would run {module} of the workspace, which is not trusted; install that beside it"
                )
            }
        }
    }
}

impl ServerSearch {
    /// The search path and the home of this process.
    pub fn from_environment(root: PathBuf, trusted: bool) -> Self {
        let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect());
        Self { path: path.unwrap_or_default(), home: std::env::home_dir(), root, trusted }
    }

    /// Whether a path lies in the workspace, also through links.
    pub(crate) fn is_in_workspace(&self, program: &Path) -> bool {
        let inside = |path: &Path, root: &Path| path.starts_with(root);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        inside(program, &self.root)
            || inside(&real(program), &real(&self.root))
            || program.parent().is_some_and(|folder| inside(&real(folder), &real(&self.root)))
    }

    /// Whether a program may run, and what it is to run instead of what lies in the workspace.
    fn check_trust(&self, server: &ServerSpec, program: &Path) -> Result<Option<PathBuf>, ServerUnavailable> {
        if self.trusted {
            return Ok(None);
        }
        let name = || server.name.clone();
        if self.is_in_workspace(program) {
            return Err(ServerUnavailable::Untrusted { server: name(), program: program.to_owned() });
        }
        if !server.is_safe_untrusted() {
            let what = server.runs_code.clone().unwrap_or_default();
            return Err(ServerUnavailable::RunsCode { server: name(), what });
        }
        let Some(instead) = &server.instead else { return Ok(None) };
        let beside = find_node_module(program, &instead.module).filter(|file| !self.is_in_workspace(file));
        beside
            .map(Some)
            .ok_or_else(|| ServerUnavailable::Alone { server: name(), module: instead.module.clone() })
    }

    /// The folders of the search path that count: absolute ones, and none of a workspace that is not trusted.
    pub(crate) fn trusted_folders(&self) -> impl Iterator<Item = &PathBuf> {
        let counts =
            |folder: &&PathBuf| folder.is_absolute() && (self.trusted || !self.is_in_workspace(folder));
        self.path.iter().filter(counts)
    }

    /// The folders in which the tools of a language are looked for.
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
    /// The first server of the list whose program is in one of `folders`, and where. Nothing is started.
    pub fn find_installed(&self, folders: &[PathBuf]) -> Option<(&ServerSpec, PathBuf)> {
        self.servers.iter().find_map(|server| {
            let program = server.command.first()?;
            find_program(program, folders).map(|file| (server, file))
        })
    }

    /// The first server of the list that is there and may run. Nothing is started.
    ///
    /// # Errors
    /// Why there is none.
    pub fn find_usable(
        &self,
        search: &ServerSearch,
        said: &dyn Fn(&str) -> ServerOverride,
    ) -> Result<FoundServer, ServerUnavailable> {
        let mut absent = ServerUnavailable::Disabled;
        for row in &self.servers {
            let said = said(&row.name);
            if said.disabled {
                continue;
            }
            let server = row.with_override(&said);
            let Some(name) = server.command.first() else { continue };
            for program in search.candidate_programs(self, name) {
                let refused = match search.check_trust(&server, &program) {
                    Ok(instead) => {
                        let (search, tools) = (search.clone(), search.tool_folders(self));
                        return Ok(FoundServer { server, program, instead, search, tools });
                    }
                    Err(refused) => refused,
                };
                if matches!(absent, ServerUnavailable::Disabled | ServerUnavailable::Missing { .. }) {
                    absent = refused;
                }
            }
            if absent == ServerUnavailable::Disabled {
                absent =
                    ServerUnavailable::Missing { server: row.name.clone(), install: row.install.clone() };
            }
        }
        Err(absent)
    }
}

/// A module of node, as a program finds it: in the folders around its file.
fn find_node_module(program: &Path, module: &str) -> Option<PathBuf> {
    let real = program.canonicalize().ok()?;
    real.ancestors().map(|folder| folder.join("node_modules").join(module)).find(|file| file.is_file())
}

/// Where a program is: in one of `folders` by its name, or at its absolute path. A relative path is nowhere: what it
/// means would depend on the folder that somebody happens to stand in.
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
