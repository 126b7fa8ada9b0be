//! What single stages of a ranking run recorded, as data and as text: the diagnostic tools of `kenning debug`.

mod classes;
mod feedback;
mod packing;
mod seeds;
mod text_index;
mod walk;

pub use classes::ClassesReport;
pub use feedback::FeedbackReport;
pub use packing::PackReport;
pub use seeds::SeedsReport;
pub use text_index::TextReport;
pub use walk::WalkReport;

use super::json::{self, rounded};
use crate::format::Format;
use kenning_graph::{Snapshot, SymbolId};
use kenning_retrieval::pack::code_span;
use kenning_retrieval::query::QueryTerm;
use serde::Serialize;

/// A report that can be printed.
pub trait Report: Serialize {
    /// The text form, ending with a line break.
    fn markdown(&self) -> String;

    /// The report in a form, ending with a line break.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    fn print(&self, format: Format) -> Result<String, serde_json::Error>
    where
        Self: Sized,
    {
        match format {
            Format::Markdown => Ok(self.markdown()),
            Format::Json => json::text(self),
        }
    }
}

/// A term of the query.
#[derive(Serialize)]
struct TermJson<'a> {
    /// A stem, or `=` and a whole identifier.
    token: &'a str,
    weight: f64,
    /// Symbols that hold it.
    documents: u32,
}

impl<'a> TermJson<'a> {
    fn new(term: &'a QueryTerm) -> Self {
        Self { token: &term.token, weight: rounded(f64::from(term.weight)), documents: term.documents }
    }

    fn text(&self) -> String {
        format!("{} (weight {}, in {})", code_span(self.token), self.weight, self.documents)
    }
}

/// `path::name` of a symbol.
fn name(snapshot: &Snapshot, id: SymbolId) -> String {
    snapshot.symbol(id).map_or_else(|| "(gone)".to_owned(), |symbol| symbol.qualified_name())
}

/// Words in code, separated by commas; a dash where there are none.
fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(code_span).collect();
    if words.is_empty() { "-".to_owned() } else { words.join(", ") }
}
