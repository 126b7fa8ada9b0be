/**
 * Runs the commands of tests in a terminal.
 */
import * as vscode from 'vscode';

/** Runs shell commands, one after the other, in a new terminal in the root of the folder. */
export function runInTerminal(commands: string[], folder: vscode.WorkspaceFolder | undefined): void {
  const terminal = vscode.window.createTerminal({
    name: 'Kenning: affected tests',
    ...(folder === undefined ? {} : { cwd: folder.uri }),
  });
  terminal.show();
  for (const command of commands) {
    terminal.sendText(command);
  }
}
