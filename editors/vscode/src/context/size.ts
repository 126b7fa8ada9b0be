/**
 * The size of a pack in words.
 */
import type { Pack } from '../protocol';
import { formatCount } from '../words';

/** Returns the number of symbols, without the rests of files, and the tokens. */
export function describeSize(pack: Pack): string {
  const symbols = pack.symbols.filter((symbol) => symbol.kind !== 'file');
  return `${formatCount(symbols.length, 'symbol')}, ${formatCount(pack.tokens_used, 'token')}`;
}
