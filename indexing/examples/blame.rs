//! Prints the commit of each line of files, for comparison with `git blame`, and the time that each
//! file took.
//!
//! `cargo run --example blame -- FOLDER PATH...`

use kenning_graph::Hash;
use kenning_indexing::git::Blamer;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let mut arguments = std::env::args().skip(1);
    let Some(root) = arguments.next() else { return writeln!(out, "usage: blame FOLDER PATH...") };
    let root = Path::new(&root);
    let Some(mut blamer) = Blamer::open(root) else { return writeln!(out, "no repository") };
    for path in arguments {
        let started = Instant::now();
        let content = Hash::from_content(&std::fs::read(root.join(&path))?);
        match blamer.blame_file(&path, &content) {
            Ok(Some(blame)) => {
                for run in &blame.runs {
                    for line in run.first_line..run.first_line + run.line_count {
                        writeln!(out, "{path}:{} {}", line + 1, blame.commits[run.commit as usize].id)?;
                    }
                }
            }
            Ok(None) => writeln!(out, "{path}: not as committed")?,
            Err(error) => writeln!(out, "{path}: {error}")?,
        }
        writeln!(std::io::stderr(), "{path} {:?}", started.elapsed())?;
    }
    Ok(())
}
