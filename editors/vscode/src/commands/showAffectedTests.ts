/**
 * **Kenning: Show Tests of the Change** lists the tests that reach the change, each with the call path
 * that reaches it. The change is relative to the default branch until the user chooses another base.
 * The Testing view gets the same tests.
 */
import * as vscode from 'vscode';
import type { DocumentPosition } from '../commandTypes';
import { pickBase } from '../git';
import type { ExtensionParts } from '../parts';
import { pickPosition, folderOf } from '../documentPosition';
import type { AffectedTest, AffectedTests } from '../protocol';
import { describeCallPath, describeTest } from '../testing/rows';
import { runInTerminal } from '../testing/terminal';
import { formatCount } from '../words';

const TITLE = 'Kenning: Show Tests of the Change';

const RUN: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('play'),
  tooltip: 'Run all tests in a terminal',
};

const COPY: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('copy'),
  tooltip: 'Copy the names of all tests',
};

const CHOOSE_BASE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('git-compare'),
  tooltip: 'Compare with a different branch or commit',
};

interface TestItem extends vscode.QuickPickItem {
  test: AffectedTest;
}

export async function showAffectedTests(parts: ExtensionParts): Promise<void> {
  const documentPosition = await pickPosition();
  if (documentPosition !== undefined) {
    await listTests(parts, documentPosition, undefined);
  }
}

/** Lists the tests for the change since `base`, or since the default branch. */
async function listTests(
  parts: ExtensionParts,
  documentPosition: Partial<DocumentPosition>,
  base: string | undefined,
): Promise<void> {
  const { textDocument } = documentPosition;
  const affected = await parts.connection.ask('kenning.affectedTests', {
    ...(base === undefined ? {} : { base }),
    ...(textDocument === undefined ? {} : { textDocument }),
  });
  const folder = folderOf(documentPosition);
  if (folder !== undefined) {
    parts.affectedTests.fill(folder, base, affected);
  }
  const list = createList(affected);
  list.onDidTriggerButton(async (button) => {
    list.hide();
    if (button === RUN) {
      runInTerminal(affected.commands, folder);
    } else if (button === COPY) {
      await copyNames(affected.tests);
    } else {
      const picked = await pickBase(folder, TITLE);
      if (picked !== undefined) {
        await listTests(parts, documentPosition, picked.base);
      }
    }
  });
  list.onDidAccept(async () => {
    const test = list.selectedItems[0]?.test;
    if (test !== undefined) {
      list.hide();
      await openTest(test);
    }
  });
  list.onDidHide(() => {
    list.dispose();
  });
  list.show();
}

function createList(affected: AffectedTests): vscode.QuickPick<TestItem> {
  const { tests, commands } = affected;
  const list = vscode.window.createQuickPick<TestItem>();
  list.title = describeTests(affected);
  list.placeholder = tests.length === 0 ? describeNoTests(affected) : 'Select a test to open it';
  list.matchOnDetail = true;
  const canRun = commands.length > 0 && vscode.workspace.isTrusted;
  list.buttons = [...(canRun ? [RUN] : []), ...(tests.length > 0 ? [COPY] : []), CHOOSE_BASE];
  list.items = tests.map((test) => ({
    label: `$(beaker) ${describeTest(test)}`,
    detail: `${test.file}:${test.line} · ${describeCallPath(test)}`,
    test,
  }));
  return list;
}

/** Describes the answer in a title: `3 affected tests of the changes since main`. */
function describeTests({ tests, truncated, change }: AffectedTests): string {
  const more = truncated ? ', possibly more' : '';
  const since = change === undefined ? '' : ` of the changes since ${change.base}`;
  return `${formatCount(tests.length, 'affected test')}${more}${since}`;
}

function describeNoTests({ targets }: AffectedTests): string {
  return targets === 0 ? 'No changes found' : `No tests found for ${formatCount(targets, 'changed symbol')}`;
}

async function copyNames(tests: AffectedTest[]): Promise<void> {
  await vscode.env.clipboard.writeText(tests.map((test) => `${test.qualified_name}\n`).join(''));
  void vscode.window.showInformationMessage(`Copied the names of ${formatCount(tests.length, 'test')}.`);
}

async function openTest({ location }: AffectedTest): Promise<void> {
  if (location === undefined) {
    return;
  }
  const { start } = location.range;
  const position = new vscode.Position(start.line, start.character);
  const options = { selection: new vscode.Range(position, position) };
  await vscode.window.showTextDocument(vscode.Uri.parse(location.uri), options);
}
