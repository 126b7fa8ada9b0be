//! Recovery of correct code that a grammar cannot parse: inserts separators that the grammar needs,
//! without moving a byte.

use tree_sitter::Tree;

/// Replaces the whitespace before a line's first word by `;` if that word begins with `prefix`.
/// All offsets, lines and columns stay the same. Returns `None` if there is no such line, or if
/// `prefix` is empty.
pub(super) fn insert_separators(text: &str, prefix: &str) -> Option<String> {
    if prefix.is_empty() {
        return None;
    }
    let mut out: Option<Vec<u8>> = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if indent > 0 && line[indent..].starts_with(prefix) {
            let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
            bytes[line_start + indent - 1] = b';';
        }
        line_start += line.len();
    }
    // One byte of whitespace became a separator of one byte, so the text is still UTF-8.
    String::from_utf8(out?).ok()
}

/// Returns the number of error and missing nodes in a tree.
pub(super) fn count_errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        count += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::insert_separators;

    #[test]
    fn separators_replace_whitespace_before_the_first_word_of_a_line() {
        let text = "a\n  <T>(): b\n\t<U> < c\n<V>\n";
        assert_eq!(insert_separators(text, "<").as_deref(), Some("a\n ;<T>(): b\n;<U> < c\n<V>\n"));
        assert_eq!(insert_separators("a < b\n<c", "<"), None);
        assert_eq!(insert_separators(text, ""), None);
    }
}
