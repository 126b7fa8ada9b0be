//! Masks texts for use inside the notation of [`crate::facts::ReferenceFact::receiver`]: replaces
//! the characters that have a special meaning there.

/// The masked characters. Each becomes the character with its index in a private range of Unicode.
const MASKED: [char; 8] = ['.', '?', '|', '(', ')', '[', ']', '^'];

/// The first character of the private range.
const RANGE_START: u32 = 0xE5A0;

/// One past the last character of the private range, which has room for six sets of characters
/// because masked text may be masked again.
const RANGE_END: u32 = RANGE_START + 6 * MASKED.len() as u32;

/// Prefix of the masked path of a module. Together they denote the module at the start of an
/// expression.
pub(crate) const MODULE_PREFIX: &str = "import:";

/// Writes the module at a path, as the start of an expression.
pub fn write_module(path: &str) -> String {
    [MODULE_PREFIX, &mask_text(path)].concat()
}

/// Returns what follows the prefix of a module: its masked path, and the names below it if the
/// expression has any. Returns `None` if the expression does not begin with a module.
pub fn strip_module_prefix(expression: &str) -> Option<&str> {
    expression.strip_prefix(MODULE_PREFIX)
}

/// Masks all characters of a text that have a special meaning in the notation.
pub fn mask_text(text: &str) -> String {
    let shift = MASKED.len() as u32;
    let mask_char = |c: char| match MASKED.iter().position(|&masked| masked == c) {
        Some(at) => RANGE_START + at as u32,
        None if (RANGE_START..RANGE_END).contains(&(c as u32)) => c as u32 + shift,
        None => c as u32,
    };
    text.chars().map(|c| char::from_u32(mask_char(c)).unwrap_or(c)).collect()
}

/// Returns the text as it was before [`mask_text`].
pub fn unmask_text(text: &str) -> String {
    let count = MASKED.len() as u32;
    let unmask_char = |c: char| match (c as u32).checked_sub(RANGE_START) {
        Some(at) if at < count => MASKED[at as usize],
        Some(at) if at < RANGE_END - RANGE_START + count => char::from_u32(c as u32 - count).unwrap_or(c),
        _ => c,
    };
    text.chars().map(unmask_char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_recognized_at_the_start_of_an_expression() {
        let module = write_module("./users");
        assert_eq!(strip_module_prefix(&module).map(unmask_text).as_deref(), Some("./users"));
        assert_eq!(strip_module_prefix("users.router"), None);
    }

    #[test]
    fn masked_text_has_no_special_characters_and_unmasks_to_the_original() {
        let text = "(x?: A.B[]) => C | D^";
        assert!(!mask_text(text).contains(['.', '?', '|', '(', ')', '[', ']', '^']));
        assert_eq!(unmask_text(&mask_text(text)), text);
        assert_eq!(unmask_text(&unmask_text(&mask_text(&mask_text(text)))), text);
    }
}
