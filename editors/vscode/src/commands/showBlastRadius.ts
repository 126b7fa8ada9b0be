/**
 * **Kenning: Show Blast Radius**: a lens opens the callers in a peek view; the command palette
 * lists the dependents by distance, the tests and the picture.
 */
import * as vscode from 'vscode';
import type { Parts } from '../parts';
import { editorPlace } from '../place';
import type { BlastRadius, Location, Position, LocatedSymbol } from '../protocol';
import { evidence } from '../words';
import { actionArgument } from './arguments';

/** Maximum distance in hops of the listed dependents. */
const DEPTH = 4;

interface Choice extends vscode.QuickPickItem {
  run?: () => Promise<void>;
}

/** The position of the request, at which a peek view opens. */
interface Origin {
  uri: vscode.Uri;
  position: vscode.Position;
}

export async function showBlastRadius(parts: Parts, passed: unknown): Promise<void> {
  const clicked = actionArgument(passed);
  const place = editorPlace();
  if (clicked === undefined && place === undefined) {
    throw new Error('Put the cursor on a symbol in a file of the workspace first.');
  }
  const question =
    clicked === undefined
      ? { ...place, depth: DEPTH }
      : { symbol: clicked.symbol, textDocument: { uri: clicked.uri }, depth: DEPTH };
  const blast = await parts.connection.ask('kenning.blastRadius', question);
  const origin = originOf(clicked ?? placeOf(place));
  const calls = blast.callers.flatMap((caller) => caller.call_location ?? caller.location ?? []);
  if (clicked !== undefined && calls.length > 0) {
    await peek(origin, calls);
    return;
  }
  await pick(parts, blast, origin);
}

function placeOf(place: ReturnType<typeof editorPlace>): { uri: string; position: Position } {
  return { uri: place?.textDocument.uri ?? '', position: place?.position ?? { line: 0, character: 0 } };
}

function originOf({ uri, position }: { uri: string; position: Position }): Origin {
  return { uri: vscode.Uri.parse(uri), position: new vscode.Position(position.line, position.character) };
}

function located(location: Location): vscode.Location {
  const { start, end } = location.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(location.uri), range);
}

async function peek(origin: Origin, locations: Location[]): Promise<void> {
  const found = locations.map(located);
  const { uri, position } = origin;
  await vscode.commands.executeCommand('editor.action.peekLocations', uri, position, found, 'peek');
}

async function pick(parts: Parts, blast: BlastRadius, origin: Origin): Promise<void> {
  if (blast.counts.dependents.value === 0 && blast.counts.tests.value === 0) {
    const pending = blast.freshness.pending_files === 0 ? '' : ' The index is still being built.';
    const message = `No dependents or tests found for ${blast.target.name}.${pending}`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const choice = await vscode.window.showQuickPick(choices(parts, blast, origin), {
    title: `Blast radius of ${blast.target.name}: ${blast.title}`,
    placeHolder: 'Select a view, or a symbol to open',
    matchOnDescription: true,
  });
  await choice?.run?.();
}

function choices(parts: Parts, blast: BlastRadius, origin: Origin): Choice[] {
  const list: Choice[] = [
    {
      label: '$(type-hierarchy-sub) Show as a picture',
      run: () => parts.pictures.show(blast),
    },
  ];
  const calls = blast.callers.flatMap((caller) => caller.call_location ?? caller.location ?? []);
  if (calls.length > 0) {
    list.push({ label: '$(eye) Peek direct callers', run: () => peek(origin, calls) });
  }
  for (let hops = 2; hops <= blast.levels.length; hops += 1) {
    const near = places(blast.levels.slice(0, hops).flat());
    list.push({ label: `$(eye) Peek dependents within ${hops} hops`, run: () => peek(origin, near) });
  }
  const tests = places(blast.tests);
  if (tests.length > 0) {
    list.push({ label: '$(beaker) Peek tests', run: () => peek(origin, tests) });
  }
  const known = new Map(blast.callers.map((caller) => [caller.id, evidence(caller.provenance)]));
  blast.levels.forEach((level, index) => {
    list.push(separator(index === 0 ? 'direct dependents' : `${index + 1} hops away`));
    list.push(...level.map((d) => symbol(d, known.get(d.id) ?? evidence(d.provenance), d.ambiguous)));
  });
  if (blast.tests.length > 0) {
    list.push(separator('tests'), ...blast.tests.map((test) => symbol(test, 'test', test.ambiguous)));
  }
  return list;
}

function places(symbols: LocatedSymbol[]): Location[] {
  return symbols.flatMap(({ location }) => location ?? []);
}

function separator(label: string): Choice {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function symbol(at: LocatedSymbol, how: string, ambiguous: boolean): Choice {
  const { location } = at;
  const choice: Choice = {
    label: `${ambiguous ? '~ ' : ''}${at.name}`,
    description: `${at.file}:${at.line}`,
    detail: `${at.kind}, ${how}`,
  };
  if (location !== undefined) {
    choice.run = async () => {
      const { uri, range } = located(location);
      await vscode.window.showTextDocument(uri, { selection: range });
    };
  }
  return choice;
}
