//! Path templates: one normal form for the notations of all frameworks.
//!
//! The input is a path as a server or a client writes it: `/users/:id`, `^users/(?P<id>\d+)$`,
//! `https://x.org/users/7?page=1`. The output begins with a slash and has `{}` in place of each
//! parameter and each unknown part: `/users/{}`. The paths of a server and of its clients are
//! therefore equal texts. A text that is not a path has no normal form.

use super::framework_table::WebFramework;
use super::string_evaluation::HOLE;

/// Maximum length of a template, in bytes. Longer paths are discarded.
const MAX_PATH_BYTES: usize = 200;

/// Whether a path must begin with a slash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathForm {
    Absolute,
    /// The path may also begin without a slash.
    Relative,
}

/// The use of a path: a server declares it, or a client calls it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathUse {
    Served,
    Called,
}

/// Returns the normalized path of a framework's route, and whether all of it is known. If the path
/// begins with an unknown value, only its end is known.
pub(super) fn parse_route_path(framework: &WebFramework, text: &str) -> Option<(String, bool)> {
    let end = strip_leading_hole(text).filter(|_| !framework.client);
    // A route in a router that is mounted below a path may have an empty path.
    let may_be_relative = framework.relative || (text.is_empty() && framework.mounted);
    let form = if may_be_relative { PathForm::Relative } else { PathForm::Absolute };
    let path_use = if framework.client { PathUse::Called } else { PathUse::Served };
    let path = normalize_route_path(end.unwrap_or(text), form, path_use)?;
    (end.is_none() || path != "/").then_some((path, end.is_none()))
}

/// Returns the rest of a path that begins with an unknown value, if that rest is a path.
pub(super) fn strip_leading_hole(text: &str) -> Option<&str> {
    text.trim_start_matches('/').strip_prefix(HOLE).filter(|rest| rest.starts_with('/'))
}

/// Normalizes the path of a route: removes host, query and trailing slash, and replaces parameters
/// with `{}`. Returns `None` if the text is not a path: it does not begin with a slash although the
/// form requires one, or contains characters that no path has.
pub(crate) fn normalize_route_path(text: &str, form: PathForm, path_use: PathUse) -> Option<String> {
    let client = path_use == PathUse::Called;
    let mut text = text.trim();
    if text.len() > 2 * MAX_PATH_BYTES {
        return None;
    }
    if let Some(rest) = ["http://", "https://", "ws://", "wss://"].iter().find_map(|s| text.strip_prefix(s)) {
        // Keeps the part of an absolute URL after the host.
        text = rest.find('/').map_or("/", |at| &rest[at..]);
    } else if client && let Some(rest) = text.strip_prefix("{}") {
        // The base URL is an unknown value: a path must follow it.
        text = rest;
        if text.len() < 2 || !text.starts_with('/') {
            return None;
        }
    } else if text.starts_with("~/") {
        text = &text[1..];
    }
    if client && let Some((path, _)) = text.split_once(['?', '#']) {
        text = path;
    }
    let text = text.strip_prefix('^').unwrap_or(text);
    if !client && text.trim_start_matches('/').starts_with(HOLE) {
        // The path begins with an unknown value. It is not a parameter, because parameters have
        // names.
        return None;
    }
    if form == PathForm::Absolute && !text.starts_with('/') {
        return None;
    }
    // A client calls one concrete path: a number in it is the value of a parameter.
    let is_number =
        |segment: &str| client && !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit());
    let normalize_segment =
        |segment: &&str| if is_number(segment) { "{}".to_owned() } else { replace_parameters(segment) };
    let segments: Vec<String> = split_segments(text).iter().map(normalize_segment).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
    // A regular expression may end with an optional slash.
    let segments = segments.strip_suffix(&["?"]).filter(|_| !client).unwrap_or(&segments);
    let path = format!("/{}", segments.join("/"));
    let is_path = |c: char| !c.is_whitespace() && !c.is_control() && !"\"'`\\|<>()".contains(c);
    (path.len() <= MAX_PATH_BYTES && path.chars().all(is_path)).then_some(path)
}

/// Joins two normalized paths.
pub(crate) fn join_route_paths(prefix: &str, path: &str) -> String {
    match (prefix.trim_end_matches('/'), path.trim_start_matches('/')) {
        ("", "") => "/".to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}/{path}"),
    }
}

/// Splits a text at the slashes outside brackets: `{id:[^/]+}`, `(?P<x>a/b)`.
fn split_segments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '<' | '[' => depth += 1,
            '}' | ')' | '>' | ']' => depth -= 1,
            '/' if depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Replaces the parameters of a segment by `{}`.
fn replace_parameters(segment: &str) -> String {
    let segment = segment.trim_end_matches('$');
    // These wildcards match everything below: `*`, `*path`, `**`.
    if segment.starts_with('*') {
        return "{}".to_owned();
    }
    let mut out = String::new();
    let mut chars = segment.chars().peekable();
    while let Some(c) = chars.next() {
        let close = match c {
            '{' => '}',
            '<' => '>',
            '(' => ')',
            '[' => ']',
            ':' if chars.peek().is_some_and(|c| c.is_alphabetic() || *c == '_') => {
                while chars.peek().is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    chars.next();
                }
                // `:id(\\d+)` and `:id?` are one parameter.
                if chars.peek() == Some(&'(') {
                    skip_group(&mut chars, '(', ')');
                }
                if chars.peek() == Some(&'?') {
                    chars.next();
                }
                push_hole(&mut out);
                continue;
            }
            '\\' => {
                // A character class of a regular expression is a parameter.
                match chars.next() {
                    Some('d' | 'w' | 's') => push_hole(&mut out),
                    Some(other) => out.push(other),
                    None => {}
                }
                while chars.peek().is_some_and(|c| matches!(c, '+' | '*' | '?')) {
                    chars.next();
                }
                continue;
            }
            c => {
                out.push(c);
                continue;
            }
        };
        skip_bracket_rest(&mut chars, c, close);
        while chars.peek().is_some_and(|c| matches!(c, '+' | '*' | '?')) {
            chars.next();
        }
        push_hole(&mut out);
    }
    out
}

fn push_hole(out: &mut String) {
    if !out.ends_with("{}") {
        out.push_str("{}");
    }
}

/// Skips a group, beginning with its open bracket.
fn skip_group(chars: &mut std::iter::Peekable<std::str::Chars>, open: char, close: char) {
    chars.next();
    skip_bracket_rest(chars, open, close);
}

/// Skips the rest of an open bracket.
fn skip_bracket_rest(chars: &mut std::iter::Peekable<std::str::Chars>, open: char, close: char) {
    let mut depth = 1;
    for c in chars.by_ref() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_all_frameworks_have_one_form() {
        for (text, expected) in [
            ("/users/:id", "/users/{}"),
            ("/users/{id}/", "/users/{}"),
            ("/users/{id:[0-9]+}", "/users/{}"),
            ("/users/<int:id>", "/users/{}"),
            ("/users/:id(\\d+)?", "/users/{}"),
            ("/files/*path", "/files/{}"),
            ("/files/*", "/files/{}"),
            ("//a//b", "/a/b"),
            ("/a-{x}-{y}.json", "/a-{}-{}.json"),
            ("/", "/"),
        ] {
            assert_eq!(
                normalize_route_path(text, PathForm::Absolute, PathUse::Served).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for (text, expected) in [
            ("users/", Some("/users")),
            ("^users/(?P<id>\\d+)/$", Some("/users/{}")),
            ("^users/?$", Some("/users")),
            ("", Some("/")),
            ("~/other", Some("/other")),
            ("has space", None),
            ("{}/users", None),
        ] {
            assert_eq!(
                normalize_route_path(text, PathForm::Relative, PathUse::Served).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn urls_lose_host_and_query() {
        for (text, expected) in [
            ("https://x.org:80/users/{}?page=1", Some("/users/{}")),
            ("https://x.org", Some("/")),
            ("/users/7/posts", Some("/users/{}/posts")),
            ("{}/users/{}", Some("/users/{}")),
            ("/users?x={}", Some("/users")),
            ("users", None),
            ("{}users", None),
            ("{}", None),
            ("{}?page={}", None),
        ] {
            assert_eq!(
                normalize_route_path(text, PathForm::Absolute, PathUse::Called).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn no_text_causes_a_panic() {
        for text in ["{", "(((", "/:", "/\\", "/{a", "/é:ü(", "[/]", "/<<>"] {
            let _ = normalize_route_path(text, PathForm::Relative, PathUse::Called);
        }
    }

    #[test]
    fn paths_are_joined_by_one_slash() {
        assert_eq!(join_route_paths("/a", "/"), "/a");
        assert_eq!(join_route_paths("", "/"), "/");
        assert_eq!(join_route_paths("/a", "/b"), "/a/b");
    }
}
