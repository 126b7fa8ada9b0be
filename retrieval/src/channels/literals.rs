//! The channel of string literals: finds symbols whose literals form a message that the task quotes
//! or equal a value that it names, such as a configuration key.
//!
//! The string-literal field of the text index proposes candidates, and the text of each candidate
//! decides. For a message, the fixed parts of a literal must occur in it in their order; a value
//! must be the whole literal. Without the source text, the channel finds nothing.

use super::{Channel, ChannelHit, ChannelInput, ListUsage, ScoreScale, is_result_kind, sort_by_score};
use crate::config::{ChannelConfig, LiteralsConfig, RankConfig};
use crate::path_role::is_secondary;
use crate::query::literals::{StringLiteral, normalize_text, scan_literals};
use crate::query::vocabulary::VOCABULARY;
use crate::query::{TaskQuery, inverse_document_frequency};
use kenning_graph::analysis::{Analyzer, WHOLE_TOKEN_PREFIX};
use kenning_graph::text::{TextField, TextQuery, TextQueryTerm};
use kenning_graph::{FileId, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of words below which a literal does not identify a code location.
const MIN_WORDS: usize = 2;

/// Longest one-line task that is compared with literals as a whole, in bytes. A longer line
/// describes a problem instead of quoting a message.
const MAX_LINE_BYTES: usize = 200;

/// Maximum number of users of a value that are results. If there are more, as for `"id"`, none is.
const MAX_USERS: usize = 8;

/// Number of literals from which on a constant counts as a collection of values.
const MIN_COLLECTION: usize = 4;

/// The channel of string literals.
pub(super) struct LiteralsChannel;

impl Channel for LiteralsChannel {
    fn display_name(&self) -> &'static str {
        "literal"
    }

    fn channel_config(&self, config: &RankConfig) -> ChannelConfig {
        config.literals.channel
    }

    fn list_usage(&self) -> ListUsage {
        ListUsage::Fused(ScoreScale::Absolute)
    }

    fn find_hits(&self, input: &ChannelInput<'_>) -> Vec<ChannelHit> {
        let config = &input.config.literals;
        let mut search = LiteralSearch { input, analyzer: Analyzer::default(), texts: FxHashMap::default() };
        let mut best: BTreeMap<SymbolId, f64> = BTreeMap::new();
        for message in &input.query.messages {
            for (symbol, score) in search.symbols_for_message(message) {
                let entry = best.entry(symbol).or_insert(0.0);
                *entry = entry.max(score);
            }
        }
        for value in whole_literals(input.query) {
            let stems = search.text_stems(value);
            let share = share_of_task(input, &stems);
            let is_about_value = share >= config.value_share;
            if !is_about_value && (share < config.key_share || !is_key(value)) {
                continue;
            }
            let weight = (share / (2.0 * config.key_share)).min(1.0);
            for (symbol, score) in search.symbols_with_value(value, stems, is_about_value) {
                let entry = best.entry(symbol).or_insert(0.0);
                *entry = entry.max(score * weight);
            }
        }
        let factor = |symbol: &SymbolRef<'_>| {
            if is_secondary(symbol) && !input.query.is_about_tests { config.test_factor } else { 1.0 }
        };
        let mut hits: Vec<ChannelHit> = best
            .into_iter()
            .filter_map(|(symbol, score)| {
                let score = score * factor(&input.snapshot.symbol(symbol)?);
                (score > 0.0).then_some(ChannelHit { symbol, score, reason: "" })
            })
            .collect();
        sort_by_score(input.snapshot, &mut hits, |hit| hit.score, |hit| hit.symbol);
        hits
    }
}

struct LiteralSearch<'a> {
    input: &'a ChannelInput<'a>,
    analyzer: Analyzer,
    /// Texts of the files that were read; `None` for a file whose text is not available.
    texts: FxHashMap<FileId, Option<Arc<str>>>,
}

impl LiteralSearch<'_> {
    /// Returns the symbols whose literals form a message, each with a score from 0 to 1.
    fn symbols_for_message(&mut self, message: &str) -> Vec<(SymbolId, f64)> {
        let (snapshot, config) = (self.input.snapshot, &self.input.config.literals);
        let normalized_message = normalize_text(message);
        let mut best: BTreeMap<SymbolId, f64> = BTreeMap::new();
        for symbol in self.candidate_symbols(message) {
            let Some(symbol) = snapshot.symbol(symbol) else { continue };
            for (at, information) in self.matching_literals(&symbol, &normalized_message) {
                let holder = innermost_result_symbol(snapshot, &symbol, at);
                let entry = best.entry(holder).or_insert(0.0);
                *entry = entry.max(information);
            }
        }
        // A message that many code locations print is weaker evidence for each of them.
        let share = 1.0 / (best.len().max(1) as f64).sqrt();
        let score = |information: f64| share * information / (information + config.half_information);
        best.into_iter().map(|(symbol, information)| (symbol, score(information))).collect()
    }

    /// Returns the symbols with a literal that equals a value, each with a score from 0 to 1: the
    /// constants, variables and fields that hold nothing else. If there are none and `finds_users`
    /// is set, returns the other symbols, at most [`MAX_USERS`].
    fn symbols_with_value(
        &mut self,
        value: &str,
        stems: FxHashSet<String>,
        finds_users: bool,
    ) -> Vec<(SymbolId, f64)> {
        let snapshot = self.input.snapshot;
        let (wanted, mut holders) = (normalize_text(value), BTreeSet::new());
        let wanted = without_full_stop(&wanted);
        for symbol in self.value_candidates(stems) {
            let Some(symbol) = snapshot.symbol(symbol) else { continue };
            let Some(body) = self.symbol_text(&symbol) else { continue };
            let start = symbol.span.start as usize;
            let is_value = |literal: &StringLiteral| matches!(&literal.parts[..], [part] if without_full_stop(part) == wanted);
            let places = scan_literals(&body).into_iter().filter(is_value).map(|literal| start + literal.at);
            holders.extend(places.map(|at| innermost_result_symbol(snapshot, &symbol, at)));
        }
        let mut known: Vec<(SymbolId, bool)> = Vec::new();
        for id in holders {
            let Some(symbol) = snapshot.symbol(id) else { continue };
            // Tests repeat the values of the product.
            if self.input.query.is_about_tests || !is_secondary(&symbol) {
                known.push((id, is_value_kind(symbol.kind) && !self.is_collection(&symbol)));
            }
        }
        if known.iter().any(|(_, has_value)| *has_value) {
            known.retain(|(_, has_value)| *has_value);
        } else if !finds_users || known.len() > MAX_USERS {
            return Vec::new();
        }
        let share = 1.0 / (known.len().max(1) as f64).sqrt();
        known.into_iter().map(|(id, _)| (id, share)).collect()
    }

    fn is_collection(&mut self, symbol: &SymbolRef<'_>) -> bool {
        self.symbol_text(symbol).is_some_and(|text| scan_literals(&text).len() >= MIN_COLLECTION)
    }

    /// Returns the symbols whose literals contain all words of a value: the symbols with the fewest
    /// other words, and the symbols with the most occurrences, such as a class with many constants.
    fn value_candidates(&mut self, stems: FxHashSet<String>) -> Vec<SymbolId> {
        if stems.is_empty() {
            return Vec::new();
        }
        let tokens = stems.into_iter().collect();
        let term = TextQueryTerm { tokens, weight: 1.0, field: Some(TextField::Strings), prefix: false };
        let query = TextQuery { terms: vec![term] };
        let mut params = self.input.config.text.bm25.text_params();
        params.fields[TextField::Strings as usize].weight = 1.0;
        let mut candidates = Vec::new();
        for length_norm in [1.0, 0.0] {
            params.fields[TextField::Strings as usize].b = length_norm;
            let found = self.input.snapshot.search_symbols(&query, &params);
            candidates.extend(self.best_candidates(found, self.input.config.literals.value_candidates));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// Returns the symbols whose literals contain most of the message's rarest words.
    fn candidate_symbols(&mut self, message: &str) -> Vec<SymbolId> {
        let (snapshot, config) = (self.input.snapshot, &self.input.config.literals);
        let mut words: Vec<(u32, String)> = self
            .text_stems(message)
            .into_iter()
            .map(|stem| (snapshot.document_frequency(&stem), stem))
            .filter(|(documents, _)| *documents > 0)
            .collect();
        words.sort_unstable();
        words.truncate(config.max_words);
        let field = Some(TextField::Strings);
        let term = |(_, token)| TextQueryTerm { tokens: vec![token], weight: 1.0, field, prefix: false };
        let query = TextQuery { terms: words.into_iter().map(term).collect() };
        let mut params = self.input.config.text.bm25.text_params();
        // A long function may print many messages, so the length of the field does not count.
        params.fields[TextField::Strings as usize].weight = 1.0;
        params.fields[TextField::Strings as usize].b = 0.0;
        let found = snapshot.search_symbols(&query, &params);
        self.best_candidates(found, config.candidates)
    }

    /// Returns the first `limit` symbols of a sorted list. Names, not ids, decide among equal
    /// scores.
    fn best_candidates(&self, mut found: Vec<(SymbolId, f32)>, limit: usize) -> Vec<SymbolId> {
        let last = found.get(limit.saturating_sub(1)).map_or(f32::MIN, |(_, score)| *score);
        found.truncate(found.partition_point(|(_, score)| *score >= last).min(4 * limit));
        let mut found: Vec<(SymbolId, f64)> =
            found.into_iter().map(|(id, score)| (id, f64::from(score))).collect();
        sort_by_score(self.input.snapshot, &mut found, |f| f.1, |f| f.0);
        found.truncate(limit);
        found.into_iter().map(|(id, _)| id).collect()
    }

    /// Returns the byte offset in the file of each matching literal of a symbol, with the
    /// information of its fixed words. Empty if the text is not available.
    fn matching_literals(&mut self, symbol: &SymbolRef<'_>, normalized_message: &str) -> Vec<(usize, f64)> {
        let Some(body) = self.symbol_text(symbol) else { return Vec::new() };
        let start = symbol.span.start as usize;
        let matching: Vec<StringLiteral> = scan_literals(&body)
            .into_iter()
            .filter(|literal| literal.matches_message(normalized_message))
            .collect();
        let message_stems: FxHashSet<String> = self.text_stems(normalized_message);
        matching
            .into_iter()
            .filter_map(|literal| {
                let information = self.literal_information(&literal, &message_stems)?;
                Some((start + literal.at, information))
            })
            .collect()
    }

    /// Returns the information of a literal's fixed words that the message contains (see
    /// [`LiteralsConfig::least_information`]), or `None` if they are too common to identify a
    /// code location.
    fn literal_information(&mut self, literal: &StringLiteral, message: &FxHashSet<String>) -> Option<f64> {
        let LiteralsConfig { least_information, .. } = self.input.config.literals;
        let snapshot = self.input.snapshot;
        let documents = snapshot.document_count();
        let mut words = self.text_stems(&literal.parts.join(" "));
        words.retain(|word| message.contains(word));
        let mut ordered: Vec<String> = words.into_iter().collect();
        // Sums of floating point numbers depend on their order.
        ordered.sort_unstable();
        let rarest_idf = inverse_document_frequency(documents, 1).max(f64::MIN_POSITIVE);
        let idf = |word: &String| inverse_document_frequency(documents, snapshot.document_frequency(word));
        let information: f64 = ordered.iter().map(|word| idf(word) / rarest_idf).sum();
        (ordered.len() >= MIN_WORDS && information >= least_information).then_some(information)
    }

    fn text_stems(&mut self, text: &str) -> FxHashSet<String> {
        let mut stems = FxHashSet::default();
        self.analyzer.for_each_token(text, |token| {
            if !token.starts_with(WHOLE_TOKEN_PREFIX) {
                stems.insert(token.to_owned());
            }
        });
        stems
    }

    /// Returns the text of a symbol, if the text of its file is available.
    fn symbol_text(&mut self, symbol: &SymbolRef<'_>) -> Option<String> {
        let text = self.file_text(symbol.file?)?;
        let (start, end) = (symbol.span.start as usize, symbol.span.end as usize);
        text.get(start..end.min(text.len())).map(str::to_owned)
    }

    fn file_text(&mut self, file: FileId) -> Option<Arc<str>> {
        let input = self.input;
        let read = || {
            let file = input.snapshot.file(file)?;
            input.text.read_text(file.path, &file.content_hash)
        };
        self.texts.entry(file).or_insert_with(read).clone()
    }
}

/// Returns the texts that a task may have taken from literals as a whole: values, quoted messages,
/// and the task itself if it is one line.
fn whole_literals(query: &TaskQuery) -> impl Iterator<Item = &str> {
    let line = query.text.trim();
    let is_message = |text: &&str| text.split_whitespace().nth(MIN_WORDS).is_some();
    let own = Some(line).filter(|line| !line.contains('\n') && line.len() <= MAX_LINE_BYTES);
    let messages = query.messages.iter().map(String::as_str).chain(own).filter(is_message);
    query.values.iter().map(String::as_str).chain(messages)
}

/// Returns a text without the full stop at its end, which people leave out.
fn without_full_stop(text: &str) -> &str {
    text.trim().trim_end_matches('.')
}

/// Whether a value is written like a configuration key: `linger.ms`, `MAX_SIZE`.
fn is_key(value: &str) -> bool {
    let is_upper_case = value.contains('_') && !value.contains(|c: char| c.is_ascii_lowercase());
    value.contains('.') || is_upper_case
}

/// Returns the share of a task's information that `words` carry. Words that the workspace does not
/// contain and words that lead to no particular symbol are left out.
fn share_of_task(input: &ChannelInput<'_>, words: &FxHashSet<String>) -> f64 {
    let (mut all, mut own) = (0.0, 0.0);
    for (token, &weight) in
        input.query.weights.iter().filter(|(token, _)| !token.starts_with(WHOLE_TOKEN_PREFIX))
    {
        let frequency = input.snapshot.document_frequency(token);
        if frequency == 0 || VOCABULARY.learning_noise.contains(token) {
            continue;
        }
        let information =
            f64::from(weight) * inverse_document_frequency(input.snapshot.document_count(), frequency);
        all += information;
        own += if words.contains(token) { information } else { 0.0 };
    }
    if all > 0.0 { own / all } else { 0.0 }
}

/// Whether a symbol of this kind holds a value rather than using it.
const fn is_value_kind(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, EnumMember, Field, Property, Variable};
    matches!(kind, Constant | EnumMember | Field | Property | Variable)
}

/// Returns the innermost symbol at a byte offset that can be a result, or `symbol` if there is
/// none.
fn innermost_result_symbol(snapshot: &Snapshot, symbol: &SymbolRef<'_>, at: usize) -> SymbolId {
    let inner = symbol.file.and_then(|file| {
        let all = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
        let enclosing =
            all.filter(|s| is_result_kind(s.kind) && s.span.start as usize <= at && at < s.span.end as usize);
        enclosing.min_by_key(|s| (s.span.end - s.span.start, s.id)).map(|s| s.id)
    });
    inner.unwrap_or(symbol.id)
}
