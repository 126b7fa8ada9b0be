//! Recognizes templates and patterns, which are written like secrets but have their values filled
//! in later.

use super::values::CharProfile;

/// Whether a value is a template or a pattern: `${name}`, `{name}`, `<name>`, `%s`,
/// `$NAME`, `\d+`.
pub(super) fn is_template(value: &str, profile: &CharProfile) -> bool {
    const TEMPLATE_PARTS: [&str; 18] = [
        "${", "{{", "<%", "%(", "#{", "$(", "%{", "\\d", "\\w", "\\s", "\\x", "\\u", "[a-z", "[A-Z", "[0-9",
        "(?", ".*", ".+",
    ];
    if TEMPLATE_PARTS.iter().any(|part| value.contains(part)) {
        return true;
    }
    if profile.brackets > 0 {
        let is_field = |open: char, close: char| {
            let bounds = value.find(open).zip(value.rfind(close)).filter(|(open, close)| open < close);
            bounds.is_some_and(|(open, close)| is_field_name(&value[open + 1..close]))
        };
        let is_enclosed = [('[', ']'), ('<', '>'), ('{', '}')]
            .iter()
            .any(|&(open, close)| value.starts_with(open) && value.ends_with(close));
        if is_enclosed || is_field('{', '}') || is_field('<', '>') {
            return true;
        }
    }
    let bytes = value.as_bytes();
    let is_variable = bytes[0] == b'$' && bytes.get(1).is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_');
    let is_bound =
        matches!(bytes[0], b'@' | b':') && bytes[1..].iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_');
    let is_wrapped = bytes.len() > 2 && bytes[0] == b'%' && bytes[bytes.len() - 1] == b'%';
    is_variable || is_bound || is_wrapped || has_format_directive(bytes)
}

/// Whether the text between brackets names what replaces it: `user.name`, `0`, `name!r:>10`. The
/// brackets in a password have random characters between them, or no counterpart.
fn is_field_name(inner: &str) -> bool {
    let name = inner.split(['!', ':']).next().unwrap_or(inner);
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ' | '[' | ']' | '(' | ')'))
}

/// Whether a value has a directive like `%s`, as opposed to the `%4A` of an address.
fn has_format_directive(bytes: &[u8]) -> bool {
    bytes.windows(2).enumerate().any(|(at, pair)| {
        pair[0] == b'%'
            && matches!(pair[1], b's' | b'd' | b'v' | b'q' | b'i' | b'@')
            && bytes.get(at + 2).is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}
