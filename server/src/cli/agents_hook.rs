//! `kenning agents hook`: adds context to the sessions and searches of an agent.
//!
//! A hook runs on every search of an agent, so it must never hinder one: it reads only an existing
//! index, gives up after a short time, prints nothing unless a hit is certain, and always ends with
//! status 0, also on wrong usage, errors and panics.

use super::args::{DatabaseArgs, WorkspaceArgs};
use super::workspace_root::find_default_root;
use super::{configuration, output, workspace};
use crate::agents::hook_message::{HookInput, ReplyForm, START_CONTEXT};
use crate::answer::{AnswerSources, workspace_facts};
use crate::cancel::CancelToken;
use crate::format::search::SearchJson;
use crate::format::search_lines::shorten_line;
use crate::format::symbol_locations::NoDocuments;
use crate::ranking_choice::choose_ranking;
use crate::workspace_search::{
    SearchModeName, SearchQuestion, SearchScopeName, SearchedWorkspace, search_workspace,
};
use kenning_indexing::reader_threads::reader_thread;
use kenning_retrieval::RankConfig;
use kenning_retrieval::search::LimitOverrides;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// The maximum time of a hook. After it, the process ends without an answer.
const HOOK_TIMEOUT: Duration = Duration::from_secs(2);

/// The maximum size of the input in bytes. The arguments of a tool are smaller unless they contain
/// whole files.
const MAX_INPUT: u64 = 1 << 20;

/// The maximum number of hits in the context. Common names have thousands of hits.
const MAX_HITS: usize = 5;

/// Answers a hook on standard output. `words` are `search` or `start`, and `--flat`.
pub fn answer_hook(words: &[String]) {
    let (sender, receiver) = mpsc::channel();
    let words = words.to_vec();
    // A panic in the thread closes the channel, and the timeout ends the process with its thread.
    let started = reader_thread("hook").spawn(move || {
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
        "search" => describe_symbols(&root, &input.pattern_words())?,
        _ => return None,
    };
    input.render_reply(&context, form)
}

/// Describes the symbols whose names are `words`, from the existing index of the workspace. Returns
/// `None` if there is no index or no such symbol.
fn describe_symbols(root: &Path, words: &[String]) -> Option<String> {
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
    let snapshot = opened.current_snapshot();
    let text = opened.text_source();
    let facts = workspace_facts(&opened.current_project(), &config);
    let searched = SearchedWorkspace {
        root: opened.root_path(),
        exclude: &config.index.exclude,
        snapshot: &snapshot,
        sources: AnswerSources { text: Some(&text), workspace: Some(&facts), ..AnswerSources::default() },
        knowledge: None,
    };
    let ranking = Arc::new(choose_ranking(None, &config));
    let freshness = workspace::build_freshness(&opened);
    let mut lines = Vec::new();
    let mut first_name = None;
    for word in words {
        let question = build_name_question(word, &ranking);
        let found = search_workspace(&searched, &question, &CancelToken::default()).ok()?;
        let answer = SearchJson::new(word, &found, &snapshot, &freshness, &NoDocuments);
        for hit in answer.hits.iter().filter(|hit| is_named(&hit.name, word)) {
            let place = hit.line.map_or_else(|| hit.file.clone(), |line| format!("{}:{line}", hit.file));
            first_name.get_or_insert_with(|| hit.name.clone());
            let signature = shorten_line(&hit.signature);
            lines.push(format!("- {place} {} `{}` {signature}", hit.kind, hit.name));
        }
    }
    lines.truncate(MAX_HITS);
    let about = words.join(" ");
    Some(format!(
        "Kenning's index has for `{about}`:\n{}\n`kenning blast {}` lists callers and tests.",
        lines.join("\n"),
        first_name?
    ))
}

/// Returns the question for symbols with a name.
fn build_name_question(word: &str, ranking: &Arc<RankConfig>) -> SearchQuestion {
    SearchQuestion {
        query: word.to_owned(),
        scope: SearchScopeName::Code,
        mode: SearchModeName::Keyword.mode(),
        overrides: LimitOverrides {
            max_results: Some(MAX_HITS),
            bfs_depth: Some(0),
            ..LimitOverrides::default()
        },
        config: Arc::clone(ranking),
    }
}

/// Whether the last part of a symbol's name equals `word`, ignoring case and underscores.
fn is_named(name: &str, word: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or_default();
    plain(last) == plain(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_itself_is_certain() {
        for (name, word) in [("Cart.add_item", "addItem"), ("add_item", "ADD_ITEM"), ("a::Cart", "cart")] {
            assert!(is_named(name, word), "{name} {word}");
        }
        for (name, word) in [("unwrap_content", "unwrap"), ("Cart.add_item", "Cart"), ("", "x")] {
            assert!(!is_named(name, word), "{name} {word}");
        }
    }
}
