/**
 * Places the items of a picture in columns by hop, with the tidy tree layout of d3-hierarchy
 * (Reingold and Tilford; Buchheim et al. for linear time). All sizes are in CSS pixels.
 */
import { hierarchy, tree, type HierarchyNode, type HierarchyPointNode } from 'd3-hierarchy';
import { addTo, type Cluster, type Item } from './outline';

export const NODE_HEIGHT = 26;
/** Width of a column's items: what its labels need within these limits, more if the page has room. */
const NODE_WIDTH = { min: 110, max: 190, roomy: 260 };
/** Estimated width of a character, and of what is beside a label in its item. */
const LABEL = { character: 7.3, beside: 44 };
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
  const columns = columnsOf(points, room);
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
      x: (columns[point.depth]?.x ?? 0) + MARGIN / 2,
      y: point.x,
      width: (columns[point.depth]?.width ?? 0) - MARGIN,
      height: NODE_HEIGHT,
      ...(parent === undefined ? {} : { parent }),
    });
  });
  return inBounds([...placed.values()], columns);
}

/** Returns the columns: each as wide as its labels need, and all wider if the page has room. */
function columnsOf(points: HierarchyNode<Item>, room: number): PlacedColumn[] {
  const needed: number[] = [];
  points.each(({ data, depth }) => {
    const width = labelLength(data) * LABEL.character + LABEL.beside;
    needed[depth] = Math.max(needed[depth] ?? NODE_WIDTH.min, Math.min(width, NODE_WIDTH.max));
  });
  const total = needed.reduce((sum, width) => sum + width, 2 * MARGIN + (needed.length - 1) * COLUMN_GAP);
  const extra = Math.max(0, (room - total) / needed.length);
  let x = MARGIN / 2;
  return needed.map((least, hop) => {
    const width = Math.floor(Math.min(least + extra, NODE_WIDTH.roomy)) + MARGIN;
    const column = { hop, x, width };
    x += width + COLUMN_GAP - MARGIN;
    return column;
  });
}

/** Returns the number of characters in the label of an item or of its frame. */
function labelLength(item: Item): number {
  const frame = item.cluster === undefined ? 0 : item.cluster.folder.length + 3;
  switch (item.kind) {
    case 'symbol':
      // The name of the symbol itself is bold.
      return Math.max(item.node.name.length * (item.node.hop === 0 ? 1.2 : 1), frame);
    case 'folder':
      return item.folder.length + 4;
    case 'more':
      return Math.max(12, frame);
  }
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
function inBounds(items: PlacedItem[], columns: PlacedColumn[]): Layout {
  const clusters = framesOf(items);
  const rects: Rect[] = [...items, ...clusters];
  const top = Math.min(...rects.map(({ y }) => y));
  const offset = HEADING + MARGIN - top;
  rects.forEach((rect) => {
    rect.y += offset;
  });
  const last = columns.at(-1);
  return {
    width: (last === undefined ? 0 : last.x + last.width) + MARGIN / 2,
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
