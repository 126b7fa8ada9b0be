//! String constants of a file by name: what a path or a key says that is not written out.

use super::bindings::RawBinding;
use super::symbols::Symbols;
use kenning_graph::facts::SymbolFact;
use kenning_graph::vocabulary::SymbolKind;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The string constants of one file. They are looked for when the first is asked for: most files ask for none.
pub(crate) struct Constants<'s> {
    symbols: &'s Symbols,
    bindings: &'s [RawBinding],
    by_name: OnceCell<FxHashMap<&'s str, Vec<&'s SymbolFact>>>,
}

impl<'s> Constants<'s> {
    pub fn new(symbols: &'s Symbols, bindings: &'s [RawBinding]) -> Self {
        Self { symbols, bindings, by_name: OnceCell::new() }
    }

    /// The text of the constant that a dotted path names; `None` where the file has none of the name, or several.
    pub fn get(&self, path: &str) -> Option<&'s str> {
        let (receiver, name) = path.rsplit_once('.').unwrap_or(("", path));
        let owner = last(receiver);
        let own = matches!(owner, "" | "this" | "self" | "Self" | "cls");
        let named = self.by_name.get_or_init(|| self.all()).get(name)?;
        let mut found = named.iter().filter(|fact| own || last(&fact.container) == owner);
        let fact = found.next().filter(|_| found.next().is_none())?;
        content(fact)
    }

    fn all(&self) -> FxHashMap<&'s str, Vec<&'s SymbolFact>> {
        let mut all: FxHashMap<&str, Vec<&SymbolFact>> = FxHashMap::default();
        for fact in self.symbols.facts.iter().filter(|fact| is_constant(fact)) {
            all.entry(&fact.name).or_default().push(fact);
        }
        // A name that stands for something else as well, or is assigned again, is not known.
        for binding in self.bindings {
            let declares = |fact: &&SymbolFact| fact.name_span.start == binding.at;
            if all.get(binding.name.as_str()).is_some_and(|named| !named.iter().any(declares)) {
                all.remove(binding.name.as_str());
            }
        }
        all
    }
}

fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Java and C# have constants as fields that say so.
fn is_constant(fact: &SymbolFact) -> bool {
    let said = || {
        let head = fact.signature.split(&fact.name).next().unwrap_or("");
        head.split_whitespace().any(|word| matches!(word, "final" | "const"))
    };
    fact.kind == SymbolKind::Constant || (fact.kind == SymbolKind::Field && said())
}

/// The literal that is the whole value of a declaration.
fn content(fact: &SymbolFact) -> Option<&str> {
    let (_, behind) = fact.signature.split_once(&fact.name)?;
    let (_, value) = behind.split_once('=')?;
    let value = value.trim().trim_end_matches(';').trim_end();
    let value = value.strip_suffix("as const").unwrap_or(value).trim_end();
    let value = value.strip_suffix(".freeze").unwrap_or(value);
    let quote = value.chars().next().filter(|quote| "\"'`".contains(*quote))?;
    let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
    let plain = !inner.contains([quote, '\\']) && !inner.contains("#{") && !inner.contains("${");
    (plain && !inner.is_empty()).then_some(inner)
}
