//! Tests the data files of the training: the tasks for measuring languages of tier 2 share no
//! repository with the training data of the ranker, and every feature is in one group of the
//! leave-out table.

use kenning_retrieval::feature_names;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn read_training_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("training").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A row of a list of repositories.
struct RepositoryRow {
    name: String,
    split: String,
}

fn read_repositories(list: &str) -> Vec<RepositoryRow> {
    let text = read_training_file(list);
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let columns = ["repository", "language", "license", "base", "tip", "split"];
    assert_eq!(lines.next().unwrap_or_default(), columns, "{list}");
    let rows = lines.map(|cells| match cells[..] {
        [name, _, _, _, _, split] => RepositoryRow { name: name.to_lowercase(), split: split.to_owned() },
        _ => panic!("{list}: {cells:?} does not have six columns"),
    });
    rows.collect()
}

#[test]
fn repositories_for_measuring_tier_2_are_no_training_data() {
    let training = read_repositories("repositories.tsv");
    let names: BTreeSet<&str> = training.iter().map(|row| row.name.as_str()).collect();
    let splits: BTreeSet<&str> = training.iter().map(|row| row.split.as_str()).collect();
    for row in read_repositories("second-tier.tsv") {
        assert!(!names.contains(row.name.as_str()), "{} is in both lists", row.name);
        assert!(!splits.contains(row.split.as_str()), "{} has the split {}", row.name, row.split);
    }
}

#[test]
fn every_feature_is_in_one_group_of_the_leave_out_table() {
    let groups: BTreeMap<String, String> =
        toml::from_str(&read_training_file("feature-groups.toml")).expect("feature-groups.toml is valid");
    let mut grouped: Vec<&str> = groups.values().flat_map(|names| names.split_whitespace()).collect();
    let mut known = feature_names().to_vec();
    grouped.sort_unstable();
    known.sort_unstable();
    assert_eq!(grouped, known);
}
