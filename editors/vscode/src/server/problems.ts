/**
 * Shows problems of the server to the user, with buttons for the possible actions.
 */
import * as vscode from 'vscode';
import type { Connection, VersionMismatch } from './connection';
import { type ServerProblem, describeProblem } from './problemWords';

const INSTALL_URL = 'https://github.com/kenning-lsp/kenning#readme';
const MISMATCH_SEEN = 'kenning.mismatchSeen';

/** Shows why the server cannot run, with buttons for the possible actions. */
export async function showProblem(problem: ServerProblem, connection: Connection): Promise<void> {
  const choose = 'Choose Program...';
  const install = 'How to Install';
  const restart = 'Restart';
  const log = 'Show Log';
  const buttons =
    problem.kind === 'crashed' || problem.kind === 'failed'
      ? [restart, log]
      : problem.kind === 'missing'
        ? [choose, install]
        : [choose, 'Open Settings'];
  const chosen = await vscode.window.showErrorMessage(problemMessage(problem), ...buttons);
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

function problemMessage(problem: ServerProblem): string {
  const text = describeProblem(problem);
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
 * Warns that the versions of the extension and the server are not compatible. The user can suppress
 * the warning for this pair of versions.
 */
export async function showMismatch(
  mismatch: VersionMismatch,
  context: vscode.ExtensionContext,
): Promise<void> {
  const pair = `${mismatch.extension} ${mismatch.server}`;
  if (context.globalState.get<string>(MISMATCH_SEEN) === pair) {
    return;
  }
  const message =
    `Kenning: ${mismatch.program} is version ${mismatch.server}, but this extension expects ${mismatch.extension}. ` +
    'Some features may not work. Update the older of the two.';
  const suppress = "Don't Show Again";
  const chosen = await vscode.window.showWarningMessage(message, 'Open Settings', suppress);
  if (chosen === suppress) {
    await context.globalState.update(MISMATCH_SEEN, pair);
  } else if (chosen === 'Open Settings') {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'kenning.server.path');
  }
}
