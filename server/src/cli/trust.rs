//! `kenning trust`: the workspaces whose `kenning.toml` may name programs to run.

use super::args::TrustArgs;
use super::delivery::print_outcome;
use crate::config::trust::TrustStore;
use crate::terminal::report_text::{ReportLine, ReportText};
use crate::terminal::screen::GOOD_STYLE;
use anyhow::Context;
use std::path::Path;

/// Changes or prints the list of trusted workspaces.
pub fn run_trust(args: &TrustArgs) -> anyhow::Result<()> {
    let store = TrustStore::for_user()?;
    let Some(root) = &args.root else {
        let mut text = ReportText::default();
        for path in store.trusted_workspaces()? {
            text.push_line(ReportLine::default().with_folder(&path));
        }
        return print_outcome(Path::new("."), &text);
    };
    let line = if args.remove {
        let (path, was_trusted) = store.untrust_workspace(root)?;
        let outcome = if was_trusted { " is no longer trusted" } else { " was not trusted" };
        ReportLine::default().with_folder(&path).with_text(outcome)
    } else {
        anyhow::ensure!(root.is_dir(), "{} is not a folder; pass the workspace's folder", root.display());
        let (path, is_new) = store.trust_workspace(root).context("cannot trust the workspace")?;
        let line = ReportLine::default().with_folder(&path);
        if is_new {
            let meaning = ": its kenning.toml may name programs to run";
            line.with_words(" is now trusted", GOOD_STYLE).with_text(meaning)
        } else {
            line.with_text(" is already trusted")
        }
    };
    print_outcome(root, &line.into())
}
