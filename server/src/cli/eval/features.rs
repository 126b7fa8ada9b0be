//! `--features`: the table of candidates that the reranker is fitted on.

use super::task_set::TaskSet;
use kenning_retrieval::eval::commits::RankedAnswer;
use kenning_retrieval::{FEATURES, FeatureVector};
use std::fmt::Write as _;

/// Maximum number of candidates per task in the table.
pub const MAX_CANDIDATES: usize = 200;

/// The best candidates of one task before reranking, with their scores and features.
pub type FeatureRows = Vec<(RankedAnswer, f64, FeatureVector)>;

/// Returns the header row of the table.
pub fn csv_header() -> String {
    format!("set,repo,task,label,in_file,file,score,{}\n", FEATURES.join(","))
}

/// Returns the rows of one task. Each row states whether the candidate is a truth, whether it is in
/// the file of a truth, its file (numbered per task), its score and its features.
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
