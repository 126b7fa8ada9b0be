/**
 * Asks for a task, which the user types, has selected in the editor, or picks from earlier tasks.
 * The title shows the budget and the format of the context, and buttons change them.
 */
import * as vscode from 'vscode';
import type { ExtensionParts } from '../parts';
import { describePackSettings, pickBudget, pickFormat, readFormats } from './packSettings';

interface TaskItem extends vscode.QuickPickItem {
  task: string;
  /** Whether the item is the typed text. */
  typed?: boolean;
}

const FORGET: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('trash'),
  tooltip: 'Remove this task from the list',
};

const BUDGET: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('dashboard'),
  tooltip: 'Change the maximum size of the context',
};

const FORMAT: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('file-code'),
  tooltip: 'Change the format of the context',
};

/** Returns the text selected in the editor; empty if there is none. */
export function selectedTask(editor = vscode.window.activeTextEditor): string {
  return editor === undefined ? '' : editor.document.getText(editor.selection).trim();
}

/** Asks the user for a task. Resolves to `undefined` if the user cancels. */
export function inputTask(
  { context, history, store }: ExtensionParts,
  selected: string,
): Promise<string | undefined> {
  const input = vscode.window.createQuickPick<TaskItem>();
  // Whether the input is hidden while the user chooses a setting.
  let isPaused = false;
  const lastBudget = store.current?.pack.budget;
  input.buttons = [BUDGET, FORMAT];
  input.placeholder = 'Describe the task: a sentence, a commit message or a pasted issue';
  input.matchOnDescription = true;
  const show = (): void => {
    input.title = `Kenning: Copy Pack for a Task (${describePackSettings(lastBudget)})`;
    input.items = taskItems(input.value, selected, history.tasks);
  };
  show();
  input.onDidChangeValue(show);
  input.onDidTriggerItemButton(async ({ item }) => {
    await history.remove(item.task);
    show();
  });
  input.onDidTriggerButton(async (button) => {
    isPaused = true;
    try {
      await (button === BUDGET
        ? pickBudget(lastBudget)
        : pickFormat(readFormats(context.extension.packageJSON)));
    } finally {
      isPaused = false;
      show();
      input.show();
    }
  });
  return new Promise((resolve) => {
    input.onDidAccept(() => {
      resolve(acceptedTask(input.value, input.selectedItems[0] ?? input.activeItems[0]));
      input.hide();
    });
    input.onDidHide(() => {
      if (!isPaused) {
        resolve(undefined);
        input.dispose();
      }
    });
    input.show();
  });
}

/**
 * Returns the chosen task. A fast typist may accept before the list shows the last letters; the
 * typed text takes precedence then.
 */
function acceptedTask(value: string, item: TaskItem | undefined): string | undefined {
  const typed = value.trim();
  return (item === undefined || item.typed === true) && typed !== '' ? typed : item?.task;
}

/** Returns the tasks to offer: the typed text first, then the selection, then the history. */
export function taskItems(typed: string, selected: string, history: string[]): TaskItem[] {
  const items: TaskItem[] = [];
  const task = typed.trim();
  if (task !== '') {
    items.push({ label: task, description: 'this task', task, typed: true, alwaysShow: true });
  }
  if (selected !== '' && selected !== task) {
    items.push({ label: oneLine(selected), description: 'selected text', task: selected });
  }
  const past = history.filter((other) => other !== task && other !== selected);
  if (past.length > 0) {
    items.push({ label: 'recent tasks', kind: vscode.QuickPickItemKind.Separator, task: '' });
  }
  return items.concat(past.map((other) => ({ label: oneLine(other), task: other, buttons: [FORGET] })));
}

/** Shortens a text to one line for a label. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
