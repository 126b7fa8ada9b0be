//! A parser for TypeScript types.
//!
//! `parse_type` reads only the outermost form of a type and returns the texts of its parts, which
//! the caller parses when it needs them. The parser accepts any text; a type that has no usable
//! members is `TsTypeRef::Nothing`.

/// A function type: `(a: A, ...rest: B[]) => R`.
#[derive(Debug, PartialEq)]
pub(super) struct TsFunctionType<'t> {
    /// Types of the parameters; empty text for a parameter without a type.
    pub parameters: Vec<&'t str>,
    /// Return type.
    pub result: &'t str,
}

/// The outermost form of a type expression.
#[derive(Debug, PartialEq)]
pub(super) enum TsTypeRef<'t> {
    /// A type without usable members: a conditional or mapped type, `any`.
    Nothing,
    /// A type of the language without members in the workspace: `string`, literals.
    Builtin,
    /// A union or an intersection: `A | B`, `A & B`.
    Alternatives(Vec<&'t str>),
    /// A function: `(a: A) => R`.
    Function(TsFunctionType<'t>),
    /// An object, with the text between the brackets: `{ a: A }`.
    Object(&'t str),
    /// A tuple, with the text between the brackets: `[A, B]`.
    Tuple(&'t str),
    /// An array, with its element type: `A[]`.
    Array(&'t str),
    /// An indexed access, with the type and the index: `A['key']`.
    Indexed(&'t str, &'t str),
    /// The type of a value: `typeof a.b`, or `=a.b()` if it is inferred.
    Value(&'t str),
    /// An imported type, with the module and the path in it: `import('./x').Foo`.
    Imported(&'t str, &'t str),
    /// A named type, with its path and its arguments: `Foo.Bar<A, B>`.
    Named(&'t str, &'t str),
}

/// Parses the outermost form of a type.
pub(super) fn parse_type(text: &str) -> TsTypeRef<'_> {
    let text = strip_modifiers(text);
    if text.is_empty() {
        return TsTypeRef::Nothing;
    }
    if let Some(path) = text.strip_prefix('=')
        && split_outside_brackets(text, '|').len() == 1
    {
        return TsTypeRef::Value(path.trim());
    }
    if let Some(function) = parse_function(text) {
        return TsTypeRef::Function(function);
    }
    for separator in ['|', '&'] {
        let parts = split_outside_brackets(text, separator);
        if parts.len() > 1 {
            return TsTypeRef::Alternatives(parts);
        }
    }
    if split_outside_brackets(text, '?').len() > 1 {
        return TsTypeRef::Nothing;
    }
    if let Some(form) = parse_bracketed(text) {
        return form;
    }
    for word in ["typeof ", "typeof"] {
        if let Some(path) = text.strip_prefix(word).filter(|path| path.starts_with(is_identifier_char)) {
            return TsTypeRef::Value(path.trim());
        }
    }
    if let Some(rest) = text.strip_prefix("import(") {
        return rest.split_once(')').map_or(TsTypeRef::Nothing, |(path, rest)| {
            let rest = rest.trim_start_matches('.');
            TsTypeRef::Imported(path.trim().trim_matches(['"', '\'']), rest.split('<').next().unwrap_or(""))
        });
    }
    parse_named(text)
}

/// Removes the brackets around a type and the modifiers before it.
fn strip_modifiers(text: &str) -> &str {
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
        if text.starts_with('(') && closing_bracket(text) == Some(text.len() - 1) {
            text = text[1..text.len() - 1].trim();
        }
        if text == before {
            return text;
        }
    }
}

fn parse_bracketed(text: &str) -> Option<TsTypeRef<'_>> {
    if let Some(inner) = text.strip_prefix('{') {
        let inner = inner.strip_suffix('}').unwrap_or(inner).trim();
        let mapped =
            inner.starts_with('[') && inner.split(']').next().is_some_and(|key| key.contains(" in "));
        return Some(if mapped { TsTypeRef::Nothing } else { TsTypeRef::Object(inner) });
    }
    if let Some(inner) = text.strip_prefix('[')
        && closing_bracket(text).is_none_or(|end| end + 1 == text.len())
    {
        return Some(TsTypeRef::Tuple(inner.strip_suffix(']').unwrap_or(inner)));
    }
    let inner = text.strip_suffix(']')?;
    if let Some(element) = inner.strip_suffix('[') {
        return Some(TsTypeRef::Array(element));
    }
    // The bracket that opens the last index.
    let open = opening_bracket(text)?;
    (open > 0).then(|| TsTypeRef::Indexed(&text[..open], text[open + 1..text.len() - 1].trim()))
}

fn parse_named(text: &str) -> TsTypeRef<'_> {
    if text.starts_with(['"', '\'', '`', '-']) || text.starts_with(|c: char| c.is_ascii_digit()) {
        return TsTypeRef::Builtin;
    }
    let (name, arguments) = match text.find('<') {
        Some(open) => (text[..open].trim(), text[open + 1..].strip_suffix('>').unwrap_or(&text[open + 1..])),
        None => (text, ""),
    };
    if !name.starts_with(is_identifier_char) || !name.chars().all(|c| is_identifier_char(c) || c == '.') {
        // `x is Foo`, `keyof T`, `A extends B`.
        let predicate = name.contains(" is ") || name.starts_with("keyof") || name.starts_with("asserts");
        return if predicate { TsTypeRef::Builtin } else { TsTypeRef::Nothing };
    }
    match name {
        "any" | "unknown" | "never" | "void" | "undefined" | "null" => TsTypeRef::Nothing,
        "string" | "number" | "boolean" | "bigint" | "symbol" | "object" | "true" | "false" => {
            TsTypeRef::Builtin
        }
        _ => TsTypeRef::Named(name, arguments),
    }
}

fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// Parses `<T>(a: A) => R`, `new (a: A) => R`, and the notation of methods, `(a: A): R`. Returns
/// `None` for any other text.
pub(super) fn parse_function(text: &str) -> Option<TsFunctionType<'_>> {
    let mut text = text.trim();
    text = text.strip_prefix("new ").unwrap_or(text).trim();
    if text.starts_with('<') {
        text = text[closing_bracket(text)? + 1..].trim();
    }
    if !text.starts_with('(') {
        return None;
    }
    let end = closing_bracket(text)?;
    let rest = text[end + 1..].trim_start();
    let result = rest.strip_prefix("=>").or_else(|| rest.strip_prefix(':'))?;
    Some(TsFunctionType { parameters: parse_parameter_types(&text[1..end]), result: result.trim() })
}

/// Returns the types in a list of named parameters, without `this`.
fn parse_parameter_types(list: &str) -> Vec<&str> {
    let parts = split_outside_brackets(list, ',').into_iter().filter(|part| !part.trim().is_empty());
    let typed = parts.filter(|part| !part.trim_start().starts_with("this:"));
    typed
        .map(|part| {
            let at = split_outside_brackets(part, ':').first().map_or(0, |name| name.len());
            part.get(at + 1..).unwrap_or("").trim()
        })
        .collect()
}

/// Returns the names and types of the entries of an object type. A spread has the name `...`, an
/// index signature has an empty name.
pub(super) fn parse_object_entries(inner: &str) -> Vec<(&str, &str)> {
    let (mut found, mut depth, mut start, mut previous) = (Vec::new(), 0, 0, ' ');
    for (at, c) in inner.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            // Separators inside brackets do not count.
            ';' | ',' | '\n' if depth == 0 => {
                found.extend(parse_entry(inner[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
        previous = c;
    }
    found.extend(parse_entry(inner[start..].trim()));
    found
}

fn parse_entry(entry: &str) -> Option<(&str, &str)> {
    let entry = entry.strip_prefix("readonly ").unwrap_or(entry).trim();
    let entry = entry.strip_prefix("get ").unwrap_or(entry);
    if let Some(rest) = entry.strip_prefix("...") {
        return Some(("...", rest.trim_start_matches(':').trim()));
    }
    if entry.starts_with('[') {
        let end = closing_bracket(entry)?;
        return Some(("", entry[end + 1..].trim_start_matches(['?', ':']).trim()));
    }
    let end = entry.find(|c: char| !is_identifier_char(c) && c != '-' && c != '"' && c != '\'')?;
    let (name, rest) = entry.split_at(end);
    let rest = rest.trim_start_matches('?').trim();
    let ty = if rest.starts_with(['(', '<']) { rest } else { rest.strip_prefix(':')?.trim() };
    Some((name.trim_matches(['"', '\'']), ty))
}

/// Returns the position of the bracket that closes the first bracket of a text.
fn closing_bracket(text: &str) -> Option<usize> {
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

/// Returns the position of the bracket that opens the last bracket of a text.
fn opening_bracket(text: &str) -> Option<usize> {
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
pub(super) fn split_outside_brackets(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start, mut previous) = (Vec::new(), 0, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '=' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            // `a?: A` and `a?.b` are not conditional types.
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
    fn each_form_of_type_is_parsed() {
        let cases = [
            ("Foo<A, B>", TsTypeRef::Named("Foo", "A, B")),
            ("(Foo)[]", TsTypeRef::Array("(Foo)")),
            ("readonly string[]", TsTypeRef::Array("string")),
            ("A | B<C | D>", TsTypeRef::Alternatives(vec!["A ", " B<C | D>"])),
            ("Foo['bar']", TsTypeRef::Indexed("Foo", "'bar'")),
            ("typeof make", TsTypeRef::Value("make")),
            ("=make().x[]", TsTypeRef::Value("make().x[]")),
            ("{ a: A }", TsTypeRef::Object("a: A")),
            ("{ [K in keyof T]: B }", TsTypeRef::Nothing),
            ("[A, B]", TsTypeRef::Tuple("A, B")),
            ("A extends B ? C : D", TsTypeRef::Nothing),
            ("'a'", TsTypeRef::Builtin),
            ("import('./x').Foo<A>", TsTypeRef::Imported("./x", "Foo")),
            (
                "(c: Context<E, P>, next?: () => void) => Promise<R>",
                TsTypeRef::Function(TsFunctionType {
                    parameters: vec!["Context<E, P>", "() => void"],
                    result: "Promise<R>",
                }),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_type(text), expected, "{text}");
        }
    }

    #[test]
    fn the_entries_of_an_object_are_parsed() {
        assert_eq!(
            parse_object_entries("a: A; run(x: B): C, readonly d?: { e: E; f: F };...:=g();[key: string]: H"),
            [("a", "A"), ("run", "(x: B): C"), ("d", "{ e: E; f: F }"), ("...", "=g()"), ("", "H")]
        );
    }

    #[test]
    fn the_parser_accepts_any_text() {
        for text in [
            "<", "[", "((", "|", "{", "a<b", "]", "é<ü>", ">", "'", "a[b]c<", "{a:", "(a", "=", "x]",
            "import(",
        ] {
            parse_type(text);
            parse_object_entries(text);
            parse_function(text);
        }
    }
}
