//! Shows long answers page by page.
//!
//! The pager is the first of `KENNING_PAGER`, `PAGER` and `less` that is set. An empty value and
//! `cat` turn paging off.

use kenning_enrichment::servers::ServerSearch;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The pager if the user chooses none.
const DEFAULT_PAGER: &str = "less";

/// Options of `less` for a user who has set none: quit if the text fits, show styles, keep the text
/// on the screen.
const LESS_OPTIONS: &str = "FRX";

/// A program that shows texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagerCommand {
    /// The program with its arguments.
    words: Vec<String>,
    /// Whether the user has chosen it.
    is_chosen: bool,
    /// The value of `LESS`, which is set for the program.
    less_options: String,
}

/// The outcome of showing a text.
#[derive(Debug)]
pub enum PagerOutcome {
    /// The user has seen the text.
    Shown,
    /// The default pager is not installed; the caller must print the text.
    NotInstalled,
}

impl PagerCommand {
    /// Chooses the pager from variables of the environment; `None` if the user wants none.
    pub fn choose(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let chosen = variable("KENNING_PAGER").or_else(|| variable("PAGER"));
        let words = shlex::split(chosen.as_deref().unwrap_or(DEFAULT_PAGER))?;
        if words.is_empty() || words == ["cat"] {
            return None;
        }
        let less_options = match variable("LESS").filter(|options| !options.trim().is_empty()) {
            // Without R, less would show the codes of styles.
            Some(options) => format!("{options} -R"),
            None => LESS_OPTIONS.to_owned(),
        };
        Some(Self { words, is_chosen: chosen.is_some(), less_options })
    }

    /// Shows a text about the workspace at `root` and waits until the user has closed the pager. A
    /// program in the workspace is not found by its name.
    ///
    /// # Errors
    /// Returns an error if a pager that the user has chosen cannot be started.
    pub fn show_text(&self, text: &str, root: &Path) -> io::Result<PagerOutcome> {
        let mut command = match self.find_program(root) {
            Some(program) => Command::new(program),
            None if self.is_chosen => return Err(io::ErrorKind::NotFound.into()),
            None => return Ok(PagerOutcome::NotInstalled),
        };
        command.args(&self.words[1..]).stdin(Stdio::piped()).env("LESS", &self.less_options);
        if std::env::var_os("LESSCHARSET").is_none() {
            command.env("LESSCHARSET", "utf-8");
        }
        let _interrupts = ignore_interrupts();
        let mut child = command.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // The user may close the pager before it has read everything.
            let _ = input.write_all(text.as_bytes());
        }
        child.wait()?;
        Ok(PagerOutcome::Shown)
    }

    /// Returns the path of the program.
    fn find_program(&self, root: &Path) -> Option<PathBuf> {
        let name = Path::new(&self.words[0]);
        if name.components().count() > 1 {
            return Some(name.to_owned());
        }
        // A search path with `.` or an empty entry leads into the workspace.
        ServerSearch::from_environment(root.to_owned(), false).find_on_path(&self.words[0])
    }

    /// Returns the program, for messages.
    pub fn program(&self) -> &str {
        &self.words[0]
    }
}

/// Keeps Ctrl+C from ending this process, because the user means the pager. The returned runtime
/// owns the handler.
fn ignore_interrupts() -> Option<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    {
        let _guard = runtime.enter();
        #[cfg(unix)]
        let listener = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).ok();
        #[cfg(windows)]
        let listener = tokio::signal::windows::ctrl_c().ok();
        // The handler stays when the listener is dropped.
        drop(listener?);
    }
    Some(runtime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(variables: &[(&str, &str)]) -> Option<(Vec<String>, String)> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        PagerCommand::choose(variable).map(|command| (command.words, command.less_options))
    }

    #[test]
    fn the_environment_chooses_the_pager() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(choose(&[]), Some((words(&["less"]), "FRX".to_owned())));
        let chosen = choose(&[("PAGER", "more"), ("KENNING_PAGER", "most -s 'a b'")]);
        assert_eq!(chosen, Some((words(&["most", "-s", "a b"]), "FRX".to_owned())));
        assert_eq!(choose(&[("PAGER", "more"), ("KENNING_PAGER", "")]), None);
        assert_eq!(choose(&[("PAGER", "cat")]), None);
        assert_eq!(choose(&[("LESS", "-i")]), Some((words(&["less"]), "-i -R".to_owned())));
    }

    #[test]
    fn only_a_missing_default_pager_is_not_an_error() {
        let missing = |is_chosen| PagerCommand {
            words: vec!["kenning-no-such-pager".to_owned()],
            is_chosen,
            less_options: String::new(),
        };
        assert!(matches!(missing(false).show_text("x", Path::new("/w")), Ok(PagerOutcome::NotInstalled)));
        assert_eq!(
            missing(true).show_text("x", Path::new("/w")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
