/**
 * All commands of the extension. Their ids differ from those of the server, which the language
 * client registers as well.
 */
import * as vscode from 'vscode';
import type { Parts } from '../parts';
import { askedPlace } from '../place';
import { count } from '../words';
import { copyChangeContext } from './copyChangeContext';
import { copyContext } from './copyContext';
import { copyFileContext } from './copyFileContext';
import { copyTaskContext } from './copyTaskContext';
import { explainRanking } from './explainRanking';
import { register, type Run } from './register';
import { showAffectedTests } from './showAffectedTests';
import { showBlastRadius } from './showBlastRadius';
import { showPicture } from './showPicture';

const COMMANDS: Record<string, Run> = {
  'kenning.copyTaskContext': copyTaskContext,
  'kenning.copyFileContext': copyFileContext,
  'kenning.copyChangeContext': copyChangeContext,
  'kenning.copyContext': copyContext,
  'kenning.showBlastRadius': showBlastRadius,
  'kenning.showBlastRadiusPicture': showPicture,
  'kenning.showAffectedTests': showAffectedTests,
  'kenning.explainRanking': explainRanking,
  'kenning.rebuildIndex': rebuildIndex,
  'kenning.restartLanguageServers': restartLanguageServers,
  'kenning.restart': ({ connection }) => connection.restart(),
  'kenning.showLog': ({ connection }) => {
    connection.log.show();
    return Promise.resolve();
  },
};

export function registerCommands(parts: Parts): void {
  for (const [id, run] of Object.entries(COMMANDS)) {
    register(parts, id, run);
  }
}

async function rebuildIndex(parts: Parts): Promise<void> {
  const place = await askedPlace();
  if (place === undefined) {
    return;
  }
  const status = await parts.connection.ask('kenning.reindex', document(place));
  const symbols = status.folders.reduce((sum, folder) => sum + folder.symbols, 0);
  void vscode.window.showInformationMessage(`Index up to date: ${count(symbols, 'symbol')}.`);
}

async function restartLanguageServers(parts: Parts): Promise<void> {
  const place = await askedPlace();
  if (place === undefined) {
    return;
  }
  await parts.connection.ask('kenning.restartServers', document(place));
  void vscode.window.showInformationMessage('The language servers are restarting.');
}

function document(place: { textDocument?: { uri: string } }): { textDocument?: { uri: string } } {
  return place.textDocument === undefined ? {} : { textDocument: place.textDocument };
}
