//! The results of a search as JSON.

use super::symbol_locations::{DocumentLocator, Location};
use crate::freshness::Freshness;
use crate::hash_prefix::short_hex;
use crate::knowledge::KnowledgeEntry;
use crate::similar_names::similar_words;
use crate::workspace_search::FoundItems;
use kenning_graph::{Snapshot, SymbolId, SymbolRef};
use kenning_retrieval::pack::first_sentence;
use kenning_retrieval::search::{SearchHit, SearchTarget};
use schemars::JsonSchema;
use serde::Serialize;

/// The answer to a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SearchAnswer")]
pub struct SearchJson<'a> {
    /// The query.
    pub query: &'a str,
    /// The hits, best first.
    pub hits: Vec<SearchHitJson>,
    /// If there are no hits: the names that the words of the query may be misspellings of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<String>,
    /// The state that the answer is based on.
    pub freshness: &'a Freshness,
    /// The answer in the format that the request's `format` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A hit of a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SearchHit")]
pub struct SearchHitJson {
    /// The kind of hit: `file`, `note`, `task`, `skill`, or the kind of the symbol; `section` for a
    /// section of a document.
    pub kind: &'static str,
    /// The name inside the file, the headings of a section, the title of a note, task or skill, or the
    /// name of a file.
    pub name: String,
    /// The path in the workspace, with `/` as the separator.
    pub file: String,
    /// Line of the symbol's name, from 1; absent for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Last line of the symbol, from 1; absent for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The relevance to the query, from 0 to 1.
    pub score: f64,
    /// The short id of the symbol, which every command accepts, or the id of the note, task or
    /// skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The signature of the symbol, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// The first sentence of the symbol's documentation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The edge that led to the hit from a better one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<SearchStepJson>,
    /// The range of the name, or the first line of a file; only the language server's answers have
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The edge that led to a hit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SearchStep")]
pub struct SearchStepJson {
    /// The kind of the edge: `contains`, `member_of`, `extends` ...
    pub edge: &'static str,
    /// The name of the better hit.
    pub from: String,
}

impl<'a> SearchJson<'a> {
    /// Describes the results of a search, best first. Leaves out symbols that are no longer in the
    /// snapshot.
    pub fn new(
        query: &'a str,
        found: &FoundItems,
        snapshot: &Snapshot,
        freshness: &'a Freshness,
        locator: &dyn DocumentLocator,
    ) -> Self {
        let hits = found.answer.hits.iter().filter_map(|hit| describe_hit(snapshot, hit, locator));
        let entries = found.entries.iter().map(|(entry, score)| describe_entry(entry, *score, locator));
        let mut hits: Vec<SearchHitJson> = hits.chain(entries).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(found.max_results);
        let similar = if hits.is_empty() { similar_words(snapshot, query) } else { Vec::new() };
        Self { query, hits, similar, freshness, text: None }
    }
}

fn describe_hit(
    snapshot: &Snapshot,
    hit: &SearchHit,
    locator: &dyn DocumentLocator,
) -> Option<SearchHitJson> {
    let via = hit.via.and_then(|step| {
        let from = symbol_name(snapshot, step.from)?;
        Some(SearchStepJson { edge: step.kind.as_str(), from })
    });
    let score = round_score(hit.score);
    match &hit.target {
        SearchTarget::Symbol(symbol) => {
            Some(SearchHitJson { via, ..describe_symbol(&snapshot.symbol(*symbol)?, score, locator) })
        }
        SearchTarget::File(file) => Some(describe_file(snapshot.file(*file)?.path, score, locator)),
        SearchTarget::OtherFile(path) => Some(describe_file(path, score, locator)),
    }
}

fn symbol_name(snapshot: &Snapshot, symbol: SymbolId) -> Option<String> {
    Some(snapshot.symbol(symbol)?.display_name())
}

/// Rounds a score to four decimal places, so that it does not suggest more precision than it has.
fn round_score(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

fn describe_symbol(symbol: &SymbolRef<'_>, score: f64, locator: &dyn DocumentLocator) -> SearchHitJson {
    SearchHitJson {
        kind: symbol.kind.as_str(),
        name: symbol.display_name(),
        file: symbol.path.to_owned(),
        line: Some(symbol.name_span.line + 1),
        end_line: Some(symbol.span.end_line + 1),
        score,
        id: Some(short_hex(&symbol.hash)),
        signature: symbol.signature_text().split_whitespace().collect::<Vec<_>>().join(" "),
        doc: first_sentence(symbol.doc_text()),
        via: None,
        location: locator.locate_name(symbol),
    }
}

fn describe_entry(entry: &KnowledgeEntry, score: f64, locator: &dyn DocumentLocator) -> SearchHitJson {
    let description = entry.skill_details().map_or("", |skill| skill.description.as_str());
    let doc = if description.is_empty() { entry.body.as_str() } else { description };
    SearchHitJson {
        kind: entry.kind.as_str(),
        name: entry.title.clone(),
        id: Some(entry.id.clone()),
        doc: first_sentence(doc),
        ..describe_file(&entry.path, round_score(score), locator)
    }
}

fn describe_file(path: &str, score: f64, locator: &dyn DocumentLocator) -> SearchHitJson {
    SearchHitJson {
        kind: "file",
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        file: path.to_owned(),
        line: None,
        end_line: None,
        score,
        id: None,
        signature: String::new(),
        doc: String::new(),
        via: None,
        location: locator.locate_line(path, 0),
    }
}
