/**
 * Errors of requests to the server, and helpers to report them.
 */
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** Thrown if no server is running. */
export class NotRunningError extends Error {
  constructor(hasFolder: boolean) {
    super(
      hasFolder
        ? 'Kenning is not running. See the log for the cause, or run "Kenning: Restart".'
        : 'Kenning needs an open folder. Open the folder with your code first.',
    );
  }
}

/** Whether the user or a newer request cancelled this one. */
export function isCancelled(error: unknown): boolean {
  const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled];
  return error instanceof ResponseError && codes.includes(error.code);
}

/** Returns the message of an error for the user. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
