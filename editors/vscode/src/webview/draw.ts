/**
 * Draws the picture as SVG: a line from each symbol to the one that it depends on, and the symbols on
 * top of the lines.
 */
import { layout, type Point } from '../picture/layout';
import type { Picture, PictureNode } from '../picture/model';
import { describeEvidence } from '../words';

const SVG = 'http://www.w3.org/2000/svg';

/** Space around the nodes: beside them for their names, and above and below. */
const MARGIN = { x: 130, y: 36 };

/** Minimum size of the visible part, so that a single node is not magnified. */
const MIN_SIZE = { width: 420, height: 300 };

/** Maximum number of characters of a name in the picture; the tooltip has the whole name. */
const NAME_LENGTH = 28;

const EVIDENCE = {
  confirmed: describeEvidence('lsp_resolved'),
  resolved: describeEvidence('ast_resolved'),
  name: describeEvidence('ast_inferred'),
  other: 'other evidence',
};

/** What the page does when the user opens or centers a symbol. */
export interface SymbolActions {
  open: (id: string) => void;
  center: (id: string) => void;
}

/** A drawn picture with the operations of the keyboard. */
export interface DrawnPicture {
  svg: SVGSVGElement;
  nodes: PictureNode[];
  actions: SymbolActions;
  focused: string | undefined;
  focus: (id: string | undefined) => void;
  /**
   * Multiplies the width and height of the visible part by this factor; `undefined` shows
   * everything.
   */
  zoom: (factor: number | undefined) => void;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Draws a picture. The caller adds the SVG to the page. */
export function drawPicture(picture: Picture, actions: SymbolActions): DrawnPicture {
  const points = layout(picture.nodes);
  const svg = element('svg', { role: 'group', 'aria-label': `What depends on ${picture.title}` });
  const whole = boxOf([...points.values()]);
  let box = whole;
  const showBox = (next: Box): void => {
    box = next;
    svg.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
  };
  showBox(whole);
  for (const node of picture.nodes) {
    const [from, to] = [points.get(node.id), points.get(node.dependsOn ?? '')];
    if (from !== undefined && to !== undefined) {
      svg.append(edgeLine(node, from, to));
    }
  }
  const groups = new Map<string, SVGGElement>();
  for (const node of picture.nodes) {
    const group = symbolGroup(node, points.get(node.id) ?? { x: 0, y: 0 });
    group.addEventListener('click', () => {
      drawn.focus(node.id);
      actions.open(node.id);
    });
    groups.set(node.id, group);
    svg.append(group);
  }
  const drawn: DrawnPicture = {
    svg,
    nodes: picture.nodes,
    actions,
    focused: undefined,
    focus(id) {
      const group = id === undefined ? undefined : groups.get(id);
      if (group === undefined) {
        return;
      }
      for (const other of groups.values()) {
        other.setAttribute('tabindex', other === group ? '0' : '-1');
      }
      drawn.focused = id;
      group.focus();
    },
    zoom(factor) {
      const center = points.get(drawn.focused ?? '') ?? { x: 0, y: 0 };
      showBox(factor === undefined ? whole : boxAround(center, box.width * factor, box.height * factor));
    },
  };
  return drawn;
}

function boxAround({ x, y }: Point, width: number, height: number): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function boxOf(points: Point[]): Box {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right] = [Math.min(0, ...xs) - MARGIN.x, Math.max(0, ...xs) + MARGIN.x];
  const [top, bottom] = [Math.min(0, ...ys) - MARGIN.y, Math.max(0, ...ys) + MARGIN.y];
  const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return boxAround(middle, Math.max(right - left, MIN_SIZE.width), Math.max(bottom - top, MIN_SIZE.height));
}

function edgeLine(node: PictureNode, from: Point, to: Point): SVGElement {
  const classes = ['edge', node.evidence, node.ambiguous ? 'ambiguous' : '', node.edge];
  return element('line', {
    class: classes.filter((name) => name !== '').join(' '),
    x1: String(from.x),
    y1: String(from.y),
    x2: String(to.x),
    y2: String(to.y),
  });
}

function symbolGroup(node: PictureNode, point: Point): SVGGElement {
  const classes = ['node', node.evidence, node.ring === 0 ? 'target' : '', node.isTest ? 'test' : ''];
  const group = element('g', {
    class: classes.filter((name) => name !== '').join(' '),
    transform: `translate(${point.x} ${point.y})`,
    role: 'button',
    tabindex: '-1',
    'aria-label': describeNode(node),
    'data-name': node.name,
  });
  const radius = node.ring === 0 ? 11 : 7;
  group.append(
    node.isTest
      ? element('rect', { x: '-7', y: '-7', width: '14', height: '14', rx: '2' })
      : element('circle', { r: String(radius) }),
  );
  group.append(nameLabel(node, point, radius), tooltip(node));
  return group;
}

/**
 * Creates the name beside the node, on the side away from the middle, so that it does not cover the
 * line.
 */
function nameLabel(node: PictureNode, point: Point, radius: number): SVGElement {
  const text = element('text', {
    x: String(node.ring === 0 ? 0 : point.x < -1 ? -radius - 5 : radius + 5),
    y: node.ring === 0 ? String(radius + 18) : '4',
    'text-anchor': node.ring === 0 ? 'middle' : point.x < -1 ? 'end' : 'start',
  });
  const { name } = node;
  text.textContent = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
  return text;
}

function tooltip(node: PictureNode): SVGElement {
  const title = element('title', {});
  title.textContent = describeNode(node);
  return title;
}

/** Describes a symbol in words, for tooltips and screen readers. */
export function describeNode(node: PictureNode): string {
  const text = `${node.name}, ${node.kind}${node.isTest ? ', test' : ''}, ${node.place}`;
  if (node.ring === 0) {
    return `${text}; the symbol itself`;
  }
  const hops = node.ring === 1 ? '1 hop' : `${node.ring} hops`;
  const ambiguity = node.ambiguous ? '; one of several possible targets' : '';
  return `${text}; ${hops} away, ${node.edge}, ${EVIDENCE[node.evidence]}${ambiguity}`;
}

function element<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string>,
): SVGElementTagNameMap[K] {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    created.setAttribute(key, value);
  }
  return created;
}
