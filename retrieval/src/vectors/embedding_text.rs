//! Writes the texts that a model turns into the vectors of a file.
//!
//! The text of a code symbol has its name, signature, documentation and body. The text of a section
//! has its heading and content. The text of a file has the words of its path and the names of its
//! outermost symbols. Names are split into their words, because models know words.

use super::TextEmbedder;
use super::quantize::QuantizedVector;
use crate::channels::is_result_kind;
use crate::text_source::TextSource;
use kenning_graph::analysis::{raw_words, word_parts};
use kenning_graph::vectors::{VectorBlock, VectorKind, VectorRow};
use kenning_graph::{FileId, Snapshot, SymbolKind, SymbolRef};

/// The version of the rules of this module. Vectors of another version are computed again.
pub const TEXT_RULES: u32 = 1;

/// Maximum length of a body or section that is read, in bytes. The rest of a long text adds little
/// to its meaning.
const MAX_BODY_BYTES: usize = 2_000;

/// Maximum length of the documentation that is read, in bytes. Module documentation can be longer.
const MAX_DOC_BYTES: usize = 2_000;

/// Maximum number of outermost symbols that describe a file. Generated files have thousands.
const MAX_NAMES: usize = 100;

/// Returns the vectors of a file and of its symbols or sections. A symbol without a word that the
/// model knows has no vector. Returns `None` if the text of the file is not the text that the
/// snapshot was made from.
pub fn embed_file(
    snapshot: &Snapshot,
    file: FileId,
    text: &dyn TextSource,
    embedder: &dyn TextEmbedder,
) -> Option<VectorBlock> {
    let mut block = VectorBlock::new(embedder.dimensions());
    let file_ref = snapshot.file(file)?;
    let content = text.read_text(file_ref.path, &file_ref.content_hash)?;
    let symbols = snapshot.file_symbol_refs(file);
    for symbol in &symbols {
        let (kind, text) = match symbol.kind {
            SymbolKind::File => (VectorKind::File, describe_file(symbol, &symbols)),
            SymbolKind::Section => (VectorKind::Section, describe_section(symbol, &content)),
            kind if is_result_kind(kind) => (VectorKind::Code, describe_code(symbol, &content)),
            _ => continue,
        };
        if let Some(vector) = QuantizedVector::from_floats(&embedder.embed_text(&text)) {
            let row = VectorRow { symbol: symbol.hash, kind, scale: vector.scale };
            block.push_row(row, &vector.values);
        }
    }
    Some(block)
}

fn describe_code(symbol: &SymbolRef<'_>, content: &str) -> String {
    let mut words = PlainWords::default();
    words.add_text(symbol.name);
    words.add_text(symbol.signature_text());
    words.add_text(cut_text(symbol.doc_text(), MAX_DOC_BYTES));
    words.add_text(body_text(symbol, content));
    words.text
}

fn describe_section(symbol: &SymbolRef<'_>, content: &str) -> String {
    let mut words = PlainWords::default();
    words.add_text(symbol.name);
    words.add_text(body_text(symbol, content));
    words.text
}

fn describe_file(file: &SymbolRef<'_>, symbols: &[SymbolRef<'_>]) -> String {
    let mut words = PlainWords::default();
    words.add_text(file.path);
    let outermost =
        symbols.iter().filter(|symbol| symbol.kind != SymbolKind::File && symbol.parent.is_none());
    outermost.take(MAX_NAMES).for_each(|symbol| words.add_text(symbol.name));
    words.text
}

/// Returns the beginning of the text of a symbol.
fn body_text<'t>(symbol: &SymbolRef<'_>, content: &'t str) -> &'t str {
    let range = symbol.span.start as usize..symbol.span.end as usize;
    cut_text(content.get(range).unwrap_or_default(), MAX_BODY_BYTES)
}

fn cut_text(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Returns the words of a text, separated by spaces. Names are split into their parts.
pub(super) fn plain_words(text: &str) -> String {
    let mut words = PlainWords::default();
    words.add_text(text);
    words.text
}

/// The words of some texts, separated by spaces.
#[derive(Default)]
struct PlainWords {
    text: String,
}

impl PlainWords {
    fn add_text(&mut self, text: &str) {
        for part in raw_words(text).flat_map(word_parts) {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::build_fixture;
    use expect_test::expect;
    use std::sync::Mutex;

    #[test]
    fn names_are_split_into_words() {
        let words = [
            ("getUserById(HTTPServer server)", "get User By Id HTTP Server server"),
            ("src/session_store.py", "src session store py"),
            ("  -> __init__ ", "init"),
            ("größeÄnderung 你好", "größe Änderung 你好"),
            ("", ""),
        ];
        for (text, expected) in words {
            assert_eq!(plain_words(text), expected);
        }
        assert_eq!(cut_text("aä", 2), "a");
    }

    /// A model that records its texts.
    struct RecordingEmbedder(Mutex<Vec<String>>);

    impl TextEmbedder for RecordingEmbedder {
        fn embed_text(&self, text: &str) -> Vec<f32> {
            self.0.lock().unwrap().push(text.to_owned());
            vec![text.len() as f32, if text.contains("unknown") { f32::NAN } else { 1.0 }]
        }

        fn dimensions(&self) -> usize {
            2
        }
    }

    #[test]
    fn every_symbol_of_a_file_gets_the_vector_of_its_text() {
        let app = build_fixture(
            "//- src/cart.py\nclass ShopCart: The goods. { item }\nmethod ShopCart.add_item: Adds it. { checkStock }\nfunction unknown { x }\n",
        );
        let file = app.snapshot.file_by_path("src/cart.py").unwrap();
        let embedder = RecordingEmbedder(Mutex::default());
        let block = embed_file(&app.snapshot, file, &app, &embedder).unwrap();
        expect![[r#"
            src cart py Shop Cart unknown
            Shop Cart class Shop Cart The goods class Shop Cart The goods item
            add item method Shop Cart add item Adds it method Shop Cart add item Adds it check Stock
            unknown function unknown function unknown x
        "#]]
        .assert_eq(&(embedder.0.into_inner().unwrap().join("\n") + "\n"));
        // The model knows no word of the file and of `unknown`.
        let rows: Vec<(String, VectorKind)> = block
            .rows()
            .iter()
            .map(|row| (app.symbol_name(app.snapshot.symbol_by_hash(&row.symbol).unwrap()), row.kind))
            .collect();
        assert_eq!(
            embed_file(&app.snapshot, file, &crate::NoText, &RecordingEmbedder(Mutex::default())),
            None
        );
        let code = |name: &str| (name.to_owned(), VectorKind::Code);
        assert_eq!(rows, [code("ShopCart"), code("ShopCart.add_item")]);
    }
}
