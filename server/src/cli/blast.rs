//! `kenning blast`: the dependents of a symbol.

use super::args::BlastArgs;
use super::delivery::{AnswerForms, deliver_answer};
use super::{configuration, target, workspace};
use crate::format::blast::{BlastJson, MAX_LISTED};
use crate::format::package_uses::list_package_uses;
use crate::format::ripple::list_ripple;
use crate::format::symbol_locations::NoDocuments;
use crate::format::user_tree::render_user_tree;
use crate::format::{OutputFormat, RenderedPack, json};
use crate::symbol_names::TargetSymbols;
use crate::terminal::Screen;
use anyhow::Context;
use kenning_retrieval::features::{BlastOptions, MAX_HOPS, blast_radius};

/// Prints the blast radius of the symbol.
pub fn run_blast(args: &BlastArgs) -> anyhow::Result<()> {
    let opened = workspace::open_for_answer(&args.symbols.workspace, &args.symbols.refresh)?;
    let snapshot = opened.current_snapshot();
    let TargetSymbols { symbols, alternatives } = target::find_targets(&opened, &snapshot, &args.symbol)?;
    let config = configuration::effective_config(opened.root_path()).config;
    let default_depth = config.blast_radius.depth;
    let depth = args.depth.unwrap_or(default_depth.clamp(1, u32::from(MAX_HOPS)) as u8);
    let options = BlastOptions { depth, ..BlastOptions::default() };
    let blast = blast_radius(&snapshot, &symbols, &options);
    let freshness = workspace::build_freshness(&opened);
    let history = workspace::load_history(&opened, &config)?;
    let answer = BlastJson::new(&snapshot, &blast, &alternatives, &freshness, &NoDocuments);
    let mut answer = answer.context("the symbol is no longer in the index; run the command again")?;
    answer.ripple = list_ripple(&snapshot, history.as_ref(), &symbols);
    answer.package = list_package_uses(&snapshot, &opened.current_project().packages, symbols[0]);
    let plain = match args.format.chosen_format() {
        OutputFormat::Markdown if args.tree => {
            render_user_tree(&snapshot, &answer, args.depth.unwrap_or(1), &Screen::plain())
        }
        OutputFormat::Markdown => answer.render_markdown(MAX_LISTED),
        OutputFormat::Json => json::render_json(&answer)?,
    };
    let on_screen = |screen: &Screen| {
        if args.tree {
            render_user_tree(&snapshot, &answer, args.depth.unwrap_or(1), screen)
        } else {
            answer.render_screen(screen)
        }
    };
    let forms = AnswerForms {
        plain: RenderedPack::Text(plain),
        paths: answer.user_files(),
        on_screen: (!args.format.is_explicit()).then_some(&on_screen),
    };
    deliver_answer(opened.root_path(), &args.delivery, forms)
}
