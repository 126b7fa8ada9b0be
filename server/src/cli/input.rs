//! Reads the input of a command: its task or query, from the arguments or from standard input, and
//! files that the command line names. Bounds the size of each.

use anyhow::{Context, bail, ensure};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a task or query in bytes. Standard input can be endless; an issue with its logs is
/// far smaller.
const MAX_TEXT_BYTES: u64 = 4 << 20;

/// The maximum size of a file in bytes. A device can be endless; a diff of a whole repository is
/// smaller.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Returns the task: the joined words, or standard input if the only word is `-`. Invalid UTF-8 is
/// replaced.
///
/// # Errors
/// Returns an error if the task is blank or longer than `MAX_TEXT_BYTES`, or if `-` is followed by
/// words.
pub fn read_task(words: &[String]) -> anyhow::Result<String> {
    read_words(words, crate::answer::QuestionError::EmptyTask)
}

/// Returns the joined words, or standard input if the only word is `-`. Invalid UTF-8 is replaced.
///
/// # Errors
/// Returns the error `empty` if the text is blank, and an error if it is longer than
/// `MAX_TEXT_BYTES` or if `-` is followed by words.
pub fn read_words(words: &[String], empty: crate::answer::QuestionError) -> anyhow::Result<String> {
    let text = match words {
        [dash] if dash == "-" => read_input(io::stdin().lock())?,
        [dash, ..] if dash == "-" => {
            bail!("the text comes from standard input (-) or from arguments, not from both")
        }
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        bail!(empty);
    }
    Ok(text)
}

/// Returns the text of a file, or standard input for `-`. Invalid UTF-8 is replaced.
///
/// # Errors
/// Returns an error that names the file if it cannot be read or is longer than `MAX_FILE_BYTES`.
pub fn read_file_or_input(path: &Path) -> anyhow::Result<String> {
    let name = if path.as_os_str() == "-" { "standard input".into() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
    };
    read.with_context(|| format!("{name} cannot be read"))?;
    ensure!(
        bytes.len() as u64 <= MAX_FILE_BYTES,
        "{name} is longer than {} MiB; pass a smaller part",
        MAX_FILE_BYTES >> 20
    );
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_input(input: impl Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    input.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        bail!(
            "the text from standard input is longer than {} MiB; pass only the part that matters",
            MAX_TEXT_BYTES >> 20
        );
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_and_a_blank_task_is_an_error() {
        let words = |words: &[&str]| read_task(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(words(&["fix", "the bug"]).unwrap(), "fix the bug");
        assert!(words(&["-", "more"]).unwrap_err().to_string().contains("not from both"));
        let error = words(&["", " \n"]).unwrap_err().to_string();
        assert_eq!(error, "the task is empty; describe in a few words what you want to do");
    }

    #[test]
    fn any_bytes_are_a_task_up_to_a_limit() {
        assert_eq!(read_input(&b"a\xffb"[..]).unwrap(), "a\u{fffd}b");
        assert!(read_input(io::repeat(b'x')).unwrap_err().to_string().contains("longer than 4 MiB"));
    }
}
