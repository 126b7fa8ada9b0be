/**
 * The rows of the Task Context view, independent of VS Code, and what they pass to commands.
 */
import type { PackSymbol } from '../protocol';
import type { Removed } from '../context/store';

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
  removed: Removed[];
}

export interface RemovedRow {
  row: 'removed';
  symbol: Removed;
}

export type Row = GroupRow | SymbolRow | RemovedGroupRow | RemovedRow;

/** The groups of the Markdown form of packs: heading, and distances from the task. */
const GROUPS: [string, (distance: number) => boolean][] = [
  ['Target', (distance) => distance === 0],
  ['Related', (distance) => distance === 1],
  ['Extended', (distance) => distance > 1],
];

/** Returns the groups that have symbols. */
export function groups(symbols: PackSymbol[]): GroupRow[] {
  return GROUPS.map(([label, belongs]): GroupRow => {
    const members = symbols.filter((symbol) => belongs(symbol.distance));
    return { row: 'group', label, symbols: members };
  }).filter((group) => group.symbols.length > 0);
}

/**
 * Returns the symbol of the row that a menu passes to a command, or `undefined` if it is not a
 * symbol's row.
 */
export function symbolOf(passed: unknown): PackSymbol | undefined {
  return isRow(passed) && passed.row === 'symbol' ? passed.symbol : undefined;
}

/** Returns the removed symbol of a row, or `undefined` if it is not the row of a removed symbol. */
export function removedOf(passed: unknown): Removed | undefined {
  return isRow(passed) && passed.row === 'removed' ? passed.symbol : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'row' in value;
}
