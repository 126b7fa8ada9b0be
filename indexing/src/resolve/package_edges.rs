//! Edges from manifests to the packages that they depend on.
//!
//! A package of a registry is one node outside the workspace (`npm::react`). All manifests that
//! name the package have an edge to this node. A dependency on a package of the workspace leads to
//! the manifest that defines the package. The graph does not store versions;
//! [`kenning_graph::packages::WorkspacePackages`] has them.

use super::edge_collector::{EdgeCollector, EdgeStrength};
use crate::project::Project;
use kenning_graph::packages::{ManifestPackage, PackageEcosystem};
use kenning_graph::snapshot::EdgeTarget;
use kenning_graph::snapshot::identity::file_symbol_hash;
use kenning_graph::{EdgeKind, FileId, Snapshot, SymbolId, SymbolKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Adds the edges from the file `manifest` at `path` to the packages that it depends on, if it is a
/// manifest.
pub(super) fn add_dependency_edges(
    snapshot: &Snapshot,
    project: &Project,
    manifest: SymbolId,
    path: &str,
    edges: &mut EdgeCollector,
) {
    let mut seen = FxHashSet::default();
    for dependency in project.dependencies_of_manifest(path) {
        match local_manifest(snapshot, dependency) {
            Some(local) if local != manifest && seen.insert(local) => {
                let line = Some(dependency.line);
                edges.add_symbol_edge(manifest, local, EdgeKind::DependsOn, EdgeStrength::STRUCTURAL, line);
            }
            Some(_) => {}
            None => {
                let target = EdgeTarget::Phantom {
                    kind: SymbolKind::Resource,
                    package: dependency.ecosystem.as_str().to_owned(),
                    name: dependency.name.clone(),
                };
                let line = dependency.line;
                edges.add_outside_edge(manifest, target, EdgeKind::DependsOn, EdgeStrength::STRUCTURAL, line);
            }
        }
    }
}

/// Returns the manifest of the workspace that defines the package of a dependency.
fn local_manifest(snapshot: &Snapshot, dependency: &ManifestPackage) -> Option<SymbolId> {
    let local = Some(dependency.local.as_str()).filter(|local| !local.is_empty())?;
    snapshot.symbol_by_hash(&file_symbol_hash(local))
}

/// Returns the files whose stored package edges differ from the dependencies in their manifests, in
/// the order of the graph.
pub(crate) fn files_with_changed_dependencies(snapshot: &Snapshot, project: &Project) -> Vec<FileId> {
    let files = snapshot.files().into_iter().filter(|&id| {
        let (Some(file), Some(&symbol)) = (snapshot.file(id), snapshot.file_symbols(id).first()) else {
            return false;
        };
        let mut stored: BTreeSet<(String, Option<u32>)> = BTreeSet::new();
        snapshot.for_each_out_edge(symbol, |edge| {
            if edge.kind == EdgeKind::DependsOn
                && let Some(target) = snapshot.symbol(edge.target)
                && (target.kind == SymbolKind::File || PackageEcosystem::parse(target.path).is_some())
            {
                stored.insert((target.qualified_name(), edge.line));
            }
        });
        let dependencies = project.dependencies_of_manifest(file.path);
        if stored.is_empty() && dependencies.is_empty() {
            return false;
        }
        let mut seen = FxHashSet::default();
        let wanted = dependencies.iter().filter_map(|dependency| {
            let name = match local_manifest(snapshot, dependency) {
                Some(local) if local != symbol && seen.insert(local) => dependency.local.clone(),
                Some(_) => return None,
                None => format!("{}::{}", dependency.ecosystem.as_str(), dependency.name),
            };
            Some((name, Some(dependency.line)))
        });
        wanted.collect::<BTreeSet<_>>() != stored
    });
    files.collect()
}
