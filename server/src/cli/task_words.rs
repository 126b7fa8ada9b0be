//! Words of a task that begin with dashes.
//!
//! `kenning pack "--budget is ignored"` asks about a flag and sets none. An argument that begins
//! with a dash and contains whitespace, other than in the value of a flag (`--body=a b`), is not a
//! flag but part of a text. Commands that take a text get such arguments after `--`, together with
//! the other words of the text, in their order. Single words (`--budget`) stay flags; `--` makes
//! them words.

use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Returns the arguments of the process with the words of a text after `--` if one of them begins
/// with a dash, and otherwise unchanged.
pub fn separate_task_words(command: &mut Command, arguments: Vec<OsString>) -> Vec<OsString> {
    command.build();
    let Some((command, start)) = find_command(command, &arguments) else { return arguments };
    let takes_text = command.get_positionals().any(|positional| {
        positional.get_num_args().is_some_and(|count| count.max_values() == usize::MAX)
            && !positional.is_trailing_var_arg_set()
    });
    if !takes_text {
        return arguments;
    }
    let mut flags = Vec::new();
    let mut words = Vec::new();
    let mut has_dashed_word = false;
    let mut rest = arguments[start..].iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--" {
            words.extend(rest.by_ref().cloned());
        } else if is_dashed_text(&text) {
            has_dashed_word = true;
            words.push(argument.clone());
        } else if text.starts_with('-') && text != "-" {
            flags.push(argument.clone());
            if needs_value(command, &text) {
                flags.extend(rest.next().cloned());
            }
        } else {
            words.push(argument.clone());
        }
    }
    if !has_dashed_word {
        return arguments;
    }
    let before = arguments[..start].iter().cloned();
    before.chain(flags).chain([OsString::from("--")]).chain(words).collect()
}

/// Finds the subcommand that the arguments name, and the index of the first argument after its
/// name.
fn find_command<'c>(command: &'c Command, arguments: &[OsString]) -> Option<(&'c Command, usize)> {
    let mut found: Option<(&Command, usize)> = None;
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        let text = argument.to_string_lossy();
        let parent = found.map_or(command, |(parent, _)| parent);
        at += 1;
        if text.starts_with('-') {
            at += usize::from(needs_value(parent, &text));
        } else if let Some(sub) = parent.find_subcommand(text.as_ref()) {
            found = Some((sub, at));
        } else {
            break;
        }
    }
    found
}

/// Whether an argument begins with a dash but has whitespace where the name of a flag would be.
fn is_dashed_text(argument: &str) -> bool {
    let name = argument.split('=').next().unwrap_or(argument);
    name.starts_with('-') && name.contains(char::is_whitespace) && !has_attached_value(name)
}

/// Whether an argument is a short flag directly followed by its value, as in `-o/a b`.
fn has_attached_value(name: &str) -> bool {
    let mut characters = name.chars().skip(1);
    let is_letter = characters.next().is_some_and(char::is_alphabetic);
    is_letter && characters.next().is_some_and(|c| matches!(c, '/' | '.' | '~' | '\\'))
}

/// Whether the next argument is the value of this flag.
fn needs_value(command: &Command, flag: &str) -> bool {
    if flag.contains('=') {
        return false;
    }
    let is_flag = |arg: &&Arg| match flag.strip_prefix("--") {
        Some(long) => {
            arg.get_long() == Some(long) || arg.get_all_aliases().is_some_and(|names| names.contains(&long))
        }
        // In a group of short flags, only the last flag has a value.
        None => arg.get_short().is_some_and(|short| flag.len() == 2 && flag.ends_with(short)),
    };
    let takes_value = |arg: &Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    command.get_arguments().find(is_flag).is_some_and(takes_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use clap::{CommandFactory, FromArgMatches};

    fn separate(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> =
            std::iter::once("kenning").chain(arguments.iter().copied()).map(Into::into).collect();
        let separated = separate_task_words(&mut Cli::command(), arguments);
        separated.into_iter().skip(1).map(|argument| argument.into_string().unwrap()).collect()
    }

    fn parse_task(arguments: &[&str]) -> Vec<String> {
        let separated = [vec!["kenning".to_owned()], separate(arguments)].concat();
        let matches = Cli::command().try_get_matches_from(separated).unwrap();
        match Cli::from_arg_matches(&matches).unwrap().command {
            crate::cli::Command::Pack(pack) => pack.task,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_that_begins_with_dashes_is_a_word_of_the_task() {
        assert_eq!(parse_task(&["pack", "--budget is ignored"]), ["--budget is ignored"]);
        assert_eq!(parse_task(&["pack", "- fix the cart"]), ["- fix the cart"]);
        assert_eq!(parse_task(&["pack", "-x flag = bad"]), ["-x flag = bad"]);
        assert_eq!(
            parse_task(&[
                "pack",
                "--budget",
                "900",
                "fix",
                "--no-learning",
                "--set a=b",
                "now",
                "--root",
                "/w"
            ]),
            ["fix", "--set a=b", "now"]
        );
        assert_eq!(parse_task(&["--color", "never", "pack", "-v", "--budget is", "x"]), ["--budget is", "x"]);
        assert_eq!(parse_task(&["pack", "--budget is", "--", "--json"]), ["--budget is", "--json"]);
    }

    #[test]
    fn dashes_after_a_separator_are_words() {
        assert_eq!(parse_task(&["pack", "--", "--budget", "is", "ignored"]), ["--budget", "is", "ignored"]);
    }

    #[test]
    fn flags_stay_flags() {
        for arguments in [
            &["pack", "--budget", "900", "a", "b"][..],
            &["pack", "--set=walk.restart=0.5 ", "a"],
            &["note", "add", "title", "--body=- one two"],
            &["pack", "-o/tmp/a b", "task"],
            &["pack", "--output", "a b", "task"],
            &["status", "--root x y"],
            &["agents", "hook", "start", "--flat x"],
        ] {
            assert_eq!(separate(arguments), arguments);
        }
    }
}
