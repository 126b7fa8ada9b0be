//! The dialect of the shell: paths of sourced files without the variables before them, and the
//! tests of bats.

use super::{Dialect, strip_quotes};
use crate::extract::expressions::ExpressionReader;
use crate::extract::raw_facts::{DialectNote, RawFacts};
use crate::extract::source_rewrites::SourceRewrite;
use kenning_graph::facts::{ImportFact, SymbolFact};
use tree_sitter::Node;

/// The word before the name of a test.
const TEST_WORD: &str = "@test ";

/// The dialect of the shell.
pub(crate) struct BashDialect;

impl Dialect for BashDialect {
    fn normalize_import(&self, import: &mut ImportFact, _statement: &str) -> bool {
        let path = strip_quotes(&import.path);
        // `$DIR/lib.sh`, `${DIR}/lib.sh` and `$(dirname "$0")/lib.sh` lie in an unknown folder.
        let after_expansion = match path.rfind(['}', ')']) {
            Some(end) => &path[end + 1..],
            None if path.starts_with('$') => path.split_once('/').map_or("", |(_, rest)| rest),
            None => &path,
        };
        let path = strip_quotes(after_expansion).trim_start_matches(['/', '"']).to_owned();
        import.path = path;
        !import.path.is_empty() && !import.path.contains(['$', '`', '*', ' '])
    }

    /// Turns `@test "it works" {` into `it_works() {`, a function with the name at the same place.
    fn rewrite_macros(&self, text: &str, _root: Node) -> Vec<SourceRewrite> {
        let mut rewrites = Vec::new();
        let mut line_start = 0;
        for line in text.split_inclusive('\n') {
            let start = line_start;
            line_start += line.len();
            let Some(rest) = line.strip_prefix(TEST_WORD) else { continue };
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
            let name = start + TEST_WORD.len() + 1;
            let Some(length) = rest[1..].rfind(quote) else { continue };
            if !rest[1 + length + 1..].starts_with(' ') || length == 0 {
                continue;
            }
            let mut rewrite = SourceRewrite { range: start..line_start, bytes: Vec::new() };
            rewrite.blank(text, start..name);
            let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let other_bytes = (name..name + length).filter(|&at| !is_word(text.as_bytes()[at]));
            rewrite.bytes.extend(other_bytes.map(|at| (at, b'_')));
            rewrite.bytes.extend([(name + length, b'('), (name + length + 1, b')')]);
            rewrites.push(rewrite);
        }
        rewrites
    }

    /// Writes the signatures of tests, and removes the equals sign after the name of an alias.
    fn finish_symbols(&self, symbols: &mut [SymbolFact], _notes: &[DialectNote]) {
        for symbol in symbols {
            if symbol.is_test {
                symbol.signature = format!("{TEST_WORD}\"{}\"", symbol.name);
                continue;
            }
            let name = symbol.name.split('=').next().unwrap_or("");
            if !name.is_empty() && name.len() < symbol.name.len() {
                symbol.name_span.len = name.len() as u32;
                symbol.name = name.to_owned();
            }
        }
    }

    /// Marks the functions that [`Self::rewrite_macros`] made as tests.
    fn collect_hook<'t>(&self, _node: Node<'t>, expressions: &ExpressionReader, out: &mut RawFacts<'t>) {
        for draft in &mut out.drafts {
            let before = expressions.text.get(..draft.name_span.start as usize).unwrap_or("");
            draft.is_test |= before.trim_end_matches(['"', '\'']).ends_with(TEST_WORD);
        }
    }
}
