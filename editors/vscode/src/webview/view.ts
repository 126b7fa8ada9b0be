/**
 * The state of the page: the open symbols and folders, the filter, the zoom and the focus. Each
 * change draws the diagram again.
 */
import type { PlacedItem } from '../diagram/layout';
import type { PageMessage, Diagram } from '../diagram/model';
import { filterNodes, MAX_ROWS, DiagramOutline, type OpenState, type OutlineItem } from '../diagram/outline';
import { formatCount, formatNumber } from '../words';
import { drawDiagram, legendOf, type DrawnDiagram } from './draw';
import { fillList } from './list';

/** Minimum initial zoom, at which names are readable. */
const MIN_INITIAL_ZOOM = 0.8;
/** The smallest and the largest zoom. */
const ZOOM_LIMITS = { min: 0.1, max: 3 };

/** The elements of the page. */
export interface PageElements {
  title: HTMLElement;
  summary: HTMLElement;
  canvas: HTMLElement;
  list: HTMLElement;
  filter: HTMLInputElement;
  legend: HTMLElement;
  status: HTMLElement;
  more: HTMLButtonElement;
}

/** Draws a diagram on the page and handles the user's actions. */
export class DiagramView {
  private readonly outline: DiagramOutline;
  private readonly symbolsAtHop: number[] = [];
  private state: OpenState;
  private drawn: DrawnDiagram;
  private scale = 1;
  focused: string;

  constructor(
    private readonly diagram: Diagram,
    private readonly elements: PageElements,
    private readonly post: (message: PageMessage) => void,
  ) {
    for (const { hop } of diagram.nodes) {
      this.symbolsAtHop[hop] = (this.symbolsAtHop[hop] ?? 0) + 1;
    }
    this.outline = new DiagramOutline(diagram);
    this.state = this.outline.openWithin(MAX_ROWS);
    this.focused = diagram.nodes[0]?.id ?? '';
    elements.title.textContent = `What depends on ${diagram.title}`;
    elements.summary.textContent = diagram.summary;
    this.drawn = this.redraw();
    this.fillList();
    this.scale = this.initialScale();
    this.showTarget();
  }

  /** Draws the diagram for the new width of the page. */
  resize(): void {
    this.update();
    this.scale = this.initialScale();
    this.showTarget();
  }

  /** Returns the drawn items with their positions. */
  placedItems(): PlacedItem[] {
    return this.drawn.layout.items;
  }

  /** Focuses the item with this key and scrolls to it. Does nothing if there is no such item. */
  focus(key: string | undefined): void {
    const button = key === undefined ? undefined : this.drawn.buttons.get(key);
    if (key === undefined || button === undefined) {
      return;
    }
    this.drawn.buttons.get(this.focused)?.setAttribute('tabindex', '-1');
    button.tabIndex = 0;
    this.focused = key;
    button.focus();
    button.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Multiplies the zoom by a factor; `undefined` fits the diagram into the page. */
  zoom(factor: number | undefined): void {
    const { canvas } = this.elements;
    const { width, height } = this.drawn.layout;
    const fit = Math.min(1, canvas.clientWidth / width, canvas.clientHeight / height);
    const scale = factor === undefined ? fit : this.scale * factor;
    this.scale = Math.min(Math.max(scale, ZOOM_LIMITS.min), ZOOM_LIMITS.max);
    this.drawn.stage.style.zoom = String(this.scale);
    this.drawn.buttons.get(this.focused)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Applies the filter to the list and the diagram. */
  filter(): void {
    this.fillList();
    this.update();
    this.showTarget();
  }

  focusFilter(): void {
    this.elements.filter.focus();
  }

  expandAll(): void {
    this.state = this.outline.openAll();
    this.update();
  }

  collapseAll(): void {
    this.state = this.outline.openWithin(MAX_ROWS);
    this.focused = this.diagram.nodes[0]?.id ?? '';
    this.update();
    this.showTarget();
  }

  /** Opens the code of a symbol, or the symbols of a closed item. */
  openCodeOrExpand(item: OutlineItem): void {
    if (item.kind === 'symbol') {
      this.focus(item.key);
      this.post({ type: 'open', id: item.node.id });
      return;
    }
    const previousKeys = new Set(this.drawn.buttons.keys());
    this.outline.open(this.state, item);
    this.update();
    this.focus([...this.drawn.buttons.keys()].find((key) => !previousKeys.has(key)));
  }

  /** Closes a symbol or a folder. The target stays open. */
  close(key: string): void {
    const isTarget = key === this.diagram.nodes[0]?.id;
    if (!isTarget && this.state.open.delete(key)) {
      this.state.pages.delete(key);
      this.update();
      this.focus(this.drawn.buttons.has(key) ? key : this.focused);
    }
  }

  /** Requests the blast radius of a symbol. */
  center(item: OutlineItem): void {
    if (item.kind === 'symbol') {
      this.post({ type: 'center', id: item.node.id });
    }
  }

  /** Opens the code of a symbol. */
  open(id: string): void {
    this.post({ type: 'open', id });
  }

  /** Shows a symbol in the diagram and highlights it. */
  reveal(id: string): void {
    this.outline.reveal(this.state, id);
    this.update();
    const button = this.drawn.buttons.get(id);
    button?.classList.add('revealed');
    button?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  private initialScale(): number {
    return Math.min(
      1,
      Math.max(this.elements.canvas.clientWidth / this.drawn.layout.width, MIN_INITIAL_ZOOM),
    );
  }

  private filterText(): string {
    return this.elements.filter.value.trim();
  }

  private update(): void {
    this.drawn = this.redraw();
  }

  private redraw(): DrawnDiagram {
    const filter = this.filterText();
    const visibleIds =
      filter === ''
        ? undefined
        : this.outline.addPaths(filterNodes(this.diagram, filter).map(({ id }) => id));
    const drawn = drawDiagram(this.outline.build(this.state, visibleIds), {
      symbolsAtHop: this.symbolsAtHop,
      pageWidth: this.elements.canvas.clientWidth,
      choose: (item) => {
        this.openCodeOrExpand(item);
      },
      close: (key) => {
        this.close(key);
      },
    });
    drawn.stage.style.zoom = String(this.scale);
    this.elements.canvas.replaceChildren(drawn.stage);
    this.elements.legend.replaceChildren(...legendOf(drawn.layout.items));
    if (!drawn.buttons.has(this.focused)) {
      this.focused = this.diagram.nodes[0]?.id ?? '';
    }
    drawn.buttons.get(this.focused)?.setAttribute('tabindex', '0');
    this.showStatus(drawn, visibleIds?.size);
    return drawn;
  }

  private showStatus(drawn: DrawnDiagram, matched: number | undefined): void {
    const { status, more } = this.elements;
    const total = this.diagram.nodes.length - 1;
    const shown = drawn.layout.items.filter(({ item }) => item.kind === 'symbol').length - 1;
    const matching = matched === undefined ? total : matched - 1;
    const { hidden } = this.diagram;
    const verbs = hidden === 1 ? 'was counted but is' : 'were counted but are';
    const unlisted = hidden > 0 ? ` ${formatNumber(hidden)} more ${verbs} not listed.` : '';
    const note = this.diagram.note ?? '';
    status.textContent =
      total === 0 ? note : `Showing ${formatNumber(shown)} of ${formatCount(total, 'dependent')}.${unlisted}`;
    more.hidden = shown >= matching;
    more.textContent = `Show ${formatNumber(matching - shown)} more`;
  }

  private fillList(): void {
    const filter = this.filterText();
    const nodes = filter === '' ? this.diagram.nodes.slice(1) : filterNodes(this.diagram, filter);
    fillList(this.elements.list, this.diagram, nodes, this);
  }

  private showTarget(): void {
    this.drawn.stage.style.zoom = String(this.scale);
    const target = this.diagram.nodes[0]?.id ?? '';
    this.drawn.buttons.get(target)?.scrollIntoView({ block: 'center', inline: 'start' });
  }
}
