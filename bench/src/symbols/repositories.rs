//! The table `bench/symbols/repositories.toml`: repositories in many languages. For most of them,
//! the symbols are compared with the tags of ctags.

use serde::Deserialize;
use std::sync::LazyLock;

/// A repository that `bench/layout.sh` lays out as `languages/<name>`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedRepository {
    /// The name of its folder.
    pub name: String,
    /// Owner and name on GitHub.
    pub source: String,
    /// The commit that is laid out.
    pub commit: String,
    /// ctags' name of the language to compare; `None` for repositories of other measurements.
    pub compared: Option<String>,
    /// Prefixes of the paths to compare. An empty list compares all paths.
    #[serde(default)]
    pub path_prefixes: Vec<String>,
}

#[derive(Deserialize)]
struct RepositoryTable {
    repository: Vec<ComparedRepository>,
}

static REPOSITORIES: LazyLock<Vec<ComparedRepository>> = LazyLock::new(|| {
    let table: RepositoryTable = toml::from_str(include_str!("../../symbols/repositories.toml"))
        .expect("repositories.toml is part of the program");
    table.repository
});

/// Returns the repositories, in the order of the table.
pub fn listed_repositories() -> &'static [ComparedRepository] {
    &REPOSITORIES
}

#[cfg(test)]
mod tests {
    use super::listed_repositories;
    use crate::symbols::COMPARED_LANGUAGES;

    #[test]
    fn every_row_names_a_commit_and_a_language_of_the_comparison() {
        for repository in listed_repositories() {
            let name = &repository.name;
            assert!(repository.source.split('/').count() == 2, "{name}: {}", repository.source);
            let is_hash =
                repository.commit.len() == 40 && repository.commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{name}: {}", repository.commit);
            let known = |language: &String| COMPARED_LANGUAGES.iter().any(|(known, _)| known == language);
            assert!(repository.compared.as_ref().is_none_or(known), "{name}: {:?}", repository.compared);
        }
    }
}
