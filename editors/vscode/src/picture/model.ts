/**
 * The picture of a blast radius as data: what the extension hands to the page. No VS Code and no page in here.
 */
import type { BlastRadius } from '../protocol';

/** Symbols that the picture shows at most; more is no picture. */
export const MAX_NODES = 120;

/** How a dependency is known: the colours. */
export type Evidence = 'confirmed' | 'resolved' | 'name' | 'other';

export interface PictureNode {
  id: string;
  name: string;
  kind: string;
  place: string;
  /** Rings from the middle; 0 is the symbol itself. */
  ring: number;
  /** The node one ring further in that it depends on; absent in the middle. */
  on?: string;
  /** What joins the two: `calls`, `overrides`, `implements`, `extends`. */
  edge: string;
  evidence: Evidence;
  ambiguous: boolean;
  isTest: boolean;
}

export interface Picture {
  title: string;
  nodes: PictureNode[];
  /** Dependents that are known and not shown. */
  left: number;
}

const EVIDENCE: Record<string, Evidence> = {
  lsp_resolved: 'confirmed',
  ast_resolved: 'resolved',
  ast_inferred: 'name',
};

/** The picture of a blast radius: whole rings from the middle outward, as many symbols as it can show. */
export function pictureOf(blast: BlastRadius): Picture {
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
        // A part of the target (a constructor) stands for it.
        on: shown.has(dependent.on) && dependent.on !== dependent.id ? dependent.on : blast.target.id,
        edge: dependent.edge,
        evidence: EVIDENCE[dependent.provenance] ?? 'other',
        ambiguous: dependent.ambiguous,
        isTest: tests.has(dependent.id),
      });
    }
  });
  const left = Math.max(blast.counts.dependents.value - (nodes.length - 1), 0);
  return { title: blast.target.name, nodes, left };
}

/** What the page sends. */
export type FromPage = { type: 'ready' } | { type: 'open'; id: string } | { type: 'centre'; id: string };

/** A message of the page, checked: a page is not trusted. */
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
