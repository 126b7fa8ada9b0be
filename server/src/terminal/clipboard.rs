//! Copies a text to the clipboard: with a program of the system, or through the terminal (OSC 52).
//!
//! Programs come first, because a terminal does not report whether it has accepted a text. Over
//! SSH, the programs of this machine do not reach the user's clipboard, but the terminal does.

use super::standard_streams;
use kenning_enrichment::servers::ServerSearch;
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use thiserror::Error;

/// Maximum size in bytes of a text that terminals accept. In base64, it reaches the limit of xterm.
const MAX_TERMINAL_BYTES: usize = 74_994;

/// The reason why a text was not copied.
#[derive(Debug, Error)]
pub enum ClipboardError {
    /// There is neither a program nor a terminal.
    #[error(
        "there is no clipboard: install wl-copy, xclip or xsel, or run the command in a terminal; -o FILE \
         writes a file instead"
    )]
    Missing,
    /// The text is too long for a terminal.
    #[error(
        "the text has {size} bytes, and terminals accept at most {MAX_TERMINAL_BYTES}; use a smaller --budget, \
         or -o FILE"
    )]
    TooLong {
        /// The size of the text in bytes.
        size: usize,
    },
    /// A program failed.
    #[error("{program} cannot copy the text: {reason}")]
    Failed {
        /// The program.
        program: String,
        /// The error of the program.
        reason: String,
    },
}

/// A program that copies a text from its standard input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClipboardTool {
    program: String,
    args: Vec<String>,
    /// The variable of the environment that the program needs; empty if it needs none.
    #[serde(default)]
    variable: String,
    /// Whether the program reaches the user's clipboard over SSH.
    #[serde(default)]
    remote: bool,
    /// Whether the program reads UTF-16 instead of UTF-8.
    #[serde(default)]
    utf16: bool,
}

/// The content of `clipboard_tools.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolTable {
    tool: Vec<ClipboardTool>,
}

fn load_tools() -> Vec<ClipboardTool> {
    let table: ToolTable = toml::from_str(include_str!("../../data/clipboard_tools.toml"))
        .expect("clipboard_tools.toml is part of the program");
    table.tool
}

/// Copies a text from an answer about the workspace at `root`. Returns the name of the program that
/// received it, or `the terminal`. Programs in the workspace are not used.
///
/// # Errors
/// Returns an error if neither a program nor a terminal could receive the text.
pub fn copy_text(text: &str, root: &Path) -> Result<String, ClipboardError> {
    let variable = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // A search path with `.` or an empty entry leads into the workspace.
    let search = ServerSearch::from_environment(root.to_owned(), false);
    let is_remote = variable("SSH_CONNECTION") || variable("SSH_TTY");
    match choose_tool(&load_tools(), is_remote, variable, |program| search.find_on_path(program)) {
        Some((tool, program)) => run_tool(tool, &program, text).map(|()| tool.program.clone()),
        None => copy_through_terminal(text).map(|()| "the terminal".to_owned()),
    }
}

/// Returns the first installed program that works here, with its path.
fn choose_tool(
    tools: &[ClipboardTool],
    is_remote: bool,
    has_variable: impl Fn(&str) -> bool,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Option<(&ClipboardTool, PathBuf)> {
    let fits = |tool: &&ClipboardTool| {
        (tool.remote || !is_remote) && (tool.variable.is_empty() || has_variable(&tool.variable))
    };
    tools.iter().filter(fits).find_map(|tool| Some((tool, find(&tool.program)?)))
}

fn run_tool(tool: &ClipboardTool, program: &Path, text: &str) -> Result<(), ClipboardError> {
    let failed = |reason: String| ClipboardError::Failed { program: tool.program.clone(), reason };
    // A program that serves the clipboard in the background must not keep these streams open.
    let mut command = Command::new(program);
    command.args(&tool.args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&encode_text(tool, text)));
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    written.map_err(|error| failed(error.to_string()))?;
    if status.success() { Ok(()) } else { Err(failed(status.to_string())) }
}

/// Returns a text in the encoding that a program reads.
fn encode_text(tool: &ClipboardTool, text: &str) -> Vec<u8> {
    if !tool.utf16 {
        return text.as_bytes().to_vec();
    }
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Sends the text to the terminal of standard error or standard output as OSC 52.
fn copy_through_terminal(text: &str) -> Result<(), ClipboardError> {
    if text.len() > MAX_TERMINAL_BYTES {
        return Err(ClipboardError::TooLong { size: text.len() });
    }
    match standard_streams::copy_through_terminal(text) {
        Ok(true) => Ok(()),
        Ok(false) => Err(ClipboardError::Missing),
        Err(error) => {
            Err(ClipboardError::Failed { program: "the terminal".into(), reason: error.to_string() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(is_remote: bool, variables: &[&str], programs: &[&str]) -> Option<String> {
        let tools = load_tools();
        let find = |program: &str| programs.contains(&program).then(|| PathBuf::from(program));
        let chosen = choose_tool(&tools, is_remote, |name| variables.contains(&name), find);
        chosen.map(|(tool, _)| tool.program.clone())
    }

    #[test]
    fn a_tool_is_chosen_that_can_work_here() {
        let linux = ["wl-copy", "xclip", "tmux"];
        assert_eq!(choose(false, &["WAYLAND_DISPLAY", "DISPLAY"], &linux).as_deref(), Some("wl-copy"));
        assert_eq!(choose(false, &["DISPLAY", "TMUX"], &linux).as_deref(), Some("xclip"));
        assert_eq!(choose(false, &["TMUX"], &linux).as_deref(), Some("tmux"));
        assert_eq!(choose(false, &[], &linux), None);
        assert_eq!(choose(true, &["DISPLAY", "TMUX"], &linux).as_deref(), Some("tmux"));
        assert_eq!(choose(true, &[], &["pbcopy"]), None);
    }

    #[test]
    fn a_terminal_gets_only_short_texts() {
        let error = copy_through_terminal(&"x".repeat(80_000)).unwrap_err().to_string();
        assert!(error.contains("80000 bytes"), "{error}");
    }

    #[test]
    fn windows_gets_utf_16() {
        let tools = load_tools();
        let clip = tools.iter().find(|tool| tool.program == "clip.exe").unwrap();
        assert_eq!(encode_text(clip, "é"), [0xff, 0xfe, 0xe9, 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_tool_that_fails_is_an_error() {
        let tool = &load_tools()[0];
        assert!(run_tool(tool, Path::new("/bin/cat"), "text").is_ok());
        assert!(matches!(run_tool(tool, Path::new("/bin/false"), ""), Err(ClipboardError::Failed { .. })));
    }
}
