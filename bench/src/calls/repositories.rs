//! The repositories whose call sites are judged (`bench/calls/repositories.toml`).

use anyhow::Context;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::LazyLock;

/// A repository whose call sites are judged.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedRepository {
    /// The name of the repository and of its truth file.
    pub name: String,
    /// The folder of its tree in the corpus.
    pub tree: String,
    /// Ids of the languages whose calls are sampled.
    pub languages: Vec<String>,
    /// The language server whose answers are the truth.
    pub server: String,
    /// Prefixes of the paths that are sampled. An empty list samples all paths.
    #[serde(default)]
    pub path_prefixes: Vec<String>,
    /// The number of call sites in a sample.
    pub sites: usize,
}

#[derive(Deserialize)]
struct RepositoryTable {
    repository: Vec<JudgedRepository>,
}

static REPOSITORIES: LazyLock<Vec<JudgedRepository>> = LazyLock::new(|| {
    let table: RepositoryTable = toml::from_str(include_str!("../../calls/repositories.toml"))
        .expect("repositories.toml is part of the program");
    table.repository
});

/// Returns all repositories, in the order of the table.
pub fn all_repositories() -> &'static [JudgedRepository] {
    &REPOSITORIES
}

/// Returns the repositories with these names, or all repositories if `names` is empty.
///
/// # Errors
/// Fails if a name is not in the table.
pub fn find_repositories(names: &[String]) -> anyhow::Result<Vec<&'static JudgedRepository>> {
    if names.is_empty() {
        return Ok(all_repositories().iter().collect());
    }
    let find = |name: &String| {
        let known = all_repositories().iter().find(|repository| repository.name == *name);
        known.with_context(|| format!("{name} is not in bench/calls/repositories.toml"))
    };
    names.iter().map(find).collect()
}

impl JudgedRepository {
    /// Returns the path of a sample's truth file.
    pub fn truth_path(&self, sample: u32) -> PathBuf {
        let name =
            if sample == 1 { format!("{}.csv", self.name) } else { format!("{}.{sample}.csv", self.name) };
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("calls/truth").join(name)
    }

    /// Returns the numbers of the samples that have a truth file, in ascending order.
    pub fn sample_numbers(&self) -> impl Iterator<Item = u32> {
        (1..).take_while(|&sample| self.truth_path(sample).exists())
    }

    /// Whether the sample may contain call sites of a path.
    pub fn includes_path(&self, path: &str) -> bool {
        self.path_prefixes.is_empty() || self.path_prefixes.iter().any(|prefix| path.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::all_repositories;
    use kenning_indexing::languages::LanguageRegistry;

    #[test]
    fn every_row_names_known_languages() {
        for repository in all_repositories() {
            for language in &repository.languages {
                assert!(
                    LanguageRegistry::get().find_by_id(language).is_some(),
                    "{}: {language}",
                    repository.name
                );
            }
        }
    }
}
