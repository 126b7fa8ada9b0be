/**
 * Answers the language model tools: waits for the index, runs the command, and adds a note if the
 * answer may be incomplete.
 */
import type { CancellationToken } from 'vscode';
import type { CommandServer } from '../context/request';
import type { IndexReadiness, TextDocument } from '../protocol';
import { formatCount, formatNumber } from '../words';
import type { ToolRequest } from './requests';

/** Longest time that a tool waits for the index, in milliseconds; the same as in the MCP server. */
const INDEX_LIMIT_MS = 25_000;

/**
 * Thrown while the workspace is indexed for the first time. The message tells the model what to do.
 */
export class StillIndexingError extends Error {
  constructor({ doneFiles, totalFiles }: IndexReadiness) {
    const progress =
      totalFiles === 0
        ? 'it is listing the files'
        : `${formatNumber(doneFiles)} of ${formatCount(totalFiles, 'file')} are done`;
    super(`Kenning is still indexing this workspace: ${progress}. Ask again in half a minute.`);
  }
}

/**
 * Runs a command when the index includes the latest files on the disk, and returns its text. Throws
 * {@link StillIndexingError} if there is no index in time.
 */
export async function answerRequest(
  server: CommandServer,
  request: ToolRequest,
  textDocument: TextDocument | undefined,
  token: CancellationToken,
): Promise<string> {
  const folder = textDocument === undefined ? {} : { textDocument };
  const readiness = await server.ask('kenning.waitForIndex', { limitMs: INDEX_LIMIT_MS, ...folder }, token);
  if (readiness.freshness.indexed_at === null) {
    throw new StillIndexingError(readiness);
  }
  const { text } = await server.ask(request.command, request.argument, token);
  if (text === undefined) {
    throw new Error(
      'The server returned no text; its version may not match this extension. Run "Kenning: Restart".',
    );
  }
  // The text itself notes changes in open files that it does not include.
  const note = 'The index does not include the latest changes on the disk yet.';
  return readiness.ready ? text : `${text}\n${note}\n`;
}
