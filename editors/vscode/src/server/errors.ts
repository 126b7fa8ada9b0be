/**
 * Errors of questions to the server, and which of them are none for the person.
 */
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';

/** There is no server to ask. */
export class NotRunning extends Error {
  constructor(hasFolder: boolean) {
    super(
      hasFolder
        ? 'Kenning is not running. The log says why; "Kenning: Restart" starts it anew.'
        : 'Kenning needs an open folder: it answers from the code of the workspace.',
    );
  }
}

/** Whether the person, or a newer question, stopped this one. */
export function isCancelled(error: unknown): boolean {
  const codes: number[] = [LSPErrorCodes.RequestCancelled, LSPErrorCodes.ServerCancelled];
  return error instanceof ResponseError && codes.includes(error.code);
}

/** The message of an error, for a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
