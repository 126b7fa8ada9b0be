/**
 * The objects that the commands and views of the extension share.
 */
import type * as vscode from 'vscode';
import type { ContextStore } from './context/store';
import type { TaskHistory } from './context/history';
import type { Pictures } from './picture/panel';
import type { Connection } from './server/connection';
import type { Texts } from './texts';
import type { UsersView } from './views/users';

export interface Parts {
  context: vscode.ExtensionContext;
  connection: Connection;
  store: ContextStore;
  history: TaskHistory;
  texts: Texts;
  pictures: Pictures;
  users: UsersView;
}
