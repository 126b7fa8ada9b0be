//! Declarations inside macro calls, which a grammar parses as bare tokens.
//!
//! The dialect of a language returns [`SourceRewrite`]s that expose such declarations to the parser
//! without moving a byte. The tree of the rewritten text has their nodes at the positions of the
//! original text, from which the extractor reads all names and signatures.

use super::Extractor;
use super::error_recovery::count_errors;
use crate::bounded_parse::StepBudget;
use crate::languages::Language;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Maximum nesting of macro calls whose contents are read. Each level costs another parse.
const MAX_NESTING: usize = 3;

/// The replacement of single bytes of a text.
#[derive(Debug)]
pub(crate) struct SourceRewrite {
    /// The bytes of the macro call.
    pub range: Range<usize>,
    /// The offset and the new value of each replaced byte. If an offset occurs twice, the later
    /// value wins.
    pub bytes: Vec<(usize, u8)>,
}

impl SourceRewrite {
    /// Replaces a range by spaces. Line ends stay.
    pub fn blank(&mut self, text: &str, range: Range<usize>) {
        let bytes = range.filter(|&at| !matches!(text.as_bytes().get(at), None | Some(b'\n' | b'\r')));
        self.bytes.extend(bytes.map(|at| (at, b' ')));
    }
}

impl Extractor {
    /// Parses a text with the declarations inside its macro calls. Returns `None` if there are
    /// none. Leaves a call as it is if its contents cannot be parsed as declarations.
    pub(super) fn parse_macro_contents(
        &mut self,
        language: &Language,
        text: &str,
        tree: &Tree,
        steps: &StepBudget,
    ) -> Option<Tree> {
        let mut current: Option<(String, Tree)> = None;
        let mut rejected: Vec<Range<usize>> = Vec::new();
        for _ in 0..MAX_NESTING {
            let (text, tree) = current.as_ref().map_or((text, tree), |(text, tree)| (text, tree));
            let mut rewrites = language.grammar.dialect.rewrite_macros(text, tree.root_node());
            rewrites.retain(|rewrite| !rejected.contains(&rewrite.range));
            let errors = count_errors(tree);
            let mut next = self.parse_rewritten(language, text, &rewrites, steps);
            if let Some((_, tree)) = &next
                && count_errors(tree) > errors
            {
                let has_error = |range: &Range<usize>| {
                    let node = tree.root_node().descendant_for_byte_range(range.start, range.end);
                    node.is_some_and(|node| contains_error(node, range))
                };
                rejected.extend(rewrites.iter().map(|rewrite| rewrite.range.clone()).filter(has_error));
                rewrites.retain(|rewrite| !rejected.contains(&rewrite.range));
                next = self.parse_rewritten(language, text, &rewrites, steps);
            }
            match next {
                Some(next) if count_errors(&next.1) <= errors => current = Some(next),
                _ => break,
            }
        }
        current.map(|(_, tree)| tree)
    }

    /// Applies rewrites to a text. Returns the result and its tree; `None` if there are no rewrites
    /// or the parse is abandoned.
    fn parse_rewritten(
        &mut self,
        language: &Language,
        text: &str,
        rewrites: &[SourceRewrite],
        steps: &StepBudget,
    ) -> Option<(String, Tree)> {
        if rewrites.is_empty() {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        for &(at, byte) in rewrites.iter().flat_map(|rewrite| &rewrite.bytes) {
            bytes[at] = byte;
        }
        let text = String::from_utf8(bytes).ok()?;
        let tree = self.parse_text(language, &text, None, steps)?;
        Some((text, tree))
    }
}

/// Whether a node has an error that overlaps a range.
fn contains_error(node: Node, range: &Range<usize>) -> bool {
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        let overlaps = node.start_byte() <= range.end && range.start <= node.end_byte();
        if !overlaps || !node.has_error() {
            continue;
        }
        if node.is_error() || node.is_missing() {
            return true;
        }
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor));
    }
    false
}
