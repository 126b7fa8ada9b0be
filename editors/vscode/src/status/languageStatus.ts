/**
 * The language status item, which shows the state of the index and of the language servers.
 */
import * as vscode from 'vscode';
import type { SessionStatus } from '../protocol';
import { LANGUAGES } from '../server/client';
import type { Connection } from '../server/connection';
import { isUnsettled, statusWords } from './words';

/** Delay during which several changes are combined into one request to the server. */
const DEBOUNCE_MS = 300;

/**
 * Polling intervals while work is in progress, and when idle. The server sends no notification when
 * a language server changes its state.
 */
const BUSY_MS = 1500;
const IDLE_MS = 10_000;

const LEVELS = {
  fine: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

export class LanguageStatus implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private status: SessionStatus | undefined;

  constructor(private readonly connection: Connection) {
    const selector = LANGUAGES.map((language) => ({ scheme: 'file', language }));
    this.item = vscode.languages.createLanguageStatusItem('kenning.status', selector);
    this.item.name = 'Kenning';
    this.subscriptions = [
      connection.onState(() => {
        this.status = undefined;
        this.show();
        this.scheduleRefresh(DEBOUNCE_MS);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.scheduleRefresh(DEBOUNCE_MS);
      }),
    ];
    this.show();
  }

  /** Requests the status soon, because the graph may have changed. */
  refreshSoon(): void {
    this.scheduleRefresh(DEBOUNCE_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((subscription) => {
      subscription.dispose();
    });
    this.item.dispose();
  }

  private scheduleRefresh(delay: number): void {
    if (this.connection.state.kind !== 'running') {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.refresh();
    }, delay);
  }

  private async refresh(): Promise<void> {
    try {
      this.status = await this.connection.ask('kenning.status', {});
    } catch (error) {
      // The server does not answer while the connection changes its state. The next state schedules
      // a new request.
      this.connection.log.debug(`No status: ${String(error)}`);
      return;
    }
    this.show();
    this.scheduleRefresh(isUnsettled(this.status) ? BUSY_MS : IDLE_MS);
  }

  private show(): void {
    const words = statusWords(this.connection.state, this.status);
    this.item.text = `Kenning: ${words.text}`;
    this.item.detail = words.detail;
    this.item.severity = LEVELS[words.level];
    this.item.busy = words.busy;
    this.item.command =
      words.level === 'error' && this.connection.state.kind === 'broken'
        ? { command: 'kenning.restart', title: 'Restart' }
        : { command: 'kenning.showLog', title: 'Show Log' };
  }
}
