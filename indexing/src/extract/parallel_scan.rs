//! A scan in which a second thread processes the nodes. It is used for files that a user waits for
//! while other processors are idle.

use super::children::ChildNode;
use super::tree_scan::TreeScan;
use crate::languages::KindTable;
use crate::reader_threads::reader_thread;
use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread::scope;
use tree_sitter::{Node, Tree};

/// Number of nodes per batch. Handing over a batch costs as much as processing about ten nodes.
const NODES_PER_BATCH: usize = 512;
/// Maximum number of batches that wait for the second thread.
const MAX_QUEUED_BATCHES: usize = 16;

/// A batch of nodes in the order of the walk. Each has its kind and the end of its children in
/// `children`.
struct NodeBatch<'t> {
    nodes: Vec<(Node<'t>, u16, usize)>,
    children: Vec<ChildNode<'t>>,
}

impl<'t> NodeBatch<'t> {
    fn new() -> Self {
        Self { nodes: Vec::with_capacity(NODES_PER_BATCH), children: Vec::with_capacity(NODES_PER_BATCH) }
    }

    fn push_node(&mut self, node: Node<'t>, kind: u16, children: &[ChildNode<'t>]) {
        self.children.extend_from_slice(children);
        self.nodes.push((node, kind, self.children.len()));
    }

    fn replay_nodes(
        &self,
        visit: &mut impl FnMut(Node<'t>, u16, &[ChildNode<'t>]) -> Option<()>,
    ) -> Option<()> {
        let mut from = 0;
        for &(node, kind, end) in &self.nodes {
            visit(node, kind, &self.children[from..end])?;
            from = end;
        }
        Some(())
    }
}

/// The number of threads of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanThreads {
    One,
    Two,
}

/// Calls [`TreeScan::scan_tree`]. With two threads, `visit` runs on the second one, and sees the
/// same nodes in the same order. Returns `None` if the scan or `visit` does.
pub(super) fn scan_with_threads<'t>(
    tree: &'t Tree,
    text: &str,
    kinds: &KindTable,
    max_depth: u32,
    threads: ScanThreads,
    mut visit: impl FnMut(Node<'t>, u16, &[ChildNode<'t>]) -> Option<()> + Send,
) -> Option<TreeScan<'t>> {
    if threads == ScanThreads::One {
        return TreeScan::scan_tree(tree, text, kinds, max_depth, visit);
    }
    scope(|scope| {
        let (send, receive) = sync_channel::<NodeBatch<'t>>(MAX_QUEUED_BATCHES);
        let replay = move || receive.into_iter().try_for_each(|batch| batch.replay_nodes(&mut visit));
        // The panic is that of `scope.spawn`: the program reports it as a system without threads.
        let thread =
            reader_thread("kenning-scan").spawn_scoped(scope, replay).expect("failed to spawn thread");
        let mut batch = NodeBatch::new();
        let scan = TreeScan::scan_tree(tree, text, kinds, max_depth, |node, kind, children| {
            batch.push_node(node, kind, children);
            if batch.nodes.len() < NODES_PER_BATCH {
                return Some(());
            }
            // If the second thread has given up, the channel is closed, and the walk ends.
            send.send(std::mem::replace(&mut batch, NodeBatch::new())).ok()
        });
        // The second thread may have given up by now. Its result below reports that.
        let _ = send.send(batch);
        drop(send);
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        scan
    })
}
