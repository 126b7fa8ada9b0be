/**
 * Activates and deactivates the extension: connects its parts and starts the server.
 */
import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { TaskHistory } from './context/history';
import { ContextStore } from './context/store';
import type { Parts } from './parts';
import { Pictures } from './picture/panel';
import { type Hooks } from './server/client';
import { Connection } from './server/connection';
import { showMismatch, showProblem } from './server/problems';
import { LanguageStatus } from './status/languageStatus';
import { Working } from './status/working';
import { Texts } from './texts';
import { registerTools } from './tools';
import { registerViewCommands } from './views/commands';
import { TaskContextView } from './views/taskContext';
import { registerUserCommands } from './views/userCommands';
import { UsersView } from './views/users';

let connection: Connection | undefined;

/** The exports for the tests in the extension host. */
export interface Activated {
  connection: Connection;
  /** Processor time of the activation, in milliseconds. */
  activationMs: number;
}

export function activate(context: vscode.ExtensionContext): Activated {
  const before = process.cpuUsage();
  const hooks: Hooks = {
    progress: (token, value) => working.take(token, value),
    lenses: () => {
      status.touched();
    },
  };
  const server = new Connection(context, hooks);
  connection = server;
  const working = new Working((token) => server.cancelProgress(token));
  const status = new LanguageStatus(server);
  const store = new ContextStore();
  const texts = new Texts();
  const pictures = new Pictures(context.extensionUri, server);
  const view = new TaskContextView(store);
  const users = new UsersView(server);
  const history = new TaskHistory(context.workspaceState);
  const parts: Parts = { context, connection: server, store, history, texts, pictures, users };
  context.subscriptions.push(server, working, status, store, texts, pictures, view, users);
  registerCommands(parts);
  registerViewCommands(parts);
  registerUserCommands(parts);
  registerTools(server, context.subscriptions);
  follow(parts, working);
  // Not awaited, so that the server does not delay the editor's start.
  void server.start();
  const { user, system } = process.cpuUsage(before);
  return { connection: server, activationMs: (user + system) / 1000 };
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}

/** Subscribes to the events of the window and the server that concern each other. */
function follow({ context, connection: server }: Parts, working: Working): void {
  context.subscriptions.push(
    server.onState((state) => {
      if (state.kind !== 'running') {
        working.clear();
      }
      if (state.kind === 'broken') {
        void showProblem(state.problem, server);
      }
    }),
    server.onMismatch((mismatch) => {
      void showMismatch(mismatch, context);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('kenning.server.path')) {
        void server.restart();
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      // The client itself notifies a running server; without folders, no server was running.
      void server.start();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void server.settingsChanged();
    }),
  );
}
