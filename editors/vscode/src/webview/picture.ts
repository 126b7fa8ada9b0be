/**
 * The page's side of the picture: receives the data, draws it, and reports what the user chose.
 */
import type { FromPage, Picture } from '../picture/model';
import { press } from './keys';
import { pressInList } from './list';
import { View, type PageParts } from './view';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  setState(state: Picture): void;
  getState(): Picture | undefined;
};

const api = acquireVsCodeApi();
const parts: PageParts = {
  title: find('title', HTMLElement),
  summary: find('summary', HTMLElement),
  canvas: find('picture', HTMLElement),
  list: find('list', HTMLElement),
  filter: find('filter', HTMLInputElement),
  legend: find('legend', HTMLElement),
  status: find('status', HTMLElement),
  more: find('more', HTMLButtonElement),
};
let view: View | undefined;

function find<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

function show(picture: Picture): void {
  api.setState(picture);
  parts.filter.value = '';
  view = new View(picture, parts, (message) => {
    api.postMessage(message);
  });
  view.focus(picture.nodes[0]?.id);
}

const BUTTONS: Record<string, (shown: View) => void> = {
  'zoom-in': (shown) => {
    shown.zoom(1.25);
  },
  'zoom-out': (shown) => {
    shown.zoom(1 / 1.25);
  },
  'zoom-all': (shown) => {
    shown.zoom(undefined);
  },
  collapse: (shown) => {
    shown.collapseAll();
  },
  more: (shown) => {
    shown.expandAll();
  },
};
for (const [id, run] of Object.entries(BUTTONS)) {
  find(id, HTMLButtonElement).addEventListener('click', () => {
    if (view !== undefined) {
      run(view);
    }
  });
}

parts.filter.addEventListener('input', () => {
  view?.filter();
});

window.addEventListener('message', (event: MessageEvent<Picture>) => {
  show(event.data);
});

document.addEventListener('keydown', (event) => {
  if (view === undefined || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  const where = document.activeElement;
  if (
    parts.list.contains(where)
      ? pressInList(parts.list, event.key, view)
      : pressElsewhere(view, where, event.key)
  ) {
    event.preventDefault();
  }
});

function pressElsewhere(shown: View, where: Element | null, key: string): boolean {
  if (where === parts.filter) {
    return false;
  }
  const isInPicture = parts.canvas.contains(where) || where === document.body;
  return isInPicture && press(shown, key);
}

let width = parts.canvas.clientWidth;
new ResizeObserver(() => {
  if (parts.canvas.clientWidth !== width) {
    width = parts.canvas.clientWidth;
    view?.resize();
  }
}).observe(parts.canvas);

// With Ctrl, as a trackpad sends a pinch, the wheel zooms; otherwise it scrolls.
parts.canvas.addEventListener(
  'wheel',
  (event) => {
    if (event.ctrlKey) {
      event.preventDefault();
      view?.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }
  },
  { passive: false },
);

const kept = api.getState();
if (kept !== undefined) {
  show(kept);
}
api.postMessage({ type: 'ready' });
