//! `kenning changes`: the pack for a change.

use super::args::{ChangesArgs, PrintArgs};
use super::pack::{self, DocumentChoice};
use crate::answer::QuestionSubject;
use crate::change::WorkspaceChange;
use crate::timings::StageTimings;
use anyhow::Context;
use kenning_indexing::git;
use kenning_indexing::workspace::Workspace;
use std::sync::Arc;

/// Prints the pack for the change since the base.
pub fn run_changes(args: &ChangesArgs) -> anyhow::Result<()> {
    print_changes(&args.print, args.base.as_deref())
}

/// Prints the pack for the change since `base`, or since the default base if `None`.
pub fn print_changes(args: &PrintArgs, base: Option<&str>) -> anyhow::Result<()> {
    let subject = |workspace: &Workspace| Ok(QuestionSubject::Change(changes_since(workspace, base)?));
    pack::print_pack(args, StageTimings::start_now(), DocumentChoice::Configured, subject)?;
    Ok(())
}

/// Collects the changes in the workspace since `base`, or since the default base if `None`.
pub fn changes_since(workspace: &Workspace, base: Option<&str>) -> anyhow::Result<WorkspaceChange> {
    let changes =
        git::collect_changes(workspace.root_path(), base, &workspace.unsaved_texts(), &Arc::default());
    let change_set = match base {
        Some(_) => changes.context("--base")?,
        None => changes?,
    };
    let (project, text) = (workspace.current_project(), workspace.text_source());
    Ok(WorkspaceChange::new(change_set, &workspace.current_snapshot(), &project, Some(&text)))
}
