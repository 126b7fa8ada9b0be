/**
 * **Kenning: Show Blast Radius as a Picture** draws the dependents of a symbol.
 */
import type { Parts } from '../parts';
import { editorPlace } from '../place';
import { actionArgument } from './arguments';

/** Maximum distance in hops of the dependents in the picture. */
const DEPTH = 6;

export async function showPicture(parts: Parts, passed: unknown): Promise<void> {
  const clicked = actionArgument(passed);
  const place = editorPlace();
  if (clicked === undefined && place === undefined) {
    throw new Error('Put the cursor on a symbol in a file of the workspace first.');
  }
  const question =
    clicked === undefined ? place : { symbol: clicked.symbol, textDocument: { uri: clicked.uri } };
  const blast = await parts.connection.ask('kenning.blastRadius', { ...question, depth: DEPTH });
  await parts.pictures.show(blast);
}
