//! The dialect of installed grammars: reads the symbols of a file by the grammar's tags query.
//!
//! A tags query (<https://tree-sitter.github.io/tree-sitter/4-code-navigation.html>) captures a
//! definition as `@definition.<kind>` and its name as `@name`. The dialect ignores the references,
//! because the query does not tell the scopes in which to look them up.

use super::Dialect;
use crate::bounded_parse::StepBudget;
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DraftKind, RawFacts, SymbolDraft};
use kenning_graph::vocabulary::SymbolKind;
use std::ops::ControlFlow;
use tree_sitter::{Node, Query, QueryCursor, QueryCursorOptions, StreamingIterator};

/// Maximum number of matches that are in progress at a time. Beyond it, the query forgets the
/// oldest ones.
const MATCH_LIMIT: u32 = 4096;

/// The prefix of the captures of definitions.
const DEFINITION: &str = "definition.";

/// A dialect whose symbols a tags query captures.
#[derive(Default)]
pub(crate) struct TagsDialect {
    query: Option<Query>,
}

impl TagsDialect {
    /// Creates a dialect without symbols.
    pub fn without_query() -> Self {
        Self::default()
    }

    /// Creates the dialect of a grammar with its tags query.
    ///
    /// # Errors
    /// Fails if the query does not fit the grammar.
    pub fn from_query(language: &tree_sitter::Language, query: &str) -> Result<Self, String> {
        let query = Query::new(language, query).map_err(|error| error.to_string())?;
        Ok(Self { query: Some(query) })
    }
}

impl Dialect for TagsDialect {
    fn collect_tree<'t>(
        &self,
        root: Node<'t>,
        expressions: &ExpressionReader,
        steps: &StepBudget,
        out: &mut RawFacts<'t>,
    ) {
        let Some(query) = &self.query else { return };
        let names = query.capture_names();
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(MATCH_LIMIT);
        let mut charge_step = |_: &tree_sitter::QueryCursorState| match steps.take_steps(1) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(()),
        };
        let options = QueryCursorOptions::new().progress_callback(&mut charge_step);
        let mut matches = cursor.matches_with_options(query, root, expressions.text.as_bytes(), options);
        while let Some(found) = matches.next() {
            let captured = |is_wanted: &dyn Fn(&str) -> bool| {
                let mut captures = found.captures().iter();
                captures
                    .find(|capture| is_wanted(names[capture.index as usize]))
                    .map(|capture| (capture.node, names[capture.index as usize]))
            };
            let definition = captured(&|name| name.starts_with(DEFINITION));
            let name = captured(&|name| name == "name");
            if let (Some((node, kind)), Some((name, _))) = (definition, name) {
                let kind = DraftKind::Symbol(symbol_kind(&kind[DEFINITION.len()..]));
                out.push_named_draft(SymbolDraft::without_parts(node, kind), name, expressions);
            }
        }
    }
}

/// Returns the kind of a symbol by the word that a tags query uses for it. Grammars choose
/// different words for the same kind. An unknown word gives a variable.
fn symbol_kind(word: &str) -> SymbolKind {
    match word {
        "object" | "implementation" => SymbolKind::Class,
        "namespace" | "package" => SymbolKind::Module,
        _ => SymbolKind::parse(word).filter(|kind| !kind.is_phantom()).unwrap_or(SymbolKind::Variable),
    }
}
