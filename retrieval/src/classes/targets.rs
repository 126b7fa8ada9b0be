//! Resolves the targets of a class to symbols.
//!
//! A target is a name, a member of a named type (`Type.member`), or the path of a file.
//! [`resolve_targets`] returns the symbols with that name in the class's language, each with its
//! share of the class's score. It ignores names that are generic or have too many definitions, and
//! definitions in tests if there are others, unless the task is about tests. A member may be
//! inherited, and a module counts as the owner of its functions.

use super::{Class, Layer, TargetType, language_family};
use crate::channels::is_result_kind;
use crate::config::EquivalenceClassConfig;
use crate::path_role::is_secondary;
use crate::query::vocabulary::VOCABULARY;
use kenning_graph::analysis::word_parts;
use kenning_graph::{EdgeKind, Snapshot, SymbolId, SymbolKind, SymbolRef};
use rustc_hash::FxHashSet;

/// Maximum number of definitions visited per name. A more common name, such as `init` or `run`, is
/// not searched on its own, but may still be a member of a named type.
const MAX_DEFINITIONS_VISITED: usize = 2_000;

/// Maximum number of definitions visited for the name of a member of a named type. Names such as
/// `get` have tens of thousands of definitions.
const MAX_MEMBERS_VISITED: usize = 20_000;

/// Maximum number of bases of a type that are searched for a member. Generated types can have
/// hundreds.
const MAX_BASES: usize = 64;

/// Maximum number of steps from a type up to its bases. Broken code can have cycles of bases.
const MAX_DEPTH: usize = 6;

/// Minimum length of a name that is searched on its own, in characters.
const MIN_CHARS: usize = 4;

/// Returns the symbols that a class names, in the order of its targets, each with its share of the
/// class's score. The more definitions a name has, the smaller the share of each.
pub(crate) fn resolve_targets(
    snapshot: &Snapshot,
    class: &Class,
    config: &EquivalenceClassConfig,
    is_about_tests: bool,
) -> Vec<(SymbolId, f64)> {
    let mut seen = FxHashSet::default();
    let mut resolved = Vec::new();
    for target in &class.targets {
        if class.target_type == TargetType::File {
            let declared = symbols_of_file(snapshot, target);
            let share = (declared.len().max(1) as f64).powf(-config.definitions_exponent);
            resolved.extend(declared.into_iter().filter(|id| seen.insert(*id)).map(|id| (id, share)));
            continue;
        }
        if is_generic_name(target) {
            continue;
        }
        let mut found = find_definitions(snapshot, class, target);
        if !is_about_tests && found.iter().any(|symbol| !is_secondary(symbol)) {
            found.retain(|symbol| !is_secondary(symbol));
        }
        // Overloads are one definition.
        let distinct: FxHashSet<(&str, &str)> =
            found.iter().map(|symbol| (symbol.path, symbol.container)).collect();
        if distinct.len() > config.max_definitions {
            continue;
        }
        let share = (distinct.len().max(1) as f64).powf(-config.definitions_exponent);
        resolved.extend(found.iter().filter(|s| seen.insert(s.id)).map(|s| (s.id, share)));
    }
    resolved
}

/// Returns the symbols that a file declares at its top level, or at the top level of its modules.
fn symbols_of_file(snapshot: &Snapshot, path: &str) -> Vec<SymbolId> {
    let Some(file) = snapshot.file_by_path(path) else { return Vec::new() };
    let is_module = |id: SymbolId| {
        snapshot.symbol(id).is_some_and(|s| matches!(s.kind, SymbolKind::File | SymbolKind::Module))
    };
    let symbols = snapshot.file_symbols(file).into_iter().filter_map(|id| snapshot.symbol(id));
    symbols
        .filter(|symbol| is_result_kind(symbol.kind) && symbol.kind != SymbolKind::Module)
        .filter(|symbol| symbol.parent.is_none_or(is_module))
        .map(|symbol| symbol.id)
        .collect()
}

/// Whether a snapshot defines a target of a class, regardless of the number of definitions. A name
/// that is too generic to be searched counts as undefined.
pub fn is_target_defined(snapshot: &Snapshot, class: &Class, target: &str) -> bool {
    !is_generic_name(target) && !find_definitions(snapshot, class, target).is_empty()
}

/// Whether a name is so generic that most code bases define it many times. A member of a named type
/// is never generic.
fn is_generic_name(target: &str) -> bool {
    !target.contains('.')
        && (target.chars().nth(MIN_CHARS - 1).is_none()
            || VOCABULARY.generic_targets.contains(&target.to_lowercase()))
}

fn find_definitions<'a>(snapshot: &'a Snapshot, class: &Class, target: &str) -> Vec<SymbolRef<'a>> {
    match target.rsplit_once('.') {
        None => find_symbols(snapshot, class, target, MAX_DEFINITIONS_VISITED),
        Some((owner, member)) => {
            find_members(snapshot, class, owner.rsplit('.').next().unwrap_or(owner), member)
        }
    }
}

/// Returns the symbols with a simple name in the class's language. Empty if there are more than
/// `limit`.
fn find_symbols<'a>(snapshot: &'a Snapshot, class: &Class, name: &str, limit: usize) -> Vec<SymbolRef<'a>> {
    let mut found = Vec::new();
    for spelling in possible_spellings(name, class.layer) {
        let ids = snapshot.symbols_by_folded_name(&spelling);
        if ids.len() + found.len() > limit {
            return Vec::new();
        }
        let symbols = ids.into_iter().filter_map(|id| snapshot.symbol(id));
        found.extend(
            symbols.filter(|symbol| is_result_kind(symbol.kind) && is_in_class_language(symbol, class)),
        );
    }
    found
}

fn is_in_class_language(symbol: &SymbolRef<'_>, class: &Class) -> bool {
    class
        .language
        .as_ref()
        .is_none_or(|language| language_family(symbol.language) == language_family(language))
}

/// Returns the possible spellings of a name in lower case. A name of a framework has one spelling;
/// a name of a universal or language class has the spellings of all languages: `HandleError` is
/// also `handle_error`.
fn possible_spellings(name: &str, layer: Layer) -> Vec<String> {
    let mut spellings = vec![name.to_lowercase()];
    if matches!(layer, Layer::Universal | Layer::Language) {
        let words: Vec<String> = word_parts(name).map(str::to_lowercase).collect();
        spellings.extend([words.concat(), words.join("_")]);
        spellings.sort_unstable();
        spellings.dedup();
    }
    spellings
}

/// Returns the members of a type with this name. If the type has none, returns the members of its
/// nearest bases. If no base has one, returns the functions of a module with the type's name.
fn find_members<'a>(snapshot: &'a Snapshot, class: &Class, owner: &str, member: &str) -> Vec<SymbolRef<'a>> {
    let all = find_symbols(snapshot, class, member, MAX_MEMBERS_VISITED);
    let mut owners: Vec<String> = possible_spellings(owner, class.layer);
    let mut types: Vec<SymbolId> = find_symbols(snapshot, class, owner, MAX_DEFINITIONS_VISITED)
        .iter()
        .filter(|symbol| symbol.kind.is_type())
        .map(|s| s.id)
        .collect();
    let mut seen: FxHashSet<SymbolId> = types.iter().copied().collect();
    for _ in 0..MAX_DEPTH {
        let is_member = |symbol: &&SymbolRef<'_>| {
            let container = symbol.container.rsplit('.').next().unwrap_or(symbol.container).to_lowercase();
            !container.is_empty() && owners.contains(&container)
        };
        let found: Vec<SymbolRef<'_>> = all.iter().filter(is_member).copied().collect();
        if !found.is_empty() {
            return found;
        }
        types = base_types(snapshot, &types, &mut seen);
        let names = types.iter().filter_map(|&id| snapshot.symbol(id)).map(|s| s.name.to_lowercase());
        owners = names.collect();
        if owners.is_empty() {
            break;
        }
    }
    let module_names = possible_spellings(owner, class.layer);
    all.into_iter()
        .filter(|symbol| symbol.container.is_empty() && module_names.contains(&module_name(symbol.path)))
        .collect()
}

/// Returns the types that these types extend or implement and that are not in `seen` yet.
fn base_types(snapshot: &Snapshot, types: &[SymbolId], seen: &mut FxHashSet<SymbolId>) -> Vec<SymbolId> {
    let mut found = Vec::new();
    for &id in types {
        for edge in snapshot.out_edges(id) {
            let leads_up = matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements);
            if leads_up && seen.len() < MAX_BASES && seen.insert(edge.target) {
                found.push(edge.target);
            }
        }
    }
    found
}

/// Returns the name of the module in a file: the file's stem, or the folder's name for a stem such
/// as `mod` or `index`.
fn module_name(path: &str) -> String {
    let (folder, file) = kenning_graph::paths::split_folder(path);
    let stem = file.split('.').next().unwrap_or(file);
    let stem = match stem {
        "mod" | "lib" | "index" | "__init__" => {
            folder.rsplit('/').find(|part| *part != "src").unwrap_or(stem)
        }
        stem => stem,
    };
    stem.to_lowercase()
}
