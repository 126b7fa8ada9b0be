/**
 * The rows of the Pack view as data, independent of VS Code. VS Code passes the row of a
 * menu or a click to the command. The `row` field names the kind of row.
 */
import type { PackSymbol } from '../protocol';
import type { RemovedSymbol } from '../context/store';
import { formatCount } from '../words';

export interface GroupRow {
  row: 'group';
  label: string;
  symbols: PackSymbol[];
}

/** The symbols of a group that one file declares. */
export interface FileRow {
  row: 'file';
  /** The path in the workspace. */
  file: string;
  symbols: PackSymbol[];
}

export interface SymbolRow {
  row: 'symbol';
  symbol: PackSymbol;
}

export interface RemovedGroupRow {
  row: 'removed-group';
  removed: RemovedSymbol[];
}

export interface RemovedRow {
  row: 'removed';
  symbol: RemovedSymbol;
}

export type Row = GroupRow | FileRow | SymbolRow | RemovedGroupRow | RemovedRow;

/** The groups of packs: the heading as in Markdown, and the name in a pack. */
const GROUPS: [string, string][] = [
  ['Pinned', 'pinned'],
  ['Change here', 'subject'],
  ['Related', 'related'],
  ['Tests', 'tests'],
  ['Documentation', 'documentation'],
];

/** Groups the symbols, without empty groups. */
export function groupSymbols(symbols: PackSymbol[]): GroupRow[] {
  return GROUPS.map(([label, group]): GroupRow => {
    const members = symbols.filter((symbol) => symbol.group === group);
    return { row: 'group', label, symbols: members };
  }).filter((group) => group.symbols.length > 0);
}

/** Groups the symbols of a group by file. The file with the best rank comes first. */
export function groupByFile({ symbols }: GroupRow): FileRow[] {
  const files = new Map<string, FileRow>();
  for (const symbol of symbols) {
    const known = files.get(symbol.file);
    if (known === undefined) {
      files.set(symbol.file, { row: 'file', file: symbol.file, symbols: [symbol] });
    } else {
      known.symbols.push(symbol);
    }
  }
  return [...files.values()];
}

/** Descriptions of the part of a symbol that a pack contains, by level of detail. */
const DETAILS: Record<string, string> = {
  body: 'body',
  trimmed: 'part of the body',
  signature: 'signature',
  name: 'name only',
};

/**
 * Returns the symbol's simple name, which distinguishes it from its neighbors, and the name of its
 * container. A symbol that represents the remaining lines of a file has no name of its own.
 */
export function splitName(symbol: Pick<PackSymbol, 'name' | 'kind'>): { own: string; container: string } {
  if (symbol.kind === 'file') {
    return { own: 'other lines', container: '' };
  }
  const end = symbol.name.lastIndexOf('.');
  return { own: symbol.name.slice(end + 1), container: symbol.name.slice(0, Math.max(end, 0)) };
}

/** Describes the part of a symbol that the pack contains. */
export function describeDetail(symbol: PackSymbol): string {
  return DETAILS[symbol.detail] ?? symbol.detail;
}

/** Describes the rank, if there is one, and the size of a symbol in the pack. */
export function describeRank({ symbol }: SymbolRow): string {
  const size = symbol.tokens === undefined ? '' : `, ${formatCount(symbol.tokens, 'token')}`;
  const part = `${describeDetail(symbol)}${size}`;
  return symbol.rank === undefined ? part : `Rank ${symbol.rank}: ${part}`;
}

/** Maximum length of a line in a tooltip, in characters. Code in tooltips is not wrapped. */
const TOOLTIP_WIDTH = 60;

/** Breaks a signature into lines that fit a tooltip: after commas and opening parentheses. */
export function wrapSignature(signature: string): string {
  const lines: string[] = [];
  let line = '';
  for (const part of signature.split(/(?<=[,(])\s*/)) {
    const joined = line === '' || line.endsWith('(') ? `${line}${part}` : `${line} ${part}`;
    if (line !== '' && joined.length > TOOLTIP_WIDTH) {
      lines.push(line);
      line = `    ${part}`;
    } else {
      line = joined;
    }
  }
  return [...lines, line].join('\n');
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
