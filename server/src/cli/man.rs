//! `kenning man`: the pages of the manual, one for each command.
//!
//! clap_mangen renders the declarations of the commands. The examples come from
//! `help_examples.toml`; exit status, environment and files from `manual.toml`.

use super::args::ManArgs;
use super::help_examples::list_examples;
use super::{Cli, output};
use crate::file_write::replace_file;
use crate::format::wording::render_quantity;
use crate::terminal::manual_viewer::show_manual_page;
use crate::terminal::standard_streams::StandardStream;
use anyhow::{Context, bail};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde::Deserialize;

/// A term with its explanation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManualEntry {
    name: String,
    text: String,
}

/// The texts of the pages that the declarations of the commands do not contain.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManualTexts {
    /// The exit status of every command.
    exit: Vec<ManualEntry>,
    /// The variables of the environment.
    variable: Vec<ManualEntry>,
    /// The files that Kenning reads and writes.
    file: Vec<ManualEntry>,
}

fn load_texts() -> ManualTexts {
    toml::from_str(include_str!("../../data/manual.toml")).expect("manual.toml is part of the program")
}

/// Shows a page in a terminal, prints it in roff elsewhere, or writes all pages into a folder.
pub fn run_man(args: &ManArgs) -> anyhow::Result<()> {
    let pages = list_pages();
    let Some(folder) = &args.out else {
        let name = [&["kenning".to_owned()], &args.command[..]].concat().join("-");
        let Some(page) = pages.iter().find(|page| page_name(page) == name) else {
            bail!("there is no command {}; kenning --help lists the commands", args.command.join(" "));
        };
        let text = render_page(page)?;
        if StandardStream::Output.is_terminal() && show_manual_page(&text)? {
            return Ok(());
        }
        return output::print_text(&text);
    };
    for page in &pages {
        let path = folder.join(Man::new(page.clone()).get_filename());
        let written = replace_file(&path, render_page(page)?.as_bytes());
        written.with_context(|| format!("{} cannot be written", path.display()))?;
    }
    output::print_text(&format!("Wrote {} to {}.\n", render_quantity(pages.len(), "page"), folder.display()))
}

/// Returns the name of the page of a command: `kenning-agents-install`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// Returns the commands that have a page: the program itself, then its visible commands.
fn list_pages() -> Vec<Command> {
    fn collect(command: &Command, pages: &mut Vec<Command>) {
        pages.push(command.clone());
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            collect(sub, pages);
        }
    }
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages);
    pages
}

fn render_page(command: &Command) -> anyhow::Result<String> {
    let name = page_name(command);
    let manual = format!("kenning {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(manual);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let (texts, is_overview) = (load_texts(), name == "kenning");
    let mut roff = Roff::new();
    let path = name.strip_prefix("kenning-").unwrap_or_default().replace('-', " ");
    let examples = list_examples(&path).iter();
    write_terms(&mut roff, "EXAMPLES", examples.map(|example| (example.run.as_str(), example.text.as_str())));
    let as_terms = |entries: &'_ [ManualEntry]| -> Vec<(String, String)> {
        entries.iter().map(|entry| (entry.name.clone(), entry.text.clone())).collect()
    };
    let mut sections = vec![("EXIT STATUS", as_terms(&texts.exit))];
    if is_overview {
        sections.push(("ENVIRONMENT", as_terms(&texts.variable)));
        sections.push(("FILES", as_terms(&texts.file)));
    }
    for (heading, terms) in &sections {
        write_terms(&mut roff, heading, terms.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    }
    if !is_overview {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold("kenning"), roman("(1), which describes the environment and the files")]);
    }
    Ok(String::from_utf8_lossy(&page).into_owned() + &roff.to_roff())
}

/// Writes a section of terms, or nothing if there are no terms.
fn write_terms<'t>(roff: &mut Roff, heading: &str, terms: impl Iterator<Item = (&'t str, &'t str)>) {
    for (at, (name, text)) in terms.enumerate() {
        if at == 0 {
            roff.control("SH", [heading]);
        }
        roff.control("TP", []);
        roff.text([bold(name)]);
        roff.text([roman(text)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pages_name_only_pages_that_exist() {
        let pages = list_pages();
        let names: BTreeSet<&str> = pages.iter().map(page_name).collect();
        assert!(names.contains("kenning") && names.contains("kenning-agents-install"), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("help") || name.contains("hook")), "{names:?}");
        for page in &pages {
            let text = render_page(page).unwrap().replace("\\-", "-");
            for word in text.split_whitespace() {
                if let Some(named) = word.strip_suffix("(1)") {
                    let named = named.trim_start_matches("\\fB").trim_end_matches("\\fR");
                    assert!(names.contains(named), "{named} in {}", page_name(page));
                }
            }
        }
    }

    #[test]
    fn every_page_has_its_sections() {
        for page in list_pages() {
            let text = render_page(&page).unwrap();
            let name = page_name(&page);
            let is_leaf = !page.has_subcommands();
            for (heading, is_expected) in [
                (".SH NAME", true),
                (".SH EXAMPLES", is_leaf),
                (".SH \"EXIT STATUS\"", true),
                (".SH ENVIRONMENT", name == "kenning"),
                (".SH FILES", name == "kenning"),
                (".SH \"SEE ALSO\"", name != "kenning"),
            ] {
                assert_eq!(text.contains(heading), is_expected, "{heading} in {name}");
            }
        }
    }
}
