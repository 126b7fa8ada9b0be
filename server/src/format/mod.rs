//! The serialized forms of answers, each defined in one place.
//!
//! In: an answer with its freshness. Out: JSON, and for some answers Markdown, XML, DOT or SVG; the
//! command line prints it and the language server sends it. `json`, `markdown` and `xml` render
//! packs; `affected`, `blast`, `change`, `delta`, `explanation`, `graph` and `trace` each render
//! one kind of answer, `users` and `user_tree` the users of a symbol, and `symbol_locations` the
//! symbols in them.
//!
//! Invariants: the JSON forms are contracts. Each answer carries the version `json::SCHEMA`, and
//! the doc comments of its fields become its documentation. Equal packs with equal freshness render
//! to equal bytes unless timings are included. Texts from outside (names, paths, code, tasks) are
//! escaped, so that they can neither break the structure of the form nor control a terminal. Each
//! text form ends with a line break.

pub mod affected;
pub mod blast;
pub mod change;
pub mod delta;
pub mod explanation;
pub mod graph;
pub mod json;
pub mod markdown;
pub mod other_folders;
pub mod package_uses;
pub mod ripple;
mod svg;
pub mod symbol_locations;
pub mod trace;
pub mod user_tree;
pub mod users;
pub mod wording;
mod xml;

use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// Markdown, for people and chats.
    #[default]
    Markdown,
    /// JSON, for programs.
    Json,
}

/// The format of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackFormat {
    /// Markdown, for people and chats.
    #[default]
    Markdown,
    /// XML, for agents that prefer elements.
    Xml,
    /// JSON, for programs.
    Json,
}

impl PackFormat {
    /// Renders the pack, ending with a line break. Only JSON shows timings.
    ///
    /// # Errors
    /// Returns an error if serde cannot serialize the pack as JSON.
    pub fn render_pack(
        self,
        answer: &AnsweredPack,
        freshness: &Freshness,
        timings: Option<&StageTimings>,
    ) -> Result<String, serde_json::Error> {
        match self {
            Self::Markdown => Ok(markdown::render_pack(answer, freshness)),
            Self::Xml => Ok(xml::render_pack(answer, freshness)),
            Self::Json => json::render_json(&json::PackJson::new(answer, freshness, timings)),
        }
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
