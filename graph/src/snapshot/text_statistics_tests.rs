//! Tests that edits change the statistics of the text index as a new base would, and that keeping
//! them current reads no postings.

use super::document_tests::document_change;
use super::tests::{apply_changes, compact, file_change, remove_file, text_params, token_query};
use super::*;
use crate::text::{Corpus, READ_POSTINGS, TextQuery};
use proptest::prelude::*;
use std::collections::BTreeMap;

const CODE: [&str; 4] = ["a/one.go", "b.go", "c/run.go", "z.go"];
const DOCUMENTS: [&str; 2] = ["README.md", "docs/run.md"];
const NAMES: [&str; 5] = ["run", "runx", "T.run", "other", "install"];
const TOKENS: [&str; 6] = ["run", "runx", "other", "instal", "=run", "absent"];

/// A file with the numbers of its names; `None` for a file that is removed.
type FileEdit = (usize, Option<Vec<usize>>);

fn build_change(file: usize, names: Option<&[usize]>) -> FileChange {
    let path = CODE.get(file).copied().unwrap_or_else(|| DOCUMENTS[file - CODE.len()]);
    let Some(names) = names else { return remove_file(path) };
    let names: Vec<&str> = names.iter().map(|&name| NAMES[name]).collect();
    if file < CODE.len() { file_change(path, &names) } else { document_change(path, names[0], &names[1..]) }
}

/// Describes all scores by name, with the bits of each for an exact comparison, and all statistics.
fn describe_statistics(snapshot: &Snapshot) -> Vec<String> {
    let params = text_params();
    let name = |id: u32| snapshot.symbol(SymbolId(id)).map(|symbol| symbol.qualified_name());
    let path = |id: u32| Some(snapshot.file_path(FileId(id)).to_owned());
    let list = |scores: Vec<f32>, name: &dyn Fn(u32) -> Option<String>| {
        let hits = (0..).zip(scores).filter(|(_, score)| *score > 0.0);
        let mut hits: Vec<_> = hits.map(|(id, score)| (name(id), score.to_bits())).collect();
        hits.sort();
        format!("{hits:?}")
    };
    let mut out = vec![format!("{} {}", snapshot.document_count(), snapshot.section_count())];
    for token in TOKENS {
        let mut prefix = token_query(token);
        prefix.terms[0].prefix = true;
        let mut both: TextQuery = token_query(token);
        both.terms[0].tokens.push("run".to_owned());
        let frequencies = (snapshot.document_frequency(token), snapshot.section_frequency(token));
        out.push(format!("{token} {frequencies:?}"));
        for query in [token_query(token), prefix, both] {
            out.push(list(snapshot.symbol_scores(&query, &params), &name));
            out.push(list(snapshot.section_scores(&query, &params), &name));
            out.push(list(snapshot.file_scores(&query, &params), &path));
            out.push(list(snapshot.document_file_scores(&query, &params), &path));
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn scores_after_edits_are_those_of_a_new_base(
        steps in prop::collection::vec(
            (prop::collection::vec(
                (0..CODE.len() + DOCUMENTS.len(), prop::option::weighted(0.8, prop::collection::vec(0..NAMES.len(), 1..5))),
                1..4,
            ), any::<bool>()),
            1..8,
        )
    ) {
        let mut snapshot = Snapshot::empty();
        let mut files: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (edits, compacts) in steps {
            let edits: Vec<FileEdit> = edits;
            let changes = edits.iter().map(|(file, names)| build_change(*file, names.as_deref())).collect();
            snapshot = apply_changes(&snapshot, changes);
            for (file, names) in edits {
                if let Some(names) = names {
                    files.insert(file, names);
                } else {
                    files.remove(&file);
                }
            }
            let all = files.iter().map(|(file, names)| build_change(*file, Some(names))).collect();
            let rebuilt = apply_changes(&Snapshot::empty(), all);
            let expected = describe_statistics(&rebuilt);
            prop_assert_eq!(describe_statistics(&snapshot), expected.clone());
            prop_assert_eq!(describe_statistics(&compact(&rebuilt)), expected);
            if compacts {
                snapshot = compact(&snapshot);
            }
        }
    }
}

/// Returns the number of postings that `work` reads.
fn count_postings(work: impl FnOnce()) -> usize {
    let before = READ_POSTINGS.get();
    work();
    READ_POSTINGS.get() - before
}

#[test]
fn an_edit_reads_no_postings_and_a_question_reads_the_lists_of_its_own_words() {
    let names = |n: usize| vec![NAMES[n % NAMES.len()], "run"];
    let all: Vec<FileChange> = (0..200).map(|n| file_change(&format!("f{n:03}.go"), &names(n))).collect();
    let base = compact(&apply_changes(&Snapshot::empty(), all));
    let mut edited = base.clone();
    let in_edits = count_postings(|| {
        for n in 0..20 {
            edited = apply_changes(&edited, vec![file_change(&format!("f{n:03}.go"), &["install"])]);
        }
    });
    assert_eq!(in_edits, 0);
    let params = text_params();
    let search = |snapshot: &Snapshot| {
        count_postings(|| drop(snapshot.search_symbols(&token_query("instal"), &params)))
    };
    assert_eq!((search(&edited), search(&base)), (40, 40));
    // Without edits, the frequency of a word is stored. With edits, its list is read once.
    let frequency =
        |snapshot: &Snapshot| count_postings(|| assert!(snapshot.document_frequency("instal") > 0));
    assert_eq!((frequency(&edited), frequency(&base)), (40, 0));
    assert_eq!(count_postings(|| assert_eq!(edited.document_count(), 380)), 0);
    // The totals are counts of the files that differ, not of all files.
    let totals = edited.overlay.totals.corpus_totals(Corpus::Symbols);
    assert_eq!(totals.documents, -20);
}
