/**
 * The objects that the commands and views of the extension share.
 */
import type * as vscode from 'vscode';
import type { ContextStore } from './context/store';
import type { TaskHistory } from './context/history';
import type { DiagramPanel } from './diagram/panel';
import type { Connection } from './server/connection';
import type { AffectedTestsView } from './testing/affectedTests';
import type { VirtualDocuments } from './virtualDocuments';
import type { Explanations } from './views/explanations';
import type { UsersView } from './views/users';

export interface ExtensionParts {
  context: vscode.ExtensionContext;
  connection: Connection;
  store: ContextStore;
  history: TaskHistory;
  documents: VirtualDocuments;
  explanations: Explanations;
  diagrams: DiagramPanel;
  users: UsersView;
  affectedTests: AffectedTestsView;
}
