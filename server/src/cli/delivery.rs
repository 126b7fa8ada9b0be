//! Delivers an answer: to the terminal in a form for people, or in its plain form to a pipe, a file
//! or the clipboard.

use super::args::{DeliveryArgs, FormatArgs, TerminalArgs};
use super::output;
use crate::file_write::replace_file;
use crate::format::wording::{group_digits, render_quantity};
use crate::format::{OutputFormat, RenderedPack, json};
use crate::terminal::clipboard::copy_text;
use crate::terminal::markdown_view::render_markdown;
use crate::terminal::pager::{PagerCommand, PagerOutcome};
use crate::terminal::path_names::PathNames;
use crate::terminal::report_text::ReportText;
use crate::terminal::screen::Screen;
use crate::terminal::standard_streams::{StandardStream, escape_unknown_codes};
use anyhow::{Context, bail};
use kenning_retrieval::pack::escape_control_chars;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;

/// The choices of the user for the standard output of this process.
static TERMINAL_CHOICES: OnceLock<TerminalArgs> = OnceLock::new();

/// Sets the choices of the user. Only the first call has an effect.
pub fn choose_terminal(choices: TerminalArgs) {
    let _ = TERMINAL_CHOICES.set(choices);
}

/// The forms of an answer.
pub struct AnswerForms<'a> {
    /// The form for pipes, files and the clipboard.
    pub plain: RenderedPack,
    /// The paths of its files in the workspace, the most important first.
    pub paths: Vec<&'a str>,
    /// Renders the form for a terminal; `None` if the user has chosen a format.
    pub on_screen: Option<&'a dyn Fn(&Screen) -> String>,
}

/// Delivers an answer about the workspace at `root` to the destination that the arguments name.
pub fn deliver_answer(root: &Path, args: &DeliveryArgs, forms: AnswerForms<'_>) -> anyhow::Result<()> {
    if args.paths_only {
        return deliver_paths(root, args, &forms.paths);
    }
    if args.output.is_some() || args.copy {
        return store_answer(root, args, &forms.plain);
    }
    match (forms.on_screen, find_screen(root)) {
        (Some(render), Some(screen)) => show_text(&render(&screen), &screen),
        _ => output::print_pack(&forms.plain),
    }
}

/// Prints a report about the workspace at `root`: as JSON, as plain text, or in a terminal as the
/// text that `on_screen` returns.
pub fn print_report(
    root: &Path,
    format: FormatArgs,
    report: &impl Serialize,
    plain: impl FnOnce() -> String,
    on_screen: impl FnOnce(&Screen) -> String,
) -> anyhow::Result<()> {
    match (format.chosen_format(), find_screen(root).filter(|_| !format.is_explicit())) {
        (OutputFormat::Json, _) => output::print_text(&json::render_json(report)?),
        (OutputFormat::Markdown, None) => output::print_text(&plain()),
        (OutputFormat::Markdown, Some(screen)) => show_text(&on_screen(&screen), &screen),
    }
}

/// Prints a report of a few sentences: as JSON, as plain text, or in a terminal with styles.
pub fn print_sentences(
    root: &Path,
    format: FormatArgs,
    report: &impl Serialize,
    text: &ReportText,
) -> anyhow::Result<()> {
    print_report(root, format, report, || text.to_plain(), |screen| text.render(screen))
}

/// Prints the outcome of a command that has no JSON form.
pub fn print_outcome(root: &Path, text: &ReportText) -> anyhow::Result<()> {
    match find_screen(root) {
        Some(screen) => show_text(&text.render(&screen), &screen),
        None => output::print_text(&text.to_plain()),
    }
}

/// Prints a report that is Markdown.
pub fn print_markdown(
    root: &Path,
    format: FormatArgs,
    report: &impl Serialize,
    markdown: impl Fn() -> String,
) -> anyhow::Result<()> {
    print_report(root, format, report, &markdown, |screen| render_markdown(&markdown(), screen))
}

/// Returns the screen behind standard output, if answers are shown to a person.
pub fn find_screen(root: &Path) -> Option<Screen> {
    let color = TERMINAL_CHOICES.get().map_or(clap::ColorChoice::Auto, |choices| choices.color);
    Screen::behind_stdout(color, root)
}

/// Shows a text on a screen, page by page if it is longer than the screen.
pub fn show_text(text: &str, screen: &Screen) -> anyhow::Result<()> {
    let may_page =
        TERMINAL_CHOICES.get().is_some_and(|choices| !choices.no_pager) && std::io::stdin().is_terminal();
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if may_page && !is_dumb && StandardStream::Output.is_terminal() && screen.is_longer_than_screen(text) {
        let variable = |name: &str| std::env::var(name).ok();
        if let Some(pager) = PagerCommand::choose(variable) {
            match pager.show_text(&escape_unknown_codes(text), screen.workspace_root()) {
                Ok(PagerOutcome::Shown) => return Ok(()),
                Ok(PagerOutcome::NotInstalled) => {}
                Err(error) => {
                    let program = pager.program();
                    output::print_warning(&format!("the pager {program} cannot be started: {error}"));
                }
            }
        }
    }
    output::print_screen_text(text)
}

fn deliver_paths(root: &Path, args: &DeliveryArgs, paths: &[&str]) -> anyhow::Result<()> {
    let names = PathNames::for_current_folder(root);
    let mut seen = BTreeSet::new();
    let paths: Vec<&str> = paths.iter().copied().filter(|path| seen.insert(*path)).collect();
    let screen = find_screen(root).filter(|_| args.output.is_none() && !args.copy);
    let line = |path: &&str| match &screen {
        Some(screen) => screen.link_place(path, None),
        None => escape_control_chars(&names.usable_path(path)).into_owned(),
    };
    let text: String = paths.iter().map(|path| line(path) + "\n").collect();
    if args.output.is_some() || args.copy {
        return store_answer(root, args, &RenderedPack::Text(text));
    }
    if screen.is_some() { output::print_screen_text(&text) } else { output::print_text(&text) }
}

/// Writes an answer to the file and to the clipboard that the arguments name.
fn store_answer(root: &Path, args: &DeliveryArgs, answer: &RenderedPack) -> anyhow::Result<()> {
    let bytes = match answer {
        RenderedPack::Text(text) => text.as_bytes(),
        RenderedPack::Bytes(bytes) => bytes,
    };
    if args.output.as_deref() == Some(Path::new("-")) {
        output::print_pack(answer)?;
    } else if let Some(path) = &args.output {
        replace_file(path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
        output::print_note(&format!("wrote {} bytes to {}", group_digits(bytes.len()), path.display()));
    }
    if args.copy {
        let RenderedPack::Text(text) = answer else {
            bail!(
                "the format gcb is bytes, which the clipboard cannot hold; choose --format gcf, or use -o FILE"
            );
        };
        let program = copy_text(text, root)?;
        let lines = render_quantity(text.lines().count(), "line");
        output::print_note(&format!("copied {lines} to the clipboard (through {program})"));
    }
    Ok(())
}
