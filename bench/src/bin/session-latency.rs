//! `session-latency`: measures the times and the memory of an open session of the built `kenning`
//! on a tree.

use anyhow::Context;
use bench::latency::{Load, csv, markdown, measure};
use bench::session::Servers;
use bench::speed::{last, machine};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Time edits, hovers, lenses and packs of an open session of the built kenning
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure [default: kenning beside this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Also write the figures as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Number of edits in a file of about 2000 lines
    #[arg(long, default_value_t = 1000)]
    edits: usize,
    /// Number of edits that are saved; the file gets its original text back in the end
    #[arg(long, default_value_t = 50)]
    saves: usize,
    /// Number of packs
    #[arg(long, default_value_t = 200)]
    packs: usize,
    /// Do not wait until the commits and the blame are read
    #[arg(long)]
    at_once: bool,
    /// Let Kenning start the language servers on PATH, which are asked about the tree meanwhile
    #[arg(long)]
    servers: bool,
    /// The tree to open
    root: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Arguments { kenning, csv: file, edits, saves, packs, at_once, servers, root } = Arguments::parse();
    let kenning = match kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    anyhow::ensure!(
        kenning.is_file(),
        "{} is not there; run `cargo build --release` first",
        kenning.display()
    );
    let asked = if servers { Servers::Found } else { Servers::None };
    let measured = measure(&kenning, &root, Load { edits, saves, packs, at_once, servers: asked })?;
    let at_once = if at_once { " --at-once" } else { "" };
    let busy = if servers { format!("{at_once} --servers") } else { at_once.to_owned() };
    let command =
        format!("session-latency --edits {edits} --saves {saves} --packs {packs}{busy} {}", last(&root));
    let machine = machine();
    if let Some(path) = file {
        std::fs::write(&path, csv(&measured, &command, &machine))
            .with_context(|| path.display().to_string())?;
    }
    std::io::stdout().write_all(markdown(&measured, &command, &machine).as_bytes())?;
    Ok(())
}
