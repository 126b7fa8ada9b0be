//! Writes a command's result to standard output, and its notes, warnings and failures to standard
//! error.

use crate::answer::QuestionError;
use crate::format::RenderedPack;
use crate::terminal::screen::{BROKEN_STYLE, WARNING_STYLE};
use anyhow::{Context, bail};
use kenning_retrieval::pack::escape_control_chars;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::iter;

/// Writes the result to standard output. A reader that closed the pipe (`| head`) is not an error.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    write_all(&mut io::stdout().lock(), text.as_bytes())
}

/// Writes a rendered pack to standard output.
///
/// # Errors
/// Returns an error if the pack is bytes and standard output is a terminal, which bytes would
/// confuse.
pub fn print_pack(pack: &RenderedPack) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    check_destination(pack, out.is_terminal())?;
    match pack {
        RenderedPack::Text(text) => write_all(&mut out, text.as_bytes()),
        RenderedPack::Bytes(bytes) => write_all(&mut out, bytes),
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

fn write_all(out: &mut impl Write, bytes: &[u8]) -> anyhow::Result<()> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the result to standard output"),
    }
}

/// Prints lines to standard error, for instance a list that a question is about.
pub fn print_message(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a note to standard error.
pub fn print_note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "kenning: {text}");
}

/// Prints a warning to standard error, on one line; the command continues.
pub fn print_warning(text: &str) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (start, end) = (WARNING_STYLE.render(), WARNING_STYLE.render_reset());
    // The stream removes the style if standard error is not a terminal.
    let _ = writeln!(anstream::stderr().lock(), "kenning: {start}warning:{end} {line}");
}

/// Prints the error of a failed command to standard error, on one line. The candidates of an
/// ambiguous name follow on a line each.
pub fn print_failure(error: &anyhow::Error) {
    let (start, end) = (BROKEN_STYLE.render(), BROKEN_STYLE.render_reset());
    let mut err = anstream::stderr().lock();
    // Nothing can be done if standard error is also closed.
    for (at, line) in failure_lines(error).iter().enumerate() {
        let line = escape_control_chars(line);
        let _ =
            if at == 0 { writeln!(err, "{start}kenning:{end} {line}") } else { writeln!(err, "  {line}") };
    }
}

fn failure_lines(error: &anyhow::Error) -> Vec<String> {
    if let Some(QuestionError::AmbiguousSymbol { name, candidates }) = error.downcast_ref() {
        let first = format!("{name} is ambiguous; choose one of:");
        let numbered = candidates.iter().enumerate();
        let candidates = numbered.map(|(at, candidate)| format!("{}) {}", at + 1, candidate.description));
        return iter::once(first).chain(candidates).collect();
    }
    vec![format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::SymbolCandidate;
    use kenning_graph::Hash;

    struct FailingWriter(ErrorKind);

    impl Write for FailingWriter {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

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
        assert!(write_all(&mut FailingWriter(ErrorKind::BrokenPipe), b"text").is_ok());
        assert!(write_all(&mut FailingWriter(ErrorKind::StorageFull), b"text").is_err());
    }
}
