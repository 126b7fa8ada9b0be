//! TypeScript and JavaScript: the value of `this` and its members.
//!
//! `this` depends on the members around the code, and on whether they are static. Code in a static
//! member is marked by a suffix of its container.

use super::super::super::definition::{Definition, LookupScope, Resolution};
use super::super::super::resolver::Resolver;
use super::super::super::static_members::Staticness;
use super::super::super::tracked_snapshot::split_last_segment;
use super::is_member_symbol;
use kenning_graph::{SymbolKind, SymbolRef};

/// Suffix of the container of code in a static member. Without it, a static and an instance member
/// with the same name would have the same container.
const STATIC_SUFFIX: &str = ".<static>";

/// Returns the value of `this` in a scope: an instance of the enclosing class, the class itself, or
/// the object or function that has the enclosing member. `staticness` is known if the scope is in
/// the file that is being resolved.
pub(in super::super::super) fn resolve_this<'a>(
    resolver: &Resolver<'a>,
    scope: LookupScope,
    staticness: Option<Staticness>,
) -> Resolution<'a> {
    let inside_static = scope.container.strip_suffix(STATIC_SUFFIX);
    let known_staticness = if inside_static.is_some() { Some(Staticness::Static) } else { staticness };
    let mut container = inside_static.unwrap_or(scope.container);
    let mut in_method = false;
    let mut staticness = known_staticness.unwrap_or(Staticness::Instance);
    while !container.is_empty() {
        let (outer, simple) = split_last_segment(container);
        if let Some(symbol) = resolver.find_symbol_at(scope.path, outer, simple) {
            let is_capitalized = simple.starts_with(char::is_uppercase);
            match symbol.kind {
                kind if kind.is_type() && kind != SymbolKind::Module => {
                    return this_of_type(symbol, staticness);
                }
                SymbolKind::Function if in_method || is_capitalized => {
                    return this_of_type(symbol, staticness);
                }
                SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field if in_method => {
                    return Resolution::from_definitions(vec![Definition::This(symbol)]);
                }
                SymbolKind::Method | SymbolKind::Property | SymbolKind::Field => {
                    in_method = symbol.kind != SymbolKind::Field && !is_arrow_function(resolver, &symbol);
                    staticness = known_staticness
                        .unwrap_or_else(|| common_staticness(resolver, scope.path, outer, simple));
                }
                _ => {}
            }
        }
        container = outer;
    }
    Resolution::bound_to_unknown()
}

/// Returns `this` for a class, or for a function that is used as one.
fn this_of_type(ty: SymbolRef<'_>, staticness: Staticness) -> Resolution<'_> {
    Resolution::from_definitions(vec![match staticness {
        Staticness::Static => Definition::Symbol(ty),
        Staticness::Instance => Definition::Instance(ty),
    }])
}

/// Whether a member of an object is an arrow function, according to its signature. An arrow
/// function has the `this` of the code around the object. Returns `false` for members of other
/// files, because resolution may not read their signatures.
fn is_arrow_function(resolver: &Resolver, member: &SymbolRef) -> bool {
    let signature = if member.path == resolver.path { member.signature_text() } else { "" };
    let Some(at) = signature.find(['(', '<', ':']) else { return false };
    let Some(value) = signature[at..].strip_prefix(':') else { return false };
    let value = value.trim_start();
    !value.strip_prefix("async").unwrap_or(value).trim_start().starts_with("function")
}

/// Returns the staticness of the members with a name: static only if all of them are. If a static
/// and an instance member share the name, the container of code in the static member has
/// `STATIC_SUFFIX`.
fn common_staticness(resolver: &Resolver, path: &str, container: &str, name: &str) -> Staticness {
    let same_name = resolver.view.symbols_in_scope(path, container, name);
    let is_static = |s: &SymbolRef| Staticness::from_signature(s.signature_text()) == Staticness::Static;
    if same_name.iter().all(is_static) { Staticness::Static } else { Staticness::Instance }
}

/// Returns the container of the code in the body of a symbol.
pub(in super::super::super) fn body_container(symbol: &SymbolRef) -> String {
    let mut inside = symbol.display_name();
    if is_member_symbol(symbol) && Staticness::from_signature(symbol.signature_text()) == Staticness::Static {
        inside.push_str(STATIC_SUFFIX);
    }
    inside
}

/// Removes the suffix for static members from a container.
pub(super) fn strip_static_marker(container: &str) -> &str {
    container.strip_suffix(STATIC_SUFFIX).unwrap_or(container)
}

/// Returns the scope that the names in the type of a symbol refer to. For a type that is inferred
/// from a body, the scope is `inside`, the container of the body.
pub(in super::super::super) fn type_scope<'s>(symbol: &SymbolRef<'s>, inside: &'s str) -> LookupScope<'s> {
    let inferred = symbol.type_text().starts_with(['=', '{']) || symbol.type_text().contains("|=");
    LookupScope { path: symbol.path, container: if inferred { inside } else { symbol.container } }
}

/// Resolves a member of `this` in the methods of an object: first in the object itself, then in the
/// class or object around it, including the nested objects that frameworks join (the `methods` and
/// `computed` values of a component). Marks members from around the object as likely only. Skips
/// the object itself if its keys name members of other objects.
pub(in super::super::super) fn resolve_this_member<'a>(
    resolver: &Resolver<'a>,
    object: &SymbolRef<'a>,
    name: &str,
) -> Resolution<'a> {
    let (outer, simple) = split_last_segment(object.container);
    let class = resolver.find_symbol_at(object.path, outer, simple).filter(|owner| owner.kind.is_type());
    let is_nested = object.kind == SymbolKind::Field && class.is_none();
    if !(is_nested && resolver.family.language_builtins().externally_declared_keys.contains(object.name)) {
        let members =
            resolver.resolve_member(&Resolution::from_definitions(vec![Definition::Symbol(*object)]), name);
        if !members.is_empty() {
            return members;
        }
    }
    let mut outer_members = match class {
        Some(ty) => (*resolver.members_with_staticness(
            &ty,
            name,
            Staticness::from_signature(object.signature_text()),
        ))
        .clone(),
        None => find_joined_members(resolver, object, name),
    };
    outer_members.is_likely = !outer_members.is_empty();
    outer_members
}

/// Returns the members with this name of an object and of its nested objects that frameworks join.
/// For a nested object, starts from the object around it.
fn find_joined_members<'a>(resolver: &Resolver<'a>, object: &SymbolRef<'a>, name: &str) -> Resolution<'a> {
    let whole =
        if object.kind == SymbolKind::Field { object.container.to_owned() } else { object.display_name() };
    let is_joined = |member: &SymbolRef| {
        let (outer, simple) = split_last_segment(member.container);
        let object = resolver.find_symbol_at(member.path, outer, simple);
        resolver.family.language_builtins().merged_properties.contains(simple)
            && object.is_some_and(|object| object.kind == SymbolKind::Field)
    };
    let mut members = resolver.view.symbols_in_scope(object.path, &whole, name);
    members
        .extend(resolver.view.symbols_below_scope(object.path, &whole, name).into_iter().filter(is_joined));
    members.retain(is_member_symbol);
    resolver.resolution_of_symbols(members)
}
