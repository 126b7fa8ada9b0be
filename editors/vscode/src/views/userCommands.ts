/**
 * The commands of the Users view.
 */
import * as vscode from 'vscode';
import { register } from '../commands/register';
import type { Parts } from '../parts';
import type { Location } from '../protocol';
import { userRowOf } from './userRows';
import { placeOfUse } from './users';

/** Maximum distance in hops of the dependents in the picture. */
const PICTURE_DEPTH = 6;

export function registerUserCommands(parts: Parts): void {
  register(parts, 'kenning.users.open', (_, row) => open(row));
  register(parts, 'kenning.users.showUsers', showUsers);
  register(parts, 'kenning.users.showPicture', showPicture);
  register(parts, 'kenning.users.peekCallers', peekCallers);
  register(parts, 'kenning.users.refresh', ({ users }) => users.refresh());
  register(parts, 'kenning.users.back', ({ users }) => {
    users.goBack();
    return Promise.resolve();
  });
}

async function open(row: unknown): Promise<void> {
  const user = userRowOf(row);
  const place = user && placeOfUse(user);
  if (place !== undefined) {
    const { uri, range } = located(place);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(range.start, range.start) });
  }
}

async function showUsers({ users }: Parts, row: unknown): Promise<void> {
  const place = userRowOf(row)?.user;
  if (place?.location !== undefined) {
    const { uri } = place.location;
    await users.show({ blast: await users.ask(place.id, uri), uri });
  }
}

/** Draws the symbol of a row, or else the symbol of the whole view. */
async function showPicture({ connection, pictures, users }: Parts, row: unknown): Promise<void> {
  const user = userRowOf(row)?.user;
  const symbol = user?.id ?? users.shown?.blast.target.id;
  const uri = user?.location?.uri ?? users.shown?.uri;
  if (symbol === undefined || uri === undefined) {
    throw new Error('Show the users of a symbol first.');
  }
  const question = { symbol, textDocument: { uri }, depth: PICTURE_DEPTH };
  await pictures.show(await connection.ask('kenning.blastRadius', question));
}

/** Opens the calls in a peek view at the symbol. */
async function peekCallers({ users }: Parts): Promise<void> {
  const { shown } = users;
  if (shown === undefined) {
    throw new Error('Show the users of a symbol first.');
  }
  const { target, callers } = shown.blast;
  const calls = callers.flatMap((caller) => caller.call_location ?? caller.location ?? []).map(located);
  const at = target.location && located(target.location);
  if (calls.length === 0 || at === undefined) {
    void vscode.window.showInformationMessage(`No calls of ${target.name} found.`);
    return;
  }
  await vscode.window.showTextDocument(at.uri, {
    selection: new vscode.Range(at.range.start, at.range.start),
  });
  await vscode.commands.executeCommand('editor.action.peekLocations', at.uri, at.range.start, calls, 'peek');
}

function located({ uri, range: { start, end } }: Location): vscode.Location {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(uri), range);
}
