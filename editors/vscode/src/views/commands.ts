/**
 * The commands of the Task Context view.
 */
import * as vscode from 'vscode';
import { register } from '../commands/register';
import { copyPack } from '../context/copy';
import { title } from '../context/request';
import type { Parts } from '../parts';
import { openAt } from '../place';
import { removedOf, symbolOf } from './items';
import { fileOf } from './taskContext';

export function registerViewCommands(parts: Parts): void {
  const { store } = parts;
  register(parts, 'kenning.context.open', open);
  register(parts, 'kenning.context.copyAgain', copyAgain);
  register(parts, 'kenning.context.repack', repack);
  register(parts, 'kenning.context.preview', preview);
  register(parts, 'kenning.context.useful', (_, row) => judge(parts, row, true));
  register(parts, 'kenning.context.notUseful', (_, row) => judge(parts, row, false));
  const act = (id: string, run: (row: unknown) => void): void => {
    register(parts, id, (_, row) => {
      run(row);
      return Promise.resolve();
    });
  };
  act('kenning.context.clear', () => {
    store.clear();
  });
  act('kenning.context.pin', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.pin(symbol.id);
  });
  act('kenning.context.unpin', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.unpin(symbol.id);
  });
  act('kenning.context.remove', (row) => {
    const symbol = symbolOf(row);
    if (symbol !== undefined) store.remove(symbol);
  });
  act('kenning.context.restore', (row) => {
    const symbol = removedOf(row);
    if (symbol !== undefined) store.restore(symbol.id);
  });
}

async function open({ store }: Parts, row: unknown): Promise<void> {
  const symbol = symbolOf(row);
  const current = store.current;
  const file = symbol && current ? fileOf(current, symbol.file) : undefined;
  if (symbol !== undefined && file !== undefined) {
    await openAt(file, symbol.line);
  }
}

async function copyAgain({ store }: Parts): Promise<void> {
  const text = store.current?.text;
  if (text === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await vscode.env.clipboard.writeText(text);
  void vscode.window.setStatusBarMessage('$(check) Kenning: Copied again', 3000);
}

async function repack(parts: Parts): Promise<void> {
  const request = parts.store.current?.request;
  if (request === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await copyPack(parts, request, true);
}

async function preview({ store, texts }: Parts): Promise<void> {
  const current = store.current;
  if (current === undefined) {
    throw new Error('There is no context yet. Copy the context of a task first.');
  }
  await texts.show(`Context: ${title(current.request)}`, current.text, current.format);
}

async function judge({ store, connection }: Parts, row: unknown, useful: boolean): Promise<void> {
  const symbol = symbolOf(row);
  const current = store.current;
  if (symbol === undefined || current === undefined) {
    return;
  }
  const packRoot = current.pack.pack_root;
  await connection.ask('kenning.feedback', { packRoot, symbol: symbol.id, useful });
  store.judged(symbol.id, useful);
}
