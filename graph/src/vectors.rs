//! The vectors of a file: the meanings of its symbols as numbers, quantized to one byte each.
//!
//! A [`VectorBlock`] has a row for the file itself, for each of its symbols and for each of its
//! sections. Rows are found by the identity hash of the symbol, so that a block stays valid while
//! other files change.

use crate::hash::Hash;

/// The kind of text that a vector describes. A search covers one kind at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorKind {
    /// A symbol of a source file.
    Code,
    /// A section of a document.
    Section,
    /// A whole file.
    File,
}

impl VectorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Code, Self::Section, Self::File];

    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Code),
            1 => Some(Self::Section),
            2 => Some(Self::File),
            _ => None,
        }
    }
}

/// A row of a block, without its values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorRow {
    /// The identity of the symbol; for a file, that of its file symbol.
    pub symbol: Hash,
    /// The kind of text that the row describes.
    pub kind: VectorKind,
    /// The factor that makes the row a vector of length 1.
    pub scale: f32,
}

/// The vectors of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorBlock {
    dimensions: usize,
    rows: Vec<VectorRow>,
    /// The quantized numbers of all rows, one row after another.
    values: Vec<i8>,
}

/// The size in bytes of a row without its values in an encoded block: identity, kind, scale.
const ROW_HEADER_BYTES: usize = 32 + 1 + 4;

impl VectorBlock {
    /// Creates a block without rows. Each row will have `dimensions` values.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Adds a row. Does nothing if it has the wrong number of values.
    pub fn push_row(&mut self, row: VectorRow, values: &[i8]) {
        if values.len() == self.dimensions {
            self.rows.push(row);
            self.values.extend_from_slice(values);
        }
    }

    /// Returns the number of values of a row.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[VectorRow] {
        &self.rows
    }

    /// Returns the values of a row; empty if there is no such row.
    pub fn row_values(&self, row: usize) -> &[i8] {
        self.values.get(row * self.dimensions..(row + 1) * self.dimensions).unwrap_or_default()
    }

    /// Returns the number of rows that describe symbols or sections.
    pub fn symbol_count(&self) -> usize {
        self.rows.iter().filter(|row| row.kind != VectorKind::File).count()
    }

    /// Encodes the block as bytes, independently of the machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + self.rows.len() * (ROW_HEADER_BYTES + self.dimensions));
        bytes.extend((self.dimensions as u32).to_le_bytes());
        bytes.extend((self.rows.len() as u32).to_le_bytes());
        for row in &self.rows {
            bytes.extend(row.symbol.0);
            bytes.push(row.kind as u8);
            bytes.extend(row.scale.to_le_bytes());
        }
        bytes.extend_from_slice(bytemuck::cast_slice(&self.values));
        bytes
    }

    /// Decodes a block; returns `None` unless the bytes encode exactly one block.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (dimensions, bytes) = bytes.split_first_chunk::<4>()?;
        let (rows, bytes) = bytes.split_first_chunk::<4>()?;
        let (dimensions, rows) =
            (u32::from_le_bytes(*dimensions) as usize, u32::from_le_bytes(*rows) as usize);
        let (headers, values) = bytes.split_at_checked(rows.checked_mul(ROW_HEADER_BYTES)?)?;
        if values.len() != rows.checked_mul(dimensions)? {
            return None;
        }
        let rows = headers.chunks_exact(ROW_HEADER_BYTES).map(|header| {
            let (symbol, rest) = header.split_first_chunk::<32>()?;
            let (kind, scale) = rest.split_first()?;
            Some(VectorRow {
                symbol: Hash(*symbol),
                kind: VectorKind::from_byte(*kind)?,
                scale: f32::from_le_bytes(*scale.first_chunk::<4>()?),
            })
        });
        let rows = rows.collect::<Option<Vec<VectorRow>>>()?;
        Some(Self { dimensions, rows, values: bytemuck::cast_slice(values).to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_survives_encoding_and_nothing_else_is_a_block() {
        let mut block = VectorBlock::new(3);
        for (at, kind) in VectorKind::ALL.into_iter().enumerate() {
            let symbol = Hash::from_content(&[at as u8]);
            block.push_row(VectorRow { symbol, kind, scale: 0.5 }, &[at as i8, -127, 127]);
        }
        block.push_row(VectorRow { symbol: Hash([0; 32]), kind: VectorKind::Code, scale: 1.0 }, &[1]);
        assert_eq!((block.rows().len(), block.symbol_count()), (3, 2));
        assert_eq!(block.row_values(1), [1, -127, 127]);
        assert_eq!(block.row_values(3), [0_i8; 0]);
        let bytes = block.to_bytes();
        assert_eq!(VectorBlock::from_bytes(&bytes), Some(block));
        for end in 0..bytes.len() {
            assert_eq!(VectorBlock::from_bytes(&bytes[..end]), None, "{end}");
        }
        let mut wrong_kind = bytes.clone();
        wrong_kind[8 + 32] = 9;
        assert_eq!(VectorBlock::from_bytes(&wrong_kind), None);
        assert_eq!(VectorBlock::from_bytes(&[0xff; 64]), None);
    }
}
