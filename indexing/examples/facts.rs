//! Prints the facts of files and of all files in folders: `cargo run --example facts -- PATH...`.
//! With `--time`, prints only the speed.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let prints_only_speed = arguments.iter().any(|argument| argument == "--time");
    let mut files = Vec::new();
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        collect_files(Path::new(path), &mut files)?;
    }
    files.sort();
    let mut extractor = Extractor::new();
    let (mut bytes, mut symbols, mut references, mut errors) = (0, 0, 0, 0);
    let start = Instant::now();
    let mut slowest = (0.0, PathBuf::new());
    for path in files {
        let content = std::fs::read(&path)?;
        let Some(language) = LanguageRegistry::get().find_by_file(&path, &content) else { continue };
        let file_start = Instant::now();
        let facts = extractor.extract_file(language.language_id(), &content);
        let seconds = file_start.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, path.clone());
        }
        bytes += content.len();
        symbols += facts.symbols.len();
        references += facts.references.len();
        errors += usize::from(facts.quality.syntax_errors);
        if facts.quality.abandoned {
            println!("abandoned: {}", path.display());
        }
        if !prints_only_speed {
            println!("{}", kenning_indexing::extract::render_facts(&facts));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    println!("{megabytes:.2} MB in {seconds:.2} s: {:.2} MB/s", megabytes / seconds);
    println!("{symbols} symbols, {references} references, {errors} files with syntax errors");
    println!("slowest: {:.3} s {}", slowest.0, slowest.1.display());
    Ok(())
}

fn collect_files(path: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            collect_files(&entry?.path(), out)?;
        }
    } else {
        out.push(path.to_owned());
    }
    Ok(())
}
