//! References whose name is a literal: environment variables, programs, feature flags, topics, test
//! fixtures and tables.

use super::collector::{Collector, MatchCaptures};
use super::env_and_processes::is_env_variable_name;
use super::expressions::string_literal_content;
use super::named_lookups::{self, LookupCertainty, LookupKind, NamedLookup};
use super::patterns::Capture;
use super::raw_facts::{RawFacts, RawReference, name_span};
use crate::languages::ExpressionRule;
use kenning_graph::facts::ReferenceRole;
use tree_sitter::Node;

/// Maximum length in bytes of a literal that names something. Longer literals are messages or data.
const MAX_LITERAL_BYTES: usize = 128;

impl Collector<'_> {
    /// Collects environment variables, processes and feature flags from the literal arguments of a
    /// call.
    pub(super) fn collect_literal_argument<'t>(
        &self,
        called: &str,
        receiver: &str,
        args: Option<Node<'t>>,
        out: &mut RawFacts<'t>,
    ) {
        let argument = |at: u32| args.and_then(|args| args.named_child(at));
        if let Some((at, role)) = self.env_or_process_argument(called, receiver) {
            if let Some(node) = argument(at) {
                match self.literal_reference(node, role) {
                    Some(reference) if receiver.is_empty() => {
                        out.calls_by_name.push((called.to_owned(), reference));
                    }
                    Some(reference) => out.references.push(reference),
                    None => out.unnamed_literals.push((node, role)),
                }
            }
        } else if let Some((kind, certainty)) = named_lookups::classify_call(called, receiver) {
            // The name is the first argument, or the second one after a context.
            let mut nodes = (0..2).filter_map(argument);
            if let Some(lookup) = nodes.find_map(|node| self.named_lookup(node, kind, certainty)) {
                out.named_lookups.push(lookup);
            }
        }
    }

    /// Returns the lookup of the name that a literal contains; `None` if the node is not a literal.
    pub(super) fn named_lookup(
        &self,
        node: Node,
        kind: LookupKind,
        certainty: LookupCertainty,
    ) -> Option<NamedLookup> {
        let mut reference = self.literal_reference(node, kind.role())?;
        kind.resource_kind().clone_into(&mut reference.receiver);
        Some(NamedLookup { kind, certainty, reference })
    }

    /// Returns the position of the argument that names an environment variable or a program.
    pub(super) fn env_or_process_argument(
        &self,
        called: &str,
        receiver: &str,
    ) -> Option<(u32, ReferenceRole)> {
        let position =
            |list: &[String]| list.iter().find_map(|entry| matching_argument_index(entry, called, receiver));
        let lists =
            [(&self.row.env_calls, ReferenceRole::Env), (&self.row.process_calls, ReferenceRole::Process)];
        lists.iter().find_map(|(list, role)| Some((position(list)?, *role)))
    }

    /// Adds a reference with the name that a literal contains, if the node is a literal.
    pub(super) fn push_literal_reference(&self, node: Node, role: ReferenceRole, out: &mut RawFacts) {
        out.references.extend(self.literal_reference(node, role));
    }

    /// Returns a reference with the name that a literal contains. Also accepts the content node of
    /// a literal.
    pub(super) fn literal_reference(&self, node: Node, role: ReferenceRole) -> Option<RawReference> {
        let text = self.expressions.node_text(node);
        let content =
            || self.expressions.kinds.kind_flags(node.kind_id()).string && text.len() <= MAX_LITERAL_BYTES;
        // Ruby's `:key` is equivalent to `"key"`.
        let symbol = || {
            text.strip_prefix(':').filter(|key| role == ReferenceRole::Flag && key.len() <= MAX_LITERAL_BYTES)
        };
        let value = string_literal_content(text).or_else(symbol).or_else(|| content().then_some(text))?;
        let name = match role {
            ReferenceRole::Process => value.split_whitespace().next().unwrap_or(value),
            // Compose writes `NAME=value`.
            ReferenceRole::Env => value.split('=').next().unwrap_or(value),
            _ => value,
        };
        (!name.is_empty()).then(|| RawReference {
            name: name.to_owned(),
            receiver: String::new(),
            at: name_span(node),
            ..RawReference::with_role(role)
        })
    }

    /// Adds the environment variable that a key names, or records the key if the object that it
    /// belongs to may be an alias of the environment.
    pub(super) fn collect_env_key<'t>(
        &self,
        key: Node<'t>,
        captures: MatchCaptures<'_, 't>,
        out: &mut RawFacts<'t>,
    ) {
        let Some(object) = captures.find_capture(Capture::EnvObject) else { return };
        let text = self.expressions.node_text(object);
        let is_name =
            matches!(self.expressions.kinds.expression_rule(object.kind_id()), ExpressionRule::Name);
        let is_environment_path = |path: &str| self.row.env_objects.iter().any(|object| object == path);
        let is_environment = if is_name {
            is_environment_path(text)
        } else {
            is_environment_path(&self.expressions.path_text(object))
        };
        if is_environment {
            out.references.extend(self.env_key_reference(key));
        } else if is_name {
            out.env_lookups.push((object, key));
        }
    }

    /// Returns the environment variable that a key names. In a destructuring pattern, the key is
    /// the variable's name without quotes.
    pub(super) fn env_key_reference(&self, key: Node) -> Option<RawReference> {
        let name = self.expressions.node_text(key);
        let unquoted = || {
            let (name, at) = (name.to_owned(), name_span(key));
            is_env_variable_name(&name).then(|| RawReference {
                name,
                at,
                ..RawReference::with_role(ReferenceRole::Env)
            })
        };
        self.literal_reference(key, ReferenceRole::Env).or_else(unquoted)
    }
}

/// Returns the argument position in an entry of a list of calls (`a.b`, `b`, `a.b:1`) if the entry
/// names this call.
fn matching_argument_index(entry: &str, called: &str, receiver: &str) -> Option<u32> {
    let (path, position) = match entry.split_once(':') {
        Some((path, position)) => (path, position.parse().ok()?),
        None => (entry, 0),
    };
    let matches_call = match path.rsplit_once('.') {
        None => receiver.is_empty() && path == called,
        Some((object, name)) => {
            name == called
                && receiver.strip_suffix(object).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }
    };
    matches_call.then_some(position)
}
