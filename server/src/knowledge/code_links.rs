//! Links to symbols and files that survive renames, or say that they broke.
//!
//! A link names its target as people read it: `src/app.py::Flask.run`, or the path of a file. The
//! link also records facts about the target at the time of linking: its id, a hash of its text
//! without its own name, and its number of lines; for a file, a hash of its content. Following a
//! link looks for its target in this order:
//!
//! 1. The same path and name.
//! 2. The same name in another file, if there is exactly one (the file was moved), or exactly one
//!    with the same text.
//! 3. The same text under another name, if there is exactly one (the symbol was renamed).
//!
//! A target that step 2 or 3 finds counts as moved until the link is repaired. If no step finds a
//! target, the link is broken.

use super::entry::{LinkFacts, LinkTarget};
use crate::answer::QuestionError;
use crate::config::option_table::is_inner_path;
use crate::hash_prefix::{HashPrefix, short_hex};
use crate::symbol_names;
use kenning_graph::snapshot::identity::file_symbol_hash;
use kenning_graph::{Hash, Snapshot, SymbolId, SymbolKind, SymbolRef};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of files to read for one renamed symbol. In a large workspace, a broken link
/// would otherwise make every answer slow.
const MAX_READ_FILES: usize = 500;
/// Fewest digits of a recorded hash that count.
const MIN_DIGITS: usize = 8;

/// The code that links lead to.
pub struct CodeView<'a> {
    snapshot: &'a Snapshot,
    root: &'a Path,
    read_text: &'a dyn Fn(&str) -> Option<Arc<str>>,
    /// The text that was read last. Symbols are visited file by file.
    last_text: RefCell<Option<(String, Option<Arc<str>>)>>,
    /// The computed hashes of bodies. Many broken links visit the same symbols.
    body_hashes: RefCell<BTreeMap<SymbolId, Option<Hash>>>,
    /// All symbols with a text, by their number of lines.
    by_lines: OnceCell<BTreeMap<u32, Vec<SymbolId>>>,
}

/// The reason why a target counts as moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveEvidence {
    /// Something else has the name.
    SameName,
    /// Something else has the text.
    SameText,
}

/// The present target of a link, if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// The target exists. The hashes are those of its symbols; a file outside the index and an
    /// entry have none.
    Found(Vec<Hash>),
    /// The target likely has another name or path now.
    Moved {
        /// The name that the target has now.
        to: String,
        /// The symbols.
        symbols: Vec<Hash>,
        /// The reason.
        evidence: MoveEvidence,
    },
    /// No target was found, for this reason.
    Broken(String),
}

impl LinkState {
    /// Returns the symbols that the link leads to.
    pub fn linked_symbols(&self) -> &[Hash] {
        match self {
            Self::Found(symbols) | Self::Moved { symbols, .. } => symbols,
            Self::Broken(_) => &[],
        }
    }
}

impl<'a> CodeView<'a> {
    /// Creates the view of a graph. `read_text` returns the text of a file that the graph was made
    /// from.
    pub fn new(
        snapshot: &'a Snapshot,
        root: &'a Path,
        read_text: &'a dyn Fn(&str) -> Option<Arc<str>>,
    ) -> Self {
        Self {
            snapshot,
            root,
            read_text,
            last_text: RefCell::default(),
            body_hashes: RefCell::default(),
            by_lines: OnceCell::new(),
        }
    }

    fn file_text(&self, path: &str) -> Option<Arc<str>> {
        let mut last = self.last_text.borrow_mut();
        if let Some((known, text)) = &*last
            && known == path
        {
            return text.clone();
        }
        let text = (self.read_text)(path);
        *last = Some((path.to_owned(), text.clone()));
        text
    }

    /// Returns the symbols of all files with this number of lines.
    fn symbols_with_lines(&self, lines: u32) -> &[SymbolId] {
        let by_lines = self.by_lines.get_or_init(|| {
            let mut by_lines: BTreeMap<u32, Vec<SymbolId>> = BTreeMap::new();
            for symbol in self.symbol_refs(self.snapshot.symbols()) {
                if symbol.file.is_some() && symbol.kind != SymbolKind::File {
                    by_lines.entry(line_count(&symbol)).or_default().push(symbol.id);
                }
            }
            by_lines
        });
        by_lines.get(&lines).map_or(&[], Vec::as_slice)
    }

    fn symbol_refs(&self, ids: impl IntoIterator<Item = SymbolId>) -> Vec<SymbolRef<'a>> {
        ids.into_iter().filter_map(|id| self.snapshot.symbol(id)).collect()
    }

    /// Returns the symbols with these hashes that are still in the graph.
    pub fn find_symbols(&self, hashes: &[Hash]) -> Vec<SymbolId> {
        hashes.iter().filter_map(|hash| self.snapshot.symbol_by_hash(hash)).collect()
    }

    /// Returns the target of a link to a file that is not in the index; `None` if the workspace has
    /// no such file.
    pub fn unindexed_file(&self, path: &str) -> Option<LinkTarget> {
        let path = path.strip_prefix("./").unwrap_or(path);
        self.has_file(path).then(|| LinkTarget::Code(path.to_owned()))
    }

    /// Whether the workspace has a file at this path, in the index or not.
    fn has_file(&self, path: &str) -> bool {
        is_inner_path(path)
            && self.root.join(path).symlink_metadata().is_ok_and(|metadata| metadata.is_file())
    }

    /// Returns a hash of the text of a symbol, in which its own name and the amount of white space
    /// do not count, so that it survives a renaming.
    fn body_hash(&self, symbol: &SymbolRef<'_>) -> Option<Hash> {
        if let Some(known) = self.body_hashes.borrow().get(&symbol.id) {
            return *known;
        }
        let hash = self.file_text(symbol.path).and_then(|text| {
            let text = text.get(symbol.span.start as usize..symbol.span.end as usize)?;
            Some(Hash::from_content(mask_name(text, symbol.name).as_bytes()))
        });
        self.body_hashes.borrow_mut().insert(symbol.id, hash);
        hash
    }

    /// Returns the facts with which a link to a symbol can be followed later.
    fn record_facts(&self, symbol: &SymbolRef<'_>) -> LinkFacts {
        if symbol.kind.is_phantom() {
            return LinkFacts::default();
        }
        if symbol.kind == SymbolKind::File {
            let file = symbol.file.and_then(|id| self.snapshot.file(id));
            return LinkFacts {
                body: file.map(|file| short_hex(&file.content_hash)),
                ..LinkFacts::default()
            };
        }
        LinkFacts {
            id: Some(short_hex(&symbol.hash)),
            body: self.body_hash(symbol).map(|hash| short_hex(&hash)),
            lines: Some(line_count(symbol)),
        }
    }

    /// Follows a link to code.
    pub fn follow_link(&self, target: &str, facts: &LinkFacts) -> LinkState {
        let found = self.exact_symbols(target, facts);
        if !found.is_empty() {
            return LinkState::Found(found.iter().map(|symbol| symbol.hash).collect());
        }
        if self.has_file(target) {
            return LinkState::Found(Vec::new());
        }
        // A shortened name that a person wrote, such as `Flask.run`, has no facts.
        let mut ambiguity = None;
        if facts == &LinkFacts::default() {
            match symbol_names::find_overloads(self.snapshot, target) {
                Ok(ids) => {
                    let symbols = self.symbol_refs(ids);
                    return LinkState::Found(symbols.iter().map(|symbol| symbol.hash).collect());
                }
                Err(QuestionError::AmbiguousSymbol { candidates, .. }) => ambiguity = Some(candidates.len()),
                Err(_) => {}
            }
        }
        let moved = self.find_by_name(target, facts).or_else(|| self.find_by_text(target, facts));
        if let Some((symbols, evidence)) = moved
            && let Some(first) = symbols.first()
        {
            let to = first.qualified_name();
            return LinkState::Moved {
                to,
                symbols: symbols.iter().map(|symbol| symbol.hash).collect(),
                evidence,
            };
        }
        LinkState::Broken(match ambiguity {
            Some(count) => format!("{count} symbols have this name; write path::Name"),
            None => "nothing has this name or its text any more".to_owned(),
        })
    }

    /// Returns the symbols at exactly this path with exactly this name. If one of several overloads
    /// has the recorded id, returns only this one.
    fn exact_symbols(&self, target: &str, facts: &LinkFacts) -> Vec<SymbolRef<'a>> {
        let Some((path, name)) = target.split_once("::") else {
            return self.symbol_refs(self.snapshot.symbol_by_hash(&file_symbol_hash(target)));
        };
        let file = self.snapshot.file_by_path(path);
        let simple = name.rsplit('.').next().unwrap_or(name);
        let named = file.into_iter().flat_map(|file| {
            let whole = self.snapshot.symbols_named_in_file(file, name);
            if name == simple {
                whole
            } else {
                [whole, self.snapshot.symbols_named_in_file(file, simple)].concat()
            }
        });
        let mut found: Vec<SymbolRef<'a>> =
            self.symbol_refs(named).into_iter().filter(|symbol| symbol.display_name() == name).collect();
        if let Some(id) = facts.id.as_deref().and_then(|id| HashPrefix::parse(id, MIN_DIGITS))
            && found.iter().any(|symbol| id.matches(&symbol.hash))
        {
            found.retain(|symbol| id.matches(&symbol.hash));
        }
        found
    }

    /// Finds the symbol with the same name, or the file with the same name, elsewhere.
    fn find_by_name(&self, target: &str, facts: &LinkFacts) -> Option<(Vec<SymbolRef<'a>>, MoveEvidence)> {
        let candidates = match target.split_once("::") {
            Some((_, name)) => {
                let simple = name.rsplit('.').next().unwrap_or(name);
                let named = self.symbol_refs(self.snapshot.symbols_by_name(simple));
                let fits =
                    |symbol: &SymbolRef<'_>| !symbol.kind.is_phantom() && symbol.display_name() == name;
                named.into_iter().filter(fits).collect()
            }
            None => {
                let ending = format!("/{}", target.rsplit('/').next().unwrap_or(target));
                self.find_files(|path| format!("/{path}").ends_with(&ending))
            }
        };
        let same_text: Vec<SymbolRef<'a>> =
            candidates.iter().filter(|symbol| self.has_recorded_text(symbol, facts)).copied().collect();
        if is_one_name(&same_text) {
            return Some((same_text, MoveEvidence::SameText));
        }
        is_one_name(&candidates).then_some((candidates, MoveEvidence::SameName))
    }

    /// Finds the only symbol or file with the recorded text.
    fn find_by_text(&self, target: &str, facts: &LinkFacts) -> Option<(Vec<SymbolRef<'a>>, MoveEvidence)> {
        facts.body.as_ref()?;
        let Some((path, _)) = target.split_once("::") else {
            let files = self.find_files(|_| true);
            let same: Vec<SymbolRef<'a>> =
                files.into_iter().filter(|file| self.has_recorded_text(file, facts)).collect();
            return is_one_name(&same).then_some((same, MoveEvidence::SameText));
        };
        // Facts that Kenning recorded have a number of lines.
        let lines = facts.lines?;
        let same_text = |symbols: &[SymbolId]| -> Vec<SymbolRef<'a>> {
            let mut files = BTreeSet::new();
            let mut found = self.symbol_refs(symbols.iter().copied());
            found.retain(|symbol| {
                if files.len() < MAX_READ_FILES {
                    files.insert(symbol.path);
                }
                files.contains(symbol.path) && self.has_recorded_text(symbol, facts)
            });
            found
        };
        let file = self.snapshot.file_by_path(path);
        let mut here = file.map_or_else(Vec::new, |file| self.snapshot.file_symbols(file));
        let fitting = self.symbols_with_lines(lines);
        here.retain(|id| fitting.contains(id));
        let near = same_text(&here);
        let found = if near.is_empty() { same_text(fitting) } else { near };
        is_one_name(&found).then_some((found, MoveEvidence::SameText))
    }

    fn has_recorded_text(&self, symbol: &SymbolRef<'_>, facts: &LinkFacts) -> bool {
        let Some(body) = facts.body.as_deref().and_then(|body| HashPrefix::parse(body, MIN_DIGITS)) else {
            return false;
        };
        let hash = if symbol.kind == SymbolKind::File {
            symbol.file.and_then(|id| self.snapshot.file(id)).map(|file| file.content_hash)
        } else {
            self.body_hash(symbol)
        };
        hash.is_some_and(|hash| body.matches(&hash))
    }

    /// Returns the file symbols of all files whose path `fits` accepts.
    fn find_files(&self, fits: impl Fn(&str) -> bool) -> Vec<SymbolRef<'a>> {
        let files = self.snapshot.files().into_iter().filter_map(|id| self.snapshot.file(id));
        let fitting = files.filter(|file| fits(file.path));
        let ids = fitting.filter_map(|file| self.snapshot.symbol_by_hash(&file_symbol_hash(file.path)));
        self.symbol_refs(ids)
    }
}

/// Describes a target as a link names it, with the facts for following it. Overloads with one name
/// are one target; the facts are then those of the first.
pub fn describe_target(view: &CodeView<'_>, symbols: &[SymbolId]) -> Option<(LinkTarget, LinkFacts)> {
    let first = view.symbol_refs(symbols.iter().copied()).into_iter().next()?;
    let mut facts = view.record_facts(&first);
    if symbols.len() > 1 {
        facts.id = None;
    }
    Some((LinkTarget::Code(first.qualified_name()), facts))
}

fn line_count(symbol: &SymbolRef<'_>) -> u32 {
    symbol.span.end_line - symbol.span.start_line.min(symbol.span.end_line) + 1
}

/// Whether all symbols have one name: there is a symbol, or there are its overloads.
fn is_one_name(symbols: &[SymbolRef<'_>]) -> bool {
    let names: BTreeSet<String> = symbols.iter().map(SymbolRef::qualified_name).collect();
    names.len() == 1
}

/// Returns a text with `_` in place of each whole word that is the name, and one space in place of
/// any white space.
fn mask_name(text: &str, name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (starts_word, starts_space) = (is_word(first), first.is_whitespace());
        let ends_run = |c: char| is_word(c) != starts_word || c.is_whitespace() != starts_space;
        let end = rest.find(ends_run).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        out.push_str(match run {
            _ if starts_space => " ",
            word if word == name => "_",
            other => other,
        });
        rest = tail;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_workspace::{TestWorkspace, index_files};

    const CART: &str = "class Cart:\n    def total(self):\n        return self.total() + 1\n\n    def add(self, item):\n        return item\n\n\ndef checkout():\n    return 1\n";

    fn with_view<T>(workspace: &TestWorkspace, work: impl FnOnce(&CodeView<'_>) -> T) -> T {
        let snapshot = workspace.workspace.current_snapshot();
        let provider = workspace.workspace.text_source();
        let read = |path: &str| {
            let file = snapshot.file(snapshot.file_by_path(path)?)?;
            provider.file_text(path, &file.content_hash)
        };
        work(&CodeView::new(&snapshot, &workspace.root, &read))
    }

    /// Links to a target in one workspace and follows the link in another.
    fn follow(target: &str, before: &[(&str, &str)], after: &[(&str, &str)]) -> String {
        let (written, facts) = with_view(&index_files(before), |view| {
            let symbols = symbol_names::find_overloads(view.snapshot, target).unwrap();
            describe_target(view, &symbols).unwrap()
        });
        let state = with_view(&index_files(after), |view| view.follow_link(&written.to_string(), &facts));
        match state {
            LinkState::Found(symbols) => format!("found {}", symbols.len()),
            LinkState::Moved { to, evidence, .. } => format!("moved to {to} ({evidence:?})"),
            LinkState::Broken(reason) => format!("broken: {reason}"),
        }
    }

    #[test]
    fn a_link_survives_edits_moves_and_renames_or_says_that_it_broke() {
        let before = [("shop/cart.py", CART)];
        let edited = CART.replace("+ 1", "+ 2");
        let renamed = CART.replace("total", "sum_up");
        let class = CART.replace("Cart", "Basket");
        let cases = [
            ("Cart.total", vec![("shop/cart.py", edited.as_str())], "found 1"),
            (
                "Cart.total",
                vec![("web/cart.py", edited.as_str())],
                "moved to web/cart.py::Cart.total (SameName)",
            ),
            ("Cart.total", vec![("web/cart.py", CART)], "moved to web/cart.py::Cart.total (SameText)"),
            (
                "Cart.total",
                vec![("shop/cart.py", renamed.as_str())],
                "moved to shop/cart.py::Cart.sum_up (SameText)",
            ),
            (
                "Cart.total",
                vec![("shop/cart.py", class.as_str())],
                "moved to shop/cart.py::Basket.total (SameText)",
            ),
            ("Cart", vec![("shop/basket.py", class.as_str())], "moved to shop/basket.py::Basket (SameText)"),
            (
                "Cart.total",
                vec![("a.py", edited.as_str()), ("b.py", edited.as_str())],
                "broken: nothing has this name or its text any more",
            ),
            (
                "Cart.total",
                vec![("a.py", edited.as_str()), ("b.py", CART)],
                "moved to b.py::Cart.total (SameText)",
            ),
            (
                "checkout",
                vec![("shop/cart.py", "x = 1\n")],
                "broken: nothing has this name or its text any more",
            ),
            ("shop/cart.py", vec![("shop/basket.py", CART)], "moved to shop/basket.py (SameText)"),
            ("shop/cart.py", vec![("web/cart.py", edited.as_str())], "moved to web/cart.py (SameName)"),
            (
                "shop/cart.py",
                vec![("shop/x.py", edited.as_str())],
                "broken: nothing has this name or its text any more",
            ),
        ];
        for (target, after, expected) in cases {
            assert_eq!(follow(target, &before, &after), expected, "{target} {after:?}");
        }
    }

    #[test]
    fn a_name_that_a_person_wrote_is_followed_without_facts() {
        let workspace =
            index_files(&[("shop/cart.py", CART), ("shop/other.py", "def checkout():\n    pass\n")]);
        std::fs::write(workspace.root.join("notes.txt"), "").unwrap();
        with_view(&workspace, |view| {
            let follow = |target: &str| view.follow_link(target, &LinkFacts::default());
            for found in ["shop/cart.py::Cart.total", "Cart.total", "shop/cart.py", "notes.txt"] {
                assert!(matches!(follow(found), LinkState::Found(_)), "{found}");
            }
            assert_eq!(
                follow("checkout"),
                LinkState::Broken("2 symbols have this name; write path::Name".to_owned())
            );
            for broken in ["Cart.none", "../w/notes.txt", "/etc/passwd", "none.txt", ""] {
                assert!(matches!(follow(broken), LinkState::Broken(_)), "{broken}");
            }
        });
    }

    #[test]
    fn an_overload_is_followed_by_its_id() {
        let java = "class Cart {\n  int add(int a) { return a; }\n  int add(long a) { return 0; }\n}\n";
        let workspace = index_files(&[("Cart.java", java)]);
        with_view(&workspace, |view| {
            let both = symbol_names::find_overloads(view.snapshot, "Cart.add").unwrap();
            let (target, facts) = describe_target(view, &both).unwrap();
            assert_eq!(view.follow_link(&target.to_string(), &facts).linked_symbols().len(), 2);
            let (target, facts) = describe_target(view, &both[1..]).unwrap();
            let second = view.snapshot.symbol(both[1]).unwrap().hash;
            assert_eq!(view.follow_link(&target.to_string(), &facts), LinkState::Found(vec![second]));
        });
    }

    #[test]
    fn the_masked_text_does_not_depend_on_the_name_and_white_space() {
        assert_eq!(mask_name("def run(x):\n    return rerun(run)", "run"), "def _(x): return rerun(_)");
        assert_eq!(mask_name("", "x"), "");
    }
}
