//! Writes a command's result to standard output, and its notes, warnings and failures to standard
//! error. `terminal::standard_streams` escapes what a terminal would interpret.

use super::help_layout::wrap_help;
use crate::answer::QuestionError;
use crate::format::RenderedPack;
use crate::terminal::screen::{BROKEN_STYLE, WARNING_STYLE};
use crate::terminal::standard_streams::{
    StandardStream, output_size, write_bytes, write_pieces, write_styled, write_text,
};
use anstyle::Style;
use anyhow::{Context, bail};
use std::io::{self, ErrorKind};
use std::iter;
use std::process::ExitCode;

/// Writes a result without styles to standard output. A reader that closed the pipe (`| head`) is
/// not an error.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    check_written(write_text(StandardStream::Output, text))
}

/// Writes a result that was rendered for a screen to standard output, as [`print_text`] does.
pub fn print_screen_text(text: &str) -> anyhow::Result<()> {
    check_written(write_styled(StandardStream::Output, text))
}

/// Writes a rendered pack to standard output.
///
/// # Errors
/// Returns an error if the pack is bytes and standard output is a terminal, which bytes would
/// confuse.
pub fn print_pack(pack: &RenderedPack) -> anyhow::Result<()> {
    check_destination(pack, StandardStream::Output.is_terminal())?;
    match pack {
        RenderedPack::Text(text) => print_text(text),
        RenderedPack::Bytes(bytes) => check_written(write_bytes(bytes)),
    }
}

fn check_destination(pack: &RenderedPack, is_terminal: bool) -> anyhow::Result<()> {
    if is_terminal && matches!(pack, RenderedPack::Bytes(_)) {
        bail!(
            "the format gcb is bytes, which a terminal cannot show; write it to a file with >, or choose --format gcf"
        );
    }
    Ok(())
}

fn check_written(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the result to standard output"),
    }
}

/// Prints lines to standard error, for instance a list that a question is about.
pub fn print_message(text: &str) {
    // Nothing can be done if standard error is also closed.
    let _ = write_text(StandardStream::Error, text);
}

/// Prints a note to standard error, on one line.
pub fn print_note(text: &str) {
    print_line(&[(Style::new(), "kenning: "), (Style::new(), &join_lines(text))]);
}

/// Prints a warning to standard error, on one line; the command continues.
pub fn print_warning(text: &str) {
    let line = join_lines(text);
    print_line(&[
        (Style::new(), "kenning: "),
        (WARNING_STYLE, "warning:"),
        (Style::new(), " "),
        (Style::new(), &line),
    ]);
}

/// Prints the error of a failed command to standard error, on one line. The candidates of an
/// ambiguous name follow on a line each.
pub fn print_failure(error: &anyhow::Error) {
    for (at, line) in failure_lines(error).iter().enumerate() {
        let start = if at == 0 { (BROKEN_STYLE, "kenning:") } else { (Style::new(), " ") };
        print_line(&[start, (Style::new(), " "), (Style::new(), line)]);
    }
}

/// Prints help, the version or wrong usage, which name words of the command line. Returns the exit
/// status.
pub fn print_usage(usage: &clap::Error) -> ExitCode {
    let stream = if usage.use_stderr() { StandardStream::Error } else { StandardStream::Output };
    let text = usage.render();
    // Programs read help from a pipe, as the site of the documentation does.
    let columns = if stream.is_terminal() { output_size().map(|(_, columns)| columns) } else { None };
    let fit = |text: String| match columns {
        Some(columns) => wrap_help(&text, usize::from(columns)),
        None => text,
    };
    // A closed stream changes nothing about the status.
    let _ = if stream.shows_styles() {
        write_styled(stream, &fit(text.ansi().to_string()))
    } else {
        write_text(stream, &fit(text.to_string()))
    };
    ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2))
}

fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn print_line(pieces: &[(Style, &str)]) {
    // Nothing can be done if standard error is also closed.
    let _ = write_pieces(StandardStream::Error, &[pieces, &[(Style::new(), "\n")]].concat());
}

fn failure_lines(error: &anyhow::Error) -> Vec<String> {
    if let Some(QuestionError::AmbiguousSymbol { name, candidates }) = error.downcast_ref() {
        let first = format!("{name} is ambiguous; choose one of:");
        let numbered = candidates.iter().enumerate();
        let candidates = numbered.map(|(at, candidate)| format!("{}) {}", at + 1, candidate.description));
        return iter::once(first).chain(candidates).collect();
    }
    vec![join_lines(&format!("{error:#}"))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::SymbolCandidate;
    use kenning_graph::Hash;

    #[test]
    fn bytes_are_not_written_to_a_terminal() {
        let (text, bytes) = (RenderedPack::Text("text\n".into()), RenderedPack::Bytes(vec![0]));
        let message = check_destination(&bytes, true).unwrap_err().to_string();
        assert!(message.starts_with("the format gcb is bytes"), "{message}");
        assert!(check_destination(&bytes, false).is_ok() && check_destination(&text, true).is_ok());
    }

    #[test]
    fn a_failure_is_one_line_except_for_the_candidates_of_an_ambiguous_name() {
        let failure = anyhow::anyhow!("line one\nline two").context("outer");
        assert_eq!(failure_lines(&failure), ["outer: line one line two"]);
        let candidate = |text: &str| SymbolCandidate {
            id: Hash::from_content(text.as_bytes()),
            description: text.to_owned(),
        };
        let ambiguous = QuestionError::AmbiguousSymbol {
            name: "total".into(),
            candidates: vec![candidate("Cart.total"), candidate("Order.total")],
        };
        let lines = ["total is ambiguous; choose one of:", "1) Cart.total", "2) Order.total"];
        assert_eq!(failure_lines(&ambiguous.into()), lines);
    }

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        assert!(check_written(Err(ErrorKind::BrokenPipe.into())).is_ok());
        assert!(check_written(Err(ErrorKind::StorageFull.into())).is_err());
    }
}
