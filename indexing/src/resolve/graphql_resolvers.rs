//! The resolvers of the root fields of a GraphQL schema, by the rules in `graphql.toml`: an edge
//! leads from the field, which operations use, to the method that computes it.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use super::file_context::FileContext;
use kenning_graph::facts::ReferenceRole;
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::vocabulary::GRAPHQL_PACKAGE;
use kenning_graph::{EdgeKind, SymbolKind};
use rustc_hash::FxHashSet;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The content of `graphql.toml`.
#[derive(Deserialize)]
struct ResolverFile {
    resolver: Vec<ResolverRule>,
}

/// A rule of `graphql.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResolverRule {
    /// The language family.
    family: String,
    /// The packages that the rule is for. The file must import one of them, unless the list is
    /// empty.
    #[serde(default)]
    packages: Vec<String>,
    /// The root types of the schema, by the name of the type whose methods resolve their fields.
    types: BTreeMap<String, String>,
    /// The decorators that mark resolvers; empty if resolvers need none.
    #[serde(default)]
    decorators: Vec<String>,
    /// The prefix of the names of resolvers.
    #[serde(default)]
    prefix: String,
    name: FieldNaming,
}

/// The conversion of the name of a method into the name of a field.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FieldNaming {
    CamelCase,
    LowerFirst,
}

static RULES: LazyLock<Vec<ResolverRule>> = LazyLock::new(|| {
    let file: ResolverFile =
        toml::from_str(include_str!("../../graphql.toml")).expect("graphql.toml is checked by a test");
    file.resolver
});

/// Adds the edges from the root fields of schemas to the methods of the file that resolve them.
pub(super) fn add_resolver_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let family = context.resolver.family.toml_key();
    for rule in RULES.iter().filter(|rule| rule.family == family && rule.applies_to_file(context)) {
        let decorated = rule.decorated_symbols(context);
        for ((fact, symbol), at) in context.facts.symbols.iter().zip(&context.symbols).zip(0..) {
            let Some(root) = rule.types.get(&fact.container).filter(|_| fact.kind.is_callable()) else {
                continue;
            };
            let Some(name) = fact.name.strip_prefix(&rule.prefix).filter(|name| !name.starts_with('_'))
            else {
                continue;
            };
            if rule.decorators.is_empty() || decorated.contains(&at) {
                let field = EdgeTarget::Phantom {
                    kind: SymbolKind::Resource,
                    package: GRAPHQL_PACKAGE.to_owned(),
                    name: format!("{root}.{}", rule.name.field_of_method(name)),
                };
                let line = fact.name_span.line;
                edges.add_outside_edge(symbol.id, field, EdgeKind::DefinedBy, EdgeStrength::RESOLVED, line);
            }
        }
    }
}

impl ResolverRule {
    /// Whether the file imports one of the packages, or the rule needs none.
    fn applies_to_file(&self, context: &FileContext) -> bool {
        let is_of = |path: &str, package: &String| {
            path.strip_prefix(package.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        };
        let mut imports = context.facts.imports.iter();
        self.packages.is_empty()
            || imports.any(|import| self.packages.iter().any(|package| is_of(&import.path, package)))
    }

    /// Returns the symbols with one of the decorators, as indexes into the facts.
    fn decorated_symbols(&self, context: &FileContext) -> FxHashSet<u32> {
        let decorators = context.facts.references.iter().filter(|r| r.role == ReferenceRole::Decorator);
        let named = decorators.filter(|r| {
            let name = context.facts.strings.get(r.name);
            self.decorators.iter().any(|decorator| decorator == name)
        });
        named.map(|reference| reference.scope).collect()
    }
}

impl FieldNaming {
    /// Returns the name of the field that a method resolves.
    fn field_of_method(self, method: &str) -> String {
        match self {
            Self::LowerFirst => {
                let mut letters = method.chars();
                letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
            }
            Self::CamelCase => {
                let mut parts = method.split('_').filter(|part| !part.is_empty());
                let mut name = parts.next().unwrap_or_default().to_owned();
                for part in parts {
                    let mut letters = part.chars();
                    name.extend(letters.next().into_iter().flat_map(char::to_uppercase).chain(letters));
                }
                name
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_leads_to_root_types() {
        for rule in RULES.iter() {
            assert!(!rule.types.is_empty(), "{}", rule.family);
            assert!(rule.types.values().all(|root| crate::extract::graphql_text::is_root_type(root)));
        }
        assert_eq!(FieldNaming::CamelCase.field_of_method("add_order_now"), "addOrderNow");
        assert_eq!(FieldNaming::LowerFirst.field_of_method("AddOrder"), "addOrder");
    }
}
