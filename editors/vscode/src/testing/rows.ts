/**
 * The tests that a change affects as rows, independent of VS Code.
 */
import type { AffectedTest } from '../protocol';

/** The affected tests of one file. */
export interface TestFileRow {
  /** The path in the workspace. */
  file: string;
  tests: AffectedTest[];
}

/** Groups tests by file. The file with the first test comes first. */
export function groupTests(tests: AffectedTest[]): TestFileRow[] {
  const files = new Map<string, TestFileRow>();
  for (const test of tests) {
    const known = files.get(test.file);
    if (known === undefined) {
      files.set(test.file, { file: test.file, tests: [test] });
    } else {
      known.tests.push(test);
    }
  }
  return [...files.values()];
}

/** Returns the name of a test, marked if it may not reach the change. */
export function describeTest({ name, ambiguous, possible }: AffectedTest): string {
  return ambiguous || possible ? `~ ${name}` : name;
}

/** Describes the path from a test to the change: `test → caller → changed`. */
export function describeCallPath(test: AffectedTest): string {
  const names = test.path.map((symbol) => symbol.name);
  const removed = test.removed === undefined ? '' : ` (uses ${test.removed}, which was removed)`;
  const possible = test.possible ? ', possible (decided at run time)' : '';
  return names.length < 2
    ? `the test itself changed${removed}${possible}`
    : `${names.join(' → ')}${removed}${possible}`;
}

/** The part of a `TestItem` that names the tests to run. */
export interface TestNode<Node> {
  readonly id: string;
  readonly children: { readonly size: number; forEach(visit: (child: Node) => void): void };
}

/** Returns the tests below these items, each once, without those at or below an excluded item. */
export function collectTests<Node extends TestNode<Node>>(
  items: readonly Node[],
  excluded: readonly Node[],
): Node[] {
  const skipped = new Set(excluded.map(({ id }) => id));
  const tests = new Map<string, Node>();
  const visit = (item: Node): void => {
    if (skipped.has(item.id)) {
      return;
    }
    if (item.children.size === 0) {
      tests.set(item.id, item);
    }
    item.children.forEach(visit);
  };
  items.forEach(visit);
  return [...tests.values()];
}
