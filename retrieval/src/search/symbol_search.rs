//! Finds the symbols that a question is about, with scores that are comparable between questions.

use super::code_phrases::find_symbols_with_phrases;
use super::match_quality::rate_match;
use super::named_symbols::find_named_symbols;
use super::nearest::NearestLists;
use super::{SearchLimits, SearchMode, SearchRequest};
use crate::channels::find_text_list;
use crate::history::CommitVotes;
use crate::pipeline::{RunCancelled, RunStart, StageObserver, enter_stage, run_stages};
use crate::query::TaskQuery;
use crate::task_match::{MatchInput, TaskMatch, judge_match};
use crate::{Analysis, RequestOptions};
use kenning_graph::SymbolId;
use rustc_hash::FxHashSet;

/// The ranked symbols or sections of a question.
pub(super) struct SymbolList {
    /// The symbols with their scores, best first.
    pub hits: Vec<(SymbolId, f64)>,
    /// Number of hits at the beginning that the question names.
    pub named: usize,
    /// The factor by which the question matches the workspace, which the scores contain.
    pub quality: f64,
    /// The parsed question.
    pub query: TaskQuery,
}

/// Ranks the symbols of the workspace.
pub(super) fn rank_symbols(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    nearest: Option<&NearestLists>,
    limits: &SearchLimits,
    observer: &mut dyn StageObserver,
) -> Result<SymbolList, RunCancelled> {
    match request.mode {
        SearchMode::Hybrid => {
            let mut list = rank_by_pipeline(analysis, request, limits, observer)?;
            if let Some(nearest) = nearest {
                nearest.fuse_symbols(&mut list, limits);
            }
            Ok(list)
        }
        SearchMode::Keyword => rank_by_text(analysis, request, observer),
        SearchMode::Vector => {
            let query = TaskQuery::from_task(&request.query, analysis.snapshot, analysis.config);
            Ok(nearest.unwrap_or(&NearestLists::default()).list_symbols(query))
        }
    }
}

/// Ranks by all channels. The scores of the ranking cannot be compared between questions, so a
/// symbol gets the share of its rank instead.
fn rank_by_pipeline(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    limits: &SearchLimits,
    observer: &mut dyn StageObserver,
) -> Result<SymbolList, RunCancelled> {
    let options = RequestOptions::default();
    let trace = run_stages(analysis, RunStart::Task(&request.query), &options, observer)?;
    let quality = rate_question(analysis, trace.task_match);
    let named = find_named_symbols(analysis.snapshot, &request.query);
    let ranked: Vec<SymbolId> = trace.ranked.iter().map(|found| found.symbol).collect();
    let named_count = named.len();
    let phrased = find_symbols_with_phrases(analysis.snapshot, &request.query, &ranked);
    let mut seen = FxHashSet::default();
    let order = named.into_iter().chain(phrased).chain(ranked).filter(|symbol| seen.insert(*symbol));
    let hits = (1..).zip(order).map(|(rank, symbol)| (symbol, quality * limits.share_of_rank(rank)));
    let hits = hits.collect();
    Ok(SymbolList { hits, named: named_count, quality, query: trace.query })
}

/// Ranks by the words of the text index. A symbol gets the share of the best score.
fn rank_by_text(
    analysis: &Analysis<'_>,
    request: &SearchRequest,
    observer: &mut dyn StageObserver,
) -> Result<SymbolList, RunCancelled> {
    let Analysis { snapshot, config, .. } = *analysis;
    enter_stage(observer, "query")?;
    let query = TaskQuery::from_task(&request.query, snapshot, config);
    let votes = CommitVotes::default();
    let input = analysis.channel_input(&query, &votes);
    enter_stage(observer, "channels")?;
    let list = find_text_list(&input);
    let found: Vec<(SymbolId, f64)> = list.hits.iter().map(|hit| (hit.symbol, hit.score)).collect();
    let options = RequestOptions::default();
    let lists = [list];
    let judged = MatchInput {
        snapshot,
        lists: &lists,
        ranked: &[],
        has_candidates: !found.is_empty(),
        options: &options,
    };
    let task_match = config.task_match.map(|rule| judge_match(&query, &judged, rule));
    let quality = rate_question(analysis, task_match);
    let best = found.first().map_or(1.0, |(_, score)| *score);
    let ranked: Vec<SymbolId> = found.iter().map(|(symbol, _)| *symbol).collect();
    let named = find_named_symbols(snapshot, &request.query);
    let named_count = named.len();
    let phrased = find_symbols_with_phrases(snapshot, &request.query, &ranked);
    let named = named.into_iter().chain(phrased).map(|symbol| (symbol, best));
    let mut seen = FxHashSet::default();
    let found = named.chain(found).filter(|(symbol, _)| seen.insert(*symbol));
    let hits = found.map(|(symbol, score)| (symbol, quality * score / best)).collect();
    Ok(SymbolList { hits, named: named_count, quality, query })
}

/// Rates a question. A configuration that does not judge questions rates all of them 1.
fn rate_question(analysis: &Analysis<'_>, task_match: Option<TaskMatch>) -> f64 {
    match (task_match, analysis.config.task_match) {
        (Some(found), Some(rule)) => rate_match(&found, rule),
        _ => 1.0,
    }
}
