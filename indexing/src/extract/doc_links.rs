//! Names in documentation: links to symbols, in the notations of each language's documentation
//! tools.

use super::expressions::truncate_at_char;
use super::raw_facts::RawReference;
use super::symbols::FileSymbols;
use super::tree_scan::{LeafKind, TreeScan};
use kenning_graph::facts::{FILE_SCOPE, NameSpan, ReferenceRole};
use kenning_graph::positions::LineIndex;
use rustc_hash::FxHashSet;
use serde::Deserialize;

/// Maximum number of links per file. Generated documentation has thousands.
const MAX_LINKS: usize = 10_000;
/// Maximum length of a link in bytes. Longer texts in brackets are prose.
const MAX_LINK_BYTES: usize = 160;
/// Maximum number of segments of the path in a link. Longer paths are data.
const MAX_SEGMENTS: usize = 8;

/// The notation for symbols in documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocLinkStyle {
    /// No notation.
    #[default]
    None,
    /// `[Name]`, `[pkg.Name]`: Go, rustdoc (also `[text](path)` and `[`path`]`).
    Brackets,
    /// `{@link Name#member}`, `@see Name`, `@throws Name`: Javadoc, JSDoc, TSDoc.
    Javadoc,
    /// ``:class:`~module.Name` ``: Sphinx.
    Roles,
    /// `cref="Name.Member"`: XML documentation.
    Cref,
    /// `{Name#member}`, `@see Name`, `@return [Name]`: YARD.
    Yard,
}

/// A name in documentation, with the documented symbol.
pub(crate) struct DocLink {
    pub scope: u32,
    pub reference: RawReference,
}

/// Collects the links in all documentation of a file, in the order of the text.
pub(crate) fn collect_doc_links(
    text: &str,
    style: DocLinkStyle,
    scan: &TreeScan,
    symbols: &FileSymbols,
    lines: &LineIndex,
) -> Vec<DocLink> {
    let mut out = Vec::new();
    if style == DocLinkStyle::None {
        return out;
    }
    let mut seen: FxHashSet<(u32, String)> = FxHashSet::default();
    let (mut current_scope, mut in_code_block) = (FILE_SCOPE, false);
    for leaf in scan.words.iter().filter(|leaf| leaf.kind != LeafKind::Code) {
        let comment = leaf.kind == LeafKind::Comment;
        let Some(content) = text.get(leaf.start as usize..leaf.end as usize) else { continue };
        let documented = if comment { &symbols.doc_comments } else { &symbols.docstrings };
        let scope = match documented.get(&leaf.start) {
            Some(&symbol) => symbol,
            None if comment && content.starts_with("//!") => FILE_SCOPE,
            None => continue,
        };
        if scope != current_scope {
            (current_scope, in_code_block) = (scope, false);
        }
        for line in content.split_inclusive('\n') {
            if line.contains("```") {
                in_code_block = !in_code_block;
            }
            if in_code_block {
                continue;
            }
            let offset = line.as_ptr() as usize - text.as_ptr() as usize;
            for (at, path) in links_in_line(line, style) {
                if out.len() < MAX_LINKS
                    && let Some((receiver, name, start)) = split_link(path)
                    && seen.insert((scope, format!("{receiver}.{name}")))
                {
                    let start = (offset + at + start) as u32;
                    let (line, column) = lines.line_and_column(start);
                    let at = NameSpan { start, len: name.len() as u32, line, column };
                    let name = name.to_owned();
                    let reference =
                        RawReference { name, receiver, at, ..RawReference::with_role(ReferenceRole::Doc) };
                    out.push(DocLink { scope, reference });
                }
            }
        }
    }
    out
}

/// Returns the links on one line, each with its offset.
fn links_in_line(line: &str, style: DocLinkStyle) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    match style {
        DocLinkStyle::None => {}
        DocLinkStyle::Brackets => {
            for (at, inner) in texts_between(line, "[", "]") {
                let after = &line[at + inner.len() + 1..];
                if let Some(target) = after.strip_prefix('(') {
                    // In `[text](path)`, a URL is not a path.
                    let start = line.len() - target.len();
                    let target = truncate_at_char(target, MAX_LINK_BYTES);
                    let end = target.find(')').unwrap_or(0);
                    links.push((start, &target[..end]));
                } else if !after.starts_with([':', '[']) && !inner.contains(char::is_whitespace) {
                    let starts_word = line[..at - 1].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
                    links.extend(starts_word.then_some((at, inner)));
                }
            }
        }
        DocLinkStyle::Javadoc => {
            for opening in ["{@link ", "{@linkplain ", "{@linkcode "] {
                links.extend(texts_between(line, opening, "}"));
            }
            push_tag_words(line, &["@see ", "@throws ", "@exception "], &mut links);
        }
        DocLinkStyle::Roles => {
            for (at, inner) in texts_between(line, ":`", "`") {
                // The form `text <path>`.
                match inner.rfind('<').filter(|_| inner.ends_with('>')) {
                    Some(open) => links.push((at + open + 1, &inner[open + 1..inner.len() - 1])),
                    None => links.push((at, inner)),
                }
            }
        }
        DocLinkStyle::Cref => links.extend(texts_between(line, "cref=\"", "\"")),
        DocLinkStyle::Yard => {
            links.extend(texts_between(line, "{", "}"));
            push_tag_words(line, &["@see "], &mut links);
            let tags_with_type = ["@return ", "@param ", "@raise ", "@yieldparam "];
            if tags_with_type.iter().any(|tag| line.contains(tag)) {
                links.extend(texts_between(line, "[", "]").into_iter().take(1));
            }
        }
    }
    links.sort_unstable();
    links
}

/// Returns the texts between two markers, each with its offset.
fn texts_between<'t>(line: &'t str, open: &str, close: &str) -> Vec<(usize, &'t str)> {
    let mut texts = Vec::new();
    let mut from = 0;
    while let Some(at) = line[from..].find(open) {
        let start = from + at + open.len();
        let Some(length) = line[start..].find(close) else { break };
        texts.push((start, &line[start..start + length]));
        from = start + length;
    }
    texts
}

/// Adds the word after each of the tags.
fn push_tag_words<'t>(line: &'t str, names: &[&str], words: &mut Vec<(usize, &'t str)>) {
    for tag in names {
        // A tag must begin the line.
        if let Some(at) = line.find(tag).filter(|&at| !line[..at].contains(char::is_alphanumeric)) {
            let rest = &line[at + tag.len()..];
            let word = rest.trim_start();
            let end = word.find(char::is_whitespace).unwrap_or(word.len());
            words.push((line.len() - word.len(), &word[..end]));
        }
    }
}

/// Splits a link into receiver, name and the offset of the name. Returns `None` if it is not a path
/// of names.
pub(super) fn split_link(link: &str) -> Option<(String, &str, usize)> {
    let start = link.len() - link.trim_start_matches([' ', '`', '~', '*', '&']).len();
    let mut path = &link[start..];
    let mut start = start;
    // Skip the prefix of `T:Name` (XML documentation), `struct@Name` and `fn@name` (rustdoc).
    if let Some((prefix, rest)) = path.split_once(['@'])
        && !prefix.is_empty()
        && prefix.chars().all(|c| c.is_ascii_lowercase())
    {
        (start, path) = (start + prefix.len() + 1, rest);
    } else if path.len() > 2
        && path.as_bytes()[1] == b':'
        && path.as_bytes()[0].is_ascii_uppercase()
        && path.as_bytes()[2] != b':'
    {
        (start, path) = (start + 2, &path[2..]);
    }
    let is_part = |c: char| c.is_alphanumeric() || "_$.:#!?/".contains(c);
    let end = path.find(|c: char| !is_part(c)).unwrap_or(path.len());
    // Parameters, type arguments, a text or the end of the code may follow a path.
    let after = path[end..].chars().next();
    if end == 0 || end > MAX_LINK_BYTES || !after.is_none_or(|c| " (<{`|,\n\r\t".contains(c)) {
        return None;
    }
    let path = path[..end].trim_end_matches(['.', ':', ',']);
    if path.contains('/') {
        return None;
    }
    let is_member = path.starts_with(['#', '.']);
    let name_at = path.rfind(['.', ':', '#']).map_or(0, |at| at + 1);
    let name = &path[name_at..];
    let dotted = path.replace("::", ".").replace('#', ".");
    let segments: Vec<&str> = dotted.split('.').filter(|segment| !segment.is_empty()).collect();
    let is_name = |segment: &&str| {
        !segment.starts_with(|c: char| c.is_ascii_digit()) && !segment.contains([':', '$', '#'])
    };
    if segments.is_empty() || segments.len() > MAX_SEGMENTS || !segments.iter().all(is_name) {
        return None;
    }
    let receiver = segments[..segments.len() - 1].join(".");
    let receiver = if is_member && receiver.is_empty() { "this".to_owned() } else { receiver };
    (!name.is_empty()).then_some((receiver, name, start + name_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_links(line: &str, style: DocLinkStyle) -> String {
        let all = links_in_line(line, style).into_iter().filter_map(|(at, link)| {
            let (receiver, name, start) = split_link(link)?;
            assert_eq!(&line[at + start..at + start + name.len()], name);
            Some(format!("{receiver}>{name}"))
        });
        all.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn links_of_each_notation_are_found() {
        for (style, line, expected) in [
            (DocLinkStyle::Brackets, "See [Base.Ping], [io.Reader] and a[0] [x]: y", "Base>Ping io>Reader"),
            (
                DocLinkStyle::Brackets,
                "[`Foo::bar()`] [a text](crate::b::C) [d](https://x.org/a)",
                "Foo>bar crate.b>C",
            ),
            (DocLinkStyle::Brackets, "[struct@Foo] [ ] [two words]", ">Foo"),
            (
                DocLinkStyle::Javadoc,
                "{@link Base#start(int, T) begins} and {@link #stop}",
                "Base>start this>stop",
            ),
            (DocLinkStyle::Javadoc, " * @see p.Named#name", "p.Named>name"),
            (DocLinkStyle::Javadoc, " * @throws Broken if it is", ">Broken"),
            (
                DocLinkStyle::Roles,
                "a :class:`~flask.Flask` :meth:`.run` :func:`text <a.b>`",
                "flask>Flask this>run a>b",
            ),
            (
                DocLinkStyle::Cref,
                "<see cref=\"T:Base.Start(int)\"/> <see cref=\"List{T}\"/>",
                "Base>Start >List",
            ),
            (
                DocLinkStyle::Yard,
                "{Base#start} is @return [Broken] {#stop text}",
                "Base>start >Broken this>stop",
            ),
        ] {
            assert_eq!(render_links(line, style), expected, "{line}");
        }
    }

    #[test]
    fn no_line_causes_a_panic() {
        for line in
            ["[", "[]", "{@link }", ":``", "cref=\"\"", "@see", "[é](ü)", "{", "[#]", "[::]", "[.]", "[a@]"]
        {
            for style in [
                DocLinkStyle::Brackets,
                DocLinkStyle::Javadoc,
                DocLinkStyle::Roles,
                DocLinkStyle::Cref,
                DocLinkStyle::Yard,
            ] {
                render_links(line, style);
            }
        }
    }
}
