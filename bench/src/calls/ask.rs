//! Asks a language server for the definitions of sampled calls.

use super::repositories::Repository;
use super::sample::{Site, sample};
use super::syntax::{Defined, defined_at};
use super::truth::{Place, Row, Verdict};
use anyhow::{Context, bail};
use kenning_enrichment::client::{ClientError, LanguageServer, LaunchSpec, Uri};
use kenning_enrichment::request_definitions;
use kenning_enrichment::servers::{all_languages, find_program};
use kenning_graph::positions::PositionEncoding;
use kenning_indexing::extract::Extractor;
use kenning_indexing::languages::LanguageRegistry;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tree_sitter::{Point, Tree};

/// Timeout of one question.
const QUESTION: Duration = Duration::from_secs(60);
/// Timeout of the server's initialisation.
const START: Duration = Duration::from_secs(120);
/// Timeout for loading the workspace.
const LOAD: Duration = Duration::from_secs(1200);
/// Idle time after which the server counts as having loaded the workspace.
const QUIET: Duration = Duration::from_secs(5);
/// Maximum number of imports and aliases that are followed in sequence.
const HOPS: u32 = 6;
/// Maximum number of calls that are tried to find out whether the server answers.
const PROBES: usize = 20;

/// The input of a run.
pub struct Asking<'a> {
    /// The row of the tree in the table.
    pub repository: &'a Repository,
    /// A copy of the tree, with its dependencies installed.
    pub root: PathBuf,
    /// The number of the sample.
    pub sample: u32,
    /// Settings of the server, by section.
    pub settings: Value,
    /// Initialisation options of the server.
    pub options: Option<Value>,
}

/// Returns the truth about a sample of a tree's call sites, in the order of the sites.
///
/// # Errors
/// Fails if the server cannot be started, is not ready in time, or ends.
pub async fn ask(asking: Asking<'_>) -> anyhow::Result<Vec<Row>> {
    let sites = sample(asking.repository, &asking.root, asking.sample)?;
    let server = start(&asking).await?;
    let mut inquiry = Inquiry {
        root: asking.root,
        server,
        files: BTreeMap::new(),
        opened: BTreeSet::new(),
        extractor: Extractor::new(),
        failed: 0,
    };
    inquiry.wait_until_ready(&sites).await?;
    let mut rows = Vec::new();
    let began = Instant::now();
    for (index, site) in sites.iter().enumerate() {
        rows.push(inquiry.row(site).await?);
        if index % 50 == 49 {
            tracing::info!("{} of {} sites after {:.0?}", index + 1, sites.len(), began.elapsed());
        }
    }
    if inquiry.failed > 0 {
        tracing::warn!("{} questions had no answer", inquiry.failed);
    }
    inquiry.server.shut_down(Duration::from_secs(20)).await?;
    Ok(rows)
}

async fn start(asking: &Asking<'_>) -> anyhow::Result<LanguageServer> {
    let name = asking.repository.server.as_str();
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
        folder: asking.root.clone(),
        ..LaunchSpec::default()
    };
    Ok(LanguageServer::launch_and_initialize(&launch, asking.settings.clone(), asking.options.clone(), START)
        .await?)
}

/// A file of the workspace with its syntax tree.
struct File {
    text: String,
    tree: Option<Tree>,
    uri: Uri,
}

impl File {
    fn line(&self, line: u32) -> &str {
        self.text.split('\n').nth(line as usize).unwrap_or("")
    }
}

/// A running server and the documents that are open in it.
struct Inquiry {
    root: PathBuf,
    server: LanguageServer,
    files: BTreeMap<String, File>,
    opened: BTreeSet<String>,
    extractor: Extractor,
    failed: usize,
}

/// The definitions that a question leads to, before imports are followed.
struct Answer {
    /// Definitions in the workspace: path, line from 0, byte column from 0.
    inside: BTreeSet<(String, u32, u32)>,
    outside: bool,
}

impl Inquiry {
    /// Waits until the server is idle for a while and answers a question with a definition in the
    /// workspace.
    async fn wait_until_ready(&mut self, sites: &[Site]) -> anyhow::Result<()> {
        if let Some(first) = sites.first() {
            self.open(&first.path)?;
        }
        let idle = self.server.lsp_client().server_activity().wait_for_idle(QUIET);
        if tokio::time::timeout(LOAD, idle).await.is_err() {
            bail!(
                "the server is still busy after {LOAD:?}: {:?}",
                self.server.lsp_client().server_activity().current_progress()
            );
        }
        tracing::info!(
            "idle; finished work: {}",
            self.server.lsp_client().server_activity().current_progress().finished
        );
        for site in sites.iter().step_by((sites.len() / PROBES).max(1)) {
            let answer = self.definitions(&site.path, site.line, site.column).await?;
            if !answer.inside.is_empty() {
                return Ok(());
            }
        }
        bail!(
            "the server knows the definition of none of {PROBES} calls; it said: {:?}",
            self.server.lsp_client().server_activity().recent_messages()
        )
    }

    async fn row(&mut self, site: &Site) -> anyhow::Result<Row> {
        let (verdict, targets) = self.truth(site).await?;
        Ok(Row {
            place: Place { path: site.path.clone(), line: site.line + 1 },
            column: site.column + 1,
            name: site.name.clone(),
            verdict,
            targets,
            reason: String::new(),
        })
    }

    /// Follows a call to its declarations. Returns the verdict and the declarations in the
    /// workspace.
    async fn truth(&mut self, site: &Site) -> anyhow::Result<(Verdict, Vec<Place>)> {
        let mut targets: BTreeSet<Place> = BTreeSet::new();
        let (mut outside, mut local) = (false, false);
        let mut seen: BTreeSet<(String, u32, u32)> = BTreeSet::new();
        let mut open = vec![((site.path.clone(), site.line, site.column), 0)];
        while let Some(((path, line, column), hop)) = open.pop() {
            let answer = self.definitions(&path, line, column).await?;
            outside |= answer.outside;
            for place in answer.inside {
                if !seen.insert(place.clone()) {
                    continue;
                }
                let (path, line, column) = &place;
                match self.defined(path, *line, *column) {
                    Defined::Symbol => {
                        targets.insert(Place { path: path.clone(), line: line + 1 });
                    }
                    Defined::Local => local = true,
                    Defined::Import if hop < HOPS => open.push((place, hop + 1)),
                    Defined::Alias { value, local } if hop < HOPS && self.knows(path, value).await? => {
                        // A variable of a module or a class is a symbol, and so is the thing that
                        // it is an alias of.
                        if !local {
                            targets.insert(Place { path: path.clone(), line: line + 1 });
                        }
                        open.push(((path.clone(), value.row as u32, value.column as u32), hop + 1));
                    }
                    // An alias whose value has no further definition is itself the called thing.
                    Defined::Alias { local: true, .. } => local = true,
                    Defined::Alias { .. } => {
                        targets.insert(Place { path: path.clone(), line: line + 1 });
                    }
                    Defined::Import => {}
                }
            }
        }
        let verdict = if !targets.is_empty() {
            Verdict::Workspace
        } else if local {
            Verdict::Local
        } else if outside {
            Verdict::External
        } else {
            Verdict::None
        };
        Ok((verdict, targets.into_iter().collect()))
    }

    async fn knows(&mut self, path: &str, at: Point) -> anyhow::Result<bool> {
        let answer = self.definitions(path, at.row as u32, at.column as u32).await?;
        Ok(answer.outside || !answer.inside.is_empty())
    }

    fn defined(&mut self, path: &str, line: u32, column: u32) -> Defined {
        // If the file cannot be read, the server's answer is used as it is.
        let Ok(file) = self.file(path) else { return Defined::Symbol };
        let point = Point { row: line as usize, column: column as usize };
        file.tree.as_ref().map_or(Defined::Symbol, |tree| defined_at(tree.root_node(), point))
    }

    /// Asks the server for the definitions of the name at a place.
    async fn definitions(&mut self, path: &str, line: u32, column: u32) -> anyhow::Result<Answer> {
        self.open(path)?;
        let encoding = self.server.position_encoding();
        let file = self.file(path)?;
        let character = encoding.column_at_byte(file.line(line), column as usize);
        let uri = file.uri.clone();
        let found = match request_definitions(&self.server, &uri, (line, character), QUESTION).await {
            Ok(found) => found,
            Err(error @ ClientError::Gone(_)) => return Err(error.into()),
            Err(error) => {
                tracing::warn!("{path}:{}:{}: {error}", line + 1, column + 1);
                self.failed += 1;
                Vec::new()
            }
        };
        Ok(self.answer(found, encoding))
    }

    fn answer(&mut self, found: Vec<(Option<PathBuf>, u32, u32)>, encoding: PositionEncoding) -> Answer {
        let mut answer = Answer { inside: BTreeSet::new(), outside: false };
        for (file, line, character) in found {
            let Some(path) = file.and_then(|file| self.path_of(&file)) else {
                answer.outside = true;
                continue;
            };
            let column =
                self.file(&path).map_or(0, |file| encoding.byte_at_column(file.line(line), character));
            answer.inside.insert((path, line, column as u32));
        }
        answer
    }

    /// Returns the path of a file of the workspace. Returns `None` for anything outside, including
    /// installed dependencies.
    fn path_of(&self, file: &Path) -> Option<String> {
        let path = file.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/");
        let installed =
            path.split('/').any(|part| matches!(part, "node_modules" | "site-packages" | "target"));
        (!installed && LanguageRegistry::get().find_by_path(&path).is_some()).then_some(path)
    }

    fn open(&mut self, path: &str) -> anyhow::Result<()> {
        if !self.opened.insert(path.to_owned()) {
            return Ok(());
        }
        let id =
            LanguageRegistry::get().find_by_path(path).map_or("", |language| match language.language_id() {
                "tsx" => "typescriptreact",
                id => id,
            });
        let file = self.file(path)?;
        let (uri, text) = (file.uri.clone(), file.text.clone());
        Ok(self.server.open_document(uri, id, &text)?)
    }

    fn file(&mut self, path: &str) -> anyhow::Result<&File> {
        if !self.files.contains_key(path) {
            let file = read(&self.root, path, &mut self.extractor)?;
            self.files.insert(path.to_owned(), file);
        }
        self.files.get(path).context("it was just put there")
    }
}

fn read(root: &Path, path: &str, extractor: &mut Extractor) -> anyhow::Result<File> {
    let absolute = root.join(path);
    let text = std::fs::read_to_string(&absolute).with_context(|| absolute.display().to_string())?;
    let language = LanguageRegistry::get().find_by_path(path).map_or("", |language| language.language_id());
    let tree = extractor.extract_with_tree(language, text.as_bytes(), None).tree;
    let uri = Uri::from_file_path(&absolute).with_context(|| format!("{} is no URI", absolute.display()))?;
    Ok(File { text, tree, uri })
}
