//! Resolves a position in a text to the definition whose name is there, or to the definitions that
//! the name there refers to.

use kenning_graph::facts::NameSpan;
use kenning_graph::{FileFacts, FileId, Snapshot, SymbolId, SymbolKind};
use kenning_indexing::project::Project;
use kenning_indexing::resolve::resolve_site;
use kenning_retrieval::features::{SymbolAt, symbol_at};
use std::sync::Arc;

/// The symbols that a name in a text refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedName {
    /// The symbols, the likeliest first. There are several if a reference is ambiguous.
    pub symbols: Vec<SymbolId>,
    /// The position of the name in the text.
    pub name: NameSpan,
    /// Whether the name refers to the symbol rather than declaring it.
    pub is_use: bool,
}

/// Resolves the name at a byte offset of a file; `None` if no name of a symbol is there. `text` and
/// `facts` must be those of the file in the snapshot. `facts` is only called if no definition has
/// its name at that offset.
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

/// Returns the type if `id` is its constructor and the code writes the type's name (`new User()`),
/// else `id`.
fn constructed_type(snapshot: &Snapshot, id: SymbolId, name: &str) -> SymbolId {
    let constructor = snapshot.symbol(id).filter(|s| s.kind == SymbolKind::Constructor);
    let ty = constructor.and_then(|s| s.parent).and_then(|parent| snapshot.symbol(parent));
    ty.filter(|ty| ty.kind.is_type() && ty.name == name).map_or(id, |ty| ty.id)
}
