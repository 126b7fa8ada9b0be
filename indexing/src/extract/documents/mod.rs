//! Facts of documents: sections, names in their code, and links.
//!
//! The input is the text of a document in one of the formats of [`DocumentFormat`]; the output is
//! its `FileFacts`. A format's module reads the text into a [`RawDocument`]: headings, prose, code
//! and links with their positions. `outline` turns that into facts, which is the same for all
//! formats:
//!
//! * Headings of the levels 1 to 4 are symbols of the kind `section`. A section reaches to the next
//!   heading of the same or a higher level, so it contains its subsections; its own text ends at
//!   the next heading. Deeper headings are text.
//! * Names in code are references with the role `Doc`. `code_names` finds the names; prose has
//!   none.
//! * Links are references with the role `Link`.
//!
//! Documents are not parsed with tree-sitter, and they have no imports, bindings or endpoints.

mod asciidoc;
mod code_names;
mod markdown;
mod notebook;
mod outline;
mod restructured_text;

pub(crate) use code_names::ANY_LANGUAGE;
pub(crate) use outline::{PATH_IN_CODE, SAME_DOCUMENT, WIKI_LINK};

use super::text_terms::WordTokens;
use kenning_graph::FileFacts;
use kenning_graph::facts::ParseQuality;
use kenning_graph::positions::LineIndex;
use outline::RawDocument;
use serde::Deserialize;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DocumentFormat {
    /// CommonMark with the extensions of GitHub and wiki links.
    Markdown,
    /// Markdown with `import`, `export` and components.
    Mdx,
    /// reStructuredText with the directives and roles of Sphinx.
    RestructuredText,
    /// AsciiDoc.
    Asciidoc,
    /// A Jupyter notebook: JSON with cells of Markdown and code.
    Notebook,
}

/// Extracts the facts of a document. Every text has facts; a notebook that is not valid JSON has no
/// sections and no words.
pub(crate) fn extract_document(
    words: &mut WordTokens,
    language: &str,
    format: DocumentFormat,
    text: &str,
    quality: ParseQuality,
) -> FileFacts {
    let lines = LineIndex::new(text);
    let mut quality = quality;
    let (blanked, imports) = match format {
        DocumentFormat::Mdx => markdown::blank_modules(text),
        _ => (text.into(), Vec::new()),
    };
    let notebook = match format {
        DocumentFormat::Notebook => notebook::decode_notebook(text),
        _ => None,
    };
    quality.syntax_errors = format == DocumentFormat::Notebook && notebook.is_none();
    let mut document = RawDocument::default();
    match format {
        DocumentFormat::Markdown | DocumentFormat::Mdx => {
            for (start, path) in imports {
                document.add_link(start, path, "");
            }
            markdown::read_markdown(&blanked, &outline::PositionMap::Same, &mut document);
        }
        DocumentFormat::RestructuredText => restructured_text::read_restructured_text(text, &mut document),
        DocumentFormat::Asciidoc => asciidoc::read_asciidoc(text, &mut document),
        DocumentFormat::Notebook => {
            if let Some(notebook) = &notebook {
                notebook.read_into(&mut document);
            }
        }
    }
    let facts = outline::build_facts(&document, text, &lines, words);
    FileFacts { language: language.to_owned(), quality, ..facts }
}
