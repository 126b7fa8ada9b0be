//! The votes of commits: each commit that resembles the task votes for the symbols and files that
//! it touched.
//!
//! [`CommitVotes::cast_votes`] takes the history and the query, and returns the votes by symbol and
//! by file of the current graph. A vote is the square of the commit's similarity, reduced by age
//! and divided by a power of the number of touched symbols or files. The votes for symbols are a
//! channel ([`TouchedChannel`]); the votes for a file add a component to the candidates in it.

use super::CommitHistory;
use super::touched_symbols::FileSymbolNames;
use crate::channels::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, sort_by_score};
use crate::config::{ChannelConfig, RankConfig};
use crate::path_role::{is_secondary, is_secondary_path};
use crate::query::TaskQuery;
use crate::score::ScoreComponent;
use kenning_graph::{FileId, Snapshot, SymbolId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Name of the component for the votes of a symbol's file.
const FILE_VOTES_COMPONENT: &str = "history_files";

/// A commit that voted for a task.
#[derive(Clone, Debug, PartialEq)]
pub struct VotingCommit {
    /// The commit's id, in lower-case hex.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// The similarity to the task, 0 to about 1.
    pub similarity: f64,
    /// Weight of its vote: the square of the similarity, reduced by age.
    pub weight: f64,
    /// The time of the commit, in seconds since the Unix epoch.
    pub time: i64,
    /// The share of the vote for each touched symbol.
    pub to_symbol: f64,
    /// The touched symbols, ascending.
    pub symbols: Vec<SymbolId>,
    /// The share of the vote for each touched file.
    pub to_file: f64,
    /// The touched files.
    pub files: Vec<FileId>,
}

/// The vote of one commit for one symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitVote {
    /// The commit's id, in lower-case hex.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// The time of the commit, in seconds since the Unix epoch.
    pub time: i64,
    /// The vote for the symbol; 0 if the commit touched only the file.
    pub symbol: f64,
    /// The vote for the symbol's file.
    pub file: f64,
}

impl VotingCommit {
    /// Returns this commit's vote for a symbol of a file, or `None` if there is none.
    pub(crate) fn vote_for(&self, symbol: SymbolId, file: Option<FileId>) -> Option<CommitVote> {
        let symbol_vote = if self.symbols.contains(&symbol) { self.to_symbol } else { 0.0 };
        let file_vote = if file.is_some_and(|file| self.files.contains(&file)) { self.to_file } else { 0.0 };
        let (id, subject) = (self.id.clone(), self.subject.clone());
        let vote = CommitVote { id, subject, time: self.time, symbol: symbol_vote, file: file_vote };
        (symbol_vote > 0.0 || file_vote > 0.0).then_some(vote)
    }
}

/// Votes by symbol and by file.
#[derive(Clone, Debug, Default)]
pub(crate) struct CommitVotes {
    symbols: BTreeMap<SymbolId, f64>,
    files: FxHashMap<FileId, f64>,
    /// The commits that voted, the most similar first.
    pub voters: Vec<VotingCommit>,
}

impl CommitVotes {
    /// Returns the votes for a task. Empty if the configuration gives votes no weight.
    pub fn cast_votes(
        history: &CommitHistory,
        query: &TaskQuery,
        snapshot: &Snapshot,
        config: &RankConfig,
    ) -> Self {
        let history_config = &config.history;
        let mut votes = Self::default();
        if history_config.channel.weight <= 0.0 && history_config.file_weight <= 0.0 {
            return votes;
        }
        let mut candidates =
            VoteCandidates { snapshot, is_about_tests: query.is_about_tests, names: FxHashMap::default() };
        for (index, similarity) in history.similar_commits(&query.weights, history_config) {
            let commit = &history.commits[index as usize];
            if commit.touched_count > history_config.max_files {
                continue;
            }
            let weight = similarity.powi(2) * 0.5f64.powf(commit.age_days / history_config.half_life_days);
            let (files, symbols) = candidates.find_candidates(history, index);
            let to_file = weight / (files.len() as f64).powf(history_config.file_exponent);
            let to_symbol = weight / (symbols.len() as f64).powf(history_config.symbol_exponent);
            for &file in &files {
                *votes.files.entry(file).or_default() += to_file;
            }
            for &symbol in &symbols {
                *votes.symbols.entry(symbol).or_default() += to_symbol;
            }
            if !files.is_empty() {
                let (id, subject) = (commit.id.to_string(), commit.subject.to_string());
                let time = commit.time;
                let voter = VotingCommit {
                    id,
                    subject,
                    similarity,
                    weight,
                    time,
                    to_symbol,
                    symbols,
                    to_file,
                    files,
                };
                votes.voters.push(voter);
            }
        }
        votes
    }

    /// Returns the votes for a symbol.
    pub fn votes_for_symbol(&self, symbol: SymbolId) -> f64 {
        self.symbols.get(&symbol).copied().unwrap_or(0.0)
    }

    /// Returns the votes for a file.
    pub fn votes_for_file(&self, file: FileId) -> f64 {
        self.files.get(&file).copied().unwrap_or(0.0)
    }

    /// Returns the component that the votes for a symbol's file add to its score.
    pub fn file_vote_component(&self, input: &ChannelInput<'_>, symbol: SymbolId) -> Option<ScoreComponent> {
        if self.files.is_empty() {
            return None;
        }
        let facets = input.snapshot.symbol_facets(symbol)?;
        let votes = self.files.get(&facets.file?)?;
        let value = input.config.history.file_weight * votes.sqrt();
        (value > 0.0).then_some(ScoreComponent { name: FILE_VOTES_COMPONENT, value })
    }
}

/// The symbols and files that commits may vote for.
struct VoteCandidates<'a> {
    snapshot: &'a Snapshot,
    is_about_tests: bool,
    names: FxHashMap<FileId, FileSymbolNames<'a>>,
}

impl VoteCandidates<'_> {
    /// Returns the files and symbols of the current graph that a commit touched, each once. Tests
    /// change together with the code under test, so they get votes only if the task mentions tests.
    fn find_candidates(&mut self, history: &CommitHistory, index: u32) -> (Vec<FileId>, Vec<SymbolId>) {
        let (mut files, mut symbols) = (Vec::new(), Vec::new());
        for file in &history.commits[index as usize].files {
            let path = &history.paths[file.path as usize];
            if !self.is_about_tests && is_secondary_path(path) {
                continue;
            }
            let Some(id) = self.snapshot.code_file_by_path(path) else { continue };
            files.push(id);
            if file.symbols.is_empty() {
                continue;
            }
            let names = self.names.entry(id).or_insert_with(|| FileSymbolNames::for_file(self.snapshot, id));
            for chain in &file.symbols {
                symbols.extend(names.innermost_symbols(chain));
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        let (snapshot, is_about_tests) = (self.snapshot, self.is_about_tests);
        symbols
            .retain(|&id| is_about_tests || snapshot.symbol(id).is_some_and(|symbol| !is_secondary(&symbol)));
        (files, symbols)
    }
}

/// The channel of symbols that similar commits touched.
pub(crate) struct TouchedChannel;

impl Channel for TouchedChannel {
    fn display_name(&self) -> &'static str {
        "history"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.history.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let votes = input.votes.symbols.iter();
        let mut hits: Vec<ChannelHit> =
            votes.map(|(&symbol, votes)| ChannelHit { symbol, score: votes.sqrt(), reason: "" }).collect();
        sort_by_score(input.snapshot, &mut hits, |hit| hit.score, |hit| hit.symbol);
        hits
    }
}
