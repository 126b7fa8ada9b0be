//! The reports of `kenning debug`: the records of individual stages of a ranking run, as JSON and
//! as Markdown.

mod classes;
mod feedback;
mod packing;
mod seeds;
mod text_index;
mod vocabulary;
mod walk;

pub use classes::ClassesReport;
pub use feedback::FeedbackReport;
pub use packing::PackReport;
pub use seeds::SeedsReport;
pub use text_index::TextReport;
pub use vocabulary::VocabularyReport;
pub use walk::WalkReport;

use super::json::round_score;
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::query::QueryTerm;
use serde::Serialize;

/// A report that can be printed.
pub trait TraceReport: Serialize {
    /// Renders the Markdown form, ending with a line break.
    fn render_markdown(&self) -> String;
}

/// A term of the query.
#[derive(Serialize)]
struct TermJson<'a> {
    /// A stem, or `=` followed by a whole identifier.
    token: &'a str,
    weight: f64,
    /// Number of symbols that contain the term.
    documents: u32,
}

impl<'a> TermJson<'a> {
    fn new(term: &'a QueryTerm) -> Self {
        Self { token: &term.token, weight: round_score(f64::from(term.weight)), documents: term.documents }
    }

    fn render_term(&self) -> String {
        format!("{} (weight {}, in {})", code_span(self.token), self.weight, self.documents)
    }
}

/// Returns `path::name` of a symbol, or `(gone)` if it is not in the snapshot.
fn symbol_name(snapshot: &Snapshot, id: SymbolId) -> String {
    snapshot.symbol(id).map_or_else(|| "(gone)".to_owned(), |symbol| symbol.qualified_name())
}

/// Renders words as inline code, separated by commas; a dash if there are none.
fn render_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(code_span).collect();
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}
