/**
 * The rows of the **Users** view as data, which does not depend on VS Code: roles, in them files, in
 * them users, and below a user its own users.
 */
import type { BlastRadius, User, UserFile, UserGroup } from '../protocol';
import { grouped } from '../words';

export interface RoleRow {
  row: 'role';
  group: UserGroup;
}

export interface FileRow {
  row: 'file';
  role: string;
  file: UserFile;
  /** Number of users in the group of the file. */
  inGroup: number;
}

export interface UserRow {
  row: 'user';
  user: User;
  /** The row's place in the tree, unique in it. */
  key: string;
  /** The ids of the symbols above it, the target first. A symbol among them is not expanded again. */
  above: string[];
  /** Whether the description has the file, because no row above it names one. */
  withFile: boolean;
}

/** A sentence instead of users. */
export interface NoteRow {
  row: 'note';
  text: string;
}

export type UsersRow = RoleRow | FileRow | UserRow | NoteRow;

/** Number of users in a group up to which its files are expanded from the start. */
const MAX_EXPANDED = 40;

/** Returns the roles of the users of a symbol. */
export function roleRows(blast: BlastRadius): RoleRow[] {
  return blast.users.map((group) => ({ row: 'role', group }));
}

export function fileRows({ group }: RoleRow): FileRow[] {
  const inGroup = group.files.reduce((sum, file) => sum + file.users.length, 0);
  return group.files.map((file) => ({ row: 'file', role: group.role, file, inGroup }));
}

export function isExpanded(row: FileRow): boolean {
  return row.inGroup <= MAX_EXPANDED;
}

export function userRows(target: string, { role, file }: FileRow): UserRow[] {
  return file.users.map((user) => ({
    row: 'user',
    user,
    key: `${role}/${user.id}`,
    above: [target],
    withFile: false,
  }));
}

/** Returns the users of a user, each once, with their files. */
export function nestedRows(parent: UserRow, answer: BlastRadius): UsersRow[] {
  const above = [...parent.above, parent.user.id];
  const seen = new Set<string>();
  const rows: UserRow[] = [];
  for (const user of answer.users.flatMap((group) => group.files.flatMap((file) => file.users))) {
    // Tests that are further away appear below the users in between.
    if (user.distance === 1 && !seen.has(user.id)) {
      seen.add(user.id);
      rows.push({ row: 'user', user, key: `${parent.key}/${user.id}`, above, withFile: true });
    }
  }
  return rows.length > 0 ? rows : [{ row: 'note', text: answer.no_users ?? 'No direct users found.' }];
}

/** Whether a row can have rows below it. */
export function canExpand({ user, above }: UserRow): boolean {
  return user.has_users && user.location !== undefined && !above.includes(user.id);
}

/** Renders the number of a group: `12`, `~12`, `1,000+`. */
export function groupCount({ count }: UserGroup): string {
  return `${count.approximate ? '~' : ''}${grouped(count.value)}${count.capped ? '+' : ''}`;
}

/** Describes a user beside its name: where the use is, and what it does. */
export function useDescription({ user, above, withFile }: UserRow): string {
  const line = String(user.use_line ?? user.line);
  const recursive = above.includes(user.id) ? ' · recursive' : '';
  return `${withFile ? `${user.file}:` : ''}${line} · ${user.relation}${recursive}`;
}

/** Returns the line above the tree: the numbers, and what limits them. */
export function usersMessage(blast: BlastRadius): string {
  const pending = blast.freshness.pending_files > 0 ? 'The index is still being built.' : '';
  const cut = blast.truncated ? 'The lists may be incomplete.' : '';
  const limits = blast.no_users ?? [pending, cut].filter((part) => part !== '').join(' ');
  return [blast.title, limits].filter((part) => part !== '').join('. ');
}

/** Returns the row of a user that a menu passes to a command, or `undefined`. */
export function userRowOf(passed: unknown): UserRow | undefined {
  const isRow = typeof passed === 'object' && passed !== null && 'row' in passed && passed.row === 'user';
  return isRow ? (passed as UserRow) : undefined;
}
