//! `kenning trust`: the workspaces whose `kenning.toml` may name programs to run.

use super::args::TrustArgs;
use super::output;
use crate::config::trust::TrustStore;
use anyhow::Context;
use std::fmt::Write;

/// Changes or prints the list of trusted workspaces.
pub fn run_trust(args: &TrustArgs) -> anyhow::Result<()> {
    let store = TrustStore::for_user()?;
    let Some(root) = &args.root else {
        let mut text = String::new();
        for path in store.trusted_workspaces()? {
            let _ = writeln!(text, "{}", path.display());
        }
        return output::print_text(&text);
    };
    let text = if args.remove {
        match store.untrust_workspace(root)? {
            (path, true) => format!("{} is no longer trusted\n", path.display()),
            (path, false) => format!("{} was not trusted\n", path.display()),
        }
    } else {
        anyhow::ensure!(root.is_dir(), "{} is not a folder; pass the workspace's folder", root.display());
        match store.trust_workspace(root).context("cannot trust the workspace")? {
            (path, true) => {
                format!("{} is now trusted: its kenning.toml may name programs to run\n", path.display())
            }
            (path, false) => format!("{} is already trusted\n", path.display()),
        }
    };
    output::print_text(&text)
}
