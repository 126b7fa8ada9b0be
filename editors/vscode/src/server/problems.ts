/**
 * Reports to the user that the server cannot run, and offers what can be done about it.
 */
import * as vscode from 'vscode';
import type { Connection, Mismatch } from './connection';
import { type Problem, words } from './problemWords';

const INSTALL_URL = 'https://github.com/kenning-lsp/kenning#readme';
const MISMATCH_SEEN = 'kenning.mismatchSeen';

/** Shows a problem with buttons for what can be done about it. */
export async function showProblem(problem: Problem, connection: Connection): Promise<void> {
  const choose = 'Choose Program...';
  const install = 'How to Install';
  const restart = 'Restart';
  const log = 'Show Log';
  const offered =
    problem.kind === 'crashed' || problem.kind === 'failed'
      ? [restart, log]
      : problem.kind === 'missing'
        ? [choose, install]
        : [choose, 'Open Settings'];
  const chosen = await vscode.window.showErrorMessage(message(problem), ...offered);
  switch (chosen) {
    case choose:
      await chooseProgram();
      return;
    case install:
      await vscode.env.openExternal(vscode.Uri.parse(INSTALL_URL));
      return;
    case 'Open Settings':
      await vscode.commands.executeCommand('workbench.action.openSettings', 'kenning.server.path');
      return;
    case restart:
      await connection.restart();
      return;
    case log:
      connection.log.show();
      return;
    default:
  }
}

function message(problem: Problem): string {
  const text = words(problem);
  return text.startsWith('Kenning') ? text : `Kenning: ${text}`;
}

async function chooseProgram(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: 'Choose the kenning program',
    openLabel: 'Use This Program',
    canSelectMany: false,
  });
  const file = chosen?.[0];
  if (file !== undefined) {
    const settings = vscode.workspace.getConfiguration('kenning');
    await settings.update('server.path', file.fsPath, vscode.ConfigurationTarget.Global);
  }
}

/**
 * Warns that the extension and the server have versions that do not fit. The user can suppress the
 * warning for this pair of versions.
 */
export async function showMismatch(mismatch: Mismatch, context: vscode.ExtensionContext): Promise<void> {
  const pair = `${mismatch.extension} ${mismatch.server}`;
  if (context.globalState.get<string>(MISMATCH_SEEN) === pair) {
    return;
  }
  const message =
    `Kenning: ${mismatch.program} is version ${mismatch.server}, but this extension expects ${mismatch.extension}. ` +
    'Some features may not work. Update the older of the two.';
  const quiet = "Don't Show Again";
  const chosen = await vscode.window.showWarningMessage(message, 'Open Settings', quiet);
  if (chosen === quiet) {
    await context.globalState.update(MISMATCH_SEEN, pair);
  } else if (chosen === 'Open Settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'kenning.server.path');
  }
}
