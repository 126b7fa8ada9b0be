//! Equivalence classes: phrases that developers type, with the names that code has for them
//! (`docs/ranking.md`).
//!
//! Classes come in layers, which differ in their source and in how far they are trusted.
//! `matches` finds the classes of the workspace and of the program that fire for a task: one of
//! their phrases is in the text as whole words, and the workspace uses their framework or language.
//! `targets` then finds the symbols that a class names, and `aliases` makes classes from the graph.
//! The first specification multiplies each phrase by ten verbs ("find error handler"). Phrases are
//! searched inside the text here, where the verbs would change nothing, so they are left out.

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

use crate::config::{ClassesConfig, RankConfig};
use kenning_graph::Snapshot;
use phrases::{PhraseMatcher, canonicalise_text};
use rustc_hash::FxHashSet;
use std::ops::Deref;
use std::sync::Arc;

/// The source of a class; the weights are in [`ClassesConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The workspace's `kenning.toml` ("seed classes" in the first specification).
    Workspace,
    /// A framework that the workspace uses or implements.
    Framework,
    /// Classes that are common to most code bases.
    Universal,
    /// Classes that are common to most code bases in one language.
    Language,
    /// Classes that are made from the graph for one task.
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
}

/// Classes with an automaton over all their phrases.
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

    /// Returns the classes, in their order.
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
    Given(Arc<Class>),
}

impl Deref for ClassRef {
    type Target = Class;

    fn deref(&self) -> &Class {
        match self {
            Self::BuiltIn(class) => class,
            Self::Given(class) => class,
        }
    }
}

impl ClassRef {
    /// Returns the rule that packs show for a symbol: the id of a built-in class, or the layer of a
    /// workspace class.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::BuiltIn(class) => &class.id,
            Self::Given(class) => class.layer.name(),
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
    /// Whether these phrases have two different words between them.
    pub strong: bool,
}

impl ClassMatch {
    /// Returns how far the match is trusted, 0..=1.
    pub fn score(&self, config: &ClassesConfig) -> f64 {
        config.layers.weight_of_layer(self.class.layer) * if self.strong { 1.0 } else { config.single_word }
    }
}

/// Returns the classes that fire for a task in this workspace, by layer and then in the order of
/// the data. Empty if the configuration disables classes.
pub(crate) fn matches(
    text: &str,
    snapshot: &Snapshot,
    workspace: &WorkspaceFacts,
    config: &RankConfig,
) -> Vec<ClassMatch> {
    let config = &config.classes;
    if config.channel.weight <= 0.0 && config.injection.is_none() {
        return Vec::new();
    }
    let text = canonicalise_text(text);
    let mut languages = frameworks::PrimaryLanguages::new(snapshot, config.language_share);
    let mut found = Vec::new();
    let given = workspace.workspace_classes().into_iter().flat_map(|set| {
        grouped(set, &text)
            .into_iter()
            .map(|(class, phrases)| (ClassRef::Given(Arc::new(class.clone())), phrases))
    });
    let built_in = grouped(data::built_in_classes(), &text)
        .into_iter()
        .map(|(class, phrases)| (ClassRef::BuiltIn(class), phrases));
    for (class, phrases) in given.chain(built_in) {
        let fires = config.layers.weight_of_layer(class.layer) > 0.0
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

/// Returns the classes with a phrase in a canonical text, each with those phrases.
fn grouped<'a>(set: &'a ClassSet, text: &str) -> Vec<(&'a Class, Vec<String>)> {
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

/// Whether phrases are strong evidence. A single everyday word is weak; a phrase of several words,
/// or several phrases, are strong. Words are counted rather than phrases: `blueprint` and
/// `blueprints` are one word.
fn is_strong(phrases: &[String]) -> bool {
    let words: FxHashSet<String> = phrases.iter().flat_map(|phrase| phrases::phrase_words(phrase)).collect();
    words.len() > 1
}
