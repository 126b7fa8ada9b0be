//! The names in the code of a document. Prose has none: names come from spans of code, from roles,
//! and from identifiers in blocks whose spelling no plain word has.

use crate::extract::doc_links::split_link;
use crate::languages::LanguageRegistry;
use kenning_graph::analysis::is_compound;

/// Maximum number of bytes read of a block. Documents embed logs and data of megabytes.
const MAX_BLOCK_BYTES: usize = 64 * 1024;
/// Maximum number of names in a block. Listings of whole files have more.
const MAX_NAMES: usize = 256;
/// The lengths of names in blocks, in bytes.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 3..=80;

/// The language of a block for which the document gives no language.
pub(crate) const ANY_LANGUAGE: &str = "*";

/// An identifier in a block of code.
pub(super) struct CodeName<'t> {
    /// The identifier before it, if a path separator is between them; else empty.
    pub receiver: &'t str,
    pub name: &'t str,
    /// The first byte of the name.
    pub at: usize,
    /// The language id of the block, or [`ANY_LANGUAGE`].
    pub language: &'static str,
}

/// Splits a span of code that is one name or path of names into receiver, name and the offset of
/// the name. The name may have arguments (`run(app)`), but no other text may follow it.
pub(super) fn split_span(span: &str) -> Option<(String, &str, usize)> {
    let trimmed = span.trim();
    let path_end =
        trimmed.find(|c: char| !(c.is_alphanumeric() || "_$.:#".contains(c))).unwrap_or(trimmed.len());
    let rest = &trimmed[path_end..];
    let is_whole = rest.is_empty()
        || (rest.starts_with('(') && rest.ends_with(')'))
        || (rest.starts_with('<') && rest.ends_with('>'))
        || (rest.starts_with('[') && rest.ends_with(']'));
    if !is_whole || path_end == 0 {
        return None;
    }
    let (receiver, name, at) = split_link(&trimmed[..path_end])?;
    let at = span.len() - span.trim_start().len() + at;
    // A name of one letter is a variable of the text.
    (name.chars().nth(1).is_some()).then_some((receiver, name, at))
}

/// Returns the path of a file if a span of code may be one: it has a folder and no spaces.
pub(super) fn path_in_span(span: &str) -> Option<&str> {
    let path = span.trim();
    let is_path = path.len() <= 200
        && path.contains('/')
        && !path.starts_with(['/', '-', '@'])
        && !path.ends_with('/')
        && path.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./+".contains(&b) || !b.is_ascii());
    is_path.then_some(path)
}

/// Returns the identifiers in a block of code that may name symbols, each spelling once. Blocks in
/// languages that are not code (shell sessions, data, prose) have none.
pub(super) fn names_in_code<'t>(text: &'t str, tag: &str) -> Vec<CodeName<'t>> {
    let Some(language) = language_of_tag(tag) else { return Vec::new() };
    let text = crate::extract::expressions::truncate_at_char(text, MAX_BLOCK_BYTES);
    let bytes = text.as_bytes();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut names: Vec<CodeName> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let (mut at, mut previous) = (0, 0..0);
    while at < text.len() && names.len() < MAX_NAMES {
        let rest = &text[at..];
        let Some(skip) = rest.find(is_part) else { break };
        let start = at + skip;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
        at = end;
        let name = &text[start..end];
        let joined = matches!(&text[previous.end..start], "." | "::" | "->" | "?." | "#");
        let receiver = if joined { &text[previous.clone()] } else { "" };
        previous = start..end;
        let is_called = matches!(bytes.get(end), Some(b'(' | b'!'));
        let is_name = NAME_BYTES.contains(&name.len())
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && (is_compound(name) || is_called || joined || name.starts_with(char::is_uppercase));
        // Without a language, a capital is often the beginning of a sentence.
        let is_certain = language != ANY_LANGUAGE || is_compound(name) || is_called;
        if is_name && is_certain && seen.insert((receiver, name)) {
            names.push(CodeName { receiver, name, at: start, language });
        }
    }
    names
}

/// Returns the language id for the tag of a block, or [`ANY_LANGUAGE`] for an empty tag. Returns
/// `None` if the tag is not that of code.
fn language_of_tag(tag: &str) -> Option<&'static str> {
    let tag = tag.trim().to_ascii_lowercase();
    if tag.is_empty() {
        return Some(ANY_LANGUAGE);
    }
    let registry = LanguageRegistry::get();
    let tagged = registry.all_languages().iter().find(|language| language.row.block_tags.contains(&tag));
    let language = tagged.or_else(|| registry.find_by_id(&tag));
    let language = language.or_else(|| registry.find_by_path(format!("x.{tag}")))?;
    let row = &language.row;
    let is_code =
        row.document.is_none() && !row.unparsed && !row.names.is_empty() && !row.blocks_are_commands;
    is_code.then_some(row.id.as_str())
}
