//! The environment variables that a server inherits from this process (`environment.toml`). They
//! include the variables that programs need, and no secrets. If the workspace is not trusted,
//! variables whose value is a path inside it are also excluded.

use super::ServerSearch;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::LazyLock;

/// Name of the variable with the search path.
const PATH: &str = "PATH";
/// Names of the variables with the home folder. Programs need the home folder even if it is
/// inside the workspace, for example when the workspace is a whole disk.
const HOMES: [&str; 2] = ["HOME", "USERPROFILE"];

/// Lists of variable names; `*` matches any text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableNames {
    always: Vec<String>,
    trusted: Vec<String>,
    never: Vec<String>,
}

static NAMES: LazyLock<VariableNames> = LazyLock::new(|| {
    toml::from_str(include_str!("../../environment.toml")).expect("environment.toml is part of the program")
});

impl ServerSearch {
    /// Returns the variables of `environment` that a server of this workspace inherits.
    pub(crate) fn inherited_variables(
        &self,
        environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> BTreeMap<OsString, OsString> {
        let inherits = |(name, value): &(OsString, OsString)| {
            let Some(name) = name.to_str() else { return false };
            let is_home = HOMES.iter().any(|home| is_same_name(home, name));
            is_inherited(name, self.trusted)
                && (self.trusted || is_home || !self.points_into_workspace(value))
        };
        let mut inherited: BTreeMap<OsString, OsString> = environment.filter(inherits).collect();
        inherited.retain(|name, _| !name.to_str().is_some_and(|name| is_same_name(PATH, name)));
        // A folder whose name contains the separator could not have been on the search path.
        if let Ok(path) = std::env::join_paths(self.trusted_folders()) {
            inherited.insert(PATH.into(), path);
        }
        inherited
    }

    /// Whether a value is an absolute path inside the workspace.
    fn points_into_workspace(&self, value: &OsStr) -> bool {
        let path = Path::new(value);
        path.is_absolute() && self.is_in_workspace(path)
    }
}

fn is_inherited(name: &str, trusted: bool) -> bool {
    let matches = |pattern: &String| matches_name(pattern, &normalize_name(name));
    let names = &*NAMES;
    let is_listed = names.always.iter().any(matches) || (trusted && names.trusted.iter().any(matches));
    let upper = name.to_uppercase();
    is_listed && !names.never.iter().any(|pattern| matches_wildcards(pattern, &upper))
}

/// Normalizes a name for comparison: Windows ignores the case of names.
fn normalize_name(name: &str) -> String {
    if cfg!(windows) { name.to_uppercase() } else { name.to_owned() }
}

fn is_same_name(first: &str, second: &str) -> bool {
    normalize_name(first) == normalize_name(second)
}

fn matches_name(pattern: &str, name: &str) -> bool {
    matches_wildcards(&normalize_name(pattern), name)
}

/// Whether a text matches a pattern in which `*` matches any text.
fn matches_wildcards(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{NAMES, ServerSearch, matches_wildcards};
    use std::ffi::OsString;
    use std::path::PathBuf;

    #[test]
    fn each_name_occurs_once_in_the_lists() {
        let mut names: Vec<&String> = NAMES.always.iter().chain(&NAMES.trusted).chain(&NAMES.never).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(NAMES.always.iter().all(|name| name.matches('*').count() <= 1));
    }

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, name, expected) in [
            ("LC_*", "LC_ALL", true),
            ("LC_*", "XLC_ALL", false),
            ("*TOKEN*", "GITHUB_TOKEN", true),
            ("*_KEY", "A_KEY_B", false),
            ("BUNDLE_*__*", "BUNDLE_GEMS__EXAMPLE__COM", true),
            ("BUNDLE_*__*", "BUNDLE_GEMFILE", false),
            ("PATH", "PATHEXT", false),
        ] {
            assert_eq!(matches_wildcards(pattern, name), expected, "{pattern} {name}");
        }
    }

    fn inherited_names(trusted: bool) -> Vec<String> {
        let root = std::env::temp_dir().join("kenning-no-such-workspace");
        let inside = root.join("bin").into_os_string();
        let variables: Vec<(OsString, OsString)> = [
            ("HOME", root.clone().into_os_string()),
            ("GITHUB_TOKEN", "ghp_x".into()),
            ("AWS_SECRET_ACCESS_KEY", "x".into()),
            ("CARGO_REGISTRIES_MINE_TOKEN", "x".into()),
            ("npm_config__auth", "x".into()),
            ("SSH_AUTH_SOCK", "x".into()),
            ("GOFLAGS", "-tags=x".into()),
            ("VIRTUAL_ENV", inside.clone()),
            ("CARGO_HOME", inside.clone()),
            ("LC_ALL", "C".into()),
            ("MINE", "x".into()),
            ("PATH", inside.clone()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        let path = vec![PathBuf::from(inside), std::env::temp_dir(), "relative".into()];
        let search = ServerSearch { path, root, trusted, ..ServerSearch::default() };
        let inherited = search.inherited_variables(variables.into_iter());
        let folders = std::env::split_paths(&inherited[&OsString::from("PATH")]).count();
        let names = inherited.keys().map(|name| name.to_string_lossy().into_owned());
        names.map(|name| if name == "PATH" { format!("PATH of {folders}") } else { name }).collect()
    }

    #[test]
    fn secrets_are_never_inherited_and_tool_variables_only_in_a_trusted_workspace() {
        assert_eq!(inherited_names(false), ["HOME", "LC_ALL", "PATH of 1"]);
        assert_eq!(
            inherited_names(true),
            ["CARGO_HOME", "GOFLAGS", "HOME", "LC_ALL", "PATH of 2", "VIRTUAL_ENV"]
        );
    }
}
