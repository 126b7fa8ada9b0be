//! The examples in the help of each command and in its manual page, read from
//! `help_examples.toml`.

use super::args::Cli;
use super::help_layout::with_grouped_overview;
use clap::builder::StyledStr;
use clap::{Command, CommandFactory};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::LazyLock;

/// The examples of one command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandExamples {
    /// The command without `kenning`, as in `agents install`.
    command: String,
    examples: Vec<HelpExample>,
}

/// A command line with its effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelpExample {
    /// The line, for a shell.
    pub run: String,
    /// The effect of the command line.
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleTable {
    command: Vec<CommandExamples>,
}

static EXAMPLES: LazyLock<Vec<CommandExamples>> = LazyLock::new(|| {
    let table: ExampleTable = toml::from_str(include_str!("../../data/help_examples.toml"))
        .expect("help_examples.toml is part of the program");
    table.command
});

/// Returns the examples of a command, whose name is given without `kenning`. Empty if there are no
/// examples.
pub fn list_examples(command: &str) -> &'static [HelpExample] {
    EXAMPLES.iter().find(|entry| entry.command == command).map_or(&[], |entry| &entry.examples)
}

/// Returns the command line with the examples in the help of each command.
pub fn command_with_examples() -> Command {
    let overview = with_grouped_overview(Cli::command());
    EXAMPLES.iter().fold(overview, |command, entry| {
        let path: Vec<&str> = entry.command.split(' ').collect();
        add_help(command, &path, &entry.examples)
    })
}

fn add_help(command: Command, path: &[&str], examples: &[HelpExample]) -> Command {
    match path.split_first() {
        Some((name, rest)) if command.find_subcommand(name).is_some() => {
            command.mut_subcommand(name, |sub| add_help(sub, rest, examples))
        }
        _ => command.after_help(render_examples(examples)),
    }
}

/// Renders examples in the style of clap's own sections.
fn render_examples(examples: &[HelpExample]) -> StyledStr {
    let styles = clap::builder::styling::Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = StyledStr::new();
    let _ = write!(text, "{header}Examples:{header:#}");
    for HelpExample { run, text: purpose } in examples {
        let _ = write!(text, "\n  {literal}{run}{literal:#}\n          {purpose}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends the paths of the visible commands without subcommands to `found`.
    fn collect_leaf_commands(command: &Command, path: &str, found: &mut Vec<String>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            let path = format!("{path} {}", sub.get_name()).trim().to_owned();
            if sub.has_subcommands() { collect_leaf_commands(sub, &path, found) } else { found.push(path) }
        }
    }

    #[test]
    fn every_command_has_examples() {
        let mut commands = Vec::new();
        collect_leaf_commands(&Cli::command(), "", &mut commands);
        let without: Vec<&String> = commands.iter().filter(|path| list_examples(path).is_empty()).collect();
        assert!(without.is_empty(), "add examples to help_examples.toml: {without:?}");
        for entry in EXAMPLES.iter() {
            assert!(commands.contains(&entry.command), "there is no command {}", entry.command);
        }
    }

    #[test]
    fn every_example_is_a_valid_command_line() {
        for entry in EXAMPLES.iter() {
            for example in &entry.examples {
                let line = example.run.split(" | ").find(|part| part.contains("kenning ")).unwrap();
                let line = &line[line.find("kenning ").unwrap()..];
                let line = line.split([')', '>', '<']).next().unwrap();
                let words = shlex::split(line).unwrap();
                assert!(words[1..].join(" ").starts_with(&entry.command), "{}", example.run);
                let words = super::super::task_words::separate_task_words(
                    &mut Cli::command(),
                    words.into_iter().map(Into::into).collect(),
                );
                let parsed = Cli::command().try_get_matches_from(words);
                assert!(parsed.is_ok(), "{}: {}", example.run, parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn the_help_ends_with_the_examples() {
        let mut command = command_with_examples();
        let pack = command.find_subcommand_mut("pack").unwrap();
        let help = pack.render_help().to_string();
        assert!(help.contains("\nExamples:\n  kenning pack "), "{help}");
        let install = command.find_subcommand_mut("agents").unwrap().find_subcommand_mut("install").unwrap();
        assert!(install.render_help().to_string().contains("Examples:"));
    }
}
