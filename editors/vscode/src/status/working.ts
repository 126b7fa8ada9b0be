/**
 * The item in the status bar while the server indexes: how far it is, and a way to stop it. It is there only while it works.
 */
import * as vscode from 'vscode';
import type { Progress } from '../server/client';

/** How the tokens of indexing begin (docs/lsp-extensions.md). */
const INDEXING = 'kenning/index/';

export class Working implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'kenning.working',
    vscode.StatusBarAlignment.Left,
    0,
  );
  /** What is shown, by token: each folder has its own indexing. */
  private readonly running = new Map<string, string>();
  private readonly command: vscode.Disposable;

  /** `cancel` stops what runs under a token. */
  constructor(cancel: (token: string) => Promise<void>) {
    this.item.name = 'Kenning';
    this.item.command = 'kenning.cancelIndexing';
    this.command = vscode.commands.registerCommand('kenning.cancelIndexing', async () => {
      await Promise.all([...this.running.keys()].map(cancel));
    });
  }

  /** Takes progress of the server; whether it is shown here. */
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

  /** Nothing runs any more: the server ended. */
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
    this.item.tooltip = 'Kenning is building its index. Click to stop that.';
    this.item.show();
  }
}
