//! `kenning agents hook`: adds context to what an agent does.
//!
//! A hook runs on every search of an agent, so it must never hinder one: it reads only the index that
//! exists, gives up after a short time, prints nothing unless a hit is certain, and always ends with
//! status 0, also on wrong usage, errors and panics.

use super::args::{DatabaseArgs, WorkspaceArgs};
use super::workspace_root::find_default_root;
use super::{configuration, output, workspace};
use crate::agents::hook_message::{HookInput, ReplyForm, START_CONTEXT};
use crate::answer::{AnswerSources, workspace_facts};
use crate::cancel::CancelToken;
use crate::format::search::SearchJson;
use crate::format::symbol_locations::NoDocuments;
use crate::ranking_choice::choose_ranking;
use crate::workspace_search::{
    SearchModeName, SearchQuestion, SearchScopeName, SearchedWorkspace, search_workspace,
};
use kenning_retrieval::search::LimitOverrides;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Maximum time of a hook. After it, the process ends without an answer.
const HOOK_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum size of the input in bytes; the arguments of a tool are smaller.
const MAX_INPUT: u64 = 1 << 20;
/// Least score of a hit: that of a name that the pattern spells.
const MIN_SCORE: f64 = 0.7;
/// Maximum number of hits.
const MAX_HITS: usize = 5;

/// Answers a hook on standard output. `words` are `search` or `start`, and `--flat`.
pub fn answer_hook(words: &[String]) {
    let (sender, receiver) = mpsc::channel();
    let words = words.to_vec();
    // A panic in the thread closes the channel, and the timeout ends the process with its thread.
    let started = thread::Builder::new().spawn(move || {
        let _ = sender.send(build_reply(&words));
    });
    if started.is_err() {
        return;
    }
    if let Ok(Some(reply)) = receiver.recv_timeout(HOOK_TIMEOUT) {
        let _ = output::print_text(&reply);
    }
}

fn build_reply(words: &[String]) -> Option<String> {
    let mut text = String::new();
    std::io::stdin().lock().take(MAX_INPUT).read_to_string(&mut text).ok()?;
    let input = HookInput::parse_input(&text)?;
    let form = if words.iter().any(|word| word == "--flat") { ReplyForm::Flat } else { ReplyForm::Nested };
    let folder = Path::new(input.working_folder()?);
    let root = find_default_root(folder)?;
    let context = match words.first()?.as_str() {
        "start" => START_CONTEXT.to_owned(),
        "search" => find_symbols(&root, &input.pattern_words())?,
        _ => return None,
    };
    input.render_reply(&context, form)
}

/// Searches the index of the workspace as it is. Returns `None` if there is no index or no certain
/// hit.
fn find_symbols(root: &Path, words: &[String]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let database = DatabaseArgs { db: std::env::var_os("KENNING_DB").map(PathBuf::from) };
    let args = WorkspaceArgs { root: root.to_owned(), database };
    if !workspace::data_paths(&args).ok()?.graph.exists() {
        return None;
    }
    let mut opened = workspace::open_reported_workspace(&args).ok()?;
    if opened.needs_rebuild() || opened.indexed_at().is_none() {
        return None;
    }
    opened.read_manifests();
    let config = configuration::effective_config(root).config;
    let question = SearchQuestion {
        query: words.join(" "),
        scope: SearchScopeName::Code,
        mode: SearchModeName::Keyword.mode(),
        overrides: LimitOverrides {
            max_results: Some(MAX_HITS),
            min_score: Some(MIN_SCORE),
            bfs_depth: Some(0),
            ..LimitOverrides::default()
        },
        config: Arc::new(choose_ranking(None, &config)),
    };
    let snapshot = opened.current_snapshot();
    let text = opened.text_source();
    let facts = workspace_facts(&opened.current_project(), &config);
    let sources = AnswerSources { text: Some(&text), workspace: Some(&facts), ..AnswerSources::default() };
    let searched = SearchedWorkspace {
        root: opened.root_path(),
        exclude: &config.index.exclude,
        snapshot: &snapshot,
        sources,
        knowledge: None,
    };
    let found = search_workspace(&searched, &question, &CancelToken::default()).ok()?;
    let freshness = workspace::build_freshness(&opened);
    let answer = SearchJson::new(&question.query, &found, &snapshot, &freshness, &NoDocuments);
    let first = answer.hits.first()?;
    let mut context = format!("Kenning's index has for `{}`:\n", question.query);
    for hit in &answer.hits {
        let line = hit.line.map_or_else(String::new, |line| format!(":{line}"));
        let _ = writeln!(context, "- {}{line} {} `{}` {}", hit.file, hit.kind, hit.name, hit.signature);
    }
    let _ = write!(context, "`kenning blast {}` lists callers and tests.", first.name);
    Some(context)
}
