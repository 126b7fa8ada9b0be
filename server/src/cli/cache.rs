//! `kenning cache`: shows the contents of Kenning's folder in the user's cache, and removes them.
//!
//! Invariant: nothing is removed before the user has seen a list of it and agreed (`--yes` or an
//! answer).

use super::args::{CacheArgs, CacheClearArgs, CacheCommand, CacheListArgs, CachePruneArgs};
use super::workspace_root::report_found_root;
use super::{output, target, workspace};
use crate::cache::{self, CacheContents, LearnedData, PruneReport, PruneRules, RemovalMode};
use crate::format::json;
use crate::format::wording::render_quantity;
use anyhow::{Context, bail};
use kenning_graph::store::WorkspaceRecord;
use kenning_indexing::workspace::{WorkspaceError, WorkspaceOptions};
use kenning_retrieval::pack::escape_control_chars;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Lists, measures, prunes or clears the cache.
pub fn run_cache(args: &CacheArgs) -> anyhow::Result<()> {
    match &args.command {
        CacheCommand::List(args) => run_list(args),
        CacheCommand::Size(args) => run_size(args),
        CacheCommand::Prune(args) => run_prune(args),
        CacheCommand::Clear(args) => run_clear(args),
    }
}

fn run_list(args: &CacheListArgs) -> anyhow::Result<()> {
    let (contents, now) = (read_contents()?, SystemTime::now());
    print_result(args.json, &cache::table_json(&contents, now), || cache::render_contents(&contents, now))
}

fn run_size(args: &CacheListArgs) -> anyhow::Result<()> {
    let contents = read_contents()?;
    print_result(args.json, &cache::size_json(&contents), || cache::render_size(&contents))
}

fn run_prune(args: &CachePruneArgs) -> anyhow::Result<()> {
    let folder = cache_folder()?;
    let prune = |mode| {
        let learned = learned_data(args.learned);
        let rules = PruneRules { is_automatic: false, older_than: args.older_than, learned, mode };
        cache::prune_cache(&folder, rules)
    };
    if args.dry_run {
        return print_report(&read_report(&folder, prune(RemovalMode::DryRun))?, args.json);
    }
    remove_after_asking(&folder, ConfirmedRemoval { yes: args.yes, json: args.json }, prune)
}

fn run_clear(args: &CacheClearArgs) -> anyhow::Result<()> {
    let (folder, learned) = (cache_folder()?, learned_data(args.learned));
    let confirm = ConfirmedRemoval { yes: args.yes, json: args.json };
    if args.all {
        let contents = read_contents()?;
        if contents.total_bytes() == 0 {
            return print_result(args.json, &cache::size_json(&contents), || cache::render_size(&contents));
        }
        return remove_after_asking(&folder, confirm, |mode| cache::clear_everything(&folder, learned, mode));
    }
    report_found_root(&args.workspace.root);
    if let Some(database) = &args.workspace.database.db {
        return clear_named_database(args, database, &folder);
    }
    let Some(index) = find_index_folder(args, &folder)? else {
        let root = args.workspace.root.display();
        return output::print_text(&format!("There is no index of {root} in the cache.\n"));
    };
    remove_after_asking(&folder, confirm, |mode| cache::clear_workspace(&folder, &index, learned, mode))
}

/// Removes the index in a database that the user named, after asking.
fn clear_named_database(args: &CacheClearArgs, database: &Path, cache: &Path) -> anyhow::Result<()> {
    let paths = workspace::data_paths(&args.workspace)?;
    if args.learned {
        bail!(
            "memory.db and runs.db beside {} may belong to several databases; delete learned data with kenning forget and runs with kenning runs clear",
            database.display()
        );
    }
    if std::fs::symlink_metadata(&paths.graph).is_err() {
        return output::print_text(&format!("There is no index in {}.\n", database.display()));
    }
    let confirm = ConfirmedRemoval { yes: args.yes, json: args.json };
    remove_after_asking(cache, confirm, |mode| {
        let name = format!("the index in {}", database.display());
        cache::clear_named_database(cache, &paths.graph, name, mode)
    })
}

/// How a removal is confirmed and reported.
#[derive(Clone, Copy)]
struct ConfirmedRemoval {
    /// Whether the user has agreed on the command line.
    yes: bool,
    json: bool,
}

/// Lists what `remove` would remove, asks, and removes it. The list is on standard error, like the
/// question.
///
/// # Errors
/// Returns an error if there is no terminal to ask on, or if an item could not be removed.
fn remove_after_asking(
    folder: &Path,
    confirm: ConfirmedRemoval,
    remove: impl Fn(RemovalMode) -> io::Result<PruneReport>,
) -> anyhow::Result<()> {
    let plan = read_report(folder, remove(RemovalMode::DryRun))?;
    if !confirm.yes && !plan.removed.is_empty() {
        let list = escape_control_chars(&cache::render_prune_report(&plan)).into_owned();
        output::print_message(&list);
        let count = render_quantity(plan.removed.len(), "item");
        if !target::can_ask() {
            bail!(
                "{count} would be removed as listed, but nothing was: there is no terminal to ask on; pass --yes to remove without a question"
            );
        }
        if !target::ask_yes_or_no(&format!("Remove {count}?"))? {
            return output::print_text("Nothing was removed.\n");
        }
    }
    if plan.removed.is_empty() {
        return print_report(&PruneReport { is_dry_run: false, ..plan }, confirm.json);
    }
    print_report(&read_report(folder, remove(RemovalMode::Remove))?, confirm.json)
}

fn read_report(folder: &Path, report: io::Result<PruneReport>) -> anyhow::Result<PruneReport> {
    report.with_context(|| describe_unreadable(folder))
}

/// Returns the folder in the cache with the index of a workspace. The workspace may no longer
/// exist.
fn find_index_folder(args: &CacheClearArgs, cache: &Path) -> anyhow::Result<Option<PathBuf>> {
    let root = &args.workspace.root;
    if root.is_dir() {
        let paths = workspace::data_paths(&args.workspace)?;
        return Ok(paths.graph.parent().filter(|folder| folder.exists()).map(Path::to_owned));
    }
    let root = std::path::absolute(root).with_context(|| format!("{} is no path", root.display()))?;
    let contents = CacheContents::read_folder(cache).with_context(|| describe_unreadable(cache))?;
    let is_root = |folder: &&cache::CacheFolder| {
        folder.record.as_ref().and_then(WorkspaceRecord::root_path).is_some_and(|path| path == root)
    };
    Ok(contents.folders.iter().filter(|folder| folder.index.is_some()).find(is_root).map(|f| f.path.clone()))
}

/// Prints the report of a removal.
///
/// # Errors
/// Returns an error if an item could not be removed.
fn print_report(report: &PruneReport, json: bool) -> anyhow::Result<()> {
    if json || !report.removed.is_empty() || report.failures.is_empty() {
        print_result(json, &cache::prune_json(report), || cache::render_prune_report(report))?;
    }
    match report.failures.as_slice() {
        [] => Ok(()),
        [(name, error)] => bail!("{name} was not removed: {error}"),
        [(name, error), others @ ..] => {
            bail!("{name} was not removed: {error} ({} more were not removed either)", others.len())
        }
    }
}

fn print_result<T: serde::Serialize>(
    is_json: bool,
    data: &T,
    render_text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    output::print_text(&if is_json {
        json::render_json(data)?
    } else {
        escape_control_chars(&render_text()).into_owned()
    })
}

fn read_contents() -> anyhow::Result<CacheContents> {
    let folder = cache_folder()?;
    CacheContents::read_folder(&folder).with_context(|| describe_unreadable(&folder))
}

fn cache_folder() -> anyhow::Result<PathBuf> {
    Ok(WorkspaceOptions::default().cache_folder().ok_or(WorkspaceError::NoCacheHome)?)
}

fn describe_unreadable(folder: &Path) -> String {
    format!("cannot read the cache in {}; make the folder readable", folder.display())
}

fn learned_data(is_deleted: bool) -> LearnedData {
    if is_deleted { LearnedData::Delete } else { LearnedData::Keep }
}
