//! Ruby: `private` sections, `require_relative` and `autoload`.

use super::{Declared, Dialect, unquoted};
use crate::extract::collect::Collected;
use crate::extract::expressions::Expressions;
use kenning_graph::facts::{Import, SymbolFact};
use kenning_graph::vocabulary::Visibility;
use tree_sitter::Node;

/// The Rust part of Ruby.
pub(crate) struct Ruby;

impl Dialect for Ruby {
    fn visibility(&self, _declared: &Declared) -> Visibility {
        Visibility::Public
    }

    fn import(&self, import: &mut Import, statement: &str) -> bool {
        import.path = unquoted(&import.path);
        import.name = unquoted(&import.name).trim_start_matches(':').to_owned();
        import.alias.clone_from(&import.name);
        if statement.starts_with("require_relative") && !import.path.starts_with('.') {
            import.path.insert_str(0, "./");
        }
        !import.path.is_empty() && !import.path.contains("#{")
    }

    /// `private` alone starts a section; before `def` it is about that method only; with names about those.
    fn hook<'t>(&self, node: Node<'t>, expressions: &Expressions, out: &mut Collected<'t>) {
        let word = expressions.text_of(node).to_owned();
        let rest = expressions.text.get(node.end_byte()..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("").trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with(';') || line.starts_with("def ") {
            out.marks.push((node.start_byte() as u32, word, line.starts_with("def ")));
        }
    }

    fn finish(&self, symbols: &mut [SymbolFact], marks: &[(u32, String, bool)]) {
        for at in 0..symbols.len() {
            let symbol = &symbols[at];
            let Some(parent) = symbol.parent.filter(|_| symbol.kind.is_callable()) else { continue };
            let (start, parent_start) = (symbol.span.start, symbols[parent as usize].span.start);
            let is_inner = |mark: u32| {
                symbols.iter().enumerate().any(|(other, s)| {
                    other != at
                        && other != parent as usize
                        && s.parent == Some(parent)
                        && s.span.start < mark
                        && mark < s.span.end
                })
            };
            let found = marks.iter().rev().find(|&&(mark, _, single)| {
                let applies = mark > parent_start && mark < start && (!single || start - mark < 12);
                applies && !is_inner(mark)
            });
            symbols[at].visibility = match found.map(|(_, word, _)| word.as_str()) {
                Some("private") => Visibility::Private,
                Some("protected") => Visibility::Protected,
                _ => Visibility::Public,
            };
        }
    }

    fn is_test(&self, symbol: &SymbolFact) -> bool {
        // A method `test_x` is a test in a test class only.
        symbol.container.is_empty() || symbol.container.contains("Test")
    }
}
