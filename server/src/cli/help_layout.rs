//! The layout of help: the overview of all commands in groups, and lines that fit the terminal.
//!
//! clap lists the commands of a program in one list and does not wrap. The overview is therefore
//! a template made from `help_groups.toml` and the declarations of the commands, and the rendered
//! help is wrapped before it is printed.

use super::help_examples::list_examples;
use clap::Command;
use clap::builder::StyledStr;
use console::measure_text_width;
use serde::Deserialize;
use std::fmt::Write;

/// The place of the documentation, at the end of the overview.
const DOCUMENTATION: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/tree/main/docs");

/// The maximum width of help. Longer lines are hard to read on a wide terminal.
const MAX_WIDTH: usize = 120;

/// The largest indent of a continued line, as a share of the width. With a larger one, the text
/// would be a narrow column at the right.
const MAX_INDENT_SHARE: usize = 2;

/// A group of commands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandGroup {
    title: String,
    commands: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupTable {
    group: Vec<CommandGroup>,
}

fn load_groups() -> Vec<CommandGroup> {
    let table: GroupTable = toml::from_str(include_str!("../../data/help_groups.toml"))
        .expect("help_groups.toml is part of the program");
    table.group
}

/// Returns the command line with an overview in groups.
pub fn with_grouped_overview(command: Command) -> Command {
    let template = render_template(&command);
    command.help_template(template)
}

/// Renders the template of the overview: purpose, example, usage, groups, options, documentation.
fn render_template(command: &Command) -> StyledStr {
    let styles = clap::builder::styling::Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let groups = load_groups();
    let longest = groups.iter().flat_map(|group| &group.commands).map(String::len).max().unwrap_or(0);
    let mut text = StyledStr::new();
    let _ = writeln!(text, "{{about-with-newline}}\n{header}Example:{header:#}");
    if let Some(example) = list_examples("pack").first() {
        let _ = writeln!(text, "  {literal}{}{literal:#}\n          {}", example.run, example.text);
    }
    let _ = writeln!(text, "\n{{usage-heading}} {{usage}}");
    for group in &groups {
        let _ = writeln!(text, "\n{header}{}:{header:#}", group.title);
        for name in &group.commands {
            let about = match command.find_subcommand(name).and_then(Command::get_about) {
                Some(about) => about.to_string(),
                // clap adds this command when it builds the others.
                None => "Print the help of a command".to_owned(),
            };
            let gap = " ".repeat(longest - name.len());
            let _ = writeln!(text, "  {literal}{name}{literal:#}{gap}  {about}");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}");
    let _ = write!(text, "\n\n{header}Documentation:{header:#}\n  {DOCUMENTATION}");
    text
}

/// Wraps help, which may have styles, for a terminal with this number of columns.
pub fn wrap_help(text: &str, columns: usize) -> String {
    let width = columns.min(MAX_WIDTH);
    text.split_inclusive('\n').map(|line| wrap_line(line, width)).collect()
}

/// Wraps a line at its blanks. Further lines begin below the description of an option or a command,
/// and else below the line's own text.
fn wrap_line(line: &str, width: usize) -> String {
    let content = line.trim_end_matches('\n');
    if measure_text_width(content) <= width {
        return line.to_owned();
    }
    let indent = find_indent(content);
    let indent = if indent > width / MAX_INDENT_SHARE { leading_blanks(content) } else { indent };
    let (mut out, mut column) = (String::new(), 0);
    for (at, word) in content.split(' ').enumerate() {
        let length = measure_text_width(word);
        if at > 0 && length > 0 && column > indent && column + 1 + length > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push_str(&line[content.len()..]);
    out
}

/// Returns the column where the description of a line begins: after the first wide gap behind its
/// term.
fn find_indent(line: &str) -> usize {
    let plain = console::strip_ansi_codes(line);
    let start = leading_blanks(&plain);
    let gap = plain[start..].find("  ").map(|at| start + at);
    gap.map_or(start, |at| measure_text_width(&plain[..at]) + leading_blanks(&plain[at..]))
}

fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;
    use expect_test::expect;

    #[test]
    fn every_visible_command_is_in_one_group() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let mut names: Vec<String> = visible.map(|sub| sub.get_name().to_owned()).collect();
        names.push("help".to_owned());
        names.sort();
        let mut grouped: Vec<String> = load_groups().into_iter().flat_map(|group| group.commands).collect();
        grouped.sort();
        assert_eq!(names, grouped);
    }

    #[test]
    fn the_overview_begins_with_an_example_and_ends_with_the_documentation() {
        let help = with_grouped_overview(Cli::command()).render_help().to_string();
        let lines: Vec<&str> = help.lines().filter(|line| !line.starts_with("  ")).collect();
        expect![[r#"
            Find the code that a task needs, and see what a change affects

            Example:

            Usage: kenning [OPTIONS] <COMMAND>

            Ask about code:

            Manage the index:

            Connect agents and editors:

            Keep notes and feedback:

            Other commands:

            Options:

            Documentation:"#]]
        .assert_eq(&lines.join("\n"));
        assert!(help.trim_end().ends_with("/docs"), "{help}");
    }

    #[test]
    fn lines_are_wrapped_below_their_descriptions() {
        let text = "Usage: kenning pack [OPTIONS] [TASK]...\n\n  pack    Print the code that matters for a task\n  -h, --help\n          Print help and more words\n";
        expect![[r#"
            Usage: kenning pack [OPTIONS]
            [TASK]...

              pack    Print the code that
                      matters for a task
              -h, --help
                      Print help and more
                      words
        "#]]
        .assert_eq(&wrap_help(text, 30));
        assert_eq!(wrap_help(text, 80), text);
        let styled = "  \u{1b}[1mpack\u{1b}[0m    Print the code that matters";
        assert_eq!(
            wrap_help(styled, 30),
            "  \u{1b}[1mpack\u{1b}[0m    Print the code that\n          matters"
        );
    }
}
