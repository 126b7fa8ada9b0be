//! The sections of a document: turns headings, prose, code and links into file facts.

use super::code_names::{CodeName, names_in_code, path_in_span, split_span};
use crate::extract::doc_comments::MAX_DOC_BYTES;
use crate::extract::expressions::{one_line, truncate_at_char};
use crate::extract::text_terms::{TermCounter, WordTokens};
use kenning_graph::facts::{
    FILE_SCOPE, FileFacts, NameSpan, ReferenceFact, ReferenceRole, Span, StringTableBuilder, SymbolFact,
    UNKNOWN_ARITY,
};
use kenning_graph::hash::Hash;
use kenning_graph::positions::LineIndex;
use kenning_graph::text::TextField;
use kenning_graph::vocabulary::{SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// The deepest level of headings that begin a section.
const MAX_LEVEL: u8 = 4;
/// Maximum length of a heading in bytes. Hostile documents have headings of megabytes. The rest is
/// cut off.
const MAX_HEADING_BYTES: usize = 200;
/// Maximum number of names in the code of one section, and of links in it. Generated references
/// list thousands.
const MAX_PER_SECTION: usize = 64;

/// The `arguments` of a link that is a path in code rather than a link of the format.
pub(crate) const PATH_IN_CODE: &str = "`";
/// The `arguments` of a link of a wiki, which names a page rather than a path.
pub(crate) const WIKI_LINK: &str = "[[";
/// The name in a link to the document itself.
pub(crate) const SAME_DOCUMENT: &str = ".";

/// The content of a document in the order of the text, with positions in the file.
#[derive(Default)]
pub(super) struct RawDocument<'t> {
    pub headings: Vec<RawHeading>,
    /// Runs of words with their first byte.
    pub texts: Vec<(u32, TextField, Cow<'t, str>)>,
    /// Paragraphs with their first byte; each heading needs only the first one after it.
    pub paragraphs: Vec<(u32, String)>,
    pub references: Vec<DocumentReference>,
}

/// A heading of any level.
pub(super) struct RawHeading {
    pub level: u8,
    /// The text without markup.
    pub name: String,
    /// The line of the heading with its markup.
    pub written: String,
    /// The first byte of the heading with its markup.
    pub start: u32,
    /// The first byte of the text.
    pub name_start: u32,
    /// The byte after the text.
    pub name_end: u32,
}

/// A name in code or a link.
pub(super) struct DocumentReference {
    pub role: ReferenceRole,
    /// The name, or the path of a link.
    pub name: String,
    /// The receiver of a name, or the fragment of a link.
    pub receiver: String,
    /// The language of the block around a name, or the notation of a link.
    pub arguments: String,
    pub start: u32,
    pub len: u32,
}

/// The positions in a file of a text that was decoded from it.
pub(super) enum PositionMap<'t> {
    /// The text is the file.
    Same,
    /// The text was decoded from literals of the file.
    Literals(&'t [super::notebook::DecodedPosition]),
}

impl PositionMap<'_> {
    /// Returns the byte of the file for a byte of the text.
    pub fn file_offset(&self, at: usize) -> u32 {
        match self {
            Self::Same => at as u32,
            Self::Literals(positions) => super::notebook::file_offset(positions, at),
        }
    }
}

impl<'t> RawDocument<'t> {
    /// Adds a heading, unless it has no text.
    pub fn add_heading(&mut self, heading: RawHeading) {
        let name = truncate_at_char(&one_line(&heading.name), MAX_HEADING_BYTES).trim_end().to_owned();
        if !name.is_empty() {
            let written = one_line(truncate_at_char(heading.written.trim(), MAX_HEADING_BYTES));
            self.headings.push(RawHeading { name, written, ..heading });
        }
    }

    /// Adds words of prose.
    pub fn add_prose(&mut self, start: u32, text: Cow<'t, str>) {
        self.texts.push((start, TextField::Doc, text));
    }

    /// Adds a paragraph, as documentation of its section.
    pub fn add_paragraph(&mut self, start: u32, text: &str) {
        // A later paragraph after the same heading is not needed.
        let heading = self.headings.last().map_or(0, |heading| heading.start);
        if self.paragraphs.last().is_none_or(|(at, _)| *at < heading) && !text.trim().is_empty() {
            let text = one_line(truncate_at_char(text, MAX_DOC_BYTES));
            self.paragraphs.push((start, text));
        }
    }

    /// Adds code in a line of prose.
    pub fn add_span(&mut self, start: u32, text: Cow<'t, str>) {
        if let Some((receiver, name, at)) = split_span(&text) {
            self.add_name(start + at as u32, name, receiver, "");
        } else if let Some(path) = path_in_span(&text) {
            self.add_link(start, path, PATH_IN_CODE);
        }
        self.texts.push((start, TextField::Code, text));
    }

    /// Adds a name that markup identifies as code: a role, a directive.
    pub fn add_name(&mut self, start: u32, name: &str, receiver: String, language: &str) {
        self.references.push(DocumentReference {
            role: ReferenceRole::Doc,
            name: name.to_owned(),
            receiver,
            arguments: language.to_owned(),
            start,
            len: name.len() as u32,
        });
    }

    /// Adds a block of code. `tag` is the language that the document gives, or empty.
    pub fn add_code(&mut self, text: Cow<'t, str>, tag: &str, offset: impl Fn(usize) -> u32) {
        for CodeName { receiver, name, at, language } in names_in_code(&text, tag) {
            self.references.push(DocumentReference {
                role: ReferenceRole::Doc,
                name: name.to_owned(),
                receiver: receiver.to_owned(),
                arguments: language.to_owned(),
                start: offset(at),
                len: name.len() as u32,
            });
        }
        self.texts.push((offset(0), TextField::Code, text));
    }

    /// Adds a link, unless it leaves the workspace.
    pub fn add_link(&mut self, start: u32, destination: &str, notation: &str) {
        let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
        let path = path.split('?').next().unwrap_or(path);
        let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        });
        if has_scheme || path.starts_with("//") || (path.is_empty() && fragment.is_empty()) {
            return;
        }
        self.references.push(DocumentReference {
            role: ReferenceRole::Link,
            name: if path.is_empty() { SAME_DOCUMENT } else { path }.to_owned(),
            receiver: fragment.to_owned(),
            arguments: notation.to_owned(),
            start,
            len: 0,
        });
    }
}

/// Builds the facts of a document.
pub(super) fn build_facts(
    document: &RawDocument<'_>,
    text: &str,
    lines: &LineIndex,
    words: &mut WordTokens,
) -> FileFacts {
    let symbols = build_sections(document, text, lines);
    // The sections are in the order of the text, and each ends where the next of its level begins.
    let section_at = |at: u32| match symbols.partition_point(|symbol| symbol.span.start <= at) {
        0 => FILE_SCOPE,
        count => count as u32 - 1,
    };
    let mut strings = StringTableBuilder::default();
    let references = build_references(document, lines, section_at, &mut strings);
    let texts = document.texts.iter().map(|(at, field, text)| (section_at(*at), *field, text.as_ref()));
    let folded = document.headings.iter().filter(|heading| heading.level > MAX_LEVEL);
    let folded = folded.map(|heading| (section_at(heading.start), TextField::Doc, heading.name.as_str()));
    let file_text = TermCounter::new(words, symbols.len()).count_document(&symbols, texts.chain(folded));
    FileFacts {
        is_document: true,
        references,
        strings: strings.into_table(),
        text: file_text,
        lines: lines.count_lines(text),
        symbols,
        ..FileFacts::default()
    }
}

fn build_sections(document: &RawDocument<'_>, text: &str, lines: &LineIndex) -> Vec<SymbolFact> {
    let headings: Vec<&RawHeading> =
        document.headings.iter().filter(|heading| heading.level <= MAX_LEVEL).collect();
    let mut ends = vec![text.len() as u32; headings.len()];
    // The sections around the current heading, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(headings.len());
    for (at, heading) in headings.iter().enumerate() {
        while let Some(&last) = open.last()
            && headings[last].level >= heading.level
        {
            ends[last] = heading.start;
            open.pop();
        }
        parents.push(open.last().copied());
        open.push(at);
    }
    let mut sections: Vec<SymbolFact> = Vec::with_capacity(headings.len());
    for (at, heading) in headings.iter().enumerate() {
        let (start, end) = (heading.start, ends[at].max(heading.start));
        let container = parents[at].map(|parent| sections[parent].qualified_name()).unwrap_or_default();
        let next = headings.get(at + 1).map_or(u32::MAX, |next| next.start);
        let first = document.paragraphs.partition_point(|(paragraph, _)| *paragraph < start);
        let doc = document.paragraphs.get(first).filter(|(paragraph, _)| *paragraph < next);
        let (line, column) = lines.line_and_column(heading.name_start);
        let body = &text[start as usize..end as usize];
        sections.push(SymbolFact {
            name: heading.name.clone(),
            parent: parents[at].map(|parent| parent as u32),
            container,
            kind: SymbolKind::Section,
            span: Span {
                start,
                end,
                start_line: lines.line_and_column(start).0,
                end_line: lines.line_and_column(end.max(start + 1) - 1).0,
            },
            name_span: NameSpan {
                start: heading.name_start,
                len: heading.name_end.saturating_sub(heading.name_start),
                line,
                column,
            },
            signature: heading.written.clone(),
            doc: doc.map(|(_, text)| text.clone()).unwrap_or_default(),
            params: String::new(),
            arity: None,
            ty: String::new(),
            bases: Vec::new(),
            visibility: Visibility::Public,
            is_test: false,
            body_hash: Hash::from_content(body.as_bytes()).sort_prefix(),
        });
    }
    sections
}

fn build_references(
    document: &RawDocument<'_>,
    lines: &LineIndex,
    section_at: impl Fn(u32) -> u32,
    strings: &mut StringTableBuilder,
) -> Vec<ReferenceFact> {
    let mut sorted: Vec<&DocumentReference> =
        document.references.iter().filter(|reference| !reference.name.is_empty()).collect();
    // Names in blocks of code come after those that the author marked one by one, so that the limit
    // leaves them out first.
    sorted.sort_by_key(|reference| (section_at(reference.start), is_from_block(reference), reference.start));
    let mut seen: FxHashSet<(u32, ReferenceRole, &str, &str)> = FxHashSet::default();
    let (mut section, mut counts) = (None, [0_usize; 2]);
    let mut references = Vec::new();
    for reference in sorted {
        let scope = section_at(reference.start);
        if section != Some(scope) {
            (section, counts) = (Some(scope), [0; 2]);
        }
        let count = &mut counts[usize::from(reference.role == ReferenceRole::Link)];
        if *count >= MAX_PER_SECTION
            || !seen.insert((scope, reference.role, &reference.name, &reference.receiver))
        {
            continue;
        }
        *count += 1;
        let (line, column) = lines.line_and_column(reference.start);
        references.push(ReferenceFact {
            name: strings.intern(&reference.name),
            receiver: strings.intern(&reference.receiver),
            role: reference.role,
            scope,
            at: NameSpan { start: reference.start, len: reference.len, line, column },
            arity: UNKNOWN_ARITY,
            arguments: strings.intern(&reference.arguments),
        });
    }
    references.sort_by_key(|reference| reference.at.start);
    references
}

fn is_from_block(reference: &DocumentReference) -> bool {
    reference.role == ReferenceRole::Doc && !reference.arguments.is_empty()
}
