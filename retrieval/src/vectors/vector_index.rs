//! The vectors of all files of a snapshot, and the search for the nearest rows.
//!
//! A search compares the question with every row of the wanted kind, or asks the kind's
//! [`NeighborGraph`] if the caller has built one. A graph of an earlier state still serves: rows of
//! blocks that it does not know are compared one by one, and its rows of removed blocks are
//! dropped. Equal cosines are ordered by identity, so that both ways give the same order.

use super::neighbor_graph::NeighborGraph;
use super::quantize::QuantizedVector;
use kenning_graph::vectors::{VectorBlock, VectorKind};
use kenning_graph::{FileId, Hash, SymbolRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Number of rows of a kind up to which a search compares all of them. That many rows of 256
/// numbers are 51 MB, which takes a few milliseconds.
pub const EXACT_LIMIT: usize = 200_000;

/// Maximum share of a kind's rows that its graph of neighbors may lack. Above it, the graph is not used,
/// because a search compares the missing rows one by one.
const MAX_UNKNOWN_SHARE: f64 = 0.25;

/// A row near a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRow {
    /// The identity of the symbol.
    pub symbol: Hash,
    /// The cosine of the angle between both vectors, at most 1.
    pub cosine: f32,
}

/// The vectors of a snapshot.
#[derive(Debug, Default)]
pub struct VectorIndex {
    /// The blocks in the order of paths.
    blocks: Vec<Arc<VectorBlock>>,
    block_of_file: FxHashMap<FileId, usize>,
    counts: [usize; VectorKind::ALL.len()],
    graphs: Vec<UsedGraph>,
}

/// A graph with the blocks that it knows.
#[derive(Debug)]
struct UsedGraph {
    graph: Arc<NeighborGraph>,
    /// The blocks of the index that the graph does not have.
    unknown: Vec<Arc<VectorBlock>>,
    /// The addresses of the blocks that both have. The graph keeps these blocks, so that no other
    /// block gets their address.
    known: FxHashSet<usize>,
}

impl VectorIndex {
    /// Creates the index of these files, which must be in the order of their paths. Uses the graphs
    /// of an earlier state that have enough of the rows.
    pub fn new(files: Vec<(FileId, Arc<VectorBlock>)>, graphs: &[Arc<NeighborGraph>]) -> Self {
        let block_of_file = files.iter().enumerate().map(|(at, (file, _))| (*file, at)).collect();
        let blocks: Vec<Arc<VectorBlock>> = files.into_iter().map(|(_, block)| block).collect();
        let mut counts = [0; VectorKind::ALL.len()];
        for row in blocks.iter().flat_map(|block| block.rows()) {
            counts[row.kind as usize] += 1;
        }
        let graphs =
            graphs.iter().filter_map(|graph| UsedGraph::from_graph(graph, &blocks, &counts)).collect();
        Self { blocks, block_of_file, counts, graphs }
    }

    /// Returns the number of rows of a kind.
    pub fn count_of_kind(&self, kind: VectorKind) -> usize {
        self.counts[kind as usize]
    }

    /// Returns the blocks in the order of paths.
    pub(super) fn blocks(&self) -> &[Arc<VectorBlock>] {
        &self.blocks
    }

    /// Whether a kind has more than `limit` rows and no graph of neighbors.
    pub fn lacks_graph(&self, kind: VectorKind, limit: usize) -> bool {
        self.count_of_kind(kind) > limit && !self.graphs.iter().any(|used| used.graph.kind() == kind)
    }

    /// Returns the rows of a kind that are nearest to a vector, best first, and by identity among
    /// equal cosines.
    pub fn find_nearest(&self, kind: VectorKind, query: &QuantizedVector, limit: usize) -> Vec<NearRow> {
        let Some(used) = self.graphs.iter().find(|used| used.graph.kind() == kind) else {
            return best_rows(scan_blocks(&self.blocks, kind, query), limit);
        };
        let mut rows = used.graph.find_nearest(query, &|block| used.known.contains(&block_address(block)));
        rows.extend(scan_blocks(&used.unknown, kind, query));
        best_rows(rows, limit)
    }

    /// Returns the cosine of the angle between a vector and the vector of a symbol; `None` if the
    /// symbol has no vector.
    pub fn cosine_of_symbol(&self, symbol: &SymbolRef<'_>, query: &QuantizedVector) -> Option<f32> {
        let block = self.blocks.get(*self.block_of_file.get(&symbol.file?)?)?;
        let row = block.rows().iter().position(|row| row.symbol == symbol.hash)?;
        Some(query.cosine_to(block.row_values(row), block.rows()[row].scale))
    }
}

impl UsedGraph {
    /// Compares a graph with the blocks of an index. Returns `None` if the graph lacks too many
    /// rows of its kind.
    fn from_graph(graph: &Arc<NeighborGraph>, blocks: &[Arc<VectorBlock>], counts: &[usize]) -> Option<Self> {
        let addresses: FxHashSet<usize> = graph.blocks().iter().map(block_address).collect();
        let (known, unknown): (Vec<_>, Vec<_>) =
            blocks.iter().partition(|block| addresses.contains(&block_address(block)));
        let count_rows =
            |block: &Arc<VectorBlock>| block.rows().iter().filter(|row| row.kind == graph.kind()).count();
        let unknown: Vec<Arc<VectorBlock>> =
            unknown.into_iter().filter(|block| count_rows(block) > 0).cloned().collect();
        let missing: usize = unknown.iter().map(count_rows).sum();
        let limit = counts[graph.kind() as usize] as f64 * MAX_UNKNOWN_SHARE;
        let known = known.into_iter().map(block_address).collect();
        (missing as f64 <= limit).then(|| Self { graph: Arc::clone(graph), unknown, known })
    }
}

fn block_address(block: &Arc<VectorBlock>) -> usize {
    Arc::as_ptr(block).addr()
}

fn scan_blocks(blocks: &[Arc<VectorBlock>], kind: VectorKind, query: &QuantizedVector) -> Vec<NearRow> {
    let mut found = Vec::new();
    for block in blocks {
        for (at, row) in block.rows().iter().enumerate().filter(|(_, row)| row.kind == kind) {
            let cosine = query.cosine_to(block.row_values(at), row.scale);
            found.push(NearRow { symbol: row.symbol, cosine });
        }
    }
    found
}

/// Returns the best rows, best first. The identity orders rows with equal cosines, so that exact
/// and approximate searches agree.
fn best_rows(mut rows: Vec<NearRow>, limit: usize) -> Vec<NearRow> {
    let order = |a: &NearRow, b: &NearRow| b.cosine.total_cmp(&a.cosine).then(a.symbol.0.cmp(&b.symbol.0));
    if rows.len() > limit && limit > 0 {
        rows.select_nth_unstable_by(limit - 1, order);
    }
    rows.truncate(limit);
    rows.sort_by(order);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_graph::vectors::VectorRow;

    /// Returns numbers from -100 to 100 that differ for every seed.
    fn pseudo_random(seed: u64) -> impl FnMut() -> f32 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % 201) as f32 - 100.0
        }
    }

    fn vector(seed: u64) -> QuantizedVector {
        let mut next = pseudo_random(seed);
        let floats: Vec<f32> = (0..24).map(|_| next()).collect();
        QuantizedVector::from_floats(&floats).unwrap()
    }

    fn block(first: u64, rows: u64) -> Arc<VectorBlock> {
        let mut block = VectorBlock::new(24);
        for seed in first..first + rows {
            let vector = vector(seed);
            let symbol = Hash::from_content(&seed.to_le_bytes());
            let kind = if seed % 7 == 0 { VectorKind::Section } else { VectorKind::Code };
            block.push_row(VectorRow { symbol, kind, scale: vector.scale }, &vector.values);
        }
        Arc::new(block)
    }

    fn files(blocks: &[Arc<VectorBlock>]) -> Vec<(FileId, Arc<VectorBlock>)> {
        blocks.iter().enumerate().map(|(at, block)| (FileId(at as u32), Arc::clone(block))).collect()
    }

    #[test]
    fn the_nearest_rows_of_a_kind_come_first() {
        let index = VectorIndex::new(files(&[block(1, 40), block(41, 40)]), &[]);
        let found = index.find_nearest(VectorKind::Code, &vector(50), 5);
        assert_eq!(found[0].symbol, Hash::from_content(&50_u64.to_le_bytes()));
        assert!((found[0].cosine - 1.0).abs() < 1e-6 && found.len() == 5);
        assert!(found.windows(2).all(|pair| pair[0].cosine >= pair[1].cosine));
        let section = index.find_nearest(VectorKind::Section, &vector(50), 500);
        assert_eq!(section.len(), index.count_of_kind(VectorKind::Section));
        assert!(index.find_nearest(VectorKind::File, &vector(50), 5).is_empty());
        assert!(index.find_nearest(VectorKind::Code, &vector(50), 0).is_empty());
    }

    #[test]
    fn a_graph_finds_what_comparing_all_rows_finds() {
        let blocks: Vec<Arc<VectorBlock>> = (0..14).map(|at| block(1 + at * 50, 50)).collect();
        let exact = VectorIndex::new(files(&blocks), &[]);
        assert!(exact.lacks_graph(VectorKind::Code, 500) && !exact.lacks_graph(VectorKind::Code, 700));
        let graph = Arc::new(NeighborGraph::build(&exact, VectorKind::Code).unwrap());
        let approximate = VectorIndex::new(files(&blocks), &[Arc::clone(&graph)]);
        assert!(!approximate.lacks_graph(VectorKind::Code, 500));
        let (mut same, mut all) = (0, 0);
        for seed in 5_000..5_040 {
            let expected = exact.find_nearest(VectorKind::Code, &vector(seed), 10);
            let found = approximate.find_nearest(VectorKind::Code, &vector(seed), 10);
            same += expected.iter().filter(|row| found.contains(row)).count();
            all += expected.len();
        }
        assert!(same as f64 / all as f64 > 0.95, "{same} of {all}");
        // A second graph of the same rows gives the same answers.
        let again = Arc::new(NeighborGraph::build(&exact, VectorKind::Code).unwrap());
        let again = VectorIndex::new(files(&blocks), &[again]);
        for seed in 6_000..6_040 {
            let answer = |index: &VectorIndex| index.find_nearest(VectorKind::Code, &vector(seed), 50);
            assert_eq!(answer(&approximate), answer(&again));
        }
    }

    #[test]
    fn rows_of_other_kinds_do_not_make_a_graph_useless() {
        let mut blocks: Vec<Arc<VectorBlock>> = (0..12).map(|at| block(1 + at * 50, 50)).collect();
        let before = VectorIndex::new(files(&blocks), &[]);
        let graph = Arc::new(NeighborGraph::build(&before, VectorKind::Section).unwrap());
        blocks[3] = block(10_000, 50);
        let after = VectorIndex::new(files(&blocks), &[graph]);
        // The changed file has 50 rows, of which 7 are sections; a quarter of all sections is 21.
        assert!(after.count_of_kind(VectorKind::Section) / 4 < 50);
        assert!(!after.lacks_graph(VectorKind::Section, 10));
    }

    #[test]
    fn changed_files_are_searched_and_removed_files_are_not_found() {
        let mut blocks: Vec<Arc<VectorBlock>> = (0..12).map(|at| block(1 + at * 50, 50)).collect();
        let before = VectorIndex::new(files(&blocks), &[]);
        let graph = Arc::new(NeighborGraph::build(&before, VectorKind::Code).unwrap());
        blocks[3] = block(10_000, 50);
        let after = VectorIndex::new(files(&blocks), &[Arc::clone(&graph)]);
        assert!(!after.lacks_graph(VectorKind::Code, 100));
        let best = |seed: u64| after.find_nearest(VectorKind::Code, &vector(seed), 1)[0];
        assert_eq!(best(10_011).symbol, Hash::from_content(&10_011_u64.to_le_bytes()));
        assert!(best(160).cosine < 0.999, "its file was replaced");
        // Too many changes make the graph useless.
        for (at, changed) in blocks.iter_mut().enumerate().take(6) {
            *changed = block(20_000 + at as u64 * 50, 50);
        }
        let index = VectorIndex::new(files(&blocks), &[graph]);
        assert!(index.lacks_graph(VectorKind::Code, 100));
    }
}
