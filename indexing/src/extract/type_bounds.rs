//! Type parameters stand for what they are bound by: `T` of `T: Matcher` is written `Matcher` where the type of a value
//! is noted.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Longest bound that is read.
const MAX_BOUND: usize = 200;
/// Bounds of one name in one file that are kept: further ones say nothing new.
const MAX_OF_NAME: usize = 64;

/// A bound as it is written.
pub(crate) struct RawBound {
    name: String,
    start: u32,
    end: u32,
    bound: String,
}

impl RawBound {
    /// The bound of a type parameter, which holds in the declaration around it; `empty` are the language's bounds that
    /// say nothing ([`crate::languages::LanguageRow::empty_bounds`]).
    pub fn new(param: Node, name: &str, bound: &str, empty: &[String]) -> Self {
        // Parameter, list, declaration; a clause of C# stands in the declaration itself.
        let clause =
            param.parent().is_some_and(|parent| parent.kind() == "type_parameter_constraints_clause");
        let mut owner = param;
        for _ in 0..if clause { 2 } else { 3 } {
            match owner.parent() {
                Some(parent) if parent.parent().is_some() => owner = parent,
                _ => break,
            }
        }
        let (start, end) = (owner.start_byte() as u32, owner.end_byte() as u32);
        Self { name: name.to_owned(), start, end, bound: bound_types_in(bound, empty) }
    }
}

/// The types among the bounds as alternatives: `: Matcher + Send + 'a` gives `Matcher`.
fn bound_types_in(text: &str, empty: &[String]) -> String {
    let text = text.trim_start_matches([':', ' ']).trim_start_matches("extends ");
    if text.len() > MAX_BOUND {
        return String::new();
    }
    let says_nothing = |part: &str| {
        let head = part.split(['<', '(']).next().unwrap_or(part);
        let head = head.rsplit("::").next().unwrap_or(head);
        part.starts_with(['\'', '?']) || part.is_empty() || empty.iter().any(|empty| empty == head)
    };
    // Bounds with a function's parameters or nested sums are rare; splitting them apart only loses them.
    let parts = text.split(['+', '&']).map(str::trim).filter(|part| !says_nothing(part));
    parts.collect::<Vec<_>>().join("|")
}

/// The bounds of the type parameters of one file.
pub(crate) struct TypeParamBounds {
    by_name: FxHashMap<String, Vec<(u32, u32, String)>>,
}

impl TypeParamBounds {
    pub fn new(raw: Vec<RawBound>) -> Self {
        let mut by_name: FxHashMap<String, Vec<(u32, u32, String)>> = FxHashMap::default();
        for RawBound { name, start, end, bound } in raw {
            let all = by_name.entry(name).or_default();
            if !bound.is_empty() && all.len() < MAX_OF_NAME {
                all.push((start, end, bound));
            }
        }
        Self { by_name }
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// A type expression with its type parameters replaced; `None` where it names none that is bound. A parameter that is
    /// not bound where it stands is taken for that of the same name elsewhere in the file, if all bounds agree: in Rust
    /// the fields of a type are often bound in its `impl` blocks only.
    pub fn substitute_params(&self, text: &str, at: u32, is_param: impl Fn(&str) -> bool) -> Option<String> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (mut out, mut changed, mut rest) = (String::new(), false, text);
        while let Some(start) = rest.find(is_word) {
            let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |len| start + len);
            let (before, word) = (&rest[..start], &rest[start..end]);
            out.push_str(before);
            let qualified = before.ends_with(['.', ':', '\'']) && !before.ends_with(": ");
            match self.find_bound(word, at).filter(|_| !qualified && is_param(word)) {
                Some(bound) => {
                    out.push_str(bound);
                    changed = true;
                }
                None => out.push_str(word),
            }
            rest = &rest[end..];
        }
        out.push_str(rest);
        (changed && out.len() <= 2 * MAX_BOUND).then_some(out)
    }

    fn find_bound(&self, name: &str, at: u32) -> Option<&str> {
        let all = self.by_name.get(name)?;
        let around = all.iter().filter(|(start, end, _)| *start <= at && at < *end);
        if let Some((_, _, bound)) = around.min_by_key(|(start, end, _)| end - start) {
            return Some(bound);
        }
        let (_, _, first) = all.first()?;
        all.iter().all(|(_, _, bound)| bound == first).then_some(first.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_replaced_by_the_innermost_bound() {
        let empty = ["Send".to_owned(), "Fn".to_owned()];
        let raw = |name: &str, start, end, bound: &str| RawBound {
            name: name.to_owned(),
            start,
            end,
            bound: bound_types_in(bound, &empty),
        };
        let bounds = TypeParamBounds::new(vec![
            raw("M", 0, 100, ": Matcher + Send + 'a"),
            raw("M", 10, 20, ": Other"),
            raw("S", 0, 100, ": Sink"),
            raw("F", 0, 100, ": Fn(u8) -> u8"),
        ]);
        let applied = |text: &str, at| bounds.substitute_params(text, at, |_| true);
        assert_eq!(applied("&'a M", 50).as_deref(), Some("&'a Matcher"));
        assert_eq!(applied("Option<(M, S)>", 15).as_deref(), Some("Option<(Other, Sink)>"));
        assert_eq!(applied("x::M", 50), None);
        assert_eq!(applied("F", 50), None);
        assert_eq!(applied("Map", 50), None);
        assert_eq!(applied("M", 500), None);
        assert_eq!(applied("S", 500).as_deref(), Some("Sink"));
    }
}
