/**
 * The keyboard controls of the picture.
 */
import type { DrawnPicture } from './draw';

const ZOOM_FACTOR = 1.25;

/** Performs the action of a key on the focused symbol. Returns whether the key has an action. */
export function handleKey(drawn: DrawnPicture, key: string): boolean {
  const { nodes } = drawn;
  const focused = nodes.find((node) => node.id === drawn.focused);
  if (focused === undefined) {
    return false;
  }
  const ring = nodes.filter((node) => node.ring === focused.ring);
  const neighbor = (step: number): string | undefined => {
    const index = ring.findIndex((node) => node.id === focused.id);
    return ring[(index + step + ring.length) % ring.length]?.id;
  };
  switch (key) {
    case 'ArrowRight':
      drawn.focus(neighbor(1));
      return true;
    case 'ArrowLeft':
      drawn.focus(neighbor(-1));
      return true;
    case 'ArrowUp':
      drawn.focus(focused.dependsOn);
      return true;
    case 'ArrowDown':
      drawn.focus(nodes.find((node) => node.dependsOn === focused.id)?.id);
      return true;
    case 'Home':
      drawn.focus(nodes[0]?.id);
      return true;
    case 'Enter':
    case ' ':
      drawn.actions.open(focused.id);
      return true;
    case 'c':
    case 'C':
      drawn.actions.center(focused.id);
      return true;
    case '+':
    case '=':
      drawn.zoom(1 / ZOOM_FACTOR);
      return true;
    case '-':
      drawn.zoom(ZOOM_FACTOR);
      return true;
    case '0':
      drawn.zoom(undefined);
      return true;
    default:
      return false;
  }
}
