//! String constants of a file by name. They are the values of paths and keys that the code does not
//! write as literals.

use super::bindings::RawBinding;
use super::dialects::Dialect;
use super::symbols::FileSymbols;
use kenning_graph::facts::SymbolFact;
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The string constants of one file. They are collected at the first lookup, because most files
/// need none.
pub(crate) struct StringConstants<'s> {
    text: &'s str,
    /// Whether private fields keep their declared value ([`Dialect::keeps_private_fields`]).
    keeps_private_fields: bool,
    symbols: &'s FileSymbols,
    bindings: &'s [RawBinding],
    by_name: OnceCell<FxHashMap<&'s str, ConstantsOfName<'s>>>,
}

/// The constants of one name.
#[derive(Default)]
struct ConstantsOfName<'s> {
    facts: Vec<&'s SymbolFact>,
    /// Whether a local variable has the same name. Without an owner, the name may refer to that
    /// variable.
    is_shadowed: bool,
}

impl<'s> StringConstants<'s> {
    /// Prepares lookups in a file.
    pub fn new(
        text: &'s str,
        dialect: &dyn Dialect,
        symbols: &'s FileSymbols,
        bindings: &'s [RawBinding],
    ) -> Self {
        let keeps_private_fields = dialect.keeps_private_fields();
        Self { text, keeps_private_fields, symbols, bindings, by_name: OnceCell::new() }
    }

    /// Returns the text of the constant that a dotted path names at a byte. Returns `None` if the
    /// file has no such constant, or several.
    pub fn find_constant(&self, path: &str, at: usize) -> Option<&'s str> {
        let (receiver, name) = path.rsplit_once('.').unwrap_or(("", path));
        let owner = last_segment(receiver);
        let constants = self.by_name.get_or_init(|| self.collect_constants()).get(name)?;
        if constants.is_shadowed && owner.is_empty() {
            return None;
        }
        let belongs_to_owner = |fact: &&&SymbolFact| match owner {
            "" | "this" | "self" | "Self" | "cls" => {
                is_declared_constant(fact) || self.is_enclosed_by(&fact.container, at)
            }
            owner => last_segment(&fact.container) == owner,
        };
        let mut candidates = constants.facts.iter().filter(belongs_to_owner);
        let fact = candidates.next().filter(|_| candidates.next().is_none())?;
        literal_value(fact)
    }

    /// Whether a field keeps its declared value unless its own file assigns it.
    fn is_never_reassigned(&self, fact: &SymbolFact) -> bool {
        is_field_symbol(fact)
            && (has_modifier(fact, &["readonly"])
                || (self.keeps_private_fields && has_modifier(fact, &["private"])))
    }

    /// Whether the type with this qualified name encloses a byte.
    fn is_enclosed_by(&self, container: &str, at: usize) -> bool {
        let mut next = Some(self.symbols.symbol_at(at as u32));
        while let Some(fact) = next.and_then(|scope| self.symbols.facts.get(scope as usize)) {
            if fact.kind.is_type() && fact.qualified_name() == container {
                return true;
            }
            next = fact.parent;
        }
        false
    }

    fn collect_constants(&self) -> FxHashMap<&'s str, ConstantsOfName<'s>> {
        let mut all: FxHashMap<&str, ConstantsOfName> = FxHashMap::default();
        let all_assigned = OnceCell::new();
        let is_constant = |fact: &&'s SymbolFact| {
            let is_assigned_once = || {
                let assigned = all_assigned.get_or_init(|| assigned_names(self.text));
                let position = assigned.get(fact.name.as_str());
                literal_value(fact).is_some() && position.is_none_or(|at| *at == Some(fact.name_span.start))
            };
            is_declared_constant(fact) || (self.is_never_reassigned(fact) && is_assigned_once())
        };
        for fact in self.symbols.facts.iter().filter(is_constant) {
            all.entry(&fact.name).or_default().facts.push(fact);
        }
        for binding in self.bindings {
            let Some(constants) = all.get_mut(binding.name.as_str()) else { continue };
            if constants.facts.iter().any(|fact| fact.name_span.start == binding.at) {
                continue;
            }
            if binding.is_member {
                // The value of a member that is assigned again is unknown.
                all.remove(binding.name.as_str());
            } else {
                constants.is_shadowed = true;
            }
        }
        all
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Whether a symbol is declared as a constant. Fields with `final` or `const` (Java, C#) count.
fn is_declared_constant(fact: &SymbolFact) -> bool {
    fact.kind == SymbolKind::Constant || (is_field_symbol(fact) && has_modifier(fact, &["final", "const"]))
}

fn is_field_symbol(fact: &SymbolFact) -> bool {
    matches!(fact.kind, SymbolKind::Field | SymbolKind::Property)
}

/// Whether one of these words is before the name of a declaration.
fn has_modifier(fact: &SymbolFact, words: &[&str]) -> bool {
    let head = fact.signature.split(&fact.name).next().unwrap_or("");
    head.split_whitespace().any(|word| words.contains(&word))
}

/// Returns the names that a text assigns with `=`, with their positions. The position is `None` for
/// names that are assigned more than once, or with another operator.
fn assigned_names(text: &str) -> FxHashMap<&str, Option<u32>> {
    let is_name = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c == b'$' || *c >= 0x80;
    let bytes = text.as_bytes();
    let mut all: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    for (at, _) in text.match_indices('=') {
        if matches!(bytes.get(at + 1), Some(b'=' | b'>'))
            || at.checked_sub(1).is_some_and(|before| bytes[before] == b'=')
        {
            continue;
        }
        let operator = bytes[..at].iter().rev().take_while(|c| b"+-*/%?|&^".contains(c)).count();
        let blank = bytes[..at - operator].iter().rev().take_while(|c| c.is_ascii_whitespace()).count();
        let end = at - operator - blank;
        let start = end - bytes[..end].iter().rev().take_while(|c| is_name(c)).count();
        let Some(name) = text.get(start..end).filter(|name| !name.is_empty()) else { continue };
        let position = Some(start as u32).filter(|_| operator == 0);
        all.entry(name).and_modify(|known| *known = None).or_insert(position);
    }
    all
}

/// Returns the content of the literal that is the whole value of a declaration.
fn literal_value(fact: &SymbolFact) -> Option<&str> {
    let (_, after_name) = fact.signature.split_once(&fact.name)?;
    let (_, value) = after_name.split_once('=')?;
    let value = value.trim().trim_end_matches(';').trim_end();
    let value = value.strip_suffix("as const").unwrap_or(value).trim_end();
    let value = value.strip_suffix(".freeze").unwrap_or(value);
    let quote = value.chars().next().filter(|quote| "\"'`".contains(*quote))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    let plain = !inner.contains([quote, '\\']) && !inner.contains("#{") && !inner.contains("${");
    (plain && !inner.is_empty()).then_some(inner)
}
