//! Random walk with restart over the neighborhood of the seeds (`docs/ranking.md`), by
//! deterministic power iteration.
//!
//! [`WalkNeighborhood::load_around`] reads a graph breadth first around the seeds, within bounds
//! on hops and nodes, into a table of transition probabilities. [`WalkNeighborhood::run_walk`]
//! iterates until the distribution converges or the best nodes keep their order.
//! [`WalkNeighborhood::strongest_paths`] explains how a node was reached. Equal graphs and seeds
//! give equal results: neighbors come in a fixed order, and equal masses are ordered by node
//! number.

use crate::config::WalkConfig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// A graph to walk on. Edges are followed in both directions, so an implementation reports both.
pub(crate) trait Adjacency {
    /// The id of a node.
    type Node: Copy + Eq + Hash + Ord;

    /// Calls `visit` with each neighbor and the weight of the edge, in a fixed order.
    fn visit_neighbors(&self, node: Self::Node, visit: &mut dyn FnMut(Self::Node, f64));

    /// Whether the walk may enter this node at all.
    fn can_enter(&self, node: Self::Node) -> bool;

    /// Returns the node's index in a table of [`Self::dense_len`] entries. Loading looks up
    /// every edge around the seeds, for which a table is faster than a map.
    fn dense_index(&self, node: Self::Node) -> usize;

    /// Returns the length of that table. Nodes with an index beyond it go into a map.
    fn dense_len(&self) -> usize;
}

/// The state of a node while the neighborhood is loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeState {
    /// No visited edge leads to the node.
    Unvisited,
    /// An edge leads to the node, but the walk may not enter it.
    Refused,
    /// The node is loaded and has this number.
    Loaded(u32),
}

/// The state of each node.
struct NodeStates<'a, A: Adjacency> {
    graph: &'a A,
    table: Vec<NodeState>,
    others: FxHashMap<A::Node, NodeState>,
}

impl<'a, A: Adjacency> NodeStates<'a, A> {
    fn new(graph: &'a A) -> Self {
        Self { graph, table: vec![NodeState::Unvisited; graph.dense_len()], others: FxHashMap::default() }
    }

    fn node_state(&self, node: A::Node) -> NodeState {
        let in_table = self.table.get(self.graph.dense_index(node)).copied();
        in_table.unwrap_or_else(|| self.others.get(&node).copied().unwrap_or(NodeState::Unvisited))
    }

    fn set_state(&mut self, node: A::Node, state: NodeState) {
        match self.table.get_mut(self.graph.dense_index(node)) {
            Some(entry) => *entry = state,
            None => {
                self.others.insert(node, state);
            }
        }
    }
}

/// The reason why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// There were no seeds.
    NoSeeds,
    /// The change in the distribution fell below the tolerance.
    Converged,
    /// The best nodes kept their order.
    Stable,
    /// The walk reached the maximum number of iterations.
    Limit,
}

/// The loaded neighborhood: nodes by number, nearest first, with transition probabilities.
pub(crate) struct WalkNeighborhood<N> {
    pub nodes: Vec<N>,
    /// Hops from the nearest seed.
    pub hops: Vec<u32>,
    /// Number of nodes next to loaded nodes that the walk may not enter.
    pub refused: usize,
    starts: Vec<u32>,
    edges: Vec<(u32, f64)>,
    restart: Vec<f64>,
}

/// The distribution after the walk.
pub(crate) struct WalkOutcome {
    /// Probability of each node. The sum is 1 unless there are no seeds.
    pub mass: Vec<f64>,
    pub iterations: usize,
    pub stop: StopReason,
}

impl<N: Copy + Eq + Hash + Ord> WalkNeighborhood<N> {
    /// Loads the nodes within `config.hops` of the seeds, nearest first, at most
    /// `config.max_nodes`. Ignores seeds whose weight is not positive and finite.
    pub fn load_around<A: Adjacency<Node = N>>(graph: &A, seeds: &[(N, f64)], config: &WalkConfig) -> Self {
        let mut known = NodeStates::new(graph);
        let (mut nodes, mut hops, mut restart) = (Vec::new(), Vec::new(), Vec::new());
        let mut refused = 0;
        for &(node, weight) in seeds {
            if weight.is_finite() && weight > 0.0 {
                if let NodeState::Loaded(number) = known.node_state(node) {
                    restart[number as usize] += weight;
                } else {
                    known.set_state(node, NodeState::Loaded(nodes.len() as u32));
                    nodes.push(node);
                    hops.push(0);
                    restart.push(weight);
                }
            }
        }
        // The edges of all nodes, one node after the other. The edges of each node are read once.
        let (mut edges_read, mut ends) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < nodes.len() {
            let may_expand = hops[at] < config.hops;
            graph.visit_neighbors(nodes[at], &mut |next, weight| {
                if !weight.is_finite() || weight <= 0.0 {
                    return;
                }
                match known.node_state(next) {
                    NodeState::Refused => {}
                    NodeState::Loaded(number) => edges_read.push((EdgeEnd::Loaded(number), weight)),
                    NodeState::Unvisited if may_expand && nodes.len() < config.max_nodes => {
                        if graph.can_enter(next) {
                            let number = nodes.len() as u32;
                            known.set_state(next, NodeState::Loaded(number));
                            edges_read.push((EdgeEnd::Loaded(number), weight));
                            nodes.push(next);
                            hops.push(hops[at] + 1);
                            restart.push(0.0);
                        } else {
                            known.set_state(next, NodeState::Refused);
                            refused += 1;
                        }
                    }
                    // The node may be loaded later as a neighbor of another node.
                    NodeState::Unvisited => edges_read.push((EdgeEnd::Unloaded(next), weight)),
                }
            });
            ends.push(edges_read.len());
            at += 1;
        }
        let sum: f64 = restart.iter().sum();
        for share in &mut restart {
            *share /= sum.max(f64::MIN_POSITIVE);
        }
        let (starts, edges) = build_transition_table(&edges_read, &ends, &known);
        Self { nodes, hops, refused, starts, edges, restart }
    }

    fn node_edges(&self, node: usize) -> &[(u32, f64)] {
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Walks until the distribution or the order of the best nodes is stable, or the maximum number
    /// of iterations is reached.
    pub fn run_walk(&self, config: &WalkConfig) -> WalkOutcome {
        let mut mass = self.restart.clone();
        if self.nodes.is_empty() {
            return WalkOutcome { mass, iterations: 0, stop: StopReason::NoSeeds };
        }
        let mut best = top_nodes(&mass, config.stable_top);
        let mut stable = 0;
        for iteration in 1..=config.max_iterations {
            let next = self.step_mass(&mass, config.restart);
            let change: f64 = next.iter().zip(&mass).map(|(a, b)| (a - b).abs()).sum();
            mass = next;
            let current = top_nodes(&mass, config.stable_top);
            stable = if current == best { stable + 1 } else { 0 };
            best = current;
            if iteration >= config.min_iterations {
                if change < config.tolerance {
                    return WalkOutcome { mass, iterations: iteration, stop: StopReason::Converged };
                }
                if stable >= config.stable_iterations {
                    return WalkOutcome { mass, iterations: iteration, stop: StopReason::Stable };
                }
            }
        }
        WalkOutcome { mass, iterations: config.max_iterations, stop: StopReason::Limit }
    }

    /// Computes one step: follow an edge, or return to a seed. From a node without edges the walk
    /// always returns.
    fn step_mass(&self, mass: &[f64], restart: f64) -> Vec<f64> {
        let mut next = vec![0.0; mass.len()];
        let mut returned = 0.0;
        for (node, &node_mass) in mass.iter().enumerate() {
            if node_mass == 0.0 {
                continue;
            }
            let edges = self.node_edges(node);
            if edges.is_empty() {
                returned += node_mass;
                continue;
            }
            returned += node_mass * restart;
            for &(target, probability) in edges {
                next[target as usize] += node_mass * (1.0 - restart) * probability;
            }
        }
        for (slot, seed) in next.iter_mut().zip(&self.restart) {
            *slot += returned * seed;
        }
        next
    }

    /// Returns the most probable path from a seed to each target, the seed first. A target that no
    /// seed reaches has no entry.
    pub fn strongest_paths(&self, targets: &[u32]) -> FxHashMap<u32, Vec<u32>> {
        let mut pending: FxHashSet<u32> = targets.iter().copied().collect();
        let mut best = vec![0.0_f64; self.nodes.len()];
        let mut before = vec![u32::MAX; self.nodes.len()];
        let mut done = vec![false; self.nodes.len()];
        let mut queue = BinaryHeap::new();
        for (node, &weight) in self.restart.iter().enumerate() {
            if weight > 0.0 {
                best[node] = weight;
                queue.push(HeapEntry { probability: weight, node: node as u32 });
            }
        }
        let mut paths = FxHashMap::default();
        if pending.is_empty() {
            return paths;
        }
        while let Some(HeapEntry { probability, node }) = queue.pop() {
            if std::mem::replace(&mut done[node as usize], true) {
                continue;
            }
            if pending.remove(&node) {
                paths.insert(node, path_to_node(&before, node));
                if pending.is_empty() {
                    break;
                }
            }
            for &(target, share) in self.node_edges(node as usize) {
                let reached = probability * share;
                if reached > best[target as usize] && !done[target as usize] {
                    best[target as usize] = reached;
                    before[target as usize] = node;
                    queue.push(HeapEntry { probability: reached, node: target });
                }
            }
        }
        paths
    }
}

/// The other end of an edge while nodes are being loaded.
enum EdgeEnd<N> {
    Loaded(u32),
    Unloaded(N),
}

/// Returns the transition probabilities between loaded nodes: the index at which each node's edges
/// start, and the edges in their order.
fn build_transition_table<A: Adjacency>(
    edges_read: &[(EdgeEnd<A::Node>, f64)],
    ends: &[usize],
    known: &NodeStates<'_, A>,
) -> (Vec<u32>, Vec<(u32, f64)>) {
    let mut starts = Vec::with_capacity(ends.len() + 1);
    let mut edges: Vec<(u32, f64)> = Vec::with_capacity(edges_read.len());
    starts.push(0);
    let mut begin = 0;
    for &end in ends {
        let from = edges.len();
        for (edge_end, weight) in &edges_read[begin..end] {
            let number = match edge_end {
                EdgeEnd::Loaded(number) => Some(*number),
                EdgeEnd::Unloaded(node) => match known.node_state(*node) {
                    NodeState::Loaded(number) => Some(number),
                    NodeState::Refused | NodeState::Unvisited => None,
                },
            };
            edges.extend(number.map(|number| (number, *weight)));
        }
        let sum: f64 = edges[from..].iter().map(|e| e.1).sum();
        for edge in &mut edges[from..] {
            edge.1 /= sum;
        }
        starts.push(edges.len() as u32);
        begin = end;
    }
    (starts, edges)
}

fn path_to_node(before: &[u32], node: u32) -> Vec<u32> {
    let mut path = vec![node];
    let mut at = node;
    while before[at as usize] != u32::MAX {
        at = before[at as usize];
        path.push(at);
    }
    path.reverse();
    path
}

/// Returns the numbers of the `count` nodes with the greatest mass above 0, greatest first, and by
/// number among equal masses.
pub(crate) fn top_nodes(mass: &[f64], count: usize) -> Vec<u32> {
    let order = |a: &u32, b: &u32| mass[*b as usize].total_cmp(&mass[*a as usize]).then(a.cmp(b));
    let mut all: Vec<u32> = (0..mass.len() as u32).filter(|&i| mass[i as usize] > 0.0).collect();
    if count < all.len() && count > 0 {
        all.select_nth_unstable_by(count - 1, order);
    }
    all.truncate(count);
    all.sort_unstable_by(order);
    all
}

/// A reached node, ordered by the probability of its path.
#[derive(PartialEq)]
struct HeapEntry {
    probability: f64,
    node: u32,
}

impl Eq for HeapEntry {}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.probability.total_cmp(&other.probability).then_with(|| other.node.cmp(&self.node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RankConfig;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    struct Edges(Vec<(u32, u32, f64)>);

    impl Adjacency for Edges {
        type Node = u32;

        fn visit_neighbors(&self, node: u32, visit: &mut dyn FnMut(u32, f64)) {
            for &(a, b, weight) in &self.0 {
                if a == node {
                    visit(b, weight);
                }
                if b == node {
                    visit(a, weight);
                }
            }
        }

        fn can_enter(&self, node: u32) -> bool {
            node < 1000
        }

        fn dense_index(&self, node: u32) -> usize {
            node as usize
        }

        /// Returns a length that puts some nodes in the table and some in the map.
        fn dense_len(&self) -> usize {
            3
        }
    }

    fn config() -> WalkConfig {
        RankConfig::seeds_preset().walk
    }

    fn check(edges: &[(u32, u32, f64)], seeds: &[(u32, f64)], expect: Expect) {
        let near = WalkNeighborhood::load_around(&Edges(edges.to_vec()), seeds, &config());
        let walked = near.run_walk(&config());
        let mut shown = format!("{:?} after {}\n", walked.stop, walked.iterations);
        for (i, node) in near.nodes.iter().enumerate() {
            shown += &format!("{node} {:.3} hops {}\n", walked.mass[i], near.hops[i]);
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn mass_falls_with_distance_and_with_the_weight_of_edges() {
        check(
            &[(1, 2, 1.0), (2, 3, 1.0), (1, 4, 0.2)],
            &[(1, 1.0)],
            expect![[r#"
            Limit after 20
            1 0.402 hops 0
            2 0.387 hops 1
            4 0.053 hops 1
            3 0.159 hops 2
        "#]],
        );
    }

    #[test]
    fn a_seed_without_edges_keeps_all_mass() {
        check(
            &[],
            &[(7, 1.0)],
            expect![[r#"
            Converged after 3
            7 1.000 hops 0
        "#]],
        );
    }

    #[test]
    fn edges_without_a_positive_weight_are_ignored() {
        check(
            &[(1, 2, 0.0), (1, 3, f64::NAN)],
            &[(1, 1.0)],
            expect![[r#"
            Converged after 3
            1 1.000 hops 0
        "#]],
        );
    }

    #[test]
    fn refused_nodes_and_far_nodes_get_no_mass() {
        let chain: Vec<(u32, u32, f64)> = (1..9).map(|i| (i, i + 1, 1.0)).chain([(1, 1001, 1.0)]).collect();
        check(
            &chain,
            &[(1, 1.0)],
            expect![[r#"
            Limit after 20
            1 0.337 hops 0
            2 0.337 hops 1
            3 0.180 hops 2
            4 0.102 hops 3
            5 0.043 hops 4
        "#]],
        );
    }

    #[test]
    fn without_seeds_there_is_no_walk() {
        check(
            &[(1, 2, 1.0)],
            &[],
            expect![[r#"
            NoSeeds after 0
        "#]],
        );
        check(
            &[(1, 2, 1.0)],
            &[(1, 0.0), (2, f64::NAN)],
            expect![[r#"
            NoSeeds after 0
        "#]],
        );
    }

    #[test]
    fn the_strongest_path_is_the_most_probable_not_the_shortest() {
        // 1-4 directly at a weight of 0.05; 1-2-3-4 at full weight.
        let edges = [(1, 4, 0.05), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)];
        let near = WalkNeighborhood::load_around(&Edges(edges.to_vec()), &[(1, 1.0)], &config());
        let number = near.nodes.iter().position(|&n| n == 4).expect("the node is loaded") as u32;
        let paths = near.strongest_paths(&[number]);
        let names: Vec<u32> = paths[&number].iter().map(|&i| near.nodes[i as usize]).collect();
        assert_eq!(names, [1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn mass_is_conserved(
            edges in prop::collection::vec((0u32..30, 0u32..30, 0.0f64..2.0), 0..80),
            seeds in prop::collection::vec((0u32..30, 0.01f64..1.0), 1..6),
        ) {
            let near = WalkNeighborhood::load_around(&Edges(edges), &seeds, &config());
            let walked = near.run_walk(&config());
            let sum: f64 = walked.mass.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            prop_assert!(walked.mass.iter().all(|m| m.is_finite() && *m >= 0.0));
        }
    }
}
