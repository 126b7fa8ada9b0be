/**
 * **Kenning: Show Affected Tests** lists the tests that reach the change, each with the call path
 * that reaches it.
 */
import * as vscode from 'vscode';
import { pickBase } from '../git';
import type { ExtensionParts } from '../parts';
import { pickPosition, folderOf } from '../documentPosition';
import type { AffectedTest } from '../protocol';
import { formatCount } from '../words';

const COPY: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('copy'),
  tooltip: 'Copy the names of all tests',
};

interface TestItem extends vscode.QuickPickItem {
  test: AffectedTest;
}

export async function showAffectedTests(parts: ExtensionParts): Promise<void> {
  const documentPosition = await pickPosition();
  if (documentPosition === undefined) {
    return;
  }
  const picked = await pickBase(folderOf(documentPosition), 'Kenning: Show Affected Tests');
  if (picked === undefined) {
    return;
  }
  const base = picked.base === undefined ? {} : { base: picked.base };
  const document =
    documentPosition.textDocument === undefined ? {} : { textDocument: documentPosition.textDocument };
  const affected = await parts.connection.ask('kenning.affectedTests', { ...base, ...document });
  if (affected.tests.length === 0) {
    const changed = formatCount(affected.targets, 'changed symbol');
    const message = affected.targets === 0 ? 'No changes found.' : `No tests found for ${changed}.`;
    void vscode.window.showInformationMessage(message);
    return;
  }
  const more = affected.truncated ? ', possibly more' : '';
  showTests(affected.tests, `${formatCount(affected.tests.length, 'affected test')}${more}`);
}

function showTests(tests: AffectedTest[], title: string): void {
  const list = vscode.window.createQuickPick<TestItem>();
  list.title = title;
  list.placeholder = 'Select a test to open';
  list.matchOnDescription = true;
  list.buttons = [COPY];
  list.items = tests.map((test) => ({
    label: `$(beaker) ${test.ambiguous || test.possible ? '~ ' : ''}${test.name}`,
    description: `${test.file}:${test.line}`,
    detail: describeCallPath(test),
    test,
  }));
  list.onDidTriggerButton(async () => {
    await vscode.env.clipboard.writeText(tests.map((test) => `${test.qualified_name}\n`).join(''));
    list.hide();
    void vscode.window.showInformationMessage(`Copied the names of ${formatCount(tests.length, 'test')}.`);
  });
  list.onDidAccept(async () => {
    const location = list.selectedItems[0]?.test.location;
    list.hide();
    if (location !== undefined) {
      const { start } = location.range;
      const position = new vscode.Position(start.line, start.character);
      const options = { selection: new vscode.Range(position, position) };
      await vscode.window.showTextDocument(vscode.Uri.parse(location.uri), options);
    }
  });
  list.onDidHide(() => {
    list.dispose();
  });
  list.show();
}

/** Describes the path from a test to the change: `test → caller → changed`. */
export function describeCallPath(test: AffectedTest): string {
  const names = test.path.map((symbol) => symbol.name);
  const removed = test.removed === undefined ? '' : ` (uses ${test.removed}, which was removed)`;
  const possible = test.possible ? ', possible (decided at run time)' : '';
  return names.length < 2
    ? `the test itself changed${removed}${possible}`
    : `${names.join(' → ')}${removed}${possible}`;
}
