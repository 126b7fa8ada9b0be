//! Writes a base image to a file or a memory buffer. Each section is written as soon as it is
//! complete, so that the writer itself never holds the whole image.

use super::{
    ALIGN, BASE_VERSION, HEADER, ImageSection, LINEAGE, MAGIC, SECTIONS, StreamChecksum, xxh3_checksum,
};
use std::io::{Seek, SeekFrom, Write};

/// The output, and the table of the sections that are already written.
pub(super) struct ImageWriter<W> {
    out: W,
    /// The number of bytes written.
    at: u64,
    /// The start, length and checksum of each section.
    rows: [[u64; 3]; SECTIONS],
}

impl<W: Write + Seek> ImageWriter<W> {
    /// Starts an image. Leaves room for its header and table.
    pub fn new(mut out: W) -> std::io::Result<Self> {
        let blank = [0; HEADER + SECTIONS * 24];
        out.write_all(&blank)?;
        Ok(Self { out, at: blank.len() as u64, rows: [[0, 0, xxh3_checksum(&[])]; SECTIONS] })
    }

    /// Appends a section. Sections may come in any order; a section that is never written is empty.
    pub fn write_section(&mut self, section: ImageSection, bytes: &[u8]) -> std::io::Result<()> {
        self.write_section_parts(section, std::iter::once(bytes))
    }

    /// Appends a section in parts, so that it is never held in memory as a whole.
    pub fn write_section_parts<B: AsRef<[u8]>>(
        &mut self,
        section: ImageSection,
        parts: impl Iterator<Item = B>,
    ) -> std::io::Result<()> {
        let padding = (self.at.next_multiple_of(ALIGN as u64) - self.at) as usize;
        self.out.write_all(&[0; ALIGN][..padding])?;
        let start = self.at + padding as u64;
        self.at = start;
        let mut checksum = StreamChecksum::default();
        for part in parts {
            let bytes = part.as_ref();
            self.out.write_all(bytes)?;
            checksum.add_bytes(bytes);
            self.at += bytes.len() as u64;
        }
        self.rows[section as usize] = [start, self.at - start, checksum.finish()];
        Ok(())
    }

    /// Writes the header and the table. Returns the output.
    pub fn finish(mut self, lineage: u64) -> std::io::Result<W> {
        let table = bytemuck::cast_slice(self.rows.as_flattened());
        let mut header = [0; HEADER];
        let words = [u64::from_le_bytes(MAGIC), u64::from(BASE_VERSION), self.at, xxh3_checksum(table)];
        header[..32].copy_from_slice(bytemuck::cast_slice(&words));
        header[LINEAGE..LINEAGE + 8].copy_from_slice(&lineage.to_le_bytes());
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&header)?;
        self.out.write_all(table)?;
        self.out.flush()?;
        Ok(self.out)
    }
}
