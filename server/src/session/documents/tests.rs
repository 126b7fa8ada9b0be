//! Tests of open documents against a naive model that splits the text again for every edit.

use super::*;

const ENCODINGS: [PositionEncoding; 3] =
    [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32];

fn range(start: (u32, u32), end: (u32, u32), text: &str) -> TextEdit {
    let position = |(line, character)| TextPosition { line, character };
    TextEdit::Range { start: position(start), end: position(end), text: text.to_owned() }
}

/// A small deterministic generator (splitmix64, Steele, Lea and Flood 2014).
struct RandomNumbers(u64);

impl RandomNumbers {
    fn number_below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    fn text(&mut self, pieces: usize) -> String {
        const PIECES: [&str; 9] = ["a", "fn x()", "é", "😀", "\n", "\r\n", "\r", "\t", "漢字"];
        (0..self.number_below(pieces)).map(|_| PIECES[self.number_below(PIECES.len())]).collect()
    }
}

/// Returns the position of byte `offset` in `text`, counted from the start each time.
fn count_position(text: &str, offset: usize, encoding: PositionEncoding) -> TextPosition {
    let mut position = TextPosition::default();
    let mut line_start = 0;
    let mut at = 0;
    for c in text[..offset].chars() {
        at += c.len_utf8();
        let breaks = c == '\n' || (c == '\r' && !text[at..].starts_with('\n'));
        if breaks {
            position.line += 1;
            line_start = at;
        }
    }
    let column = text[line_start..offset].trim_end_matches('\r');
    position.character = match encoding {
        PositionEncoding::Utf8 => column.len(),
        PositionEncoding::Utf16 => column.encode_utf16().count(),
        PositionEncoding::Utf32 => column.chars().count(),
    } as u32;
    position
}

/// Returns a byte offset that a client can name: between two characters other than `\r` and `\n`.
fn random_offset(random: &mut RandomNumbers, text: &str) -> usize {
    let offsets: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .filter(|&at| !(text[..at].ends_with('\r') && text[at..].starts_with('\n')))
        .collect();
    offsets[random.number_below(offsets.len())]
}

#[test]
fn ten_thousand_interleaved_edits_give_the_clients_text() {
    for (seed, encoding) in ENCODINGS.into_iter().enumerate() {
        let mut random = RandomNumbers(seed as u64);
        let mut texts: Vec<String> = (0..4).map(|_| random.text(40)).collect();
        let mut documents: Vec<SyncedDocument> =
            texts.iter().map(|text| SyncedDocument::new(0, text.clone())).collect();
        for version in 1..=10_000 / ENCODINGS.len() as i32 {
            let index = random.number_below(texts.len());
            let text = &mut texts[index];
            let mut edits = Vec::new();
            for _ in 0..=random.number_below(3) {
                let (a, b) = (random_offset(&mut random, text), random_offset(&mut random, text));
                let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 40));
                let to = (to..=text.len())
                    .find(|&to| text.is_char_boundary(to) && !text[..to].ends_with('\r'))
                    .unwrap_or(text.len());
                let new = random.text(6);
                let position = |offset| count_position(text, offset, encoding);
                edits.push(TextEdit::Range { start: position(from), end: position(to), text: new.clone() });
                text.replace_range(from..to, &new);
            }
            let document = &mut documents[index];
            document.apply_edits(version, edits, encoding).unwrap();
            assert_eq!(document.current_text(), text.as_str());
            assert_eq!(document.lines, LineIndex::new(text));
        }
    }
}

#[test]
fn edits_of_one_notification_apply_in_their_order() {
    let mut document = SyncedDocument::new(1, "one\r\ntwo\r\n".into());
    let edits = vec![range((1, 0), (1, 3), "2"), range((0, 3), (1, 0), " "), range((0, 99), (0, 99), "!")];
    document.apply_edits(2, edits, PositionEncoding::Utf16).unwrap();
    assert_eq!(document.current_text(), "one 2!\r\n");
}

#[test]
fn a_version_that_does_not_increase_desynchronizes_until_the_whole_text_arrives() {
    let mut document = SyncedDocument::new(5, "text".into());
    let reason =
        document.apply_edits(5, vec![range((0, 0), (0, 0), "x")], PositionEncoding::Utf16).unwrap_err();
    assert_eq!(reason.to_string(), "version 5 arrived after version 5");
    assert_eq!(
        document.apply_edits(6, vec![range((0, 0), (0, 0), "x")], PositionEncoding::Utf16),
        Err(reason)
    );
    assert_eq!((document.current_text(), document.last_version()), ("text", 5));
    document.apply_edits(3, vec![TextEdit::Whole("new".into())], PositionEncoding::Utf16).unwrap();
    assert_eq!(
        (document.current_text(), document.last_version(), document.desync_reason()),
        ("new", 3, None)
    );
}

#[test]
fn an_impossible_range_desynchronizes_the_document() {
    let mut document = SyncedDocument::new(1, "one\ntwo".into());
    let reason =
        document.apply_edits(2, vec![range((7, 0), (9, 0), "x")], PositionEncoding::Utf16).unwrap_err();
    assert_eq!(reason.to_string(), "version 2 edits lines 8 to 10 of a text with 2 lines");
    let mut document = SyncedDocument::new(1, "one\ntwo".into());
    assert!(document.apply_edits(2, vec![range((1, 2), (0, 0), "x")], PositionEncoding::Utf16).is_err());
    assert!(document.desync_reason().is_some());
}
