/**
 * Places the items of a picture in columns by hop, with the tidy tree layout of d3-hierarchy
 * (Reingold and Tilford; Buchheim et al. for linear time). All sizes are in CSS pixels.
 */
import { hierarchy, tree, type HierarchyPointNode } from 'd3-hierarchy';
import { addTo, type Cluster, type Item } from './outline';

export const NODE_HEIGHT = 26;
/** Width of an item: as much as the page has room for, within these limits. */
const NODE_WIDTH = { min: 190, max: 260 };
/** Space between two columns, in which the arrows are. */
const COLUMN_GAP = 52;
/** Height of the headings of the columns, and space around everything. */
export const HEADING = 30;
const MARGIN = 20;
/** Space between two rows, and around the items in the frame of a cluster. */
const ROW_GAP = 6;
const FRAME = { top: 24, bottom: 8, side: 8 };

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedItem extends Rect {
  item: Item;
  hop: number;
  /** The item that this one depends on; absent for the symbol itself. */
  parent?: PlacedItem;
}

export interface PlacedCluster extends Rect {
  cluster: Cluster;
}

export interface PlacedColumn {
  hop: number;
  x: number;
  width: number;
}

export interface Layout {
  width: number;
  height: number;
  items: PlacedItem[];
  clusters: PlacedCluster[];
  columns: PlacedColumn[];
}

/** Places the items of a tree from the left to the right, in `room` if they fit. */
export function layout(root: Item, room: number): Layout {
  const points = hierarchy(root, (item) => item.children);
  const gaps = 2 * MARGIN + points.height * COLUMN_GAP;
  const share = Math.floor((room - gaps) / (points.height + 1));
  const width = Math.min(Math.max(share, NODE_WIDTH.min), NODE_WIDTH.max);
  const rows = new Map<Item, number>();
  points.eachBefore(({ data }) => rows.set(data, rows.size));
  const separate = tree<Item>()
    .nodeSize([1, 1])
    .separation((a, b) => {
      const isAbove = (rows.get(a.data) ?? 0) < (rows.get(b.data) ?? 0);
      return isAbove ? distance(a, b) : distance(b, a);
    });
  const placed = new Map<HierarchyPointNode<Item>, PlacedItem>();
  separate(points).eachBefore((point) => {
    const parent = point.parent === null ? undefined : placed.get(point.parent);
    placed.set(point, {
      item: point.data,
      hop: point.depth,
      x: MARGIN + point.depth * (width + COLUMN_GAP),
      y: point.x,
      width,
      height: NODE_HEIGHT,
      ...(parent === undefined ? {} : { parent }),
    });
  });
  return inBounds([...placed.values()], width);
}

/** Vertical distance between two items that follow each other in a column. */
function distance(above: HierarchyPointNode<Item>, below: HierarchyPointNode<Item>): number {
  const [upper, lower] = [above.data.cluster, below.data.cluster];
  const space = NODE_HEIGHT + ROW_GAP;
  if (upper?.key === lower?.key) {
    return space + (above.parent === below.parent ? 0 : ROW_GAP);
  }
  return space + ROW_GAP + (upper === undefined ? 0 : FRAME.bottom) + (lower === undefined ? 0 : FRAME.top);
}

/** Adds the frames and the columns, and moves everything into the positive quadrant. */
function inBounds(items: PlacedItem[], itemWidth: number): Layout {
  const clusters = framesOf(items);
  const rects: Rect[] = [...items, ...clusters];
  const top = Math.min(...rects.map(({ y }) => y));
  const offset = HEADING + MARGIN - top;
  rects.forEach((rect) => {
    rect.y += offset;
  });
  const hops = Math.max(...items.map(({ hop }) => hop));
  const columns = Array.from({ length: hops + 1 }, (_, hop) => ({
    hop,
    x: MARGIN / 2 + hop * (itemWidth + COLUMN_GAP),
    width: itemWidth + MARGIN,
  }));
  return {
    width: 2 * MARGIN + (hops + 1) * (itemWidth + COLUMN_GAP) - COLUMN_GAP,
    height: Math.max(...rects.map(({ y, height }) => y + height)) + MARGIN,
    items,
    clusters,
    columns,
  };
}

function framesOf(items: PlacedItem[]): PlacedCluster[] {
  const members = new Map<string, PlacedItem[]>();
  for (const placed of items) {
    const key = placed.item.cluster?.key;
    if (key !== undefined) {
      addTo(members, key, placed);
    }
  }
  return [...members.values()].flatMap((placed) => {
    const [first] = placed;
    const cluster = first?.item.cluster;
    if (first === undefined || cluster === undefined) {
      return [];
    }
    const top = Math.min(...placed.map(({ y }) => y)) - FRAME.top;
    const bottom = Math.max(...placed.map(({ y }) => y)) + NODE_HEIGHT + FRAME.bottom;
    const x = first.x - FRAME.side;
    return [{ cluster, x, y: top, width: first.width + 2 * FRAME.side, height: bottom - top }];
  });
}
