/**
 * **Kenning: Show Affected Tests** lists the tests that reach the change, each with the call path
 * that reaches it.
 */
import * as vscode from 'vscode';
import { pickBase } from '../git';
import type { Parts } from '../parts';
import { askedPlace, folderOf } from '../place';
import type { AffectedTest } from '../protocol';
import { count } from '../words';

const COPY: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('copy'),
  tooltip: 'Copy the names of all tests',
};

interface TestItem extends vscode.QuickPickItem {
  test: AffectedTest;
}

export async function showAffectedTests(parts: Parts): Promise<void> {
  const place = await askedPlace();
  if (place === undefined) {
    return;
  }
  const picked = await pickBase(folderOf(place), 'Kenning: Show Affected Tests');
  if (picked === undefined) {
    return;
  }
  const base = picked.base === undefined ? {} : { base: picked.base };
  const document = place.textDocument === undefined ? {} : { textDocument: place.textDocument };
  const found = await parts.connection.ask('kenning.affectedTests', { ...base, ...document });
  if (found.tests.length === 0) {
    const changed = count(found.targets, 'changed symbol');
    const message = found.targets === 0 ? 'No changes found.' : `No tests found for ${changed}.`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const more = found.truncated ? ', possibly more' : '';
  show(found.tests, `${count(found.tests.length, 'affected test')}${more}`);
}

function show(tests: AffectedTest[], title: string): void {
  const list = vscode.window.createQuickPick<TestItem>();
  list.title = title;
  list.placeholder = 'Select a test to open';
  list.matchOnDescription = true;
  list.buttons = [COPY];
  list.items = tests.map((test) => ({
    label: `$(beaker) ${test.ambiguous || test.possible ? '~ ' : ''}${test.name}`,
    description: `${test.file}:${test.line}`,
    detail: way(test),
    test,
  }));
  list.onDidTriggerButton(async () => {
    await vscode.env.clipboard.writeText(tests.map((test) => `${test.qualified_name}\n`).join(''));
    list.hide();
    void vscode.window.showInformationMessage(`Copied the names of ${count(tests.length, 'test')}.`);
  });
  list.onDidAccept(async () => {
    const location = list.selectedItems[0]?.test.location;
    list.hide();
    if (location !== undefined) {
      const { start } = location.range;
      const at = new vscode.Position(start.line, start.character);
      const options = { selection: new vscode.Range(at, at) };
      await vscode.window.showTextDocument(vscode.Uri.parse(location.uri), options);
    }
  });
  list.onDidHide(() => {
    list.dispose();
  });
  list.show();
}

/** Describes the path from a test to the change: `test → caller → changed`. */
export function way(test: AffectedTest): string {
  const names = test.path.map((symbol) => symbol.name);
  const removed = test.removed === undefined ? '' : ` (uses ${test.removed}, which was removed)`;
  const sure = test.possible ? ', possible (decided at run time)' : '';
  return names.length < 2
    ? `the test itself changed${removed}${sure}`
    : `${names.join(' → ')}${removed}${sure}`;
}
