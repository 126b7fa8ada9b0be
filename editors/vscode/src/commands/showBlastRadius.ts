/**
 * **Kenning: Show Blast Radius**, and the click on a lens, show the users of a symbol as a tree.
 */
import type { ExtensionParts } from '../parts';
import { editorPosition } from '../documentPosition';
import { parseActionArgument } from './arguments';

/**
 * Maximum distance in hops of the requested dependents. The tree requests a level when it expands.
 */
const DEPTH = 1;

export async function showBlastRadius(parts: ExtensionParts, value: unknown): Promise<void> {
  const lens = parseActionArgument(value);
  const documentPosition = editorPosition();
  const uri = lens?.uri ?? documentPosition?.textDocument.uri;
  const argument =
    lens === undefined ? documentPosition : { symbol: lens.symbol, textDocument: { uri: lens.uri } };
  if (argument === undefined || uri === undefined) {
    throw new Error('Put the cursor on a symbol in a file in the workspace first.');
  }
  const blast = await parts.connection.ask('kenning.blastRadius', { ...argument, depth: DEPTH });
  await parts.users.show({ blast, uri });
}
