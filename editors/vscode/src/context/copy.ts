/**
 * Copying a pack: asking, the clipboard, the view, and the message that says what was copied.
 */
import * as vscode from 'vscode';
import type { Parts } from '../parts';
import { folderOf, servedFolders } from '../place';
import type { Pack, PackFormat } from '../protocol';
import { count } from '../words';
import { fetchPack, NO_WISHES, type PackOptions, type PackRequest, title } from './request';

/** How packs are wanted, by the settings. */
export function packOptions(): PackOptions {
  const settings = vscode.workspace.getConfiguration('kenning');
  return {
    format: settings.get<PackFormat>('context.format', 'markdown'),
    learning: settings.get<boolean>('context.learning', true),
  };
}

/** Copies the pack for a request; `again` keeps the user's pinned and removed symbols. */
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

/** The message of a copied pack; with several folders open it names the one that answered. */
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

/** The folder that answered, where there are several. */
function answeringFolder(request: PackRequest): string | undefined {
  const several = servedFolders().length > 1;
  return several && request.kind !== 'files' ? folderOf(request.place)?.name : undefined;
}
