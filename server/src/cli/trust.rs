//! `kenning trust`: the workspaces whose `kenning.toml` may name programs.

use super::args::TrustArgs;
use super::output;
use crate::config::trust::TrustStore;
use anyhow::Context;
use std::fmt::Write;

/// Changes or prints the list.
pub fn run(args: &TrustArgs) -> anyhow::Result<()> {
    let store = TrustStore::of_user()?;
    let Some(root) = &args.root else {
        let mut text = String::new();
        for path in store.list()? {
            let _ = writeln!(text, "{}", path.display());
        }
        return output::print(&text);
    };
    let text = if args.remove {
        match store.remove(root)? {
            (path, true) => format!("{} is not trusted any more\n", path.display()),
            (path, false) => format!("{} was not trusted\n", path.display()),
        }
    } else {
        anyhow::ensure!(root.is_dir(), "{} is no folder; name the workspace's folder", root.display());
        match store.add(root).context("the workspace is not trusted")? {
            (path, true) => format!("{} is trusted: its kenning.toml may name programs\n", path.display()),
            (path, false) => format!("{} is trusted already\n", path.display()),
        }
    };
    output::print(&text)
}
