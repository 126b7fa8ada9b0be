//! Runs git in a working tree.

use anyhow::{Context, bail};
use std::path::Path;
use std::process::Command;

/// Runs git in the tree and returns its output. Bytes that are not UTF-8 are replaced.
///
/// # Errors
/// Fails if git cannot be started or does not succeed.
pub fn run_git(tree: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").arg("-C").arg(tree).args(arguments).output().context("git")?;
    if !output.status.success() {
        bail!("git {arguments:?} in {}: {}", tree.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
