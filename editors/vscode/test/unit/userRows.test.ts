/** Tests the rows of the Users view. */
import * as assert from 'node:assert/strict';
import {
  canExpand,
  fileRows,
  groupCount,
  nestedRows,
  roleRows,
  useDescription,
  userRows,
  usersMessage,
  type UserRow,
} from '../../src/views/userRows';
import type { BlastRadius, Location, User } from '../../src/protocol';
import { part } from './part';

function user(id: string, more: Partial<User> = {}): User {
  const symbol = { id, qualified_name: id, name: id, kind: 'function', file: 'src/a.py', line: 3 };
  const use = { relation: 'calls it', use_line: 5, distance: 1, provenance: 'ast_resolved' };
  const flags = { ambiguous: false, is_test: false, has_users: true };
  return { ...symbol, location: part<Location>({ uri: 'file:///a.py' }), ...use, ...flags, ...more };
}

function blast(groups: [string, User[]][], more: Partial<BlastRadius> = {}): BlastRadius {
  return part<BlastRadius>({
    target: { id: 't', qualified_name: 't', name: 't', kind: 'function', file: 'a.py', line: 1 },
    users: groups.map(([role, users]) => ({
      role,
      label: role,
      count: { value: users.length, approximate: role === 'dispatch', capped: role === 'use' },
      files: [{ file: 'src/a.py', users }],
    })),
    title: '1 caller',
    truncated: false,
    freshness: part<BlastRadius['freshness']>({ pending_files: 0 }),
    ...more,
  });
}

/** The rows of all users. */
function rows(answer: BlastRadius): UserRow[] {
  return roleRows(answer)
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
      roleRows(answer).map(({ group }) => groupCount(group)),
      ['1', '~1', '1+'],
    );
    assert.deepEqual(rows(answer).map(useDescription), [
      '5 · calls it',
      '5 · calls Base.f, which it overrides',
      '3 · calls it',
    ]);
    assert.equal(new Set(rows(answer).map(({ key }) => key)).size, 3);
  });

  it('expand to their own direct users, each once and with its file, but not in a circle', () => {
    const [first] = rows(blast([['caller', [user('a')]]]));
    assert.ok(first !== undefined && canExpand(first));
    const answer = blast([
      ['caller', [user('b'), user('t')]],
      ['test', [user('b', { is_test: true }), user('far', { distance: 3 })]],
    ]);
    const nested = nestedRows(first, answer) as UserRow[];
    assert.deepEqual(nested.map(useDescription), [
      'src/a.py:5 · calls it',
      'src/a.py:5 · calls it · recursive',
    ]);
    assert.deepEqual(nested.map(canExpand), [true, false]);
    assert.ok(!canExpand({ ...first, user: user('a', { has_users: false }) }));
  });

  it('are said to be none only in the words of the server', () => {
    const none = 'No users found, but its name occurs elsewhere in the code.';
    assert.equal(usersMessage(blast([], { no_users: none })), `1 caller. ${none}`);
    assert.equal(usersMessage(blast([['caller', [user('a')]]])), '1 caller');
    assert.equal(usersMessage(blast([], { truncated: true })), '1 caller. The lists may be incomplete.');
    const [first] = rows(blast([['caller', [user('a')]]]));
    assert.ok(first !== undefined);
    assert.deepEqual(nestedRows(first, blast([], { no_users: none })), [{ row: 'note', text: none }]);
  });
});
