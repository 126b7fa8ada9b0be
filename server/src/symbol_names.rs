//! Resolves the name that a user or an agent writes to the symbols that it means.
//!
//! A name can be an id or its first eight digits, the path of a file, or a name as people paste it:
//! `Admin.create`, `Admin#create`, `Admin::create`, `caddy.Module`,
//! `org.apache.kafka.clients.admin.Admin`, `src/app.py::Flask.open`. The last part names the
//! symbol. The parts before it must be the end of its container, and the remaining ones the end of
//! its package, its path or its folder, or a module that re-exports it (`module_names`). A node that code shares without declaring it is named with
//! its scope (`env::DATABASE_URL`, `topic::orders`), or alone if nothing else has the name.
//! Overloads with the same name in one type are one answer. `src/app.py:12` names the definition on
//! that line.

use crate::answer::{QuestionError, SymbolCandidate};
use crate::format::search_lines::shorten_line;
use crate::hash_prefix::HashPrefix;
use crate::module_names::offered_by_module;
use crate::similar_names::similar_names;
use crate::written_position::WrittenPosition;
use kenning_graph::snapshot::identity::{file_symbol_hash, phantom_hash};
use kenning_graph::{Snapshot, SymbolId, SymbolKind, SymbolRef};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The symbols that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSymbols {
    /// The symbol, or the overloads with the same name, which share one answer; never empty.
    pub symbols: Vec<SymbolId>,
    /// Other symbols that the name at the requested position may refer to.
    pub alternatives: Vec<SymbolId>,
}

impl TargetSymbols {
    /// Returns the target for the possible meanings of a position, the likeliest first; `None` if
    /// there are none.
    pub fn from_likeliest(symbols: Vec<SymbolId>) -> Option<Self> {
        let (first, alternatives) = symbols.split_first()?;
        Some(Self { symbols: vec![*first], alternatives: alternatives.to_vec() })
    }
}

/// Maximum number of candidates that [`QuestionError::AmbiguousSymbol`] lists.
const MAX_CANDIDATES: usize = 10;

/// Maximum number of signatures of one candidate. C++ and C# have names with dozens of overloads.
const MAX_SIGNATURES: usize = 4;

/// Minimum number of hexadecimal digits of a text that is read as the beginning of an id.
const MIN_ID_PREFIX: usize = 8;

/// Number of hexadecimal digits of an id that answers show. A text of this length is not a name.
const SHOWN_ID_DIGITS: usize = 12;

/// Finds the symbol that a name means. Returns the first of several overloads.
///
/// # Errors
/// Returns an error if the name is empty, or if no symbol or several symbols fit it.
pub fn find_symbol(snapshot: &Snapshot, wanted: &str) -> Result<SymbolId, QuestionError> {
    Ok(find_overloads(snapshot, wanted)?[0])
}

/// Finds the symbols that a name means: one, or the overloads with the same name in one type, in
/// the order of the text. The list is never empty.
///
/// # Errors
/// Returns an error if the name is empty, or if no symbol or several symbols fit it.
pub fn find_overloads(snapshot: &Snapshot, wanted: &str) -> Result<Vec<SymbolId>, QuestionError> {
    // Markdown shows names as code.
    let wanted = wanted.trim().trim_matches('`');
    if wanted.is_empty() {
        return Err(QuestionError::EmptySymbol);
    }
    if let Some(id) = find_by_id(snapshot, wanted)? {
        return Ok(vec![id]);
    }
    if let Some(file) = snapshot.symbol_by_hash(&file_symbol_hash(wanted)) {
        return Ok(vec![file]);
    }
    if let Some(shared) = find_shared_node(snapshot, wanted) {
        return Ok(vec![shared]);
    }
    // The column of a position matters only to a caller that has the text.
    let position = WrittenPosition::parse(wanted);
    if let Some(symbol) = position.and_then(|position| position.find_definition(snapshot)) {
        return Ok(vec![symbol]);
    }
    let name = WrittenName::parse(snapshot, wanted);
    let mut fitting = fitting_symbols(snapshot, &name);
    if fitting.len() != 1 {
        let offered = symbols_of_module(snapshot, &name);
        if !offered.is_empty() {
            fitting = offered;
        }
    }
    if fitting.is_empty() {
        fitting = fitting_symbols(snapshot, &WrittenName::parse_verbatim(snapshot, wanted));
    }
    if fitting.is_empty() {
        fitting = files_with_ending(snapshot, wanted);
    }
    if fitting.is_empty()
        && let Some(shared) = SHARED_SCOPES.iter().find_map(|scope| find_in_scope(snapshot, scope, wanted))
    {
        return Ok(vec![shared]);
    }
    if name.path.is_none() {
        drop_derived(&mut fitting);
    }
    drop_declarations(&mut fitting);
    let Some(first) = fitting.first() else {
        return Err(QuestionError::UnknownSymbol {
            name: wanted.to_owned(),
            similar: similar_names(snapshot, wanted),
        });
    };
    let same_name = |symbol: &SymbolRef<'_>| {
        (symbol.path, symbol.container, symbol.name) == (first.path, first.container, first.name)
    };
    if fitting.len() == 1 || fitting.iter().all(|symbol| same_name(symbol) && symbol.kind.is_callable()) {
        let mut overloads: Vec<&SymbolRef<'_>> = fitting.iter().collect();
        overloads.sort_by_key(|symbol| symbol.span.start);
        return Ok(overloads.into_iter().map(|symbol| symbol.id).collect());
    }
    Err(QuestionError::AmbiguousSymbol {
        name: wanted.to_owned(),
        candidates: rank_candidates(snapshot, fitting),
    })
}

/// Returns the id of a symbol as text, which every command accepts; empty if the snapshot does not
/// have the symbol.
pub fn id_text(snapshot: &Snapshot, symbol: SymbolId) -> String {
    snapshot.symbol(symbol).map_or_else(String::new, |symbol| symbol.hash.to_hex())
}

/// Finds a symbol by its id, or by at least [`MIN_ID_PREFIX`] digits of an id. Returns `None` if
/// the text may be a name.
///
/// # Errors
/// Returns an error if several ids begin with the text, or if none does and the text is as long as
/// the ids in answers.
fn find_by_id(snapshot: &Snapshot, wanted: &str) -> Result<Option<SymbolId>, QuestionError> {
    let Some(prefix) = HashPrefix::parse(wanted, MIN_ID_PREFIX) else { return Ok(None) };
    if !snapshot.symbols_by_name(wanted).is_empty() {
        return Ok(None);
    }
    let found = symbols_with_prefixes(snapshot, &[prefix]);
    match found.as_slice() {
        [] if wanted.len() < SHOWN_ID_DIGITS => Ok(None),
        [] => Err(QuestionError::UnknownId(wanted.to_owned())),
        [(_, symbol)] => Ok(Some(*symbol)),
        several => Err(ambiguous_id(snapshot, wanted, several)),
    }
}

/// Finds symbols by their ids, or by at least the first 8 digits of each. Leaves out ids that no
/// symbol has, because code changes while a client remembers ids.
///
/// # Errors
/// Returns an error with the name of the `list` if a text is not an id or begins several ids.
pub fn find_ids(
    snapshot: &Snapshot,
    list: &'static str,
    ids: &[String],
) -> Result<Vec<SymbolId>, QuestionError> {
    let unusable = |id: &String, problem| QuestionError::UnusableId { list, id: id.clone(), problem };
    let prefixes = ids.iter().map(|id| {
        HashPrefix::parse(id, MIN_ID_PREFIX).ok_or_else(|| unusable(id, "is not the id of a symbol"))
    });
    let prefixes = prefixes.collect::<Result<Vec<_>, _>>()?;
    let found = symbols_with_prefixes(snapshot, &prefixes);
    let mut symbols = Vec::with_capacity(ids.len());
    for (at, id) in ids.iter().enumerate() {
        let fitting: Vec<(usize, SymbolId)> =
            found.iter().filter(|(prefix, _)| *prefix == at).copied().collect();
        match fitting.as_slice() {
            [] => {}
            [(_, symbol)] => symbols.push(*symbol),
            _ => return Err(unusable(id, "fits several symbols")),
        }
    }
    Ok(symbols)
}

/// Returns the symbols whose ids begin with one of the prefixes, each with the index of the prefix.
/// Reads all ids once unless all prefixes are whole ids.
fn symbols_with_prefixes(snapshot: &Snapshot, prefixes: &[HashPrefix<'_>]) -> Vec<(usize, SymbolId)> {
    let whole = |prefix: HashPrefix<'_>| snapshot.symbol_by_hash(&prefix.whole_hash()?);
    let mut found: Vec<(usize, SymbolId)> =
        prefixes.iter().enumerate().filter_map(|(at, &prefix)| Some((at, whole(prefix)?))).collect();
    let shortened: Vec<(usize, HashPrefix<'_>)> =
        prefixes.iter().copied().enumerate().filter(|(_, prefix)| prefix.whole_hash().is_none()).collect();
    if shortened.is_empty() {
        return found;
    }
    for symbol in snapshot.symbols().into_iter().filter_map(|id| snapshot.symbol(id)) {
        let fitting = shortened.iter().filter(|(_, prefix)| prefix.matches(&symbol.hash));
        found.extend(fitting.map(|&(at, _)| (at, symbol.id)));
    }
    found
}

fn ambiguous_id(snapshot: &Snapshot, wanted: &str, found: &[(usize, SymbolId)]) -> QuestionError {
    let symbols = found.iter().filter_map(|&(_, id)| snapshot.symbol(id)).collect();
    QuestionError::AmbiguousSymbol { name: wanted.to_owned(), candidates: rank_candidates(snapshot, symbols) }
}

/// Drops the symbols that are only declarations if a definition has the same name: a header and its
/// source file are one answer.
fn drop_declarations(fitting: &mut Vec<SymbolRef<'_>>) {
    let defined: BTreeSet<(String, String)> = fitting
        .iter()
        .filter(|symbol| !symbol.is_declaration_only())
        .map(|symbol| (symbol.container.to_owned(), symbol.name.to_owned()))
        .collect();
    fitting.retain(|symbol| {
        !symbol.is_declaration_only()
            || !defined.contains(&(symbol.container.to_owned(), symbol.name.to_owned()))
    });
}

/// Drops the symbols of files that no one edits if source has the name, too: build output repeats the
/// names of its source, which is what people mean.
fn drop_derived(fitting: &mut Vec<SymbolRef<'_>>) {
    if fitting.iter().any(|symbol| symbol.derived.is_none()) {
        fitting.retain(|symbol| symbol.derived.is_none());
    }
}

/// The scopes of the nodes outside the workspace that people ask about by their name alone.
const SHARED_SCOPES: [&str; 6] = ["env", "topic", "table", "graphql", "image", "environment"];

/// Finds a node that code shares without declaring it, by the name that answers show:
/// `env::DATABASE_URL`, `topic::orders`, `route::GET /users/{}`.
fn find_shared_node(snapshot: &Snapshot, wanted: &str) -> Option<SymbolId> {
    let (scope, name) = wanted.split_once("::")?;
    find_in_scope(snapshot, scope, name)
}

fn find_in_scope(snapshot: &Snapshot, scope: &str, name: &str) -> Option<SymbolId> {
    let (kind, package) = match scope {
        "env" => (SymbolKind::EnvVar, ""),
        "process" => (SymbolKind::Process, ""),
        "flag" => (SymbolKind::Flag, ""),
        "route" => (SymbolKind::Route, ""),
        resource => (SymbolKind::Resource, resource),
    };
    snapshot.symbol_by_hash(&phantom_hash(kind, package, name))
}

/// A name in its parts.
struct WrittenName<'w> {
    /// The path or the end of one, if the name begins with it.
    path: Option<&'w str>,
    /// The parts before the last one.
    qualifiers: Vec<&'w str>,
    /// The last part.
    simple: &'w str,
}

impl<'w> WrittenName<'w> {
    /// Reads a name that is not divided into parts, such as `Deployment/orders` or
    /// `GET /users/{id}`.
    fn parse_verbatim(snapshot: &Snapshot, wanted: &'w str) -> Self {
        let (path, simple) = split_path(snapshot, wanted);
        Self { path, qualifiers: Vec::new(), simple }
    }

    /// Reads a name whose parts are divided by `.`, `#`, `/` or `::`.
    fn parse(snapshot: &Snapshot, wanted: &'w str) -> Self {
        let (path, name) = split_path(snapshot, wanted);
        let mut parts: Vec<&str> = name
            .split(['.', '#', '/'])
            .flat_map(|part| part.split("::"))
            .filter(|part| !part.is_empty())
            .collect();
        let simple = parts.pop().unwrap_or(name);
        let simple = simple.split_once('(').map_or(simple, |(simple, _)| simple);
        Self { path, qualifiers: parts, simple }
    }
}

/// Splits a name from the path of a file, or the end of one, before it.
fn split_path<'w>(snapshot: &Snapshot, wanted: &'w str) -> (Option<&'w str>, &'w str) {
    let Some((path, name)) = wanted.split_once("::") else { return (None, wanted) };
    // GCF and GCB write the line after the path.
    let path = match path.rsplit_once(':') {
        Some((path, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => path,
    };
    if is_path_ending(snapshot, path) { (Some(path), name) } else { (None, wanted) }
}

/// Whether a text is the path of a file, or the end of one.
fn is_path_ending(snapshot: &Snapshot, text: &str) -> bool {
    snapshot.file_by_path(text).is_some() || !files_with_ending(snapshot, text).is_empty()
}

/// Returns the files whose path ends with these components.
fn files_with_ending<'s>(snapshot: &'s Snapshot, ending: &str) -> Vec<SymbolRef<'s>> {
    if !ending.contains('.') {
        return Vec::new();
    }
    let ending = format!("/{ending}");
    let files = snapshot.files().into_iter().filter_map(|id| snapshot.file(id));
    files
        .filter(|file| file.path.ends_with(&ending))
        .filter_map(|file| snapshot.symbol(snapshot.symbol_by_hash(&file_symbol_hash(file.path))?))
        .collect()
}

/// The quality of a symbol's fit to a name; larger is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameFit {
    /// The parts before the name are the end of its container.
    ContainerEnding,
    /// They are the end of its container, preceded by the end of its package or path.
    ScopeEnding,
    /// They are its whole container.
    WholeContainer,
    /// The path is also its whole path.
    WholePath,
}

/// Returns the symbols that fit a name best.
fn fitting_symbols<'s>(snapshot: &'s Snapshot, name: &WrittenName<'_>) -> Vec<SymbolRef<'s>> {
    let named = snapshot.symbols_by_name(name.simple).into_iter().filter_map(|id| snapshot.symbol(id));
    let fitting: Vec<(NameFit, SymbolRef<'s>)> = named
        .filter(|symbol| !symbol.kind.is_phantom())
        .filter_map(|symbol| Some((rate_fit(snapshot, &symbol, name)?, symbol)))
        .collect();
    // Source counts even if a name in build output fits better. A path names a file.
    let has_source = name.path.is_none() && fitting.iter().any(|(_, symbol)| symbol.derived.is_none());
    let fitting = fitting.into_iter().filter(|(_, symbol)| !has_source || symbol.derived.is_none());
    let fitting: Vec<(NameFit, SymbolRef<'s>)> = fitting.collect();
    let Some(best) = fitting.iter().map(|(fit, _)| *fit).max() else { return Vec::new() };
    fitting.into_iter().filter(|(fit, _)| *fit == best).map(|(_, symbol)| symbol).collect()
}

/// Returns the symbols that the module offers that stands before the name.
fn symbols_of_module<'s>(snapshot: &'s Snapshot, name: &WrittenName<'_>) -> Vec<SymbolRef<'s>> {
    if name.path.is_some() || name.qualifiers.is_empty() {
        return Vec::new();
    }
    let named = snapshot.symbols_by_name(name.simple).into_iter().filter_map(|id| snapshot.symbol(id));
    let named: Vec<SymbolRef<'s>> = named.filter(|symbol| !symbol.kind.is_phantom()).collect();
    let container_length = |symbol: &SymbolRef<'s>| {
        let container = container_parts(symbol);
        (common_ending(&container, &name.qualifiers) == container.len()).then_some(container.len())
    };
    offered_by_module(snapshot, &named, &name.qualifiers, &container_length)
}

/// Returns the names of the types and modules around a symbol, outermost first.
fn container_parts<'s>(symbol: &SymbolRef<'s>) -> Vec<&'s str> {
    symbol.container.split(['.', '/']).filter(|part| !part.is_empty()).collect()
}

/// Returns the quality of a symbol's fit to a name; `None` if it does not fit.
fn rate_fit(snapshot: &Snapshot, symbol: &SymbolRef<'_>, name: &WrittenName<'_>) -> Option<NameFit> {
    let container = container_parts(symbol);
    let matched = common_ending(&container, &name.qualifiers);
    let rest = &name.qualifiers[..name.qualifiers.len() - matched];
    if let Some(path) = name.path {
        let whole = symbol.path == path;
        let fits = whole || symbol.path.ends_with(&format!("/{path}"));
        return (fits && rest.is_empty()).then_some(match matched == container.len() {
            true if whole => NameFit::WholePath,
            true => NameFit::WholeContainer,
            false => NameFit::ContainerEnding,
        });
    }
    if rest.is_empty() {
        let whole = matched == container.len();
        return Some(if whole { NameFit::WholeContainer } else { NameFit::ContainerEnding });
    }
    (matched == container.len() && is_scope_ending(snapshot, symbol, rest)).then_some(NameFit::ScopeEnding)
}

/// Whether these parts are the end of a symbol's package, of its path without the extension, or of
/// its folder.
fn is_scope_ending(snapshot: &Snapshot, symbol: &SymbolRef<'_>, parts: &[&str]) -> bool {
    let package = symbol.file.and_then(|file| snapshot.file(file)).map_or("", |file| file.package);
    let stem = symbol.path.rsplit_once('.').map_or(symbol.path, |(stem, _)| stem);
    let folder = kenning_graph::paths::parent_folder(symbol.path);
    [package, stem, folder].into_iter().any(|scope| {
        let scope: Vec<&str> = scope.split(['.', '/', ':', '\\']).filter(|part| !part.is_empty()).collect();
        common_ending(&scope, parts) == parts.len()
    })
}

/// Returns the number of equal parts at the ends of two lists.
fn common_ending(left: &[&str], right: &[&str]) -> usize {
    left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count()
}

/// Describes the candidates of an ambiguous name, the likeliest first: code before tests, then the
/// most used symbols.
fn rank_candidates(snapshot: &Snapshot, mut candidates: Vec<SymbolRef<'_>>) -> Vec<SymbolCandidate> {
    candidates.sort_by_cached_key(|symbol| {
        let mut uses = 0_usize;
        snapshot.for_each_in_edge(symbol.id, |edge| uses += usize::from(edge.kind.is_use()));
        let secondary = symbol.is_test || kenning_retrieval::is_secondary_path(symbol.path);
        (secondary, std::cmp::Reverse(uses), symbol.path.to_owned(), symbol.span.start)
    });
    let mut rows: Vec<Vec<SymbolRef<'_>>> = Vec::new();
    for symbol in candidates {
        let same_name = |row: &&mut Vec<SymbolRef<'_>>| row[0].qualified_name() == symbol.qualified_name();
        match rows.iter_mut().find(same_name) {
            Some(row) => row.push(symbol),
            None => rows.push(vec![symbol]),
        }
    }
    rows.iter().take(MAX_CANDIDATES).map(|row| describe_candidate(row)).collect()
}

/// Describes the symbols with one qualified name: name, kind, line, the beginning of the id that
/// selects the first one, and the signatures of all. Overloads differ only in the latter.
fn describe_candidate(row: &[SymbolRef<'_>]) -> SymbolCandidate {
    let first = &row[0];
    let (id, line) = (&first.hash.to_hex()[..SHOWN_ID_DIGITS], first.name_span.line + 1);
    let mut description = format!("{} ({}, line {line}, id {id})", first.qualified_name(), first.kind);
    let mut signatures: Vec<&str> = row.iter().map(SymbolRef::signature_text).collect();
    signatures.retain(|signature| !signature.is_empty());
    signatures.dedup();
    let more = signatures.len().saturating_sub(MAX_SIGNATURES);
    let shown: Vec<String> =
        signatures.iter().take(MAX_SIGNATURES).map(|signature| shorten_line(signature)).collect();
    if !shown.is_empty() {
        let _ = write!(description, ": {}", shown.join(" | "));
    }
    if more > 0 {
        let _ = write!(description, " | {more} more");
    }
    SymbolCandidate { id: first.hash, description }
}

#[cfg(test)]
mod tests;
