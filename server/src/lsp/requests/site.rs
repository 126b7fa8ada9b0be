//! What a position in a document means: the definition whose name is there, or what the name there stands for.

use crate::session::State;
use crate::session::lines::{Encoding, Position};
use kenning_graph::facts::NameSpan;
use kenning_graph::{FileFacts, FileId, Snapshot, SymbolId, SymbolKind};
use kenning_indexing::resolve::resolve_site;
use kenning_retrieval::features::{SymbolAt, symbol_at};

/// What a position means.
#[derive(Clone, Debug, PartialEq)]
pub struct Meant {
    /// The symbol; several where a use fits several and nothing tells which, the likeliest first.
    pub symbols: Vec<SymbolId>,
    /// The name in the document.
    pub name: NameSpan,
    /// The name uses the symbol rather than declaring it.
    pub is_use: bool,
}

/// What a position in a file of the graph means; `None` for whatever is no name of a symbol, and for documents whose text
/// is not the graph's. May read files: ask off the reactor.
pub fn meant(state: &State, path: &str, position: Position, encoding: Encoding) -> Option<Meant> {
    let (file, offset) = place(state, path, position, encoding)?;
    let snapshot = &state.snapshot;
    if let Some(SymbolAt::Name(id)) = symbol_at(snapshot, file, offset) {
        let name = snapshot.symbol(id)?.name_span;
        return Some(Meant { symbols: vec![id], name, is_use: false });
    }
    let facts = state.facts(path)?;
    let site = resolve_site(snapshot, &state.project, file, &facts, offset)?;
    let source = state.source(path)?;
    let (start, end) = (site.name.start as usize, (site.name.start + site.name.len) as usize);
    let name = source.text.get(start..end)?;
    let mut symbols: Vec<SymbolId> = Vec::new();
    for candidate in &site.candidates {
        let id = constructed(snapshot, candidate.symbol, name);
        if !symbols.contains(&id) {
            symbols.push(id);
        }
    }
    (!symbols.is_empty()).then_some(Meant { symbols, name: site.name, is_use: true })
}

/// The definition around a position of a file of the graph, where [`meant`] finds no name.
pub fn around(state: &State, path: &str, position: Position, encoding: Encoding) -> Option<SymbolId> {
    let (file, offset) = place(state, path, position, encoding)?;
    symbol_at(&state.snapshot, file, offset).map(SymbolAt::symbol)
}

/// The file of the graph and the byte in it.
fn place(state: &State, path: &str, position: Position, encoding: Encoding) -> Option<(FileId, u32)> {
    // A document whose text is not in the graph: its positions say nothing of the graph's text.
    if state.open_file(path).is_some_and(|open| !open.in_graph) {
        return None;
    }
    let file = state.snapshot.file_by_path(path)?;
    let source = state.source(path)?;
    let offset = source.lines.offset(&source.text, position, encoding)?;
    Some((file, u32::try_from(offset).ok()?))
}

/// Of a constructor that is called by the name of its type: the type.
fn constructed(snapshot: &Snapshot, id: SymbolId, name: &str) -> SymbolId {
    let constructor = snapshot.symbol(id).filter(|s| s.kind == SymbolKind::Constructor);
    let ty = constructor.and_then(|s| s.parent).and_then(|parent| snapshot.symbol(parent));
    ty.filter(|ty| ty.kind.is_type() && ty.name == name).map_or(id, |ty| ty.id)
}

/// The definition in an open document whose name is at a position, as an index into its facts: for documents that the
/// graph does not show yet.
pub fn declared(facts: &FileFacts, offset: u32) -> Option<usize> {
    let at = |name: &NameSpan| (name.start..=name.start + name.len).contains(&offset);
    facts.symbols.iter().position(|symbol| at(&symbol.name_span))
}
