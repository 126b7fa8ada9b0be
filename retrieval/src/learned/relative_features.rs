//! Features relative to the other candidates of the task: the share of the greatest value, and the
//! rank by it. A tree compares a value with a constant, so it needs these features to compare
//! candidates.

use super::feature_table::{FeatureTable, plain_names};

/// Features that also become a share: the value divided by the greatest value of all candidates.
const SHARES: [&str; 7] = [
    "subject_cover",
    "subject_cover_name",
    "name_cover",
    "bm25_code",
    "bm25_name",
    "symbol_votes",
    "file_votes",
];

/// Features that also become a rank: the number of candidates with a greater value.
const RANKS: [&str; 10] = [
    "subject_cover",
    "name_cover",
    "bm25_name",
    "bm25_code",
    "bm25_path",
    "lines",
    "users",
    "walk",
    "symbol_votes",
    "file_votes",
];

/// The names of the columns: the columns of [`SHARES`], then the columns of [`RANKS`].
pub(super) const NAMES: [&str; SHARES.len() + RANKS.len()] = [
    "subject_cover_share",
    "subject_cover_name_share",
    "name_cover_share",
    "bm25_code_share",
    "bm25_name_share",
    "symbol_votes_share",
    "file_votes_share",
    "subject_cover_rank",
    "name_cover_rank",
    "bm25_name_rank",
    "bm25_code_rank",
    "bm25_path_rank",
    "lines_rank",
    "users_rank",
    "walk_rank",
    "symbol_votes_rank",
    "file_votes_rank",
];

/// Adds the relative features to rows of plain ones.
pub(super) fn add_relative_features(mut rows: Vec<Vec<f32>>) -> FeatureTable {
    let names = plain_names();
    let column = |name: &str| names.iter().position(|known| *known == name).expect("the feature exists");
    let mut added: Vec<Vec<f32>> = Vec::new();
    for name in SHARES {
        let at = column(name);
        let greatest = rows.iter().map(|row| row[at]).fold(0.0f32, f32::max);
        let share = |value: f32| if greatest > 0.0 { value / greatest } else { 0.0 };
        added.push(rows.iter().map(|row| share(row[at])).collect());
    }
    for name in RANKS {
        let at = column(name);
        added.push(descending_ranks(&rows.iter().map(|row| row[at]).collect::<Vec<f32>>()));
    }
    for (at, row) in rows.iter_mut().enumerate() {
        row.extend(added.iter().map(|values| values[at]));
    }
    FeatureTable { width: names.len() + NAMES.len(), values: rows.concat() }
}

/// Returns the number of greater values for each value.
fn descending_ranks(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    values.iter().map(|value| sorted.partition_point(|other| other > value) as f32).collect()
}
