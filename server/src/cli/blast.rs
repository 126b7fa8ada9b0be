//! `kenning blast`: what depends on a symbol.

use super::args::BlastArgs;
use super::{configuration, output, target, workspace};
use crate::format::blast::BlastJson;
use crate::format::symbol_locations::NoDocuments;
use crate::format::{OutputFormat, json};
use anyhow::Context;
use kenning_retrieval::features::{BlastOptions, TEST_HOPS, blast_radius};

/// Prints the blast radius of the symbol.
pub fn run_blast(args: &BlastArgs) -> anyhow::Result<()> {
    let workspace = workspace::open_for_answer(&args.symbols.workspace, args.symbols.refresh)?;
    let snapshot = workspace.current_snapshot();
    let found = target::find_targets(&workspace, &snapshot, &args.symbol)?;
    let usual = configuration::effective_config(workspace.root_path()).config.blast_radius.depth;
    let depth = args.depth.unwrap_or(usual.clamp(1, u32::from(TEST_HOPS)) as u8);
    let options = BlastOptions { depth, ..BlastOptions::default() };
    let blast = blast_radius(&snapshot, &found[..1], &options);
    let freshness = workspace::build_freshness(&workspace);
    let answer = BlastJson::new(&snapshot, &blast, &found[1..], &freshness, &NoDocuments);
    let answer = answer.context("the symbol is no longer in the index; run the command again")?;
    output::print_text(&match args.format {
        OutputFormat::Markdown => answer.render_markdown(),
        OutputFormat::Json => json::render_json(&answer)?,
    })
}
