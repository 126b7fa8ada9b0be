//! The syntax of TypeScript's types, as far as members, calls and elements of values need it.

/// A function type: `(a: A, ...rest: B[]) => R`.
#[derive(Debug, PartialEq)]
pub(super) struct Function<'t> {
    /// Types of the parameters; empty where one has none.
    pub parameters: Vec<&'t str>,
    /// The return type.
    pub result: &'t str,
}

/// What a type expression is.
#[derive(Debug, PartialEq)]
pub(super) enum Form<'t> {
    /// Says nothing: conditional and mapped types, `any`.
    Nothing,
    /// A type of the language without members in the workspace: `string`, literals.
    Builtin,
    /// `A | B`, `A & B`.
    Several(Vec<&'t str>),
    Function(Function<'t>),
    /// `{ a: A }`: what stands between the brackets.
    Object(&'t str),
    /// `[A, B]`: what stands between the brackets.
    Tuple(&'t str),
    /// `A[]`.
    Array(&'t str),
    /// `A['key']`.
    Indexed(&'t str, &'t str),
    /// `typeof a.b`, and `=a.b()`.
    Value(&'t str),
    /// `import('./x').Foo`: the module and the path behind it.
    Imported(&'t str, &'t str),
    /// `Foo.Bar<A, B>`: the path and what stands between the brackets.
    Named(&'t str, &'t str),
}

/// Reads the outermost form of a type.
pub(super) fn form(text: &str) -> Form<'_> {
    let text = plain(text);
    if text.is_empty() {
        return Form::Nothing;
    }
    if let Some(path) = text.strip_prefix('=')
        && split(text, '|').len() == 1
    {
        return Form::Value(path.trim());
    }
    if let Some(function) = function(text) {
        return Form::Function(function);
    }
    for separator in ['|', '&'] {
        let parts = split(text, separator);
        if parts.len() > 1 {
            return Form::Several(parts);
        }
    }
    if split(text, '?').len() > 1 {
        return Form::Nothing;
    }
    if let Some(form) = bracketed(text) {
        return form;
    }
    for word in ["typeof ", "typeof"] {
        if let Some(path) = text.strip_prefix(word).filter(|path| path.starts_with(is_word)) {
            return Form::Value(path.trim());
        }
    }
    if let Some(rest) = text.strip_prefix("import(") {
        return rest.split_once(')').map_or(Form::Nothing, |(path, rest)| {
            let rest = rest.trim_start_matches('.');
            Form::Imported(path.trim().trim_matches(['"', '\'']), rest.split('<').next().unwrap_or(""))
        });
    }
    named(text)
}

/// Without brackets around it, and without the words before it that do not count.
fn plain(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text.trim_start_matches(['|', '&']).trim();
        for word in ["readonly ", "abstract ", "unique ", "infer "] {
            text = text.strip_prefix(word).unwrap_or(text).trim();
        }
        if let Some(rest) = text.strip_prefix("readonly").filter(|rest| rest.starts_with(char::is_uppercase))
        {
            text = rest;
        }
        if text.starts_with('(') && closing(text) == Some(text.len() - 1) {
            text = text[1..text.len() - 1].trim();
        }
        if text == before {
            return text;
        }
    }
}

fn bracketed(text: &str) -> Option<Form<'_>> {
    if let Some(inner) = text.strip_prefix('{') {
        let inner = inner.strip_suffix('}').unwrap_or(inner).trim();
        let mapped =
            inner.starts_with('[') && inner.split(']').next().is_some_and(|key| key.contains(" in "));
        return Some(if mapped { Form::Nothing } else { Form::Object(inner) });
    }
    if let Some(inner) = text.strip_prefix('[')
        && closing(text).is_none_or(|end| end + 1 == text.len())
    {
        return Some(Form::Tuple(inner.strip_suffix(']').unwrap_or(inner)));
    }
    let inner = text.strip_suffix(']')?;
    if let Some(element) = inner.strip_suffix('[') {
        return Some(Form::Array(element));
    }
    // The bracket that opens the last index.
    let open = opening(text)?;
    (open > 0).then(|| Form::Indexed(&text[..open], text[open + 1..text.len() - 1].trim()))
}

fn named(text: &str) -> Form<'_> {
    if text.starts_with(['"', '\'', '`', '-']) || text.starts_with(|c: char| c.is_ascii_digit()) {
        return Form::Builtin;
    }
    let (name, arguments) = match text.find('<') {
        Some(open) => (text[..open].trim(), text[open + 1..].strip_suffix('>').unwrap_or(&text[open + 1..])),
        None => (text, ""),
    };
    if !name.starts_with(is_word) || !name.chars().all(|c| is_word(c) || c == '.') {
        // `x is Foo`, `keyof T`, `A extends B`.
        let predicate = name.contains(" is ") || name.starts_with("keyof") || name.starts_with("asserts");
        return if predicate { Form::Builtin } else { Form::Nothing };
    }
    match name {
        "any" | "unknown" | "never" | "void" | "undefined" | "null" => Form::Nothing,
        "string" | "number" | "boolean" | "bigint" | "symbol" | "object" | "true" | "false" => Form::Builtin,
        _ => Form::Named(name, arguments),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// `<T>(a: A) => R`, `new (a: A) => R`, and the same with `:` as methods have it.
pub(super) fn function(text: &str) -> Option<Function<'_>> {
    let mut text = text.trim();
    text = text.strip_prefix("new ").unwrap_or(text).trim();
    if text.starts_with('<') {
        text = text[closing(text)? + 1..].trim();
    }
    if !text.starts_with('(') {
        return None;
    }
    let end = closing(text)?;
    let rest = text[end + 1..].trim_start();
    let result = rest.strip_prefix("=>").or_else(|| rest.strip_prefix(':'))?;
    Some(Function { parameters: parameters(&text[1..end]), result: result.trim() })
}

/// The types in a list of parameters with names.
fn parameters(list: &str) -> Vec<&str> {
    let parts = split(list, ',').into_iter().filter(|part| !part.trim().is_empty());
    let typed = parts.filter(|part| !part.trim_start().starts_with("this:"));
    typed
        .map(|part| {
            let at = split(part, ':').first().map_or(0, |name| name.len());
            part.get(at + 1..).unwrap_or("").trim()
        })
        .collect()
}

/// The entries of an object type: name and type; `...` for what it takes over, the empty name for an index.
pub(super) fn entries(inner: &str) -> Vec<(&str, &str)> {
    let (mut found, mut depth, mut start, mut previous) = (Vec::new(), 0, 0, ' ');
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            // A separator inside brackets separates nothing.
            ';' | ',' | '\n' if depth == 0 => {
                found.extend(named_entry(inner[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
        previous = c;
    }
    found.extend(named_entry(inner[start..].trim()));
    found
}

fn named_entry(entry: &str) -> Option<(&str, &str)> {
    let entry = entry.strip_prefix("readonly ").unwrap_or(entry).trim();
    let entry = entry.strip_prefix("get ").unwrap_or(entry);
    if let Some(rest) = entry.strip_prefix("...") {
        return Some(("...", rest.trim_start_matches(':').trim()));
    }
    if entry.starts_with('[') {
        let end = closing(entry)?;
        return Some(("", entry[end + 1..].trim_start_matches(['?', ':']).trim()));
    }
    let end = entry.find(|c: char| !is_word(c) && c != '-' && c != '"' && c != '\'')?;
    let (name, rest) = entry.split_at(end);
    let rest = rest.trim_start_matches('?').trim();
    let ty = if rest.starts_with(['(', '<']) { rest } else { rest.strip_prefix(':')?.trim() };
    Some((name.trim_matches(['"', '\'']), ty))
}

/// Where the bracket closes that a text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        previous = c;
    }
    None
}

/// Where the bracket opens that a text ends with.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Splits at a separator outside all brackets.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut previous) = (Vec::new(), 0, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            // `a?: A` and `a?.b` are no conditions.
            '?' if separator == '?' && text[at + 1..].starts_with([':', '.', ',', ')', ']']) => {}
            c if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_forms() {
        let cases = [
            ("Foo<A, B>", Form::Named("Foo", "A, B")),
            ("(Foo)[]", Form::Array("(Foo)")),
            ("readonly string[]", Form::Array("string")),
            ("A | B<C | D>", Form::Several(vec!["A ", " B<C | D>"])),
            ("Foo['bar']", Form::Indexed("Foo", "'bar'")),
            ("typeof make", Form::Value("make")),
            ("=make().x[]", Form::Value("make().x[]")),
            ("{ a: A }", Form::Object("a: A")),
            ("{ [K in keyof T]: B }", Form::Nothing),
            ("[A, B]", Form::Tuple("A, B")),
            ("A extends B ? C : D", Form::Nothing),
            ("'a'", Form::Builtin),
            ("import('./x').Foo<A>", Form::Imported("./x", "Foo")),
            (
                "(c: Context<E, P>, next?: () => void) => Promise<R>",
                Form::Function(Function {
                    parameters: vec!["Context<E, P>", "() => void"],
                    result: "Promise<R>",
                }),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(form(text), expected, "{text}");
        }
    }

    #[test]
    fn objects_have_entries() {
        assert_eq!(
            entries("a: A; run(x: B): C, readonly d?: { e: E; f: F };...:=g();[key: string]: H"),
            [("a", "A"), ("run", "(x: B): C"), ("d", "{ e: E; f: F }"), ("...", "=g()"), ("", "H")]
        );
    }

    #[test]
    fn no_text_breaks_the_reader() {
        for text in [
            "<", "[", "((", "|", "{", "a<b", "]", "é<ü>", ">", "'", "a[b]c<", "{a:", "(a", "=", "x]",
            "import(",
        ] {
            form(text);
            entries(text);
            function(text);
        }
    }
}
