/**
 * The rows of the Task Context view as data, independent of VS Code. VS Code passes the row of a
 * menu or a click to the command.
 */
import type { PackSymbol } from '../protocol';
import type { RemovedSymbol } from '../context/store';
import { describeEvidence, formatCount } from '../words';

export interface GroupRow {
  row: 'group';
  label: string;
  symbols: PackSymbol[];
}

export interface SymbolRow {
  row: 'symbol';
  symbol: PackSymbol;
  /** Rank in the pack, from 1. */
  rank: number;
}

export interface RemovedGroupRow {
  row: 'removed-group';
  removed: RemovedSymbol[];
}

export interface RemovedRow {
  row: 'removed';
  symbol: RemovedSymbol;
}

export type Row = GroupRow | SymbolRow | RemovedGroupRow | RemovedRow;

/** The groups of packs as in Markdown: the heading, and the name in a pack. */
const GROUPS: [string, string][] = [
  ['Pinned', 'pinned'],
  ['Change here', 'subject'],
  ['Related', 'related'],
  ['Tests', 'tests'],
];

/** Groups the symbols, without empty groups. */
export function groupSymbols(symbols: PackSymbol[]): GroupRow[] {
  return GROUPS.map(([label, group]): GroupRow => {
    const members = symbols.filter((symbol) => symbol.group === group);
    return { row: 'group', label, symbols: members };
  }).filter((group) => group.symbols.length > 0);
}

/** Describes the rank of a symbol, and its reasons if the pack explains them. */
export function describeRank({ symbol, rank }: SymbolRow): string {
  const { tokens, channels, provenance, confidence } = symbol;
  const size = tokens === undefined ? '' : `, ${formatCount(tokens, 'token')}`;
  const sentences = [`Rank ${rank}, score ${symbol.score.toFixed(2)}.`, `Shown as ${symbol.detail}${size}.`];
  if (channels !== undefined) {
    sentences.push(`Found by ${channels.length === 0 ? 'the graph' : channels.join(', ')}.`);
  }
  if (provenance !== undefined && confidence !== undefined) {
    const evidence = describeEvidence(provenance);
    sentences.push(`Evidence: ${evidence} (confidence ${confidence.toFixed(2)}).`);
  }
  return sentences.join(' ');
}

/**
 * Returns the symbol of the row that a menu passes to a command, or `undefined` if it is not a
 * symbol's row.
 */
export function symbolOf(value: unknown): PackSymbol | undefined {
  return isRow(value) && value.row === 'symbol' ? value.symbol : undefined;
}

/** Returns the removed symbol of a row, or `undefined` if it is not the row of a removed symbol. */
export function removedOf(value: unknown): RemovedSymbol | undefined {
  return isRow(value) && value.row === 'removed' ? value.symbol : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'row' in value;
}
