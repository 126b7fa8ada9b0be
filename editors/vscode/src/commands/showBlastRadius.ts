/**
 * **Kenning: Show Blast Radius**. From a lens, it opens the callers in a peek view. From the command
 * palette, it lists the dependents by distance, the tests and the picture.
 */
import * as vscode from 'vscode';
import type { ExtensionParts } from '../parts';
import { editorPlace } from '../place';
import type { BlastRadius, Location, Position, LocatedSymbol } from '../protocol';
import { describeEvidence } from '../words';
import { parseActionArgument } from './arguments';

/** Maximum distance in hops of the listed dependents. */
const DEPTH = 4;

interface BlastItem extends vscode.QuickPickItem {
  run?: () => Promise<void>;
}

/** The position of the request, at which a peek view opens. */
interface Origin {
  uri: vscode.Uri;
  position: vscode.Position;
}

export async function showBlastRadius(parts: ExtensionParts, value: unknown): Promise<void> {
  const lens = parseActionArgument(value);
  const place = editorPlace();
  if (lens === undefined && place === undefined) {
    throw new Error('Put the cursor on a symbol in a file of the workspace first.');
  }
  const argument =
    lens === undefined
      ? { ...place, depth: DEPTH }
      : { symbol: lens.symbol, textDocument: { uri: lens.uri }, depth: DEPTH };
  const blast = await parts.connection.ask('kenning.blastRadius', argument);
  const origin = originOf(lens ?? placeOf(place));
  const calls = blast.callers.flatMap((caller) => caller.call_location ?? caller.location ?? []);
  if (lens !== undefined && calls.length > 0) {
    await peekLocations(origin, calls);
    return;
  }
  await pickView(parts, blast, origin);
}

function placeOf(place: ReturnType<typeof editorPlace>): { uri: string; position: Position } {
  return { uri: place?.textDocument.uri ?? '', position: place?.position ?? { line: 0, character: 0 } };
}

function originOf({ uri, position }: { uri: string; position: Position }): Origin {
  return { uri: vscode.Uri.parse(uri), position: new vscode.Position(position.line, position.character) };
}

function toLocation(location: Location): vscode.Location {
  const { start, end } = location.range;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  return new vscode.Location(vscode.Uri.parse(location.uri), range);
}

async function peekLocations(origin: Origin, locations: Location[]): Promise<void> {
  const targets = locations.map(toLocation);
  const { uri, position } = origin;
  await vscode.commands.executeCommand('editor.action.peekLocations', uri, position, targets, 'peek');
}

async function pickView(parts: ExtensionParts, blast: BlastRadius, origin: Origin): Promise<void> {
  if (blast.counts.dependents.value === 0 && blast.counts.tests.value === 0) {
    const pending = blast.freshness.pending_files === 0 ? '' : ' The index is still being built.';
    const message = `No dependents or tests found for ${blast.target.name}.${pending}`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const item = await vscode.window.showQuickPick(viewItems(parts, blast, origin), {
    title: `Blast radius of ${blast.target.name}: ${blast.title}`,
    placeHolder: 'Select a view, or a symbol to open',
    matchOnDescription: true,
  });
  await item?.run?.();
}

function viewItems(parts: ExtensionParts, blast: BlastRadius, origin: Origin): BlastItem[] {
  const list: BlastItem[] = [
    {
      label: '$(type-hierarchy-sub) Show as a picture',
      run: () => parts.pictures.show(blast),
    },
  ];
  const calls = blast.callers.flatMap((caller) => caller.call_location ?? caller.location ?? []);
  if (calls.length > 0) {
    list.push({ label: '$(eye) Peek direct callers', run: () => peekLocations(origin, calls) });
  }
  for (let hops = 2; hops <= blast.levels.length; hops += 1) {
    const near = locationsOf(blast.levels.slice(0, hops).flat());
    list.push({
      label: `$(eye) Peek dependents within ${hops} hops`,
      run: () => peekLocations(origin, near),
    });
  }
  const tests = locationsOf(blast.tests);
  if (tests.length > 0) {
    list.push({ label: '$(beaker) Peek tests', run: () => peekLocations(origin, tests) });
  }
  const callerEvidence = new Map(
    blast.callers.map((caller) => [caller.id, describeEvidence(caller.provenance)]),
  );
  blast.levels.forEach((level, index) => {
    list.push(separatorItem(index === 0 ? 'direct dependents' : `${index + 1} hops away`));
    list.push(
      ...level.map((d) =>
        symbolItem(d, callerEvidence.get(d.id) ?? describeEvidence(d.provenance), d.ambiguous),
      ),
    );
  });
  if (blast.tests.length > 0) {
    list.push(separatorItem('tests'), ...blast.tests.map((test) => symbolItem(test, 'test', test.ambiguous)));
  }
  return list;
}

function locationsOf(symbols: LocatedSymbol[]): Location[] {
  return symbols.flatMap(({ location }) => location ?? []);
}

function separatorItem(label: string): BlastItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function symbolItem(symbol: LocatedSymbol, evidence: string, ambiguous: boolean): BlastItem {
  const { location } = symbol;
  const item: BlastItem = {
    label: `${ambiguous ? '~ ' : ''}${symbol.name}`,
    description: `${symbol.file}:${symbol.line}`,
    detail: `${symbol.kind}, ${evidence}`,
  };
  if (location !== undefined) {
    item.run = async () => {
      const { uri, range } = toLocation(location);
      await vscode.window.showTextDocument(uri, { selection: range });
    };
  }
  return item;
}
