//! A graph of neighbors for kinds with very many vectors (HNSW: Malkov and Yashunin 2018).
//!
//! Building takes much longer than a search that compares all rows, so only a long-running process
//! builds a graph. The graph is approximate: it may miss a near row. It is built on one thread and
//! with a fixed seed, so that the same rows give the same graph and the same answers.

use super::quantize::{QuantizedVector, dot_product};
use super::vector_index::{NearRow, VectorIndex};
use instant_distance::{Builder, Hnsw, Point, Search};
use kenning_graph::Hash;
use kenning_graph::vectors::{VectorBlock, VectorKind, VectorRow};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// Number of rows that a search returns before the rows of removed files are dropped.
const SEARCH_WIDTH: usize = 400;

/// Number of rows that are compared to find the neighbors of a new row.
const BUILD_WIDTH: usize = 100;

/// The seed of the random numbers that assign rows to layers.
const SEED: u64 = 0x006b_656e_6e69_6e67;

/// A graph of the rows of one kind.
pub struct NeighborGraph {
    kind: VectorKind,
    blocks: Vec<Arc<VectorBlock>>,
    graph: Hnsw<GraphPoint>,
}

/// A row, as the graph compares it.
#[derive(Clone)]
struct GraphPoint {
    block: Arc<VectorBlock>,
    row: u32,
}

impl GraphPoint {
    fn row(&self) -> VectorRow {
        self.block.rows()[self.row as usize]
    }
}

impl Point for GraphPoint {
    fn distance(&self, other: &Self) -> f32 {
        let product =
            dot_product(self.block.row_values(self.row as usize), other.block.row_values(other.row as usize));
        1.0 - product as f32 * self.row().scale * other.row().scale
    }
}

impl Debug for NeighborGraph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("NeighborGraph")
            .field("kind", &self.kind)
            .field("files", &self.blocks.len())
            .finish_non_exhaustive()
    }
}

impl NeighborGraph {
    /// Builds the graph of the rows of a kind. Takes seconds for hundreds of thousands of rows.
    /// Returns `None` if the system cannot start a thread.
    pub fn build(index: &VectorIndex, kind: VectorKind) -> Option<Self> {
        let has_kind = |block: &&Arc<VectorBlock>| block.rows().iter().any(|row| row.kind == kind);
        let blocks: Vec<Arc<VectorBlock>> = index.blocks().iter().filter(has_kind).cloned().collect();
        let mut points = Vec::with_capacity(index.count_of_kind(kind));
        for block in &blocks {
            let rows = (0..).zip(block.rows()).filter(|(_, row)| row.kind == kind);
            points.extend(rows.map(|(row, _)| GraphPoint { block: Arc::clone(block), row }));
        }
        // Several threads would insert rows in an order that differs from run to run.
        let serial = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        let (graph, _) = serial.install(|| {
            let builder = Builder::default().seed(SEED).ef_construction(BUILD_WIDTH).ef_search(SEARCH_WIDTH);
            builder.build_hnsw(points)
        });
        Some(Self { kind, blocks, graph })
    }

    /// Returns the kind of the rows.
    pub fn kind(&self) -> VectorKind {
        self.kind
    }

    /// Returns the blocks whose rows the graph has.
    pub(super) fn blocks(&self) -> &[Arc<VectorBlock>] {
        &self.blocks
    }

    /// Returns rows near a vector, from the blocks for which `is_used` is true.
    pub(super) fn find_nearest(
        &self,
        query: &QuantizedVector,
        is_used: &dyn Fn(&Arc<VectorBlock>) -> bool,
    ) -> Vec<NearRow> {
        let mut block = VectorBlock::new(query.values.len());
        let row = VectorRow { symbol: Hash([0; 32]), kind: self.kind, scale: query.scale };
        block.push_row(row, &query.values);
        let point = GraphPoint { block: Arc::new(block), row: 0 };
        let mut search = Search::default();
        let near = self.graph.search(&point, &mut search).map(|item| item.point);
        let used = near.filter(|near| is_used(&near.block));
        // Compute the cosine as an exact search does, so that equal rows have equal cosines.
        used.map(|near| {
            let row = near.row();
            let cosine = query.cosine_to(near.block.row_values(near.row as usize), row.scale);
            NearRow { symbol: row.symbol, cosine }
        })
        .collect()
    }
}
