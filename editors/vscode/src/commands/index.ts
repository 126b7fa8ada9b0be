/**
 * Registers the commands of the extension. Their ids differ from the ids of the server's commands,
 * which the language client also registers.
 */
import * as vscode from 'vscode';
import type { ExtensionParts } from '../parts';
import { pickPosition } from '../documentPosition';
import { formatCount } from '../words';
import { addNote } from './addNote';
import { copyChangeContext } from './copyChangeContext';
import { copyContext } from './copyContext';
import { copyFileContext } from './copyFileContext';
import { copyTaskContext } from './copyTaskContext';
import { explainRanking, hideNumbers, showNumbers } from './explainRanking';
import { registerCommand, type CommandHandler } from './register';
import { showAffectedTests } from './showAffectedTests';
import { showBlastRadius } from './showBlastRadius';
import { showDiagram } from './showDiagram';

const COMMANDS: Record<string, CommandHandler> = {
  'kenning.copyTaskContext': copyTaskContext,
  'kenning.copyFileContext': copyFileContext,
  'kenning.copyChangeContext': copyChangeContext,
  'kenning.copyContext': copyContext,
  'kenning.showBlastRadius': showBlastRadius,
  'kenning.showBlastRadiusDiagram': showDiagram,
  'kenning.showAffectedTests': showAffectedTests,
  'kenning.explainRanking': explainRanking,
  'kenning.showNumbers': showNumbers,
  'kenning.hideNumbers': hideNumbers,
  'kenning.addNote': addNote,
  'kenning.rebuildIndex': rebuildIndex,
  'kenning.restartLanguageServers': restartLanguageServers,
  'kenning.restart': ({ connection }) => connection.restart(),
  'kenning.showLog': ({ connection }) => {
    connection.log.show();
    return Promise.resolve();
  },
};

export function registerCommands(parts: ExtensionParts): void {
  for (const [id, run] of Object.entries(COMMANDS)) {
    registerCommand(parts, id, run);
  }
}

async function rebuildIndex(parts: ExtensionParts): Promise<void> {
  const documentPosition = await pickPosition();
  if (documentPosition === undefined) {
    return;
  }
  const status = await parts.connection.ask('kenning.reindex', selectFolder(documentPosition));
  const symbols = status.folders.reduce((sum, folder) => sum + folder.symbols, 0);
  void vscode.window.showInformationMessage(`Index up to date: ${formatCount(symbols, 'symbol')}.`);
}

async function restartLanguageServers(parts: ExtensionParts): Promise<void> {
  const documentPosition = await pickPosition();
  if (documentPosition === undefined) {
    return;
  }
  await parts.connection.ask('kenning.restartServers', selectFolder(documentPosition));
  void vscode.window.showInformationMessage('The language servers are restarting.');
}

/** Returns the argument that selects the folder of a position. */
function selectFolder(documentPosition: { textDocument?: { uri: string } }): {
  textDocument?: { uri: string };
} {
  return documentPosition.textDocument === undefined ? {} : { textDocument: documentPosition.textDocument };
}
