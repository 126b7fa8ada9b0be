//! The set of tasks that match nothing: nonsense, and requests of other domains.
//!
//! Each text is a question to each repository of the file, except the repositories in its `not_for`
//! list, which have matching code. A good ranking reports for every question that nothing in the
//! workspace matches.

use kenning_retrieval::eval::summary::{REPO, TaskGroup};
use serde::Deserialize;

/// The file of the set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NonsenseFile {
    /// The folders of the repositories in the corpus.
    repositories: Vec<String>,
    tasks: Vec<NonsenseTask>,
}

/// A text of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NonsenseTask {
    id: String,
    /// `letters`, `everyday` or `foreign`.
    kind: String,
    /// Whether the text has verbs and nouns of programming that every repository has.
    generic: bool,
    /// `tune` or `test`.
    half: String,
    description: String,
    not_for: Vec<String>,
}

/// A text as a question to one repository.
#[derive(Debug, PartialEq, Eq)]
pub struct NonsenseQuestion {
    /// The folder of the repository and the id of the text.
    pub id: String,
    pub repo: String,
    pub text: String,
    groups: Vec<TaskGroup>,
}

impl NonsenseFile {
    /// Returns the questions: each text for each repository that is not in its `not_for` list.
    pub fn into_questions(self) -> Vec<NonsenseQuestion> {
        let Self { repositories, tasks } = self;
        let ask = |repo: &String, task: &NonsenseTask| NonsenseQuestion {
            id: format!("{repo}/{}", task.id),
            repo: repo.clone(),
            text: task.description.clone(),
            groups: vec![
                TaskGroup::new(REPO, repo),
                TaskGroup::new("half", &task.half),
                TaskGroup::new("kind", &task.kind),
                TaskGroup::new("generic words", if task.generic { "yes" } else { "no" }),
            ],
        };
        repositories
            .iter()
            .flat_map(|repo| {
                tasks.iter().filter(|task| !task.not_for.contains(repo)).map(move |task| ask(repo, task))
            })
            .collect()
    }
}

impl NonsenseQuestion {
    /// Returns the groups of the question: its repository, half and kind, and whether it has
    /// generic words.
    pub fn groups(&self) -> Vec<TaskGroup> {
        self.groups.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{NonsenseFile, NonsenseTask};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn the_committed_set_is_large_and_balanced() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/nonsense/tasks.json");
        let file: NonsenseFile = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let NonsenseFile { repositories, tasks } = &file;
        let texts: BTreeSet<&str> = tasks.iter().map(|task| task.description.as_str()).collect();
        let ids: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
        assert_eq!((texts.len(), ids.len(), repositories.len()), (tasks.len(), tasks.len(), 12));
        assert!(tasks.len() >= 200);
        let share = |accept: fn(&NonsenseTask) -> bool| {
            tasks.iter().filter(|task| accept(task)).count() as f64 / tasks.len() as f64
        };
        let shares = [share(|task| task.generic), share(|task| task.half == "tune")];
        assert!(shares.iter().all(|share| (0.45..=0.55).contains(share)), "{shares:?}");
        for task in tasks {
            assert!(["letters", "everyday", "foreign"].contains(&task.kind.as_str()), "{}", task.id);
            assert!(["tune", "test"].contains(&task.half.as_str()), "{}", task.id);
            assert!(task.not_for.iter().all(|repo| repositories.contains(repo)), "{}", task.id);
        }
    }
}
