//! `kenning status`: the content of the index.

use super::args::StatusArgs;
use super::{configuration, output, workspace};
use crate::enrich::ServerReport;
use crate::format::{OutputFormat, json};
use crate::status::IndexStatus;
use kenning_retrieval::pack::escape_control_chars;

/// Prints the status of the index as it is, without updating it from the disk.
pub fn run_status(args: &StatusArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open_workspace(&args.root.workspace_args())?;
    workspace::rebuild_if_damaged(&mut workspace)?;
    // Loads only what earlier runs stored: the read is interrupted before it asks git.
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
    let findings = workspace.inspect_tree()?;
    let config = configuration::effective_config(workspace.root_path()).config;
    let status = status
        .with_problems(&findings.problems, &workspace.current_project().issues)
        .with_unknown_extensions(findings.unknown_extensions)
        .with_ranking(config.ranking.configuration)
        .with_vectors(config.vectors.model.as_deref(), Some(workspace.db_path()))
        .with_disk_usage(workspace::measure_disk_usage(&args.root.workspace_args())?);
    output::print_text(&match args.format.chosen_format() {
        OutputFormat::Markdown => escape_control_chars(&status.to_string()).into_owned(),
        OutputFormat::Json => json::render_json(&status)?,
    })
}
