/**
 * Asking for a task: what is typed, the selected text, or a task that was asked before.
 */
import * as vscode from 'vscode';
import type { TaskHistory } from './history';

interface TaskItem extends vscode.QuickPickItem {
  task: string;
  /** It stands for whatever is typed. */
  typed?: boolean;
}

const FORGET: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon('trash'),
  tooltip: 'Forget This Task',
};

/** The selected text of the editor, if it may be a task. */
export function selectedTask(editor = vscode.window.activeTextEditor): string {
  return editor === undefined ? '' : editor.document.getText(editor.selection).trim();
}

/** The task that the person wants; `undefined` when they want none. */
export function inputTask(history: TaskHistory, selected: string): Promise<string | undefined> {
  const input = vscode.window.createQuickPick<TaskItem>();
  input.title = 'Kenning: Copy Task Context';
  input.placeholder = 'What is to be done? A line, a commit message, a pasted issue ...';
  input.matchOnDescription = true;
  const show = (): void => {
    input.items = items(input.value, selected, history.tasks);
  };
  show();
  input.onDidChangeValue(show);
  input.onDidTriggerItemButton(async ({ item }) => {
    await history.remove(item.task);
    show();
  });
  return new Promise((resolve) => {
    input.onDidAccept(() => {
      resolve(accepted(input.value, input.selectedItems[0] ?? input.activeItems[0]));
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}

/** The task that was meant: who types fast accepts before the list shows the last letters. */
function accepted(value: string, item: TaskItem | undefined): string | undefined {
  const typed = value.trim();
  return (item === undefined || item.typed === true) && typed !== '' ? typed : item?.task;
}

/** What is offered: the typed text first, then the selection, then the history. */
export function items(typed: string, selected: string, history: string[]): TaskItem[] {
  const offered: TaskItem[] = [];
  const task = typed.trim();
  if (task !== '') {
    offered.push({ label: task, description: 'this task', task, typed: true, alwaysShow: true });
  }
  if (selected !== '' && selected !== task) {
    offered.push({ label: oneLine(selected), description: 'the selected text', task: selected });
  }
  const past = history.filter((other) => other !== task && other !== selected);
  if (past.length > 0) {
    offered.push({ label: 'asked before', kind: vscode.QuickPickItemKind.Separator, task: '' });
  }
  return offered.concat(past.map((other) => ({ label: oneLine(other), task: other, buttons: [FORGET] })));
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
