//! `session-latency`: measures the latency and the memory of an open session of the built `kenning`
//! on a tree.

use anyhow::Context;
use bench::latency::{SessionWorkload, measure_session, to_csv, to_markdown};
use bench::session::AllowedServers;
use bench::speed::{describe_machine, last_two_names};
use clap::Parser;
use std::io::Write;
use std::path::PathBuf;

/// Time edits, hovers, lenses and packs of an open session of the built kenning
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure [default: kenning next to this program]
    #[arg(long, value_name = "FILE")]
    kenning: Option<PathBuf>,
    /// Also write the figures as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Number of edits in a file of about 2,000 lines
    #[arg(long, default_value_t = 1000)]
    edits: usize,
    /// Number of edits that are saved; the file gets its original text back at the end
    #[arg(long, default_value_t = 50)]
    saves: usize,
    /// Number of packs
    #[arg(long, default_value_t = 200)]
    packs: usize,
    /// Do not wait until the server has read the commits and the blame
    #[arg(long = "at-once")]
    skips_idle_wait: bool,
    /// Let Kenning start the language servers on PATH and ask them about the tree meanwhile
    #[arg(long)]
    servers: bool,
    /// The tree to open
    root: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let Arguments { kenning, csv: file, edits, saves, packs, skips_idle_wait, servers, root } =
        Arguments::parse();
    let kenning = match kenning {
        Some(path) => path,
        None => std::env::current_exe()?.with_file_name(format!("kenning{}", std::env::consts::EXE_SUFFIX)),
    };
    anyhow::ensure!(
        kenning.is_file(),
        "{} does not exist; run `cargo build --release` first",
        kenning.display()
    );
    let allowed_servers = if servers { AllowedServers::OnPath } else { AllowedServers::None };
    let measured = measure_session(
        &kenning,
        &root,
        SessionWorkload { edits, saves, packs, skips_idle_wait, servers: allowed_servers },
    )?;
    let at_once = if skips_idle_wait { " --at-once" } else { "" };
    let flags = if servers { format!("{at_once} --servers") } else { at_once.to_owned() };
    let command = format!(
        "session-latency --edits {edits} --saves {saves} --packs {packs}{flags} {}",
        last_two_names(&root)
    );
    let machine = describe_machine();
    if let Some(path) = file {
        std::fs::write(&path, to_csv(&measured, &command, &machine))
            .with_context(|| path.display().to_string())?;
    }
    std::io::stdout().write_all(to_markdown(&measured, &command, &machine).as_bytes())?;
    Ok(())
}
