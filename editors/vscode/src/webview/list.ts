/**
 * The list beside the picture: every dependent by hop, as text. It is what a screen reader reads,
 * and its filter also filters the picture.
 */
import type { Picture, PictureNode } from '../picture/model';
import { grouped } from '../words';
import { described, element, headingOf } from './draw';

export interface ListActions {
  /** Shows a symbol in the picture. */
  reveal: (id: string) => void;
  open: (id: string) => void;
}

/** Fills the list with these symbols. */
export function fillList(
  list: HTMLElement,
  picture: Picture,
  nodes: PictureNode[],
  actions: ListActions,
): void {
  const parts: HTMLElement[] = [];
  const hops = [...new Set(nodes.map(({ hop }) => hop))].sort((a, b) => a - b);
  for (const hop of hops) {
    const members = nodes.filter((node) => node.hop === hop);
    const heading = element('h2', '', headingOf(hop));
    heading.append(element('span', 'number', grouped(members.length)));
    const rows = element('ul', '');
    rows.setAttribute('aria-label', `${headingOf(hop)} from ${picture.title}`);
    rows.append(...members.map((node) => row(node, actions)));
    parts.push(heading, rows);
  }
  if (parts.length === 0) {
    parts.push(
      element(
        'p',
        'empty',
        picture.nodes.length > 1 ? 'No match.' : (picture.note ?? 'No dependents found.'),
      ),
    );
  }
  list.replaceChildren(...parts);
  const first = list.querySelector('button');
  if (first !== null) {
    first.tabIndex = 0;
  }
}

function row(node: PictureNode, actions: ListActions): HTMLElement {
  const button = element('button', ['row', node.evidence, node.isTest ? 'test' : ''].join(' ').trim());
  button.tabIndex = -1;
  button.dataset.id = node.id;
  button.title = described(node);
  button.setAttribute('aria-label', described(node));
  const place = node.file === '' ? 'outside the workspace' : `${node.file}:${node.line}`;
  button.append(element('span', 'dot'), element('span', 'label', node.name), element('span', 'place', place));
  button.addEventListener('click', () => {
    actions.reveal(node.id);
  });
  button.addEventListener('dblclick', () => {
    actions.open(node.id);
  });
  const item = element('li', '');
  item.append(button);
  return item;
}

/** Performs the action of a key in the list. Returns whether the key has one. */
export function pressInList(list: HTMLElement, key: string, actions: ListActions): boolean {
  const rows = [...list.querySelectorAll('button')];
  const here = rows.find((one) => one === document.activeElement);
  if (here === undefined) {
    return false;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step !== undefined) {
    const next = rows[rows.indexOf(here) + step];
    if (next !== undefined) {
      here.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    return true;
  }
  if (key === 'Enter') {
    actions.open(here.dataset.id ?? '');
    return true;
  }
  return false;
}
