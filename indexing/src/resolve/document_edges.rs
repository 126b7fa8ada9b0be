//! Edges of documents: from sections to the code that they name and to the targets of their links.
//!
//! * A name in code becomes a `documents` edge. A name belongs to no scope, so all symbols with the
//!   name are candidates. Candidates must have the language of the block. If the container, file or
//!   folder of some candidates is the receiver, only these remain. Tests count only if nothing else
//!   has the name. Declarations of one name in one container are one candidate. Several candidates
//!   are ambiguous, and a name in a block of code then has no edge.
//! * A link to a document becomes a `references` edge to the section of its anchor or to the file.
//!   A link to a file of code becomes a `documents` edge to the file, or to the symbol at its line.
//!
//! Every lookup is logged, so that a document is resolved again when the results of its lookups
//! change. Code never resolves to a document.

use super::edge_collector::{EdgeCollector, EdgeStrength, MAX_CANDIDATES};
use super::lang::family::LanguageFamily;
use super::tracked_snapshot::SharedIndexes;
use crate::extract::documents::{ANY_LANGUAGE, PATH_IN_CODE, SAME_DOCUMENT, WIKI_LINK};
use kenning_graph::facts::{FILE_SCOPE, ReferenceFact, ReferenceRole};
use kenning_graph::paths::{file_name, join_relative, parent_folder};
use kenning_graph::snapshot::LookupKey;
use kenning_graph::{EdgeKind, FileFacts, FileId, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of symbols with one name that are compared. A name with more is not specific.
const MAX_NAMESAKES: usize = 200;

/// Endings that a link to a document may leave out, most specific first.
const OMITTED_ENDINGS: &[&str] =
    &["", ".md", ".mdx", ".markdown", ".rst", ".adoc", "/README.md", "/index.md", "/index.mdx", "/index.rst"];
/// Endings of the pages of a wiki.
const PAGE_ENDINGS: &[&str] = &[".md", ".markdown", ".mdx"];

/// Adds the edges of a document. Returns the numbers of the keys that were looked up.
pub(super) fn add_document_edges<'a>(
    snapshot: &'a Snapshot,
    shared: &'a SharedIndexes<'a>,
    file: FileId,
    facts: &FileFacts,
    edges: &mut EdgeCollector,
) -> Vec<u32> {
    let ids = snapshot.file_symbols(file);
    let Some(entry) = snapshot.file(file).filter(|_| ids.len() == facts.symbols.len() + 1) else {
        return Vec::new();
    };
    let mut resolver =
        DocumentResolver { snapshot, shared, path: entry.path, ids, lookups: FxHashSet::default() };
    for reference in &facts.references {
        match reference.role {
            ReferenceRole::Link => resolver.add_link_edge(facts, reference, edges),
            _ => resolver.add_name_edges(facts, reference, edges),
        }
    }
    let mut lookups: Vec<u32> = resolver.lookups.into_iter().collect();
    lookups.sort_unstable();
    lookups
}

/// A resolver of the names and links in one document. Logs every lookup.
struct DocumentResolver<'a> {
    snapshot: &'a Snapshot,
    shared: &'a SharedIndexes<'a>,
    path: &'a str,
    /// The symbol of the document, and its sections.
    ids: Vec<SymbolId>,
    lookups: FxHashSet<u32>,
}

impl<'a> DocumentResolver<'a> {
    fn log_lookup(&mut self, key: LookupKey<'_>) {
        self.lookups.insert(key.key_number());
    }

    fn scope_id(&self, reference: &ReferenceFact) -> SymbolId {
        let at = if reference.scope == FILE_SCOPE { 0 } else { reference.scope as usize + 1 };
        self.ids.get(at).copied().unwrap_or(self.ids[0])
    }

    fn add_name_edges(&mut self, facts: &FileFacts, reference: &ReferenceFact, edges: &mut EdgeCollector) {
        let [name, receiver, language] =
            [reference.name, reference.receiver, reference.arguments].map(|text| facts.strings.get(text));
        self.log_lookup(LookupKey::Name(name));
        let is_from_block = !language.is_empty();
        let family =
            Some(language).filter(|l| is_from_block && *l != ANY_LANGUAGE).map(LanguageFamily::from_language);
        let ids = self.snapshot.symbols_by_name(name);
        if ids.is_empty() || ids.len() > MAX_NAMESAKES {
            return;
        }
        let symbols = ids.into_iter().filter_map(|id| self.snapshot.symbol(id));
        let candidates = symbols.filter(|s| can_be_named(s.kind));
        let mut candidates: Vec<SymbolRef<'a>> = candidates
            .filter(|s| family.is_none_or(|family| LanguageFamily::from_language(s.language) == family))
            .collect();
        let owner = receiver.rsplit('.').next().filter(|owner| !matches!(*owner, "" | "this" | "self"));
        let mut strength = EdgeStrength::INFERRED;
        if let Some(owner) = owner {
            let owned: Vec<SymbolRef<'a>> =
                candidates.iter().filter(|symbol| belongs_to(symbol, owner)).copied().collect();
            if !owned.is_empty() {
                (candidates, strength) = (owned, EdgeStrength::RESOLVED);
            }
        }
        let is_in_test = |s: &SymbolRef<'_>| {
            s.is_test || LanguageFamily::from_language(s.language).is_some_and(|f| f.is_test_path(s.path))
        };
        if candidates.iter().any(|symbol| !is_in_test(symbol)) {
            candidates.retain(|symbol| !is_in_test(symbol));
        }
        let groups: FxHashSet<(&str, &str)> =
            candidates.iter().map(|symbol| (symbol.path, symbol.container)).collect();
        if groups.is_empty() || groups.len() > if is_from_block { 1 } else { MAX_CANDIDATES } {
            return;
        }
        let strength = strength.split_among(groups.len());
        for target in candidates {
            let line = Some(reference.at.line);
            edges.add_symbol_edge(self.scope_id(reference), target.id, EdgeKind::Documents, strength, line);
        }
    }

    fn add_link_edge(&mut self, facts: &FileFacts, reference: &ReferenceFact, edges: &mut EdgeCollector) {
        let [path, fragment, notation] =
            [reference.name, reference.receiver, reference.arguments].map(|text| facts.strings.get(text));
        let path = decode_percent(path);
        let file = match notation {
            _ if path == SAME_DOCUMENT => self.snapshot.file_by_path(self.path),
            WIKI_LINK => self.find_page(&path),
            PATH_IN_CODE => self.find_file(&path, &[""]),
            _ => self.find_file(&path, OMITTED_ENDINGS),
        };
        let Some(target_path) = file.and_then(|file| self.snapshot.file(file)).map(|file| file.path) else {
            return;
        };
        let Some((kind, target)) = file.and_then(|file| self.find_target(file, target_path, fragment)) else {
            return;
        };
        let line = Some(reference.at.line);
        edges.add_symbol_edge(self.scope_id(reference), target, kind, EdgeStrength::RESOLVED, line);
    }

    /// Returns the file at a path from the folder of the document, or else from the root.
    fn find_file(&mut self, path: &str, endings: &[&str]) -> Option<FileId> {
        let starts = if path.starts_with('/') { vec![""] } else { vec![parent_folder(self.path), ""] };
        for start in starts {
            let Some(joined) = join_relative(start, path) else { continue };
            for ending in endings {
                let candidate = [joined.as_str(), ending].concat();
                self.log_lookup(LookupKey::Path(&candidate));
                if let Some(file) = self.snapshot.file_by_path(candidate.trim_start_matches('/')) {
                    return Some(file);
                }
            }
        }
        None
    }

    /// Returns the only file with the name of a page of a wiki.
    fn find_page(&mut self, page: &str) -> Option<FileId> {
        if page.contains('/') {
            return self.find_file(page, PAGE_ENDINGS);
        }
        let mut found = Vec::new();
        for stem in [page.to_owned(), page.replace(' ', "-"), page.replace(' ', "_")] {
            for ending in PAGE_ENDINGS {
                let name = [stem.as_str(), ending].concat();
                self.log_lookup(LookupKey::FileName(&name));
                found.extend_from_slice(self.shared.file_names().documents_named(&name));
            }
        }
        found.sort_unstable();
        found.dedup();
        match found[..] {
            [path] => self.snapshot.file_by_path(path),
            _ => None,
        }
    }

    /// Returns the target of a link to a file, and the kind of the edge to it.
    fn find_target(&mut self, file: FileId, path: &str, fragment: &str) -> Option<(EdgeKind, SymbolId)> {
        let whole_file = *self.snapshot.file_symbols(file).first()?;
        if self.snapshot.is_document(file) {
            let section = if fragment.is_empty() { None } else { self.find_section(file, path, fragment) };
            // A wrong anchor in the document itself leads nowhere.
            let target = section.or(Some(whole_file).filter(|_| path != self.path))?;
            return Some((EdgeKind::References, target));
        }
        let line = first_line(fragment);
        if line.is_some() {
            self.log_lookup(LookupKey::Lines(path));
        }
        let symbol = line.and_then(|line| {
            let symbols = self.snapshot.file_symbol_refs(file).into_iter().skip(1);
            let around = symbols.filter(|s| s.span.start_line <= line && line <= s.span.end_line);
            around.min_by_key(|s| (s.span.end_line - s.span.start_line, s.span.end - s.span.start, s.hash))
        });
        Some((EdgeKind::Documents, symbol.map_or(whole_file, |symbol| symbol.id)))
    }

    /// Returns the section whose heading has an anchor.
    fn find_section(&mut self, file: FileId, path: &str, anchor: &str) -> Option<SymbolId> {
        self.log_lookup(LookupKey::Sections(path));
        let anchor = decode_percent(anchor).to_lowercase();
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for section in self.snapshot.file_symbol_refs(file).into_iter().skip(1) {
            let slug = heading_slug(section.name);
            let count = counts.entry(slug.clone()).or_insert(0);
            let numbered = if *count == 0 { slug } else { format!("{slug}-{count}") };
            *count += 1;
            // AsciiDoc may refer to a heading by its text.
            if numbered == anchor || section.name.to_lowercase() == anchor {
                return Some(section.id);
            }
        }
        None
    }
}

/// Whether a name in a document can refer to symbols of a kind.
fn can_be_named(kind: SymbolKind) -> bool {
    !kind.is_phantom() && !matches!(kind, SymbolKind::File | SymbolKind::Section)
}

/// Whether a symbol is in a container, file or folder with this name.
fn belongs_to(symbol: &SymbolRef<'_>, owner: &str) -> bool {
    if !symbol.container.is_empty() {
        return symbol.container.rsplit('.').next() == Some(owner);
    }
    let stem = file_name(symbol.path).split('.').next().unwrap_or("");
    stem == owner || parent_folder(symbol.path).split('/').any(|folder| folder == owner)
}

/// Returns the anchor that GitHub gives a heading: lower case, without punctuation, with hyphens
/// for spaces.
fn heading_slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the 0-based line of a fragment like `L10` or `L10-L20`.
fn first_line(fragment: &str) -> Option<u32> {
    let digits = fragment.strip_prefix('L')?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse::<u32>().ok()?.checked_sub(1)
}

/// Decodes `%20` and other encoded bytes. Leaves malformed sequences unchanged.
fn decode_percent(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let code = digits.and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 16).ok());
        out.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_follow_the_rules_of_github() {
        assert_eq!(heading_slug("What's new? (v1.2)"), "whats-new-v12");
        assert_eq!(heading_slug("Größe & `run_all`"), "größe--run_all");
        assert_eq!((first_line("L10-L20"), first_line("L0"), first_line("x")), (Some(9), None, None));
        assert_eq!((decode_percent("a%20b"), decode_percent("5%")), ("a b".to_owned(), "5%".to_owned()));
    }
}
