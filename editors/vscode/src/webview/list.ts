/**
 * The list of all dependents by hop, next to the diagram. Screen readers read the list, and its
 * filter also filters the diagram.
 */
import type { Diagram, DiagramNode } from '../diagram/model';
import { formatNumber } from '../words';
import { createElement, describeNode, headingOf } from './draw';

/** The actions of the page when the user selects a row. */
export interface ListActions {
  /** Shows a symbol in the diagram. */
  reveal: (id: string) => void;
  /** Opens the code of a symbol. */
  open: (id: string) => void;
}

/** Replaces the rows of the list by these symbols. */
export function fillList(
  list: HTMLElement,
  diagram: Diagram,
  nodes: DiagramNode[],
  actions: ListActions,
): void {
  const parts: HTMLElement[] = [];
  const hops = [...new Set(nodes.map(({ hop }) => hop))].sort((a, b) => a - b);
  for (const hop of hops) {
    const members = nodes.filter((node) => node.hop === hop);
    const heading = createElement('h2', '', headingOf(hop));
    heading.append(createElement('span', 'number', formatNumber(members.length)));
    const rows = createElement('ul', '');
    rows.setAttribute('aria-label', `${headingOf(hop)} from ${diagram.title}`);
    rows.append(...members.map((node) => listRow(node, actions)));
    parts.push(heading, rows);
  }
  if (parts.length === 0) {
    parts.push(
      createElement(
        'p',
        'empty',
        diagram.nodes.length > 1 ? 'No match.' : (diagram.note ?? 'No dependents found.'),
      ),
    );
  }
  list.replaceChildren(...parts);
  const first = list.querySelector('button');
  if (first !== null) {
    first.tabIndex = 0;
  }
}

function listRow(node: DiagramNode, actions: ListActions): HTMLElement {
  const button = createElement('button', ['row', node.evidence, node.isTest ? 'test' : ''].join(' ').trim());
  button.tabIndex = -1;
  button.dataset.id = node.id;
  button.title = describeNode(node);
  button.setAttribute('aria-label', describeNode(node));
  const position = node.file === '' ? 'outside the workspace' : `${node.file}:${node.line}`;
  button.append(
    createElement('span', 'dot'),
    createElement('span', 'label', node.name),
    createElement('span', 'location', position),
  );
  button.addEventListener('click', () => {
    actions.reveal(node.id);
  });
  button.addEventListener('dblclick', () => {
    actions.open(node.id);
  });
  const item = createElement('li', '');
  item.append(button);
  return item;
}

/** Runs the action of a key in the list. Returns whether the key has one. */
export function handleListKey(list: HTMLElement, key: string, actions: ListActions): boolean {
  const rows = [...list.querySelectorAll('button')];
  const focused = rows.find((row) => row === document.activeElement);
  if (focused === undefined) {
    return false;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step !== undefined) {
    const next = rows[rows.indexOf(focused) + step];
    if (next !== undefined) {
      focused.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    return true;
  }
  if (key === 'Enter') {
    actions.open(focused.dataset.id ?? '');
    return true;
  }
  return false;
}
