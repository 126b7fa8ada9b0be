/**
 * Computes the positions of the items of a diagram. They lie in columns by hop, with the tidy tree
 * layout of d3-hierarchy (Reingold and Tilford; Buchheim et al. for linear time). All sizes are in
 * CSS pixels.
 */
import { hierarchy, tree, type HierarchyNode, type HierarchyPointNode } from 'd3-hierarchy';
import { addToList, type FolderCluster, type OutlineItem } from './outline';

/** Height of an item. */
export const NODE_HEIGHT = 26;
/** Limits of the width of a column's items: for its labels, and for a page with free space. */
const NODE_WIDTH = { min: 110, max: 190, maxWithSpace: 260 };
/** Estimated width of a character, and of the space around a label in its item. */
const LABEL = { character: 7.3, padding: 44 };
/** Space between two columns, for the arrows. */
const COLUMN_GAP = 52;
/** Height of the headings of the columns. */
export const HEADING_HEIGHT = 30;
/** Space around the diagram. */
const MARGIN = 20;
/** Space between two rows, and between the frame of a cluster and its items. */
const ROW_GAP = 6;
const FRAME = { top: 24, bottom: 8, side: 8 };

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedItem extends Rect {
  item: OutlineItem;
  hop: number;
  /** The item that this one depends on; absent for the target. */
  parent?: PlacedItem;
}

export interface PlacedCluster extends Rect {
  cluster: FolderCluster;
}

export interface PlacedColumn {
  hop: number;
  x: number;
  width: number;
}

export interface DiagramLayout {
  width: number;
  height: number;
  items: PlacedItem[];
  clusters: PlacedCluster[];
  columns: PlacedColumn[];
}

/**
 * Places the items of a tree from left to right. They fill the width of the page if they fit into
 * it.
 */
export function layoutDiagram(root: OutlineItem, pageWidth: number): DiagramLayout {
  const points = hierarchy(root, (item) => item.children);
  const columns = computeColumns(points, pageWidth);
  const order = new Map<OutlineItem, number>();
  points.eachBefore(({ data }) => order.set(data, order.size));
  const computePositions = tree<OutlineItem>()
    .nodeSize([1, 1])
    .separation((a, b) => {
      const isAbove = (order.get(a.data) ?? 0) < (order.get(b.data) ?? 0);
      return isAbove ? rowDistance(a, b) : rowDistance(b, a);
    });
  const placed = new Map<HierarchyPointNode<OutlineItem>, PlacedItem>();
  computePositions(points).eachBefore((point) => {
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
  return moveIntoBounds([...placed.values()], columns);
}

/**
 * Computes the columns. Each is as wide as its labels, and all share the free space of the page.
 */
function computeColumns(points: HierarchyNode<OutlineItem>, pageWidth: number): PlacedColumn[] {
  const widths: number[] = [];
  points.each(({ data, depth }) => {
    const width = labelLength(data) * LABEL.character + LABEL.padding;
    widths[depth] = Math.max(widths[depth] ?? NODE_WIDTH.min, Math.min(width, NODE_WIDTH.max));
  });
  const total = widths.reduce((sum, width) => sum + width, 2 * MARGIN + (widths.length - 1) * COLUMN_GAP);
  const extra = Math.max(0, (pageWidth - total) / widths.length);
  let x = MARGIN / 2;
  return widths.map((minWidth, hop) => {
    const width = Math.floor(Math.min(minWidth + extra, NODE_WIDTH.maxWithSpace)) + MARGIN;
    const column = { hop, x, width };
    x += width + COLUMN_GAP - MARGIN;
    return column;
  });
}

/** Returns the number of characters in the label of an item or of its frame. */
function labelLength(item: OutlineItem): number {
  const frame = item.cluster === undefined ? 0 : item.cluster.folder.length + 3;
  switch (item.kind) {
    case 'symbol':
      // The name of the target is bold.
      return Math.max(item.node.name.length * (item.node.hop === 0 ? 1.2 : 1), frame);
    case 'folder':
      return item.folder.length + 4;
    case 'more':
      return Math.max(12, frame);
  }
}

/** Computes the vertical distance between two adjacent items of a column. */
function rowDistance(above: HierarchyPointNode<OutlineItem>, below: HierarchyPointNode<OutlineItem>): number {
  const [upper, lower] = [above.data.cluster, below.data.cluster];
  const space = NODE_HEIGHT + ROW_GAP;
  if (upper?.key === lower?.key) {
    return space + (above.parent === below.parent ? 0 : ROW_GAP);
  }
  return space + ROW_GAP + (upper === undefined ? 0 : FRAME.bottom) + (lower === undefined ? 0 : FRAME.top);
}

/** Adds the frames, and moves items and frames so that all coordinates are positive. */
function moveIntoBounds(items: PlacedItem[], columns: PlacedColumn[]): DiagramLayout {
  const clusters = computeFrames(items);
  const rects: Rect[] = [...items, ...clusters];
  const top = Math.min(...rects.map(({ y }) => y));
  const offset = HEADING_HEIGHT + MARGIN - top;
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

/** Computes the frames around the items of each open cluster. */
function computeFrames(items: PlacedItem[]): PlacedCluster[] {
  const members = new Map<string, PlacedItem[]>();
  for (const placed of items) {
    const key = placed.item.cluster?.key;
    if (key !== undefined) {
      addToList(members, key, placed);
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
