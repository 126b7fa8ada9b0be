//! Finds build output by its definitions: a bundle repeats the functions of the files that it was
//! made from.
//!
//! In: the graph, the marks that are known from texts and surroundings, and the files that
//! manifests name as entries. Out: the paths of files that are built, sorted. Three rules, each
//! about functions and types of some length ([`MIN_BODY_LINES`]):
//!
//! 1. Half of the definitions are also in other source files, word for word, and no one of these
//!    files has most of them. A copy of the whole file does not count, because either may be the
//!    original, and because bundles come in several copies.
//! 2. The entry of a package that no file imports, and whose definitions are half in a file that is
//!    imported and no entry.
//! 3. A file that has nearly the names of a built file, next to it: the same code, built for
//!    another target.

use kenning_graph::derived::{DerivedEvidence, DerivedFiles, DerivedReason};
use kenning_graph::paths::parent_folder;
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolRef};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, BuildHasherDefault};

/// Minimum number of lines of a definition that is compared. Shorter ones are alike by chance.
const MIN_BODY_LINES: u32 = 3;

/// Minimum number of definitions of a bundle of several files.
const MIN_DEFINITIONS: usize = 8;

/// Minimum number of definitions of the entry of a package.
const MIN_ENTRY_DEFINITIONS: usize = 3;

/// Minimum share of a bundle's definitions that are also in other files.
const MIN_REPEATED: f64 = 0.5;

/// Maximum share of the repeated definitions that are in one other file.
const MAX_FROM_ONE_FILE: f64 = 0.6;

/// Minimum share of the definitions of a file in another one that is a copy of the whole file.
const MIN_COPIED: f64 = 0.8;

/// Minimum share of the names of a file that a built file next to it has, too.
const MIN_EQUAL_NAMES: f64 = 0.7;

/// Maximum number of files in which a definition may be. Boilerplate is in more, and shows nothing.
const MAX_FILES: usize = 16;

/// The definitions of one file.
struct FileDefinitions<'s> {
    path: &'s str,
    id: FileId,
    /// Hashes of name and text.
    bodies: Vec<u64>,
    /// Hashes of the names.
    names: FxHashSet<u64>,
}

/// Returns the paths of the files that are built, without those that `known` marks by other
/// evidence. `entries` are the files that manifests name as entries of packages.
pub(crate) fn find_built_files(
    snapshot: &Snapshot,
    known: &DerivedFiles,
    entries: &BTreeSet<&str>,
) -> Vec<String> {
    let mut marked = known.clone();
    marked.clear_evidence(DerivedEvidence::Definitions);
    let files: Vec<FileDefinitions<'_>> = snapshot
        .code_files()
        .into_par_iter()
        .filter_map(|file| collect_definitions(snapshot, file))
        .collect();
    let (derived, source): (Vec<&FileDefinitions<'_>>, Vec<&FileDefinitions<'_>>) =
        files.iter().partition(|file| marked.reason_of_path(file.path).is_some());
    let mut files_of_body: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (number, file) in (0..).zip(&source) {
        for &body in &file.bodies {
            let files = files_of_body.entry(body).or_default();
            if files.last() != Some(&number) {
                files.push(number);
            }
        }
    }
    files_of_body.retain(|_, files| (2..=MAX_FILES).contains(&files.len()));
    let is_entry = |number: u32| source.get(number as usize).is_some_and(|file| entries.contains(file.path));
    let mut built: FxHashSet<u32> = (0..)
        .zip(&source)
        .filter(|(number, file)| {
            RepeatedBodies::count_bodies(file, *number, &files_of_body, &|_| true).show_a_bundle(file)
        })
        .map(|(number, _)| number)
        .collect();
    // A bundle is the origin of no entry.
    let built_entries: Vec<u32> = (0..)
        .zip(&source)
        .filter(|(number, file)| {
            is_entry(*number) && !built.contains(number) && !is_imported(snapshot, file.id)
        })
        .filter(|(number, file)| {
            let is_origin = |other| {
                let is_used = source.get(other as usize).is_some_and(|file| is_imported(snapshot, file.id));
                is_used && !is_entry(other) && !built.contains(&other)
            };
            RepeatedBodies::count_bodies(file, *number, &files_of_body, &is_origin).show_a_built_entry(file)
        })
        .map(|(number, _)| number)
        .collect();
    built.extend(built_entries);
    let mut outputs: FxHashMap<&str, Vec<&FileDefinitions<'_>>> = FxHashMap::default();
    let found = built.iter().filter_map(|&number| source.get(number as usize).copied());
    let is_built =
        |file: &FileDefinitions<'_>| marked.reason_of_path(file.path) == Some(DerivedReason::Built);
    for output in derived.into_iter().filter(|file| is_built(file)).chain(found) {
        outputs.entry(first_folder(output.path)).or_default().push(output);
    }
    let siblings: Vec<u32> = (0..)
        .zip(&source)
        .filter(|(_, file)| {
            let near = outputs.get(first_folder(file.path));
            near.into_iter().flatten().any(|output| is_sibling(file, output))
        })
        .map(|(number, _)| number)
        .collect();
    built.extend(siblings);
    let mut paths: Vec<String> =
        built.into_iter().filter_map(|number| Some(source.get(number as usize)?.path.to_owned())).collect();
    paths.sort_unstable();
    paths
}

/// Whether another file imports a file or one of its symbols.
fn is_imported(snapshot: &Snapshot, file: FileId) -> bool {
    snapshot.file_symbols(file).into_iter().any(|symbol| {
        let mut is_imported = false;
        snapshot.for_each_in_edge(symbol, |edge| {
            is_imported |=
                edge.kind == EdgeKind::Imports && snapshot.file_of_symbol(edge.source) != Some(file);
        });
        is_imported
    })
}

/// Returns the definitions of a file; `None` if it has too few to be built or to be the origin of a
/// built file, or if it holds tests, which repeat one another.
fn collect_definitions(snapshot: &Snapshot, file: FileId) -> Option<FileDefinitions<'_>> {
    let path = snapshot.file(file)?.path;
    let hasher = BuildHasherDefault::<rustc_hash::FxHasher>::default();
    let mut definitions = FileDefinitions { path, id: file, bodies: Vec::new(), names: FxHashSet::default() };
    for symbol in snapshot.file_symbol_refs(file) {
        if symbol.is_test {
            return None;
        }
        if is_compared(&symbol) {
            definitions.bodies.push(hasher.hash_one((symbol.name, symbol.body_hash)));
            definitions.names.insert(hasher.hash_one(symbol.name));
        }
    }
    (!definitions.bodies.is_empty()).then_some(definitions)
}

fn is_compared(symbol: &SymbolRef<'_>) -> bool {
    (symbol.kind.is_callable() || symbol.kind.is_type())
        && symbol.span.end_line + 1 - symbol.span.start_line.min(symbol.span.end_line) >= MIN_BODY_LINES
}

/// The definitions of a file that other files repeat.
struct RepeatedBodies {
    /// The number of the file's definitions in other files.
    repeated: usize,
    /// The number of them in files that are no copies of the whole file.
    repeated_in_parts: usize,
    /// The greatest number of them in one such file.
    in_one_part: usize,
}

impl RepeatedBodies {
    /// Counts the definitions of the file with this number that other files repeat, of those files
    /// that `is_counted` accepts.
    fn count_bodies(
        file: &FileDefinitions<'_>,
        number: u32,
        files_of_body: &FxHashMap<u64, Vec<u32>>,
        is_counted: &dyn Fn(u32) -> bool,
    ) -> Self {
        let others_of_body = |body: &u64| {
            let others = files_of_body.get(body).into_iter().flatten().copied();
            others.filter(|&other| other != number && is_counted(other)).collect::<Vec<u32>>()
        };
        let others: Vec<Vec<u32>> = file.bodies.iter().map(others_of_body).collect();
        let mut by_file: FxHashMap<u32, usize> = FxHashMap::default();
        for &other in others.iter().flatten() {
            *by_file.entry(other).or_default() += 1;
        }
        let is_part = |count: usize| (count as f64) < MIN_COPIED * file.bodies.len() as f64;
        let has_part = |others: &&Vec<u32>| {
            others.iter().any(|other| by_file.get(other).is_some_and(|&count| is_part(count)))
        };
        Self {
            repeated: others.iter().filter(|others| !others.is_empty()).count(),
            repeated_in_parts: others.iter().filter(has_part).count(),
            in_one_part: by_file.values().copied().filter(|&count| is_part(count)).max().unwrap_or(0),
        }
    }

    fn show_a_bundle(&self, file: &FileDefinitions<'_>) -> bool {
        file.bodies.len() >= MIN_DEFINITIONS
            && self.repeated_in_parts as f64 >= MIN_REPEATED * file.bodies.len() as f64
            && self.in_one_part as f64 <= MAX_FROM_ONE_FILE * self.repeated_in_parts as f64
    }

    fn show_a_built_entry(&self, file: &FileDefinitions<'_>) -> bool {
        file.bodies.len() >= MIN_ENTRY_DEFINITIONS
            && self.repeated as f64 >= MIN_REPEATED * file.bodies.len() as f64
    }
}

/// Returns the folder at the root that contains a file; empty for a file at the root.
fn first_folder(path: &str) -> &str {
    path.split_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a file has nearly the names of a built file, and one of the two is in the folder of the
/// other or below it. The root of a workspace holds more than build output.
fn is_sibling(file: &FileDefinitions<'_>, built: &FileDefinitions<'_>) -> bool {
    let [folder, built_folder] = [file.path, built.path].map(parent_folder);
    let is_below = |inner: &str, outer: &str| {
        !outer.is_empty()
            && inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    file.bodies.len() >= MIN_DEFINITIONS
        && (is_below(folder, built_folder) || is_below(built_folder, folder))
        && file.names.intersection(&built.names).count() as f64 >= MIN_EQUAL_NAMES * file.names.len() as f64
}
