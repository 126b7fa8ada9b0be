//! Tests that extraction finds the declarations and uses in GraphQL, Makefiles, CMake and
//! manifests.

use super::check_file;
use expect_test::expect_file;
use kenning_graph::facts::StringTable;

#[test]
fn schemas_and_operations_of_graphql_are_found() {
    check_file("graphql", include_str!("../../../fuzz/seeds/graphql"), &expect_file!["graphql.facts"]);
}

#[test]
fn targets_and_variables_of_make_are_found() {
    check_file("makefile", include_str!("../../../fuzz/seeds/makefile"), &expect_file!["makefile.facts"]);
}

#[test]
fn targets_and_functions_of_cmake_are_found() {
    check_file("cmake", include_str!("../../../fuzz/seeds/cmake"), &expect_file!["cmake.facts"]);
}

#[test]
fn manifests_have_neither_symbols_nor_words() {
    let facts = crate::extract::Extractor::new().extract_file("manifest", b"{ \"name\": \"react\" }\n");
    assert!(
        facts.symbols.is_empty() && facts.references.is_empty() && facts.text.terms == StringTable::default()
    );
    assert_eq!((facts.lines, facts.quality.abandoned), (1, false));
}
