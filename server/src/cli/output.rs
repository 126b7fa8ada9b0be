//! Writes a command's result to standard output, and its notes, warnings and failures to standard
//! error.

use crate::format::RenderedPack;
use crate::terminal::screen::{BROKEN_STYLE, WARNING_STYLE};
use anyhow::{Context, bail};
use kenning_retrieval::pack::escape_control_chars;
use std::io::{self, ErrorKind, IsTerminal, Write};

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

/// Prints the error of a failed command to standard error, on one line.
pub fn print_failure(error: &anyhow::Error) {
    let line = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
    let (start, end) = (BROKEN_STYLE.render(), BROKEN_STYLE.render_reset());
    // Nothing can be done if standard error is also closed.
    let _ = writeln!(anstream::stderr().lock(), "{start}kenning:{end} {}", escape_control_chars(&line));
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_closed_pipe_is_not_an_error() {
        assert!(write_all(&mut FailingWriter(ErrorKind::BrokenPipe), b"text").is_ok());
        assert!(write_all(&mut FailingWriter(ErrorKind::StorageFull), b"text").is_err());
    }
}
