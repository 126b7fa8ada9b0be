//! `kenning enrich`: asks language servers to confirm and complete the graph, and reports the
//! outcome.
//!
//! In: the workspace, updated from the disk, and the settings of servers. Out: stored verdicts, and
//! a report on each server. Starts the thread that stores answers, asks the servers until every
//! question has an answer or has failed, ends the servers, and waits for the thread.
//!
//! Invariant: only the process that writes the index asks servers.

use super::args::EnrichArgs;
use super::delivery::print_report;
use super::progress::TerminalProgress;
use super::{configuration, output, workspace};
use crate::config::trust::TrustStore;
use crate::enrich::{BatchingSink, LiveWorkspace, ServerReport, WorkspaceState, server_overrides};
use crate::format::wording::{describe_provenance, group_digits};
use crate::terminal::report_text::{ReportLine, ReportText};
use crate::terminal::screen::NAME_STYLE;
use anyhow::{Context, bail};
use kenning_enrichment::{Enrichment, EnrichmentConfig, ServerStatus};
use kenning_graph::{Provenance, Snapshot};
use kenning_indexing::reader_threads::READER_STACK_BYTES;
use kenning_indexing::workspace::{IndexProgress, Workspace, remove_test_only_edges};
use kenning_retrieval::pack::escape_control_chars;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The interval at which the progress line is updated.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Updates the index from the disk, asks the servers every question that has no answer yet, and
/// prints the contribution of each server.
pub fn run_enrich(args: &EnrichArgs) -> anyhow::Result<()> {
    let mut opened = workspace::open_workspace(&args.root.workspace_args())?;
    workspace::refresh_for_answer(&mut opened)?;
    if !opened.is_writer() {
        bail!(
            "another Kenning process serves {} and uses its language servers; run kenning.enrich there, or end that process",
            opened.root_path().display()
        );
    }
    let config = build_supervisor_config(args, &opened)?;
    let opened = Arc::new(Mutex::new(opened));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(READER_STACK_BYTES)
        .build();
    let runtime = runtime.context("cannot start the threads that talk to language servers")?;
    let servers = runtime.block_on(ask_servers(args, config, &opened))?;
    let (snapshot, root) = {
        let opened = lock_workspace(&opened);
        (opened.current_snapshot(), opened.root_path().to_owned())
    };
    let report = ServerReport::collect_reports(&snapshot, servers);
    let text = build_report_text(&report, &root, &snapshot);
    let plain = || escape_control_chars(&text.to_plain()).into_owned();
    print_report(&root, args.format, &report, plain, |screen| text.render(screen))
}

/// Builds the text: a line for each server, and the number of edges per provenance.
fn build_report_text(servers: &[ServerReport], root: &Path, snapshot: &Snapshot) -> ReportText {
    if servers.is_empty() {
        let outcome = " has no file for which Kenning knows a language server";
        return ReportLine::default().with_folder(root).with_text(outcome).into();
    }
    let mut text = ReportText::default();
    for server in servers {
        text.push_line(server.build_line());
    }
    text.push_line(describe_provenances(snapshot));
    text
}

fn lock_workspace(workspace: &Mutex<Workspace>) -> MutexGuard<'_, Workspace> {
    workspace.lock().unwrap_or_else(PoisonError::into_inner)
}

fn build_supervisor_config(args: &EnrichArgs, workspace: &Workspace) -> anyhow::Result<EnrichmentConfig> {
    let config = configuration::effective_config(workspace.root_path()).config;
    let trusted =
        args.trust || TrustStore::for_user().and_then(|store| store.is_trusted(workspace.root_path()))?;
    if let Some(name) = &args.server {
        let servers = kenning_enrichment::servers::all_languages().iter().flat_map(|row| &row.servers);
        let mut names: Vec<&str> = servers.map(|server| server.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if !names.contains(&name.as_str()) {
            bail!("no language server is named {name:?}; choose one of: {}", names.join(", "));
        }
    }
    Ok(EnrichmentConfig {
        trusted,
        servers: server_overrides(&config),
        only: args.server.clone(),
        ..EnrichmentConfig::default()
    })
}

async fn ask_servers(
    args: &EnrichArgs,
    config: EnrichmentConfig,
    workspace: &Arc<Mutex<Workspace>>,
) -> anyhow::Result<Vec<ServerStatus>> {
    let sink = Arc::new(start_sink(workspace).context("cannot start the thread that stores answers")?);
    let source = Arc::new(create_workspace_source(workspace));
    let enrichment = Enrichment::new(config, source, sink.clone());
    enrichment.start_sweep(args.limit);
    let waiting = || enrichment.server_statuses().iter().map(|server| server.waiting).sum::<usize>();
    let total = waiting();
    let progress = TerminalProgress::new();
    {
        let settled = enrichment.wait_until_questions_answered();
        tokio::pin!(settled);
        while tokio::time::timeout(PROGRESS_INTERVAL, &mut settled).await.is_err() {
            progress.report_progress("ask", total.saturating_sub(waiting()), total);
        }
    }
    let servers = enrichment.server_statuses();
    enrichment.shutdown_servers().await;
    let finish = tokio::task::spawn_blocking(move || sink.finish_and_join());
    finish.await.context("cannot store the answers")?;
    Ok(servers)
}

/// Starts the thread that stores the servers' answers and adds them to the snapshot.
fn start_sink(workspace: &Arc<Mutex<Workspace>>) -> std::io::Result<BatchingSink> {
    let shared = Arc::clone(workspace);
    BatchingSink::start_thread(move |mut verdicts| {
        let mut workspace = lock_workspace(&shared);
        let snapshot = workspace.current_snapshot();
        for verdict in &mut verdicts {
            remove_test_only_edges(&snapshot, verdict);
        }
        if let Err(error) = workspace.insert_verdicts(&verdicts) {
            output::print_warning(&format!("a language server's answers were not stored: {error}"));
        }
    })
}

/// Creates the source through which the supervisor of the servers reads the workspace.
fn create_workspace_source(workspace: &Arc<Mutex<Workspace>>) -> LiveWorkspace {
    let (root, shared) = (lock_workspace(workspace).root_path().to_owned(), Arc::clone(workspace));
    LiveWorkspace::new(root, move || {
        let workspace = lock_workspace(&shared);
        let (snapshot, text) = (workspace.current_snapshot(), workspace.text_source());
        let graph = snapshot.clone();
        WorkspaceState {
            snapshot,
            project: workspace.current_project(),
            open_text: Box::new(|_| None),
            facts: Box::new(move |path| {
                let id = graph.file_by_path(path)?;
                let file = graph.file(id)?;
                graph.file_facts(id).or_else(|| text.file_facts(path, file.language, &file.content_hash))
            }),
        }
    })
}

/// Describes the number of edges per provenance.
fn describe_provenances(snapshot: &Snapshot) -> ReportLine {
    let counts = snapshot.compute_counts();
    let mut line = ReportLine::labeled("Links of the graph: ");
    for (at, (name, &count)) in counts.edges_by_provenance.iter().enumerate() {
        let words = Provenance::parse(name).map_or(*name, describe_provenance);
        let separator = if at == 0 { "" } else { ", " };
        line = line
            .with_text(separator)
            .with_words(group_digits(count), NAME_STYLE)
            .with_text(format!(" {words}"));
    }
    line.with_text(".")
}
