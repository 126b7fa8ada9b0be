//! `kenning changes`: the pack for a change.

use super::args::ChangesArgs;
use super::pack;
use crate::answer::About;
use crate::change::Change;
use crate::timings::Timings;
use anyhow::Context;
use kenning_indexing::git;
use kenning_indexing::workspace::Workspace;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Prints the pack.
pub fn run(args: &ChangesArgs) -> anyhow::Result<()> {
    let about = |workspace: &Workspace| Ok(About::Change(since(workspace, args.base.as_deref())?));
    pack::print(&args.print, Timings::start(), about)
}

/// What changed in the workspace since `base`.
pub fn since(workspace: &Workspace, base: Option<&str>) -> anyhow::Result<Change> {
    let changes = git::changes(workspace.root(), base, &BTreeMap::new(), &Arc::default());
    let seen = match base {
        Some(_) => changes.context("--base")?,
        None => changes?,
    };
    let (project, text) = (workspace.project(), workspace.text_source());
    Ok(Change::new(seen, &workspace.snapshot(), &project, Some(&text)))
}
