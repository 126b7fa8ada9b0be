//! `judged`: compares the calls of enriched workspaces with the verdicts of language servers.

use anyhow::Context;
use bench::judged::{Judged, Said, Text, judge};
use clap::Parser;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// Count the calls of enriched workspaces by what their texts and their language servers say
#[derive(Debug, Parser)]
struct Arguments {
    /// Print each call that the text resolved and for which the server has another target
    #[arg(long)]
    list: bool,
    /// Also write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Workspaces and the indexes that `kenning enrich --db INDEX WORKSPACE` filled:
    /// WORKSPACE=INDEX
    #[arg(required = true, value_name = "WORKSPACE=INDEX", value_parser = pair)]
    workspaces: Vec<(PathBuf, PathBuf)>,
}

fn pair(text: &str) -> Result<(PathBuf, PathBuf), String> {
    let (root, index) = text.split_once('=').ok_or("expected WORKSPACE=INDEX")?;
    Ok((root.into(), index.into()))
}

const HEAD: &str = "repo,calls_before,calls_after,calls_confirmed,inside_same,inside_other,inside_outside,inside_local,\
inside_nothing,precision,outside_outside,outside_inside,open_same,open_other,open_outside,silent_inside,silent_outside";

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut table = format!("{HEAD}\n");
    let mut out = std::io::stdout();
    for (root, index) in &arguments.workspaces {
        let judged = judge(root, index)?;
        let repo = root.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(table, "{}", row(&repo, &judged));
        if arguments.list {
            for difference in &judged.differences {
                writeln!(out, "{repo}/{difference}")?;
            }
        }
    }
    if let Some(path) = &arguments.csv {
        std::fs::write(path, &table).with_context(|| path.display().to_string())?;
    }
    out.write_all(table.as_bytes())?;
    Ok(())
}

fn row(repo: &str, judged: &Judged) -> String {
    let of = |text: Text, said: Said| judged.counts.get(&(text, said)).copied().unwrap_or(0).to_string();
    let inside = [Said::Same, Said::Other, Said::Outside, Said::Local, Said::Nothing];
    let mut cells = vec![
        repo.to_owned(),
        judged.before.to_string(),
        judged.after.to_string(),
        judged.confirmed.to_string(),
    ];
    cells.extend(inside.map(|said| of(Text::Inside, said)));
    cells.push(judged.precision().map_or_else(String::new, |precision| format!("{precision:.4}")));
    cells.extend([of(Text::Outside, Said::Outside), of(Text::Outside, Said::Other)]);
    cells.extend([Said::Same, Said::Other, Said::Outside].map(|said| of(Text::Open, said)));
    cells.extend([of(Text::Silent, Said::Other), of(Text::Silent, Said::Outside)]);
    cells.join(",")
}
