//! The serialised forms of answers, each in one place.

pub mod affected;
pub mod blast;
pub mod change;
pub mod delta;
pub mod explanation;
pub mod graph;
pub mod json;
pub mod markdown;
mod svg;
pub mod symbol_locations;
pub mod trace;
pub mod wording;
mod xml;

use crate::answer::AnsweredPack;
use crate::freshness::Freshness;
use crate::timings::StageTimings;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A form in which an answer can be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// For people and for chats.
    #[default]
    Markdown,
    /// As data.
    Json,
}

/// A form in which a pack can be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackFormat {
    /// For people and for chats.
    #[default]
    Markdown,
    /// For agents that want elements.
    Xml,
    /// As data.
    Json,
}

impl PackFormat {
    /// The pack in this form, ending with a line break. Timings are shown by JSON only.
    ///
    /// # Errors
    /// When a number of the pack cannot be written as JSON.
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
