/**
 * The status bar item while the server indexes: it shows the progress and cancels the indexing on a
 * click. At other times it is hidden.
 */
import * as vscode from 'vscode';
import type { Progress } from '../server/client';

/** Prefix of the progress tokens of indexing (docs/lsp-extensions.md). */
const INDEXING = 'kenning/index/';

export class Working implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'kenning.working',
    vscode.StatusBarAlignment.Left,
    0,
  );
  /** The text of each running indexing, by token; each folder has its own. */
  private readonly running = new Map<string, string>();
  private readonly command: vscode.Disposable;

  /** Creates the item. `cancel` cancels the work behind a token. */
  constructor(cancel: (token: string) => Promise<void>) {
    this.item.name = 'Kenning';
    this.item.command = 'kenning.cancelIndexing';
    this.command = vscode.commands.registerCommand('kenning.cancelIndexing', async () => {
      await Promise.all([...this.running.keys()].map(cancel));
    });
  }

  /** Takes progress of the server. Returns whether the item shows it. */
  take(token: string | number, value: Progress): boolean {
    if (typeof token !== 'string' || !token.startsWith(INDEXING)) {
      return false;
    }
    if (value.kind === 'end') {
      this.running.delete(token);
    } else {
      const done = value.percentage === undefined ? '' : ` ${value.percentage}%`;
      this.running.set(token, `${value.message ?? ''}${done}`.trim());
    }
    this.show();
    return true;
  }

  /** Forgets all progress, because the server has ended. */
  clear(): void {
    this.running.clear();
    this.show();
  }

  dispose(): void {
    this.item.dispose();
    this.command.dispose();
  }

  private show(): void {
    const [first] = this.running.values();
    void vscode.commands.executeCommand('setContext', 'kenning.indexing', first !== undefined);
    if (first === undefined) {
      this.item.hide();
      return;
    }
    const others = this.running.size > 1 ? ` (+${this.running.size - 1})` : '';
    this.item.text = `$(sync~spin) Kenning: indexing ${first}${others}`;
    this.item.tooltip = 'Kenning is building its index. Click to cancel.';
    this.item.show();
  }
}
