/**
 * Entry point of the extension: creates the server connection, the commands and the views, connects
 * them, and starts the server.
 */
import * as vscode from 'vscode';
import { registerMcpServers } from './agents/mcpServers';
import { registerTools } from './agents/tools';
import { registerCommands } from './commands';
import { reportError } from './commands/register';
import { TaskHistory } from './context/history';
import { ContextStore } from './context/store';
import type { ExtensionParts } from './parts';
import { DiagramPanel } from './diagram/panel';
import { type ClientHooks } from './server/client';
import { Connection } from './server/connection';
import { showMismatch, showProblem } from './server/problems';
import { LanguageStatus } from './status/languageStatus';
import { IndexingProgress } from './status/indexingProgress';
import { VirtualDocuments } from './virtualDocuments';
import { AffectedTestsView } from './testing/affectedTests';
import { registerSearchCommands } from './search/searchCommands';
import { registerViewCommands } from './views/commands';
import { Explanations } from './views/explanations';
import { TaskContextView } from './views/taskContext';
import { registerUserCommands } from './views/userCommands';
import { UsersView } from './views/users';

let connection: Connection | undefined;

/** The exports for the tests that run in the extension host. */
export interface ExtensionExports {
  connection: Connection;
  /** Processor time of the activation, in milliseconds. */
  activationMs: number;
  /** Whether the editor has the API for MCP servers. */
  offersMcpServers: boolean;
}

export function activate(context: vscode.ExtensionContext): ExtensionExports {
  const cpuBefore = process.cpuUsage();
  const hooks: ClientHooks = {
    onProgress: (token, value) => indexing.showProgress(token, value),
    onLensRequest: () => {
      status.refreshSoon();
    },
  };
  const server = new Connection(context, hooks);
  connection = server;
  const indexing = new IndexingProgress((token) => server.cancelProgress(token));
  const status = new LanguageStatus(server);
  const store = new ContextStore();
  const documents = new VirtualDocuments();
  const explanations = new Explanations(server, documents);
  const diagrams = new DiagramPanel(context.extensionUri, server);
  const view = new TaskContextView(store);
  const users = new UsersView(server);
  const affectedTests = new AffectedTestsView(server, store, (error) => {
    reportError(parts, error);
  });
  const history = new TaskHistory(context.workspaceState);
  const parts: ExtensionParts = {
    context,
    connection: server,
    store,
    history,
    documents,
    explanations,
    diagrams,
    users,
    affectedTests,
  };
  context.subscriptions.push(server, indexing, status, store, documents, explanations, diagrams, view, users);
  context.subscriptions.push(affectedTests);
  registerCommands(parts);
  registerViewCommands(parts);
  registerUserCommands(parts);
  registerSearchCommands(parts);
  registerTools(server, context.subscriptions);
  const offersMcpServers = registerMcpServers(server, context.subscriptions);
  subscribeToEvents(parts, indexing);
  // Do not await the start, so that the server does not delay the editor's start.
  void server.start();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { connection: server, activationMs: (user + system) / 1000, offersMcpServers };
}

export async function deactivate(): Promise<void> {
  await connection?.stop();
}

/** Connects the events of the server and of the window to the parts that react to them. */
function subscribeToEvents(
  { context, connection: server }: ExtensionParts,
  indexing: IndexingProgress,
): void {
  context.subscriptions.push(
    server.onState((state) => {
      if (state.kind !== 'running') {
        indexing.clear();
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
      void server.notifySettingsChange();
    }),
  );
}
