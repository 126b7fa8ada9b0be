/**
 * The language status item: the state of the index and of the language servers that confirm it.
 */
import * as vscode from 'vscode';
import type { SessionStatus } from '../protocol';
import { LANGUAGES } from '../server/client';
import type { Connection } from '../server/connection';
import { isUnsettled, statusWords } from './words';

/** Delay that gathers several changes into one request to the server. */
const GATHER_MS = 300;

/**
 * Polling intervals while work is in progress, and when idle. The server sends no notification when
 * a language server changes its state.
 */
const WATCH_MS = 1500;
const IDLE_MS = 10_000;

const LEVELS = {
  fine: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

export class LanguageStatus implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly watches: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private status: SessionStatus | undefined;

  constructor(private readonly connection: Connection) {
    const selector = LANGUAGES.map((language) => ({ scheme: 'file', language }));
    this.item = vscode.languages.createLanguageStatusItem('kenning.status', selector);
    this.item.name = 'Kenning';
    this.watches = [
      connection.onState(() => {
        this.status = undefined;
        this.show();
        this.ask(GATHER_MS);
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.ask(GATHER_MS);
      }),
    ];
    this.show();
  }

  /** Requests the status soon, because the graph may have changed. */
  touched(): void {
    this.ask(GATHER_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watches.forEach((watch) => {
      watch.dispose();
    });
    this.item.dispose();
  }

  private ask(after: number): void {
    if (this.connection.state.kind !== 'running') {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.refresh();
    }, after);
  }

  private async refresh(): Promise<void> {
    try {
      this.status = await this.connection.ask('kenning.status', {});
    } catch (error) {
      // The server does not answer while the connection changes its state; the next state requests
      // the status again.
      this.connection.log.debug(`No status: ${String(error)}`);
      return;
    }
    this.show();
    this.ask(isUnsettled(this.status) ? WATCH_MS : IDLE_MS);
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
