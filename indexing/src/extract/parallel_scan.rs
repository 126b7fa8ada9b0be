//! A scan with a second thread that processes the nodes, for files that someone waits for while
//! other processors are idle.

use super::children::ChildNode;
use super::tree_scan::TreeScan;
use crate::languages::KindTable;
use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread::scope;
use tree_sitter::{Node, Tree};

/// Nodes per batch. Handing over a batch costs as much as processing about ten nodes.
const AT_ONCE: usize = 512;
/// Maximum number of batches that wait for the second thread.
const WAITING: usize = 16;

/// Nodes in the order of the walk, with their kinds and the ends of their children in `children`.
struct NodeBatch<'t> {
    nodes: Vec<(Node<'t>, u16, usize)>,
    children: Vec<ChildNode<'t>>,
}

impl<'t> NodeBatch<'t> {
    fn new() -> Self {
        Self { nodes: Vec::with_capacity(AT_ONCE), children: Vec::with_capacity(AT_ONCE) }
    }

    fn push_node(&mut self, node: Node<'t>, kind: u16, children: &[ChildNode<'t>]) {
        self.children.extend_from_slice(children);
        self.nodes.push((node, kind, self.children.len()));
    }

    fn replay_nodes(
        &self,
        each: &mut impl FnMut(Node<'t>, u16, &[ChildNode<'t>]) -> Option<()>,
    ) -> Option<()> {
        let mut from = 0;
        for &(node, kind, end) in &self.nodes {
            each(node, kind, &self.children[from..end])?;
            from = end;
        }
        Some(())
    }
}

/// Calls [`TreeScan::scan_tree`]. If `help` is set, `each` runs on a second thread, and sees the
/// same nodes in the same order.
pub(super) fn scan_in_parallel<'t>(
    tree: &'t Tree,
    (text, kinds, max_depth): (&str, &KindTable, u32),
    help: bool,
    mut each: impl FnMut(Node<'t>, u16, &[ChildNode<'t>]) -> Option<()> + Send,
) -> Option<TreeScan<'t>> {
    if !help {
        return TreeScan::scan_tree(tree, text, kinds, max_depth, each);
    }
    scope(|scope| {
        let (send, receive) = sync_channel::<NodeBatch<'t>>(WAITING);
        let second = scope.spawn(move || receive.into_iter().try_for_each(|lot| lot.replay_nodes(&mut each)));
        let mut lot = NodeBatch::new();
        let leaves = TreeScan::scan_tree(tree, text, kinds, max_depth, |node, kind, children| {
            lot.push_node(node, kind, children);
            if lot.nodes.len() < AT_ONCE {
                return Some(());
            }
            // If the second thread has given up, the channel is closed, and the walk ends.
            send.send(std::mem::replace(&mut lot, NodeBatch::new())).ok()
        });
        // The second thread may have given up by now. Its result below reports that.
        let _ = send.send(lot);
        drop(send);
        second.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        leaves
    })
}
