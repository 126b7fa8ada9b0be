//! The serialised forms of answers, each in one place.

pub mod delta;
pub mod explanation;
pub mod json;
pub mod markdown;

use crate::answer::Answer;
use crate::freshness::Freshness;
use crate::timings::Timings;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A form in which an answer can be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people and for chats.
    #[default]
    Markdown,
    /// The pack as data.
    Json,
}

impl Format {
    /// The format of this name, as options and commands write it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| format.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Json => "json",
        }
    }

    /// The pack in this form, ending with a line break. Timings are shown by JSON only.
    ///
    /// # Errors
    /// When a number of the pack cannot be written as JSON.
    pub fn pack(
        self,
        answer: &Answer,
        freshness: &Freshness,
        timings: Option<&Timings>,
    ) -> Result<String, serde_json::Error> {
        match self {
            Self::Markdown => Ok(markdown::pack(answer, freshness)),
            Self::Json => json::text(&json::PackJson::new(answer, freshness, timings)),
        }
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
