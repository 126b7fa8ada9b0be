/**
 * The **Users** view, which shows the users of a symbol by role and by file. It requests the users
 * of a user when that row expands.
 */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { CommandServer } from '../context/request';
import type { BlastRadius, Location } from '../protocol';
import { describeEvidence, formatNumber } from '../words';
import { SYMBOL_ICONS } from './icons';
import {
  canExpand,
  fileRows,
  formatGroupCount,
  isExpanded,
  nestedRows,
  roleRows,
  describeUse,
  userRows,
  describeUsers,
  type FileRow,
  type RoleRow,
  type UserRow,
  type UsersRow,
} from './userRows';

const VIEW = 'kenning.users.view';

/** Maximum distance in hops of the requested dependents. The tree shows only direct users. */
const DEPTH = 1;

const ROLE_ICONS: Record<string, string> = {
  caller: 'call-incoming',
  dispatch: 'type-hierarchy-super',
  use: 'references',
  implementation: 'type-hierarchy-sub',
  possible: 'question',
  test: 'beaker',
};

/** A symbol with its users, and the URI of a document in its folder. */
export interface ShownUsers {
  blast: BlastRadius;
  uri: string;
}

/** The tree of the users of one symbol, with the history for Back. */
export class UsersView implements vscode.TreeDataProvider<UsersRow>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<UsersRow>;
  /** The symbols whose users the view showed before. */
  private readonly previous: ShownUsers[] = [];
  private current: ShownUsers | undefined;
  /**
   * Number of times that the view showed a symbol. It is part of the ids of items, so that VS Code
   * does not keep the children or the expansion of the items of another symbol.
   */
  private generation = 0;

  constructor(private readonly server: CommandServer) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  get shown(): ShownUsers | undefined {
    return this.current;
  }

  /** Shows the users of a symbol; opens the view if necessary. */
  async show(shown: ShownUsers): Promise<void> {
    if (this.current !== undefined && this.current.blast.target.id !== shown.blast.target.id) {
      this.previous.push(this.current);
    }
    this.generation += 1;
    this.update(shown);
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Shows the users of the previous symbol. */
  goBack(): void {
    const last = this.previous.pop();
    if (last !== undefined) {
      this.generation += 1;
      this.update(last);
    }
  }

  /** Requests the users of the shown symbol again. */
  async refresh(): Promise<void> {
    if (this.current !== undefined) {
      const { blast, uri } = this.current;
      this.update({ ...this.current, blast: await this.fetchUsers(blast.target.id, uri) });
    }
  }

  /** Requests the users of a symbol. `uri` is a document in its folder. */
  fetchUsers(symbol: string, uri: string): Promise<BlastRadius> {
    return this.server.ask('kenning.blastRadius', { symbol, textDocument: { uri }, depth: DEPTH });
  }

  async getChildren(row?: UsersRow): Promise<UsersRow[]> {
    const blast = this.current?.blast;
    if (blast === undefined) {
      return [];
    }
    switch (row?.row) {
      case undefined:
        return roleRows(blast, String(this.generation));
      case 'role':
        return fileRows(row);
      case 'file':
        return userRows(blast.target.id, row);
      case 'user': {
        const uri = row.user.location?.uri;
        return uri === undefined ? [] : nestedRows(row, await this.fetchUsers(row.user.id, uri));
      }
      case 'note':
        return [];
    }
  }

  getTreeItem(row: UsersRow): vscode.TreeItem {
    switch (row.row) {
      case 'role':
        return roleItem(row);
      case 'file':
        return fileItem(row);
      case 'user':
        return userItem(row);
      case 'note': {
        const item = new vscode.TreeItem(row.text);
        item.iconPath = new vscode.ThemeIcon('info');
        return item;
      }
    }
  }

  dispose(): void {
    this.view.dispose();
    this.changes.dispose();
  }

  private update(shown: ShownUsers): void {
    this.current = shown;
    this.view.title = `Users of ${shown.blast.target.name}`;
    // An undefined message would leave the previous one visible.
    this.view.message = describeUsers(shown.blast);
    void vscode.commands.executeCommand('setContext', 'kenning.hasUsers', true);
    void vscode.commands.executeCommand('setContext', 'kenning.hasPreviousUsers', this.previous.length > 0);
    this.changes.fire(undefined);
  }
}

function roleItem(row: RoleRow): vscode.TreeItem {
  const item = new vscode.TreeItem(row.group.label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = row.key;
  item.description = formatGroupCount(row.group);
  item.iconPath = new vscode.ThemeIcon(ROLE_ICONS[row.group.role] ?? 'symbol-misc');
  item.contextValue = 'role';
  return item;
}

function fileItem(row: FileRow): vscode.TreeItem {
  const { file, users } = row.file;
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(path.posix.basename(file) || 'Outside the workspace');
  item.collapsibleState = isExpanded(row) ? Expanded : Collapsed;
  item.id = row.key;
  const folder = path.posix.dirname(file);
  item.description = [folder === '.' ? '' : folder, formatNumber(users.length)]
    .filter((part) => part !== '')
    .join(' · ');
  const uri = users[0]?.location?.uri;
  if (uri !== undefined) {
    item.resourceUri = vscode.Uri.parse(uri);
  }
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'file';
  return item;
}

function userItem(row: UserRow): vscode.TreeItem {
  const { user } = row;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(
    `${user.ambiguous ? '~ ' : ''}${user.name}`,
    canExpand(row) ? Collapsed : None,
  );
  item.id = row.key;
  item.description = describeUse(row);
  item.iconPath = new vscode.ThemeIcon(user.is_test ? 'beaker' : (SYMBOL_ICONS[user.kind] ?? 'symbol-misc'));
  const evidence = user.provenance === null ? '' : `, ${describeEvidence(user.provenance)}`;
  const uncertainty = user.ambiguous ? '; it may use another definition' : '';
  item.tooltip = `${user.qualified_name} (${user.kind}) ${user.relation}${evidence}${uncertainty}`;
  item.contextValue = user.location === undefined ? 'outside' : 'user';
  item.command = { command: 'kenning.users.open', title: 'Open', arguments: [row] };
  const test = user.is_test ? ', test' : '';
  item.accessibilityInformation = {
    label: `${user.name}, ${user.kind}${test}, ${user.relation}, ${user.file} line ${user.use_line ?? user.line}`,
  };
  return item;
}

/** Returns the location that a row opens: the use, or the user's name if the use has none. */
export function locationOfUse({ user }: UserRow): Location | undefined {
  return user.use_location ?? user.location;
}
