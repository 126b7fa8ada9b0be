//! Finds similar bodies by the bands of their sketches, in base and overlay together.

use super::Snapshot;
use super::base::{ImageSection, SketchRecord};
use super::types::{FileId, SymbolId};
use crate::sketch::{BANDS, BodySketch};

/// The maximum number of symbols in a useful band. In generated code, thousands of symbols share a
/// band although their bodies are not similar.
const MAX_BAND_SYMBOLS: usize = 50;

impl Snapshot {
    /// Returns the sketch of a live symbol's body; `None` if the body is short or missing.
    pub fn body_sketch(&self, id: SymbolId) -> Option<BodySketch> {
        if let Some(&(file, index)) = self.overlay.positions.get(&id) {
            let sketches = &self.overlay.file_content(file)?.facts.sketches;
            let symbol = index.checked_sub(1)?;
            let at = sketches.binary_search_by_key(&symbol, |(symbol, _)| *symbol).ok()?;
            return Some(sketches[at].1);
        }
        let records: &[SketchRecord] = self.base.section_slice(ImageSection::Sketches);
        let at = records.binary_search_by_key(&id.0, |record| record.symbol).ok()?;
        self.is_live(id).then(|| records[at].sketch)
    }

    /// Returns the live symbols whose sketches have this band, in unspecified order. Returns none
    /// if there are more than `MAX_BAND_SYMBOLS`.
    pub fn symbols_in_band(&self, band: u32) -> Vec<SymbolId> {
        let records: &[SketchRecord] = self.base.section_slice(ImageSection::Sketches);
        let order: &[u32] = self.base.section_slice(ImageSection::BandOrder);
        let record = |at: u32| records.get(at as usize / BANDS);
        let value =
            |at: u32| record(at).map_or(u32::MAX, |record| record.sketch.band_hashes()[at as usize % BANDS]);
        let from = order.partition_point(|&at| value(at) < band);
        let base_ids = order[from..].iter().take_while(|&&at| value(at) == band).filter_map(|&at| {
            let id = SymbolId(record(at)?.symbol);
            let file = self.base.symbol_records().get(id.0 as usize)?.file;
            (!self.overlay.masks_content(FileId(file))).then_some(id)
        });
        let mut found: Vec<SymbolId> = base_ids.take(MAX_BAND_SYMBOLS + 1).collect();
        found.extend(self.overlay.bands.get(&band).into_iter().flatten().take(MAX_BAND_SYMBOLS + 1));
        if found.len() > MAX_BAND_SYMBOLS { Vec::new() } else { found }
    }

    /// Returns the sketches of a file, each with the index of its symbol in
    /// [`Snapshot::file_symbols`].
    pub(crate) fn file_sketches(&self, file: FileId) -> Vec<(usize, BodySketch)> {
        if let Some(content) = self.overlay.file_content(file) {
            return content
                .facts
                .sketches
                .iter()
                .map(|(symbol, sketch)| (*symbol as usize + 1, *sketch))
                .collect();
        }
        let Some(entry) = self.base.file_records().get(file.0 as usize) else { return Vec::new() };
        let records: &[SketchRecord] = self.base.section_slice(ImageSection::Sketches);
        let from = records.partition_point(|record| record.symbol < entry.first_symbol);
        let end = entry.first_symbol.saturating_add(entry.symbol_count);
        let file_records = records[from..].iter().take_while(|record| record.symbol < end);
        file_records.map(|record| ((record.symbol - entry.first_symbol) as usize, record.sketch)).collect()
    }
}
