//! Extension methods, which are called like members of a type that does not declare them.
//!
//! In C#, the type is that of the first parameter (`this string text`); the candidates are scored
//! against the type of the receiver. In declared families with extension functions, the container
//! of a function names the type. Members of types in the workspace are found without this module,
//! so it adds only functions that extend types outside the workspace or type parameters.

use super::file_context::FileContext;
use super::overloads;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::SymbolRef;
use kenning_graph::facts::{ReferenceFact, UNKNOWN_ARITY};

/// Maximum number of extension methods that are scored per name, for libraries with hundreds of
/// overloads of one name (`Select`, `Should`).
const MAX_EXTENSIONS: usize = 64;

/// The extension methods that a call can reach.
#[derive(Default)]
pub(super) struct ExtensionCandidates<'a> {
    pub methods: Vec<SymbolRef<'a>>,
    /// Whether the type of the receiver is known and fits the methods.
    pub is_receiver_confirmed: bool,
}

/// Returns the extension methods that a call with a receiver can reach.
pub(super) fn extension_candidates<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
) -> ExtensionCandidates<'a> {
    let receiver = context.facts.strings.get(call.receiver);
    if context.resolver.family.declares(|rules| rules.extension_functions) && !receiver.is_empty() {
        return ExtensionCandidates { methods: foreign_extensions(context, call), ..Default::default() };
    }
    if !context.resolver.family.has_extension_methods() || receiver.is_empty() {
        return ExtensionCandidates::default();
    }
    let methods = context.resolver.view.extension_methods(context.facts.strings.get(call.name));
    let mut scored: Vec<(u32, SymbolRef<'a>)> = methods
        .iter()
        .filter(|s| context.resolver.is_visible(s) && accepts_argument_count(s, call.arity))
        .take(MAX_EXTENSIONS)
        .filter_map(|s| Some((overloads::score_receiver(context, call, &s)?, s)))
        .collect();
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
    scored.retain(|(score, _)| *score == best);
    let mut methods: Vec<SymbolRef<'a>> = scored.into_iter().map(|(_, s)| s).collect();
    overloads::keep_best_overloads(context, call, &mut methods);
    ExtensionCandidates { methods, is_receiver_confirmed: best > 0 }
}

/// Returns the functions with the name of a call that extend types outside the workspace, or type
/// parameters.
fn foreign_extensions<'a>(context: &FileContext<'a>, call: &ReferenceFact) -> Vec<SymbolRef<'a>> {
    let resolver = &context.resolver;
    let is_foreign = |method: &SymbolRef<'a>| {
        let (outer, receiver) = split_last_segment(method.container);
        let is_type = || resolver.view.symbols_named(receiver).iter().any(|s| s.kind.is_type());
        !receiver.is_empty() && resolver.find_symbol_at(method.path, outer, receiver).is_none() && !is_type()
    };
    let accepts = |method: &SymbolRef| {
        call.arity == UNKNOWN_ARITY
            || overloads::is_variadic(method.param_types())
            || method.arity.is_none_or(|arity| call.arity <= arity)
    };
    let named = resolver.view.symbols_named(context.facts.strings.get(call.name));
    let methods = named.iter().take(MAX_EXTENSIONS).filter(|s| s.kind.is_callable()).copied();
    let mut methods: Vec<SymbolRef> =
        methods.filter(|s| resolver.is_visible(s) && accepts(s) && is_foreign(s)).collect();
    let is_imported = |method: &SymbolRef<'a>| {
        let package = resolver.package_of_file(method.path);
        let is_of_package = |path: &str| {
            path.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let imports = &context.facts.imports;
        imports.iter().any(|import| import.name == method.name && is_of_package(&import.path))
    };
    if methods.iter().any(is_imported) {
        methods.retain(is_imported);
    }
    resolver.keep_nearest_variant(&mut methods);
    methods
}

/// Whether an extension method accepts this number of arguments after its receiver.
fn accepts_argument_count(method: &SymbolRef, count: u8) -> bool {
    let Some(arity) = method.arity.filter(|_| count != UNKNOWN_ARITY) else { return true };
    let (count, arity) = (usize::from(count) + 1, usize::from(arity));
    (count <= arity && count >= overloads::required_count(method.param_types()))
        || (overloads::is_variadic(method.param_types()) && count + 1 >= arity)
}
