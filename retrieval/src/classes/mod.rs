//! Equivalence classes: phrases that developers type, and the names that code has for them (`docs/ranking.md`).
//!
//! Layers differ in where a class comes from and in how far it is trusted. A class fires when one of its phrases stands
//! in the task as whole words. The seeds multiply each phrase by ten verbs ("find error handler"): that changes nothing
//! where a phrase is looked for inside a text, so it is not done.

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

/// Where a class comes from; the weights are in [`ClassesConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// `kenning.toml` of the workspace (the seeds' "seed classes").
    Workspace,
    /// A framework that the workspace uses or is.
    Framework,
    /// Common to most code bases.
    Universal,
    /// Common to most code bases in one language.
    Language,
    /// Made from the graph for one task.
    Graph,
}

impl Layer {
    /// The name in explanations.
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

/// Phrases and the names that they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Unique: `flask.blueprint`.
    pub id: String,
    /// Where it comes from.
    pub layer: Layer,
    /// The framework that it is about, by its id.
    pub framework: Option<String>,
    /// Language of its targets; `None` for any.
    pub language: Option<String>,
    /// What a developer types.
    pub phrases: Vec<String>,
    /// `Name` or `Type.member`.
    pub targets: Vec<String>,
}

/// Classes with an automaton over all their phrases.
#[derive(Clone, Debug)]
pub struct ClassSet {
    classes: Vec<Class>,
    phrases: PhraseMatcher,
}

impl ClassSet {
    /// Compiles classes.
    pub fn new(classes: Vec<Class>) -> Self {
        let phrases = PhraseMatcher::new(classes.iter().map(|class| class.phrases.as_slice()));
        Self { classes, phrases }
    }

    /// The classes, in their order.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }
}

/// A class of the program itself, or of a workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum ClassRef {
    /// Shipped with the program.
    BuiltIn(&'static Class),
    /// Given by the workspace.
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
    /// What found a symbol, as packs show it: the class, or its layer.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::BuiltIn(class) => &class.id,
            Self::Given(class) => class.layer.name(),
        }
    }
}

/// A class whose phrases stand in a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassMatch {
    /// The class.
    pub class: ClassRef,
    /// Its phrases that were found, in its order.
    pub phrases: Vec<String>,
    /// They have two different words between them.
    pub strong: bool,
}

impl ClassMatch {
    /// How far the match is trusted, 0..=1.
    pub fn score(&self, config: &ClassesConfig) -> f64 {
        config.layers.weight_of_layer(self.class.layer) * if self.strong { 1.0 } else { config.single_word }
    }
}

/// The classes that a task's phrases call up in this workspace, by layer and then in the order of the data.
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

/// The classes with a phrase in a canonical text, and these phrases.
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

/// A single everyday word is weak evidence; a phrase of several, or several phrases, are strong. Words are counted, not
/// phrases: `blueprint` and `blueprints` are one.
fn is_strong(phrases: &[String]) -> bool {
    let words: FxHashSet<String> = phrases.iter().flat_map(|phrase| phrases::phrase_words(phrase)).collect();
    words.len() > 1
}
