/**
 * The commands of the Pack view.
 */
import * as vscode from 'vscode';
import { registerCommand } from '../commands/register';
import { copyPack } from '../context/copy';
import { requestTitle } from '../context/request';
import type { ExtensionParts } from '../parts';
import { openAt } from '../documentPosition';
import { removedOf, symbolOf } from './items';
import { fileOf } from './taskContext';

export function registerViewCommands(parts: ExtensionParts): void {
  const { store } = parts;
  registerCommand(parts, 'kenning.context.open', open);
  registerCommand(parts, 'kenning.context.copyAgain', copyAgain);
  registerCommand(parts, 'kenning.context.repack', repack);
  registerCommand(parts, 'kenning.context.preview', preview);
  registerCommand(parts, 'kenning.context.useful', (_, row) => sendFeedback(parts, row, { useful: true }));
  registerCommand(parts, 'kenning.context.notUseful', (_, row) =>
    sendFeedback(parts, row, { useful: false }),
  );
  const registerAction = (id: string, run: (row: unknown) => void): void => {
    registerCommand(parts, id, (_, row) => {
      run(row);
      return Promise.resolve();
    });
  };
  registerAction('kenning.context.clear', () => {
    store.clear();
  });
  registerAction('kenning.context.pin', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.pin(symbol.id);
  });
  registerAction('kenning.context.unpin', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.unpin(symbol.id);
  });
  registerAction('kenning.context.remove', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.remove(symbol);
  });
  registerAction('kenning.context.restore', (row) => {
    const symbol = removedOf(row);
    if (symbol !== undefined) store.restore(symbol.id);
  });
}

async function open({ store }: ExtensionParts, row: unknown): Promise<void> {
  const symbol = symbolOf(row);
  const current = store.current;
  const file = symbol && current ? fileOf(current, symbol.file) : undefined;
  if (symbol !== undefined && file !== undefined) {
    await openAt(file, symbol.line);
  }
}

async function copyAgain({ store }: ExtensionParts): Promise<void> {
  const text = store.current?.text;
  if (text === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await vscode.env.clipboard.writeText(text);
  void vscode.window.setStatusBarMessage('$(check) Kenning: Copied again', 3000);
}

async function repack(parts: ExtensionParts): Promise<void> {
  const request = parts.store.current?.request;
  if (request === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await copyPack(parts, request, { keepAdjustments: true });
}

async function preview({ store, documents }: ExtensionParts): Promise<void> {
  const current = store.current;
  if (current === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await documents.show(`Context: ${requestTitle(current.request)}`, current.text, current.format);
}

async function sendFeedback(
  { store, connection }: ExtensionParts,
  row: unknown,
  { useful }: { useful: boolean },
): Promise<void> {
  const symbol = symbolOf(row);
  const current = store.current;
  if (symbol === undefined || current === undefined) {
    return;
  }
  const packRoot = current.pack.pack_root;
  await connection.ask('kenning.feedback', { packRoot, symbol: symbol.id, useful });
  store.setFeedback(symbol.id, useful);
}
