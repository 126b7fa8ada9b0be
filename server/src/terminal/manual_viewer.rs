//! Shows a page of the manual as `man` does: formatted, in the pager of `man`.

use kenning_enrichment::servers::ServerSearch;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::Command;

/// Shows a page in roff and waits until the user has closed it. Returns false if `man` is not
/// installed or cannot show the page; the caller must print it.
///
/// # Errors
/// Returns an error if the page cannot be written to a temporary file, which `man` needs to show it
/// in a pager.
pub fn show_manual_page(page: &str) -> io::Result<bool> {
    let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    // A program named `man` in the workspace is not meant.
    let Some(program) = ServerSearch::from_environment(folder, false).find_on_path("man") else {
        return Ok(false);
    };
    let mut file = tempfile::Builder::new().prefix("kenning-").suffix(".1").tempfile()?;
    file.write_all(page.as_bytes())?;
    let shown = Command::new(program).arg("-l").arg(file.path()).status();
    Ok(shown.is_ok_and(|status| status.success()))
}
