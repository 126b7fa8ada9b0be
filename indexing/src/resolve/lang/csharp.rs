//! C#: namespaces, `using` directives, and types that a global `using` of another file imports.

use super::super::definition::{Definition, LookupScope, ModuleRef, Resolution};
use super::super::resolver::{ImportTarget, Resolver};
use super::super::tracked_snapshot::split_last_segment;
use super::java;
use kenning_graph::facts::ImportFact;
use kenning_graph::{SymbolKind, SymbolRef};

/// Returns the target of an import. An alias can name a namespace (`using M = Acme.Model`), even
/// one whose outer namespace declares nothing.
pub(super) fn import_target<'a>(resolver: &Resolver<'a>, import: &ImportFact) -> ImportTarget<'a> {
    let (outer, name) = (import.path.as_str(), import.name.as_str());
    let is_namespace = |name: &str| !resolver.view.files_of_package(name).is_empty();
    match (import.alias.is_empty(), outer.is_empty()) {
        (false, true) if is_namespace(name) => {
            ImportTarget::Types(vec![Definition::Module(ModuleRef::Package(name.to_owned()))])
        }
        (false, false) if is_namespace(&format!("{outer}.{name}")) => {
            ImportTarget::Modules(vec![ModuleRef::Package(outer.to_owned())])
        }
        _ => java::import_target(resolver, import),
    }
}

/// Looks up a name in the namespace of the file and the namespaces around it, innermost first.
pub(super) fn resolve_unimported_name<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    name: &str,
) -> Resolution<'a> {
    let mut namespace = resolver.package_of_file(scope.path);
    while !namespace.is_empty() {
        let found = resolver.resolve_export(&ModuleRef::Package(namespace.to_owned()), name);
        if !found.is_empty() {
            return (*found).clone();
        }
        namespace = split_last_segment(namespace).0;
    }
    Resolution::not_found()
}

/// Returns the containers that a top-level symbol of a namespace can have: none if the namespace
/// applies to the whole file; the namespace or its trailing segments if it is a block.
pub(in super::super) fn top_containers(namespace: &str) -> impl Iterator<Item = &str> {
    let inner = namespace.match_indices('.').map(|(dot, _)| &namespace[dot + 1..]);
    let block_containers = std::iter::once(namespace).chain(inner);
    std::iter::once("").chain(block_containers.filter(|container| !container.is_empty()))
}

/// Whether a symbol is an extension method: calls can treat it as a member of its first parameter.
pub(in super::super) fn is_extension_method(symbol: &SymbolRef) -> bool {
    symbol.kind == SymbolKind::Method && has_receiver_parameter(symbol)
}

/// Whether the first parameter of a callable is the receiver of its calls (`this string text`).
pub(in super::super) fn has_receiver_parameter(symbol: &SymbolRef) -> bool {
    symbol.param_types().starts_with("this ")
}

/// Resolves a type that no `using` of the file imports; a global `using` may import it. Returns the
/// type with this name if there is only one.
pub(super) fn resolve_type_fallback<'a>(resolver: &Resolver<'a>, path: &str) -> Resolution<'a> {
    let (_, name) = split_last_segment(path);
    let symbols = resolver.view.symbols_named(name);
    let mut parts: Vec<SymbolRef<'a>> = Vec::new();
    for part in symbols.iter().filter(|s| s.kind.is_type() && resolver.is_top_level(s)) {
        let is_part = |first: &SymbolRef<'a>| {
            first.container == part.container
                && resolver.package_of_file(first.path) == resolver.package_of_file(part.path)
        };
        if !parts.first().is_none_or(is_part) {
            return Resolution::not_found();
        }
        parts.push(*part);
    }
    resolver.resolution_of_symbols(parts)
}
