/**
 * **Kenning: Copy Change Context** copies the code that matters for the change since a branch,
 * unsaved text included.
 */
import { copyPack } from '../context/copy';
import { pickBase } from '../git';
import type { ExtensionParts } from '../parts';
import { pickPlace, folderOf } from '../place';
import type { Pack } from '../protocol';

export async function copyChangeContext(parts: ExtensionParts): Promise<Pack | undefined> {
  const place = await pickPlace();
  if (place === undefined) {
    return undefined;
  }
  const picked = await pickBase(folderOf(place), 'Kenning: Copy Change Context');
  if (picked === undefined) {
    return undefined;
  }
  // A request about a change has no position.
  const document = place.textDocument === undefined ? {} : { textDocument: place.textDocument };
  return copyPack(parts, { kind: 'change', base: picked.base, place: document });
}
