//! Tests of GCB: the published layout, and the round trip of arbitrary packs.

use super::*;
use crate::format::samples::{empty_answer, full_answer, hostile_answer, sample_symbol};
use kenning_retrieval::{DetailLevel, PackEdge};
use proptest::prelude::*;

/// A decoded symbol.
#[derive(Debug, PartialEq)]
struct DecodedSymbol {
    name: String,
    kind: u8,
    score: f32,
    provenance: u8,
    distance: u8,
    signature: String,
}

/// A decoded pack.
#[derive(Debug, PartialEq)]
struct DecodedPack {
    tool: String,
    tokens: u64,
    budget: u64,
    symbols: Vec<DecodedSymbol>,
    /// Source, target, kind and status.
    edges: Vec<(u64, u64, u8, u8)>,
}

/// Reads the bytes of the format from the front.
struct ByteReader<'b>(&'b [u8]);

impl ByteReader<'_> {
    fn read_bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn read_byte(&mut self) -> Option<u8> {
        self.read_bytes(1)?.first().copied()
    }

    fn read_number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.read_byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn read_text(&mut self) -> Option<String> {
        let length = usize::try_from(self.read_number()?).ok()?;
        String::from_utf8(self.read_bytes(length)?).ok()
    }

    fn read_fraction(&mut self) -> Option<f32> {
        Some(f32::from_le_bytes(self.read_bytes(4)?.try_into().ok()?))
    }

    fn read_symbol(&mut self) -> Option<DecodedSymbol> {
        let (name, kind, score) = (self.read_text()?, self.read_byte()?, self.read_fraction()?);
        let (provenance, distance, signature) = (self.read_byte()?, self.read_byte()?, self.read_text()?);
        for _ in 0..4 {
            self.read_fraction()?;
        }
        Some(DecodedSymbol { name, kind, score, provenance, distance, signature })
    }
}

fn decode_pack(bytes: &[u8]) -> Option<DecodedPack> {
    let mut reader = ByteReader(bytes.strip_prefix(b"GCB1\x01")?);
    let (tool, tokens, budget) = (reader.read_text()?, reader.read_number()?, reader.read_number()?);
    let (symbols, edges) = (reader.read_number()?, reader.read_number()?);
    let symbols = (0..symbols).map(|_| reader.read_symbol()).collect::<Option<Vec<_>>>()?;
    let edges = (0..edges)
        .map(|_| {
            Some((reader.read_number()?, reader.read_number()?, reader.read_byte()?, reader.read_byte()?))
        })
        .collect::<Option<Vec<_>>>()?;
    reader.0.is_empty().then_some(DecodedPack { tool, tokens, budget, symbols, edges })
}

#[test]
fn a_pack_has_the_published_layout() {
    let bytes = encode_pack(&full_answer().pack);
    let decoded = decode_pack(&bytes).unwrap();
    assert_eq!((&decoded.tool[..], decoded.tokens, decoded.budget), ("kenning", 30, 50_000));
    let symbol = DecodedSymbol {
        name: "src/app.py:12::App.hook".into(),
        kind: 3,
        score: 0.84001,
        provenance: 2,
        distance: 0,
        signature: "def hook(self, f)".into(),
    };
    assert_eq!(decoded.symbols[0], symbol);
    assert_eq!(decoded.symbols[2].distance, 3);
    assert_eq!(decoded.edges, [(0, 1, 1, 0)]);
    // "GCB1", version 1, the tool, 30 tokens of 50,000, 3 symbols, 1 edge, the length of a name.
    let start = b"GCB1\x01\x07kenning\x1e\xd0\x86\x03\x03\x01\x17src/app.py:12";
    assert!(bytes.starts_with(start), "{bytes:?}");
}

#[test]
fn numbers_of_kinds_do_not_collide_and_are_part_of_the_format() {
    assert_eq!([SymbolKind::Function, SymbolKind::Class, SymbolKind::Process].map(kind_number), [1, 9, 18]);
    let numbers: Vec<u8> =
        EdgeKind::ALL.iter().map(|&kind| edge_number(kind)).filter(|&number| number != 0).collect();
    assert!(numbers.iter().all(|&number| number <= 38));
    assert_eq!(Provenance::ALL.iter().map(|&provenance| provenance_number(provenance)).max(), Some(7));
}

#[test]
fn edges_to_absent_symbols_and_long_distances_do_not_break_the_format() {
    let mut answer = hostile_answer();
    answer.pack.symbols[1].distance = 1_000;
    let mut dangling = answer.pack.edges[0];
    dangling.target = 99;
    answer.pack.edges.push(dangling);
    let decoded = decode_pack(&encode_pack(&answer.pack)).unwrap();
    assert_eq!((decoded.edges.len(), decoded.symbols[1].distance), (1, 255));
}

proptest! {
    #[test]
    fn arbitrary_names_survive_encoding_and_decoding(
        names in proptest::collection::vec((any::<String>(), any::<String>(), 0..300_u32), 0..6),
    ) {
        let mut answer = empty_answer("task");
        answer.pack.symbols = names
            .iter()
            .map(|(name, signature, distance)| {
                let mut symbol = sample_symbol(name, *distance, DetailLevel::Signature, None);
                (symbol.file, symbol.signature) = (format!("{name}/x"), signature.clone());
                symbol
            })
            .collect();
        answer.pack.edges = (1..names.len())
            .map(|at| PackEdge {
                source: at,
                target: 0,
                kind: EdgeKind::Calls,
                provenance: Provenance::AstResolved,
                confidence: 1.0,
            })
            .collect();
        let decoded = decode_pack(&encode_pack(&answer.pack)).unwrap();
        prop_assert_eq!(decoded.edges.len(), names.len().saturating_sub(1));
        for (symbol, (name, signature, distance)) in decoded.symbols.iter().zip(&names) {
            prop_assert_eq!(&symbol.name, &format!("{name}/x:{}::{name}", 12 + distance));
            prop_assert_eq!(&symbol.signature, signature);
            prop_assert_eq!(u32::from(symbol.distance), (*distance).min(255));
        }
        prop_assert_eq!(decoded.symbols.len(), names.len());
    }
}
