//! The encoding of a symbol's base types as one text, which the base file stores as a string.
//!
//! The text has an entry per base type, in the order of the declaration, and U+001F between
//! entries. An entry is a letter for the relation (`e` extends, `i` implements, `m` embeds) and the
//! name as written. An empty text stands for no base types.

use crate::facts::{BaseRelation, BaseType};

/// The character between two entries.
const SEPARATOR: char = '\u{1f}';

/// Encodes the base types of a symbol.
pub(super) fn encode_base_types(bases: &[BaseType]) -> String {
    let mut out = String::new();
    for base in bases {
        if !out.is_empty() {
            out.push(SEPARATOR);
        }
        out.push(match base.relation {
            BaseRelation::Extends => 'e',
            BaseRelation::Implements => 'i',
            BaseRelation::Embeds => 'm',
        });
        out.push_str(&base.name);
    }
    out
}

/// Decodes the text of [`encode_base_types`]: the relation and the name of each base type.
pub(super) fn decode_base_types(encoded: &str) -> impl Iterator<Item = (BaseRelation, &str)> {
    encoded.split(SEPARATOR).filter_map(|entry| {
        let relation = match entry.chars().next()? {
            'e' => BaseRelation::Extends,
            'i' => BaseRelation::Implements,
            _ => BaseRelation::Embeds,
        };
        Some((relation, &entry[1..]))
    })
}
