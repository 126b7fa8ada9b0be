//! `kenning status`: what is indexed.

use super::args::StatusArgs;
use super::{output, workspace};
use crate::enrich::ServerReport;
use crate::format::{Format, json};
use crate::status::Status;
use kenning_retrieval::pack::printable;

/// Prints the status of the index as it is; nothing is brought up to the disk.
pub fn run(args: &StatusArgs) -> anyhow::Result<()> {
    let mut workspace = workspace::open(&args.root.workspace())?;
    workspace::rebuild_if_damaged(&mut workspace)?;
    // What is known from before; nothing new is read.
    workspace.read_history(&mut || true)?;
    let commits = workspace.commits()?.len();
    workspace::tell_of_repairs(&workspace);
    let status = Status::new(
        workspace.root(),
        Some(workspace.db_path()),
        Some(workspace.is_writer()),
        (&workspace.snapshot(), commits),
        workspace::freshness(&workspace),
        ServerReport::all(&workspace.snapshot(), Vec::new()),
    );
    workspace.read_manifests();
    let status = status.with_problems(&workspace.find_problems()?, &workspace.project().issues);
    output::print(&match args.format {
        Format::Markdown => printable(&status.to_string()).into_owned(),
        Format::Json => json::text(&status)?,
    })
}
