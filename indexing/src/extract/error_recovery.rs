//! Texts that a grammar cannot read though they are right: the same text, to the byte, with a separator where the
//! grammar misses one.

use tree_sitter::Tree;

/// The text with a `;` in place of the white space before each line's first word, where that begins with `begin`. All
/// offsets, lines and columns stay. `None` when there is no such line, or `begin` is empty.
pub(super) fn insert_separators(text: &str, begin: &str) -> Option<String> {
    if begin.is_empty() {
        return None;
    }
    let mut out: Option<Vec<u8>> = None;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if indent > 0 && line[indent..].starts_with(begin) {
            let bytes = out.get_or_insert_with(|| text.as_bytes().to_vec());
            bytes[line_start + indent - 1] = b';';
        }
        line_start += line.len();
    }
    // White space of one byte became a separator of one byte: it is UTF-8 still.
    String::from_utf8(out?).ok()
}

/// Number of places where a tree says that its text is wrong.
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
    fn a_separator_takes_the_place_of_white_space_before_the_first_word_of_a_line() {
        let text = "a\n  <T>(): b\n\t<U> < c\n<V>\n";
        assert_eq!(insert_separators(text, "<").as_deref(), Some("a\n ;<T>(): b\n;<U> < c\n<V>\n"));
        assert_eq!(insert_separators("a < b\n<c", "<"), None);
        assert_eq!(insert_separators(text, ""), None);
    }
}
