/** Tests the picture of a blast radius as data, and its layout with 10, 100 and 1,000 symbols. */
import * as assert from 'node:assert/strict';
import { HEADING, layout, type Layout, type Rect } from '../../src/picture/layout';
import { fromPage, pictureOf, type Picture } from '../../src/picture/model';
import { matching, MAX_ROWS, Outline, type Item } from '../../src/picture/outline';
import { page } from '../../src/picture/page';
import type { BlastRadius, Dependent } from '../../src/protocol';
import { part } from './part';

/** Width of the page. */
const ROOM = 640;

function dependent(id: string, on: string, more: Partial<Dependent> = {}): Dependent {
  const at = { id, qualified_name: id, name: id, kind: 'function', file: 'a.py', line: 1 };
  const how = { edge: 'calls', role: 'caller', provenance: 'ast_resolved', ambiguous: false };
  return { ...at, on, ...how, ...more };
}

function blast(levels: Dependent[][], tests: string[] = []): BlastRadius {
  const number = (value: number): BlastRadius['counts']['callers'] => ({
    value,
    approximate: false,
    capped: false,
  });
  return part<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
    title: `${levels.flat().length} dependents`,
    counts: part<BlastRadius['counts']>({
      callers: number(1),
      dependents: number(levels.flat().length),
      tests: number(tests.length),
    }),
    callers: [],
    levels,
    tests: tests.map((id) => ({ ...dependent(id, 't'), distance: 1 })),
    truncated: false,
  });
}

/** A picture with this many dependents over four hops, in folders of very different sizes. */
function large(count: number): Picture {
  const levels: Dependent[][] = [];
  let made = 0;
  for (const [hop, share] of [0.3, 0.35, 0.25, 0.1].entries()) {
    const before = levels.at(-1) ?? [];
    const size = hop === 3 ? count - made : Math.round(count * share);
    levels.push(
      Array.from({ length: size }, (_, n) => {
        const on = hop === 0 ? 't' : (before[(n * n) % Math.max(before.length, 1)]?.id ?? 't');
        const file = `src/${'abcdefghijklmnopqrst'[(n * n) % 20] ?? 'a'}/part${n % 7}/file${n}.py`;
        const name = `Container${n}.${'very_long_name_'.repeat(n % 5)}${n}`;
        return dependent(`h${hop}n${n}`, on, { file, name });
      }),
    );
    made += size;
  }
  return pictureOf(blast(levels));
}

function flatten(item: Item): Item[] {
  return [item, ...item.children.flatMap(flatten)];
}

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Asserts that nothing overlaps or leaves the picture, and that each item is in the column of its hop. */
function check({ items, clusters, columns, width, height }: Layout): void {
  for (const { x, y, ...rect } of [...items, ...clusters]) {
    assert.ok(x >= 0 && x + rect.width <= width, `left ${x} of ${width}`);
    assert.ok(y >= HEADING && y + rect.height <= height, `top ${y} of ${height}`);
  }
  for (const item of items) {
    const column = columns[item.hop];
    assert.ok(column !== undefined && item.x >= column.x && item.x + item.width <= column.x + column.width);
    assert.equal(item.item.kind === 'symbol' ? item.item.node.hop : item.hop, item.hop);
    assert.equal(item.parent?.hop, item.hop === 0 ? undefined : item.hop - 1);
  }
  for (const rects of [items, clusters] as Rect[][]) {
    const sorted = [...rects].sort((a, b) => a.x - b.x || a.y - b.y);
    sorted.forEach((rect, at) => {
      const next = sorted[at + 1];
      const where = `${rect.x} ${rect.y}, then ${next?.x ?? 0} ${next?.y ?? 0}`;
      assert.ok(next === undefined || !overlap(rect, next), where);
    });
  }
  for (const frame of clusters) {
    const inside = items.filter((item) => overlap(item, frame));
    assert.ok(inside.every(({ item }) => item.cluster?.key === frame.cluster.key));
    assert.ok(
      inside.every(({ y }) => y >= frame.y + 20),
      'the label of the frame is above its items',
    );
  }
}

describe('the picture', () => {
  it('has the symbol first, a column for each hop, and the evidence of each edge', () => {
    const picture = pictureOf(
      blast([[dependent('a', 't', { provenance: 'lsp_resolved' })], [dependent('b', 'a')]], ['b']),
    );
    assert.deepEqual(
      picture.nodes.map((node) => [node.name, node.hop, node.on, node.evidence, node.isTest]),
      [
        ['t', 0, undefined, 'other', false],
        ['a', 1, 't', 'confirmed', false],
        ['b', 2, 'a', 'resolved', true],
      ],
    );
  });

  it('hangs what depends on a part of the symbol on the symbol itself, and shows nothing twice', () => {
    const picture = pictureOf(blast([[dependent('a', 'constructor'), dependent('a', 't')]]));
    assert.deepEqual(
      picture.nodes.map((node) => [node.name, node.on]),
      [
        ['t', undefined],
        ['a', 't'],
      ],
    );
  });

  it('has the tests that are in no level, and leaves nothing out', () => {
    const many = Array.from({ length: 300 }, (_, n) => dependent(`d${n}`, 't'));
    const picture = pictureOf({
      ...blast([many], ['only_by_name']),
      counts: blast([[...many, ...many]]).counts,
    });
    assert.equal(picture.nodes.length, 302);
    assert.equal(picture.nodes.at(-1)?.edge, 'tests');
    assert.equal(picture.left, 299, 'what the server counted but did not list');
  });

  for (const count of [0, 1, 10, 100, 1000]) {
    it(`overlaps nowhere and stays in its bounds with ${count} dependents, closed and open`, () => {
      const picture = large(count);
      assert.equal(picture.nodes.length, count + 1);
      const outline = new Outline(picture);
      const start = outline.build(outline.openWithin(MAX_ROWS));
      const rows = flatten(start).filter(({ children }) => children.length === 0).length;
      assert.ok(rows <= MAX_ROWS, `${rows} rows at the start`);
      check(layout(start, ROOM));
      const open = outline.build(outline.openAll());
      const symbols = flatten(open).filter(({ kind }) => kind === 'symbol');
      assert.equal(symbols.length, count + 1, 'everything is shown');
      check(layout(open, ROOM));
    });
  }

  it('shows everything at once if it fits', () => {
    const outline = new Outline(large(10));
    const items = flatten(outline.build(outline.openWithin(MAX_ROWS)));
    assert.deepEqual([...new Set(items.map(({ kind }) => kind))], ['symbol']);
    for (const room of [1200, 1500]) {
      assert.ok(layout(outline.build(outline.openWithin(MAX_ROWS)), room).width <= room, `in ${room} pixels`);
    }
  });

  it('opens counters and folders page by page', () => {
    const many = Array.from({ length: 90 }, (_, n) => dependent(`d${n}`, 't', { file: 'src/a.py' }));
    const outline = new Outline(pictureOf(blast([many])));
    const state = outline.openWithin(MAX_ROWS);
    const shown = (): Item[] => flatten(outline.build(state));
    const more = (): Item | undefined => shown().find(({ kind }) => kind === 'more');
    assert.equal((more() as { count: number }).count, 86, 'a sample at the start');
    for (let item = more(); item !== undefined; item = more()) {
      outline.open(state, item);
      check(layout(outline.build(state), ROOM));
    }
    assert.equal(shown().filter(({ kind }) => kind === 'symbol').length, 91);
  });

  it('reveals a symbol that is in closed folders', () => {
    const picture = large(1000);
    const outline = new Outline(picture);
    const state = outline.openWithin(MAX_ROWS);
    const last = picture.nodes.at(-1)?.id ?? '';
    const keys = (): string[] => flatten(outline.build(state)).map(({ key }) => key);
    assert.ok(!keys().includes(last));
    outline.reveal(state, last);
    assert.ok(keys().includes(last));
    check(layout(outline.build(state), ROOM));
  });

  it('filters by name, kind and file, and keeps what is between a match and the symbol', () => {
    const picture = large(100);
    const found = matching(picture, 'CONTAINER7. function');
    assert.ok(found.length > 0 && found.every(({ name }) => name.startsWith('Container7.')));
    const outline = new Outline(picture);
    const kept = outline.withPaths(found.map(({ id }) => id));
    const shown = flatten(outline.build(outline.openWithin(MAX_ROWS), kept));
    assert.deepEqual(new Set(shown.map(({ key }) => key)), kept);
    check(layout(outline.build(outline.openWithin(MAX_ROWS), kept), ROOM));
  });

  it('takes only known messages of its page', () => {
    assert.deepEqual(fromPage({ type: 'open', id: 'x', more: 1 }), { type: 'open', id: 'x' });
    for (const other of [
      null,
      'open',
      {},
      { type: 'open' },
      { type: 'run', id: 'x' },
      { type: 'centre', id: 1 },
    ]) {
      assert.equal(fromPage(other), undefined);
    }
  });

  it('is a page that takes nothing from outside and runs nothing inline', () => {
    const html = page({
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
