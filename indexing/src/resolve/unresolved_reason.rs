//! The reason why a call has no edge: the first segment of its receiver that resolution could not
//! follow.

use super::definition::{Definition, Resolution};
use super::file_context::FileContext;
use kenning_graph::facts::{BindingKind, FILE_SCOPE, ReferenceFact};
use std::fmt;

/// The reason why a call site has no edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnresolvedReason {
    /// The receiver is not a chain of names and calls: a literal, an operator, an index, a function
    /// value.
    Expression,
    /// The receiver is a parameter without a type.
    UntypedParameter,
    /// The receiver is a local name with an unknown value.
    UntypedLocal,
    /// The declared type of the receiver is not found, for example a type parameter or a builtin.
    UnknownType,
    /// The receiver is an element of a collection whose elements have no known type.
    UnknownElement,
    /// The receiver is the result of a function with an unknown return type.
    UnknownReturn,
    /// The receiver is a field or a variable without a known type.
    UntypedField,
    /// The receiver starts with a name that no scope declares.
    UnknownReceiver,
    /// The receiver's type is known and has no such member.
    NoMember,
    /// The called name is a local name with an unknown value.
    CalledLocal,
    /// The name is imported from a missing file or module.
    UnknownImport,
    /// No scope declares the name.
    NameNotFound,
    /// Too many symbols fit for any of them to be a likely target.
    TooManyCandidates,
    /// The chain of fields and return values has more than four segments, and no target.
    LongChain,
}

impl UnresolvedReason {
    /// Returns the stable text of the reason.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Expression => "receiver is an expression without a name (literal, operator, index)",
            Self::UntypedParameter => "receiver is an untyped parameter",
            Self::UntypedLocal => "receiver is a local name of unknown type",
            Self::UnknownType => "declared type of the receiver not found",
            Self::UnknownElement => "element of a collection of unknown type",
            Self::UnknownReturn => "return type of the called function unknown",
            Self::UntypedField => "type of the field or variable unknown",
            Self::UnknownReceiver => "first name of the receiver not found",
            Self::NoMember => "no such member of the receiver's type",
            Self::CalledLocal => "a parameter or local variable is called",
            Self::UnknownImport => "import source not found",
            Self::NameNotFound => "name not found",
            Self::TooManyCandidates => "too many candidates",
            Self::LongChain => "chain too long",
        }
    }
}

impl fmt::Display for UnresolvedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the reason why a call has no edge. The caller must have checked that the call has none.
pub(super) fn explain_unresolved(context: &FileContext, call: &ReferenceFact) -> UnresolvedReason {
    let (name, receiver) = (context.facts.strings.get(call.name), context.facts.strings.get(call.receiver));
    if receiver.is_empty() {
        return explain_bare_call(context, call, name);
    }
    if receiver.contains('?') {
        return UnresolvedReason::Expression;
    }
    context.reset_budget();
    let mut path = String::new();
    for (index, segment) in receiver.split('.').enumerate() {
        if index > 0 {
            path.push('.');
        }
        path.push_str(segment);
        let found = context.resolve_path(&path, call.scope, call.at.start);
        if context.read_values(&found).definitions.is_empty() {
            return explain_broken_chain(context, call, &path, segment, index);
        }
    }
    let value = context.read_values(&context.resolve_path(receiver, call.scope, call.at.start));
    let candidates = context.resolver.resolve_member(&value, name).definitions.len();
    if candidates > 1 { UnresolvedReason::TooManyCandidates } else { UnresolvedReason::NoMember }
}

/// Returns the reason for a call without a receiver.
fn explain_bare_call(context: &FileContext, call: &ReferenceFact, name: &str) -> UnresolvedReason {
    let found = context.resolve_name(name, call.scope, call.at.start);
    if found.definitions.len() > 1 {
        UnresolvedReason::TooManyCandidates
    } else if context.is_local_name(name, call.scope, call.at.start)
        || is_enclosing_parameter(context, call.scope, name)
    {
        UnresolvedReason::CalledLocal
    } else if found.is_bound {
        UnresolvedReason::UnknownImport
    } else if context.resolver.view.symbols_named(name).len() > 1 {
        UnresolvedReason::TooManyCandidates
    } else {
        UnresolvedReason::NameNotFound
    }
}

/// Returns the reason why the chain of a receiver breaks at a segment.
fn explain_broken_chain(
    context: &FileContext,
    call: &ReferenceFact,
    path: &str,
    segment: &str,
    index: usize,
) -> UnresolvedReason {
    if segment.ends_with("()") {
        let function = path.strip_suffix("()").unwrap_or(path);
        let resolved = context.resolve_path(function, call.scope, call.at.start);
        let has_symbol = |found: &Resolution| {
            found.definitions.iter().any(|definition| matches!(definition, Definition::Symbol(_)))
        };
        return match (has_symbol(&resolved), index) {
            (true, _) => UnresolvedReason::UnknownReturn,
            (false, 0) => UnresolvedReason::UnknownReceiver,
            (false, _) => UnresolvedReason::NoMember,
        };
    }
    if is_element_access(segment) {
        return UnresolvedReason::UnknownElement;
    }
    if index > 0 {
        let field = context.resolve_path(path, call.scope, call.at.start);
        return match (field.definitions.is_empty(), path.matches('.').count() > 3) {
            (false, _) => UnresolvedReason::UntypedField,
            (true, true) => UnresolvedReason::LongChain,
            (true, false) => UnresolvedReason::NoMember,
        };
    }
    if is_enclosing_parameter(context, call.scope, segment)
        && !matches!(context.binding_value(segment, call.scope, call.at.start), Some((BindingKind::Type, _)))
    {
        return UnresolvedReason::UntypedParameter;
    }
    if let Some((kind, value)) = context.binding_value(segment, call.scope, call.at.start) {
        return match kind {
            BindingKind::Type => UnresolvedReason::UnknownType,
            BindingKind::Value if value.ends_with("()") => UnresolvedReason::UnknownReturn,
            BindingKind::Value if !is_element_access(value) => UnresolvedReason::UntypedLocal,
            BindingKind::Value | BindingKind::Element => UnresolvedReason::UnknownElement,
        };
    }
    let found = context.resolve_name(segment, call.scope, call.at.start);
    match (found.definitions.is_empty(), found.is_bound) {
        (false, _) => UnresolvedReason::UntypedField,
        (true, true) => UnresolvedReason::UnknownImport,
        (true, false) => UnresolvedReason::UnknownReceiver,
    }
}

/// Whether a value expression ends in an element of a collection.
fn is_element_access(value: &str) -> bool {
    value.ends_with("[]") || value.ends_with("#each")
}

/// Whether a callable around a scope has a parameter of this name, according to its signature.
fn is_enclosing_parameter(context: &FileContext, scope: u32, name: &str) -> bool {
    let mut scopes = context.enclosing_scopes(scope).filter(|scope| *scope != FILE_SCOPE);
    scopes.any(|scope| {
        let symbol = context.facts.symbols.get(scope as usize).filter(|symbol| symbol.kind.is_callable());
        symbol.is_some_and(|symbol| {
            let parameters = symbol.signature.split_once('(').map_or("", |(_, rest)| rest);
            parameters
                .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                .any(|word| word == name)
        })
    })
}
