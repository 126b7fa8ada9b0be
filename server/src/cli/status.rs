//! `kenning status`: the content of the index.

use super::args::StatusArgs;
use super::delivery::print_report;
use super::new_index::NewIndex;
use super::{configuration, workspace};
use crate::enrich::ServerReport;
use crate::status::IndexStatus;
use crate::terminal::Screen;
use kenning_retrieval::pack::escape_control_chars;
use std::time::SystemTime;

/// Prints the status of the index as it is, without updating it from the disk.
pub fn run_status(args: &StatusArgs, verbose: bool) -> anyhow::Result<()> {
    let new_index = NewIndex::before_opening(&args.root.workspace_args());
    let mut workspace = workspace::open_workspace(&args.root.workspace_args())?;
    workspace::rebuild_if_damaged(&mut workspace)?;
    // Load only the data that earlier runs stored: `true` interrupts the read before it asks git.
    workspace.read_history(&mut || true)?;
    let commits = workspace.load_commits()?.len();
    workspace::warn_about_repairs(&workspace);
    let status = IndexStatus::new(
        workspace.root_path(),
        Some(workspace.db_path()),
        Some(workspace.is_writer()),
        &workspace.current_snapshot(),
        commits,
        workspace::build_freshness(&workspace),
        ServerReport::collect_reports(&workspace.current_snapshot(), Vec::new()),
    );
    workspace.read_manifests();
    let mut findings = workspace.inspect_tree()?;
    findings.problems.extend(workspace.find_large_commits()?);
    let config = configuration::effective_config(workspace.root_path()).config;
    let status = status
        .with_problems(&findings.problems, &workspace.current_project().issues)
        .with_unknown_extensions(findings.unknown_extensions)
        .with_ranking(config.ranking.configuration)
        .with_vectors(config.vectors.model.as_deref(), Some(workspace.db_path()))
        .with_disk_usage(workspace::measure_disk_usage(&args.root.workspace_args())?);
    let render = |screen: &Screen| {
        if verbose {
            escape_control_chars(&status.to_string()).into_owned()
        } else {
            status.render_summary(screen, SystemTime::now())
        }
    };
    print_report(workspace.root_path(), args.format, &status, || render(&Screen::plain()), render)?;
    if workspace.indexed_at().is_none() {
        drop(status);
        drop(workspace);
        new_index.discard();
    }
    Ok(())
}
