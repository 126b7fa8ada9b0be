/**
 * Computes the positions of the nodes of a picture. They lie on rings around the middle, each node in
 * the sector of the node that it depends on.
 */
import type { PictureNode } from './model';

export interface Point {
  x: number;
  y: number;
}

/** Space for a node on its ring, and space between two rings, in SVG units. */
const NODE_SPACE = 34;
const RING_SPACE = 90;

/** Computes the position of each node, by id; the middle is at (0, 0). */
export function layout(nodes: readonly PictureNode[]): Map<string, Point> {
  const children = childrenOf(nodes);
  const weights = new Map<string, number>();
  // Outer rings first: a node needs as much space as its dependents together.
  for (const node of [...nodes].sort((a, b) => b.ring - a.ring)) {
    const weight = (children.get(node.id) ?? []).reduce(
      (sum, child) => sum + (weights.get(child.id) ?? 1),
      0,
    );
    weights.set(node.id, Math.max(weight, 1));
  }
  const radii = radiiOf(nodes);
  const points = new Map<string, Point>();
  const middle = nodes.find((node) => node.ring === 0);
  const placeSubtree = (node: PictureNode, startAngle: number, endAngle: number): void => {
    const angle = (startAngle + endAngle) / 2;
    const radius = radii[node.ring] ?? 0;
    points.set(node.id, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    let angleOfChild = startAngle;
    const weight = weights.get(node.id) ?? 1;
    for (const child of children.get(node.id) ?? []) {
      const share = ((endAngle - startAngle) * (weights.get(child.id) ?? 1)) / weight;
      placeSubtree(child, angleOfChild, angleOfChild + share);
      angleOfChild += share;
    }
  };
  if (middle !== undefined) {
    placeSubtree(middle, -Math.PI / 2, (3 * Math.PI) / 2);
  }
  return points;
}

/** Groups the nodes by the node that they depend on, in their original order. */
export function childrenOf(nodes: readonly PictureNode[]): Map<string, PictureNode[]> {
  const children = new Map<string, PictureNode[]>();
  for (const node of nodes) {
    if (node.dependsOn !== undefined) {
      const siblings = children.get(node.dependsOn) ?? [];
      siblings.push(node);
      children.set(node.dependsOn, siblings);
    }
  }
  return children;
}

/** Computes the radius of each ring: large enough for its nodes and outside the previous ring. */
function radiiOf(nodes: readonly PictureNode[]): number[] {
  const counts: number[] = [];
  for (const { ring } of nodes) {
    counts[ring] = (counts[ring] ?? 0) + 1;
  }
  const radii = [0];
  for (let ring = 1; ring < counts.length; ring += 1) {
    const radius = ((counts[ring] ?? 0) * NODE_SPACE) / (2 * Math.PI);
    radii.push(Math.max((radii[ring - 1] ?? 0) + RING_SPACE, radius));
  }
  return radii;
}
