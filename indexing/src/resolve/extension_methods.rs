//! C#: extension methods, which are called like members of the type of their first parameter.

use super::family::LanguageFamily;
use super::file_context::FileContext;
use super::overloads;
use kenning_graph::SymbolRef;
use kenning_graph::facts::ReferenceFact;

/// Maximum number of extension methods that are scored per name.
const MAX_EXTENSIONS: usize = 64;

/// Returns the extension methods that a call with a receiver can reach, and whether the receiver's
/// type confirms them.
pub(super) fn extension_candidates<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
) -> (Vec<SymbolRef<'a>>, bool) {
    let receiver = context.facts.strings.get(call.receiver);
    if context.resolver.family != LanguageFamily::CSharp || receiver.is_empty() {
        return (Vec::new(), false);
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
    let mut found: Vec<SymbolRef<'a>> = scored.into_iter().map(|(_, s)| s).collect();
    overloads::keep_best_overloads(context, call, &mut found);
    (found, best > 0)
}

/// Whether an extension method accepts this number of arguments behind its receiver.
fn accepts_argument_count(method: &SymbolRef, count: u8) -> bool {
    let Some(arity) = method.arity else { return true };
    let (count, arity) = (usize::from(count) + 1, usize::from(arity));
    count == 256
        || (count <= arity && count >= overloads::required_count(method.param_types()))
        || (overloads::is_variadic(method.param_types()) && count + 1 >= arity)
}
