//! Ruby: `private` sections, `require_relative` and `autoload`.

use super::{Declared, Dialect, unquoted};
use crate::extract::collected::Collected;
use crate::extract::expressions::Expressions;
use kenning_graph::facts::{Import, SymbolFact};
use kenning_graph::vocabulary::Visibility;
use std::collections::BTreeMap;
use tree_sitter::Node;

/// The Rust part of Ruby.
pub(crate) struct Ruby;

impl Dialect for Ruby {
    fn visibility(&self, _declared: &Declared) -> Visibility {
        Visibility::Public
    }

    fn import(&self, import: &mut Import, statement: &str) -> bool {
        import.path = unquoted(&import.path);
        unquoted(&import.name).trim_start_matches(':').clone_into(&mut import.name);
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
        // Marks by the symbol whose body they stand in.
        let mut sections: BTreeMap<u32, Vec<&(u32, String, bool)>> = BTreeMap::new();
        for mark in marks {
            if let Some(owner) = innermost(symbols, mark.0) {
                sections.entry(owner).or_default().push(mark);
            }
        }
        for symbol in symbols.iter_mut().filter(|s| s.kind.is_callable()) {
            let Some(section) = symbol.parent.and_then(|parent| sections.get(&parent)) else { continue };
            let start = symbol.span.start;
            let before = section.partition_point(|mark| mark.0 < start);
            let applies = |mark: &&&(u32, String, bool)| !mark.2 || start - mark.0 < 12;
            let found = section[..before].iter().rev().find(applies);
            symbol.visibility = match found.map(|mark| mark.1.as_str()) {
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

/// The innermost symbol around a byte.
fn innermost(symbols: &[SymbolFact], byte: u32) -> Option<u32> {
    let mut at = symbols.partition_point(|s| s.span.start <= byte).checked_sub(1)?;
    while symbols[at].span.end <= byte {
        at = symbols[at].parent? as usize;
    }
    Some(at as u32)
}
