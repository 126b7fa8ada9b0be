/**
 * The commands of the Users view.
 */
import * as vscode from 'vscode';
import { registerCommand } from '../commands/register';
import type { ExtensionParts } from '../parts';
import type { Location } from '../protocol';
import { parseUserRow } from './userRows';
import { locationOfUse } from './users';

/** Maximum distance in hops of the dependents in the diagram. */
const DIAGRAM_DEPTH = 6;

export function registerUserCommands(parts: ExtensionParts): void {
  registerCommand(parts, 'kenning.users.open', (_, row) => openUse(row));
  registerCommand(parts, 'kenning.users.showUsers', showUsers);
  registerCommand(parts, 'kenning.users.showDiagram', showDiagram);
  registerCommand(parts, 'kenning.users.peekCallers', peekCallers);
  registerCommand(parts, 'kenning.users.refresh', ({ users }) => users.refresh());
  registerCommand(parts, 'kenning.users.back', ({ users }) => {
    users.goBack();
    return Promise.resolve();
  });
}

async function openUse(row: unknown): Promise<void> {
  const user = parseUserRow(row);
  const location = user && locationOfUse(user);
  if (location !== undefined) {
    const { uri, range } = toLocation(location);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(range.start, range.start) });
  }
}

async function showUsers({ users }: ExtensionParts, row: unknown): Promise<void> {
  const user = parseUserRow(row)?.user;
  if (user?.location !== undefined) {
    const { uri } = user.location;
    await users.show({ blast: await users.fetchUsers(user.id, uri), uri });
  }
}

/** Draws the dependents of the symbol of a row, or else of the symbol whose users are shown. */
async function showDiagram({ connection, diagrams, users }: ExtensionParts, row: unknown): Promise<void> {
  const user = parseUserRow(row)?.user;
  const symbol = user?.id ?? users.shown?.blast.target.id;
  const uri = user?.location?.uri ?? users.shown?.uri;
  if (symbol === undefined || uri === undefined) {
    throw new Error('Show the users of a symbol first.');
  }
  const argument = { symbol, textDocument: { uri }, depth: DIAGRAM_DEPTH };
  await diagrams.show(await connection.ask('kenning.blastRadius', argument));
}

/** Opens the calls to the shown symbol in a peek view at its definition. */
async function peekCallers({ users }: ExtensionParts): Promise<void> {
  const { shown } = users;
  if (shown === undefined) {
    throw new Error('Show the users of a symbol first.');
  }
  const { target, callers } = shown.blast;
  const calls = callers.flatMap((caller) => caller.call_location ?? caller.location ?? []).map(toLocation);
  const origin = target.location && toLocation(target.location);
  if (calls.length === 0 || origin === undefined) {
    void vscode.window.showInformationMessage(`No calls to ${target.name} found.`);
    return;
  }
  await vscode.window.showTextDocument(origin.uri, {
    selection: new vscode.Range(origin.range.start, origin.range.start),
  });
  // The command takes no title: VS Code always titles this peek view "Locations".
  await vscode.commands.executeCommand(
    'editor.action.peekLocations',
    origin.uri,
    origin.range.start,
    calls,
    'peek',
  );
}

function toLocation({ uri, range: { start, end } }: Location): vscode.Location {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(uri), range);
}
