//! Paths with placeholders: the home folder and environment variables.

use super::AgentError;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A path in `clients.toml`: the same on all systems, or one for each.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum PlatformPath {
    /// The same path on all systems.
    Same(String),
    /// One path for each system.
    Each {
        /// Linux and other systems.
        linux: String,
        /// macOS.
        macos: String,
        /// Windows.
        windows: String,
    },
}

impl PlatformPath {
    /// Returns the template for this system.
    pub fn template(&self) -> &str {
        match self {
            Self::Same(path) => path,
            Self::Each { linux, macos, windows } => {
                if cfg!(windows) {
                    windows
                } else if cfg!(target_os = "macos") {
                    macos
                } else {
                    linux
                }
            }
        }
    }

    /// Returns the templates of all systems.
    pub fn all_templates(&self) -> Vec<&str> {
        match self {
            Self::Same(path) => vec![path],
            Self::Each { linux, macos, windows } => vec![linux, macos, windows],
        }
    }
}

/// One path or several, in the order of preference.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum PathChoice {
    /// One path.
    One(PlatformPath),
    /// Several paths.
    Several(Vec<PlatformPath>),
}

impl PathChoice {
    /// Returns the paths in the order of preference.
    pub fn all_paths(&self) -> &[PlatformPath] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
        }
    }
}

/// The user's folders, from which templates are expanded.
pub struct UserFolders<'a> {
    home: PathBuf,
    variable: &'a dyn Fn(&str) -> Option<String>,
}

impl UserFolders<'static> {
    /// Returns the folders of the user who runs the program.
    ///
    /// # Errors
    /// Returns `AgentError::NoHome` if the user has no home folder.
    pub fn for_user() -> Result<Self, AgentError> {
        let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or(AgentError::NoHome)?;
        Ok(Self { home, variable: &|name| std::env::var(name).ok() })
    }
}

impl<'a> UserFolders<'a> {
    /// Creates folders for tests.
    pub fn new(home: &Path, variable: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { home: home.to_owned(), variable }
    }

    /// Expands a template: `~` is the home folder, `{NAME:default}` a variable that is set and not
    /// empty, or the default.
    pub fn expand_path(&self, template: &str) -> PathBuf {
        let variable = template.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (start, rest) = match variable.and_then(|(inner, rest)| Some((inner.split_once(':')?, rest))) {
            Some(((name, default), rest)) => {
                let value = (self.variable)(name).filter(|value| !value.is_empty());
                (self.expand_home(value.as_deref().unwrap_or(default)), rest)
            }
            None => (self.expand_home(template), ""),
        };
        let parts = rest.split('/').filter(|part| !part.is_empty());
        parts.fold(start, |path, part| path.join(part))
    }

    fn expand_home(&self, text: &str) -> PathBuf {
        match text.strip_prefix('~') {
            Some(rest) => {
                let parts = rest.split('/').filter(|part| !part.is_empty());
                parts.fold(self.home.clone(), |path, part| path.join(part))
            }
            None => PathBuf::from(text),
        }
    }

    /// Returns the first path of a choice that exists, or else the first path. Relative paths are
    /// below `base`.
    pub fn choose_path(&self, choice: &PathChoice, base: &Path) -> PathBuf {
        let paths: Vec<PathBuf> =
            choice.all_paths().iter().map(|path| base.join(self.expand_path(path.template()))).collect();
        paths.iter().find(|path| path.exists()).or(paths.first()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_expand_home_and_variables() {
        let variable = |name: &str| match name {
            "CODEX_HOME" => Some("/codex".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let folders = UserFolders::new(Path::new("/h"), &variable);
        let expand = |template: &str| folders.expand_path(template).to_string_lossy().replace('\\', "/");
        assert_eq!(expand("~/.claude.json"), "/h/.claude.json");
        assert_eq!(expand("{CODEX_HOME:~/.codex}/config.toml"), "/codex/config.toml");
        assert_eq!(expand("{OTHER:~/.codex}/config.toml"), "/h/.codex/config.toml");
        assert_eq!(expand("{EMPTY:~}/.claude.json"), "/h/.claude.json");
        assert_eq!(expand(".mcp.json"), ".mcp.json");
    }

    #[test]
    fn the_first_existing_path_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let folders = UserFolders::new(folder.path(), &|_| None);
        let choice = PathChoice::Several(vec![
            PlatformPath::Same("a.json".to_owned()),
            PlatformPath::Same("a.jsonc".to_owned()),
        ]);
        assert_eq!(folders.choose_path(&choice, folder.path()), folder.path().join("a.json"));
        std::fs::write(folder.path().join("a.jsonc"), "{}").unwrap();
        assert_eq!(folders.choose_path(&choice, folder.path()), folder.path().join("a.jsonc"));
    }
}
