/**
 * Language Model Tools: agents inside VS Code can query the running index, which includes unsaved
 * text.
 *
 * Not every editor that is built from VS Code has this API, so its presence is checked before use.
 */
import * as vscode from 'vscode';
import type { CommandServer } from './context/request';
import { editorPosition } from './documentPosition';
import type { DocumentPosition } from './commandTypes';

interface TaskInput {
  task: string;
}

interface BlastInput {
  symbol: string;
  depth?: number;
}

/** Registers the tools if the editor supports them. Returns whether it does. */
export function registerTools(server: CommandServer, subscriptions: { dispose(): unknown }[]): boolean {
  const api = vscode as Partial<typeof vscode>;
  if (typeof api.lm?.registerTool !== 'function' || api.LanguageModelToolResult === undefined) {
    return false;
  }
  subscriptions.push(
    vscode.lm.registerTool<TaskInput>('kenning_taskContext', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: `Finding the code that matters for "${oneLine(input.task)}"`,
      }),
      async invoke({ input }, token) {
        const argument = { task: input.task, format: 'markdown' as const, ...activeFolder() };
        const pack = await server.ask('kenning.taskContext', argument, token);
        return textResult(pack.text ?? '');
      },
    }),
    vscode.lm.registerTool<BlastInput>('kenning_blastRadius', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: `Finding what depends on ${oneLine(input.symbol)}`,
      }),
      async invoke({ input }, token) {
        const depth = input.depth === undefined ? {} : { depth: input.depth };
        const argument = { symbol: input.symbol, format: 'markdown' as const, ...depth, ...activeFolder() };
        const blast = await server.ask('kenning.blastRadius', argument, token);
        return textResult(blast.text ?? '');
      },
    }),
  );
  return true;
}

/** Returns the folder of the active editor, which agents query if several folders are open. */
function activeFolder(): Partial<DocumentPosition> {
  const documentPosition = editorPosition();
  return documentPosition === undefined ? {} : { textDocument: documentPosition.textDocument };
}

function textResult(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
