/**
 * The picture of a blast radius as data, which the extension sends to the page. It depends neither
 * on VS Code nor on the page.
 */
import type { BlastRadius, LocatedSymbol } from '../protocol';

/** The evidence for a dependency; the page shows it as a colour. */
export type Evidence = 'confirmed' | 'resolved' | 'name' | 'other';

export interface PictureNode {
  id: string;
  /** The name with its container: `Order.total`. */
  name: string;
  kind: string;
  /** Path in the workspace, with `/`. */
  file: string;
  line: number;
  /** Distance to the symbol itself in hops; 0 is the symbol. */
  hop: number;
  /** The id of the node that this one depends on, one hop nearer; absent for the symbol itself. */
  on?: string;
  /** The relation to that node: `calls`, `overrides`, `implements`, `extends`, `tests`. */
  edge: string;
  evidence: Evidence;
  ambiguous: boolean;
  isTest: boolean;
}

export interface Picture {
  title: string;
  /** The numbers in words, as the lens shows them. */
  summary: string;
  /** What is known about missing users, if there are none. */
  note?: string;
  /** The symbol itself, then its dependents by hop. */
  nodes: PictureNode[];
  /** Number of counted dependents that the answer does not list. */
  left: number;
}

const EVIDENCE: Record<string, Evidence> = {
  lsp_resolved: 'confirmed',
  ast_resolved: 'resolved',
  ast_inferred: 'name',
};

/** Builds the picture of a blast radius: all its dependents, by hop. */
export function pictureOf(blast: BlastRadius): Picture {
  const tests = new Set(blast.tests.map((test) => test.id));
  const { target } = blast;
  const base = { edge: '', evidence: 'other' as const, ambiguous: false };
  const nodes = new Map<string, PictureNode>();
  nodes.set(target.id, { ...symbolOf(target), ...base, hop: 0, isTest: tests.has(target.id) });
  const add = (
    symbol: LocatedSymbol,
    on: string,
    more: Omit<PictureNode, 'on' | 'hop' | keyof SymbolPart>,
  ) => {
    if (!nodes.has(symbol.id)) {
      // A dependent of a part of the symbol (a constructor) is attached to the symbol itself.
      const next = nodes.get(on) ?? nodes.get(target.id);
      nodes.set(symbol.id, {
        ...symbolOf(symbol),
        ...more,
        on: next?.id ?? target.id,
        hop: (next?.hop ?? 0) + 1,
      });
    }
  };
  for (const dependent of blast.levels.flat()) {
    const { edge, provenance, ambiguous } = dependent;
    const isTest = tests.has(dependent.id);
    add(dependent, dependent.on, { edge, evidence: EVIDENCE[provenance] ?? 'other', ambiguous, isTest });
  }
  // Tests that only the test's name or a function inside it connects are in no level.
  for (const test of blast.tests) {
    add(test, test.on, { edge: 'tests', evidence: 'other', ambiguous: test.ambiguous, isTest: true });
  }
  const left = Math.max(blast.counts.dependents.value - (nodes.size - 1), 0);
  const picture = { title: target.name, summary: blast.title, nodes: [...nodes.values()], left };
  return blast.no_users === undefined ? picture : { ...picture, note: blast.no_users };
}

type SymbolPart = Pick<PictureNode, 'id' | 'name' | 'kind' | 'file' | 'line'>;

function symbolOf({ id, name, kind, file, line }: LocatedSymbol): SymbolPart {
  return { id, name, kind, file, line };
}

/** The messages that the page sends. */
export type FromPage = { type: 'ready' } | { type: 'open'; id: string } | { type: 'centre'; id: string };

/**
 * Checks a message from the page, which is not trusted. Returns `undefined` if it is not a known
 * message.
 */
export function fromPage(message: unknown): FromPage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) {
    return undefined;
  }
  if (message.type === 'ready') {
    return { type: 'ready' };
  }
  const { type } = message;
  if ((type === 'open' || type === 'centre') && 'id' in message && typeof message.id === 'string') {
    return { type, id: message.id };
  }
  return undefined;
}
