//! Parser for type expressions of Go and Python.
//!
//! `parse_type_ref` reads only the outermost structure of a type and returns the texts of its
//! parts, which the caller parses when it needs them. The result of a type that the parser does not
//! understand is `TypeRef::None`.

use super::family::LanguageFamily;

/// The outermost structure of a type expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum TypeRef<'t> {
    /// A named type.
    Named(&'t str),
    /// A collection, with the types of an indexed element, of the value that a loop yields, and of
    /// the key that a loop yields.
    Collection { index: &'t str, each: &'t str, key: &'t str },
    /// Several values.
    Tuple(Vec<&'t str>),
    /// A function, with its result type.
    Function(&'t str),
    /// A union of types.
    Union(Vec<&'t str>),
    /// A struct without a name, whose fields are separated by semicolons.
    Struct(&'t str),
    /// A class itself, not an instance of it.
    Class(&'t str),
    /// A type without a usable name, such as `nil` or an inline interface.
    None,
}

/// Longest type expression that is parsed, in bytes. Generated code has longer types.
const MAX_TYPE_BYTES: usize = 600;

/// Parses the outermost structure of a type expression.
pub(in crate::resolve) fn parse_type_ref(text: &str, family: LanguageFamily) -> TypeRef<'_> {
    if text.len() > MAX_TYPE_BYTES {
        return TypeRef::None;
    }
    match family {
        LanguageFamily::Python => parse_python_type(text, family),
        _ => parse_go_type(text),
    }
}

fn parse_go_type(text: &str) -> TypeRef<'_> {
    let text = text.trim().trim_start_matches(['*', '&', '~']).trim();
    if let Some(inner) =
        split_bracketed(text, '(', ')').filter(|(_, rest)| rest.is_empty()).map(|(inner, _)| inner)
    {
        let results = parse_result_types(inner);
        return match results[..] {
            [] => TypeRef::None,
            [one] => parse_go_type(one),
            _ => TypeRef::Tuple(results),
        };
    }
    if let Some(element) = text.strip_prefix("...") {
        return TypeRef::Collection { index: element, each: element, key: "" };
    }
    if let Some((_, element)) = split_bracketed(text, '[', ']') {
        return TypeRef::Collection { index: element, each: element, key: "" };
    }
    if let Some((key, value)) = text.strip_prefix("map").and_then(|rest| split_bracketed(rest, '[', ']')) {
        return TypeRef::Collection { index: value, each: value, key };
    }
    for channel in ["<-chan ", "chan<- ", "chan "] {
        if let Some(element) = text.strip_prefix(channel) {
            return TypeRef::Collection { index: element, each: "", key: element };
        }
    }
    if let Some((_, result)) =
        text.strip_prefix("func").and_then(|rest| split_bracketed(rest.trim(), '(', ')'))
    {
        return TypeRef::Function(result.trim());
    }
    if let Some((fields, _)) =
        text.strip_prefix("struct").and_then(|rest| split_bracketed(rest.trim(), '{', '}'))
    {
        return TypeRef::Struct(fields);
    }
    let end = text.find('[').unwrap_or(text.len());
    let (name, arguments) = text.split_at(end);
    if let Some((inner, _)) = split_bracketed(arguments, '[', ']') {
        let arguments = split_top_level(inner, ',');
        match (name, &arguments[..]) {
            ("iter.Seq", [each]) => return TypeRef::Collection { index: "", each: "", key: each },
            ("iter.Seq2", [key, each]) => return TypeRef::Collection { index: "", each, key },
            _ => {}
        }
    }
    named_type_ref(name.trim())
}

/// Returns the types of a Go result list, whose entries may have names.
pub(in crate::resolve) fn parse_result_types(list: &str) -> Vec<&str> {
    let parts: Vec<&str> =
        split_top_level(list, ',').into_iter().map(str::trim).filter(|part| !part.is_empty()).collect();
    // `a, b T`: if one entry has a name, all have one, and an entry without a type has the type of
    // the next entry.
    let has_name = |part: &str| {
        part.split_once(' ').is_some_and(|(first, _)| {
            !matches!(first, "chan" | "<-chan" | "chan<-" | "interface" | "struct")
                && first.chars().all(|c| c.is_alphanumeric() || c == '_')
        })
    };
    if !parts.iter().any(|part| has_name(part)) {
        return parts;
    }
    let mut types = Vec::with_capacity(parts.len());
    let mut next = "";
    for part in parts.iter().rev() {
        if has_name(part) {
            next = part.split_once(' ').map_or("", |(_, ty)| ty.trim());
        }
        types.push(next);
    }
    types.reverse();
    types
}

/// Returns the type of a field of a struct without a name.
pub(in crate::resolve) fn find_field_type<'t>(fields: &'t str, name: &str) -> Option<&'t str> {
    split_top_level(fields, ';').into_iter().find_map(|field| {
        // The form is `a, b T`, with an optional tag after the type.
        let mut rest = field.split('`').next().unwrap_or("").trim();
        let mut has_name = false;
        loop {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
            has_name |= &rest[..end] == name;
            rest = rest[end..].trim_start();
            match rest.strip_prefix(',') {
                Some(more) => rest = more.trim_start(),
                None => return has_name.then_some(rest),
            }
        }
    })
}

fn parse_python_type(text: &str, family: LanguageFamily) -> TypeRef<'_> {
    let text = text.trim().trim_start_matches("->").trim().trim_matches(['"', '\'']).trim();
    if let Some((inner, "")) = split_bracketed(text, '(', ')') {
        // `isinstance(x, (A, B))`.
        return TypeRef::Union(split_top_level(inner, ','));
    }
    let parts = split_top_level(text, '|');
    if parts.len() > 1 {
        return TypeRef::Union(parts);
    }
    let end = text.find('[').unwrap_or(text.len());
    let (name, arguments) = text.split_at(end);
    let simple = name.rsplit('.').next().unwrap_or(name).trim();
    let arguments = split_bracketed(arguments, '[', ']').map_or("", |(inner, _)| inner);
    let arguments: Vec<&str> = split_top_level(arguments, ',').into_iter().map(str::trim).collect();
    let (first, last) = (arguments[0], arguments[arguments.len() - 1]);
    if first.is_empty() {
        return named_type_ref(name.trim());
    }
    let builtins = family.language_builtins();
    match simple {
        "Union" => TypeRef::Union(arguments.into_iter().filter(|argument| !argument.is_empty()).collect()),
        "Coroutine" => parse_python_type(last, family),
        "Callable" => TypeRef::Function(last),
        "type" | "Type" => TypeRef::Class(first),
        "tuple" | "Tuple" if last != "..." => TypeRef::Tuple(arguments),
        "tuple" | "Tuple" | "Generator" | "AsyncGenerator" => {
            TypeRef::Collection { index: first, each: first, key: "" }
        }
        _ if builtins.transparent.contains(simple) => parse_python_type(first, family),
        _ if builtins.mappings.contains(simple) => {
            TypeRef::Collection { index: last, each: first, key: first }
        }
        _ if builtins.collections.contains(simple) => {
            TypeRef::Collection { index: last, each: last, key: "" }
        }
        _ => named_type_ref(name.trim()),
    }
}

fn named_type_ref(name: &str) -> TypeRef<'_> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    if name.is_empty() || matches!(name, "None" | "nil") || !name.chars().all(is_path) {
        return TypeRef::None;
    }
    TypeRef::Named(name)
}

/// Splits a text that starts with a bracket into the text inside the brackets and the text after
/// them. Returns `None` if no bracket opens or closes.
fn split_bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
        }
        if depth == 0 {
            return (at > 0).then(|| (&text[open.len_utf8()..at], text[at + c.len_utf8()..].trim()));
        }
    }
    None
}

/// Splits at a separator outside all brackets.
pub(in crate::resolve) fn split_top_level(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if c == separator && depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn describe_types(family: LanguageFamily, texts: &[&str]) -> String {
        let lines: Vec<String> =
            texts.iter().map(|text| format!("{text}: {:?}", parse_type_ref(text, family))).collect();
        lines.join("\n")
    }

    #[test]
    fn go_types_are_parsed_into_their_parts() {
        let texts = [
            "*http.Server",
            "[]*Route",
            "[4]byte",
            "map[string][]*Route",
            "<-chan Event",
            "func(w http.ResponseWriter, next func() error) (Handler, error)",
            "(Handler, error)",
            "(a, b *Route, err error)",
            "(done chan struct{}, ok bool)",
            "iter.Seq2[int, Route]",
            "Set[Route]",
            "struct{a, b int; c []*Route `json:\"c\"`}",
            "",
        ];
        expect![[r#"
            *http.Server: Named("http.Server")
            []*Route: Collection { index: "*Route", each: "*Route", key: "" }
            [4]byte: Collection { index: "byte", each: "byte", key: "" }
            map[string][]*Route: Collection { index: "[]*Route", each: "[]*Route", key: "string" }
            <-chan Event: Collection { index: "Event", each: "", key: "Event" }
            func(w http.ResponseWriter, next func() error) (Handler, error): Function("(Handler, error)")
            (Handler, error): Tuple(["Handler", "error"])
            (a, b *Route, err error): Tuple(["*Route", "*Route", "error"])
            (done chan struct{}, ok bool): Tuple(["chan struct{}", "bool"])
            iter.Seq2[int, Route]: Collection { index: "", each: " Route", key: "int" }
            Set[Route]: Named("Set")
            struct{a, b int; c []*Route `json:"c"`}: Struct("a, b int; c []*Route `json:\"c\"`")
            : None"#]]
        .assert_eq(&describe_types(LanguageFamily::Go, &texts));
    }

    #[test]
    fn the_types_of_unnamed_struct_fields_are_found() {
        let fields = "a, b int;c []*Route `json:\"c\"`;Embedded;d func(x int; y) (T, error)";
        for (name, ty) in [("a", "int"), ("b", "int"), ("c", "[]*Route"), ("d", "func(x int; y) (T, error)")]
        {
            assert_eq!(find_field_type(fields, name), Some(ty), "{name}");
        }
        assert_eq!(
            (find_field_type(fields, "Embedded"), find_field_type(fields, "e"), find_field_type("", "a")),
            (None, None, None)
        );
    }

    #[test]
    fn python_types_are_parsed_into_their_parts() {
        let texts = [
            "\"Flask | None\"",
            "t.Optional[Foo]",
            "t.Union[A, b.B]",
            "dict[str, list[Rule]]",
            "tuple[A, B]",
            "tuple[A, ...]",
            "t.Callable[[int, str], Foo]",
            "type[Foo]",
            "Iterator[Foo]",
            "Generator[Foo, None, None]",
            "Annotated[Foo, Depends(x)]",
            "(A, b.B)",
            "Box[Foo]",
            "None",
            "",
        ];
        expect![[r#"
            "Flask | None": Union(["Flask ", " None"])
            t.Optional[Foo]: Named("Foo")
            t.Union[A, b.B]: Union(["A", "b.B"])
            dict[str, list[Rule]]: Collection { index: "list[Rule]", each: "str", key: "str" }
            tuple[A, B]: Tuple(["A", "B"])
            tuple[A, ...]: Collection { index: "A", each: "A", key: "" }
            t.Callable[[int, str], Foo]: Function("Foo")
            type[Foo]: Class("Foo")
            Iterator[Foo]: Collection { index: "Foo", each: "Foo", key: "" }
            Generator[Foo, None, None]: Collection { index: "Foo", each: "Foo", key: "" }
            Annotated[Foo, Depends(x)]: Named("Foo")
            (A, b.B): Union(["A", " b.B"])
            Box[Foo]: Named("Box")
            None: None
            : None"#]]
        .assert_eq(&describe_types(LanguageFamily::Python, &texts));
    }

    #[test]
    fn the_parser_accepts_any_text() {
        for text in
            ["[", "((", "|", "a[b", "]", "é[ü]", "map[", "func(", ")", "()", "(", "x y", "Union[]", "chan "]
        {
            parse_type_ref(text, LanguageFamily::Go);
            parse_type_ref(text, LanguageFamily::Python);
        }
    }
}
