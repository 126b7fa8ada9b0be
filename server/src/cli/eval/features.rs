//! `--features`: the tables of candidates that the rankers are trained on.
//!
//! The table of the linear reranker is one CSV file. The table of the learned ranker, which has
//! many more features, is a CSV file without features and a file of numbers next to it: rows of
//! little-endian `f32` in the same order.

use super::task_set::TaskSet;
use kenning_retrieval::eval::commits::RankedAnswer;
use kenning_retrieval::{FEATURES, feature_names};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The maximum number of candidates per task in the table of the linear reranker. A large
/// repository has thousands.
pub const MAX_CANDIDATES: usize = 200;

/// The candidates of one task before reranking, best first, with their scores and features.
pub type CandidateRows = Vec<(RankedAnswer, f64, Vec<f32>)>;

/// The tables of all tasks.
pub struct FeatureTables {
    csv: String,
    /// The features of the learned ranker; `None` if they are part of the CSV table.
    numbers: Option<Vec<u8>>,
}

impl FeatureTables {
    /// Creates empty tables, for the learned ranker or for the linear reranker.
    pub fn new(is_learned: bool) -> Self {
        let columns = "set,repo,task,label,in_file,file,score";
        if is_learned {
            return Self { csv: format!("{columns}\n"), numbers: Some(Vec::new()) };
        }
        Self { csv: format!("{columns},{}\n", FEATURES.join(",")), numbers: None }
    }

    /// Adds the candidates of one task. Each row states whether the candidate is a truth, whether
    /// it is in the file of a truth, its file (numbered per task) and its score.
    pub fn add_task(&mut self, set: &TaskSet, repo: &str, task: &str, rows: &CandidateRows) {
        let mut files: Vec<&str> = Vec::new();
        for (answer, score, features) in rows {
            let label = u8::from(set.is_truth(task, answer));
            let in_file = u8::from(set.is_in_truth_file(task, answer));
            let file = files.iter().position(|known| *known == answer.file).unwrap_or_else(|| {
                files.push(&answer.file);
                files.len() - 1
            });
            let _ = write!(self.csv, "{},{repo},{task},{label},{in_file},{file},{score:.5}", set.kind_name());
            match &mut self.numbers {
                Some(numbers) => numbers.extend(features.iter().flat_map(|value| value.to_le_bytes())),
                None => {
                    for value in features {
                        let _ = write!(self.csv, ",{value:.4}");
                    }
                }
            }
            self.csv.push('\n');
        }
    }

    /// Writes the tables: `path`, and for the learned ranker `path` with the endings `.f32` (the
    /// numbers) and `.names` (the names of the features, line by line).
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn write_files(&self, path: &Path) -> anyhow::Result<()> {
        super::write_file(path, self.csv.as_bytes())?;
        let Some(numbers) = &self.numbers else { return Ok(()) };
        super::write_file(&with_ending(path, ".f32"), numbers)?;
        super::write_file(&with_ending(path, ".names"), (feature_names().join("\n") + "\n").as_bytes())
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}
