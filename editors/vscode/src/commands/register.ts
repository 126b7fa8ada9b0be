/**
 * Registers commands so that an error is shown to the user once, together with what can be done
 * about it.
 */
import * as vscode from 'vscode';
import type { Parts } from '../parts';
import { isCancelled, messageOf, NotRunning } from '../server/errors';

/** The implementation of a command. It checks the arguments that VS Code passes itself. */
export type Run = (parts: Parts, ...passed: unknown[]) => Promise<unknown>;

export function register(parts: Parts, id: string, run: Run): void {
  const guarded = async (...passed: unknown[]): Promise<unknown> => {
    try {
      return await run(parts, ...passed);
    } catch (error) {
      explain(parts, error);
      return undefined;
    }
  };
  parts.context.subscriptions.push(vscode.commands.registerCommand(id, guarded));
}

function explain(parts: Parts, error: unknown): void {
  if (isCancelled(error)) {
    return;
  }
  const message = messageOf(error);
  parts.connection.log.error(message);
  const restart = 'Restart';
  const log = 'Show Log';
  const offered = error instanceof NotRunning ? [restart, log] : [log];
  const prefix = message.startsWith('Kenning') ? '' : 'Kenning: ';
  // Do not wait for the user's choice: the command has ended with the failure.
  void vscode.window.showErrorMessage(prefix + message, ...offered).then(async (chosen) => {
    if (chosen === restart) {
      await parts.connection.restart();
    } else if (chosen === log) {
      parts.connection.log.show();
    }
  });
}
