/** Tests the picture of a blast radius as data, and the positions of its nodes. */
import * as assert from 'node:assert/strict';
import { layout } from '../../src/picture/layout';
import { fromPage, MAX_NODES, pictureOf } from '../../src/picture/model';
import { page } from '../../src/picture/page';
import type { BlastRadius, Dependent } from '../../src/protocol';
import { part } from './part';

function dependent(id: string, on: string, more: Partial<Dependent> = {}): Dependent {
  const at = { id, qualified_name: id, name: id, kind: 'function', file: 'a.py', line: 1 };
  return { ...at, on, edge: 'calls', provenance: 'ast_resolved', ambiguous: false, ...more };
}

function blast(levels: Dependent[][], tests: string[] = []): BlastRadius {
  const number = (value: number): BlastRadius['counts']['callers'] => ({
    value,
    approximate: false,
    capped: false,
  });
  return part<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
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

describe('the picture', () => {
  it('has the symbol in the middle, a ring for each hop, and the evidence of each edge', () => {
    const picture = pictureOf(
      blast([[dependent('a', 't', { provenance: 'lsp_resolved' })], [dependent('b', 'a')]], ['b']),
    );
    assert.deepEqual(
      picture.nodes.map((node) => [node.name, node.ring, node.on, node.evidence, node.isTest]),
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

  it('says how many it leaves out', () => {
    const many = Array.from({ length: 300 }, (_, n) => dependent(`d${n}`, 't'));
    const picture = pictureOf(blast([many]));
    assert.equal(picture.nodes.length, MAX_NODES);
    assert.equal(picture.left, 301 - MAX_NODES);
  });

  it('puts no two symbols on one place, and each ring outside of the one before', () => {
    const first = Array.from({ length: 40 }, (_, n) => dependent(`a${n}`, 't'));
    const second = Array.from({ length: 60 }, (_, n) => dependent(`b${n}`, `a${n % 7}`));
    const { nodes } = pictureOf(blast([first, second]));
    const places = layout(nodes);
    assert.equal(places.size, nodes.length);
    const points = [...places.values()];
    assert.equal(new Set(points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)).size, points.length);
    const radius = (ring: number): number[] =>
      nodes
        .filter((node) => node.ring === ring)
        .map((node) => Math.hypot(places.get(node.id)?.x ?? 0, places.get(node.id)?.y ?? 0));
    assert.ok(Math.max(...radius(1)) < Math.min(...radius(2)));
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
