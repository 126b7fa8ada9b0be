//! The trees whose call sites are judged (`bench/calls/repositories.toml`).

use anyhow::Context;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// The name of the tree and of its truth file.
    pub name: String,
    /// The folder of the tree in the corpus.
    pub tree: String,
    /// Ids of the languages whose calls are sampled.
    pub languages: Vec<String>,
    /// The language server whose answers are the truth.
    pub server: String,
    /// Prefixes of the paths that are sampled; if empty, all paths are.
    #[serde(default)]
    pub under: Vec<String>,
    /// The number of call sites in a sample.
    pub sites: usize,
}

#[derive(Deserialize)]
struct Table {
    repository: Vec<Repository>,
}

static REPOSITORIES: LazyLock<Vec<Repository>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("../../calls/repositories.toml"))
        .expect("repositories.toml is part of the program");
    table.repository
});

/// Returns all trees, in the order of the table.
pub fn all() -> &'static [Repository] {
    &REPOSITORIES
}

/// Returns the trees with these names, or all trees if `names` is empty.
///
/// # Errors
/// Fails if a name is not in the table.
pub fn named(names: &[String]) -> anyhow::Result<Vec<&'static Repository>> {
    if names.is_empty() {
        return Ok(all().iter().collect());
    }
    let one = |name: &String| {
        let known = all().iter().find(|repository| repository.name == *name);
        known.with_context(|| format!("{name} is not in bench/calls/repositories.toml"))
    };
    names.iter().map(one).collect()
}

impl Repository {
    /// Returns the path of a sample's truth file.
    pub fn truth(&self, sample: u32) -> PathBuf {
        let name =
            if sample == 1 { format!("{}.csv", self.name) } else { format!("{}.{sample}.csv", self.name) };
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("calls/truth").join(name)
    }

    /// Returns the numbers of the samples that have a truth file, in ascending order.
    pub fn samples(&self) -> impl Iterator<Item = u32> {
        (1..).take_while(|&sample| self.truth(sample).exists())
    }

    /// Whether a path is sampled.
    pub fn takes(&self, path: &str) -> bool {
        self.under.is_empty() || self.under.iter().any(|folder| path.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use kenning_indexing::languages::LanguageRegistry;

    #[test]
    fn every_row_names_languages_that_there_are() {
        for repository in all() {
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
