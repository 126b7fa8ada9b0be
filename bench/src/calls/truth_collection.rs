//! Asks a language server for the definitions of sampled calls.
//!
//! The input is a sample of call sites and a command that starts the server. [`collect_truth`]
//! first waits until the server is ready: idle for a while, and able to answer a few probes. Then
//! it follows each call to its declarations, across imports and aliases. The output is one truth
//! row per site: the declarations in the workspace, or that the target is external, local or
//! unknown.

use super::repositories::JudgedRepository;
use super::sample::{SampledSite, draw_sample};
use super::syntax::{DefinitionKind, definition_kind_at, separates_definitions};
use super::truth::{FileLine, TargetKind, TruthRow};
use anyhow::{Context, bail};
use kenning_enrichment::client::{ClientError, LanguageServer, LaunchSpec, Uri};
use kenning_enrichment::servers::{all_languages, find_program, language_by_id};
use kenning_enrichment::{DefinitionLocation, request_definitions};
use kenning_graph::positions::PositionEncoding;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tree_sitter::{Point, Tree};

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout of the server's initialization.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout for loading the workspace.
const LOAD_TIMEOUT: Duration = Duration::from_secs(1200);
/// Idle time after which the server counts as having loaded the workspace.
const IDLE_TIME: Duration = Duration::from_secs(5);
/// Maximum length of a chain of imports and aliases between a call and its declaration. Re-exports
/// can form a cycle.
const MAX_HOPS: u32 = 6;
/// Maximum number of calls that probe whether the server is ready, because a server may know
/// nothing about some calls.
const MAX_PROBES: usize = 20;

/// The sample to ask a server about, and how to start the server.
pub struct SampleRequest<'a> {
    /// The repository.
    pub repository: &'a JudgedRepository,
    /// A copy of its tree, with its dependencies installed.
    pub root: PathBuf,
    /// The number of the sample.
    pub sample: u32,
    /// Settings of the server, by section.
    pub settings: Value,
    /// Initialization options of the server.
    pub options: Option<Value>,
}

/// Returns the truth about a sample of a tree's call sites, in the order of the sites.
///
/// # Errors
/// Fails if the server cannot be started, is not ready in time, or ends.
pub async fn collect_truth(request: SampleRequest<'_>) -> anyhow::Result<Vec<TruthRow>> {
    let sites = draw_sample(request.repository, &request.root, request.sample)?;
    let server = start_server(&request).await?;
    let mut client = DefinitionClient {
        root: request.root,
        server,
        files: BTreeMap::new(),
        opened: BTreeSet::new(),
        extractor: Extractor::new(),
        failed_requests: 0,
    };
    client.wait_until_ready(&sites).await?;
    let mut rows = Vec::new();
    let began = Instant::now();
    for (index, site) in sites.iter().enumerate() {
        rows.push(client.collect_truth_row(site).await?);
        if index % 50 == 49 {
            tracing::info!("{} of {} sites after {:.0?}", index + 1, sites.len(), began.elapsed());
        }
    }
    if client.failed_requests > 0 {
        tracing::warn!("{} requests had no answer", client.failed_requests);
    }
    client.server.shut_down(Duration::from_secs(20)).await?;
    Ok(rows)
}

/// Starts and initializes the server of a repository, in the tree of the request.
async fn start_server(request: &SampleRequest<'_>) -> anyhow::Result<LanguageServer> {
    let name = request.repository.server.as_str();
    let mut known = all_languages().iter().flat_map(|language| &language.servers);
    let server =
        known.find(|server| server.name == name).with_context(|| format!("no server is called {name}"))?;
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let (program, arguments) = server.command.split_first().context("a server has a command")?;
    let program = find_program(program, &folders).with_context(|| {
        format!("{program} is not on PATH: {} (or run bench/scripts/servers)", server.install)
    })?;
    let launch = LaunchSpec {
        program,
        arguments: arguments.iter().map(Into::into).collect(),
        folder: request.root.clone(),
        ..LaunchSpec::default()
    };
    Ok(LanguageServer::launch_and_initialize(
        &launch,
        request.settings.clone(),
        request.options.clone(),
        START_TIMEOUT,
    )
    .await?)
}

/// A file of the workspace with its syntax tree.
struct ParsedFile {
    text: String,
    /// The id of the file's language; empty if it is unknown.
    language: &'static str,
    tree: Option<Tree>,
    uri: Uri,
}

impl ParsedFile {
    fn line_text(&self, line: u32) -> &str {
        self.text.split('\n').nth(line as usize).unwrap_or("")
    }
}

/// A client of one running server, with the documents that it opened there.
struct DefinitionClient {
    root: PathBuf,
    server: LanguageServer,
    files: BTreeMap<String, ParsedFile>,
    opened: BTreeSet<String>,
    extractor: Extractor,
    failed_requests: usize,
}

/// A position in a file of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FilePosition {
    path: String,
    /// Line from 0.
    line: u32,
    /// Byte column from 0.
    column: u32,
}

/// The targets of a call, with their kind.
struct CallTargets {
    kind: TargetKind,
    /// The declarations in the workspace.
    declarations: Vec<FileLine>,
}

/// The server's answer to one request for definitions, before imports are followed.
struct DefinitionAnswer {
    /// Definitions in the workspace.
    workspace_positions: BTreeSet<FilePosition>,
    is_external: bool,
}

fn site_position(site: &SampledSite) -> FilePosition {
    FilePosition { path: site.path.clone(), line: site.line, column: site.column }
}

fn position_at(path: &str, at: Point) -> FilePosition {
    FilePosition { path: path.to_owned(), line: at.row as u32, column: at.column as u32 }
}

/// Returns at most [`MAX_PROBES`] indices of sites, spread evenly over all of them.
fn probe_indices(site_count: usize) -> impl ExactSizeIterator<Item = usize> {
    let count = site_count.min(MAX_PROBES);
    (0..count).map(move |n| n * site_count / count)
}

impl DefinitionClient {
    /// Waits until the server has been idle for a while and answers a request with a definition in
    /// the workspace.
    async fn wait_until_ready(&mut self, sites: &[SampledSite]) -> anyhow::Result<()> {
        if let Some(first) = sites.first() {
            self.open_document(&first.path)?;
        }
        let idle = self.server.lsp_client().server_activity().wait_for_idle(IDLE_TIME);
        if tokio::time::timeout(LOAD_TIMEOUT, idle).await.is_err() {
            bail!(
                "the server is still busy after {LOAD_TIMEOUT:?}: {:?}",
                self.server.lsp_client().server_activity().current_progress()
            );
        }
        tracing::info!(
            "idle; finished work: {}",
            self.server.lsp_client().server_activity().current_progress().finished
        );
        let probes = probe_indices(sites.len());
        let probe_count = probes.len();
        for site in probes.map(|index| &sites[index]) {
            let answer = self.request_answer(&site_position(site)).await?;
            if !answer.workspace_positions.is_empty() {
                return Ok(());
            }
        }
        bail!(
            "the server found no definition for {probe_count} calls; its last messages: {:?}",
            self.server.lsp_client().server_activity().recent_messages()
        )
    }

    async fn collect_truth_row(&mut self, site: &SampledSite) -> anyhow::Result<TruthRow> {
        let CallTargets { kind, declarations } = self.find_targets(site).await?;
        Ok(TruthRow {
            location: FileLine { path: site.path.clone(), line: site.line + 1 },
            column: site.column + 1,
            name: site.name.clone(),
            verdict: kind,
            targets: declarations,
            reason: String::new(),
        })
    }

    /// Follows a call to its declarations.
    async fn find_targets(&mut self, site: &SampledSite) -> anyhow::Result<CallTargets> {
        let mut targets: BTreeSet<FileLine> = BTreeSet::new();
        let (mut is_external, mut is_local) = (false, false);
        let mut seen: BTreeSet<FilePosition> = BTreeSet::new();
        let mut pending = vec![(site_position(site), 0)];
        while let Some((position, hop)) = pending.pop() {
            let answer = self.request_answer(&position).await?;
            is_external |= answer.is_external;
            for position in answer.workspace_positions {
                if !seen.insert(position.clone()) {
                    continue;
                }
                let declaration = FileLine { path: position.path.clone(), line: position.line + 1 };
                match self.definition_kind(&position) {
                    DefinitionKind::Symbol => {
                        targets.insert(declaration);
                        // For a definition, the server returns its declaration, and vice versa.
                        if hop < MAX_HOPS && separates_definitions(&site.language) {
                            pending.push((position, hop + 1));
                        }
                    }
                    DefinitionKind::Local => is_local = true,
                    DefinitionKind::Import if hop < MAX_HOPS => pending.push((position, hop + 1)),
                    DefinitionKind::Alias { value, is_local }
                        if hop < MAX_HOPS
                            && self.has_definition(&position_at(&position.path, value)).await? =>
                    {
                        // A variable of a module or a class is a symbol, and so is its value.
                        if !is_local {
                            targets.insert(declaration);
                        }
                        pending.push((position_at(&position.path, value), hop + 1));
                    }
                    // An alias whose value has no definition is itself the target.
                    DefinitionKind::Alias { is_local: true, .. } => is_local = true,
                    DefinitionKind::Alias { .. } => {
                        targets.insert(declaration);
                    }
                    DefinitionKind::Import => {}
                }
            }
        }
        let kind = if !targets.is_empty() {
            TargetKind::Workspace
        } else if is_local {
            TargetKind::Local
        } else if is_external {
            TargetKind::External
        } else {
            TargetKind::None
        };
        Ok(CallTargets { kind, declarations: targets.into_iter().collect() })
    }

    async fn has_definition(&mut self, position: &FilePosition) -> anyhow::Result<bool> {
        let answer = self.request_answer(position).await?;
        Ok(answer.is_external || !answer.workspace_positions.is_empty())
    }

    fn definition_kind(&mut self, position: &FilePosition) -> DefinitionKind {
        // If the file cannot be read, the server's answer is used as it is.
        let Ok(file) = self.parsed_file(&position.path) else { return DefinitionKind::Symbol };
        let point = Point { row: position.line as usize, column: position.column as usize };
        file.tree.as_ref().map_or(DefinitionKind::Symbol, |tree| definition_kind_at(tree.root_node(), point))
    }

    /// Asks the server for the definitions of the name at a position.
    async fn request_answer(&mut self, position: &FilePosition) -> anyhow::Result<DefinitionAnswer> {
        let FilePosition { path, line, column } = position;
        self.open_document(path)?;
        let encoding = self.server.position_encoding();
        let file = self.parsed_file(path)?;
        let character = encoding.column_at_byte(file.line_text(*line), *column as usize);
        let uri = file.uri.clone();
        let found = match request_definitions(&self.server, &uri, *line, character, REQUEST_TIMEOUT).await {
            Ok(found) => found,
            Err(error @ ClientError::Disconnected(_)) => return Err(error.into()),
            Err(error) => {
                tracing::warn!("{path}:{}:{}: {error}", line + 1, column + 1);
                self.failed_requests += 1;
                Vec::new()
            }
        };
        Ok(self.build_answer(found, encoding))
    }

    /// Converts the found definitions to positions in the workspace, and records whether any is
    /// outside it.
    fn build_answer(
        &mut self,
        found: Vec<DefinitionLocation>,
        encoding: PositionEncoding,
    ) -> DefinitionAnswer {
        let mut answer = DefinitionAnswer { workspace_positions: BTreeSet::new(), is_external: false };
        for DefinitionLocation { file, line, character } in found {
            let Some(path) = file.and_then(|file| self.workspace_path(&file)) else {
                answer.is_external = true;
                continue;
            };
            let column = self
                .parsed_file(&path)
                .map_or(0, |file| encoding.byte_at_column(file.line_text(line), character));
            answer.workspace_positions.insert(FilePosition { path, line, column: column as u32 });
        }
        answer
    }

    /// Returns the path of a file in the workspace, or `None` for a file outside it, in an installed
    /// dependency or in build output, or of an unknown language.
    fn workspace_path(&self, file: &Path) -> Option<String> {
        let path = file.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/");
        let installed =
            path.split('/').any(|part| matches!(part, "node_modules" | "site-packages" | "target"));
        (!installed && LanguageRegistry::get().find_by_path(&path).is_some()).then_some(path)
    }

    fn open_document(&mut self, path: &str) -> anyhow::Result<()> {
        if !self.opened.insert(path.to_owned()) {
            return Ok(());
        }
        let file = self.parsed_file(path)?;
        let id = language_by_id(file.language).map_or(file.language, |language| language.document_id(path));
        let (uri, text) = (file.uri.clone(), file.text.clone());
        Ok(self.server.open_document(uri, id, &text)?)
    }

    fn parsed_file(&mut self, path: &str) -> anyhow::Result<&ParsedFile> {
        if !self.files.contains_key(path) {
            let file = read_file(&self.root, path, &mut self.extractor)?;
            self.files.insert(path.to_owned(), file);
        }
        self.files.get(path).context("the file was inserted above")
    }
}

fn read_file(root: &Path, path: &str, extractor: &mut Extractor) -> anyhow::Result<ParsedFile> {
    let absolute = root.join(path);
    let text = std::fs::read_to_string(&absolute).with_context(|| absolute.display().to_string())?;
    let language = LanguageRegistry::get().find_by_file(path, text.as_bytes());
    let language = language.map_or("", |language| language.language_id());
    let tree = extractor.extract_with_tree(language, text.as_bytes(), None).tree;
    let uri =
        Uri::from_file_path(&absolute).with_context(|| format!("{} is not a URI", absolute.display()))?;
    Ok(ParsedFile { text, language, tree, uri })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_bounded_and_spread_evenly() {
        for (sites, probes) in [(0, 0), (1, 1), (20, 20), (21, 20), (39, 20), (400, 20)] {
            assert_eq!(probe_indices(sites).len(), probes, "{sites} sites");
        }
        assert_eq!(probe_indices(3).collect::<Vec<_>>(), [0, 1, 2]);
        let spread: Vec<usize> = probe_indices(40).collect();
        assert_eq!(spread[..3], [0, 2, 4]);
        assert_eq!(spread.last(), Some(&38));
    }
}
