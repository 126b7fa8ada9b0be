/**
 * **Kenning: Show Blast Radius as a Picture** draws the dependents of a symbol.
 */
import type { ExtensionParts } from '../parts';
import { editorPlace } from '../place';
import { parseActionArgument } from './arguments';

/** Maximum distance in hops of the dependents in the picture. */
const DEPTH = 6;

export async function showPicture(parts: ExtensionParts, value: unknown): Promise<void> {
  const lens = parseActionArgument(value);
  const place = editorPlace();
  if (lens === undefined && place === undefined) {
    throw new Error('Put the cursor on a symbol in a file in the workspace first.');
  }
  const argument = lens === undefined ? place : { symbol: lens.symbol, textDocument: { uri: lens.uri } };
  const blast = await parts.connection.ask('kenning.blastRadius', { ...argument, depth: DEPTH });
  await parts.pictures.show(blast);
}
