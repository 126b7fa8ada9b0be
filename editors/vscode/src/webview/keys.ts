/**
 * The keyboard controls of the diagram.
 */
import type { PlacedItem } from '../diagram/layout';
import type { DiagramView } from './view';

/** Factor by which one key press zooms. */
export const ZOOM_FACTOR = 1.25;

/** Runs the action of a key. Returns whether the key has one. */
export function handleKey(view: DiagramView, key: string): boolean {
  const items = view.placedItems();
  const focused = items.find(({ item }) => item.key === view.focused);
  if (focused === undefined) {
    return false;
  }
  const moveTo = (target: PlacedItem | undefined): true => {
    view.focus(target?.item.key);
    return true;
  };
  const column = items.filter(({ hop }) => hop === focused.hop).sort((a, b) => a.y - b.y);
  const dependents = items.filter(({ parent }) => parent === focused);
  switch (key) {
    case 'ArrowDown':
      return moveTo(column[column.indexOf(focused) + 1]);
    case 'ArrowUp':
      return moveTo(column[column.indexOf(focused) - 1]);
    case 'ArrowLeft':
      return moveTo(focused.parent);
    case 'ArrowRight':
      return moveTo(dependents.sort((a, b) => Math.abs(a.y - focused.y) - Math.abs(b.y - focused.y))[0]);
    case 'Home':
      return moveTo(items[0]);
    case 'End':
      return moveTo(column.at(-1));
    case 'x':
    case 'X':
      view.close(focused.item.cluster?.key ?? focused.item.key);
      return true;
    case 'c':
    case 'C':
      view.center(focused.item);
      return true;
    case '/':
      view.focusFilter();
      return true;
    case '+':
    case '=':
      view.zoom(ZOOM_FACTOR);
      return true;
    case '-':
      view.zoom(1 / ZOOM_FACTOR);
      return true;
    case '0':
      view.zoom(undefined);
      return true;
    default:
      return false;
  }
}
