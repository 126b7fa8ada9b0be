//! Parses the names and paths of a ranked list: separators, generics, receivers and argument lists.

/// Returns a file path in the form that the scorer compares: forward slashes, no `file://`, no
/// leading `./`.
pub(super) fn normalize_path(path: &str) -> String {
    let slashes = path.replace('\\', "/");
    let mut rest = slashes.trim();
    rest = rest.strip_prefix("file://").unwrap_or(rest);
    while let Some(shorter) = rest.strip_prefix("./") {
        rest = shorter;
    }
    rest.to_owned()
}

/// Returns the dotted parts of a name: `(*Engine).Run`, `Engine::run<T>` and `pkg/Engine#run(int)`
/// all end in the parts `Engine` and `run` (case is kept). A name whose last part is a C++ or C#
/// `operator` stays one part.
pub(super) fn name_parts(name: &str) -> Vec<String> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if is_operator(name.rsplit('.').next().unwrap_or_default()) {
        return vec![name];
    }
    let mut name = strip_receiver(&name).unwrap_or(name);
    while let Some(shorter) = strip_brackets(&name) {
        name = shorter;
    }
    let dotted = name.replace("::", ".").replace("->", ".").replace(['#', '/', '\\'], ".");
    let plain: String = dotted.chars().filter(|c| !matches!(c, '*' | '&' | '`' | '\'' | '"')).collect();
    plain.split('.').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_operator(part: &str) -> bool {
    part.strip_prefix("operator").is_some_and(|rest| !rest.starts_with(is_word_char))
}

/// Replaces a leading Go receiver by the type: `(*Engine).Run`, `(e *Engine) Run` and
/// `(e Engine[T]) Run` become `Engine.Run`. Returns `None` if the name does not begin with a
/// receiver.
fn strip_receiver(name: &str) -> Option<String> {
    let sigil = |c: char| matches!(c, '&' | '*');
    let inside = name.strip_prefix('(')?.trim_start().trim_start_matches(sigil).trim_start();
    let after_word = inside.trim_start_matches(is_word_char);
    let after_variable =
        (after_word.len() < inside.len() && after_word.starts_with(' ')).then(|| after_word.trim_start());
    [after_variable, Some(inside)].into_iter().flatten().find_map(|start| {
        let start = start.trim_start_matches(sigil);
        let end = start.find(|c| !(is_word_char(c) || c == '.')).unwrap_or(start.len());
        let (receiver, mut rest) = start.split_at(end);
        if receiver.is_empty() {
            return None;
        }
        if let Some(arguments) = rest.strip_prefix('[') {
            rest = arguments.split_once(']')?.1;
        }
        let rest = rest.trim_start().strip_prefix(')')?.trim_start();
        Some(format!("{receiver}.{}", rest.strip_prefix('.').unwrap_or(rest)))
    })
}

/// Removes every innermost `<…>`, `(…)` and `[…]`. Returns `None` if there is none.
fn strip_brackets(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(open) = rest.find(['<', '(', '[']) {
        let pair = match rest.as_bytes()[open] {
            b'<' => ['<', '>'],
            b'(' => ['(', ')'],
            _ => ['[', ']'],
        };
        let inside = &rest[open + 1..];
        let close = inside.find(pair).filter(|&at| inside[at..].starts_with(pair[1]));
        out.push_str(&rest[..open]);
        match close {
            Some(at) => rest = &inside[at + 1..],
            None => {
                out.push(pair[0]);
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    (out.len() < name.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::{name_parts, normalize_path};
    use expect_test::expect;

    #[test]
    fn names_of_every_language_become_dotted_parts() {
        let names = [
            "run",
            "Engine.run",
            "(*Engine).Run",
            "(e *Engine) Run",
            "( & Engine ) Run",
            "(e Engine[K, V]) Run",
            "(engine.Engine).Run",
            "()",
            "(a b c) run",
            "Map<String, List<T>>.get(int, List<T>)",
            "std::vec::Vec::push",
            "Foo#bar",
            "ptr->field",
            "src/app.ts/handler",
            "Foo.operator ==",
            "operator[]",
            "operatorial.run",
            "`quoted`.'name'",
            "impl Display for Foo",
            "a..b.",
            "List<List<int>",
            "  spaced   out  ",
            "",
            "::",
        ];
        let mut seen = Vec::new();
        for name in names {
            seen.push(format!("{:42} [{}]", format!("<{name}>"), name_parts(name).join(" | ")));
        }
        expect![[r"
            <run>                                      [run]
            <Engine.run>                               [Engine | run]
            <(*Engine).Run>                            [Engine | Run]
            <(e *Engine) Run>                          [Engine | Run]
            <( & Engine ) Run>                         [Engine | Run]
            <(e Engine[K, V]) Run>                     [Engine | Run]
            <(engine.Engine).Run>                      [engine | Engine | Run]
            <()>                                       []
            <(a b c) run>                              [run]
            <Map<String, List<T>>.get(int, List<T>)>   [Map | get]
            <std::vec::Vec::push>                      [std | vec | Vec | push]
            <Foo#bar>                                  [Foo | bar]
            <ptr->field>                               [ptr | field]
            <src/app.ts/handler>                       [src | app | ts | handler]
            <Foo.operator ==>                          [Foo.operator ==]
            <operator[]>                               [operator[]]
            <operatorial.run>                          [operatorial | run]
            <`quoted`.'name'>                          [quoted | name]
            <impl Display for Foo>                     [impl Display for Foo]
            <a..b.>                                    [a | b]
            <List<List<int>>                           [List<List]
            <  spaced   out  >                         [spaced out]
            <>                                         []
            <::>                                       []"]]
        .assert_eq(&seen.join("\n"));
    }

    #[test]
    fn paths_lose_scheme_dots_and_backslashes() {
        assert_eq!(normalize_path("file:///tmp/a.rs"), "/tmp/a.rs");
        assert_eq!(normalize_path("././src\\a.rs "), "src/a.rs");
        assert_eq!(normalize_path(".hidden/a.rs"), ".hidden/a.rs");
    }

    #[test]
    fn deep_nesting_terminates() {
        let deep = format!("f{}{}", "(".repeat(2_000), ")".repeat(2_000));
        assert_eq!(name_parts(&deep), ["f"]);
        assert_eq!(name_parts(&"<".repeat(2_000)), ["<".repeat(2_000)]);
    }
}
