/** Tests the picture of a blast radius as data, and the positions of its nodes. */
import * as assert from 'node:assert/strict';
import { layout } from '../../src/picture/layout';
import { parsePageMessage, MAX_NODES, buildPicture } from '../../src/picture/model';
import { renderPage } from '../../src/picture/page';
import type { BlastRadius, Dependent } from '../../src/protocol';
import { part } from './part';

function dependent(id: string, on: string, more: Partial<Dependent> = {}): Dependent {
  const symbol = { id, qualified_name: id, name: id, kind: 'function', file: 'a.py', line: 1 };
  return { ...symbol, on, edge: 'calls', provenance: 'ast_resolved', ambiguous: false, ...more };
}

function blast(levels: Dependent[][], tests: string[] = []): BlastRadius {
  const count = (value: number): BlastRadius['counts']['callers'] => ({
    value,
    approximate: false,
    capped: false,
  });
  return part<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
    counts: part<BlastRadius['counts']>({
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

describe('the picture', () => {
  it('has the symbol in the middle, a ring for each hop, and the evidence of each edge', () => {
    const picture = buildPicture(
      blast([[dependent('a', 't', { provenance: 'lsp_resolved' })], [dependent('b', 'a')]], ['b']),
    );
    assert.deepEqual(
      picture.nodes.map((node) => [node.name, node.ring, node.dependsOn, node.evidence, node.isTest]),
      [
        ['t', 0, undefined, 'other', false],
        ['a', 1, 't', 'confirmed', false],
        ['b', 2, 'a', 'resolved', true],
      ],
    );
  });

  it('attaches dependents of a part of the symbol to the symbol, and shows none twice', () => {
    const picture = buildPicture(blast([[dependent('a', 'constructor'), dependent('a', 't')]]));
    assert.deepEqual(
      picture.nodes.map((node) => [node.name, node.dependsOn]),
      [
        ['t', undefined],
        ['a', 't'],
      ],
    );
  });

  it('counts the dependents beyond the limit', () => {
    const many = Array.from({ length: 300 }, (_, n) => dependent(`d${n}`, 't'));
    const picture = buildPicture(blast([many]));
    assert.equal(picture.nodes.length, MAX_NODES);
    assert.equal(picture.hidden, 301 - MAX_NODES);
  });

  it('gives each symbol its own position, and each ring a larger radius than the previous one', () => {
    const first = Array.from({ length: 40 }, (_, n) => dependent(`a${n}`, 't'));
    const second = Array.from({ length: 60 }, (_, n) => dependent(`b${n}`, `a${n % 7}`));
    const { nodes } = buildPicture(blast([first, second]));
    const positions = layout(nodes);
    assert.equal(positions.size, nodes.length);
    const points = [...positions.values()];
    assert.equal(new Set(points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)).size, points.length);
    const radius = (ring: number): number[] =>
      nodes
        .filter((node) => node.ring === ring)
        .map((node) => Math.hypot(positions.get(node.id)?.x ?? 0, positions.get(node.id)?.y ?? 0));
    assert.ok(Math.max(...radius(1)) < Math.min(...radius(2)));
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

  it('is a page without external resources and inline code', () => {
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
