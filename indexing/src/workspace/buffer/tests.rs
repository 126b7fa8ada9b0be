//! Tests that the facts of a buffer depend on its text alone and not on the edits that led to it.

use super::*;
use crate::extract::Extractor;

/// Maximum size in bytes of a text with facts.
const LIMIT: u64 = 1 << 20;

/// One file per language, with samples of the syntax that edits can break.
const TEXTS: &[(&str, &str)] = &[
    (
        "a.go",
        "package a\n\nimport \"fmt\"\n\n// Cart holds.\ntype Cart struct{ n int }\n\nfunc (c *Cart) Total(x int) int {\n\tfmt.Println(\"é😀\")\n\treturn c.round(x)\n}\n",
    ),
    (
        "a.py",
        "from .b import c\n\nclass Cart(Base):\n    \"\"\"Holds é😀.\"\"\"\n    def total(self, x):\n        return self.round(sum(c(i) for i in x))\n\n\ndef rate(p): return p // 5\n",
    ),
    (
        "a.ts",
        "import { a } from './b';\nexport class Cart<T> implements I {\n  private n: number[] = [];\n  total(): number { return this.n.map((i) => a(i)).length; }\n}\n",
    ),
    (
        "a.jsx",
        "import { Cart } from './c';\nexport function View() {\n  const cart = new Cart();\n  return <div title=\"é\">{cart.total()}</div>;\n}\n",
    ),
    (
        "a.rs",
        "//! Shop.\nuse crate::tax::apply;\n/// Holds.\npub struct Cart { items: Vec<u32> }\nimpl Cart {\n    pub fn total(&self) -> u32 { self.items.iter().map(|i| apply(*i)).sum() }\n}\n",
    ),
    (
        "A.java",
        "package shop;\nimport shop.tax.Tax;\npublic class A extends B {\n  private int sum;\n  /** Sums. */\n  public int total(int x) { return Tax.apply(sum) + total(x); }\n}\n",
    ),
    (
        "A.cs",
        "namespace Shop;\npublic class Cart : Base {\n  public int Total() { return Round(Tax.Apply(1)); }\n  string s = \"é😀\";\n}\n",
    ),
    (
        "a.rb",
        "require_relative 'tax'\nclass Cart < Base\n  def total\n    Tax.apply(round(1))\n  end\nend\nputs <<~X\n  é😀\nX\n",
    ),
];

/// Texts that random edits insert; an empty text makes the edit a deletion.
const PIECES: &[&str] = &[
    "",
    "",
    "x",
    "total",
    "Cart",
    "(",
    ")",
    "{",
    "}",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "#",
    "é",
    "😀",
    "def f():\n",
    "class X",
    "fn y() {}",
    "\"\"\"",
    "<<~X",
    ";",
    "=",
    ".",
    ",",
    "\u{feff}",
    "\0",
];

/// A deterministic random number generator (SplitMix64; Steele, Lea, Flood 2014).
struct RandomNumbers(u64);

impl RandomNumbers {
    /// Returns a number below `bound`.
    fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    /// Returns a character boundary of `text`.
    fn next_boundary(&mut self, text: &str) -> usize {
        let at = self.next_below(text.len() + 1);
        (at..=text.len()).find(|&at| text.is_char_boundary(at)).expect("the end of a text is a boundary")
    }
}

/// Calls `visit` with the path of a file, each text that random edits produce, and the edits that
/// produced it. The first text of a file has no edits.
fn for_each_edited_text(mut visit: impl FnMut(&str, &str, &[TreeEdit])) {
    let mut numbers = RandomNumbers(3);
    for (path, original) in TEXTS {
        let crlf = original.replace('\n', "\r\n");
        for start in [(*original).to_owned(), crlf, original.replace('\n', "\r")] {
            let mut text = start;
            visit(path, &text, &[]);
            for _ in 0..25 {
                let mut edits = Vec::new();
                for _ in 0..=numbers.next_below(3) {
                    let (first, second) = (numbers.next_boundary(&text), numbers.next_boundary(&text));
                    let (from, to) = (first.min(second), first.max(second));
                    let to = if to - from > 12 { from } else { to };
                    let piece = PIECES[numbers.next_below(PIECES.len())];
                    edits.push(TreeEdit::new(text.as_bytes(), from..to, piece.as_bytes()));
                    text.replace_range(from..to, piece);
                }
                if numbers.next_below(4) == 0 {
                    // One edit undoes everything, so that most edits start from a text without
                    // errors.
                    edits.push(TreeEdit::between_texts(text.as_bytes(), original.as_bytes()));
                    text = (*original).to_owned();
                }
                visit(path, &text, &edits);
            }
        }
    }
}

/// Returns provisional buffers whose facts change when they are confirmed.
pub(crate) fn buffers_changed_by_confirmation() -> Vec<Buffer> {
    let mut changed = Vec::new();
    let mut buffer = Buffer::new("", "".into(), LIMIT);
    for_each_edited_text(|path, text, edits| {
        buffer = match edits {
            [] => Buffer::new(path, text.into(), LIMIT),
            _ => buffer.with_typed_edits(text.into(), edits, LIMIT),
        };
        if buffer.with_confirmed_facts(LIMIT).file_facts() != buffer.file_facts() {
            changed.push(buffer.clone());
        }
    });
    changed
}

#[test]
fn facts_after_random_edits_depend_only_on_the_text() {
    let mut buffer = Buffer::new("", "".into(), LIMIT);
    for_each_edited_text(|path, text, edits| {
        let alone = Buffer::new(path, text.into(), LIMIT);
        buffer = match edits {
            [] => alone.clone(),
            _ => buffer.with_edits(text.into(), edits, LIMIT),
        };
        assert_eq!(buffer.file_facts(), alone.file_facts(), "{path}:\n{text}");
        assert_eq!(buffer.content_hash(), alone.content_hash());
        assert!(!buffer.is_provisional() && !alone.is_provisional());
    });
}

#[test]
fn confirmed_facts_depend_only_on_the_text_and_rarely_change() {
    let mut buffer = Buffer::new("", "".into(), LIMIT);
    let (mut provisional, mut unchanged) = (0, 0);
    for_each_edited_text(|path, text, edits| {
        // Each text is parsed from the tree of the previous one, which may have errors, without
        // confirming any of them.
        let alone = Buffer::new(path, text.into(), LIMIT);
        buffer = match edits {
            [] => alone.clone(),
            _ => buffer.with_typed_edits(text.into(), edits, LIMIT),
        };
        let confirmed = buffer.with_confirmed_facts(LIMIT);
        assert!(!confirmed.is_provisional());
        assert_eq!(confirmed.file_facts(), alone.file_facts(), "{path}:\n{text}");
        let same = Arc::ptr_eq(confirmed.file_facts().expect("facts"), buffer.file_facts().expect("facts"));
        assert!(same || buffer.is_provisional(), "{path}:\n{text}");
        provisional += usize::from(buffer.is_provisional());
        unchanged += usize::from(buffer.is_provisional() && same);
    });
    assert!(
        unchanged > 100 && unchanged < provisional,
        "confirming changed nothing in {unchanged} of {provisional} texts with errors"
    );
}

#[test]
fn rows_are_counted_by_line_ends_and_columns_in_bytes() {
    let edit = TreeEdit::new("é\r\nx\ry\n".as_bytes(), 5..7, "1\n😀".as_bytes()).0;
    let point = |row, column| Point { row, column };
    assert_eq!((edit.start_byte, edit.old_end_byte, edit.new_end_byte), (5, 7, 11));
    assert_eq!((edit.start_position, edit.old_end_position), (point(1, 1), point(2, 1)));
    assert_eq!(edit.new_end_position, point(2, 4));
}

#[test]
fn an_edit_at_a_carriage_return_includes_it_and_its_line_feed() {
    let byte_range = |before: &str, range, inserted: &str| {
        let edit = TreeEdit::new(before.as_bytes(), range, inserted.as_bytes()).0;
        (edit.start_byte, edit.old_end_byte, edit.new_end_byte)
    };
    assert_eq!(byte_range("a\r\nb", 2..2, "x"), (1, 3, 4), "the edit splits a line end");
    assert_eq!(byte_range("a\rx\nb", 2..3, ""), (1, 4, 3), "the edit joins a line end");
    assert_eq!(byte_range("a\nb", 1..1, "\r"), (1, 2, 3), "the inserted text joins a line end");
    assert_eq!(byte_range("a\r\nb", 1..2, ""), (1, 3, 2));
    assert_eq!(byte_range("a\nb", 1..1, "x"), (1, 1, 2), "other edits are unchanged");
}

#[test]
fn one_edit_turns_any_text_into_any_other() {
    let edit = |before: &str, after: &str| {
        let edit = TreeEdit::between_texts(before.as_bytes(), after.as_bytes()).0;
        (edit.start_byte, edit.old_end_byte, edit.new_end_byte)
    };
    assert_eq!(edit("abc", "abc"), (3, 3, 3));
    assert_eq!(edit("abc", "aXbc"), (1, 1, 2));
    assert_eq!(edit("aa", "aaa"), (2, 2, 3));
    assert_eq!(edit("", "x"), (0, 0, 1));
    assert_eq!(edit("xyz", ""), (0, 3, 0));
}

#[test]
fn a_text_that_is_too_long_or_in_an_unknown_language_has_no_facts() {
    assert!(Buffer::new("a.go", "package a\n".into(), 5).file_facts().is_none());
    assert!(Buffer::new("a.unknown", "package a\n".into(), LIMIT).file_facts().is_none());
    let long = Buffer::new("a.go", "package a\n".into(), 5);
    assert!(long.with_edits("a\n".into(), &[], LIMIT).file_facts().is_some(), "the new text is short enough");
}

#[test]
fn parallel_extraction_of_a_long_text_gives_the_same_facts() {
    for (path, original) in TEXTS {
        let valid = original.repeat(20_000 / original.len());
        let broken = valid.replacen(['(', '='], " ", 40);
        for text in [valid, broken] {
            let language = LanguageRegistry::get().find_by_path(path).expect("known").language_id();
            let buffer = Buffer::new(path, text.as_str().into(), LIMIT);
            let alone = Extractor::new().extract_file(language, text.as_bytes());
            let parallel = FileFacts::clone(buffer.file_facts().expect("facts"));
            assert_eq!(parallel, alone, "{path}");
            assert!(alone.symbols.len() > 50, "{path}: too few symbols");
        }
    }
}

#[test]
fn facts_after_edits_of_a_long_text_depend_only_on_the_text() {
    let mut numbers = RandomNumbers(7);
    for (path, original) in TEXTS {
        let language = LanguageRegistry::get().find_by_path(path).expect("known").language_id();
        let mut text = original.repeat(10_000 / original.len());
        let mut buffer = Buffer::new(path, text.as_str().into(), LIMIT);
        let mut broken = 0;
        for step in 0..20 {
            let at = numbers.next_boundary(&text);
            let piece = PIECES[numbers.next_below(PIECES.len())];
            let edit = TreeEdit::new(text.as_bytes(), at..at, piece.as_bytes());
            text.insert_str(at, piece);
            buffer = buffer.with_edits(text.as_str().into(), &[edit], LIMIT);
            let alone = Extractor::new().extract_file(language, text.as_bytes());
            broken += usize::from(alone.quality.syntax_errors);
            let edited = FileFacts::clone(buffer.file_facts().expect("facts"));
            assert_eq!(edited, alone, "{path}, step {step}, {piece:?} at {at}");
        }
        assert!(broken > 5, "{path}: {broken} of 20 texts had errors");
    }
}

#[test]
fn parallel_extraction_gives_up_at_the_same_step_limit() {
    let text = "package a\n".to_owned() + &"func f(x int) int { return x + f(x) }\n".repeat(1000);
    let extract = |limit, parallel| {
        let mut extractor = Extractor::new();
        extractor.set_step_limit(limit);
        extractor.set_parallel(parallel);
        extractor.extract_file("go", text.as_bytes())
    };
    for limit in [50, 1_100, 1_300, 100_000] {
        assert_eq!(extract(limit, true), extract(limit, false), "{limit} steps");
    }
    let given_up = [1_100, 1_300, 100_000].map(|limit| extract(limit, true).quality.abandoned);
    assert_eq!(given_up, [true, true, false]);
}
