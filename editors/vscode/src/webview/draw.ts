/**
 * Draws the diagram: columns by hop, frames of folders, an arrow from each item to the item that it
 * depends on, and the items on top of the arrows. The items are buttons instead of SVG texts, so
 * that a long label ends in an ellipsis and the browser scrolls to the focused item.
 */
import {
  HEADING_HEIGHT,
  layoutDiagram,
  type DiagramLayout,
  type PlacedItem,
  type Rect,
} from '../diagram/layout';
import type { Evidence, DiagramNode } from '../diagram/model';
import type { OutlineItem } from '../diagram/outline';
import { describeEvidence, formatCount, formatNumber } from '../words';

const SVG = 'http://www.w3.org/2000/svg';
const EVIDENCES: Evidence[] = ['confirmed', 'resolved', 'name', 'other'];

const EVIDENCE: Record<Evidence, string> = {
  confirmed: describeEvidence('lsp_resolved'),
  resolved: describeEvidence('ast_resolved'),
  name: describeEvidence('ast_inferred'),
  other: 'other evidence',
};

/** The actions of the page when the user selects an item or closes a folder. */
export interface ItemActions {
  choose: (item: OutlineItem) => void;
  close: (key: string) => void;
}

/** A drawn diagram. `buttons` has the button of each item, by the item's key. */
export interface DrawnDiagram {
  stage: HTMLElement;
  layout: DiagramLayout;
  buttons: Map<string, HTMLButtonElement>;
}

/** The actions, the number of symbols at each hop for the headings, and the width of the page. */
export interface DrawOptions extends ItemActions {
  symbolsAtHop: number[];
  pageWidth: number;
}

/** Draws the tree of items. The caller adds the stage to the page. */
export function drawDiagram(
  root: OutlineItem,
  { symbolsAtHop, pageWidth, ...actions }: DrawOptions,
): DrawnDiagram {
  const positions = layoutDiagram(root, pageWidth);
  const stage = createElement('div', 'stage');
  setSize(stage, positions);
  stage.append(headingRow(positions, symbolsAtHop));
  for (const { x, width } of positions.columns) {
    const column = createElement('div', 'column');
    column.style.left = `${x}px`;
    column.style.width = `${width}px`;
    stage.append(column);
  }
  for (const { cluster, ...rect } of positions.clusters) {
    const frame = placeAt(createElement('div', 'cluster'), rect);
    const close = createElement('button', 'folder-name');
    close.append(
      createElement('span', 'codicon-mark', '▾'),
      createElement('span', 'label', folderLabel(cluster.folder)),
    );
    close.append(createElement('span', 'number', formatNumber(cluster.count)));
    close.tabIndex = -1;
    close.title = `${cluster.folder}: close the folder`;
    close.setAttribute('aria-label', `Close the folder ${cluster.folder}`);
    close.addEventListener('click', () => {
      actions.close(cluster.key);
    });
    frame.append(close);
    stage.append(frame);
  }
  stage.append(arrowLayer(positions));
  const buttons = new Map<string, HTMLButtonElement>();
  for (const placed of positions.items) {
    const button = placeAt(itemButton(placed.item), placed);
    button.addEventListener('click', () => {
      actions.choose(placed.item);
    });
    buttons.set(placed.item.key, button);
    stage.append(button);
  }
  return { stage, layout: positions, buttons };
}

function headingRow(positions: DiagramLayout, symbolsAtHop: number[]): HTMLElement {
  const row = createElement('div', 'headings');
  setSize(row, { width: positions.width, height: HEADING_HEIGHT });
  for (const { hop, x, width } of positions.columns) {
    const heading = placeAt(createElement('div', 'heading', headingOf(hop)), {
      x,
      y: 0,
      width,
      height: HEADING_HEIGHT,
    });
    if (hop > 0) {
      heading.append(createElement('span', 'number', formatNumber(symbolsAtHop[hop] ?? 0)));
    }
    row.append(heading);
  }
  return row;
}

/** Returns the heading of a column. */
export function headingOf(hop: number): string {
  return hop === 0 ? 'Symbol' : formatCount(hop, 'hop');
}

function folderLabel(folder: string): string {
  return folder === '.' ? 'the root' : folder === '' ? 'outside the workspace' : folder;
}

function itemButton(item: OutlineItem): HTMLButtonElement {
  const button = createElement('button', '');
  button.tabIndex = -1;
  button.dataset.key = item.key;
  if (item.kind === 'symbol') {
    const { node } = item;
    const flags = [node.evidence, node.hop === 0 ? 'target' : '', node.isTest ? 'test' : ''];
    button.className = ['node', ...flags].filter((name) => name !== '').join(' ');
    button.dataset.name = node.name;
    button.title = describeNode(node);
    button.setAttribute('aria-label', describeNode(node));
    button.append(createElement('span', 'dot'), nameLabel(node.name));
    return button;
  }
  const label = item.kind === 'folder' ? folderLabel(item.folder) : `${formatNumber(item.count)} more`;
  button.className = item.kind;
  const hiddenDependents =
    item.hidden > item.count
      ? ` and ${formatNumber(item.hidden - item.count)} of ${item.count === 1 ? 'its' : 'their'} dependents`
      : '';
  const description =
    item.kind === 'folder'
      ? `${item.folder}: ${formatCount(item.count, 'symbol')}${hiddenDependents}`
      : `${label}${hiddenDependents}`;
  button.title = `${description}. Open`;
  button.setAttribute('aria-label', `${description}, closed`);
  button.setAttribute('aria-expanded', 'false');
  button.append(createElement('span', 'codicon-mark', '▸'), createElement('span', 'label', label));
  if (item.kind === 'folder') {
    button.append(createElement('span', 'number', formatNumber(item.count)));
  } else if (item.hidden > item.count) {
    button.append(createElement('span', 'number', `+${formatNumber(item.hidden - item.count)}`));
  }
  return button;
}

/** Creates the label of a name. Its container is shortened before the name itself. */
function nameLabel(name: string): HTMLElement {
  const label = createElement('span', 'label');
  const end = name.lastIndexOf('.') + 1;
  if (end > 1) {
    label.append(createElement('span', 'container', name.slice(0, end)));
  }
  label.append(createElement('span', 'name', name.slice(end)));
  return label;
}

/** Describes a symbol for tooltips and screen readers. */
export function describeNode(node: DiagramNode): string {
  const position = node.file === '' ? 'outside the workspace' : `${node.file}:${node.line}`;
  const description = `${node.name}, ${node.kind}${node.isTest ? ', test' : ''}, ${position}`;
  if (node.hop === 0) {
    return `${description}; the target`;
  }
  const uncertainty = node.ambiguous ? '; one of several possible targets' : '';
  return `${description}; ${formatCount(node.hop, 'hop')} away, ${node.relation}, ${EVIDENCE[node.evidence]}${uncertainty}`;
}

/** Draws the arrows, each from the left of an item to the right of the item that it depends on. */
function arrowLayer({ items, width, height }: DiagramLayout): SVGElement {
  const svg = createSvgElement('svg', { class: 'arrows', width, height, 'aria-hidden': 'true' });
  svg.append(...EVIDENCES.map(arrowHead));
  for (const placed of items) {
    if (placed.parent !== undefined) {
      svg.append(arrowPath(placed, placed.parent));
    }
  }
  return svg;
}

function arrowPath(placed: PlacedItem, parent: PlacedItem): SVGElement {
  const { item } = placed;
  const from = { x: placed.x, y: placed.y + placed.height / 2 };
  const to = { x: parent.x + parent.width, y: parent.y + parent.height / 2 };
  const middle = (from.x + to.x) / 2;
  const kind = item.kind === 'symbol' ? item.node.evidence : 'other';
  const classes = ['edge', kind, item.kind, item.kind === 'symbol' && item.node.ambiguous ? 'ambiguous' : ''];
  return createSvgElement('path', {
    class: classes.filter((name) => name !== '').join(' '),
    d: `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x + 7} ${to.y}`,
    'marker-end': `url(#head-${kind})`,
  });
}

function arrowHead(kind: Evidence): SVGElement {
  const marker = createSvgElement('marker', {
    id: `head-${kind}`,
    class: `head ${kind}`,
    viewBox: '0 0 8 8',
    refX: 1,
    refY: 4,
    markerWidth: 8,
    markerHeight: 8,
    markerUnits: 'userSpaceOnUse',
    orient: 'auto',
  });
  marker.append(createSvgElement('path', { d: 'M0 0L8 4L0 8z' }));
  return marker;
}

/** Creates the entries of the legend for the drawn items. */
export function legendOf(items: PlacedItem[]): HTMLElement[] {
  const nodes = items.flatMap(({ item }) => (item.kind === 'symbol' && item.node.hop > 0 ? [item.node] : []));
  const entries = EVIDENCES.filter((kind) => nodes.some((node) => node.evidence === kind)).map((kind) =>
    legendEntry(`line ${kind}`, EVIDENCE[kind]),
  );
  if (entries.length > 0) {
    entries.unshift(legendEntry('arrow', 'points to the used symbol'));
  }
  if (nodes.some((node) => node.ambiguous)) {
    entries.push(legendEntry('line ambiguous', 'one of several possible targets'));
  }
  if (nodes.some((node) => node.isTest)) {
    entries.push(legendEntry('square', 'test'));
  }
  if (items.some(({ item }) => item.kind === 'folder')) {
    entries.push(legendEntry('closed', 'closed folder with the number of its symbols'));
  }
  return entries;
}

function legendEntry(mark: string, text: string): HTMLElement {
  const entry = createElement('li', '');
  entry.append(createElement('span', `mark ${mark}`), document.createTextNode(text));
  return entry;
}

function placeAt<E extends HTMLElement>(element: E, rect: Rect): E {
  element.style.left = `${rect.x}px`;
  element.style.top = `${rect.y}px`;
  setSize(element, rect);
  return element;
}

function setSize(element: HTMLElement, { width, height }: Pick<Rect, 'width' | 'height'>): void {
  element.style.width = `${width}px`;
  element.style.height = `${height}px`;
}

/** Creates an element with its class and its text. */
export function createElement<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  text?: string,
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  created.className = className;
  if (text !== undefined) {
    created.textContent = text;
  }
  return created;
}

function createSvgElement(name: string, attributes: Record<string, string | number>): SVGElement {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, String(value));
  }
  return created;
}
