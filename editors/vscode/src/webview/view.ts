/**
 * The state of the page: what is open, the filter, the zoom and the focus. Every change draws the
 * picture again.
 */
import type { PlacedItem } from '../picture/layout';
import type { FromPage, Picture } from '../picture/model';
import { matching, MAX_ROWS, Outline, type Item, type OpenState } from '../picture/outline';
import { count, grouped } from '../words';
import { draw, legendOf, type Drawn } from './draw';
import { fillList } from './list';

/** Smallest zoom at the start: names are still readable. */
const MIN_START_ZOOM = 0.8;
const ZOOM_LIMITS = { min: 0.1, max: 3 };

/** The parts of the page. */
export interface PageParts {
  title: HTMLElement;
  summary: HTMLElement;
  canvas: HTMLElement;
  list: HTMLElement;
  filter: HTMLInputElement;
  legend: HTMLElement;
  status: HTMLElement;
  more: HTMLButtonElement;
}

export class View {
  private readonly outline: Outline;
  private readonly hops: number[] = [];
  private state: OpenState;
  private drawn: Drawn;
  private scale = 1;
  focused: string;

  constructor(
    private readonly picture: Picture,
    private readonly parts: PageParts,
    private readonly post: (message: FromPage) => void,
  ) {
    for (const { hop } of picture.nodes) {
      this.hops[hop] = (this.hops[hop] ?? 0) + 1;
    }
    this.outline = new Outline(picture);
    this.state = this.outline.openWithin(MAX_ROWS);
    this.focused = picture.nodes[0]?.id ?? '';
    parts.title.textContent = `What depends on ${picture.title}`;
    parts.summary.textContent = picture.summary;
    this.drawn = this.redraw();
    this.fillList();
    this.scale = this.startScale();
    this.showTarget();
  }

  /** Draws again for another width of the page. */
  resize(): void {
    this.change();
    this.scale = this.startScale();
    this.showTarget();
  }

  items(): PlacedItem[] {
    return this.drawn.layout.items;
  }

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

  /** Multiplies the zoom by a factor; `undefined` shows everything. */
  zoom(factor: number | undefined): void {
    const { canvas } = this.parts;
    const { width, height } = this.drawn.layout;
    const whole = Math.min(1, canvas.clientWidth / width, canvas.clientHeight / height);
    const wanted = factor === undefined ? whole : this.scale * factor;
    this.scale = Math.min(Math.max(wanted, ZOOM_LIMITS.min), ZOOM_LIMITS.max);
    this.drawn.stage.style.zoom = String(this.scale);
    this.drawn.buttons.get(this.focused)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Filters the list and the picture. */
  filter(): void {
    this.fillList();
    this.change();
    this.showTarget();
  }

  focusFilter(): void {
    this.parts.filter.focus();
  }

  expandAll(): void {
    this.state = this.outline.openAll();
    this.change();
  }

  collapseAll(): void {
    this.state = this.outline.openWithin(MAX_ROWS);
    this.focused = this.picture.nodes[0]?.id ?? '';
    this.change();
    this.showTarget();
  }

  /** Opens the code of a symbol, or what a closed item hides. */
  choose(item: Item): void {
    if (item.kind === 'symbol') {
      this.focus(item.key);
      this.post({ type: 'open', id: item.node.id });
      return;
    }
    const before = new Set(this.drawn.buttons.keys());
    this.outline.open(this.state, item);
    this.change();
    this.focus([...this.drawn.buttons.keys()].find((key) => !before.has(key)));
  }

  close(key: string): void {
    const isTarget = key === this.picture.nodes[0]?.id;
    if (!isTarget && this.state.open.delete(key)) {
      this.state.pages.delete(key);
      this.change();
      this.focus(this.drawn.buttons.has(key) ? key : this.focused);
    }
  }

  centre(item: Item): void {
    if (item.kind === 'symbol') {
      this.post({ type: 'centre', id: item.node.id });
    }
  }

  open(id: string): void {
    this.post({ type: 'open', id });
  }

  /** Shows a symbol in the picture and marks it. */
  reveal(id: string): void {
    this.outline.reveal(this.state, id);
    this.change();
    const button = this.drawn.buttons.get(id);
    button?.classList.add('revealed');
    button?.scrollIntoView({ block: 'center', inline: 'nearest' });
  }

  private startScale(): number {
    return Math.min(1, Math.max(this.parts.canvas.clientWidth / this.drawn.layout.width, MIN_START_ZOOM));
  }

  private words(): string {
    return this.parts.filter.value.trim();
  }

  private change(): void {
    this.drawn = this.redraw();
  }

  private redraw(): Drawn {
    const filter = this.words();
    const only =
      filter === '' ? undefined : this.outline.withPaths(matching(this.picture, filter).map(({ id }) => id));
    const drawn = draw(this.outline.build(this.state, only), {
      hops: this.hops,
      room: this.parts.canvas.clientWidth,
      choose: (item) => {
        this.choose(item);
      },
      close: (key) => {
        this.close(key);
      },
    });
    drawn.stage.style.zoom = String(this.scale);
    this.parts.canvas.replaceChildren(drawn.stage);
    this.parts.legend.replaceChildren(...legendOf(drawn.layout.items));
    if (!drawn.buttons.has(this.focused)) {
      this.focused = this.picture.nodes[0]?.id ?? '';
    }
    drawn.buttons.get(this.focused)?.setAttribute('tabindex', '0');
    this.showStatus(drawn, only?.size);
    return drawn;
  }

  private showStatus(drawn: Drawn, matched: number | undefined): void {
    const { status, more } = this.parts;
    const all = this.picture.nodes.length - 1;
    const shown = drawn.layout.items.filter(({ item }) => item.kind === 'symbol').length - 1;
    const within = matched === undefined ? all : matched - 1;
    const cut =
      this.picture.left > 0 ? ` ${grouped(this.picture.left)} more were counted but are not listed.` : '';
    const note = this.picture.note ?? '';
    status.textContent = all === 0 ? note : `Showing ${grouped(shown)} of ${count(all, 'dependent')}.${cut}`;
    more.hidden = shown >= within;
    more.textContent = `Show ${grouped(within - shown)} more`;
  }

  private fillList(): void {
    const filter = this.words();
    const nodes = filter === '' ? this.picture.nodes.slice(1) : matching(this.picture, filter);
    fillList(this.parts.list, this.picture, nodes, this);
  }

  private showTarget(): void {
    this.drawn.stage.style.zoom = String(this.scale);
    const target = this.picture.nodes[0]?.id ?? '';
    this.drawn.buttons.get(target)?.scrollIntoView({ block: 'center', inline: 'start' });
  }
}
