/**
 * The script of the picture's page. It receives the picture as data, draws it, and sends the user's
 * actions to the extension.
 */
import type { PageMessage, Picture } from '../picture/model';
import { formatCount, formatNumber } from '../words';
import { drawPicture, type DrawnPicture } from './draw';
import { handleKey } from './keys';

declare function acquireVsCodeApi(): {
  postMessage(message: PageMessage): void;
  setState(state: Picture): void;
  getState(): Picture | undefined;
};

const api = acquireVsCodeApi();
let drawn: DrawnPicture | undefined;

function show(picture: Picture): void {
  api.setState(picture);
  setText('title', `What depends on ${picture.title}`);
  const shown = picture.nodes.length - 1;
  const total = formatCount(shown + picture.hidden, 'dependent');
  setText('left', picture.hidden > 0 ? `Showing ${formatNumber(shown)} of ${total}.` : `Showing ${total}.`);
  const main = document.getElementById('picture');
  if (main === null) {
    return;
  }
  drawn = drawPicture(picture, {
    open: (id) => {
      api.postMessage({ type: 'open', id });
    },
    center: (id) => {
      api.postMessage({ type: 'center', id });
    },
  });
  main.replaceChildren(drawn.svg);
  drawn.focus(picture.nodes[0]?.id);
}

function setText(id: string, text: string): void {
  const element = document.getElementById(id);
  if (element !== null) {
    element.textContent = text;
  }
}

window.addEventListener('message', (event: MessageEvent<Picture>) => {
  show(event.data);
});

document.addEventListener('keydown', (event) => {
  if (drawn === undefined || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  if (handleKey(drawn, event.key)) {
    event.preventDefault();
  }
});

const saved = api.getState();
if (saved !== undefined) {
  show(saved);
}
api.postMessage({ type: 'ready' });
