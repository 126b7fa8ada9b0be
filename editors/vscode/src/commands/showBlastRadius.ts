/**
 * **Kenning: Show Blast Radius**, and the click on a lens: shows the users of a symbol as a tree.
 */
import type { Parts } from '../parts';
import { editorPlace } from '../place';
import { actionArgument } from './arguments';

/** The tree asks for each further level when it is expanded. */
const DEPTH = 1;

export async function showBlastRadius(parts: Parts, passed: unknown): Promise<void> {
  const clicked = actionArgument(passed);
  const place = editorPlace();
  const uri = clicked?.uri ?? place?.textDocument.uri;
  const question =
    clicked === undefined ? place : { symbol: clicked.symbol, textDocument: { uri: clicked.uri } };
  if (question === undefined || uri === undefined) {
    throw new Error('Put the cursor on a symbol in a file of the workspace first.');
  }
  const blast = await parts.connection.ask('kenning.blastRadius', { ...question, depth: DEPTH });
  await parts.users.show({ blast, uri });
}
