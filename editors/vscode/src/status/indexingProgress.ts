/**
 * The status bar item that shows the progress of indexing and cancels it on a click. The item is
 * hidden when the server is not indexing.
 */
import * as vscode from 'vscode';
import type { Progress } from '../server/client';

/** Prefix of the progress tokens of indexing (docs/lsp-extensions.md). */
const TOKEN_PREFIX = 'kenning/index/';

export class IndexingProgress implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'kenning.working',
    vscode.StatusBarAlignment.Left,
    0,
  );
  /** The text of each indexing run, by its token. Each folder has its own. */
  private readonly running = new Map<string, string>();
  private readonly command: vscode.Disposable;

  /** Creates the item. `cancel` cancels the work with a progress token. */
  constructor(cancel: (token: string) => Promise<void>) {
    this.item.name = 'Kenning';
    this.item.command = 'kenning.cancelIndexing';
    this.command = vscode.commands.registerCommand('kenning.cancelIndexing', async () => {
      await Promise.all([...this.running.keys()].map(cancel));
    });
  }

  /** Shows progress of the server if it is about indexing. Returns whether it is. */
  showProgress(token: string | number, value: Progress): boolean {
    if (typeof token !== 'string' || !token.startsWith(TOKEN_PREFIX)) {
      return false;
    }
    if (value.kind === 'end') {
      this.running.delete(token);
    } else {
      const percentage = value.percentage === undefined ? '' : ` ${value.percentage}%`;
      this.running.set(token, `${value.message ?? ''}${percentage}`.trim());
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
