/**
 * The user's position in the editor, and the folder that a request is about.
 */
import * as vscode from 'vscode';
import type { DocumentPosition } from './commandTypes';
import type { TextDocument } from './protocol';

/**
 * Returns the position in the editor, or `undefined` if its document is not in an open folder.
 */
export function editorPosition(editor = vscode.window.activeTextEditor): DocumentPosition | undefined {
  if (editor === undefined || !isServed(editor.document.uri)) {
    return undefined;
  }
  const { line, character } = editor.selection.active;
  return { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
}

/** Whether the server serves the folder of this document. */
export function isServed(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

/** Returns the open folders that the server serves. */
export function servedFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
}

/**
 * Returns the document position for a request: the position in the editor, or an empty position if
 * at most one folder is open, or a position in a folder that the user picks. Returns `undefined` if
 * the user cancels.
 */
export async function pickPosition(): Promise<Partial<DocumentPosition> | undefined> {
  const documentPosition = editorPosition();
  const folders = servedFolders();
  if (documentPosition !== undefined || folders.length < 2) {
    return documentPosition ?? {};
  }
  const items = folders.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Kenning: Select a folder' });
  return picked === undefined ? undefined : { textDocument: documentInside(picked.folder) };
}

/**
 * Returns a document that selects a folder. The server finds the folder by a document in it, which
 * need not exist. It does not accept the folder's own URI.
 */
export function documentInside(folder: vscode.WorkspaceFolder): TextDocument {
  return { uri: vscode.Uri.joinPath(folder.uri, 'kenning.toml').toString() };
}

/**
 * Returns the folder that contains a position, or the first folder if the position names no
 * document.
 */
export function folderOf(documentPosition: Partial<DocumentPosition>): vscode.WorkspaceFolder | undefined {
  const uri = documentPosition.textDocument?.uri;
  const containing =
    uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri));
  return containing ?? vscode.workspace.workspaceFolders?.[0];
}

/** Opens a file in a preview editor at a line, counted from 1. */
export async function openAt(file: vscode.Uri, line: number): Promise<void> {
  const position = new vscode.Position(Math.max(line - 1, 0), 0);
  const selection = new vscode.Range(position, position);
  await vscode.window.showTextDocument(file, { selection, preview: true });
}
