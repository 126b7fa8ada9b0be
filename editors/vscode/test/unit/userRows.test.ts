/** Tests the rows of the Users view. */
import * as assert from 'node:assert/strict';
import {
  canExpand,
  fileRows,
  formatGroupCount,
  nestedRows,
  roleRows,
  describeUse,
  userRows,
  describeUsers,
  type UserRow,
} from '../../src/views/userRows';
import type { BlastRadius, Location, SymbolUser } from '../../src/protocol';
import { partialOf } from './partialOf';

function user(id: string, more: Partial<SymbolUser> = {}): SymbolUser {
  const symbol = { id, qualified_name: id, name: id, kind: 'function', file: 'src/a.py', line: 3 };
  const use = { relation: 'calls it', use_line: 5, distance: 1, provenance: 'ast_resolved' };
  const flags = { ambiguous: false, is_test: false, has_users: true };
  return { ...symbol, location: partialOf<Location>({ uri: 'file:///a.py' }), ...use, ...flags, ...more };
}

function blast(groups: [string, SymbolUser[]][], more: Partial<BlastRadius> = {}): BlastRadius {
  return partialOf<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
    users: groups.map(([role, users]) => ({
      role,
      label: role,
      count: { value: users.length, approximate: role === 'dispatch', capped: role === 'use' },
      files: [{ file: 'src/a.py', users }],
    })),
    title: '1 caller',
    truncated: false,
    freshness: partialOf<BlastRadius['freshness']>({ pending_files: 0 }),
    ...more,
  });
}

/** Returns the rows of all users. */
function allRows(answer: BlastRadius): UserRow[] {
  return roleRows(answer, '1')
    .flatMap(fileRows)
    .flatMap((row) => userRows('t', row));
}

describe('the users of a symbol', () => {
  it('are grouped by role and by file, with the line of the use', () => {
    const answer = blast([
      ['caller', [user('a')]],
      ['dispatch', [user('b', { relation: 'calls Base.f, which it overrides' })]],
      ['use', [user('c', { use_line: null })]],
    ]);
    assert.deepEqual(
      roleRows(answer, '1').map(({ group }) => formatGroupCount(group)),
      ['1', '~1', '1+'],
    );
    assert.deepEqual(allRows(answer).map(describeUse), [
      '5 · calls it',
      '5 · calls Base.f, which it overrides',
      '3 · calls it',
    ]);
    assert.equal(new Set(allRows(answer).map(({ key }) => key)).size, 3);
  });

  it('expand to their own direct users, each once and with its file, but never recursively', () => {
    const [first] = allRows(blast([['caller', [user('a')]]]));
    assert.ok(first !== undefined && canExpand(first));
    const answer = blast([
      ['caller', [user('b'), user('t')]],
      ['test', [user('b', { is_test: true }), user('far', { distance: 3 })]],
    ]);
    const nested = nestedRows(first, answer) as UserRow[];
    assert.deepEqual(nested.map(describeUse), ['src/a.py:5 · calls it', 'src/a.py:5 · calls it · recursive']);
    assert.deepEqual(nested.map(canExpand), [true, false]);
    assert.ok(!canExpand({ ...first, user: user('a', { has_users: false }) }));
  });

  it('are missing only with the sentence of the server', () => {
    const noUsers = 'No users found, but its name occurs elsewhere in the code.';
    assert.equal(describeUsers(blast([], { no_users: noUsers })), `1 caller. ${noUsers}`);
    assert.equal(describeUsers(blast([['caller', [user('a')]]])), '1 caller');
    assert.equal(describeUsers(blast([], { truncated: true })), '1 caller. The lists may be incomplete.');
    const [first] = allRows(blast([['caller', [user('a')]]]));
    assert.ok(first !== undefined);
    assert.deepEqual(nestedRows(first, blast([], { no_users: noUsers })), [{ row: 'note', text: noUsers }]);
  });
});
