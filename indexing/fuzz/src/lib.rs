//! Checks the invariants that extraction and resolution keep for every input: facts do not depend
//! on earlier texts, spans are inside the text, and incremental results equal those from scratch.
//! Each fuzz target checks them for one language.

use kenning_graph::facts::{FILE_SCOPE, FileFacts};
use kenning_graph::snapshot::{ChangedKeys, FileChange};
use kenning_graph::{FileId, Hash, Snapshot};
use kenning_indexing::extract::{EditedTree, ErrorRecovery, Extractor};
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::project::{ManifestFiles, Project};
use kenning_indexing::resolve::resolve_files;
use kenning_indexing::workspace::TreeEdit;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

thread_local! {
    // Like a worker thread, all calls share one extractor.
    static EXTRACTOR: RefCell<Extractor> = RefCell::new(Extractor::new());
}

/// Interprets `data` as an edit and two files of a language, and checks the invariants.
///
/// # Panics
/// Panics if an invariant is violated.
pub fn check_language(language: &str, data: &[u8]) {
    let [split, from, length, rest @ ..] = data else { return };
    let share = |part: u8, total: usize| total * usize::from(part) / 256;
    let (first, second) = rest.split_at(share(*split, rest.len()));
    let start = share(*from, first.len());
    let end = start + share(*length, first.len() - start);
    let inserted = &second[..second.len().min(40)];
    let edited = [&first[..start], inserted, &first[end..]].concat();
    EXTRACTOR.with_borrow_mut(|extractor| {
        let edit = TreeEdit::new(first, start..end, inserted);
        check_incremental(extractor, language, first, &edited, &edit);
    });
    check_graph(language, first, second, &edited);
    if language == "manifest" {
        check_manifests(&String::from_utf8_lossy(&edited));
    }
}

/// The names of manifests and lock files, at least one for each parser.
const MANIFESTS: &[&str] = &[
    "package.json",
    "composer.json",
    "Cargo.toml",
    "go.mod",
    "go.work",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "pom.xml",
    "a.csproj",
    "build.gradle",
    "libs.versions.toml",
    "gradle.properties",
    "Gemfile",
    "pubspec.yaml",
    "pnpm-workspace.yaml",
    "mix.exs",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "Cargo.lock",
    "Gemfile.lock",
    "composer.lock",
    "packages.lock.json",
    "pubspec.lock",
    "mix.lock",
    "gradle.lockfile",
];

/// Reads a text as every kind of manifest and lock file, and checks that every dependency has a
/// name and a line of the text.
fn check_manifests(text: &str) {
    let names = |_: &str| MANIFESTS.iter().map(|&name| name.to_owned()).collect();
    let read = |_: &str| Ok(Some(text.to_owned()));
    let files = ManifestFiles { read: &read, names: &names };
    let project = Project::read_from_files(&["a/b.go".to_owned()], &files);
    let lines = text.lines().count() as u32;
    for package in project.packages.dependencies.iter().chain(&project.packages.defined) {
        assert!(!package.name.trim().is_empty() && package.line <= lines, "{package:?}");
    }
}

/// Extracts the facts of a text and checks their invariants.
fn extract_checked(language: &str, text: &[u8]) -> FileFacts {
    let facts = EXTRACTOR.with_borrow_mut(|extractor| extractor.extract_file(language, text));
    check_invariants(&facts, text.len());
    facts
}

/// Checks that the facts depend neither on earlier texts nor on incremental parsing.
fn check_incremental(extractor: &mut Extractor, language: &str, old: &[u8], new: &[u8], edit: &TreeEdit) {
    let from_scratch = extractor.extract_file(language, new);
    assert_eq!(
        from_scratch,
        Extractor::new().extract_file(language, new),
        "the facts depend on earlier texts"
    );
    let before = extractor.extract_with_tree(language, old, None);
    let Some(mut tree) = before.tree.filter(|_| before.reusable) else { return };
    edit.apply_to_tree(&mut tree);
    assert_eq!(
        from_scratch,
        extractor
            .extract_with_tree(
                language,
                new,
                Some(EditedTree { tree: &tree, recovery: ErrorRecovery::FromScratch })
            )
            .facts,
        "an incremental parse differs"
    );
    let incremental = extractor.extract_with_tree(
        language,
        new,
        Some(EditedTree { tree: &tree, recovery: ErrorRecovery::Incremental }),
    );
    if let Some(tree) = &incremental.tree
        && (!incremental.provisional || extractor.reproduces_tree(language, new, tree))
    {
        assert_eq!(from_scratch, incremental.facts, "a confirmed tree gives other facts");
    }
}

/// Checks that all spans are inside the text, and that scopes and parents are symbols of the file.
fn check_invariants(facts: &FileFacts, length: usize) {
    let is_scope = |scope: u32| scope == FILE_SCOPE || (scope as usize) < facts.symbols.len();
    for (at, symbol) in facts.symbols.iter().enumerate() {
        assert!(!symbol.name.is_empty());
        assert!(symbol.span.start <= symbol.span.end && symbol.span.end as usize <= length);
        assert!((symbol.name_span.start + symbol.name_span.len) as usize <= length);
        assert!(symbol.span.start_line <= symbol.span.end_line && symbol.span.end_line <= facts.lines);
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < at), "{symbol:?}");
    }
    for reference in &facts.references {
        assert!(is_scope(reference.scope) && (reference.at.start + reference.at.len) as usize <= length);
        assert!(!facts.strings.get(reference.name).is_empty());
    }
    assert!(facts.references.is_sorted_by_key(|reference| reference.at.start));
    assert!(facts.bindings.iter().all(|binding| is_scope(binding.scope) && (binding.at as usize) < length));
    assert!(facts.imports.iter().all(|import| is_scope(import.scope)));
    assert_eq!(facts.text.symbols.len(), facts.symbols.len());
}

/// The texts of files, by path.
type Texts<'a> = BTreeMap<String, &'a [u8]>;

/// Checks that changing one of two files incrementally gives the same graph as resolving both from
/// scratch, and that all edges connect existing symbols.
fn check_graph(language: &str, first: &[u8], second: &[u8], edited: &[u8]) {
    let language_entry = LanguageRegistry::get().find_by_id(language).expect("a language of the table");
    let first_path = language_entry.example_path("lib", "a");
    let second_path = language_entry.example_path("lib", "b");
    let mut texts: Texts = BTreeMap::from([(first_path.clone(), first), (second_path, second)]);
    let before = resolve_texts(language, &texts);
    texts.insert(first_path.clone(), edited);
    let edit = file_insertion(language, &first_path, edited);
    let (mut after, keys): (Snapshot, ChangedKeys) = before.with_files(vec![edit]);
    let mut to_resolve: BTreeSet<FileId> = after.files_affected_by(&keys).into_iter().collect();
    to_resolve.extend(after.file_by_path(&first_path));
    resolve_edges(language, &mut after, &texts, to_resolve);
    let full = resolve_texts(language, &texts);
    assert_eq!(after.source_root(), full.source_root(), "incremental and full resolution differ");
    for id in full.files().into_iter().flat_map(|file| full.file_symbols(file)) {
        for edge in full.out_edges(id) {
            assert!(full.symbol(edge.source).is_some() && full.symbol(edge.target).is_some(), "{edge:?}");
            assert!(edge.confidence > 0.0 && edge.confidence <= 1.0, "{edge:?}");
        }
    }
}

fn file_insertion(language: &str, path: &str, text: &[u8]) -> FileChange {
    FileChange::Put {
        path: path.to_owned(),
        content_hash: Hash::from_content(text),
        size: text.len() as u64,
        mtime_ns: 0,
        facts: Arc::new(extract_checked(language, text)),
    }
}

fn resolve_texts(language: &str, texts: &Texts) -> Snapshot {
    let changes = texts.iter().map(|(path, text)| file_insertion(language, path, text)).collect();
    let (mut snapshot, _) = Snapshot::empty().with_files(changes);
    let files = snapshot.files().into_iter().collect();
    resolve_edges(language, &mut snapshot, texts, files);
    snapshot
}

/// Resolves some files of a snapshot and stores their edges in it.
fn resolve_edges(language: &str, snapshot: &mut Snapshot, texts: &Texts, files: BTreeSet<FileId>) {
    let paths: Vec<String> = texts.keys().cloned().collect();
    let project = Project::read_manifests(&paths, &|_| Ok(None));
    let inputs: Vec<(FileId, Arc<FileFacts>)> = files
        .into_iter()
        .filter_map(|id| {
            let text = texts.get(snapshot.file(id)?.path)?;
            Some((id, Arc::new(extract_checked(language, text))))
        })
        .collect();
    let edges = resolve_files(snapshot, &project, &inputs);
    *snapshot = snapshot.with_edges(edges);
}
