//! `ctags-differences.toml`: why a tag of ctags is no symbol of ours.

use super::{COMPARED, Tag};
use anyhow::{Context, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The explained differences, in the order in which they are tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Differences {
    difference: Vec<Difference>,
}

/// One reason, and the tags that it holds for: those that meet every condition given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// Stands in the results.
    reason: String,
    /// ctags' name of the language.
    language: String,
    /// Kinds of tags.
    kinds: Vec<String>,
    /// Kinds of what the tag belongs to; `""` for the top.
    scope_kinds: Option<Vec<String>>,
    /// The name stands, at its first place on the line, in a syntax node of one of these kinds.
    #[serde(default)]
    inside: Vec<String>,
    /// The name holds one of these texts.
    #[serde(default)]
    name: Vec<String>,
    /// The line, without the white space around it, begins with one of these.
    #[serde(default)]
    starts: Vec<String>,
    /// The line holds one of these texts.
    #[serde(default)]
    holds: Vec<String>,
    /// The line holds none of these texts.
    #[serde(default)]
    lacks: Vec<String>,
    /// The line does not hold the name as a word of its own.
    #[serde(default)]
    absent: bool,
    /// A symbol of ours has the name, at most this many lines after the tag or before it.
    near: Option<u32>,
}

/// What is around a tag.
pub struct Site<'a> {
    /// The text of its line.
    pub line: &'a str,
    /// Kinds of the syntax nodes around the name's first place on the line; empty where the line does not hold it.
    pub around: &'a [&'static str],
    /// 1-based lines and names of our symbols.
    pub ours: &'a BTreeSet<(u32, &'a str)>,
}

impl Differences {
    /// The committed table.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn committed() -> anyhow::Result<Self> {
        let text = include_str!("../../ctags-differences.toml");
        let read: Self = toml::from_str(text).context("bench/ctags-differences.toml")?;
        for difference in &read.difference {
            let known = COMPARED.iter().any(|(name, _)| *name == difference.language);
            ensure!(known, "bench/ctags-differences.toml: no language {:?}", difference.language);
            ensure!(!difference.kinds.is_empty(), "{:?} holds for no kind", difference.reason);
        }
        Ok(read)
    }

    /// The reason why this tag is no symbol of ours, if the table has one.
    pub fn explain(&self, language: &str, tag: &Tag, site: &Site) -> Option<&str> {
        let found = self.difference.iter().find(|d| d.language == language && d.holds_for(tag, site));
        found.map(|difference| difference.reason.as_str())
    }
}

impl Difference {
    fn holds_for(&self, tag: &Tag, site: &Site) -> bool {
        let any = |texts: &[String], meets: &dyn Fn(&str) -> bool| {
            texts.is_empty() || texts.iter().any(|text| meets(text))
        };
        self.kinds.contains(&tag.kind)
            && self.scope_kinds.as_ref().is_none_or(|kinds| kinds.contains(&tag.scope_kind))
            && any(&self.inside, &|kind| site.around.contains(&kind))
            && any(&self.name, &|text| tag.name.contains(text))
            && any(&self.starts, &|text| site.line.trim().starts_with(text))
            && any(&self.holds, &|text| site.line.contains(text))
            && !self.lacks.iter().any(|text| site.line.contains(text))
            && (!self.absent || !has_word(site.line, &tag.name))
            && self.near.is_none_or(|lines| is_near(tag, site, lines))
    }
}

fn has_word(line: &str, name: &str) -> bool {
    word(line, name).is_some()
}

/// The byte of a line at which a name first stands as a word of its own.
pub(super) fn word(line: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let alone = |at: usize| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part);
    line.match_indices(name).map(|(at, _)| at).find(|&at| alone(at))
}

fn is_near(tag: &Tag, site: &Site, lines: u32) -> bool {
    (tag.line.saturating_sub(lines)..=tag.line + lines)
        .any(|line| site.ours.contains(&(line, tag.name.as_str())))
}
