/**
 * **Kenning: Show Blast Radius as a Diagram** draws the dependents of a symbol.
 */
import type { ExtensionParts } from '../parts';
import { editorPosition } from '../documentPosition';
import { parseActionArgument } from './arguments';

/** Maximum distance in hops of the dependents in the diagram. */
const DEPTH = 6;

export async function showDiagram(parts: ExtensionParts, value: unknown): Promise<void> {
  const lens = parseActionArgument(value);
  const documentPosition = editorPosition();
  if (lens === undefined && documentPosition === undefined) {
    throw new Error('Put the cursor on a symbol in a file in the workspace first.');
  }
  const argument =
    lens === undefined ? documentPosition : { symbol: lens.symbol, textDocument: { uri: lens.uri } };
  const blast = await parts.connection.ask('kenning.blastRadius', { ...argument, depth: DEPTH });
  await parts.diagrams.show(blast);
}
