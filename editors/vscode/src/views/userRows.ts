/**
 * The rows of the Users view as data, independent of VS Code: roles, files, users, and the users of
 * a user.
 */
import type { BlastRadius, SymbolUser, UserFile, UserGroup } from '../protocol';
import { formatNumber } from '../words';

export interface RoleRow {
  row: 'role';
  /** Identifies the row in the tree, like the keys of the other rows. */
  key: string;
  group: UserGroup;
}

export interface FileRow {
  row: 'file';
  key: string;
  file: UserFile;
  /** Number of listed users in the group of the file. */
  groupSize: number;
}

export interface UserRow {
  row: 'user';
  user: SymbolUser;
  key: string;
  /** The ids of the symbols above the row, the target first. The view does not expand them. */
  ancestors: string[];
  /** Whether the description has the file, because no row above it has it. */
  withFile: boolean;
}

/** A sentence instead of users. */
export interface NoteRow {
  row: 'note';
  text: string;
}

export type UsersRow = RoleRow | FileRow | UserRow | NoteRow;

/** Maximum number of users in a group whose files are expanded initially. */
const MAX_EXPANDED_USERS = 40;

/** Returns the rows of the roles, the top level of the tree. All keys start with the prefix. */
export function roleRows(blast: BlastRadius, prefix: string): RoleRow[] {
  return blast.users.map((group) => ({ row: 'role', key: `${prefix}/${group.role}`, group }));
}

export function fileRows({ key, group }: RoleRow): FileRow[] {
  const groupSize = group.files.reduce((sum, file) => sum + file.users.length, 0);
  return group.files.map((file) => ({ row: 'file', key: `${key}/${file.file}`, file, groupSize }));
}

export function isExpanded(row: FileRow): boolean {
  return row.groupSize <= MAX_EXPANDED_USERS;
}

export function userRows(target: string, { key, file }: FileRow): UserRow[] {
  return file.users.map((user) => ({
    row: 'user',
    user,
    key: `${key}/${user.id}`,
    ancestors: [target],
    withFile: false,
  }));
}

/** Returns the rows of the direct users of a user, each once. */
export function nestedRows(parent: UserRow, answer: BlastRadius): UsersRow[] {
  const ancestors = [...parent.ancestors, parent.user.id];
  const seen = new Set<string>();
  const rows: UserRow[] = [];
  for (const user of answer.users.flatMap((group) => group.files.flatMap((file) => file.users))) {
    // A test that is further away appears below the users in between.
    if (user.distance === 1 && !seen.has(user.id)) {
      seen.add(user.id);
      rows.push({ row: 'user', user, key: `${parent.key}/${user.id}`, ancestors, withFile: true });
    }
  }
  return rows.length > 0 ? rows : [{ row: 'note', text: answer.no_users ?? 'No direct users found.' }];
}

/** Whether the view can expand a user. */
export function canExpand({ user, ancestors }: UserRow): boolean {
  return user.has_users && user.location !== undefined && !ancestors.includes(user.id);
}

/** Formats the number of users in a group: `12`, `~12`, `1,000+`. */
export function formatGroupCount({ count }: UserGroup): string {
  return `${count.approximate ? '~' : ''}${formatNumber(count.value)}${count.capped ? '+' : ''}`;
}

/** Describes the use by a user: its position, and the relation to the used symbol. */
export function describeUse({ user, ancestors, withFile }: UserRow): string {
  const line = String(user.use_line ?? user.line);
  const recursive = ancestors.includes(user.id) ? ' · recursive' : '';
  return `${withFile ? `${user.file}:` : ''}${line} · ${user.relation}${recursive}`;
}

/** Returns the message above the tree: the numbers, and the reason why they may be incomplete. */
export function describeUsers(blast: BlastRadius): string {
  const pending = blast.freshness.pending_files > 0 ? 'The index is still being built.' : '';
  const truncated = blast.truncated ? 'The lists may be incomplete.' : '';
  const limits = blast.no_users ?? [pending, truncated].filter((part) => part !== '').join(' ');
  return [blast.title, limits].filter((part) => part !== '').join('. ');
}

/**
 * Returns the row of a user that a menu or a click passes to a command, or `undefined` if it is not
 * the row of a user.
 */
export function parseUserRow(value: unknown): UserRow | undefined {
  const isRow = typeof value === 'object' && value !== null && 'row' in value && value.row === 'user';
  return isRow ? (value as UserRow) : undefined;
}
