//! What a place in a text means: the definition whose name is there, or what the name there stands for.

use kenning_graph::facts::NameSpan;
use kenning_graph::{FileFacts, FileId, Snapshot, SymbolId, SymbolKind};
use kenning_indexing::project::Project;
use kenning_indexing::resolve::resolve_site;
use kenning_retrieval::features::{SymbolAt, symbol_at};
use std::sync::Arc;

/// What a place means.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedName {
    /// The symbols; several where a use fits several and nothing tells which, the likeliest first.
    pub symbols: Vec<SymbolId>,
    /// The name in the text.
    pub name: NameSpan,
    /// The name uses the symbol rather than declaring it.
    pub is_use: bool,
}

/// What a byte of a file means; `None` for whatever is no name of a symbol. `text` and `facts` must be those that the
/// snapshot was given for the file; the facts are asked for where no definition has its name there.
pub fn resolve_name_at(
    snapshot: &Snapshot,
    project: &Project,
    file: FileId,
    offset: u32,
    text: &str,
    facts: impl FnOnce() -> Option<Arc<FileFacts>>,
) -> Option<ResolvedName> {
    if let Some(SymbolAt::Name(id)) = symbol_at(snapshot, file, offset) {
        let name = snapshot.symbol(id)?.name_span;
        return Some(ResolvedName { symbols: vec![id], name, is_use: false });
    }
    let site = resolve_site(snapshot, project, file, &*facts()?, offset)?;
    let (start, end) = (site.name.start as usize, (site.name.start + site.name.len) as usize);
    let name = text.get(start..end)?;
    let mut symbols: Vec<SymbolId> = Vec::new();
    for candidate in &site.candidates {
        let id = constructed_type(snapshot, candidate.symbol, name);
        if !symbols.contains(&id) {
            symbols.push(id);
        }
    }
    (!symbols.is_empty()).then_some(ResolvedName { symbols, name: site.name, is_use: true })
}

/// Of a constructor that is called by the name of its type: the type.
fn constructed_type(snapshot: &Snapshot, id: SymbolId, name: &str) -> SymbolId {
    let constructor = snapshot.symbol(id).filter(|s| s.kind == SymbolKind::Constructor);
    let ty = constructor.and_then(|s| s.parent).and_then(|parent| snapshot.symbol(parent));
    ty.filter(|ty| ty.kind.is_type() && ty.name == name).map_or(id, |ty| ty.id)
}
