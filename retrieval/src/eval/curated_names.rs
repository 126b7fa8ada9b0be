//! Compares a result's name with a truth's name in the curated set, by the lenient rule of the
//! published tables or by the strict rule.

/// Extensions that end the file part of a dotted name, in the order in which they are searched.
const FILE_EXTENSIONS: [&str; 10] =
    [".go", ".py", ".ts", ".tsx", ".js", ".jsx", ".rs", ".java", ".cs", ".rb"];

/// Keywords before the name in a line of source.
const DECLARATIONS: [&str; 8] =
    ["func ", "type ", "var ", "const ", "def ", "class ", "interface ", "struct "];

/// Returns the symbol that a raw result names, or an empty string if it names none. Accepts
/// `Class.method`, `path/file.go.Name`, `file.go:12:func Name(…`, `file.go:Name` and
/// `scheme://host/owner/repo/file.go.Name`.
pub(super) fn parse_symbol(raw: &str) -> String {
    let text = raw.trim().trim_end_matches('.').trim_end_matches('(');
    if let Some((_, rest)) = text.split_once(':').filter(|(file, _)| ends_in_file(file)) {
        return match rest.split_once(':') {
            Some((_, code)) => declared_name(code.trim()).to_owned(),
            None if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) => String::new(),
            None => rest.trim().to_owned(),
        };
    }
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = strip_host(strip_file(text));
    text.rsplit('/').next().unwrap_or_default().to_owned()
}

fn ends_in_file(path: &str) -> bool {
    FILE_EXTENSIONS.iter().any(|end| path.ends_with(end))
}

/// Returns the name in a line such as `func Name(args)`.
fn declared_name(code: &str) -> &str {
    let code = DECLARATIONS.iter().find_map(|word| code.strip_prefix(word)).unwrap_or(code);
    match code.find(['(', ' ', '{', '[', '<']) {
        Some(end) if end > 0 => &code[..end],
        _ => code,
    }
}

/// Removes the path before the symbol: up to the file's extension, else up to the first dot after
/// the last slash, else up to the first capitalized part, else all but the last part.
fn strip_file(name: &str) -> &str {
    let after_file = FILE_EXTENSIONS.iter().find_map(|end| {
        let dotted = format!("{end}.");
        name.rfind(&dotted).map(|at| &name[at + dotted.len()..])
    });
    if let Some(rest) = after_file {
        return rest;
    }
    if let Some((_, last)) = name.rsplit_once('/') {
        return last.split_once('.').map_or(last, |(_, rest)| rest);
    }
    let mut start = 0;
    for part in name.split('.') {
        if part.starts_with(|c: char| c.is_ascii_uppercase()) {
            return &name[start..];
        }
        start += part.len() + 1;
    }
    name.rsplit('.').next().unwrap_or(name)
}

/// Removes `host.tld/owner/repo/`.
fn strip_host(name: &str) -> &str {
    let name = name.split_once("://").map_or(name, |(_, rest)| rest);
    let mut parts = name.splitn(4, '/');
    let host = parts.next().unwrap_or_default();
    if host.contains('.') && !host.contains(|c: char| c.is_ascii_uppercase()) && parts.nth(1).is_some() {
        return parts.next().unwrap_or_default();
    }
    name
}

/// Whether two results of [`parse_symbol`] match by the rule of the published tables. Ignoring
/// case, they match if they are equal or one is a dotted suffix of the other, or if they share the
/// last part and either one is bare or both share a container. In the same case, they match if one
/// contains the other at dots.
pub(super) fn matches_leniently(result: &str, truth: &str) -> bool {
    if result.is_empty() || truth.is_empty() {
        return false;
    }
    let (folded_result, folded_truth) = (result.to_lowercase(), truth.to_lowercase());
    if folded_result == folded_truth
        || ends_in_parts(&folded_result, &folded_truth)
        || ends_in_parts(&folded_truth, &folded_result)
    {
        return true;
    }
    let (result_containers, result_last) = split_last(&folded_result);
    let (truth_containers, truth_last) = split_last(&folded_truth);
    if !result_last.is_empty() && result_last == truth_last {
        let (Some(left), Some(right)) = (result_containers, truth_containers) else { return true };
        if left.split('.').any(|container| right.split('.').any(|other| other == container)) {
            return true;
        }
    }
    contains_at_dots(result, truth) || contains_at_dots(truth, result)
}

fn ends_in_parts(name: &str, tail: &str) -> bool {
    name.strip_suffix(tail).is_some_and(|before| before.ends_with('.'))
}

fn split_last(name: &str) -> (Option<&str>, &str) {
    name.rsplit_once('.').map_or((None, name), |(containers, last)| (Some(containers), last))
}

/// Whether the first occurrence of `inner` in `outer` begins and ends at dots. Only the first one
/// counts, as in the published scorer.
fn contains_at_dots(outer: &str, inner: &str) -> bool {
    let (outer, inner) = (outer.replace("::", "."), inner.replace("::", "."));
    let Some(at) = outer.find(&inner) else { return false };
    let (before, after) = (&outer[..at], &outer[at + inner.len()..]);
    (before.is_empty() || before.ends_with('.')) && (after.is_empty() || after.starts_with('.'))
}

/// Whether two names match by the strict rule: one dotted name is a suffix of the other in the same
/// case. A bare result does not match a qualified truth.
pub(super) fn matches_strictly(result: &str, truth: &str) -> bool {
    let result = name_segments(result);
    let truth = name_segments(truth);
    if result.len() == 1 && truth.len() > 1 {
        return false;
    }
    let shared = result.len().min(truth.len());
    result[result.len() - shared..] == truth[truth.len() - shared..]
}

fn name_segments(name: &str) -> Vec<String> {
    name.replace("::", ".").replace('#', ".").split('.').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{matches_leniently, matches_strictly, parse_symbol};
    use expect_test::expect;

    #[test]
    fn parse_symbol_returns_the_symbol_that_a_result_names() {
        let raws = [
            "Encode.ServeHTTP",
            "encode.Encode.ServeHTTP",
            "run",
            "module.run",
            "src/flask/app.py.Flask.run",
            "github.com/caddyserver/caddy/modules/encode.Encode",
            "https://github.com/caddyserver/caddy/caddy.go.Run",
            "app.py:12:def run(self):",
            "app.py:12:class App",
            "app.go:3:  type  Encode struct {",
            "app.py:12",
            "app.py:Flask",
            "Foo::bar",
            "Foo#bar",
            "run(",
            "Name.",
            "",
            "...",
            "a/b/",
        ];
        let mut seen = Vec::new();
        for raw in raws {
            seen.push(format!("{raw:52} [{}]", parse_symbol(raw)));
        }
        expect![[r"
            Encode.ServeHTTP                                     [Encode.ServeHTTP]
            encode.Encode.ServeHTTP                              [Encode.ServeHTTP]
            run                                                  [run]
            module.run                                           [run]
            src/flask/app.py.Flask.run                           [Flask.run]
            github.com/caddyserver/caddy/modules/encode.Encode   [Encode]
            https://github.com/caddyserver/caddy/caddy.go.Run    [Run]
            app.py:12:def run(self):                             [run]
            app.py:12:class App                                  [App]
            app.go:3:  type  Encode struct {                     [ Encode struct {]
            app.py:12                                            []
            app.py:Flask                                         [Flask]
            Foo::bar                                             [Foo::bar]
            Foo#bar                                              [Foo#bar]
            run(                                                 [run]
            Name.                                                [Name]
                                                                 []
            ...                                                  []
            a/b/                                                 []"]]
        .assert_eq(&seen.join("\n"));
    }

    #[test]
    fn the_lenient_rule_accepts_pairs_that_the_strict_one_rejects() {
        let pairs = [
            ("Encode", "Encode"),
            ("encode", "Encode"),
            ("Encode.ServeHTTP", "ServeHTTP"),
            ("ServeHTTP", "Encode.ServeHTTP"),
            ("Other.ServeHTTP", "Encode.ServeHTTP"),
            ("Encode.Inner.ServeHTTP", "Encode.Outer.ServeHTTP"),
            ("Encode.ServeHTTP.inner", "Encode.ServeHTTP"),
            ("Encoder", "Encode"),
            ("Foo::bar", "Foo.bar"),
            ("Foo#bar", "Foo.bar"),
            ("", "Encode"),
        ];
        let mut seen = Vec::new();
        for (result, truth) in pairs {
            let (lenient, strict) = (matches_leniently(result, truth), matches_strictly(result, truth));
            seen.push(format!("{result:24} {truth:24} lenient {lenient:5} strict {strict}"));
        }
        expect![[r"
            Encode                   Encode                   lenient true  strict true
            encode                   Encode                   lenient true  strict false
            Encode.ServeHTTP         ServeHTTP                lenient true  strict true
            ServeHTTP                Encode.ServeHTTP         lenient true  strict false
            Other.ServeHTTP          Encode.ServeHTTP         lenient false strict false
            Encode.Inner.ServeHTTP   Encode.Outer.ServeHTTP   lenient true  strict false
            Encode.ServeHTTP.inner   Encode.ServeHTTP         lenient true  strict false
            Encoder                  Encode                   lenient false strict false
            Foo::bar                 Foo.bar                  lenient true  strict true
            Foo#bar                  Foo.bar                  lenient false strict true
                                     Encode                   lenient false strict false"]]
        .assert_eq(&seen.join("\n"));
    }
}
