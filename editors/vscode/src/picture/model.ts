/**
 * The picture of a blast radius as data, which the extension sends to the page. It depends neither
 * on VS Code nor on the page.
 */
import type { BlastRadius } from '../protocol';

/** Maximum number of symbols in a picture; with more it is unreadable. */
export const MAX_NODES = 120;

/** The evidence for a dependency; the page shows it as a color. */
export type Evidence = 'confirmed' | 'resolved' | 'name' | 'other';

export interface PictureNode {
  id: string;
  name: string;
  kind: string;
  place: string;
  /** Number of the ring, from the middle; 0 is the symbol itself. */
  ring: number;
  /**
   * The id of the node that this one depends on, usually one ring further in; absent for the
   * middle.
   */
  dependsOn?: string;
  /** The relation to that node: `calls`, `overrides`, `implements`, `extends`. */
  edge: string;
  evidence: Evidence;
  ambiguous: boolean;
  isTest: boolean;
}

export interface Picture {
  title: string;
  nodes: PictureNode[];
  /** Number of known dependents that are not shown. */
  hidden: number;
}

const EVIDENCE: Record<string, Evidence> = {
  lsp_resolved: 'confirmed',
  ast_resolved: 'resolved',
  ast_inferred: 'name',
};

/**
 * Builds the picture of a blast radius, ring by ring from the middle outward, until the maximum
 * number of symbols is reached.
 */
export function buildPicture(blast: BlastRadius): Picture {
  const tests = new Set(blast.tests.map((test) => test.id));
  const nodes: PictureNode[] = [
    {
      id: blast.target.id,
      name: blast.target.name,
      kind: blast.target.kind,
      place: `${blast.target.file}:${blast.target.line}`,
      ring: 0,
      edge: '',
      evidence: 'other',
      ambiguous: false,
      isTest: tests.has(blast.target.id),
    },
  ];
  const shown = new Set([blast.target.id]);
  blast.levels.forEach((level, index) => {
    for (const dependent of level) {
      if (nodes.length >= MAX_NODES || shown.has(dependent.id)) {
        continue;
      }
      shown.add(dependent.id);
      nodes.push({
        id: dependent.id,
        name: dependent.name,
        kind: dependent.kind,
        place: `${dependent.file}:${dependent.line}`,
        ring: index + 1,
        // A symbol that depends on a part of the target, such as a constructor, is attached to the target.
        dependsOn: shown.has(dependent.on) && dependent.on !== dependent.id ? dependent.on : blast.target.id,
        edge: dependent.edge,
        evidence: EVIDENCE[dependent.provenance] ?? 'other',
        ambiguous: dependent.ambiguous,
        isTest: tests.has(dependent.id),
      });
    }
  });
  const hidden = Math.max(blast.counts.dependents.value - (nodes.length - 1), 0);
  return { title: blast.target.name, nodes, hidden };
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
