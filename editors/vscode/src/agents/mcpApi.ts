/**
 * The part of VS Code's API for MCP servers that the extension uses. The extension also runs in
 * older editors, so this module declares the API and looks it up at run time.
 */
import type { Disposable, Event, Uri } from 'vscode';

/** The first release of VS Code with this API. Version 1.100 has a draft under the same name. */
const FIRST_RELEASE = [1, 101] as const;

/** A server that VS Code starts and communicates with over standard input and output. */
export interface McpServerDefinition {
  label: string;
  command: string;
  args: string[];
  version?: string;
  cwd?: Uri;
}

/** Lists the servers, and reports when the list has changed. */
export interface McpServerProvider {
  onDidChangeMcpServerDefinitions: Event<void>;
  provideMcpServerDefinitions: () => McpServerDefinition[];
}

/** The API, with the constructor of definitions. */
export interface McpApi {
  register: (id: string, provider: McpServerProvider) => Disposable;
  createDefinition: (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string | undefined,
  ) => McpServerDefinition;
}

/** The part of the module `vscode` that may have the API. */
export interface EditorApi {
  version: string;
  lm?: { registerMcpServerDefinitionProvider?: McpApi['register'] };
  McpStdioServerDefinition?: new (
    ...parameters: Parameters<McpApi['createDefinition']>
  ) => McpServerDefinition;
}

/** Returns the API; `undefined` if the editor does not have it. */
export function findMcpApi({ version, lm, McpStdioServerDefinition }: EditorApi): McpApi | undefined {
  const register = lm?.registerMcpServerDefinitionProvider;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOlder = major < FIRST_RELEASE[0] || (major === FIRST_RELEASE[0] && minor < FIRST_RELEASE[1]);
  if (isOlder || register === undefined || McpStdioServerDefinition === undefined) {
    return undefined;
  }
  return { register, createDefinition: (...parameters) => new McpStdioServerDefinition(...parameters) };
}
