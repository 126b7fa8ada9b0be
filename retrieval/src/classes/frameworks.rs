//! Facts about one workspace that decide which classes apply to it: the frameworks that it uses or
//! implements, its primary languages, and the classes from its settings.

use super::data::{Framework, known_frameworks};
use super::{Class, ClassSet};
use crate::path_role::is_secondary_path;
use kenning_graph::Snapshot;
use kenning_graph::packages::{ManifestPackage, WorkspacePackages};
use kenning_graph::paths::parent_folder;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Facts about a workspace that the ranking needs in addition to the graph. The server recomputes
/// them when the manifests or the settings change.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFacts {
    frameworks: Vec<&'static str>,
    classes: Option<ClassSet>,
}

impl WorkspaceFacts {
    /// No facts: no frameworks, no classes.
    pub const EMPTY: &'static Self = &Self { frameworks: Vec::new(), classes: None };

    /// Derives the facts from the packages and the classes of a workspace (its `kenning.toml`).
    ///
    /// Manifests of tests, examples and documentation are ignored, because a workspace need not use
    /// the frameworks that its examples use.
    pub fn new(packages: &WorkspacePackages, classes: Vec<Class>) -> Self {
        let mut names: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        let is_product = |package: &&ManifestPackage| {
            // Only the folder decides, because `requirements/tests.txt` also lists packages of the
            // workspace.
            !is_secondary_path(&format!("{}/manifest", parent_folder(&package.manifest)))
        };
        for package in packages.defined.iter().chain(&packages.dependencies).filter(is_product) {
            names.entry(package.ecosystem).or_default().insert(&package.name);
        }
        let is_used = |framework: &&Framework| {
            framework.packages.iter().any(|(ecosystem, wanted)| {
                let Some(known) = names.get(ecosystem) else { return false };
                wanted.iter().any(|wanted| {
                    let wanted = ecosystem.normalize_name(wanted);
                    match wanted.strip_suffix('*') {
                        Some(group) => {
                            known.range(group..).next().is_some_and(|name| name.starts_with(group))
                        }
                        None => known.contains(wanted.as_str()),
                    }
                })
            })
        };
        Self {
            frameworks: known_frameworks()
                .iter()
                .filter(is_used)
                .map(|framework| framework.id.as_str())
                .collect(),
            classes: (!classes.is_empty()).then(|| ClassSet::new(classes)),
        }
    }

    /// Returns the ids of the frameworks that the workspace uses or implements, in the order of
    /// [`known_frameworks`].
    pub fn framework_ids(&self) -> &[&'static str] {
        &self.frameworks
    }

    /// Whether the workspace uses or implements a framework.
    pub fn uses_framework(&self, framework: &str) -> bool {
        self.frameworks.contains(&framework)
    }

    /// Returns the workspace's own classes.
    pub(super) fn workspace_classes(&self) -> Option<&ClassSet> {
        self.classes.as_ref()
    }
}

/// Returns the language that represents `language` in the scopes of classes: TypeScript for
/// JavaScript, Java for Kotlin.
pub(crate) fn language_family(language: &str) -> &str {
    match language {
        "tsx" | "javascript" | "jsx" => "typescript",
        "kotlin" => "java",
        other => other,
    }
}

/// The primary languages of a snapshot. Files are counted on first use.
pub(super) struct PrimaryLanguages<'a> {
    snapshot: &'a Snapshot,
    /// Minimum share of the files for a language to be primary.
    share: f64,
    counts: Option<FxHashMap<&'a str, usize>>,
}

impl<'a> PrimaryLanguages<'a> {
    /// Creates the languages of a snapshot; `share` is the minimum share of the files, 0..=1.
    pub fn new(snapshot: &'a Snapshot, share: f64) -> Self {
        Self { snapshot, share, counts: None }
    }

    /// Whether a language is primary: together with the languages that it
    /// [represents](language_family), it has at least the required share of the files, or no
    /// language has more files.
    pub fn is_primary(&mut self, language: &str) -> bool {
        let snapshot = self.snapshot;
        let counts = self.counts.get_or_insert_with(|| {
            let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
            for file in snapshot.code_files().into_iter().filter_map(|id| snapshot.file(id)) {
                *counts.entry(language_family(file.language)).or_default() += 1;
            }
            counts
        });
        let count = counts.get(language_family(language)).copied().unwrap_or(0);
        let all: usize = counts.values().sum();
        count > 0 && (count as f64 >= self.share * all as f64 || counts.values().all(|&other| other <= count))
    }
}
