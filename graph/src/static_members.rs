//! Distinguishes static from instance members by their signatures.
//!
//! In: the signature of a member. Out: whether the member belongs to the type itself. Only the
//! words before the member's name count; `static` can also be the name of a member, so the text
//! after it decides.
//!
//! Invariant: the result depends only on the signature, whatever its language.

/// The words that may come before `static` in TypeScript, Java and C#.
const MODIFIERS: &[&str] = &[
    "abstract",
    "accessor",
    "async",
    "const",
    "declare",
    "default",
    "extern",
    "final",
    "internal",
    "native",
    "new",
    "override",
    "partial",
    "private",
    "protected",
    "public",
    "readonly",
    "sealed",
    "strictfp",
    "synchronized",
    "transient",
    "unsafe",
    "virtual",
    "volatile",
];

/// Whether a member with this signature belongs to the type itself: `static total()`,
/// `def self.total`.
///
/// Other files may look up the result (see [`crate::Snapshot`]), but not the rest of the signature.
pub fn is_static_member(signature: &str) -> bool {
    if let Some(method) = signature.strip_prefix("def ") {
        // Ruby writes the owner before the name of a static method; Python does not.
        return method.chars().take_while(|&c| is_name_char(c) || c == '.').any(|c| c == '.');
    }
    let mut rest = signature;
    loop {
        let (word, after) = rest.split_at(rest.find(|c| !is_name_char(c)).unwrap_or(rest.len()));
        if word == "static" {
            return is_static_modifier(after);
        }
        if !MODIFIERS.contains(&word) || !after.starts_with(char::is_whitespace) {
            return false;
        }
        rest = after.trim_start();
    }
}

const fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || !c.is_ascii()
}

const fn is_name_char(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit()
}

/// Whether `static` before this text is a modifier rather than the name of a member.
fn is_static_modifier(after: &str) -> bool {
    let next = after.trim_start();
    match next.chars().next() {
        // TypeScript: a computed, quoted or private name, a decorator, a generator.
        Some('[' | '"' | '\'' | '#' | '@' | '*') => true,
        // Java's type parameters and C#'s tuples come before a name; the parameters of a method do
        // not.
        Some(open @ ('<' | '(')) => after_brackets(next, open)
            .trim_start()
            .starts_with(|c| is_name_start(c) || matches!(c, '?' | '[')),
        Some(c) => is_name_start(c) && next.len() < after.len(),
        None => false,
    }
}

/// Returns the text after the brackets at the start of `text`; empty if they are not closed.
fn after_brackets(text: &str, open: char) -> &str {
    let close = if open == '<' { '>' } else { ')' };
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == open) - i32::from(c == close);
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_shows_whether_a_member_is_static() {
        for signature in [
            "static total(): number",
            "private static async total(): Promise<number>",
            "static limit = 3",
            "public static int total()",
            "def self.total",
            "def Order.total(of)",
            "public static <T> T of(T x)",
            "static<T> T of(T x)",
            "static abstract (int, int) Pair()",
            "public static (int, int)[] Pairs()",
            "public static (T a, (int, int) b)? Maybe<T>()",
            "protected static readonly byName: Map<string, () => void> = new Map()",
            "static get total()",
            "static async *all<T>()",
            "static #secret()",
            "static [Symbol.hasInstance](x)",
            "static @curried total()",
            "def self.[](at)",
            "static Order.total = function (of)",
        ] {
            assert!(is_static_member(signature), "{signature}");
        }
        for signature in [
            "total(isStatic: static)",
            "static()",
            "static (): void",
            "static<T>(x: T)",
            "static<T",
            "Order.prototype.total = function (of)",
            "this.total = 3",
            "total = a.b",
            "def é",
            "static?: number",
            "static = 3",
            "get static()",
            "staticTotal()",
            "total(): static",
            "total: new () => static of",
            "public T of<T>(T x)",
            "def go[T:x.y](self)",
            "def [](at)",
            "def total(self_cost) = self_cost.to_i",
            "def total(a=b.c)",
            "def total -> t.Self",
            "",
        ] {
            assert!(!is_static_member(signature), "{signature}");
        }
    }
}
