//! What holds for one workspace: the frameworks that it uses or is, its primary languages, its own classes.

use super::data::{Framework, known_frameworks};
use super::{Class, ClassSet};
use crate::path_role::is_secondary_path;
use kenning_graph::Snapshot;
use kenning_graph::packages::{ManifestPackage, WorkspacePackages};
use kenning_graph::paths::folder_of;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What ranking knows of a workspace beside its graph. Made once, when its manifests or its settings change.
#[derive(Clone, Debug, Default)]
pub struct WorkspaceFacts {
    frameworks: Vec<&'static str>,
    classes: Option<ClassSet>,
}

impl WorkspaceFacts {
    /// Nothing is known: no framework, no classes.
    pub const EMPTY: &'static Self = &Self { frameworks: Vec::new(), classes: None };

    /// What the packages and the classes of a workspace (its `kenning.toml`) say.
    ///
    /// Manifests of tests, examples and documentation do not count: what an example uses, the workspace need not.
    pub fn new(packages: &WorkspacePackages, classes: Vec<Class>) -> Self {
        let mut names: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        let counts = |package: &&ManifestPackage| {
            // The folder alone: `requirements/tests.txt` says what the workspace uses, too.
            !is_secondary_path(&format!("{}/manifest", folder_of(&package.manifest)))
        };
        for package in packages.own.iter().chain(&packages.dependencies).filter(counts) {
            names.entry(package.ecosystem).or_default().insert(&package.name);
        }
        let is_used = |framework: &&Framework| {
            framework.packages.iter().any(|(ecosystem, wanted)| {
                let Some(there) = names.get(ecosystem) else { return false };
                wanted.iter().any(|wanted| {
                    let wanted = ecosystem.normalise_name(wanted);
                    match wanted.strip_suffix('*') {
                        Some(group) => {
                            there.range(group..).next().is_some_and(|name| name.starts_with(group))
                        }
                        None => there.contains(wanted.as_str()),
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

    /// Ids of the frameworks that the workspace uses or is, sorted.
    pub fn framework_ids(&self) -> &[&'static str] {
        &self.frameworks
    }

    /// Whether the workspace uses or is a framework.
    pub fn uses_framework(&self, framework: &str) -> bool {
        self.frameworks.contains(&framework)
    }

    /// The workspace's own classes.
    pub(super) fn workspace_classes(&self) -> Option<&ClassSet> {
        self.classes.as_ref()
    }
}

/// The language that stands for a language in the scopes of classes: JavaScript is TypeScript there, Kotlin is Java.
pub(crate) fn language_family(language: &str) -> &str {
    match language {
        "tsx" | "javascript" | "jsx" => "typescript",
        "kotlin" => "java",
        other => other,
    }
}

/// The primary languages of a snapshot, counted when they are first asked for.
pub(super) struct PrimaryLanguages<'a> {
    snapshot: &'a Snapshot,
    /// Share of the files from which on a language is primary.
    share: f64,
    counts: Option<FxHashMap<&'a str, usize>>,
}

impl<'a> PrimaryLanguages<'a> {
    pub fn new(snapshot: &'a Snapshot, share: f64) -> Self {
        Self { snapshot, share, counts: None }
    }

    /// Whether a language, with those that it [stands for](language_family), has its share of the files or more files than any
    /// other.
    pub fn is_primary(&mut self, language: &str) -> bool {
        let snapshot = self.snapshot;
        let counts = self.counts.get_or_insert_with(|| {
            let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
            for file in snapshot.files().into_iter().filter_map(|id| snapshot.file(id)) {
                *counts.entry(language_family(file.language)).or_default() += 1;
            }
            counts
        });
        let own = counts.get(language_family(language)).copied().unwrap_or(0);
        let all: usize = counts.values().sum();
        own > 0 && (own as f64 >= self.share * all as f64 || counts.values().all(|&other| other <= own))
    }
}
