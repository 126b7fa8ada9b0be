/**
 * Draws the picture: columns by hop, frames of folders, items as buttons on top of the arrows from
 * each item to the one that it depends on. Buttons, not SVG texts, so that a label that is too long
 * ends in an ellipsis and the browser scrolls to what has the focus.
 */
import { HEADING, layout, type Layout, type PlacedItem } from '../picture/layout';
import type { Evidence, PictureNode } from '../picture/model';
import type { Item } from '../picture/outline';
import { count, evidence, grouped } from '../words';

const SVG = 'http://www.w3.org/2000/svg';
const EVIDENCES: Evidence[] = ['confirmed', 'resolved', 'name', 'other'];

const EVIDENCE: Record<Evidence, string> = {
  confirmed: evidence('lsp_resolved'),
  resolved: evidence('ast_resolved'),
  name: evidence('ast_inferred'),
  other: 'other evidence',
};

/** What the user does with an item of the picture. */
export interface Actions {
  choose: (item: Item) => void;
  close: (key: string) => void;
}

export interface Drawn {
  stage: HTMLElement;
  layout: Layout;
  buttons: Map<string, HTMLButtonElement>;
}

/** What a picture is drawn with: the number of symbols per hop, for the headings, and the width of the page. */
export interface DrawOptions extends Actions {
  hops: number[];
  room: number;
}

/** Draws the tree of items. */
export function draw(root: Item, { hops, room, ...actions }: DrawOptions): Drawn {
  const places = layout(root, room);
  const stage = element('div', 'stage');
  size(stage, places);
  stage.append(headings(places, hops));
  for (const { x, width } of places.columns) {
    const column = element('div', 'column');
    column.style.left = `${x}px`;
    column.style.width = `${width}px`;
    stage.append(column);
  }
  for (const { cluster, ...rect } of places.clusters) {
    const frame = at(element('div', 'cluster'), rect);
    const close = element('button', 'folder-name');
    close.append(element('span', 'codicon-mark', '▾'), element('span', 'label', folderLabel(cluster.folder)));
    close.append(element('span', 'number', grouped(cluster.count)));
    close.tabIndex = -1;
    close.title = `${cluster.folder}: close the folder`;
    close.setAttribute('aria-label', `Close the folder ${cluster.folder}`);
    close.addEventListener('click', () => {
      actions.close(cluster.key);
    });
    frame.append(close);
    stage.append(frame);
  }
  stage.append(arrows(places));
  const buttons = new Map<string, HTMLButtonElement>();
  for (const placed of places.items) {
    const button = at(itemButton(placed.item), placed);
    button.addEventListener('click', () => {
      actions.choose(placed.item);
    });
    buttons.set(placed.item.key, button);
    stage.append(button);
  }
  return { stage, layout: places, buttons };
}

function headings(places: Layout, hops: number[]): HTMLElement {
  const row = element('div', 'headings');
  size(row, { width: places.width, height: HEADING });
  for (const { hop, x, width } of places.columns) {
    const heading = at(element('div', 'heading', headingOf(hop)), { x, y: 0, width, height: HEADING });
    if (hop > 0) {
      heading.append(element('span', 'number', grouped(hops[hop] ?? 0)));
    }
    row.append(heading);
  }
  return row;
}

export function headingOf(hop: number): string {
  return hop === 0 ? 'Symbol' : count(hop, 'hop');
}

function folderLabel(folder: string): string {
  return folder === '.' ? 'the root' : folder === '' ? 'outside the workspace' : folder;
}

function itemButton(item: Item): HTMLButtonElement {
  const button = element('button', '');
  button.tabIndex = -1;
  button.dataset.key = item.key;
  if (item.kind === 'symbol') {
    const { node } = item;
    const flags = [node.evidence, node.hop === 0 ? 'target' : '', node.isTest ? 'test' : ''];
    button.className = ['node', ...flags].filter((name) => name !== '').join(' ');
    button.dataset.name = node.name;
    button.title = described(node);
    button.setAttribute('aria-label', described(node));
    button.append(element('span', 'dot'), nameLabel(node.name));
    return button;
  }
  const words = item.kind === 'folder' ? folderLabel(item.folder) : `${grouped(item.count)} more`;
  button.className = item.kind;
  const behind =
    item.hidden > item.count
      ? `, ${grouped(item.hidden - item.count)} behind ${item.count === 1 ? 'it' : 'them'}`
      : '';
  const what =
    item.kind === 'folder' ? `${item.folder}: ${count(item.count, 'symbol')}${behind}` : `${words}${behind}`;
  button.title = `${what}. Open`;
  button.setAttribute('aria-label', `${what}, closed`);
  button.setAttribute('aria-expanded', 'false');
  button.append(element('span', 'codicon-mark', '▸'), element('span', 'label', words));
  if (item.kind === 'folder') {
    button.append(element('span', 'number', grouped(item.count)));
  } else if (item.hidden > item.count) {
    button.append(element('span', 'number', `+${grouped(item.hidden - item.count)}`));
  }
  return button;
}

/** The name with its container, which is shortened first. */
function nameLabel(name: string): HTMLElement {
  const label = element('span', 'label');
  const end = name.lastIndexOf('.') + 1;
  if (end > 1) {
    label.append(element('span', 'container', name.slice(0, end)));
  }
  label.append(element('span', 'name', name.slice(end)));
  return label;
}

/** Describes a symbol in words, for tooltips and screen readers. */
export function described(node: PictureNode): string {
  const place = node.file === '' ? 'outside the workspace' : `${node.file}:${node.line}`;
  const what = `${node.name}, ${node.kind}${node.isTest ? ', test' : ''}, ${place}`;
  if (node.hop === 0) {
    return `${what}; the symbol itself`;
  }
  const sure = node.ambiguous ? '; one of several possible targets' : '';
  return `${what}; ${count(node.hop, 'hop')} away, ${node.edge}, ${EVIDENCE[node.evidence]}${sure}`;
}

/** Draws the arrows, each from the left of an item to the right of what it depends on. */
function arrows({ items, width, height }: Layout): SVGElement {
  const svg = svgElement('svg', { class: 'arrows', width, height, 'aria-hidden': 'true' });
  svg.append(...EVIDENCES.map(arrowHead));
  for (const placed of items) {
    if (placed.parent !== undefined) {
      svg.append(arrow(placed, placed.parent));
    }
  }
  return svg;
}

function arrow(placed: PlacedItem, parent: PlacedItem): SVGElement {
  const { item } = placed;
  const from = { x: placed.x, y: placed.y + placed.height / 2 };
  const to = { x: parent.x + parent.width, y: parent.y + parent.height / 2 };
  const middle = (from.x + to.x) / 2;
  const kind = item.kind === 'symbol' ? item.node.evidence : 'other';
  const classes = ['edge', kind, item.kind, item.kind === 'symbol' && item.node.ambiguous ? 'ambiguous' : ''];
  return svgElement('path', {
    class: classes.filter((name) => name !== '').join(' '),
    d: `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x + 7} ${to.y}`,
    'marker-end': `url(#head-${kind})`,
  });
}

function arrowHead(kind: Evidence): SVGElement {
  const marker = svgElement('marker', {
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
  marker.append(svgElement('path', { d: 'M0 0L8 4L0 8z' }));
  return marker;
}

/** The entries of the legend for what is drawn. */
export function legendOf(items: PlacedItem[]): HTMLElement[] {
  const nodes = items.flatMap(({ item }) => (item.kind === 'symbol' && item.node.hop > 0 ? [item.node] : []));
  const entries = EVIDENCES.filter((kind) => nodes.some((node) => node.evidence === kind)).map((kind) =>
    legendEntry(`line ${kind}`, EVIDENCE[kind]),
  );
  if (entries.length > 0) {
    entries.unshift(legendEntry('arrow', 'leads to what is used'));
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

function legendEntry(mark: string, words: string): HTMLElement {
  const entry = element('li', '');
  entry.append(element('span', `mark ${mark}`), document.createTextNode(words));
  return entry;
}

function at<E extends HTMLElement>(
  placed: E,
  rect: { x: number; y: number; width: number; height: number },
): E {
  placed.style.left = `${rect.x}px`;
  placed.style.top = `${rect.y}px`;
  size(placed, rect);
  return placed;
}

function size(sized: HTMLElement, { width, height }: { width: number; height: number }): void {
  sized.style.width = `${width}px`;
  sized.style.height = `${height}px`;
}

/** Creates an element of the page with its class and its text. */
export function element<K extends keyof HTMLElementTagNameMap>(
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

function svgElement(name: string, attributes: Record<string, string | number>): SVGElement {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, String(value));
  }
  return created;
}
