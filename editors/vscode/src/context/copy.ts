/**
 * Copies a pack: requests it, puts it on the clipboard and into the view, and shows a message about
 * it.
 */
import * as vscode from 'vscode';
import type { Parts } from '../parts';
import { folderOf, servedFolders } from '../place';
import type { Pack, PackFormat } from '../protocol';
import { count } from '../words';
import { fetchPack, NO_WISHES, type PackOptions, type PackRequest, title } from './request';

/** Returns the options of packs from the settings. */
export function packOptions(): PackOptions {
  const settings = vscode.workspace.getConfiguration('kenning');
  return {
    format: settings.get<PackFormat>('context.format', 'markdown'),
    learning: settings.get<boolean>('context.learning', true),
  };
}

/** Copies the pack for a request; `again` keeps the symbols that the user pinned and removed. */
export async function copyPack(parts: Parts, request: PackRequest, again = false): Promise<Pack> {
  const options = packOptions();
  const wishes = again ? parts.store.wishes : NO_WISHES;
  const pack = await fetchPack(parts.connection, request, wishes, options);
  const text = pack.text ?? '';
  await vscode.env.clipboard.writeText(text);
  parts.store.replace({ request, pack, text, ...options }, again);
  void announce(parts, request, pack, text, options.format);
  return pack;
}

/**
 * Returns the message for a copied pack. With several open folders, `folder` names the one that
 * answered.
 */
export function copiedWords(pack: Pack, folder?: string): string {
  const from = folder === undefined ? '' : ` from ${folder}`;
  const copied = `Copied ${count(pack.symbols.length, 'symbol')}, ${count(pack.tokens_used, 'token')}${from}`;
  const pending = pack.freshness.pending_files;
  return pending === 0 ? copied : `${copied}; ${count(pending, 'file')} not indexed yet`;
}

async function announce(
  parts: Parts,
  request: PackRequest,
  pack: Pack,
  text: string,
  format: PackFormat,
): Promise<void> {
  const preview = 'Open Preview';
  const explain = 'Explain';
  const offered = request.kind === 'task' && pack.symbols.length > 0 ? [preview, explain] : [preview];
  const words = copiedWords(pack, answeringFolder(request));
  const chosen = await vscode.window.showInformationMessage(words, ...offered);
  if (chosen === preview) {
    await parts.texts.show(`Context: ${title(request)}`, text, format);
  } else if (chosen === explain) {
    await vscode.commands.executeCommand('kenning.explainRanking');
  }
}

/**
 * Returns the name of the folder that answered, or `undefined` if only one is open or the request
 * names files.
 */
function answeringFolder(request: PackRequest): string | undefined {
  const several = servedFolders().length > 1;
  return several && request.kind !== 'files' ? folderOf(request.place)?.name : undefined;
}
