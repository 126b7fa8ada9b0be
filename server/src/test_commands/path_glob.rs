//! Matches paths against the patterns with which test runners select files: `**`, `*`, `?`, braces,
//! and the groups of extended patterns (`?(c|m)`, `@(a|b)`).

/// Maximum number of patterns that braces and groups expand to. Hostile patterns give millions.
const MAX_EXPANDED: usize = 256;

/// Whether a pattern matches a path. Both are relative to the same folder. A pattern without
/// wildcards is a file, or a folder with everything below it.
pub(super) fn matches_glob(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    expand_groups(pattern).iter().any(|pattern| {
        let segments: Vec<&str> = pattern.split('/').collect();
        let is_plain = !pattern.contains(['*', '?']);
        (is_plain && (parts.starts_with(&segments) || matches!(pattern.as_str(), "" | ".")))
            || matches_segments(&segments, &parts)
    })
}

/// Replaces each group of alternatives by its alternatives.
fn expand_groups(pattern: &str) -> Vec<String> {
    let (mut finished, mut pending) = (Vec::new(), vec![pattern.to_owned()]);
    while let Some(text) = pending.pop() {
        if finished.len() + pending.len() >= MAX_EXPANDED {
            break;
        }
        let Some((range, alternatives)) = innermost_group(&text) else {
            finished.push(text);
            continue;
        };
        let (before, after) = (&text[..range.start], &text[range.end..]);
        pending.extend(alternatives.iter().map(|alternative| format!("{before}{alternative}{after}")));
    }
    finished
}

/// Returns the first group without a group inside it, with its alternatives.
fn innermost_group(text: &str) -> Option<(std::ops::Range<usize>, Vec<String>)> {
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match (c, open) {
            ('{' | '(', _) => open = Some((at, c)),
            ('}', Some((start, '{'))) => {
                let alternatives = text[start + 1..at].split(',').map(str::to_owned).collect();
                return Some((start..at + 1, alternatives));
            }
            (')', Some((start, '('))) => {
                let mark = text[..start].chars().next_back();
                let has_mark = mark.is_some_and(|mark| matches!(mark, '?' | '@' | '+' | '*' | '!'));
                let mut alternatives: Vec<String> =
                    text[start + 1..at].split('|').map(str::to_owned).collect();
                if matches!(mark, Some('?' | '*')) {
                    alternatives.push(String::new());
                }
                return Some((start - usize::from(has_mark)..at + 1, alternatives));
            }
            _ => {}
        }
    }
    None
}

/// Matches segments with `**` for any number of folders.
fn matches_segments(pattern: &[&str], path: &[&str]) -> bool {
    // `reached[n]`: the segments so far match the first `n` parts of the path.
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for segment in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            if *segment == "**" {
                next[at] = reached[at] || (at > 0 && next[at - 1]);
            } else if at > 0 {
                next[at] = reached[at - 1] && matches_name(segment, path[at - 1]);
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Matches one name with `*` and `?`.
fn matches_name(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut from) = (0, 0);
    // The last `*` and the part of the name that it covers up to now.
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&c) if c == '?' || c == name[from] => (at, from) = (at + 1, from + 1),
            _ => {
                let Some((star_at, covered)) = star else { return false };
                star = Some((star_at, covered + 1));
                (at, from) = (star_at + 1, covered + 1);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_test_runners_match_as_they_do_there() {
        let cases = [
            ("test/unit/**/*.js", "test/unit/a/b.js", true),
            ("test/unit/**/*.js", "test/unit/b.js", true),
            ("test/unit/**/*.js", "test/specs/b.js", false),
            ("**/*.{test,spec}.?(c|m)[jt]s?(x)", "src/a.spec.[jt]s", true),
            ("**/*.{test,spec}.{js,ts}", "a.test.ts", true),
            ("**/*.{test,spec}.{js,ts}", "a.tests.ts", false),
            ("./test", "test/a/b.js", true),
            ("./test", "tests/b.js", false),
            ("packages/*/test/*.test.ts", "packages/a/test/b.test.ts", true),
            ("packages/*/test/*.test.ts", "packages/a/b/test/c.test.ts", false),
            ("test/?.js", "test/a.js", true),
            ("*a*b", "xaayb", true),
            ("", "a.js", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches_glob(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn hostile_patterns_end() {
        let braces = "{a,b}".repeat(60);
        assert!(!matches_glob(&braces, "x"));
        assert!(!matches_glob(&("**/".repeat(500) + "x"), &("a/".repeat(500) + "b")));
        assert!(!matches_glob(&"*a".repeat(200), &"a".repeat(150)));
        assert!(!matches_glob("((((", "x"));
    }
}
