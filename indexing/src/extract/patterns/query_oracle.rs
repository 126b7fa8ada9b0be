//! The matches of tree-sitter's own queries. [`super::pattern_matching`] must find the same matches
//! in every text that a test extracts.
//!
//! Queries overlook some matches that the patterns find:
//!
//! * If a hidden node of the grammar gives the same field to several children, a query considers
//!   only the first of them. It finds no function in Dart's `T f<T>(T x)`, whose type parameters
//!   and parameters share the field `parameters`.
//! * A query stops looking for other children once the grammar guarantees the rest of a pattern.
//!   Where the text has syntax errors, the guarantee does not hold.

use super::pattern_matching::PatternMatch;
use crate::bounded_parse::StepBudget;
use crate::extract::Extractor;
use crate::extract::children::append_children;
use crate::extract::tree_scan::TreeScan;
use crate::languages::{Language, LanguageRegistry};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query, QueryCursor, Tree};

/// The compiled queries by source, because compiling is slow.
static QUERIES: Mutex<Option<HashMap<String, Arc<Query>>>> = Mutex::new(None);

fn compiled_query(language: &tree_sitter::Language, sources: &[&str]) -> Arc<Query> {
    let mut queries = QUERIES.lock().unwrap_or_else(PoisonError::into_inner);
    let source = sources.join("\n");
    let key = format!("{:?}{source}", language.name());
    let compile = || Arc::new(Query::new(language, &source).unwrap());
    Arc::clone(queries.get_or_insert_default().entry(key).or_insert_with(compile))
}

/// One match in comparable form: the pattern, and the name, kind and position of each capture.
type QueryMatch = (usize, Vec<String>);

/// Returns whether several children of a node have the same field.
fn has_repeated_field(node: Node) -> bool {
    let mut cursor = node.walk();
    let mut children = Vec::new();
    append_children(node, |_| true, &mut cursor, &mut children);
    let fields: Vec<u16> = children.iter().map(|child| child.field).filter(|&field| field != 0).collect();
    fields.iter().enumerate().any(|(at, field)| fields[..at].contains(field))
}

/// Returns whether a query may overlook this match: it contains syntax errors, or the parent of a
/// captured node gives a field to several children.
fn may_be_overlooked(found: &PatternMatch) -> bool {
    let children = found.captures.iter().filter(|(node, _)| *node != found.root);
    found.root.has_error() || children.filter_map(|(node, _)| node.parent()).any(has_repeated_field)
}

/// Checks that the patterns and the query find the same matches, and panics otherwise.
pub(crate) fn assert_same_matches(language: &Language, tree: &Tree, text: &str) {
    let compiled = language.get_or_compile();
    let patterns = &compiled.patterns;
    let query = compiled_query(&compiled.language, language.grammar.queries);
    let comparable_match = |pattern: usize, captures: &mut dyn Iterator<Item = (u32, Node)>| -> QueryMatch {
        let names = query.capture_names();
        let show = |(capture, node): (u32, Node)| {
            format!("{} {} {:?}", names[capture as usize], node.kind(), node.byte_range())
        };
        (pattern, captures.map(show).collect())
    };
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    let mut query_matches = Vec::new();
    while let Some(found) = matches.next() {
        query_matches.push(comparable_match(
            found.pattern_index,
            &mut found.captures().iter().map(|c| (c.index, c.node)),
        ));
    }
    query_matches.sort();
    let mut pattern_matches = Vec::new();
    let steps = StepBudget::with_limit(u64::MAX);
    let mut matcher = patterns.matcher_for_tree(tree, text);
    let scan = TreeScan::scan_tree(tree, text, &compiled.kinds, u32::MAX, |node, kind, children| {
        matcher.match_node(node, kind, children, &steps, |found| {
            let mut captures = found.captures.iter().map(|&(node, capture)| {
                let name = &patterns.capture_names[usize::from(capture)];
                (query.capture_index_for_name(name).unwrap(), node)
            });
            let comparable = comparable_match(found.pattern, &mut captures);
            let is_known = query_matches.binary_search(&comparable).is_ok();
            if is_known || !may_be_overlooked(&found) {
                pattern_matches.push(comparable);
            }
        })
    });
    assert!(scan.is_some());
    pattern_matches.sort();
    if pattern_matches != query_matches {
        let missing: Vec<_> =
            query_matches.iter().filter(|found| !pattern_matches.contains(found)).take(5).collect();
        let extra: Vec<_> =
            pattern_matches.iter().filter(|found| !query_matches.contains(found)).take(5).collect();
        let counts = (pattern_matches.len(), query_matches.len());
        panic!("patterns and query differ {counts:?}\nmissing: {missing:#?}\nextra: {extra:#?}\nin: {text}");
    }
}

/// Compares patterns and queries on real repositories: those in `KENNING_REPOSITORIES`, separated
/// by `:`, or else this package. In tests, extraction calls [`assert_same_matches`] for each file.
#[test]
fn patterns_and_queries_find_the_same_matches() {
    let this_package = env!("CARGO_MANIFEST_DIR").to_owned();
    let repositories = std::env::var("KENNING_REPOSITORIES").unwrap_or(this_package);
    let mut extractor = Extractor::new();
    for repository in repositories.split(':') {
        for file in ignore::Walk::new(repository).flatten().filter(|file| file.path().is_file()) {
            let Ok(bytes) = std::fs::read(file.path()) else { continue };
            let Some(language) = LanguageRegistry::get().find_by_path(file.path()) else { continue };
            extractor.extract_file(language.language_id(), &bytes);
        }
    }
}
