//! Shared resources: tables, columns, topics, RPC services, root fields of GraphQL schemas,
//! environments and container images. Code in several languages names them, a schema can define
//! them, and a workflow can deploy them.
//!
//! All uses of a resource, in all languages, lead to one node outside the workspace, like the uses
//! of an environment variable. If a schema of the workspace (SQL, Protobuf, GraphQL) defines the
//! resource, an edge leads from the node to the defining symbol.

use super::edge_collector::{EdgeCollector, EdgeStrength, PhantomTarget};
use super::file_context::FileContext;
use super::rpc_services;
use crate::extract::graphql_text::is_root_type;
use crate::extract::key_paths::image_name;
use crate::languages::DefinedResource;
use kenning_graph::facts::{ReferenceFact, SymbolFact};
use kenning_graph::paths::{join_relative, parent_folder};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::vocabulary::{GRAPHQL_PACKAGE, IMAGE_PACKAGE, TABLE_PACKAGE};
use kenning_graph::{EdgeKind, SymbolKind};

/// Adds the edge from the symbol that uses a resource to the resource.
pub(super) fn add_use_edge(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    let strings = &context.facts.strings;
    let (package, name) = (strings.get(reference.receiver), strings.get(reference.name));
    let target = PhantomTarget { kind: SymbolKind::Resource, package, name };
    edges.add_phantom_edge(
        context.symbol_id(reference.scope),
        target,
        EdgeKind::DependsOn,
        reference.at.line,
    );
}

/// Adds the edge from an environment variable to the symbol of a configuration that sets it.
pub(super) fn add_setting_edge(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    let name = context.facts.strings.get(reference.name).to_owned();
    let target = EdgeTarget::Phantom { kind: SymbolKind::EnvVar, package: String::new(), name };
    edges.add_outside_edge(
        context.symbol_id(reference.scope),
        target,
        EdgeKind::DefinedBy,
        EdgeStrength::STRUCTURAL,
        reference.at.line,
    );
}

/// Adds the edge to the container image that a dependency names.
pub(super) fn add_image_edge(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    if let Some(name) = image_name(context.facts.strings.get(reference.name)) {
        let target = PhantomTarget { kind: SymbolKind::Resource, package: IMAGE_PACKAGE, name };
        let line = reference.at.line;
        edges.add_phantom_edge(context.symbol_id(reference.scope), target, EdgeKind::DependsOn, line);
    }
}

/// Adds the edge from a shared resource to the symbol of a workflow that deploys it.
pub(super) fn add_deployment_edge(
    context: &FileContext,
    reference: &ReferenceFact,
    edges: &mut EdgeCollector,
) {
    let strings = &context.facts.strings;
    let (package, name) = (strings.get(reference.receiver), strings.get(reference.name));
    let target = EdgeTarget::Phantom {
        kind: SymbolKind::Resource,
        package: package.to_owned(),
        name: name.to_owned(),
    };
    edges.add_outside_edge(
        context.symbol_id(reference.scope),
        target,
        EdgeKind::DeployedBy,
        EdgeStrength::STRUCTURAL,
        reference.at.line,
    );
}

/// Adds the edge to a file that a configuration names, if the file exists. Searches for its path in
/// the folder that the reference states, at the root of the workspace, and in the folder of the
/// configuration. For a path of a folder, searches for the file that describes the folder
/// (`FamilyRules::import_files`).
pub(super) fn add_file_edge(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    let strings = &context.facts.strings;
    let (folder, name) = (strings.get(reference.receiver), strings.get(reference.name));
    let own_folder = parent_folder(context.resolver.path);
    let start = if folder == "." { own_folder } else { folder.trim_start_matches('/') };
    let starts = [start, "", own_folder];
    let Some(rules) = context.resolver.family.declared_rules() else { return };
    let mut paths = starts.into_iter().filter_map(|start| join_relative(start, name.trim_start_matches('/')));
    let file = paths.find_map(|path| {
        let described = rules.import_files.iter().map(|pattern| pattern.replace("{path}", &path));
        described.into_iter().find_map(|path| context.resolver.view.file_symbol(&path))
    });
    if let Some(file) = file {
        edges.add_symbol_edge(
            context.symbol_id(reference.scope),
            file,
            EdgeKind::DependsOn,
            EdgeStrength::RESOLVED,
            Some(reference.at.line),
        );
    }
}

/// Adds the edges from a type that models a table to the table, and from its fields to the columns.
/// A reference in a member of the type (`__tablename__`) counts as a reference in the type.
pub(super) fn add_model_edges(context: &FileContext, reference: &ReferenceFact, edges: &mut EdgeCollector) {
    let table = context.facts.strings.get(reference.name).to_lowercase();
    let Some(ty) = enclosing_type(context, reference.scope) else { return };
    let mut add_edge = |symbol: u32, name: &str, line: u32| {
        let target = PhantomTarget { kind: SymbolKind::Resource, package: TABLE_PACKAGE, name };
        edges.add_phantom_edge(context.symbol_id(symbol), target, EdgeKind::DependsOn, line);
    };
    add_edge(ty, &table, reference.at.line);
    for (field, at) in context.facts.symbols.iter().zip(0..) {
        let is_column =
            matches!(field.kind, SymbolKind::Field | SymbolKind::Property) && !field.name.starts_with('_');
        if field.parent == Some(ty) && is_column && at != reference.scope {
            add_edge(at, &format!("{table}.{}", to_snake_case(&field.name)), field.name_span.line);
        }
    }
}

/// Returns the innermost type around a scope, or the scope itself if it is a type.
fn enclosing_type(context: &FileContext, mut scope: u32) -> Option<u32> {
    loop {
        let symbol: &SymbolFact = context.facts.symbols.get(scope as usize)?;
        if symbol.kind.is_type() {
            return Some(scope);
        }
        scope = symbol.parent?;
    }
}

/// Adds the edges from the resources that the symbols of a schema define to these symbols.
pub(super) fn add_definition_edges(context: &FileContext, edges: &mut EdgeCollector) {
    let Some(rules) = context.resolver.family.declared_rules().filter(|rules| !rules.defines.is_empty())
    else {
        return;
    };
    for (fact, symbol) in context.facts.symbols.iter().zip(&context.symbols) {
        let target = match rules.defines.get(fact.kind.as_str()) {
            Some(DefinedResource::Table) => {
                let name = if fact.kind.is_type() {
                    fact.name.to_lowercase()
                } else {
                    symbol.display_name().to_lowercase()
                };
                EdgeTarget::Phantom { kind: SymbolKind::Resource, package: TABLE_PACKAGE.to_owned(), name }
            }
            Some(DefinedResource::RootField) if is_root_type(&fact.container) => EdgeTarget::Phantom {
                kind: SymbolKind::Resource,
                package: GRAPHQL_PACKAGE.to_owned(),
                name: symbol.display_name(),
            },
            Some(DefinedResource::RootField) => continue,
            Some(DefinedResource::Rpc) => rpc_services::service_target(&fact.name),
            None => continue,
        };
        edges.add_outside_edge(
            symbol.id,
            target,
            EdgeKind::DefinedBy,
            EdgeStrength::STRUCTURAL,
            fact.name_span.line,
        );
    }
}

/// Returns a name in the form that databases use for columns: `createdAt` is `created_at`.
fn to_snake_case(name: &str) -> String {
    let mut snake_case = String::with_capacity(name.len() + 4);
    let mut previous_is_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && previous_is_lower {
            snake_case.push('_');
        }
        previous_is_lower = c.is_lowercase() || c.is_numeric();
        snake_case.extend(c.to_lowercase());
    }
    snake_case
}

#[cfg(test)]
mod tests {
    use super::to_snake_case;

    #[test]
    fn columns_have_names_in_snake_case() {
        let names = ["createdAt", "id", "UserID", "line2Text", "total_price"].map(to_snake_case);
        assert_eq!(names, ["created_at", "id", "user_id", "line2_text", "total_price"]);
    }
}
