//! Formats the contents of the cache and the results of pruning, for people and as JSON.
//!
//! In: the contents as they were read, or the report on a pruning, and the current time. Out: a
//! table or sentences, and data for JSON.
//!
//! Invariant: the sizes of the lines add up to the total, so files of unknown names also belong to
//! a line.

use super::contents::{CacheContents, CacheFolder, ItemKind};
use super::prune::{PruneReport, RemovalReason, RemovedData};
use crate::format::json::SCHEMA;
use crate::format::wording::{describe_age, group_digits, render_quantity};
use crate::freshness::format_rfc3339;
use crate::status::render_bytes;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum number of files of other programs that the text names. A folder that holds more than
/// the cache can have hundreds; JSON has all of them.
const MAX_OTHER_NAMES: usize = 5;

/// One line of the list.
#[derive(Serialize)]
struct CacheRow {
    /// `index`, `facts`, or the kind of an item.
    kind: &'static str,
    /// The workspace; absent if it is unknown or there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    /// The folder or file in the cache.
    path: String,
    bytes: u64,
    /// The number of these bytes that are learned data.
    #[serde(skip_serializing_if = "Option::is_none")]
    learned_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip)]
    age: String,
    #[serde(skip)]
    state_text: String,
    #[serde(skip)]
    label: String,
}

/// Returns the lines of the list, the largest first.
fn list_rows(contents: &CacheContents, now: SystemTime) -> Vec<CacheRow> {
    let mut rows: Vec<CacheRow> = Vec::new();
    for folder in &contents.folders {
        rows.extend(index_row(folder, now));
        rows.extend(facts_row(contents, folder, now));
    }
    rows.extend(contents.items.iter().map(|item| CacheRow {
        kind: item.kind.as_str(),
        workspace: None,
        path: item.path.display().to_string(),
        bytes: item.bytes,
        learned_bytes: None,
        last_used: None,
        state: None,
        age: String::new(),
        state_text: String::new(),
        label: match item.kind {
            ItemKind::Unknown => item.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            kind => kind.describe().to_owned(),
        },
    }));
    rows.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)).then(a.kind.cmp(b.kind)));
    rows
}

fn index_row(folder: &CacheFolder, now: SystemTime) -> Option<CacheRow> {
    let state = folder.index?;
    let workspace = folder.record.as_ref().map(|record| record.root.clone());
    let label = workspace.clone().unwrap_or_else(|| folder.name.clone());
    let note = if folder.has_graph { "" } else { " (only learned data)" };
    Some(CacheRow {
        kind: "index",
        workspace,
        path: folder.path.display().to_string(),
        // Files of unknown names are counted here, so that the lines add up to the total.
        bytes: folder.sizes.index + folder.sizes.learned + folder.sizes.unknown,
        learned_bytes: Some(folder.sizes.learned),
        last_used: folder.last_used.and_then(format_rfc3339),
        state: Some(state.as_str()),
        age: age_text(folder, now),
        state_text: state.to_string(),
        label: format!("{label}{note}"),
    })
}

fn facts_row(contents: &CacheContents, folder: &CacheFolder, now: SystemTime) -> Option<CacheRow> {
    let state = folder.facts?;
    let users = contents.users_of_facts(&folder.name);
    let label = match (users.as_slice(), &folder.record) {
        ([], None) => folder.name.clone(),
        ([], Some(record)) => format!("facts of {}", record.root),
        ([user], _) => format!("facts of {user}"),
        ([first, others @ ..], _) => {
            format!("facts of {first} and {}", render_quantity(others.len(), "other workspace"))
        }
    };
    let unknown = if folder.index.is_none() { folder.sizes.unknown } else { 0 };
    Some(CacheRow {
        kind: "facts",
        workspace: match users.as_slice() {
            [user] => Some((*user).to_owned()),
            _ => None,
        },
        path: folder.path.display().to_string(),
        bytes: folder.sizes.facts + unknown,
        learned_bytes: None,
        last_used: folder.last_used.and_then(format_rfc3339),
        state: Some(state.as_str()),
        age: age_text(folder, now),
        state_text: state.to_string(),
        label,
    })
}

fn age_text(folder: &CacheFolder, now: SystemTime) -> String {
    let seconds = folder.last_used.and_then(|used| used.duration_since(UNIX_EPOCH).ok());
    seconds.map_or_else(String::new, |used| describe_age(used.as_secs() as i64, now))
}

/// Formats the contents of the cache as a table, the largest first, with a total at the end.
pub fn render_contents(contents: &CacheContents, now: SystemTime) -> String {
    let rows = list_rows(contents, now);
    // The prune stamp is an empty file, of no interest to people.
    let rows = rows.into_iter().filter(|row| row.kind != ItemKind::PruneStamp.as_str());
    let is_other = |row: &CacheRow| row.kind == ItemKind::Unknown.as_str();
    let (others, known): (Vec<_>, Vec<_>) = rows.partition(is_other);
    let state_width = known.iter().map(|row| row.state_text.len()).max().unwrap_or_default().max(5);
    if known.is_empty() && others.is_empty() {
        return format!("The cache is empty: {}\n", contents.home.display());
    }
    let mut out = format!("{:>9}  {:<12}  {:<state_width$}  {}\n", "SIZE", "LAST USE", "STATE", "WORKSPACE");
    for CacheRow { bytes, age, state_text, label, .. } in known {
        let size = render_bytes(bytes);
        let _ = writeln!(out, "{size:>9}  {age:<12}  {state_text:<state_width$}  {label}");
    }
    if !others.is_empty() {
        let size = render_bytes(others.iter().map(|row| row.bytes).sum());
        let mut names: Vec<&str> =
            others.iter().take(MAX_OTHER_NAMES).map(|row| row.label.as_str()).collect();
        let more = render_quantity(others.len().saturating_sub(MAX_OTHER_NAMES), "more");
        if others.len() > MAX_OTHER_NAMES {
            names.push(more.trim_end_matches('s'));
        }
        let names = names.join(", ");
        let _ = writeln!(out, "{size:>9}  {:<12}  {:<state_width$}  other files: {names}", "", "");
    }
    let _ = writeln!(out, "\n{}", describe_total(contents));
    out
}

/// Formats the size of the cache in one sentence.
pub fn render_size(contents: &CacheContents) -> String {
    let bytes = contents.total_bytes();
    if bytes == 0 {
        return format!("The cache is empty: {}\n", contents.home.display());
    }
    format!("{}\n{} bytes\n", describe_total(contents), group_digits(bytes as usize))
}

fn describe_total(contents: &CacheContents) -> String {
    let indexes = match contents.index_count() {
        1 => "1 index".to_owned(),
        count => format!("{} indexes", group_digits(count)),
    };
    let facts = match contents.facts_count() {
        1 => "1 cache of facts".to_owned(),
        count => format!("{} caches of facts", group_digits(count)),
    };
    let size = render_bytes(contents.total_bytes());
    format!("{size} in {indexes} and {facts}, in {}", contents.home.display())
}

/// The JSON form of the list.
#[derive(Serialize)]
pub struct CacheTableJson {
    schema: u32,
    folder: String,
    bytes: u64,
    indexes: usize,
    entries: Vec<CacheRow>,
}

/// Returns the contents of the cache as data.
pub fn table_json(contents: &CacheContents, now: SystemTime) -> CacheTableJson {
    CacheTableJson {
        schema: SCHEMA,
        folder: contents.home.display().to_string(),
        bytes: contents.total_bytes(),
        indexes: contents.index_count(),
        entries: list_rows(contents, now),
    }
}

/// The JSON form of the size.
#[derive(Serialize)]
pub struct CacheSizeJson {
    schema: u32,
    folder: String,
    bytes: u64,
    indexes: usize,
    facts: usize,
}

/// Returns the size of the cache as data.
pub fn size_json(contents: &CacheContents) -> CacheSizeJson {
    CacheSizeJson {
        schema: SCHEMA,
        folder: contents.home.display().to_string(),
        bytes: contents.total_bytes(),
        indexes: contents.index_count(),
        facts: contents.facts_count(),
    }
}

/// Formats the result of pruning or of a dry run.
pub fn render_prune_report(report: &PruneReport) -> String {
    let mut out = String::new();
    let (verb, kept_verb) =
        if report.is_dry_run { ("Would remove", "Would keep") } else { ("Removed", "Kept") };
    for RemovedData { name, path, files, unrecognized, reason, bytes } in &report.removed {
        let _ = writeln!(out, "{verb} {name} ({}){}", render_bytes(bytes.removed), describe_reason(*reason));
        if report.is_dry_run {
            let _ = writeln!(out, "{}", describe_files(path, files));
        }
        for path in unrecognized {
            let _ = writeln!(out, "  {kept_verb} {}, which Kenning did not write", path.display());
        }
        if bytes.kept > 0 {
            let size = render_bytes(bytes.kept);
            let _ = writeln!(
                out,
                "  {kept_verb} its learned data and imported runs ({size}); --learned deletes them"
            );
        }
    }
    for (name, error) in &report.failures {
        let _ = writeln!(out, "Kept {name}: {error}");
    }
    let freed = render_bytes(report.removed.iter().map(|data| data.bytes.removed).sum());
    let left = render_bytes(report.left_bytes);
    let _ = match (report.removed.is_empty(), report.is_dry_run) {
        (true, _) => writeln!(out, "Nothing to remove; the cache takes {left}."),
        (false, true) => writeln!(out, "{freed} would be freed; the cache would take {left}."),
        (false, false) => writeln!(out, "{freed} freed; the cache now takes {left}."),
    };
    out
}

/// Names the files of a removal: their folder, and then their names.
fn describe_files(path: &Path, files: &[PathBuf]) -> String {
    let folder = files.first().and_then(|file| file.parent()).unwrap_or(path);
    let mut names: Vec<_> =
        files.iter().map(|file| file.file_name().unwrap_or_default().to_string_lossy()).collect();
    names.sort();
    format!("  in {}: {}", folder.display(), names.join(", "))
}

fn describe_reason(reason: RemovalReason) -> String {
    match reason {
        RemovalReason::WorkspaceGone => ": the folder does not exist any more".to_owned(),
        RemovalReason::OlderSchema(schema) => format!(": an older version wrote it (schema {schema})"),
        RemovalReason::Unused(time) => format!(": not used for {}", describe_days(time)),
        RemovalReason::NoIndex => ": no index uses them".to_owned(),
        RemovalReason::Asked => String::new(),
    }
}

fn describe_days(time: Duration) -> String {
    match time.as_secs() / 86_400 {
        0 => "less than a day".to_owned(),
        days => render_quantity(days as usize, "day"),
    }
}

/// The JSON form of a [`PruneReport`].
#[derive(Serialize)]
pub struct PruneReportJson {
    schema: u32,
    dry_run: bool,
    freed_bytes: u64,
    left_bytes: u64,
    removed: Vec<RemovedJson>,
    kept: Vec<KeptJson>,
}

#[derive(Serialize)]
struct RemovedJson {
    name: String,
    path: String,
    reason: &'static str,
    files: Vec<String>,
    unrecognized: Vec<String>,
    bytes: u64,
    kept_learned_bytes: u64,
}

#[derive(Serialize)]
struct KeptJson {
    name: String,
    reason: String,
}

/// Returns the result of pruning as data.
pub fn prune_json(report: &PruneReport) -> PruneReportJson {
    let reason = |reason| match reason {
        RemovalReason::WorkspaceGone => "workspace_gone",
        RemovalReason::OlderSchema(_) => "older_schema",
        RemovalReason::Unused(_) => "unused",
        RemovalReason::NoIndex => "no_index",
        RemovalReason::Asked => "asked",
    };
    let render_paths = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let removed = report.removed.iter().map(|data| RemovedJson {
        name: data.name.clone(),
        path: data.path.display().to_string(),
        files: render_paths(&data.files),
        unrecognized: render_paths(&data.unrecognized),
        reason: reason(data.reason),
        bytes: data.bytes.removed,
        kept_learned_bytes: data.bytes.kept,
    });
    let kept = report.failures.iter();
    PruneReportJson {
        schema: SCHEMA,
        dry_run: report.is_dry_run,
        freed_bytes: report.removed.iter().map(|data| data.bytes.removed).sum(),
        left_bytes: report.left_bytes,
        removed: removed.collect(),
        kept: kept.map(|(name, error)| KeptJson { name: name.clone(), reason: error.to_string() }).collect(),
    }
}
