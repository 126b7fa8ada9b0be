/**
 * The diagram of a blast radius as data, which the extension sends to the page. It depends neither
 * on VS Code nor on the page.
 */
import type { BlastRadius, LocatedSymbol } from '../protocol';

/** The evidence for a dependency, which the page shows as a color. */
export type Evidence = 'confirmed' | 'resolved' | 'name' | 'other';

export interface DiagramNode {
  id: string;
  /** The name with its container: `Order.total`. */
  name: string;
  kind: string;
  /** Path in the workspace, with `/` as the separator. */
  file: string;
  /** The line of the name, from 1; 0 for a symbol outside the workspace. */
  line: number;
  /** Distance to the target in hops; 0 is the target. */
  hop: number;
  /** The id of the node that this one depends on, one hop nearer; absent for the target. */
  dependsOn?: string;
  /** A description of the use of that node: `calls it`. */
  relation: string;
  evidence: Evidence;
  ambiguous: boolean;
  isTest: boolean;
}

export interface Diagram {
  title: string;
  /** The numbers in words, as the lens shows them. */
  summary: string;
  /** A sentence if there are no users, with the reason why users may be missing. */
  note?: string;
  /** The target, then its dependents by hop, then the tests that are in no level. */
  nodes: DiagramNode[];
  /** Number of counted dependents that the answer does not list. */
  hidden: number;
}

const EVIDENCE: Record<string, Evidence> = {
  lsp_resolved: 'confirmed',
  ast_resolved: 'resolved',
  ast_inferred: 'name',
};

/** Builds the diagram of a blast radius with all its dependents and tests. */
export function buildDiagram(blast: BlastRadius): Diagram {
  const tests = new Set(blast.tests.map((test) => test.id));
  const { target } = blast;
  const base = { relation: '', evidence: 'other' as const, ambiguous: false };
  const nodes = new Map<string, DiagramNode>();
  nodes.set(target.id, { ...symbolFields(target), ...base, hop: 0, isTest: tests.has(target.id) });
  const add = (
    symbol: LocatedSymbol,
    dependsOn: string,
    relation: Omit<DiagramNode, 'dependsOn' | 'hop' | keyof SymbolFields>,
  ) => {
    if (!nodes.has(symbol.id)) {
      // A symbol that depends on a part of the target, such as a constructor, is attached to the
      // target.
      const next = nodes.get(dependsOn) ?? nodes.get(target.id);
      nodes.set(symbol.id, {
        ...symbolFields(symbol),
        ...relation,
        dependsOn: next?.id ?? target.id,
        hop: (next?.hop ?? 0) + 1,
      });
    }
  };
  for (const dependent of blast.levels.flat()) {
    const { relation, provenance, ambiguous } = dependent;
    const isTest = tests.has(dependent.id);
    add(dependent, dependent.on, { relation, evidence: EVIDENCE[provenance] ?? 'other', ambiguous, isTest });
  }
  // Add the tests that are in no level: only their name or a function inside them connects them to
  // the target.
  for (const test of blast.tests) {
    add(test, test.on, { relation: 'tests it', evidence: 'other', ambiguous: test.ambiguous, isTest: true });
  }
  const hidden = Math.max(blast.counts.dependents.value - (nodes.size - 1), 0);
  const diagram = { title: target.name, summary: blast.title, nodes: [...nodes.values()], hidden };
  return blast.no_users === undefined ? diagram : { ...diagram, note: blast.no_users };
}

type SymbolFields = Pick<DiagramNode, 'id' | 'name' | 'kind' | 'file' | 'line'>;

function symbolFields({ id, name, kind, file, line }: LocatedSymbol): SymbolFields {
  return { id, name, kind, file, line };
}

/** A message that the page sends. */
export type PageMessage = { type: 'ready' } | { type: 'open'; id: string } | { type: 'center'; id: string };

/**
 * Checks a message from the page, which is not trusted. Returns `undefined` if it is not a known
 * message.
 */
export function parsePageMessage(message: unknown): PageMessage | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message)) {
    return undefined;
  }
  if (message.type === 'ready') {
    return { type: 'ready' };
  }
  const { type } = message;
  if ((type === 'open' || type === 'center') && 'id' in message && typeof message.id === 'string') {
    return { type, id: message.id };
  }
  return undefined;
}
