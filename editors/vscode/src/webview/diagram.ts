/**
 * The script of the diagram's page. It receives the diagram as data, draws it, and sends the user's
 * actions to the extension.
 */
import type { PageMessage, Diagram } from '../diagram/model';
import { handleKey, ZOOM_FACTOR } from './keys';
import { handleListKey } from './list';
import { DiagramView, type PageElements } from './view';

declare function acquireVsCodeApi(): {
  postMessage(message: PageMessage): void;
  setState(state: Diagram): void;
  getState(): Diagram | undefined;
};

/** Factor by which one event of the mouse wheel zooms. */
const WHEEL_ZOOM_FACTOR = 1.1;

const api = acquireVsCodeApi();
const elements: PageElements = {
  title: findElement('title', HTMLElement),
  summary: findElement('summary', HTMLElement),
  canvas: findElement('diagram', HTMLElement),
  list: findElement('list', HTMLElement),
  filter: findElement('filter', HTMLInputElement),
  legend: findElement('legend', HTMLElement),
  status: findElement('status', HTMLElement),
  more: findElement('more', HTMLButtonElement),
};
let view: DiagramView | undefined;

function findElement<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return element;
}

function show(diagram: Diagram): void {
  api.setState(diagram);
  elements.filter.value = '';
  view = new DiagramView(diagram, elements, (message) => {
    api.postMessage(message);
  });
  view.focus(diagram.nodes[0]?.id);
}

const BUTTON_ACTIONS: Record<string, (shown: DiagramView) => void> = {
  'zoom-in': (shown) => {
    shown.zoom(ZOOM_FACTOR);
  },
  'zoom-out': (shown) => {
    shown.zoom(1 / ZOOM_FACTOR);
  },
  'zoom-all': (shown) => {
    shown.zoom(undefined);
  },
  reset: (shown) => {
    shown.collapseAll();
  },
  more: (shown) => {
    shown.expandAll();
  },
};
for (const [id, run] of Object.entries(BUTTON_ACTIONS)) {
  findElement(id, HTMLButtonElement).addEventListener('click', () => {
    if (view !== undefined) {
      run(view);
    }
  });
}

elements.filter.addEventListener('input', () => {
  view?.filter();
});

window.addEventListener('message', (event: MessageEvent<Diagram>) => {
  show(event.data);
});

document.addEventListener('keydown', (event) => {
  if (view === undefined || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  const active = document.activeElement;
  if (
    elements.list.contains(active)
      ? handleListKey(elements.list, event.key, view)
      : handleDiagramKey(view, active, event.key)
  ) {
    event.preventDefault();
  }
});

function handleDiagramKey(view: DiagramView, active: Element | null, key: string): boolean {
  if (active === elements.filter) {
    return false;
  }
  const isInDiagram = elements.canvas.contains(active) || active === document.body;
  return isInDiagram && handleKey(view, key);
}

let width = elements.canvas.clientWidth;
new ResizeObserver(() => {
  if (elements.canvas.clientWidth !== width) {
    width = elements.canvas.clientWidth;
    view?.resize();
  }
}).observe(elements.canvas);

// With Ctrl, the wheel zooms. Browsers also report a pinch on a trackpad in this way.
elements.canvas.addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey) {
      event.preventDefault();
      view?.zoom(event.deltaY < 0 ? WHEEL_ZOOM_FACTOR : 1 / WHEEL_ZOOM_FACTOR);
    }
  },
  { passive: false },
);

const saved = api.getState();
if (saved !== undefined) {
  show(saved);
}
api.postMessage({ type: 'ready' });
