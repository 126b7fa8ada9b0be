/**
 * The page's side of the picture: receives the data, draws it, and reports what the user chose.
 */
import type { FromPage, Picture } from '../picture/model';
import { count, grouped } from '../words';
import { draw, type Drawn } from './draw';
import { move } from './keys';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  setState(state: Picture): void;
  getState(): Picture | undefined;
};

const api = acquireVsCodeApi();
let drawn: Drawn | undefined;

function show(picture: Picture): void {
  api.setState(picture);
  text('title', `What depends on ${picture.title}`);
  const shown = picture.nodes.length - 1;
  const all = count(shown + picture.left, 'dependent');
  text('left', picture.left > 0 ? `Showing ${grouped(shown)} of ${all}.` : `Showing ${all}.`);
  const main = document.getElementById('picture');
  if (main === null) {
    return;
  }
  drawn = draw(picture, {
    open: (id) => {
      api.postMessage({ type: 'open', id });
    },
    centre: (id) => {
      api.postMessage({ type: 'centre', id });
    },
  });
  main.replaceChildren(drawn.svg);
  drawn.focus(picture.nodes[0]?.id);
}

function text(id: string, words: string): void {
  const element = document.getElementById(id);
  if (element !== null) {
    element.textContent = words;
  }
}

window.addEventListener('message', (event: MessageEvent<Picture>) => {
  show(event.data);
});

document.addEventListener('keydown', (event) => {
  if (drawn === undefined || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  if (move(drawn, event.key)) {
    event.preventDefault();
  }
});

const kept = api.getState();
if (kept !== undefined) {
  show(kept);
}
api.postMessage({ type: 'ready' });
