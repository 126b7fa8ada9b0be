/**
 * **Kenning: Copy Pack for the Change** copies the code that matters for the change since a branch,
 * unsaved text included.
 */
import { copyPack } from '../context/copy';
import { pickBase } from '../git';
import type { ExtensionParts } from '../parts';
import { pickPosition, folderOf } from '../documentPosition';
import type { Pack } from '../protocol';

export async function copyChangeContext(parts: ExtensionParts): Promise<Pack | undefined> {
  const documentPosition = await pickPosition();
  if (documentPosition === undefined) {
    return undefined;
  }
  const picked = await pickBase(folderOf(documentPosition), 'Kenning: Copy Pack for the Change');
  if (picked === undefined) {
    return undefined;
  }
  // A request about a change has no position.
  const document =
    documentPosition.textDocument === undefined ? {} : { textDocument: documentPosition.textDocument };
  return copyPack(parts, { kind: 'change', base: picked.base, documentPosition: document });
}
