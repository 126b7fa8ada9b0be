/**
 * The size of a pack in words.
 */
import type { Pack, PackSymbol } from '../protocol';
import { formatCount } from '../words';

/** Counts symbols. Does not count items that represent the remaining lines of a file. */
export function countSymbols(symbols: readonly PackSymbol[]): number {
  return symbols.filter((symbol) => symbol.kind !== 'file').length;
}

/** Describes the size of a pack: `12 symbols, 3,697 tokens`. */
export function describeSize(pack: Pack): string {
  return `${formatCount(countSymbols(pack.symbols), 'symbol')}, ${formatCount(pack.tokens_used, 'token')}`;
}
