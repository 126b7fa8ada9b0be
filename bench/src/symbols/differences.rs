//! The table `ctags-differences.toml`: the reasons why a tag of ctags is not a symbol of Kenning.
//!
//! Each row has a reason and conditions on the tag, its line, the syntax around it, and Kenning's
//! symbols in the file. [`CtagsDifferences::explain`] returns the reason of the first row whose
//! conditions all hold. A tag without a reason is reported as missing.

use super::{COMPARED_LANGUAGES, Tag};
use anyhow::{Context, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The explained differences, in the order in which they are tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CtagsDifferences {
    difference: Vec<Difference>,
}

/// A reason, and the conditions under which it explains a tag. A tag must meet all conditions of
/// the row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// The reason, as it appears in the results.
    reason: String,
    /// The name of the language in ctags.
    language: String,
    /// The kinds of tags.
    kinds: Vec<String>,
    /// The kinds of the tag's scope; `""` for the top level.
    scope_kinds: Option<Vec<String>>,
    /// Kinds of syntax nodes, of which one must contain the first occurrence of the name on the
    /// line; empty for any node.
    #[serde(default)]
    inside_nodes: Vec<String>,
    /// Texts of which the name must contain one; empty for any name.
    #[serde(default)]
    name_contains: Vec<String>,
    /// Prefixes of which the trimmed line must begin with one; empty for any line.
    #[serde(default)]
    line_starts: Vec<String>,
    /// Texts of which the line must contain one; empty for any line.
    #[serde(default)]
    line_contains: Vec<String>,
    /// Texts of which the line must contain none.
    #[serde(default)]
    line_lacks: Vec<String>,
    /// Whether the line must not contain the name as a whole word.
    #[serde(default)]
    name_absent: bool,
    /// Whether the part of the name after its last `.` or `:` must be a symbol of Kenning on the
    /// line.
    #[serde(default)]
    has_short_name: bool,
    /// Whether the file must have a symbol of Kenning with the name on another line.
    #[serde(default)]
    named_elsewhere: bool,
    /// Prefixes of which a symbol of Kenning on the line must begin with one; empty for no such
    /// condition.
    #[serde(default)]
    symbol_on_line: Vec<String>,
    /// Maximum distance in lines, before or after the tag, at which a symbol of Kenning must have
    /// the name.
    max_line_distance: Option<u32>,
}

/// The line of a tag, its syntax, and Kenning's symbols in the file.
pub struct TagContext<'a> {
    /// The text of the tag's line.
    pub line: &'a str,
    /// Kinds of the syntax nodes around the first occurrence of the name on the line; empty if the
    /// line does not contain it.
    pub node_kinds: &'a [&'a str],
    /// 1-based lines and names of Kenning's symbols in the file.
    pub symbols: &'a BTreeSet<(u32, &'a str)>,
}

impl CtagsDifferences {
    /// Returns the committed table.
    ///
    /// # Errors
    /// Fails if the table cannot be read or is not valid.
    pub fn read_committed() -> anyhow::Result<Self> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ctags-differences.toml");
        let text = std::fs::read_to_string(path).context(path)?;
        let table: Self = toml::from_str(&text).context("bench/ctags-differences.toml")?;
        for difference in &table.difference {
            let known = COMPARED_LANGUAGES.iter().any(|(name, _)| *name == difference.language);
            ensure!(known, "bench/ctags-differences.toml: unknown language {:?}", difference.language);
            ensure!(!difference.kinds.is_empty(), "{:?} has no kinds", difference.reason);
        }
        Ok(table)
    }

    /// Returns the reason why this tag is not a symbol of Kenning, if the table has one.
    pub fn explain(&self, language: &str, tag: &Tag, context: &TagContext) -> Option<&str> {
        let found = self.difference.iter().find(|d| d.language == language && d.explains(tag, context));
        found.map(|difference| difference.reason.as_str())
    }
}

impl Difference {
    fn explains(&self, tag: &Tag, context: &TagContext) -> bool {
        let any_or_empty = |texts: &[String], meets: &dyn Fn(&str) -> bool| {
            texts.is_empty() || texts.iter().any(|text| meets(text))
        };
        self.kinds.contains(&tag.kind)
            && self.scope_kinds.as_ref().is_none_or(|kinds| kinds.contains(&tag.scope_kind))
            && any_or_empty(&self.inside_nodes, &|kind| context.node_kinds.contains(&kind))
            && any_or_empty(&self.name_contains, &|text| tag.name.contains(text))
            && any_or_empty(&self.line_starts, &|text| context.line.trim().starts_with(text))
            && any_or_empty(&self.line_contains, &|text| context.line.contains(text))
            && !self.line_lacks.iter().any(|text| context.line.contains(text))
            && (!self.name_absent || !has_word(context.line, &tag.name))
            && (!self.has_short_name || has_short_name(tag, context))
            && (!self.named_elsewhere || context.symbols.iter().any(|(_, name)| *name == tag.name))
            && any_or_empty(&self.symbol_on_line, &|text| {
                context.symbol_names_on_line(tag.line).any(|n| n.starts_with(text))
            })
            && self.max_line_distance.is_none_or(|lines| is_near(tag, context, lines))
    }
}

impl<'a> TagContext<'a> {
    /// Returns the names of Kenning's symbols on a line.
    fn symbol_names_on_line(&self, line: u32) -> impl Iterator<Item = &'a str> {
        self.symbols.range((line, "")..(line + 1, "")).map(|(_, name)| *name)
    }
}

/// Whether Kenning has a symbol on the line that is named without the containers in the tag's name.
fn has_short_name(tag: &Tag, context: &TagContext) -> bool {
    tag.name.rsplit_once(['.', ':']).is_some_and(|(_, short)| context.symbols.contains(&(tag.line, short)))
}

fn has_word(line: &str, name: &str) -> bool {
    find_word(line, name).is_some()
}

/// Returns the byte offset at which a name first occurs on a line as a whole word.
pub(super) fn find_word(line: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole_word =
        |at: usize| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part);
    line.match_indices(name).map(|(at, _)| at).find(|&at| is_whole_word(at))
}

fn is_near(tag: &Tag, context: &TagContext, lines: u32) -> bool {
    (tag.line.saturating_sub(lines)..=tag.line + lines)
        .any(|line| context.symbols.contains(&(line, tag.name.as_str())))
}
