/**
 * **Kenning: Add Note to Symbol** writes a note that is linked to the symbol at the cursor, and
 * opens the note's file. A lens of the symbol lists its notes.
 */
import * as vscode from 'vscode';
import { editorPosition } from '../documentPosition';
import type { ExtensionParts } from '../parts';

export async function addNote(parts: ExtensionParts): Promise<void> {
  const documentPosition = editorPosition();
  if (documentPosition === undefined) {
    throw new Error('Open a file of the workspace and put the cursor on a symbol.');
  }
  const title = await vscode.window.showInputBox({
    title: 'Kenning: Add Note to Symbol',
    prompt: 'Title of the note; its file opens for the text',
  });
  if (title === undefined || title.trim() === '') {
    return;
  }
  const argument = { op: 'add' as const, kind: 'note' as const, title, ...documentPosition };
  const answer = await parts.connection.ask('kenning.knowledge', argument);
  const uri = answer.entries[0]?.uri;
  if (uri !== undefined) {
    await vscode.window.showTextDocument(vscode.Uri.parse(uri));
  }
}
