//! Claims of languages on files: by the end of a path, or by keys at the top level of the text.
//!
//! The extension of a configuration file (`.yml`) rarely identifies the program that reads it. Its
//! folder (`.github/workflows`) or the keys of its outermost mapping (`apiVersion` and `kind`) do.
//! This module must not name any language: the rows of `languages.toml` list the paths and the
//! keys.

use kenning_graph::paths::matches_name_pattern;
use std::path::Path;

/// Number of bytes at the start of a file in which its top-level keys are searched for. Comments
/// with a license may come before the first key.
pub(crate) const CLAIM_BYTES: usize = 16 * 1024;

/// Whether the last parts of a path, whose last part is `name`, match a pattern: parts separated by
/// `/`, in each of which one `*` matches any characters.
pub(crate) fn matches_path_end(path: &Path, name: &str, pattern: &str) -> bool {
    // Most paths differ in their last part, which is known.
    if !matches_name_pattern(pattern.rsplit('/').next().unwrap_or(pattern), name) {
        return false;
    }
    let mut parts = path.components().rev();
    pattern.rsplit('/').all(|wanted| {
        let part = parts.next().and_then(|part| part.as_os_str().to_str());
        part.is_some_and(|part| matches_name_pattern(wanted, part))
    })
}

/// Whether the outermost mapping of a YAML or JSON text has all keys of one of the lists. Reads the
/// first [`CLAIM_BYTES`] bytes; for YAML, the first document with a key.
pub(crate) fn has_top_level_keys(bytes: &[u8], lists: &[Vec<String>]) -> bool {
    let head = &bytes[..bytes.len().min(CLAIM_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = head.trim_ascii_start();
    // Two braces begin an expression of a template.
    let is_json = start.starts_with(b"{") && !start.starts_with(b"{{");
    let keys = if is_json { json_keys(head) } else { yaml_keys(head) };
    lists.iter().any(|list| list.iter().all(|key| keys.contains(&key.as_bytes())))
}

/// Returns the keys of the outermost object of a JSON text, which may be truncated.
fn json_keys(text: &[u8]) -> Vec<&[u8]> {
    let (mut keys, mut depth, mut at) = (Vec::new(), 0_usize, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at;
                while text.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if text[at] == b'\\' { 2 } else { 1 };
                }
                let string = text.get(start..at);
                at += 1;
                let rest = text.get(at..).unwrap_or(&[]).trim_ascii_start();
                keys.extend(string.filter(|_| depth == 1 && rest.starts_with(b":")));
            }
            _ => {}
        }
    }
    keys
}

/// Returns the keys at the beginning of lines in the first document of a YAML text that has one.
fn yaml_keys(text: &[u8]) -> Vec<&[u8]> {
    let mut keys = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        if line.starts_with(b"---") && !keys.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'"' | b'\'');
        if colon > 0
            && line[..colon].iter().all(is_key)
            && line.get(colon + 1).is_none_or(u8::is_ascii_whitespace)
        {
            keys.push(line[..colon].trim_ascii());
        }
    }
    for key in &mut keys {
        let quote = key.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let unquoted = quote.and_then(|quote| key.get(1..)?.strip_suffix(&[quote]));
        *key = unquoted.unwrap_or(key);
    }
    keys
}

/// Whether a hidden path is part of the workspace. The path is relative to the root. `hidden_from`
/// is the index of its first hidden part. With `is_folder`, the path may also be above a listed
/// path.
pub(crate) fn is_listed_hidden_path(
    parts: &[&str],
    is_folder: bool,
    hidden_from: usize,
    list: &[String],
) -> bool {
    let parts = &parts[hidden_from..];
    list.iter().any(|pattern| {
        let mut wanted = pattern.split('/');
        let mut shared = 0;
        for (part, wanted) in parts.iter().zip(&mut wanted) {
            if !matches_name_pattern(wanted, part) {
                return false;
            }
            shared += 1;
        }
        match wanted.next() {
            // The path is above the listed one.
            Some(_) => is_folder,
            None => parts[shared..].iter().all(|part| !part.starts_with('.')),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_matches_a_pattern() {
        let matches = |path: &str, pattern: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            matches_path_end(Path::new(path), name, pattern)
        };
        assert!(matches("a/.github/workflows/ci.yml", ".github/workflows/*.yml"));
        assert!(matches(".env", ".env") && matches("a/.env.local", ".env.*") && matches("prod.env", "*.env"));
        assert!(!matches("workflows/ci.yml", ".github/workflows/*.yml"));
        assert!(!matches("a/.envrc", ".env.*") && !matches("a/b/ci.yml", ".github/*.yml"));
    }

    #[test]
    fn keys_at_the_top_level_claim_a_text() {
        let lists = [vec!["apiVersion".to_owned(), "kind".to_owned()], vec!["openapi".to_owned()]];
        let claims = |text: &str| has_top_level_keys(text.as_bytes(), &lists);
        assert!(claims("# A comment\n---\napiVersion: v1\nkind: Pod\n"));
        assert!(claims("{{- if .Values.on }}\napiVersion: v1\nkind: Pod\n{{- end }}\n"));
        assert!(claims("{\"info\": {\"kind\": [\"}\"]}, \"openapi\" : \"3.0.0\"}"));
        assert!(claims("'openapi': 3.1.0\n"));
        assert!(!claims("apiVersion: v1\nitems:\n  kind: Pod\n"));
        assert!(!claims("apiVersion: v1\n---\nkind: Pod\n"));
        assert!(!claims("{\"paths\": {\"openapi\": 1}}") && !claims("{\"a\": \"openapi\"}"));
        assert!(!claims("openapi://x\n") && !claims("") && !claims("{\"openapi\\"));
    }

    #[test]
    fn listed_hidden_paths_and_the_folders_above_them_are_walked() {
        let list = [".github/workflows", ".env", ".env.*"].map(str::to_owned);
        let is_listed = |path: &str, is_folder: bool| {
            let parts: Vec<&str> = path.split('/').collect();
            let hidden = parts.iter().position(|part| part.starts_with('.')).expect("a hidden part");
            is_listed_hidden_path(&parts, is_folder, hidden, &list)
        };
        assert!(is_listed(".github", true) && is_listed("a/.github/workflows", true));
        assert!(is_listed(".github/workflows/ci.yml", false) && is_listed("a/.env.local", false));
        assert!(
            !is_listed(".github", false) && !is_listed(".github/x.py", false) && !is_listed(".envrc", false)
        );
        assert!(!is_listed(".github/scripts", true) && !is_listed(".github/workflows/.x", false));
    }
}
