/**
 * Where the person stands, and which folder a question is about.
 */
import * as vscode from 'vscode';
import type { Place } from './questions';

/** The editor's place, if its document is a file of an open folder. */
export function editorPlace(editor = vscode.window.activeTextEditor): Place | undefined {
  if (editor === undefined || !isServed(editor.document.uri)) {
    return undefined;
  }
  const { line, character } = editor.selection.active;
  return { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
}

/** Whether the server serves this document's folder. */
export function isServed(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

/** The open folders that the server serves. */
export function servedFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
}

/**
 * A place for a question: the editor's, else the only folder, else a folder that the person picks; `undefined` when they
 * pick none.
 */
export async function askedPlace(): Promise<Partial<Place> | undefined> {
  const place = editorPlace();
  const folders = servedFolders();
  if (place !== undefined || folders.length < 2) {
    return place ?? {};
  }
  const items = folders.map((folder) => ({ label: folder.name, description: folder.uri.fsPath, folder }));
  const picked = await vscode.window.showQuickPick(items, { title: 'Kenning: in which folder?' });
  // The server takes a document for its folder, and a document need not exist; the folder itself is none.
  const inside = (folder: vscode.WorkspaceFolder): string =>
    vscode.Uri.joinPath(folder.uri, 'kenning.toml').toString();
  return picked === undefined ? undefined : { textDocument: { uri: inside(picked.folder) } };
}

/** The folder that a place is in; the first where it names none. */
export function folderOf(place: Partial<Place>): vscode.WorkspaceFolder | undefined {
  const uri = place.textDocument?.uri;
  const named = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri));
  return named ?? vscode.workspace.workspaceFolders?.[0];
}

/** Opens a file of a folder at a line, counted from 1. */
export async function openAt(file: vscode.Uri, line: number, preview = true): Promise<void> {
  const at = new vscode.Position(Math.max(line - 1, 0), 0);
  await vscode.window.showTextDocument(file, { selection: new vscode.Range(at, at), preview });
}
