//! `--features`: the table that the reranker is fitted on.

use super::task_set::TaskSet;
use kenning_retrieval::eval::commits::RankedAnswer;
use kenning_retrieval::{FEATURES, FeatureVector};
use std::fmt::Write as _;

/// Candidates of a task whose features are written.
pub const PLACES: usize = 200;

/// The best candidates of one task, as they are before reranking, with their score and features.
pub type FeatureRows = Vec<(RankedAnswer, f64, FeatureVector)>;

/// The head of the table.
pub fn csv_header() -> String {
    format!("set,repo,task,label,in_file,file,score,{}\n", FEATURES.join(","))
}

/// The rows of one task: whether each candidate is a truth, whether it stands in the file of one, its score, its features.
pub fn csv_rows(set: &TaskSet, repo: &str, task: &str, rows: &FeatureRows) -> String {
    let mut text = String::new();
    let mut files: Vec<&str> = Vec::new();
    for (answer, score, features) in rows {
        let label = u8::from(set.is_truth(task, answer));
        let in_file = u8::from(set.is_in_truth_file(task, answer));
        let file = files.iter().position(|known| *known == answer.file).unwrap_or_else(|| {
            files.push(&answer.file);
            files.len() - 1
        });
        let _ = write!(text, "{},{repo},{task},{label},{in_file},{file},{score:.5}", set.kind_name());
        for value in features {
            let _ = write!(text, ",{value:.4}");
        }
        text.push('\n');
    }
    text
}
