/**
 * What happens when the server ends by itself: it is started again, unless it ends again and again.
 */
import {
  CloseAction,
  ErrorAction,
  type CloseHandlerResult,
  type ErrorHandler,
  type ErrorHandlerResult,
} from 'vscode-languageclient/node';

/** So many ends within {@link WINDOW_MS} are too many. */
export const MAX_CRASHES = 4;
const WINDOW_MS = 3 * 60_000;

/** Broken messages in a row that are borne. */
const MAX_ERRORS = 3;

export class CrashPolicy implements ErrorHandler {
  private crashes: number[] = [];

  /** `gaveUp` is called when the server is not started again. */
  constructor(
    private readonly gaveUp: () => void,
    private readonly now: () => number = Date.now,
  ) {}

  error(_error: Error, _message: unknown, count: number | undefined): ErrorHandlerResult {
    const action = (count ?? 0) <= MAX_ERRORS ? ErrorAction.Continue : ErrorAction.Shutdown;
    return { action, handled: true };
  }

  closed(): CloseHandlerResult {
    const now = this.now();
    this.crashes = [...this.crashes.filter((crash) => now - crash < WINDOW_MS), now];
    if (this.crashes.length < MAX_CRASHES) {
      return {
        action: CloseAction.Restart,
        message: 'Kenning ended unexpectedly and is started again.',
        handled: true,
      };
    }
    this.gaveUp();
    return {
      action: CloseAction.DoNotRestart,
      message: `Kenning ended ${MAX_CRASHES} times within three minutes and is not started again.`,
      handled: true,
    };
  }
}
