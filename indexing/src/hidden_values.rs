//! Hides the values in files of configuration and secrets, so that Kenning reads only the names.
//!
//! The input is the text of a file and the row of its language. The output is the same text with
//! the values replaced by spaces, so that all positions stay the same. All code that reads a file
//! for the graph, the index or an answer passes the text through [`hide_values`]. There are two
//! kinds of text:
//!
//! * assignments (`NAME=value`): only the names stay. Comments are hidden as well, because they
//!   often hold values that are switched off.
//! * mappings (YAML): below the hidden keys of the row, only the keys one level deeper stay.
//!
//! If the syntax is unclear, the module hides too much rather than too little.

use crate::languages::LanguageRow;
use std::borrow::Cow;
use std::ops::Range;

/// Returns a text with the values hidden that the row of its language marks as secret. Keeps line
/// ends.
pub fn hide_values<'t>(row: &LanguageRow, text: &'t str) -> Cow<'t, str> {
    if row.hides_assigned_values {
        let kept = assigned_names(text);
        let mut out = blank_bytes(text);
        for name in kept {
            out[name.clone()].copy_from_slice(&text.as_bytes()[name.clone()]);
            // The byte after a name is the equals sign or a space before it.
            out[name.end] = b'=';
        }
        // Names are ASCII, so the result is UTF-8.
        return String::from_utf8(out).unwrap_or_default().into();
    }
    let hidden = values_below_keys(text, &row.hidden_keys);
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.as_bytes().to_vec();
    for range in hidden {
        for byte in out[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = b' ';
        }
    }
    // The ranges begin and end at ASCII characters or at ends of lines.
    String::from_utf8(out).unwrap_or_default().into()
}

fn blank_bytes(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { byte } else { b' ' }).collect()
}

/// Returns the ranges of the assigned names.
fn assigned_names(text: &str) -> Vec<Range<usize>> {
    let mut names = Vec::new();
    // The quote or the boundary that ends the current value, if that has several lines.
    let mut open: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        if let Some(end) = open {
            if ends_value(line, end) {
                open = None;
            }
            continue;
        }
        let trimmed = line.trim_start();
        let declared = trimmed.strip_prefix("export ").map_or(trimmed, str::trim_start);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = declared.find(|c: char| !is_part(c)).unwrap_or(declared.len());
        let value = declared[length..].trim_start_matches([' ', '\t']).strip_prefix('=');
        if line.contains("-----BEGIN") {
            open = (!line.contains("-----END")).then_some("-----END");
        } else if let Some(value) = value.map(str::trim_start) {
            let quote = ["\"", "'", "`"].into_iter().find(|quote| value.starts_with(quote));
            open = quote.filter(|quote| !ends_value(&value[1..], quote));
        }
        if value.is_some() && is_assigned_name(&declared[..length]) {
            let name = line_start + (line.len() - declared.len());
            names.push(name..name + length);
        }
    }
    names
}

/// Whether a word names a variable. Lines of encoded data that end with `=` have letters of both
/// cases, which names of environment variables do not.
fn is_assigned_name(word: &str) -> bool {
    let has = |is_part: fn(&u8) -> bool| word.bytes().any(|byte| is_part(&byte));
    let is_mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    !word.is_empty() && !is_mixed && !word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line contains `end`, the quote or boundary that ends a value. Ignores escaped quotes.
fn ends_value(line: &str, end: &str) -> bool {
    line.match_indices(end).any(|(at, _)| end.len() > 1 || !line[..at].ends_with('\\'))
}

/// Returns the ranges of the values of mappings below `keys`.
fn values_below_keys(text: &str, keys: &[String]) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    if keys.is_empty() {
        return hidden;
    }
    // The indentation of the key around the values, and that of the keys below it once it is known.
    let mut block: Option<(usize, Option<usize>)> = None;
    let mut braces = 0_usize;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let line_start = start;
        start += line.len();
        let whole = line_start..start;
        if braces > 0 {
            braces =
                (braces + line.matches(['{', '[']).count()).saturating_sub(line.matches(['}', ']']).count());
            hidden.push(whole);
            continue;
        }
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        if let Some((outer, inner)) = &mut block {
            let is_list = indent == *outer && content.starts_with("- ");
            // Comments and the expressions of a template need not be indented.
            let may_be_unindented =
                content.trim().is_empty() || content.starts_with('#') || content.starts_with("{{");
            if may_be_unindented || indent > *outer || is_list {
                let inner = if may_be_unindented { None } else { Some(*inner.get_or_insert(indent)) };
                let key = key_length(content).filter(|_| inner == Some(indent) && !is_list);
                hidden.push(line_start + key.map_or(0, |length| indent + length)..start);
                continue;
            }
            block = None;
        }
        let dashes = content.len() - content.trim_start_matches(['-', ' ']).len();
        let entry = &content[dashes..];
        let Some(length) = key_length(entry) else { continue };
        let key = entry[..length].trim_end_matches(':').trim_matches(['"', '\'']);
        if keys.iter().any(|hidden| hidden == key) {
            let value = &entry[length..];
            hidden.push(start - value.len()..start);
            braces = value.matches(['{', '[']).count().saturating_sub(value.matches(['}', ']']).count());
            block = (braces == 0).then_some((indent + dashes, None));
        }
    }
    hidden
}

/// Returns the length of the key at the start of a text, with its colon.
fn key_length(text: &str) -> Option<usize> {
    let end = match text.chars().next()? {
        quote @ ('"' | '\'') => 2 + text[1..].find(quote)?,
        _ => text.find([':', ' ', '\t', '\n', '{', '[', '|', '&', '*', '#'])?,
    };
    let rest = text[end..].strip_prefix(':')?;
    (end > 0 && (rest.is_empty() || rest.starts_with(char::is_whitespace))).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::LanguageRegistry;

    fn hide(language: &str, text: &str) -> String {
        let row = &LanguageRegistry::get().find_by_id(language).expect("a language").row;
        let hidden = hide_values(row, text).into_owned();
        assert_eq!(hidden.len(), text.len());
        hidden.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn only_the_names_of_assignments_stay() {
        let text = "# PASSWORD=a1\nHOST=a2 # a3\nexport TOKEN = \"a4\n  KEY=a5\n\\\" a6\"\nCERT=-----BEGIN A-----\nb=7\n-----END A-----\na8\n  B2='a9'\nÄ=a10\nLAST=";
        assert_eq!(hide("dotenv", text), "\nHOST=\n       TOKEN=\n\n\nCERT=\n\n\n\n  B2=\n\nLAST=\n");
        assert_eq!(hide("dotenv", "A=\"x\nB=y\nC=z"), "A=\n\n\n", "an open quote hides the rest");
        assert_eq!(hide("dotenv", "postgres://a:b@c\n1A=b\n = c\nAbC="), "\n\n\n\n");
    }

    #[test]
    fn only_the_keys_below_hidden_keys_stay() {
        let text = "kind: Secret\nstringData:\n  user: a1\n  # a2\n  \"key.pem\": |\n    -----BEGIN\n    x: a3\n\n  - a4\n  last: 'a5\n    a6'\nspec:\n  data:\n# a7\n{{ if a7 }}\n  - name: a7\n  kept: b\n- data: {a: a8,\n  b: a9}\n  kept: c\n";
        let expected = "kind: Secret\nstringData:\n  user:\n\n  \"key.pem\":\n\n\n\n\n  last:\n\nspec:\n  data:\n\n\n\n  kept: b\n- data:\n\n  kept: c\n";
        assert_eq!(hide("kubernetes", text), expected);
        assert_eq!(hide("kubernetes", "metadata:\n  name: a\n"), "metadata:\n  name: a\n");
    }
}
