/**
 * Registers commands. If a command fails, logs the error and shows it to the user once, with
 * buttons for the possible actions.
 */
import * as vscode from 'vscode';
import type { ExtensionParts } from '../parts';
import { isCancelled, messageOf, NotRunningError } from '../server/errors';

/** The implementation of a command, which must check the arguments that VS Code passes. */
export type CommandHandler = (parts: ExtensionParts, ...args: unknown[]) => Promise<unknown>;

/** Registers a command. Its errors are reported instead of thrown. */
export function registerCommand(parts: ExtensionParts, id: string, run: CommandHandler): void {
  const handler = async (...args: unknown[]): Promise<unknown> => {
    try {
      return await run(parts, ...args);
    } catch (error) {
      reportError(parts, error);
      return undefined;
    }
  };
  parts.context.subscriptions.push(vscode.commands.registerCommand(id, handler));
}

/** Logs an error and shows it to the user, unless the request was cancelled. */
export function reportError(parts: ExtensionParts, error: unknown): void {
  if (isCancelled(error)) {
    return;
  }
  const message = messageOf(error);
  parts.connection.log.error(message);
  const restart = 'Restart';
  const log = 'Show Log';
  const buttons = error instanceof NotRunningError ? [restart, log] : [log];
  const prefix = message.startsWith('Kenning') ? '' : 'Kenning: ';
  // Do not await the user's choice: the command has already failed.
  void vscode.window.showErrorMessage(prefix + message, ...buttons).then(async (chosen) => {
    if (chosen === restart) {
      await parts.connection.restart();
    } else if (chosen === log) {
      parts.connection.log.show();
    }
  });
}
