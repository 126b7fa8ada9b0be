//! Baselines for the time that indexing takes: a bare parse of the same files, and ctags. They run
//! right before or after indexing, because the speed of a machine changes over time.

use crate::child::{Usage, run};
use anyhow::Context;
use kenning_indexing::languages::LanguageRegistry;
use kenning_indexing::walk::{WalkOptions, WalkedFile, content_skip_reason, walk_tree};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tree_sitter::Parser;

/// Measures a bare parse in a new process: `index-speed --parse-only ROOT`.
///
/// # Errors
/// Fails if the child cannot be started or fails.
pub fn run_bare_parse(root: &Path) -> anyhow::Result<Usage> {
    let mut command = Command::new(std::env::current_exe()?);
    Ok(run(command.arg("--parse-only").arg(root))?.1)
}

/// Measures `ctags -R` with its defaults. Returns `None` if ctags is not installed.
///
/// # Errors
/// Fails if ctags is installed and fails.
pub fn run_ctags(root: &Path) -> anyhow::Result<Option<Usage>> {
    if run(Command::new("ctags").arg("--version")).is_err() {
        return Ok(None);
    }
    let tags = tempfile::NamedTempFile::new()?;
    let mut command = Command::new("ctags");
    command.args(["--options=NONE", "-R", "-f"]).arg(tags.path()).arg(root);
    Ok(Some(run(&mut command)?.1))
}

/// Reads and parses every file that indexing reads, on all cores, and drops the trees. Returns the
/// number of bytes parsed.
///
/// # Errors
/// Fails if the tree cannot be walked or a file cannot be read.
pub fn parse_files(root: &Path) -> anyhow::Result<u64> {
    let candidate = |path: &str| LanguageRegistry::get().find_by_path(path).is_some();
    let files = walk_tree(root, &WalkOptions::new(&candidate))?.files;
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| parse_remaining(&files, &next))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).sum()
    })
}

/// Parses the files that no other thread has taken. Returns the number of bytes parsed.
fn parse_remaining(files: &[WalkedFile], next: &AtomicUsize) -> anyhow::Result<u64> {
    let candidate = |_: &str| true;
    let options = WalkOptions::new(&candidate);
    let mut parsers: HashMap<&str, Parser> = HashMap::new();
    let mut bytes = 0;
    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
        let text = std::fs::read(&file.absolute).with_context(|| file.path.clone())?;
        let Some(language) = LanguageRegistry::get().find_by_path(&file.path) else { continue };
        // Documents are not parsed with a grammar.
        if language.is_document() || content_skip_reason(&file.path, &text, &options).is_some() {
            continue;
        }
        if !parsers.contains_key(language.language_id()) {
            let mut parser = Parser::new();
            parser.set_language(&language.tree_sitter_language())?;
            parsers.insert(language.language_id(), parser);
        }
        if let Some(parser) = parsers.get_mut(language.language_id()) {
            parser.parse(&text, None);
        }
        bytes += text.len() as u64;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::parse_files;

    #[test]
    fn bare_parse_reads_the_same_files_as_indexing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &[u8]| {
            std::fs::write(folder.path().join(name), text).expect("writes the file");
        };
        write("a.py", b"def f(): pass\n");
        write("b.go", b"package b\n");
        write("c.bin", b"def");
        write("d.py", b"\0\0\0\0");
        assert_eq!(parse_files(folder.path()).expect("the files are parsed"), 14 + 10);
    }
}
