/**
 * **Kenning: Copy Pack for Files** copies the code that matters for files that the user is about to
 * change.
 */
import * as vscode from 'vscode';
import { copyPack } from '../context/copy';
import type { ExtensionParts } from '../parts';
import { isServed } from '../documentPosition';
import type { Pack } from '../protocol';

/**
 * Copies the context of the files `selected` in the Explorer, or else of the file `clicked`, or
 * else of the active editor's file.
 */
export async function copyFileContext(
  parts: ExtensionParts,
  clicked: unknown,
  selected: unknown,
): Promise<Pack | undefined> {
  const files = selectedFiles(clicked, selected).filter(isServed);
  if (files.length === 0) {
    throw new Error('Open a file in the workspace first, or select files in the Explorer.');
  }
  const names = files.map((file) => vscode.workspace.asRelativePath(file));
  const uris = files.map((file) => file.toString());
  return copyPack(parts, { kind: 'files', uris, names });
}

function selectedFiles(clicked: unknown, selected: unknown): vscode.Uri[] {
  if (Array.isArray(selected) && selected.length > 0) {
    return selected.filter((item): item is vscode.Uri => item instanceof vscode.Uri);
  }
  if (clicked instanceof vscode.Uri) {
    return [clicked];
  }
  const active = vscode.window.activeTextEditor?.document.uri;
  return active === undefined ? [] : [active];
}
