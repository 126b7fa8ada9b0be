/**
 * The part of VS Code 1.101's API for MCP servers that the extension uses. The extension also runs in
 * older editors, so the API is declared here and its presence is checked.
 */
import * as vscode from 'vscode';

/** A server that VS Code starts and speaks to over standard input and output. */
export interface McpServerDefinition {
  label: string;
  command: string;
  args: string[];
  version?: string;
  cwd?: vscode.Uri;
}

/** Lists the servers, and reports when the list has changed. */
export interface McpServerProvider {
  onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): McpServerDefinition[];
}

/** The API, with the constructor of definitions. */
export interface McpApi {
  register(id: string, provider: McpServerProvider): vscode.Disposable;
  createDefinition(
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string | undefined,
  ): McpServerDefinition;
}

interface EditorWithMcp {
  lm?: { registerMcpServerDefinitionProvider?: McpApi['register'] };
  McpStdioServerDefinition?: new (
    ...parameters: Parameters<McpApi['createDefinition']>
  ) => McpServerDefinition;
}

/** Returns the API; `undefined` if the editor does not have it. */
export function findMcpApi(editor: unknown = vscode): McpApi | undefined {
  const { lm, McpStdioServerDefinition: Definition } = editor as EditorWithMcp;
  const register = lm?.registerMcpServerDefinitionProvider;
  if (typeof register !== 'function' || Definition === undefined) {
    return undefined;
  }
  return { register, createDefinition: (...parameters) => new Definition(...parameters) };
}
