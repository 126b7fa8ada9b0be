/**
 * **Kenning: Explain Ranking** explains the rank of a symbol in the last pack.
 */
import * as vscode from 'vscode';
import { omitEmptyLists } from '../context/request';
import type { ExtensionParts } from '../parts';
import type { PackSymbol } from '../protocol';
import { symbolOf } from '../views/items';

export async function explainRanking(parts: ExtensionParts, value: unknown): Promise<void> {
  const current = parts.store.current;
  if (current?.request.kind !== 'task') {
    throw new Error('There is no ranking to explain. Copy the context of a task first.');
  }
  const { task, documentPosition } = current.request;
  const symbol = symbolOf(value) ?? (await pickSymbol(current.pack.symbols));
  if (symbol === undefined) {
    return;
  }
  const learning = current.acceptsFeedback ? {} : { noLearning: true };
  const adjustments = omitEmptyLists(parts.store.adjustments);
  const argument = {
    ...documentPosition,
    ...learning,
    ...adjustments,
    task,
    symbol: symbol.id,
    format: 'markdown' as const,
  };
  const explanation = await parts.connection.ask('kenning.explain', argument);
  await parts.documents.show(`Why ${symbol.name}`, explanation.text ?? '', 'markdown');
}

async function pickSymbol(symbols: PackSymbol[]): Promise<PackSymbol | undefined> {
  const items = symbols.map((symbol, index) => ({
    label: `${index + 1}. ${symbol.name}`,
    description: `${symbol.file}:${symbol.line}`,
    symbol,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Kenning: Explain Ranking',
    placeHolder: 'Select a symbol of the pack',
    matchOnDescription: true,
  });
  return picked?.symbol;
}
