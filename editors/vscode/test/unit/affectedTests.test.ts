/** Tests the rows of the affected tests in the Testing view. */
import * as assert from 'node:assert/strict';
import type { AffectedTest, LocatedSymbol } from '../../src/protocol';
import { collectTests, describeCallPath, describeTest, groupTests } from '../../src/testing/rows';
import { partialOf } from './partialOf';

function affected(name: string, file: string, more: Partial<AffectedTest> = {}): AffectedTest {
  const path = [name, 'total'].map((step) => partialOf<LocatedSymbol>({ name: step }));
  return partialOf<AffectedTest>({ id: name, name, file, path, possible: false, ambiguous: false, ...more });
}

/** An item of the Testing view. */
class Node {
  readonly children: Node[] & { size: number };

  constructor(
    readonly id: string,
    children: Node[] = [],
  ) {
    this.children = Object.assign(children, { size: children.length });
  }
}

describe('affected tests', () => {
  it('are grouped by file in the order of the answer', () => {
    const tests = [affected('test_b', 'b.py'), affected('test_a', 'a.py'), affected('test_c', 'b.py')];
    const rows = groupTests(tests).map(({ file, tests }) => [file, tests.map(({ name }) => name)]);
    assert.deepEqual(rows, [
      ['b.py', ['test_b', 'test_c']],
      ['a.py', ['test_a']],
    ]);
  });

  it('have a mark if they may not reach the change, and their call path', () => {
    assert.equal(describeTest(affected('test_a', 'a.py')), 'test_a');
    assert.equal(describeTest(affected('test_a', 'a.py', { ambiguous: true })), '~ test_a');
    assert.equal(describeCallPath(affected('test_a', 'a.py')), 'test_a → total');
    const possible = affected('test_a', 'a.py', { possible: true });
    assert.equal(describeTest(possible), '~ test_a');
    assert.equal(describeCallPath(possible), 'test_a → total, possible (decided at run time)');
    assert.equal(describeCallPath(affected('test_a', 'a.py', { path: [] })), 'the test itself changed');
  });

  it('are run once, and not if they or their file are excluded', () => {
    const [one, two, three] = [new Node('one'), new Node('two'), new Node('three')];
    const [a, b] = [new Node('a', [one, two]), new Node('b', [three])];
    const ids = (items: Node[], excluded: Node[]): string[] =>
      collectTests(items, excluded).map(({ id }) => id);
    assert.deepEqual(ids([a, b], []), ['one', 'two', 'three']);
    assert.deepEqual(ids([a, two], []), ['one', 'two']);
    assert.deepEqual(ids([a, b], [one, b]), ['two']);
  });
});
