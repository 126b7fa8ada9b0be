//! Writes a command's result to standard output, and its notes, warnings and failures to standard
//! error.

use anyhow::Context;
use kenning_retrieval::pack::escape_control_chars;
use std::io::{self, ErrorKind, Write};

/// Writes the result to standard output. A reader that closed the pipe (`| head`) is not an error.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    write_all(&mut io::stdout().lock(), text.as_bytes())
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
    let _ = writeln!(io::stderr().lock(), "kenning: warning: {line}");
}

/// Prints to standard error why a command failed, on one line.
pub fn print_failure(error: &anyhow::Error) {
    let line = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
    // Nothing can be done if standard error is also closed.
    let _ = writeln!(io::stderr().lock(), "kenning: {}", escape_control_chars(&line));
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
    fn a_closed_pipe_is_not_an_error() {
        assert!(write_all(&mut FailingWriter(ErrorKind::BrokenPipe), b"text").is_ok());
        assert!(write_all(&mut FailingWriter(ErrorKind::StorageFull), b"text").is_err());
    }
}
