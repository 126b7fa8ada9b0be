//! Checks that incremental indexing equals a fresh index, with realistic edits of real
//! repositories.
//!
//! By default, edits a part of this repository. `KENNING_REPOSITORIES` names others, separated by
//! `:`; `KENNING_STEPS` sets the number of edits in each, and `KENNING_SEED` selects another
//! sequence of edits.

use kenning_graph::{Hash, Snapshot};
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::{WalkOptions, content_skip_reason, walk_tree};
use kenning_indexing::workspace::{NoProgress, Workspace, WorkspaceOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// File names of the manifests that edits change.
const MANIFESTS: &[&str] = &["go.mod", "package.json", "tsconfig.json", "Cargo.toml", "pyproject.toml"];
/// Words that precede the name of a definition.
const DEFINERS: &[&str] = &[
    "def",
    "class",
    "func",
    "fn",
    "function",
    "interface",
    "struct",
    "trait",
    "module",
    "type",
    "void",
    "const",
];

/// The contents of files by path.
type FileTree = BTreeMap<String, Vec<u8>>;

/// A deterministic random number generator (SplitMix64; Steele, Lea, Flood 2014).
struct RandomNumbers(u64);

impl RandomNumbers {
    /// Returns a number below `bound`.
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    fn pick_item<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let at = self.next_below(items.len());
        items.get(at)
    }
}

/// A copy of a real repository, with its current tree and earlier trees.
struct TestRepository {
    folder: tempfile::TempDir,
    tree: FileTree,
    earlier: Vec<FileTree>,
    numbers: RandomNumbers,
}

fn is_manifest(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| MANIFESTS.contains(&name))
}

impl TestRepository {
    /// Copies the sources and manifests of a repository whose paths have one of these prefixes.
    fn copy_sources(root: &Path, prefixes: &[&str], seed: u64) -> Self {
        let is_candidate = |path: &str| {
            let is_selected = prefixes.is_empty() || prefixes.iter().any(|prefix| path.starts_with(prefix));
            is_selected && (is_manifest(path) || LanguageRegistry::get().find_by_path(path).is_some())
        };
        let walk = walk_tree(root, &WalkOptions::new(&is_candidate)).expect("walked");
        let read = |path: &Path| std::fs::read(path).expect("read");
        let tree: FileTree = walk.files.into_iter().map(|file| (file.path, read(&file.absolute))).collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut repository =
            Self { folder, tree: FileTree::new(), earlier: vec![tree.clone()], numbers: RandomNumbers(seed) };
        std::fs::create_dir(repository.root()).expect("made");
        repository.write_tree(tree);
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Replaces the tree on disk with `tree`. Writes only files that differ.
    fn write_tree(&mut self, tree: FileTree) {
        let root = self.root();
        for path in self.tree.keys().filter(|path| !tree.contains_key(*path)) {
            std::fs::remove_file(root.join(path)).expect("removed");
        }
        for (path, bytes) in tree.iter().filter(|(path, bytes)| self.tree.get(*path) != Some(*bytes)) {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, bytes).expect("written");
        }
        self.tree = tree;
    }

    /// Returns the path and text of a random file whose path satisfies a condition.
    fn pick_file(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<(String, String)> {
        let paths: Vec<&String> = self.tree.keys().filter(|path| is_wanted(path)).collect();
        let path = self.numbers.pick_item(&paths).map(|path| (*path).clone())?;
        let text = String::from_utf8_lossy(&self.tree[&path]).into_owned();
        Some((path, text))
    }

    /// Returns a random line that satisfies a condition, from a random source file with the
    /// extension of `path`.
    fn pick_line(&mut self, path: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<String> {
        let extension = path.rsplit('.').next().unwrap_or("");
        let paths: Vec<String> = self.tree.keys().filter(|path| path.ends_with(extension)).cloned().collect();
        for _ in 0..5 {
            let path = self.numbers.pick_item(&paths)?;
            let text = String::from_utf8_lossy(&self.tree[path]).into_owned();
            let lines: Vec<&str> = text.lines().filter(|line| is_wanted(line)).collect();
            if let Some(line) = self.numbers.pick_item(&lines) {
                return Some((*line).to_owned());
            }
        }
        None
    }

    /// Makes one edit and returns its description.
    fn make_edit(&mut self, step: usize) -> String {
        let mut tree = self.tree.clone();
        let description = self.apply_random_change(&mut tree, step).unwrap_or_else(|| "nothing".to_owned());
        if step.is_multiple_of(4) {
            self.earlier.push(self.tree.clone());
        }
        self.write_tree(tree);
        description
    }

    fn apply_random_change(&mut self, tree: &mut FileTree, step: usize) -> Option<String> {
        let (path, text) = self.pick_file(|path| !is_manifest(path))?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = self.numbers.next_below(lines.len());
        let (description, text) = match self.numbers.next_below(15) {
            0 | 1 => {
                let name = self.pick_defined_name(&text)?;
                ("renames a definition", replace_word(&text, &name, &format!("{name}{step}")))
            }
            2 => {
                let name = self.pick_defined_name(&text)?;
                for bytes in tree.values_mut() {
                    let text = String::from_utf8_lossy(bytes).into_owned();
                    if text.contains(&name) {
                        *bytes = replace_word(&text, &name, &format!("{name}{step}")).into_bytes();
                    }
                }
                return Some(format!("renames {name} everywhere"));
            }
            3 => {
                let end = (at + 1 + self.numbers.next_below(20)).min(lines.len());
                lines.drain(at.min(end)..end);
                ("deletes lines", lines.join("\n"))
            }
            4 | 5 => {
                let line = self.pick_line(&path, &|line| line.contains('('))?;
                lines.insert(at, line);
                ("adds a call", lines.join("\n"))
            }
            6 | 7 => {
                let is_import = |line: &str| {
                    ["import ", "from ", "use ", "require", "using "]
                        .iter()
                        .any(|start| line.starts_with(start))
                };
                let other = self.pick_line(&path, &is_import)?;
                let index = lines.iter().position(|line| is_import(line)).unwrap_or(0);
                if step.is_multiple_of(2) && index < lines.len() {
                    lines[index] = other;
                } else {
                    lines.insert(index, other);
                }
                ("changes an import", lines.join("\n"))
            }
            8 => {
                let is_class = |line: &str| {
                    line.contains("class ") || line.contains("struct ") || line.contains("impl ")
                };
                let other = self.pick_line(&path, &is_class)?;
                let base = other
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .rfind(|word| word.len() > 2)?
                    .to_owned();
                let index = lines.iter().position(|line| is_class(line))?;
                let name = lines[index]
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .rfind(|word| word.len() > 2)?;
                lines[index] = replace_word(&lines[index], name, &base);
                ("changes a base", lines.join("\n"))
            }
            9 => return self.move_or_delete(tree, &path, step),
            10 => return self.change_manifest(tree, step),
            11 => match step % 3 {
                0 => ("adds white space", format!("\n\n{text}\n")),
                1 => ("changes the line ends", text.replace('\n', ["\r\n", "\r"][step % 2])),
                _ => ("indents", lines.join(" \n") + " \n"),
            },
            12 => {
                let broken = ["{((", "\"\"\"", "*/", "}", "<<<<<<< HEAD", "'"][self.numbers.next_below(6)];
                lines.insert(at, broken.to_owned());
                ("breaks the syntax", lines.join("\n"))
            }
            13 => ("deletes half of", text.chars().take(text.chars().count() / 2).collect()),
            _ => {
                let other = self.numbers.next_below(self.earlier.len());
                tree.clone_from(&self.earlier[other]);
                return Some(format!("switches to tree {other}"));
            }
        };
        tree.insert(path.clone(), text.into_bytes());
        Some(format!("{description} {path}"))
    }

    /// Returns the name of a random definition in a text.
    fn pick_defined_name(&mut self, text: &str) -> Option<String> {
        let words: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|word| !word.is_empty())
            .collect();
        let is_definition =
            |pair: &&[&str]| DEFINERS.contains(&pair[0]) && pair[1].len() > 2 && !DEFINERS.contains(&pair[1]);
        let names: Vec<&str> = words.windows(2).filter(is_definition).map(|pair| pair[1]).collect();
        self.numbers.pick_item(&names).map(|name| (*name).to_owned())
    }

    /// Deletes a file, moves it, or moves the folder that it is in.
    fn move_or_delete(&mut self, tree: &mut FileTree, path: &str, step: usize) -> Option<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match step % 3 {
            0 => {
                tree.remove(path)?;
                Some(format!("deletes {path}"))
            }
            1 => {
                let paths: Vec<String> = tree.keys().cloned().collect();
                let other = self
                    .numbers
                    .pick_item(&paths)?
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder)
                    .to_owned();
                let name = path.rsplit('/').next()?;
                let target = format!("{other}/moved{step}_{name}").trim_start_matches('/').to_owned();
                let bytes = tree.remove(path)?;
                tree.insert(target.clone(), bytes);
                Some(format!("moves {path} to {target}"))
            }
            _ if folder.is_empty() => None,
            _ => {
                let inside = format!("{folder}/");
                let paths: Vec<String> =
                    tree.keys().filter(|path| path.starts_with(&inside)).cloned().collect();
                for path in paths {
                    let bytes = tree.remove(&path)?;
                    tree.insert(format!("{folder}_{step}/{}", &path[inside.len()..]), bytes);
                }
                Some(format!("moves the folder {folder}"))
            }
        }
    }

    fn change_manifest(&mut self, tree: &mut FileTree, step: usize) -> Option<String> {
        let (path, text) = self.pick_file(is_manifest)?;
        match step % 4 {
            0 => {
                tree.remove(&path)?;
                Some(format!("deletes {path}"))
            }
            1 => {
                let half = text.chars().take(text.chars().count() / 2).collect::<String>();
                tree.insert(path.clone(), half.into_bytes());
                Some(format!("breaks {path}"))
            }
            2 => {
                let paths: Vec<String> = tree.keys().cloned().collect();
                let folder =
                    self.numbers.pick_item(&paths)?.rsplit_once('/').map_or("", |(folder, _)| folder);
                let target =
                    format!("{folder}/{}", path.rsplit('/').next()?).trim_start_matches('/').to_owned();
                tree.insert(target.clone(), text.into_bytes());
                Some(format!("copies {path} to {target}"))
            }
            _ => {
                let words: Vec<&str> = text
                    .split(|c: char| !(c.is_alphanumeric() || "-_./".contains(c)))
                    .filter(|word| word.len() > 2)
                    .collect();
                let word = (*self.numbers.pick_item(&words)?).to_owned();
                tree.insert(path.clone(), text.replacen(&word, &format!("{word}x"), 1).into_bytes());
                Some(format!("changes {word} in {path}"))
            }
        }
    }

    fn open_workspace(&self, database: &str) -> Workspace {
        let db = Some(self.folder.path().join(database).join("graph.db"));
        Workspace::open(&self.root(), WorkspaceOptions { db, ..WorkspaceOptions::default() }).expect("opens")
    }

    /// Returns the graph of a fresh index.
    fn fresh_snapshot(&self) -> Snapshot {
        let mut workspace = self.open_workspace("fresh");
        workspace.refresh_all(&NoProgress).expect("indexed");
        let snapshot = workspace.current_snapshot();
        drop(workspace);
        std::fs::remove_dir_all(self.folder.path().join("fresh")).expect("removed");
        snapshot
    }

    /// Returns the number of files with contents that were not read before, and the number of
    /// distinct contents among them. Marks these contents as read.
    fn mark_new_contents(&self, seen: &mut BTreeSet<(String, Hash)>) -> (usize, usize) {
        let any = |_: &str| true;
        let options = WalkOptions::new(&any);
        let mut new = Vec::new();
        for (path, bytes) in &self.tree {
            let Some(language) = LanguageRegistry::get().find_by_path(path) else { continue };
            let content = (language.language_id().to_owned(), Hash::from_content(bytes));
            if content_skip_reason(path, bytes, &options).is_none() && !seen.contains(&content) {
                new.push(content);
            }
        }
        let files = new.len();
        let distinct = new.into_iter().collect::<BTreeSet<_>>();
        let count = distinct.len();
        seen.extend(distinct);
        (files, count)
    }
}

fn replace_word(text: &str, word: &str, replacement: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut from) = (String::new(), 0);
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        if at >= from && !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part) {
            out.push_str(&text[from..at]);
            out.push_str(replacement);
            from = end;
        }
    }
    out + &text[from..]
}

/// Returns the first few edges that only one of two graphs has, as text.
fn describe_difference(incremental: &Snapshot, fresh: &Snapshot) -> String {
    let edges = |snapshot: &Snapshot| -> BTreeSet<String> {
        let name = |id| snapshot.symbol(id).map(|symbol| symbol.qualified_name()).unwrap_or_default();
        let symbols = snapshot.files().into_iter().flat_map(|file| snapshot.file_symbols(file));
        let edges = symbols.flat_map(|id| snapshot.out_edges(id));
        edges
            .map(|edge| {
                let (source, target) = (name(edge.source), name(edge.target));
                format!("{} {source} -> {target} {:.2}", edge.kind, edge.confidence)
            })
            .collect()
    };
    let (incremental, fresh) = (edges(incremental), edges(fresh));
    let only = |mark: &str, edges: &BTreeSet<String>, others: &BTreeSet<String>| -> String {
        edges.difference(others).take(8).flat_map(|edge| [mark, " ", edge, "\n"]).collect()
    };
    only("only incremental:", &incremental, &fresh) + &only("only fresh:", &fresh, &incremental)
}

/// Makes `steps` edits and compares the graph with that of a fresh index after each.
fn check_edits(mut repository: TestRepository, steps: usize, name: &str) {
    let mut workspace = repository.open_workspace("kept");
    workspace.refresh_all(&NoProgress).expect("indexed");
    let mut seen = BTreeSet::new();
    repository.mark_new_contents(&mut seen);
    let mut edits = Vec::new();
    for step in 0..steps {
        let description = repository.make_edit(step);
        if step % 7 == 6 {
            // The next process reopens the workspace like this. Its graph must be the same.
            drop(workspace);
            workspace = repository.open_workspace("kept");
        }
        let report = match workspace.refresh_all(&NoProgress) {
            Ok(report) => report,
            Err(error) => panic!("{name}, step {step}, {description}: {error}"),
        };
        let (files, distinct) = repository.mark_new_contents(&mut seen);
        assert!(
            (distinct..=files).contains(&report.parsed),
            "{name}, step {step}, {description}: {} parsed where {files} files have {distinct} new contents",
            report.parsed
        );
        let fresh = repository.fresh_snapshot();
        let same = workspace.current_snapshot().source_root() == fresh.source_root();
        edits.push(description);
        assert!(
            same,
            "{name}, step {step}: {edits:#?}\n{}",
            describe_difference(&workspace.current_snapshot(), &fresh)
        );
    }
}

#[test]
fn incremental_indexing_of_real_edits_equals_a_fresh_index() {
    let read_number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seed = read_number("KENNING_SEED").unwrap_or(1);
    if let Ok(repositories) = std::env::var("KENNING_REPOSITORIES") {
        for root in std::env::split_paths(&repositories) {
            let name = root.display().to_string();
            check_edits(
                TestRepository::copy_sources(&root, &[], seed),
                read_number("KENNING_STEPS").unwrap_or(30) as usize,
                &name,
            );
        }
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let prefixes = ["Cargo.toml", "graph/Cargo.toml", "graph/src/snapshot", "tests/clients", "bench"];
    check_edits(
        TestRepository::copy_sources(root, &prefixes, seed),
        read_number("KENNING_STEPS").unwrap_or(12) as usize,
        "this repository",
    );
}
