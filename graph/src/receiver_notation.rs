//! Escapes text for use inside the notation of [`crate::facts::ReferenceFact::receiver`]: replaces
//! the characters that have a special meaning there.

/// The escaped characters. Each becomes the character with its index in a private range of Unicode.
const ESCAPED: [char; 8] = ['.', '?', '|', '(', ')', '[', ']', '^'];

/// The first character of the private range.
const RANGE_START: u32 = 0xE5A0;

/// One past the last character of the private range. The range has room for six sets of characters,
/// because escaped text may be escaped again: each time, the characters move up by one set.
const RANGE_END: u32 = RANGE_START + 6 * ESCAPED.len() as u32;

/// Prefix of the escaped path of a module. Together they denote the module at the start of an
/// expression.
pub(crate) const MODULE_PREFIX: &str = "import:";

/// Returns the notation for the module at `path`, which starts an expression.
pub fn module_expression(path: &str) -> String {
    [MODULE_PREFIX, &escape_text(path)].concat()
}

/// Returns what follows the prefix of a module: its escaped path, and the names below it if the
/// expression has any. Returns `None` if the expression does not begin with a module.
pub fn strip_module_prefix(expression: &str) -> Option<&str> {
    expression.strip_prefix(MODULE_PREFIX)
}

/// Escapes all characters of a text that have a special meaning in the notation.
pub fn escape_text(text: &str) -> String {
    let shift = ESCAPED.len() as u32;
    let escape_char = |c: char| match ESCAPED.iter().position(|&escaped| escaped == c) {
        Some(at) => RANGE_START + at as u32,
        None if (RANGE_START..RANGE_END).contains(&(c as u32)) => c as u32 + shift,
        None => c as u32,
    };
    text.chars().map(|c| char::from_u32(escape_char(c)).unwrap_or(c)).collect()
}

/// Returns the text as it was before [`escape_text`].
pub fn unescape_text(text: &str) -> String {
    let count = ESCAPED.len() as u32;
    let unescape_char = |c: char| match (c as u32).checked_sub(RANGE_START) {
        Some(at) if at < count => ESCAPED[at as usize],
        Some(at) if at < RANGE_END - RANGE_START + count => char::from_u32(c as u32 - count).unwrap_or(c),
        _ => c,
    };
    text.chars().map(unescape_char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_recognized_at_the_start_of_an_expression() {
        let module = module_expression("./users");
        assert_eq!(strip_module_prefix(&module).map(unescape_text).as_deref(), Some("./users"));
        assert_eq!(strip_module_prefix("users.router"), None);
    }

    #[test]
    fn escaped_text_has_no_special_characters_and_unescapes_to_the_original() {
        let text = "(x?: A.B[]) => C | D^";
        assert!(!escape_text(text).contains(['.', '?', '|', '(', ')', '[', ']', '^']));
        assert_eq!(unescape_text(&escape_text(text)), text);
        assert_eq!(unescape_text(&unescape_text(&escape_text(&escape_text(text)))), text);
    }
}
