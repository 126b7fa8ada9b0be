//! The serialized forms of answers, each defined in one place.
//!
//! In: an answer with its freshness. Out: JSON, and for some answers Markdown, XML, GCF, GCB, DOT
//! or SVG; the command line prints it and the language server sends it. `codec` lists the formats
//! of packs, each with its codec in a module of its own: `markdown_codec`, `xml`, `json`, `gcf`,
//! `gcb`. `sent_pack` remembers the packs that a client has, and `delta` compares a new pack with
//! it. `affected`, `blast`, `change`, `explanation`, `graph` and `trace` each render one kind of
//! answer. `explanation_sentences` and `rank_clauses` render the words of an explanation,
//! `knowledge` renders notes, tasks and skills, `users` and `user_tree` render the users of a
//! symbol, and `symbol_locations` renders the symbols in these answers.
//!
//! Invariants: the JSON forms are contracts. Each answer carries the version `json::SCHEMA`, and
//! the doc comments of its fields become its documentation. Equal packs with equal freshness render
//! to equal bytes unless timings are included. Texts from outside (names, paths, code, tasks) are
//! escaped, so that they can neither break the structure of the form nor control a terminal. Each
//! text form ends with a line break.

pub mod affected;
pub mod answer_pages;
pub mod blast;
pub mod change;
pub mod codec;
pub mod delta;
pub mod delta_json;
pub mod explanation;
mod explanation_sentences;
mod file_blocks;
pub mod first_symbols;
mod gcb;
pub mod gcf;
pub mod graph;
mod groups;
pub mod json;
mod json_rows;
pub mod knowledge;
pub mod markdown;
mod markdown_codec;
pub mod other_folders;
pub mod package_uses;
mod rank_clauses;
pub mod ripple;
pub mod search;
pub mod search_lines;
pub mod sent_pack;
mod svg;
pub mod symbol_locations;
pub mod trace;
pub mod user_tree;
pub mod users;
pub mod wording;
mod xml;

pub use codec::{PackFormat, PackView, RenderedPack};

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

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
