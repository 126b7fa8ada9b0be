/**
 * Offers the MCP server of the extension's own program to agents in VS Code, one server for each
 * folder. The servers are off by default, because agent mode already has the language model tools
 * of the extension. Their additional tools are the search and the explanations.
 */
import * as vscode from 'vscode';
import { servedFolders } from '../documentPosition';
import type { Connection } from '../server/connection';
import { type EditorApi, findMcpApi, type McpApi, type McpServerDefinition } from './mcpApi';

const PROVIDER = 'kenning.mcpServers';
const SETTING = 'mcpServer.enabled';

/** Registers the provider if the editor supports it. Returns whether it does. */
export function registerMcpServers(
  connection: Connection,
  subscriptions: { dispose(): unknown }[],
  api: McpApi | undefined = findMcpApi(vscode as EditorApi),
): boolean {
  if (api === undefined) {
    return false;
  }
  const changes = new vscode.EventEmitter<void>();
  subscriptions.push(
    changes,
    connection.onState((state) => {
      if (state.kind === 'running') {
        changes.fire();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      changes.fire();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      changes.fire();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`kenning.${SETTING}`)) {
        changes.fire();
      }
    }),
    api.register(PROVIDER, {
      onDidChangeMcpServerDefinitions: changes.event,
      provideMcpServerDefinitions: () => listServers(connection, api),
    }),
  );
  return true;
}

/** Returns the servers: none unless the user wants them and trusts the workspace. */
function listServers(connection: Connection, api: McpApi): McpServerDefinition[] {
  const isEnabled = vscode.workspace.getConfiguration('kenning').get<boolean>(SETTING, false);
  const lookup = connection.findProgram();
  if (!isEnabled || !vscode.workspace.isTrusted || lookup.kind !== 'found') {
    return [];
  }
  const version = connection.state.kind === 'running' ? connection.state.version : undefined;
  const folders = servedFolders();
  return folders.map((folder) => {
    const label = folders.length === 1 ? 'Kenning' : `Kenning (${folder.name})`;
    const args = ['mcp', '--root', folder.uri.fsPath];
    const server = api.createDefinition(label, lookup.program, args, {}, version);
    server.cwd = folder.uri;
    return server;
  });
}
