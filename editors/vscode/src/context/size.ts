/**
 * The size of a pack in words.
 */
import type { Pack, PackSymbol } from '../protocol';
import { formatCount } from '../words';

/** Counts symbols, without the rests of files. */
export function countSymbols(symbols: readonly PackSymbol[]): number {
  return symbols.filter((symbol) => symbol.kind !== 'file').length;
}

/** Returns the number of symbols, without the rests of files, and the tokens. */
export function describeSize(pack: Pack): string {
  return `${formatCount(countSymbols(pack.symbols), 'symbol')}, ${formatCount(pack.tokens_used, 'token')}`;
}
