//! Equivalence classes: phrases that developers type, with the names that code has for them
//! (`docs/ranking.md`).
//!
//! Classes come in layers, which differ in their source and in their weight. `match_classes` finds
//! the classes of the workspace and of the program that fire for a task: the text contains one of
//! their phrases as whole words, and the workspace uses their framework or language.
//! `resolve_targets` then finds the symbols that a class names, and `find_aliases` derives further
//! names of symbols from the graph.

mod aliases;
mod data;
mod frameworks;
mod phrases;
mod targets;
#[cfg(test)]
mod tests;

pub(crate) use aliases::find_aliases;
pub use data::{Framework, known_frameworks};
pub use frameworks::WorkspaceFacts;
pub(crate) use frameworks::language_family;
pub use targets::is_target_defined;
pub(crate) use targets::resolve_targets;

use crate::config::{EquivalenceClassConfig, RankConfig};
use kenning_graph::Snapshot;
use phrases::{PhraseMatcher, canonicalize_text};
use rustc_hash::FxHashSet;
use std::ops::Deref;
use std::sync::Arc;

/// The source of a class. [`EquivalenceClassConfig`] has the weights of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The workspace's `kenning.toml`.
    Workspace,
    /// A framework that the workspace uses or implements.
    Framework,
    /// Classes that are common to most code bases.
    Universal,
    /// Classes that are common to most code bases in one language.
    Language,
    /// Aliases that are derived from the graph for one task.
    Graph,
}

impl Layer {
    /// Returns the name in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Framework => "framework",
            Self::Universal => "universal",
            Self::Language => "language",
            Self::Graph => "graph",
        }
    }
}

/// Phrases and the names that code uses for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The unique id: `flask.blueprint`.
    pub id: String,
    /// The layer of the class.
    pub layer: Layer,
    /// Id of the framework that the class is about.
    pub framework: Option<String>,
    /// Language of the targets; `None` for any.
    pub language: Option<String>,
    /// The phrases that a developer types.
    pub phrases: Vec<String>,
    /// The names in code: `Name` or `Type.member`.
    pub targets: Vec<String>,
    /// The weight of the class, in percent; `None` for the weight of its layer.
    pub weight: Option<u8>,
    /// Whether the class is about a concern of all kinds of programs for which there are libraries,
    /// such as tests or authentication.
    pub is_cross_cutting: bool,
    /// Whether the targets are names inside a framework that its documentation does not have. Only
    /// some configurations use such classes.
    pub has_internal_targets: bool,
    /// The kind of the targets.
    pub target_type: TargetType,
}

/// The kind of the targets of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetType {
    /// Names in code.
    #[default]
    Symbol,
    /// Files, as paths in the workspace. The targets are the symbols that these files declare.
    File,
}

/// Classes, with an automaton over all their phrases.
#[derive(Clone, Debug)]
pub struct ClassSet {
    classes: Vec<Class>,
    phrases: PhraseMatcher,
}

impl ClassSet {
    /// Compiles classes into a set.
    pub fn new(classes: Vec<Class>) -> Self {
        let phrases = PhraseMatcher::new(classes.iter().map(|class| class.phrases.as_slice()));
        Self { classes, phrases }
    }

    /// Returns the classes, in the order in which the set was built.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }
}

/// A class of the program or of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassRef {
    /// A class shipped with the program.
    BuiltIn(&'static Class),
    /// A class from the workspace's settings.
    Workspace(Arc<Class>),
}

impl Deref for ClassRef {
    type Target = Class;

    fn deref(&self) -> &Class {
        match self {
            Self::BuiltIn(class) => class,
            Self::Workspace(class) => class,
        }
    }
}

impl ClassRef {
    /// Returns the reason that packs show for a symbol: the id of a built-in class, or the layer of
    /// a workspace class.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::BuiltIn(class) => &class.id,
            Self::Workspace(class) => class.layer.name(),
        }
    }
}

/// A class with at least one phrase in a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassMatch {
    /// The class.
    pub class: ClassRef,
    /// The phrases of the class that the task contains, in the order of the class.
    pub phrases: Vec<String>,
    /// Whether these phrases contain at least two different words.
    pub strong: bool,
}

impl ClassMatch {
    /// Returns the weight of the match, 0..=1.
    pub fn score(&self, config: &EquivalenceClassConfig) -> f64 {
        config.layers.weight_of_class(&self.class) * if self.strong { 1.0 } else { config.single_word }
    }
}

/// Returns the classes that fire for a task in this workspace, by layer and then in the order of
/// the data. Empty if the configuration disables classes.
pub(crate) fn match_classes(
    text: &str,
    snapshot: &Snapshot,
    workspace: &WorkspaceFacts,
    config: &RankConfig,
) -> Vec<ClassMatch> {
    let config = &config.classes;
    if config.channel.weight <= 0.0 && config.injection.is_none() {
        return Vec::new();
    }
    let text = canonicalize_text(text);
    let mut languages = frameworks::PrimaryLanguages::new(snapshot, config.language_share);
    let mut found = Vec::new();
    let from_workspace = workspace.workspace_classes().into_iter().flat_map(|set| {
        match_phrases(set, &text)
            .into_iter()
            .map(|(class, phrases)| (ClassRef::Workspace(Arc::new(class.clone())), phrases))
    });
    let built_in = match_phrases(data::built_in_classes(), &text)
        .into_iter()
        .map(|(class, phrases)| (ClassRef::BuiltIn(class), phrases));
    for (class, phrases) in from_workspace.chain(built_in) {
        let fires = config.layers.weight_of_class(&class) > 0.0
            && (config.internal_targets || !class.has_internal_targets)
            && class.framework.as_ref().is_none_or(|framework| workspace.uses_framework(framework))
            && (class.layer != Layer::Language
                || class.language.as_ref().is_none_or(|language| languages.is_primary(language)));
        if fires {
            let strong = is_strong(&phrases);
            found.push(ClassMatch { class, phrases, strong });
        }
    }
    found.sort_by_key(|found| found.class.layer);
    found
}

/// Returns the classes with phrases in a canonical text, each with those phrases.
fn match_phrases<'a>(set: &'a ClassSet, text: &str) -> Vec<(&'a Class, Vec<String>)> {
    let mut grouped: Vec<(usize, Vec<String>)> = Vec::new();
    for found in set.phrases.find_phrases(text) {
        let phrase = set.classes[found.owner].phrases[found.phrase].clone();
        match grouped.last_mut().filter(|(owner, _)| *owner == found.owner) {
            Some((_, phrases)) => phrases.push(phrase),
            None => grouped.push((found.owner, vec![phrase])),
        }
    }
    grouped.into_iter().map(|(owner, phrases)| (&set.classes[owner], phrases)).collect()
}

/// Whether phrases are strong evidence, which takes at least two different words. Phrases are not
/// counted, because `blueprint` and `blueprints` are one word.
fn is_strong(phrases: &[String]) -> bool {
    let words: FxHashSet<String> = phrases.iter().flat_map(|phrase| phrases::phrase_words(phrase)).collect();
    words.len() > 1
}
