/**
 * The status of the index and of the language servers: in the language status, and as an item of
 * the status bar whose tooltip has the counts and the age of the index.
 */
import * as vscode from 'vscode';
import type { SessionStatus } from '../protocol';
import { LANGUAGES } from '../server/client';
import type { Connection } from '../server/connection';
import { isUnsettled, statusWords, type StatusWords } from './words';

/**
 * Delay in milliseconds, during which several changes are combined into one request to the server.
 */
const DEBOUNCE_MS = 300;

/**
 * Polling intervals in milliseconds, while work is in progress and when the server is idle. The
 * server sends no notification when a language server changes its state.
 */
const BUSY_MS = 1500;
const IDLE_MS = 10_000;

const LEVELS = {
  fine: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

/** The icon of the item in the status bar, by level. */
const ICONS = { fine: '$(type-hierarchy)', warning: '$(warning)', error: '$(error)' };

/** Position in the status bar: near the language. */
const PRIORITY = 90;

/** The commands at the end of the tooltip, by their titles. */
const TOOLTIP_COMMANDS = [
  ['Rebuild index', 'kenning.rebuildIndex'],
  ['Restart language servers', 'kenning.restartLanguageServers'],
  ['Show log', 'kenning.showLog'],
];

export class LanguageStatus implements vscode.Disposable {
  private readonly item: vscode.LanguageStatusItem;
  private readonly bar: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private status: SessionStatus | undefined;

  constructor(private readonly connection: Connection) {
    const selector = LANGUAGES.map((language) => ({ scheme: 'file', language }));
    this.item = vscode.languages.createLanguageStatusItem('kenning.status', selector);
    this.item.name = 'Kenning';
    this.bar = vscode.window.createStatusBarItem('kenning.bar', vscode.StatusBarAlignment.Right, PRIORITY);
    this.bar.name = 'Kenning';
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
    this.bar.dispose();
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
    const words = statusWords(this.connection.state, this.status, new Date());
    this.item.text = `Kenning: ${words.text}`;
    this.item.detail = words.detail;
    this.item.severity = LEVELS[words.level];
    this.item.busy = words.busy;
    this.item.command =
      words.level === 'error' && this.connection.state.kind === 'broken'
        ? { command: 'kenning.restart', title: 'Restart' }
        : { command: 'kenning.showLog', title: 'Show Log' };
    this.showBar(words);
  }

  /** Shows the item of the status bar unless the item with the progress of indexing is visible. */
  private showBar({ text, detail, summary, level, busy }: StatusWords): void {
    if (this.connection.state.kind === 'idle' || text === 'Indexing') {
      this.bar.hide();
      return;
    }
    this.bar.text = `${busy ? '$(sync~spin)' : ICONS[level]} Kenning: ${text}`;
    this.bar.command = this.item.command;
    const tooltip = new vscode.MarkdownString(summary);
    if (summary === '' || level !== 'fine') {
      tooltip.appendText(`\n\n${detail}`);
    }
    tooltip.isTrusted = { enabledCommands: TOOLTIP_COMMANDS.map(([, command]) => command ?? '') };
    const links = TOOLTIP_COMMANDS.map(([title, command]) => `[${title}](command:${command})`);
    tooltip.appendMarkdown(`\n\n${links.join(' · ')}`);
    this.bar.tooltip = tooltip;
    this.bar.show();
  }
}
