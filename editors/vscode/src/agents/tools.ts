/**
 * Language model tools: agents inside VS Code query the running index, which includes unsaved text.
 * `package.json` declares them; their descriptions and inputs are generated from the MCP server's
 * (`scripts/agentTools.mjs`).
 *
 * Not every editor that is built from VS Code has this API, so the extension checks for it before
 * use.
 */
import * as vscode from 'vscode';
import type { CommandServer } from '../context/request';
import { editorPosition, servedFolders } from '../documentPosition';
import { isCancelled, messageOf } from '../server/errors';
import { formatNumber } from '../words';
import { answerRequest } from './answers';
import {
  affectedTestsRequest,
  blastRadiusRequest,
  describeInput,
  LARGE_BUDGET,
  requestedBudget,
  taskContextRequest,
  type ToolFolder,
  type ToolRequest,
} from './requests';

/** A tool of the extension. */
interface AgentTool {
  name: string;
  /** Returns the message that the user sees while the tool runs. */
  describe: (input: unknown) => string;
  /** Returns the command that answers the tool. */
  request: (input: unknown, folder: ToolFolder) => ToolRequest | Promise<ToolRequest>;
}

const TOOLS: readonly AgentTool[] = [
  {
    name: 'kenning_pack',
    describe: (input) => `Finding the code that matters for ${describeInput(input, 'the change')}`,
    request: taskContextRequest,
  },
  {
    name: 'kenning_blast',
    describe: (input) => `Finding what depends on ${describeInput(input, 'the symbol')}`,
    request: blastRadiusRequest,
  },
  {
    name: 'kenning_tests',
    describe: (input) => `Finding the tests that reach ${describeInput(input, 'the change')}`,
    request: affectedTestsRequest,
  },
];

/** Registers the tools if the editor supports them. Returns whether it does. */
export function registerTools(server: CommandServer, subscriptions: { dispose(): unknown }[]): boolean {
  const api = vscode as Partial<typeof vscode>;
  if (typeof api.lm?.registerTool !== 'function' || api.LanguageModelToolResult === undefined) {
    return false;
  }
  for (const { name, describe, request } of TOOLS) {
    const tool: vscode.LanguageModelTool<unknown> = {
      prepareInvocation: ({ input }) => ({
        invocationMessage: describe(input),
        ...buildConfirmation(describe(input), input),
      }),
      async invoke({ input }, token) {
        const folder = toolFolder();
        const text = await withPlainErrors(async () =>
          answerRequest(server, await request(input, folder), folder.textDocument, token),
        );
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    };
    subscriptions.push(vscode.lm.registerTool(name, tool));
  }
  return true;
}

/**
 * Returns the confirmation that an unusual call needs from the user. Other calls need none, because
 * the tools only read.
 */
function buildConfirmation(
  title: string,
  input: unknown,
): Pick<vscode.PreparedToolInvocation, 'confirmationMessages'> {
  const budget = requestedBudget(input) ?? 0;
  const reasons = [
    ...(vscode.workspace.isTrusted
      ? []
      : [
          'You have not trusted this workspace. Its code, which may contain instructions to the model, becomes part of the chat.',
        ]),
    ...(budget > LARGE_BUDGET
      ? [`The model asks for up to ${formatNumber(budget)} tokens of code, which become part of the chat.`]
      : []),
  ];
  return reasons.length === 0 ? {} : { confirmationMessages: { title, message: reasons.join('\n\n') } };
}

/** Returns the folder of the active editor, or else the first open folder. */
function toolFolder(): ToolFolder {
  const textDocument = editorPosition()?.textDocument;
  const active = textDocument && vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(textDocument.uri));
  const root = (active ?? servedFolders()[0])?.uri;
  return {
    ...(textDocument === undefined ? {} : { textDocument }),
    uriOf: (file) => fileUri(root, file).toString(),
    async indentOf(uri, line) {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
      return line < document.lineCount ? document.lineAt(line).firstNonWhitespaceCharacterIndex : 0;
    },
  };
}

function fileUri(root: vscode.Uri | undefined, file: string): vscode.Uri {
  const isAbsolute = /^(\/|\\|[A-Za-z]:[\\/])/.test(file);
  return root === undefined || isAbsolute ? vscode.Uri.file(file) : vscode.Uri.joinPath(root, file);
}

/** Runs a tool. Its errors become messages for the model, without the protocol's codes. */
async function withPlainErrors(run: () => Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    throw isCancelled(error) ? new vscode.CancellationError() : new Error(messageOf(error));
  }
}
