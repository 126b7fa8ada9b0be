//! Bounds of type parameters: replaces a type parameter by its bound in the types of values, so
//! that `T` with `T: Matcher` becomes `Matcher`.

use crate::languages::LanguageRow;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// Maximum length of a bound in bytes. Bounds with closures and where clauses can fill pages.
const MAX_BOUND_BYTES: usize = 200;
/// Maximum number of bounds per name and file. Generated code declares thousands of parameters `T`.
const MAX_BOUNDS_PER_NAME: usize = 64;

/// The bound of a type parameter.
pub(crate) struct RawBound {
    /// The name of the parameter.
    name: String,
    /// The first byte of the declaration in which the bound applies.
    start: u32,
    /// The end of that declaration.
    end: u32,
    /// The types of the bound as alternatives; empty if they carry no information.
    bound: String,
}

impl RawBound {
    /// Creates the bound of a type parameter, which applies in the enclosing declaration. `row` is
    /// the row of the file's language.
    pub fn new(param: Node, name: &str, bound: &str, row: &LanguageRow) -> Self {
        let is_in_clause = param
            .parent()
            .is_some_and(|parent| row.bound_clauses.iter().any(|clause| clause == parent.kind()));
        // The ancestors are the clause and the declaration, or the parameter, the list and the
        // declaration.
        let levels = if is_in_clause { 2 } else { 3 };
        let mut owner = param;
        for _ in 0..levels {
            match owner.parent() {
                Some(parent) if parent.parent().is_some() => owner = parent,
                _ => break,
            }
        }
        let (start, end) = (owner.start_byte() as u32, owner.end_byte() as u32);
        let bound = bound.strip_prefix(&row.bound_keyword).unwrap_or(bound);
        Self { name: name.to_owned(), start, end, bound: bound_types_in(bound, &row.empty_bounds) }
    }
}

/// Returns the types among the bounds as alternatives: `: Matcher + Send + 'a` becomes `Matcher`.
/// `empty` contains the bounds that carry no information ([`LanguageRow::empty_bounds`]).
fn bound_types_in(text: &str, empty: &[String]) -> String {
    let text = text.trim_start_matches([':', ' ']);
    if text.len() > MAX_BOUND_BYTES {
        return String::new();
    }
    let is_uninformative = |part: &str| {
        let head = part.split(['<', '(']).next().unwrap_or(part);
        let head = head.rsplit("::").next().unwrap_or(head);
        part.starts_with(['\'', '?']) || part.is_empty() || empty.iter().any(|empty| empty == head)
    };
    // Bounds that are functions with parameters or nested sums are rare. They may be split wrongly,
    // which only loses them.
    let parts = text.split(['+', '&']).map(str::trim).filter(|part| !is_uninformative(part));
    parts.collect::<Vec<_>>().join("|")
}

/// The bounds of the type parameters of one file.
pub(crate) struct TypeParamBounds {
    /// The start, end and types of each bound, by the name of the parameter.
    by_name: FxHashMap<String, Vec<(u32, u32, String)>>,
}

impl TypeParamBounds {
    pub fn new(raw: Vec<RawBound>) -> Self {
        let mut by_name: FxHashMap<String, Vec<(u32, u32, String)>> = FxHashMap::default();
        for RawBound { name, start, end, bound } in raw {
            let bounds_of_name = by_name.entry(name).or_default();
            if !bound.is_empty() && bounds_of_name.len() < MAX_BOUNDS_PER_NAME {
                bounds_of_name.push((start, end, bound));
            }
        }
        Self { by_name }
    }

    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Replaces the type parameters in a type expression, at a byte offset of the file, with their
    /// bounds. Returns `None` if the expression contains no parameter with a bound, or if the result
    /// is longer than twice `MAX_BOUND_BYTES`. A parameter without a bound at its position
    /// gets the bound of the parameter with the same name elsewhere in the file, if all bounds
    /// agree: the fields of a type are often bound only where its methods are implemented.
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
        (changed && out.len() <= 2 * MAX_BOUND_BYTES).then_some(out)
    }

    /// Returns the innermost bound of a parameter at a byte. Without one, returns the bound that
    /// all parameters of this name in the file have in common.
    fn find_bound(&self, name: &str, at: u32) -> Option<&str> {
        let bounds_of_name = self.by_name.get(name)?;
        let enclosing = bounds_of_name.iter().filter(|(start, end, _)| *start <= at && at < *end);
        if let Some((_, _, bound)) = enclosing.min_by_key(|(start, end, _)| end - start) {
            return Some(bound);
        }
        let (_, _, first) = bounds_of_name.first()?;
        bounds_of_name.iter().all(|(_, _, bound)| bound == first).then_some(first.as_str())
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
        let substituted = |text: &str, at| bounds.substitute_params(text, at, |_| true);
        assert_eq!(substituted("&'a M", 50).as_deref(), Some("&'a Matcher"));
        assert_eq!(substituted("Option<(M, S)>", 15).as_deref(), Some("Option<(Other, Sink)>"));
        assert_eq!(substituted("x::M", 50), None);
        assert_eq!(substituted("F", 50), None);
        assert_eq!(substituted("Map", 50), None);
        assert_eq!(substituted("M", 500), None);
        assert_eq!(substituted("S", 500).as_deref(), Some("Sink"));
    }
}
