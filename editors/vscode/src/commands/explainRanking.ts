/**
 * **Kenning: Why This Rank** explains the rank of a symbol in the last pack in sentences, and
 * **Kenning: Show Numbers** adds the numbers of every stage to the explanation.
 */
import * as vscode from 'vscode';
import { explainSymbol, type ExplainedSymbol } from '../context/explanation';
import type { ContextStore } from '../context/store';
import type { ExtensionParts } from '../parts';
import type { PackSymbol } from '../protocol';
import { symbolOf } from '../views/items';

export async function explainRanking({ store, explanations }: ExtensionParts, row: unknown): Promise<void> {
  const symbol = await chooseSymbol(store, row);
  if (symbol !== undefined) {
    await explanations.show(symbol, 'sentences');
  }
}

/** Shows the numbers for the symbol of a row, or else for the explanation that is shown. */
export async function showNumbers({ store, explanations }: ExtensionParts, row: unknown): Promise<void> {
  const shown = symbolOf(row) === undefined ? explanations.active : undefined;
  const symbol = shown ?? (await chooseSymbol(store, row));
  if (symbol !== undefined) {
    await explanations.show(symbol, 'numbers');
  }
}

/** Shows the explanation that is shown without its numbers. */
export async function hideNumbers({ explanations }: ExtensionParts): Promise<void> {
  const shown = explanations.active;
  if (shown === undefined) {
    throw new Error('No explanation is shown. Run Why This Rank first.');
  }
  await explanations.show(shown, 'sentences');
}

/** Returns the symbol of a row, or lets the user pick one; `undefined` if the user picks none. */
async function chooseSymbol(store: ContextStore, row: unknown): Promise<ExplainedSymbol | undefined> {
  const { current } = store;
  if (current?.request.kind !== 'task') {
    throw new Error('There is no ranking to explain. Copy the context of a task first.');
  }
  const symbol = symbolOf(row) ?? (await pickSymbol(current.pack.symbols));
  const learning = { learning: current.acceptsFeedback };
  return symbol && explainSymbol(symbol, current.request, store.adjustments, learning);
}

async function pickSymbol(symbols: PackSymbol[]): Promise<PackSymbol | undefined> {
  const ranked = symbols
    .filter((symbol) => symbol.rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const items = ranked.map((symbol) => ({
    label: `${symbol.rank}. ${symbol.name}`,
    description: `${symbol.file}:${symbol.line}`,
    symbol,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Kenning: Why This Rank',
    placeHolder: 'Select a symbol of the pack',
    matchOnDescription: true,
  });
  return picked?.symbol;
}
