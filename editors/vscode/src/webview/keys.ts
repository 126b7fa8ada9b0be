/**
 * The keyboard controls of the picture.
 */
import type { PlacedItem } from '../picture/layout';
import type { View } from './view';

const ZOOM = 1.25;

/** Performs the action of a key. Returns whether the key has one. */
export function press(view: View, key: string): boolean {
  const items = view.items();
  const here = items.find(({ item }) => item.key === view.focused);
  if (here === undefined) {
    return false;
  }
  const go = (to: PlacedItem | undefined): true => {
    view.focus(to?.item.key);
    return true;
  };
  const column = items.filter(({ hop }) => hop === here.hop).sort((a, b) => a.y - b.y);
  const below = items.filter(({ parent }) => parent === here);
  switch (key) {
    case 'ArrowDown':
      return go(column[column.indexOf(here) + 1]);
    case 'ArrowUp':
      return go(column[column.indexOf(here) - 1]);
    case 'ArrowLeft':
      return go(here.parent);
    case 'ArrowRight':
      return go(below.sort((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0]);
    case 'Home':
      return go(items[0]);
    case 'End':
      return go(column.at(-1));
    case 'x':
    case 'X':
      view.close(here.item.cluster?.key ?? here.item.key);
      return true;
    case 'c':
    case 'C':
      view.centre(here.item);
      return true;
    case '/':
      view.focusFilter();
      return true;
    case '+':
    case '=':
      view.zoom(ZOOM);
      return true;
    case '-':
      view.zoom(1 / ZOOM);
      return true;
    case '0':
      view.zoom(undefined);
      return true;
    default:
      return false;
  }
}
