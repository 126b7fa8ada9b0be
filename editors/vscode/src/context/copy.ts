/**
 * Copies a pack: requests it, writes it to the clipboard, shows it in the view, and shows a
 * message.
 */
import * as vscode from 'vscode';
import type { ExtensionParts } from '../parts';
import { folderOf, servedFolders } from '../documentPosition';
import type { Pack, PackFormat } from '../protocol';
import { formatCount, missingInputs } from '../words';
import { fetchPack, NO_ADJUSTMENTS, type PackOptions, type PackRequest, requestTitle } from './request';
import { describeSize } from './size';

/** Returns the options of packs from the settings. */
export function packOptions(): PackOptions {
  const settings = vscode.workspace.getConfiguration('kenning');
  return {
    format: settings.get<PackFormat>('context.format', 'markdown'),
    learning: settings.get<boolean>('context.learning', true),
  };
}

/**
 * Copies the pack for a request. `keepAdjustments` keeps the user's pinned and removed symbols for
 * the new pack; by default, they are forgotten.
 */
export async function copyPack(
  parts: ExtensionParts,
  request: PackRequest,
  { keepAdjustments = false }: { keepAdjustments?: boolean } = {},
): Promise<Pack> {
  const options = packOptions();
  const adjustments = keepAdjustments ? parts.store.adjustments : NO_ADJUSTMENTS;
  const pack = await fetchPack(parts.connection, request, adjustments, options);
  const text = pack.text ?? '';
  await vscode.env.clipboard.writeText(text);
  const { format, learning } = options;
  parts.store.replace({ request, pack, text, format, acceptsFeedback: learning }, { keepAdjustments });
  void showMessage(parts, request, pack, text, format);
  return pack;
}

/** Maximum length of the title of a request in a message, in characters. */
const MAX_TITLE = 60;

/**
 * Returns the message for a copied pack. `folder` names the folder that answered, if several are
 * open.
 */
export function copiedMessage(pack: Pack, title: string, folder?: string): string {
  const source = folder === undefined ? '' : ` from ${folder}`;
  const subject = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;
  const copied = `Copied ${describeSize(pack)}${source} for "${subject}"`;
  const pending = pack.freshness.pending_files;
  const missing = [
    ...(pending === 0 ? [] : [`${formatCount(pending, 'file')} not indexed yet`]),
    ...missingInputs(pack.freshness),
  ];
  const note = missing.length === 0 ? '' : `; ${missing.join(', ')}`;
  return `${copied}${note}. Paste it into a chat or an issue.`;
}

async function showMessage(
  parts: ExtensionParts,
  request: PackRequest,
  pack: Pack,
  text: string,
  format: PackFormat,
): Promise<void> {
  const preview = 'Open Preview';
  const explain = 'Why This Rank';
  const buttons = request.kind === 'task' && pack.symbols.length > 0 ? [preview, explain] : [preview];
  const message = copiedMessage(pack, requestTitle(request), answeringFolder(request));
  const chosen = await vscode.window.showInformationMessage(message, ...buttons);
  if (chosen === preview) {
    await parts.documents.show(`Context: ${requestTitle(request)}`, text, format);
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
  return several && request.kind !== 'files' ? folderOf(request.documentPosition)?.name : undefined;
}
