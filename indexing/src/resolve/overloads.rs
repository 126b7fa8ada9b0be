//! Overload selection: keeps the callables with the same name that a call can reach, by the number
//! and types of its arguments.
//!
//! `classify_argument` reads each argument from the text (`CallArgument`), and `score_argument`
//! scores it against the parameter at its position (`fit_score`). The overloads with the highest
//! sum remain. An unknown argument fits every parameter and scores 0.

use super::definition::Definition;
use super::file_context::FileContext;
use super::lang;
use super::named_types::split_top_level;
use super::resolver::Resolver;
use super::tracked_snapshot::split_last_segment;
use kenning_graph::facts::ReferenceFact;
use kenning_graph::{SymbolKind, SymbolRef};
use std::borrow::Cow;

/// Maximum number of supertypes of an argument that are visited. Generated types can have more.
const MAX_SUPERTYPES: usize = 40;

/// Maximum number of steps from an argument's type up to a supertype. Each step lowers the score by
/// one, and the score of the most distant supertype must stay positive.
const MAX_SUPERTYPE_STEPS: u32 = 10;

/// Scores of an argument against a parameter. The score of an overload is their sum.
mod fit_score {
    /// The same type.
    pub const SAME: u32 = 30;
    /// A wider number type; one less for each step.
    pub const WIDER: u32 = 29;
    /// A supertype; one less for each step up.
    pub const SUPERTYPE: u32 = 20;
    /// A primitive and its boxed type.
    pub const BOXED: u32 = 12;
    /// A parameter that takes anything: `Object`, a type parameter.
    pub const ANYTHING: u32 = 5;
}

/// An argument of a call, as read from its text.
enum CallArgument<'a> {
    /// An expression of unknown type.
    Unknown,
    /// `null`.
    Null,
    /// A function literal or a named function, with its number of parameters if known.
    Function(Option<usize>),
    /// A member of a type outside the workspace, usually a value of that type: `TimeSpan.Zero`.
    Member(String),
    /// An expression of a known type, with the workspace type that the type names, if any.
    Typed(ArgumentType, Option<Box<SymbolRef<'a>>>),
}

/// The type of an argument.
struct ArgumentType {
    /// Simple name of the type.
    name: String,
    /// Number of `[]` after the name.
    arrays: usize,
}

impl ArgumentType {
    fn from_type_text(text: &str) -> Self {
        let ParameterType { name, arrays, .. } = ParameterType::from_type_text(text);
        Self { name: name.to_owned(), arrays }
    }
}

/// Keeps the callables that fit the arguments of a call best. Keeps all if none fits.
pub(super) fn keep_best_overloads<'a>(
    context: &FileContext<'a>,
    reference: &ReferenceFact,
    targets: &mut Vec<SymbolRef<'a>>,
) {
    let text = context.facts.strings.get(reference.arguments);
    if context.resolver.family.declares(|rules| rules.optional_parameters) {
        return keep_best_literals(text, targets);
    }
    if targets.len() < 2 || text.is_empty() || !context.resolver.family.has_overloads() {
        return;
    }
    let arguments: Vec<CallArgument> =
        text.split(',').map(|text| classify_argument(context, text, reference)).collect();
    let count = usize::from(reference.arity);
    let scores: Vec<Option<OverloadScore>> =
        targets.iter().map(|target| score_overload(&context.resolver, &arguments, target, count)).collect();
    let Some(best) = scores.iter().flatten().max().copied() else { return };
    let mut scores = scores.into_iter();
    targets.retain(|_| scores.next().flatten() == Some(best));
}

/// Keeps the callables with the most parameters whose types take the literal at their position: a
/// string goes to `std::string_view` rather than to `Locale`. Does not compare the other arguments.
fn keep_best_literals(arguments: &str, targets: &mut Vec<SymbolRef>) {
    if targets.len() < 2 || !arguments.contains('\'') {
        return;
    }
    let literals: Vec<Option<&str>> = arguments.split(',').map(|text| text.strip_prefix('\'')).collect();
    let count_fitting = |target: &SymbolRef| {
        let params = split_top_level(target.param_types(), ',');
        let pairs = params.iter().zip(&literals);
        pairs.filter(|(param, literal)| literal.is_some_and(|literal| takes_literal(param, literal))).count()
    };
    let counts: Vec<usize> = targets.iter().map(count_fitting).collect();
    let best = counts.iter().max().copied().unwrap_or_default();
    let mut counts = counts.into_iter();
    targets.retain(|_| counts.next() == Some(best));
}

/// Whether a parameter's type takes a kind of literal (`string`, `char`, `number`), by the name of
/// the type.
fn takes_literal(param: &str, literal: &str) -> bool {
    let name = param.to_ascii_lowercase();
    match literal {
        "string" => name.contains("string") || name.contains("char"),
        "char" => name.contains("char") && !name.contains('*'),
        "number" => {
            let number_types = ["int", "long", "short", "unsigned", "float", "double", "size_t"];
            !name.contains('*') && number_types.iter().any(|number| name.contains(number))
        }
        _ => name.contains(literal),
    }
}

/// C#: scores the receiver of a call against the first parameter of an extension method. Returns
/// `None` if it does not fit.
pub(super) fn score_receiver<'a>(
    context: &FileContext<'a>,
    call: &ReferenceFact,
    method: &SymbolRef<'a>,
) -> Option<u32> {
    let first = split_top_level(method.param_types(), ',').first().copied()?.strip_prefix("this ")?;
    let receiver = classify_argument(context, context.facts.strings.get(call.receiver), call);
    score_argument(&context.resolver, &receiver, &ParameterType::from_parameter(first, false))
}

/// Whether the last parameter takes any number of arguments.
pub(super) fn is_variadic(params: &str) -> bool {
    params.contains("...")
}

/// Returns the number of parameters without a default. A `=` at the end of a type marks a default.
pub(super) fn required_count(params: &str) -> usize {
    split_top_level(params, ',').iter().filter(|param| !param.is_empty() && !param.ends_with('=')).count()
}

/// Returns the number of parameters that need exactly one argument: parameters without a default
/// that are not packs. A pack among the arguments of a type (`format_string<T...>`) is not a
/// parameter pack.
pub(super) fn count_before_pack(params: &str) -> usize {
    let is_pack = |param: &str| {
        let (start, end) = (param.split('<').next(), param.rsplit('>').next());
        start.into_iter().chain(end).any(|text| text.contains("..."))
    };
    let needs_argument = |param: &&&str| !param.is_empty() && !param.ends_with('=') && !is_pack(param);
    split_top_level(params, ',').iter().filter(needs_argument).count()
}

/// The result of comparing the parameters of two callables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ParameterMatch {
    /// The types are the same.
    Same,
    /// The type names differ, but may denote the same type.
    Possible,
    /// The types differ.
    Different,
}

/// Compares two parameter lists by the simple names of their types.
pub(super) fn compare_parameters(resolver: &Resolver, a: &str, b: &str) -> ParameterMatch {
    if a == b {
        return ParameterMatch::Same;
    }
    let (a, b) = (split_top_level(a, ','), split_top_level(b, ','));
    if a.len() != b.len() {
        return ParameterMatch::Different;
    }
    let mut result = ParameterMatch::Same;
    for (a, b) in a.into_iter().zip(b) {
        let ((a, depth), (b, other_depth)) = (split_array_depth(a), split_array_depth(b));
        if (a, depth) == (b, other_depth) {
            continue;
        }
        // A type parameter can be any type. An unknown name may be a type parameter or an alias.
        if is_concrete_type(resolver, a) && is_concrete_type(resolver, b) {
            return ParameterMatch::Different;
        }
        result = ParameterMatch::Possible;
    }
    result
}

/// Returns the simple name of a parameter's type and its array depth. `T...` counts as `T[]`,
/// because one can override the other.
fn split_array_depth(text: &str) -> (&str, usize) {
    let param = ParameterType::from_parameter(text, false);
    let variadic = text.contains("...") && !text.ends_with("[]");
    (param.name, param.arrays + usize::from(variadic))
}

/// Whether a name denotes a known type rather than a type parameter.
fn is_concrete_type(resolver: &Resolver, name: &str) -> bool {
    let builtins = resolver.family.language_builtins();
    let is_type = || resolver.view.symbols_named(name).iter().any(|s| s.kind.is_type());
    is_primitive(name)
        || builtins.names.contains(name)
        || builtins.collections.contains(name)
        || builtins.supertypes.contains_key(name)
        || (!is_type_parameter(name) && is_type())
}

/// Reads one argument in the notation of [`ReferenceFact::arguments`].
fn classify_argument<'a>(context: &FileContext<'a>, text: &str, call: &ReferenceFact) -> CallArgument<'a> {
    if let Some(literal) = text.strip_prefix('\'') {
        return match literal {
            "null" => CallArgument::Null,
            _ => CallArgument::Typed(ArgumentType::from_type_text(literal), None),
        };
    }
    if let Some(count) = text.strip_prefix("=>") {
        return CallArgument::Function(count.parse().ok());
    }
    let (scope, at) = (call.scope, call.at.start);
    let (written, found) = match text.strip_prefix(':') {
        Some(ty) => (Cow::Borrowed(ty), context.resolver.resolve_type_text(context.lookup_scope(scope), ty)),
        None => {
            let (written, found) = context.type_of_path(text, scope, at);
            (Cow::Owned(written), found)
        }
    };
    if let [Definition::Symbol(function)] = found.definitions.as_slice()
        && function.kind.is_callable()
    {
        return CallArgument::Function(function.arity.map(usize::from));
    }
    let mut types = found.definitions.iter().filter_map(|definition| match definition {
        Definition::Instance(s) if s.kind.is_type() => Some(*s),
        _ => None,
    });
    let ty = types.next().filter(|_| types.next().is_none());
    match (written.is_empty(), ty) {
        (true, None) => match text.split_once('.') {
            Some((ty, member))
                if starts_uppercase(ty) && starts_uppercase(member) && !member.contains(['.', '(', '[']) =>
            {
                CallArgument::Member(ty.to_owned())
            }
            _ => CallArgument::Unknown,
        },
        (true, Some(ty)) => CallArgument::Typed(ArgumentType::from_type_text(ty.name), Some(Box::new(ty))),
        (false, ty) => CallArgument::Typed(ArgumentType::from_type_text(&written), ty.map(Box::new)),
    }
}

fn starts_uppercase(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// A score for how well arguments fit a callable; higher is better. A callable with a fixed number
/// of parameters beats a variadic callable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OverloadScore {
    is_fixed: bool,
    sum: u32,
}

/// Scores the arguments of a call against a callable. Returns `None` if they do not fit.
/// `argument_count` is the arity of the call.
fn score_overload<'a>(
    resolver: &Resolver<'a>,
    arguments: &[CallArgument<'a>],
    target: &SymbolRef<'a>,
    argument_count: usize,
) -> Option<OverloadScore> {
    let mut params = split_top_level(target.param_types(), ',');
    // The receiver of an extension method is not among the arguments.
    if lang::has_receiver_parameter(target) && params.len() > argument_count {
        params.remove(0);
    }
    let variadic = is_variadic(target.param_types());
    if arguments.len() > params.len() && !variadic {
        return None;
    }
    let mut sum = 0;
    for (at, argument) in arguments.iter().enumerate() {
        let in_variadic = variadic && at + 1 >= params.len();
        let param = if in_variadic { params.last() } else { params.get(at) }?;
        sum += score_argument(resolver, argument, &ParameterType::from_parameter(param, in_variadic))?;
    }
    Some(OverloadScore { is_fixed: !variadic, sum })
}

/// The type of a parameter.
struct ParameterType<'t> {
    /// Simple name of the type.
    name: &'t str,
    /// Number of `[]` after the name.
    arrays: usize,
    /// For C#'s `Action` and `Func`, the number of parameters of such a function.
    function_arity: Option<usize>,
}

impl<'t> ParameterType<'t> {
    fn from_parameter(text: &'t str, variadic: bool) -> Self {
        // The forms are `...T[]`, `this T`, `T=` and `T...name`.
        let text = text.trim_start_matches("...").trim_start_matches("this ").trim_end_matches('=');
        let text = text.split("...").next().unwrap_or(text);
        let mut parameter = Self::from_type_text(text);
        // C# writes the array of a variadic parameter, Java does not.
        if variadic && text.ends_with("[]") {
            parameter.arrays -= 1;
        }
        parameter
    }

    fn from_type_text(text: &'t str) -> Self {
        let bare = text.trim().trim_end_matches('?');
        let arrays = bare.matches("[]").count();
        let base_name = bare.split(['<', '[', ' ', '?']).next().unwrap_or("");
        let inner = bare.split_once('<').map_or("", |(_, inner)| inner.strip_suffix('>').unwrap_or(inner));
        let count = if inner.is_empty() { 0 } else { split_top_level(inner, ',').len() };
        let function_arity = match base_name {
            "Action" => Some(count),
            "Func" => Some(count.saturating_sub(1)),
            _ => None,
        };
        Self { name: canonical_type_name(split_last_segment(base_name).1), arrays, function_arity }
    }
}

/// Maps the names of a C# type to the name that this module uses for both Java and C#.
fn canonical_type_name(name: &str) -> &str {
    match name {
        "string" => "String",
        "object" => "Object",
        "bool" => "boolean",
        "Int32" => "int",
        "Int64" => "long",
        "Double" => "double",
        "Boolean" => "Boolean",
        other => other,
    }
}

/// Number types. Each can be widened to the types after it.
const NUMBERS: [&str; 6] = ["byte", "short", "int", "long", "float", "double"];

fn is_primitive(name: &str) -> bool {
    NUMBERS.contains(&name) || matches!(name, "char" | "boolean" | "decimal" | "uint" | "ulong")
}

/// Returns the boxed type of a primitive in Java; an empty string for other types.
fn boxed_type_name(name: &str) -> &'static str {
    match name {
        "byte" => "Byte",
        "short" => "Short",
        "int" => "Integer",
        "long" => "Long",
        "float" => "Float",
        "double" => "Double",
        "char" => "Character",
        "boolean" => "Boolean",
        _ => "",
    }
}

/// Whether a name follows the conventions of Java and C# for type parameters.
fn is_type_parameter(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(char::is_uppercase)
        && (chars.as_str().chars().all(|c| c.is_ascii_digit())
            || (name.starts_with('T') && chars.next().is_some_and(char::is_uppercase)))
}

/// Scores one argument against a parameter (`fit_score`). Returns `None` if it does not fit.
fn score_argument<'a>(
    resolver: &Resolver<'a>,
    argument: &CallArgument<'a>,
    param: &ParameterType,
) -> Option<u32> {
    let takes_anything = (param.name == "Object" || is_type_parameter(param.name)) && param.arrays == 0;
    match argument {
        CallArgument::Unknown => Some(0),
        CallArgument::Member(ty) if canonical_type_name(ty) == param.name && param.arrays == 0 => {
            Some(fit_score::SAME)
        }
        CallArgument::Member(_) => Some(0),
        CallArgument::Null => (!is_primitive(param.name) || param.arrays > 0).then_some(0),
        CallArgument::Function(count) => {
            if let (Some(given), Some(wanted)) = (count, param.function_arity)
                && *given != wanted
            {
                return None;
            }
            let is_collection = resolver.family.language_builtins().collections.contains(param.name);
            let takes_no_function = is_final_type(param.name) || is_collection || param.arrays > 0;
            let is_class = resolver.view.symbols_named(param.name).iter().any(|s| {
                let functional =
                    resolver.family.has_functional_interfaces() && s.kind == SymbolKind::Interface;
                s.kind.is_type() && s.kind != SymbolKind::TypeAlias && !functional
            });
            (!takes_no_function && !is_class).then_some(u32::from(!takes_anything))
        }
        CallArgument::Typed(given, ty) => {
            if given.name == param.name && given.arrays == param.arrays {
                return Some(fit_score::SAME);
            }
            if takes_anything {
                return Some(fit_score::ANYTHING);
            }
            if given.arrays != param.arrays {
                return (given.arrays == 0 && ty.is_none() && !is_final_type(&given.name)).then_some(0);
            }
            score_conversion(resolver, &given.name, param.name, ty.as_deref())
        }
    }
}

/// Whether a type has no subtypes, and all of its supertypes are known.
fn is_final_type(name: &str) -> bool {
    is_primitive(name) || name == "String"
}

/// Scores a type against a type with a different name. Returns `None` if it does not fit.
fn score_conversion<'a>(
    resolver: &Resolver<'a>,
    given: &str,
    wanted: &str,
    ty: Option<&SymbolRef<'a>>,
) -> Option<u32> {
    let width = |name: &str| NUMBERS.iter().position(|n| *n == name);
    if let (Some(from), Some(to)) = (width(given), width(wanted)) {
        return (from < to).then(|| fit_score::WIDER - (to - from) as u32);
    }
    if is_primitive(given) || is_primitive(wanted) {
        let is_boxing = boxed_type_name(given) == wanted
            || (!boxed_type_name(wanted).is_empty() && boxed_type_name(wanted) == given);
        let is_boxed_number = wanted == "Number" && width(given).is_some();
        // An unknown type may have a conversion.
        let may_convert = !is_primitive(given) && ty.is_none() && boxed_type_name(wanted).is_empty();
        return (is_boxing || is_boxed_number).then_some(fit_score::BOXED).or(may_convert.then_some(0));
    }
    if let Some(ty) = ty {
        return score_supertype(resolver, ty, wanted);
    }
    if given == "String" {
        return matches!(wanted, "CharSequence" | "Comparable").then_some(fit_score::SUPERTYPE);
    }
    let steps = resolver.family.language_builtins().supertype_distance(given, wanted);
    match steps {
        // The score of a supertype stays positive at any distance.
        Some(steps) => Some(fit_score::SUPERTYPE - steps.min(15)),
        // All supertypes of the given type are known, and the wanted type is not among them.
        None if resolver.family.language_builtins().supertypes.contains_key(given) => None,
        None if wanted == "String" => None,
        None => Some(0),
    }
}

/// Whether a type of the workspace has a supertype with this name.
pub(super) fn derives_from<'a>(resolver: &Resolver<'a>, ty: &SymbolRef<'a>, base: &str) -> bool {
    score_supertype(resolver, ty, base).is_some_and(|fit| fit > 0)
}

/// Scores a type of the workspace against a wanted supertype: higher for fewer steps up to it. If
/// some supertypes are outside the workspace, an unknown wanted type may be among them and scores
/// 0.
fn score_supertype<'a>(resolver: &Resolver<'a>, ty: &SymbolRef<'a>, wanted: &str) -> Option<u32> {
    let mut level = vec![*ty];
    let (mut seen, mut has_unknown_supertypes) = (vec![ty.id], false);
    for step in 1..=MAX_SUPERTYPE_STEPS {
        let mut next = Vec::new();
        for ty in level {
            for base in &resolver.resolve_bases(&ty).definitions {
                match base {
                    Definition::Symbol(base) | Definition::Instance(base) => {
                        if base.name == wanted {
                            return Some(fit_score::SUPERTYPE - step);
                        }
                        if !seen.contains(&base.id) && seen.len() < MAX_SUPERTYPES {
                            seen.push(base.id);
                            next.push(*base);
                        }
                    }
                    Definition::External(external) if split_last_segment(&external.name).1 == wanted => {
                        return Some(fit_score::SUPERTYPE - step);
                    }
                    Definition::External(_) | Definition::Builtin => has_unknown_supertypes = true,
                    _ => {}
                }
            }
        }
        level = next;
    }
    let is_known = resolver.view.symbols_named(wanted).iter().any(|s| s.kind.is_type());
    (has_unknown_supertypes && !is_known && !is_final_type(wanted)).then_some(0)
}
