/**
 * The rows of the Task Context view, without VS Code: which there are, and what a command gets of one.
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
  /** Place in the pack, from 1. */
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

/** The groups, as the Markdown form of packs has them: heading and distances from the task. */
const GROUPS: [string, (distance: number) => boolean][] = [
  ['Target', (distance) => distance === 0],
  ['Related', (distance) => distance === 1],
  ['Extended', (distance) => distance > 1],
];

/** The groups that have symbols. */
export function groups(symbols: PackSymbol[]): GroupRow[] {
  return GROUPS.map(([label, belongs]): GroupRow => {
    const members = symbols.filter((symbol) => belongs(symbol.distance));
    return { row: 'group', label, symbols: members };
  }).filter((group) => group.symbols.length > 0);
}

/** The symbol of a row that a menu passes to a command. */
export function symbolOf(passed: unknown): PackSymbol | undefined {
  return isRow(passed) && passed.row === 'symbol' ? passed.symbol : undefined;
}

/** The removed symbol of a row. */
export function removedOf(passed: unknown): Removed | undefined {
  return isRow(passed) && passed.row === 'removed' ? passed.symbol : undefined;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'row' in value;
}
