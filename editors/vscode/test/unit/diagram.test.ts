/** Tests the diagram of a blast radius as data, and its layout with 10, 100 and 1,000 symbols. */
import * as assert from 'node:assert/strict';
import { HEADING_HEIGHT, layoutDiagram, type DiagramLayout, type Rect } from '../../src/diagram/layout';
import { parsePageMessage, buildDiagram, type Diagram } from '../../src/diagram/model';
import { filterNodes, MAX_ROWS, DiagramOutline, type OutlineItem } from '../../src/diagram/outline';
import { renderPage } from '../../src/diagram/page';
import type { BlastRadius, Dependent } from '../../src/protocol';
import { partialOf } from './partialOf';

/** Width of the page in CSS pixels. */
const PAGE_WIDTH = 640;

/** Returns a dependent of `on`. */
function dependent(id: string, on: string, more: Partial<Dependent> = {}): Dependent {
  const symbol = { id, qualified_name: id, name: id, kind: 'function', file: 'a.py', line: 1 };
  const use = {
    edge: 'calls',
    relation: 'calls it',
    role: 'caller',
    provenance: 'ast_resolved',
    ambiguous: false,
  };
  return { ...symbol, on, ...use, ...more };
}

/** Returns a blast radius of the target `t` with these dependents by hop. */
function blast(levels: Dependent[][], tests: string[] = []): BlastRadius {
  const count = (value: number): BlastRadius['counts']['callers'] => ({
    value,
    approximate: false,
    capped: false,
  });
  return partialOf<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
    title: `${levels.flat().length} dependents`,
    counts: partialOf<BlastRadius['counts']>({
      callers: count(1),
      dependents: count(levels.flat().length),
      tests: count(tests.length),
    }),
    callers: [],
    levels,
    tests: tests.map((id) => ({ ...dependent(id, 't'), distance: 1 })),
    truncated: false,
  });
}

/** Builds a diagram of dependents over four hops, in folders of very different sizes. */
function buildLargeDiagram(count: number): Diagram {
  const levels: Dependent[][] = [];
  let created = 0;
  for (const [hop, share] of [0.3, 0.35, 0.25, 0.1].entries()) {
    const previous = levels.at(-1) ?? [];
    const size = hop === 3 ? count - created : Math.round(count * share);
    levels.push(
      Array.from({ length: size }, (_, n) => {
        const on = hop === 0 ? 't' : (previous[(n * n) % Math.max(previous.length, 1)]?.id ?? 't');
        const file = `src/${'abcdefghijklmnopqrst'[(n * n) % 20] ?? 'a'}/part${n % 7}/file${n}.py`;
        const name = `Container${n}.${'very_long_name_'.repeat(n % 5)}${n}`;
        return dependent(`h${hop}n${n}`, on, { file, name });
      }),
    );
    created += size;
  }
  return buildDiagram(blast(levels));
}

function flatten(item: OutlineItem): OutlineItem[] {
  return [item, ...item.children.flatMap(flatten)];
}

function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/**
 * Asserts that items and frames neither overlap nor leave the diagram, and that each item is in its
 * column.
 */
function assertReadable({ items, clusters, columns, width, height }: DiagramLayout): void {
  for (const { x, y, ...rect } of [...items, ...clusters]) {
    assert.ok(x >= 0 && x + rect.width <= width, `left ${x} of ${width}`);
    assert.ok(y >= HEADING_HEIGHT && y + rect.height <= height, `top ${y} of ${height}`);
  }
  for (const item of items) {
    const column = columns[item.hop];
    assert.ok(column !== undefined && item.x >= column.x && item.x + item.width <= column.x + column.width);
    assert.equal(item.item.kind === 'symbol' ? item.item.node.hop : item.hop, item.hop);
    assert.equal(item.parent?.hop, item.hop === 0 ? undefined : item.hop - 1);
  }
  for (const rects of [items, clusters] as Rect[][]) {
    const sorted = [...rects].sort((a, b) => a.x - b.x || a.y - b.y);
    sorted.forEach((rect, index) => {
      const next = sorted[index + 1];
      const positions = `${rect.x} ${rect.y}, then ${next?.x ?? 0} ${next?.y ?? 0}`;
      assert.ok(next === undefined || !overlaps(rect, next), positions);
    });
  }
  for (const frame of clusters) {
    const inside = items.filter((item) => overlaps(item, frame));
    assert.ok(inside.every(({ item }) => item.cluster?.key === frame.cluster.key));
    assert.ok(
      inside.every(({ y }) => y >= frame.y + 20),
      'the label of the frame is above its items',
    );
  }
}

describe('the diagram', () => {
  it('has the target first, a column for each hop, and the evidence of each edge', () => {
    const diagram = buildDiagram(
      blast([[dependent('a', 't', { provenance: 'lsp_resolved' })], [dependent('b', 'a')]], ['b']),
    );
    assert.deepEqual(
      diagram.nodes.map((node) => [node.name, node.hop, node.dependsOn, node.evidence, node.isTest]),
      [
        ['t', 0, undefined, 'other', false],
        ['a', 1, 't', 'confirmed', false],
        ['b', 2, 'a', 'resolved', true],
      ],
    );
  });

  it('attaches dependents of a part of the symbol to the symbol, and shows none twice', () => {
    const diagram = buildDiagram(blast([[dependent('a', 'constructor'), dependent('a', 't')]]));
    assert.deepEqual(
      diagram.nodes.map((node) => [node.name, node.dependsOn]),
      [
        ['t', undefined],
        ['a', 't'],
      ],
    );
  });

  it('has all dependents, including tests that are in no level', () => {
    const many = Array.from({ length: 300 }, (_, n) => dependent(`d${n}`, 't'));
    const diagram = buildDiagram({
      ...blast([many], ['only_by_name']),
      counts: blast([[...many, ...many]]).counts,
    });
    assert.equal(diagram.nodes.length, 302);
    assert.equal(diagram.nodes.at(-1)?.relation, 'tests it');
    assert.equal(diagram.hidden, 299, 'dependents that the server counted but did not list');
  });

  for (const count of [0, 1, 10, 100, 1000]) {
    it(`is readable with ${count} dependents, closed and open`, () => {
      const diagram = buildLargeDiagram(count);
      assert.equal(diagram.nodes.length, count + 1);
      const outline = new DiagramOutline(diagram);
      const start = outline.build(outline.openWithin(MAX_ROWS));
      const rows = flatten(start).filter(({ children }) => children.length === 0).length;
      assert.ok(rows <= MAX_ROWS, `${rows} rows at the start`);
      assertReadable(layoutDiagram(start, PAGE_WIDTH));
      const open = outline.build(outline.openAll());
      const symbols = flatten(open).filter(({ kind }) => kind === 'symbol');
      assert.equal(symbols.length, count + 1, 'all symbols are shown');
      assertReadable(layoutDiagram(open, PAGE_WIDTH));
    });
  }

  it('shows all symbols at the start if they fit', () => {
    const outline = new DiagramOutline(buildLargeDiagram(10));
    const items = flatten(outline.build(outline.openWithin(MAX_ROWS)));
    assert.deepEqual([...new Set(items.map(({ kind }) => kind))], ['symbol']);
    for (const pageWidth of [1200, 1500]) {
      assert.ok(
        layoutDiagram(outline.build(outline.openWithin(MAX_ROWS)), pageWidth).width <= pageWidth,
        `in ${pageWidth} pixels`,
      );
    }
  });

  it('opens folders page by page', () => {
    const many = Array.from({ length: 90 }, (_, n) => dependent(`d${n}`, 't', { file: 'src/a.py' }));
    const outline = new DiagramOutline(buildDiagram(blast([many])));
    const state = outline.openWithin(MAX_ROWS);
    const shown = (): OutlineItem[] => flatten(outline.build(state));
    const more = (): OutlineItem | undefined => shown().find(({ kind }) => kind === 'more');
    assert.equal((more() as { count: number }).count, 86, 'a sample at the start');
    for (let item = more(); item !== undefined; item = more()) {
      outline.open(state, item);
      assertReadable(layoutDiagram(outline.build(state), PAGE_WIDTH));
    }
    assert.equal(shown().filter(({ kind }) => kind === 'symbol').length, 91);
  });

  it('reveals a symbol in closed folders', () => {
    const diagram = buildLargeDiagram(1000);
    const outline = new DiagramOutline(diagram);
    const state = outline.openWithin(MAX_ROWS);
    const last = diagram.nodes.at(-1)?.id ?? '';
    const keys = (): string[] => flatten(outline.build(state)).map(({ key }) => key);
    assert.ok(!keys().includes(last));
    outline.reveal(state, last);
    assert.ok(keys().includes(last));
    assertReadable(layoutDiagram(outline.build(state), PAGE_WIDTH));
  });

  it('filters by name, kind and file, and keeps the path from a match to the target', () => {
    const diagram = buildLargeDiagram(100);
    const matches = filterNodes(diagram, 'CONTAINER7. function');
    assert.ok(matches.length > 0 && matches.every(({ name }) => name.startsWith('Container7.')));
    const outline = new DiagramOutline(diagram);
    const ids = outline.addPaths(matches.map(({ id }) => id));
    const shown = flatten(outline.build(outline.openWithin(MAX_ROWS), ids));
    assert.deepEqual(new Set(shown.map(({ key }) => key)), ids);
    assertReadable(layoutDiagram(outline.build(outline.openWithin(MAX_ROWS), ids), PAGE_WIDTH));
  });

  it('accepts only known messages of its page', () => {
    assert.deepEqual(parsePageMessage({ type: 'open', id: 'x', more: 1 }), { type: 'open', id: 'x' });
    for (const other of [
      null,
      'open',
      {},
      { type: 'open' },
      { type: 'run', id: 'x' },
      { type: 'center', id: 1 },
    ]) {
      assert.equal(parsePageMessage(other), undefined);
    }
  });

  it('is a page without external resources or inline code', () => {
    const html = renderPage({
      source: 'https://own',
      script: 'https://own/p.js',
      style: 'https://own/p.css',
      nonce: 'n',
    });
    assert.match(html, /default-src 'none'; style-src https:\/\/own; script-src 'nonce-n'/);
    assert.doesNotMatch(html, /unsafe-|\son\w+=|style="/);
    assert.doesNotMatch(html.replaceAll('https://own', ''), /https?:/);
  });
});
