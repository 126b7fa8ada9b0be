//! Argument labels: selects the callee among callables with the same name in languages where the
//! arguments of a call have labels.
//!
//! [`match_parameters`] assigns the arguments of a call to the parameters of a callable, in order:
//! an argument goes to the next parameter with its label, and only parameters that have a default
//! or take any number of arguments can be skipped. A function literal after the list has no label.
//! [`keep_best_fits`] then keeps the callables whose parameter types fit the arguments best. If
//! several remain, callables that need no defaults win, and then callables without type parameters.

use super::definition::{Definition, LookupScope};
use super::file_context::FileContext;
use super::named_types::{parse_named_types, split_top_level};
use super::overloads::derives_from;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::facts::{BindingKind, ReferenceFact, UNKNOWN_ARITY};
use kenning_graph::{SymbolKind, SymbolRef};

/// The label of a function literal after the list of arguments.
const TRAILING_CLOSURE: &str = "{";

/// Maximum number of requirements of a protocol that are compared with the members of a type.
/// Hostile protocols have thousands.
const MAX_REQUIREMENTS: usize = 16;

/// Scores of an argument against a parameter. The score of a callable is their sum.
mod fit_score {
    /// The type has the named member.
    pub const HAS_MEMBER: u32 = 4;
    /// The same type.
    pub const SAME: u32 = 4;
    /// A supertype, or another type that a literal can have.
    pub const CONVERTIBLE: u32 = 3;
    /// A function where a function is expected.
    pub const FUNCTION: u32 = 1;
}

/// A parameter of a callable: `label:type`, followed by `=` if it has a default.
#[derive(Clone, Copy)]
pub(super) struct LabeledParameter<'t> {
    label: &'t str,
    pub ty: &'t str,
    has_default: bool,
    is_variadic: bool,
}

impl<'t> LabeledParameter<'t> {
    /// Returns the parameters in a list of parameter types.
    pub fn parse_list(params: &'t str) -> Vec<Self> {
        let parts = split_top_level(params, ',').into_iter().filter(|part| !part.is_empty());
        parts.map(Self::from_text).collect()
    }

    fn from_text(text: &'t str) -> Self {
        let (label, ty) = text.split_once(':').unwrap_or(("_", text));
        let (ty, has_default) = ty.strip_suffix('=').map_or((ty, false), |ty| (ty, true));
        let (ty, is_variadic) = ty.strip_prefix("...").map_or((ty, false), |ty| (ty, true));
        Self { label, ty, has_default, is_variadic }
    }

    const fn can_be_skipped(self) -> bool {
        self.has_default || self.is_variadic
    }
}

/// An argument of a call: its label, and its type in the notation of
/// [`ReferenceFact::arguments`].
#[derive(Clone, Copy)]
struct CallArgument<'t> {
    label: &'t str,
    ty: &'t str,
}

/// Returns the arguments of a call. Returns `None` if the text does not show all of them.
fn parse_arguments<'t>(context: &FileContext<'t>, call: &ReferenceFact) -> Option<Vec<CallArgument<'t>>> {
    let text = context.facts.strings.get(call.arguments);
    let parts = text.split(',').filter(|part| !part.is_empty());
    let arguments: Option<Vec<CallArgument>> =
        parts.map(|part| part.split_once(':').map(|(label, ty)| CallArgument { label, ty })).collect();
    arguments.filter(|all| call.arity != UNKNOWN_ARITY && all.len() == usize::from(call.arity))
}

/// Whether a callable takes the arguments of a call by their number and labels.
pub(super) fn accepts_labels<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    callable: &SymbolRef<'a>,
) -> bool {
    let Some(arguments) = parse_arguments(context, call) else { return true };
    let parameters = LabeledParameter::parse_list(callable.param_types());
    callable.arity.is_none() || match_parameters(context, &arguments, &parameters, callable).is_some()
}

/// Keeps the callables that take the arguments of a call and fit them best. Keeps all if none takes
/// them.
pub(super) fn keep_best_fits<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    targets: &mut Vec<SymbolRef<'a>>,
) {
    let Some(arguments) = parse_arguments(context, call) else { return };
    let scores: Vec<Option<CallFit>> =
        targets.iter().map(|target| score_callable(context, call, &arguments, target)).collect();
    let Some(best) = scores.iter().flatten().max().copied() else { return };
    let mut scores = scores.into_iter();
    targets.retain(|_| scores.next().flatten() == Some(best));
    drop_default_implementations(context, targets);
}

/// Drops the methods that extensions of a protocol declare for requirements of it. A call of a
/// requirement reaches the implementation of the receiver's type.
fn drop_default_implementations<'a>(context: &FileContext<'a>, targets: &mut Vec<SymbolRef<'a>>) {
    let resolver = &context.resolver;
    let is_requirement = |target: &SymbolRef<'a>| {
        let (outer, name) = split_last_segment(target.container);
        let ty = resolver.find_symbol_at(target.path, outer, name);
        ty.is_some_and(|ty| ty.kind == SymbolKind::Interface && is_inside(target, &ty))
    };
    let requirements: Vec<SymbolRef<'a>> = targets.iter().filter(|s| is_requirement(s)).copied().collect();
    let is_default = |s: &SymbolRef<'a>| {
        let has_same_head = |requirement: &SymbolRef<'a>| {
            (requirement.container, requirement.param_types()) == (s.container, s.param_types())
        };
        requirements.iter().any(has_same_head) && !requirements.iter().any(|r| r.id == s.id)
    };
    if targets.len() > 1 && !requirements.is_empty() {
        targets.retain(|s| !is_default(s));
    }
}

/// Whether a symbol is declared in the text of a type, not in an extension of it.
fn is_inside(member: &SymbolRef, ty: &SymbolRef) -> bool {
    ty.span.start <= member.name_span.start && member.name_span.start < ty.span.end
}

/// The fit of a callable to a call; the greatest is the best. If the types fit equally well, a
/// callable that needs no defaults is better, and then a callable without type parameters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CallFit {
    types: u32,
    needs_no_defaults: bool,
    is_plain: bool,
}

fn score_callable<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    arguments: &[CallArgument],
    target: &SymbolRef<'a>,
) -> Option<CallFit> {
    let parameters = LabeledParameter::parse_list(target.param_types());
    if target.arity.is_none() {
        return Some(CallFit { types: 0, needs_no_defaults: true, is_plain: true });
    }
    let matched = match_parameters(context, arguments, &parameters, target)?;
    let mut types = 0;
    for (argument, parameter) in arguments.iter().zip(&matched) {
        types += score_argument(context, call, argument.ty, parameter.ty, target)?;
    }
    let type_parameters = format!("{}<", target.name);
    Some(CallFit {
        types,
        needs_no_defaults: arguments.len() == parameters.len(),
        is_plain: !target.signature_text().contains(&type_parameters),
    })
}

/// Returns the parameter that each argument goes to. Returns `None` if the callable does not take
/// the arguments.
fn match_parameters<'p>(
    context: &FileContext,
    arguments: &[CallArgument],
    parameters: &[LabeledParameter<'p>],
    callable: &SymbolRef,
) -> Option<Vec<LabeledParameter<'p>>> {
    let mut matched = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter().peekable();
    for (at, parameter) in parameters.iter().enumerate() {
        let takes = |argument: &CallArgument| match argument.label {
            TRAILING_CLOSURE => {
                let is_needed_later = || parameters[at + 1..].iter().any(|later| !later.can_be_skipped());
                may_be_function(&context.resolver, parameter.ty, callable)
                    && !(parameter.can_be_skipped() && is_needed_later())
            }
            label => label == parameter.label,
        };
        if rest.next_if(|argument| takes(argument)).is_some() {
            matched.push(*parameter);
            while parameter.is_variadic && rest.next_if(|argument| argument.label == "_").is_some() {
                matched.push(*parameter);
            }
        } else if !parameter.can_be_skipped() {
            return None;
        }
    }
    rest.peek().is_none().then_some(matched)
}

/// Whether a parameter of this type can take a function: its type is a function, an alias, a type
/// parameter or unknown.
fn may_be_function(resolver: &Resolver, ty: &str, callable: &SymbolRef) -> bool {
    if ty.contains("->") {
        return ty.starts_with(['(', '@']);
    }
    let name = ty.trim_end_matches(['?', '!']);
    let is_builtin = resolver.family.language_builtins().names.contains(name);
    !ty.starts_with('[') && !is_builtin && declared_type(resolver, ty, callable).is_none()
}

/// Returns the type in the workspace that a parameter of a callable has. Returns `None` for aliases
/// and collections.
fn declared_type<'a>(resolver: &Resolver<'a>, ty: &str, callable: &SymbolRef) -> Option<SymbolRef<'a>> {
    let scope = LookupScope { path: callable.path, container: callable.container };
    match resolver.resolve_type_text(scope, ty).definitions.as_slice() {
        [Definition::Instance(ty)] if ty.kind != SymbolKind::TypeAlias => Some(*ty),
        _ => None,
    }
}

/// Scores an argument against the type of a parameter. Returns `None` if it cannot fit.
fn score_argument<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    argument: &str,
    parameter: &str,
    callable: &SymbolRef<'a>,
) -> Option<u32> {
    let resolver = &context.resolver;
    if argument.starts_with("=>") {
        return may_be_function(resolver, parameter, callable).then_some(fit_score::FUNCTION);
    }
    let declared = declared_type(resolver, parameter, callable);
    if let Some(member) = argument.strip_prefix('.') {
        let Some(ty) = declared else { return Some(0) };
        let members = resolver.members_of_type(&ty, member);
        let may_be_wrapper = parameter.ends_with(['?', '!']);
        if !members.is_empty() {
            return Some(fit_score::HAS_MEMBER);
        }
        return (members.has_unknown_members || may_be_wrapper).then_some(0);
    }
    let wanted = parse_named_types(parameter, resolver.family);
    let wanted = wanted.first().filter(|ty| ty.levels.is_none()).map_or("", |ty| ty.path.as_str());
    let (given, ty) = type_of_argument(context, call, argument);
    if given.is_empty() || wanted.is_empty() {
        return Some(0);
    }
    match (ty, declared) {
        (Some(ty), Some(declared)) if ty.id == declared.id => Some(fit_score::SAME),
        (Some(ty), Some(declared)) if derives_from(resolver, &ty, declared.name) => {
            Some(fit_score::CONVERTIBLE)
        }
        // An extension in any file can make a type conform to a protocol, or to be written as a
        // literal.
        (None, Some(declared)) if declared.kind == SymbolKind::Interface => {
            Some(if implements_requirements(resolver, &given, &declared) {
                fit_score::CONVERTIBLE
            } else {
                0
            })
        }
        (_, Some(declared)) if declared.kind == SymbolKind::Interface => Some(0),
        (None, Some(_)) if argument.starts_with('\'') => Some(0),
        (_, Some(_)) => None,
        (_, None) if split_last_segment(&given).1 == split_last_segment(wanted).1 => Some(fit_score::SAME),
        (None, None) if argument.starts_with('\'') => score_builtin(&given, wanted, ArgumentForm::Literal),
        (None, None) => score_builtin(&given, wanted, ArgumentForm::Expression),
        (Some(_), None) => (!is_scalar(wanted)).then_some(0),
    }
}

/// Returns the name of an argument's type, empty if it is unknown, and the type in the workspace.
fn type_of_argument<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    argument: &str,
) -> (String, Option<SymbolRef<'a>>) {
    let (scope, at) = (call.scope, call.at.start);
    if let Some(literal) = argument.strip_prefix('\'') {
        return (literal.to_owned(), None);
    }
    if argument.is_empty() || argument == "?" {
        return (String::new(), None);
    }
    let (written, found) = context.type_of_path(argument, scope, at);
    if let [Definition::Instance(ty)] = found.definitions.as_slice() {
        return (ty.name.to_owned(), Some(*ty));
    }
    // The path shows the type of a value from outside the workspace: `URL(...)`, or a name bound to
    // such a value.
    let value = match context.binding_value(argument, scope, at) {
        Some((BindingKind::Value, value)) => value,
        _ => argument,
    };
    let written = if written.is_empty() { context.type_of_path(value, scope, at).0 } else { written };
    let written = if written.is_empty() { value.strip_suffix("()").unwrap_or("") } else { &written };
    let is_type = |name: &str| context.resolver.family.language_builtins().names.contains(name);
    let named = parse_named_types(written, context.resolver.family);
    let name = named.first().filter(|ty| ty.levels.is_none() && is_type(&ty.path));
    (name.map_or_else(String::new, |ty| ty.path.clone()), None)
}

/// Whether the extensions of a type outside the workspace declare all requirements of a protocol.
fn implements_requirements<'a>(resolver: &Resolver<'a>, ty: &str, protocol: &SymbolRef<'a>) -> bool {
    let requirements = resolver.view.members_in_container(protocol.path, &protocol.display_name());
    let mut required =
        requirements.iter().filter(|member| is_inside(member, protocol)).take(MAX_REQUIREMENTS).peekable();
    required.peek().is_some()
        && required.all(|member| resolver.view.symbols_in_container(ty, member.name).iter().next().is_some())
}

/// The form of an argument. A literal can have several types.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentForm {
    Literal,
    Expression,
}

/// Scores two types outside the workspace with different names.
fn score_builtin(given: &str, wanted: &str, form: ArgumentForm) -> Option<u32> {
    let is_literal = form == ArgumentForm::Literal;
    let is_number = |name: &str| is_scalar(name) && !matches!(name, "String" | "Bool" | "Character");
    match (given, wanted) {
        ("String", "Character") | ("Array", "Set") if is_literal => Some(fit_score::CONVERTIBLE),
        ("Int" | "Double", _) if is_literal && is_number(wanted) => Some(fit_score::CONVERTIBLE),
        _ => (!(is_scalar(given) && is_scalar(wanted))).then_some(0),
    }
}

/// Whether a type outside the workspace has only numbers, truth values or texts as values.
fn is_scalar(name: &str) -> bool {
    let integer = name.strip_prefix('U').unwrap_or(name).strip_prefix("Int");
    integer.is_some_and(|bits| bits.chars().all(|c| c.is_ascii_digit()))
        || matches!(name, "Float" | "Double" | "CGFloat" | "String" | "Bool" | "Character")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_with_label_default_and_pack() {
        let describe = |p: &LabeledParameter| {
            format!("{} {} {} {}", p.label, p.ty, u8::from(p.has_default), u8::from(p.is_variadic))
        };
        let params = "_:Int,with:[String:Foo]?=,xs:...String,cb:(Int,Bool)->Void";
        let all: Vec<String> = LabeledParameter::parse_list(params).iter().map(describe).collect();
        assert_eq!(all, ["_ Int 0 0", "with [String:Foo]? 1 0", "xs String 0 1", "cb (Int,Bool)->Void 0 0"]);
        assert!(LabeledParameter::parse_list("").is_empty());
    }

    #[test]
    fn number_literals_take_any_number_type() {
        let convertible = Some(fit_score::CONVERTIBLE);
        assert_eq!(score_builtin("Int", "Double", ArgumentForm::Literal), convertible);
        assert_eq!(score_builtin("Int", "UInt8", ArgumentForm::Literal), convertible);
        assert_eq!(score_builtin("Int", "Double", ArgumentForm::Expression), None);
        assert_eq!(score_builtin("String", "Int", ArgumentForm::Literal), None);
        assert_eq!(score_builtin("String", "URL", ArgumentForm::Literal), Some(0));
        assert!(!is_scalar("Interval"));
    }
}
