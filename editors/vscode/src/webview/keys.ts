/**
 * The keyboard controls of the picture.
 */
import type { Drawn } from './draw';

const ZOOM = 1.25;

/** Performs the action of a key. Returns whether the key has one. */
export function move(drawn: Drawn, key: string): boolean {
  const { nodes } = drawn;
  const at = nodes.findIndex((node) => node.id === drawn.focused);
  const here = nodes[at];
  if (here === undefined) {
    return false;
  }
  const ring = nodes.filter((node) => node.ring === here.ring);
  const beside = (step: number): string | undefined => {
    const place = ring.findIndex((node) => node.id === here.id);
    return ring[(place + step + ring.length) % ring.length]?.id;
  };
  switch (key) {
    case 'ArrowRight':
      drawn.focus(beside(1));
      return true;
    case 'ArrowLeft':
      drawn.focus(beside(-1));
      return true;
    case 'ArrowUp':
      drawn.focus(here.on);
      return true;
    case 'ArrowDown':
      drawn.focus(nodes.find((node) => node.on === here.id)?.id);
      return true;
    case 'Home':
      drawn.focus(nodes[0]?.id);
      return true;
    case 'Enter':
    case ' ':
      drawn.choice.open(here.id);
      return true;
    case 'c':
    case 'C':
      drawn.choice.centre(here.id);
      return true;
    case '+':
    case '=':
      drawn.zoom(1 / ZOOM);
      return true;
    case '-':
      drawn.zoom(ZOOM);
      return true;
    case '0':
      drawn.zoom(undefined);
      return true;
    default:
      return false;
  }
}
