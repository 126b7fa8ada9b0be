//! Runs Universal Ctags and parses its JSON output.

use crate::child::run;
use anyhow::{Context, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A tag: a name and the position of its definition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Tag {
    /// The name.
    pub name: String,
    /// The path of the file as it was passed to ctags.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The kind, by its long name.
    pub kind: String,
    /// The scope that the tag belongs to; empty at the top level.
    #[serde(default)]
    pub scope: String,
    /// The kind of the scope; empty at the top level.
    #[serde(default, rename = "scopeKind")]
    pub scope_kind: String,
}

/// Returns the tags of files in one language, by path and in the order of the text. By default,
/// ctags leaves out locals and parameters.
///
/// # Errors
/// Fails if ctags cannot be started, fails, or writes a line that is not a tag.
pub fn run_ctags(root: &Path, language: &str, paths: &[&str]) -> anyhow::Result<BTreeMap<String, Vec<Tag>>> {
    let mut list = tempfile::NamedTempFile::new()?;
    for path in paths {
        writeln!(list, "{path}")?;
    }
    let mut command = Command::new("ctags");
    command.current_dir(root).args([
        "--options=NONE",
        "--sort=no",
        "--output-format=json",
        "--fields=+neKsZ",
        "-f",
        "-",
    ]);
    command.arg(format!("--language-force={language}")).arg("-L").arg(list.path());
    let (out, _) =
        run(&mut command).context("Universal Ctags with JSON output is needed (Debian: universal-ctags)")?;
    let mut by_path: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
    for line in out.lines() {
        let tag: Tag = serde_json::from_str(line).with_context(|| format!("a line of ctags: {line}"))?;
        ensure!(tag.line > 0, "a tag without a line: {line}");
        by_path.entry(tag.path.clone()).or_default().push(tag);
    }
    Ok(by_path)
}
