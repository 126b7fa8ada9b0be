/**
 * Decides what happens when the server ends unexpectedly: the client restarts it, unless it ends
 * too often.
 */
import {
  CloseAction,
  ErrorAction,
  type CloseHandlerResult,
  type ErrorHandler,
  type ErrorHandlerResult,
} from 'vscode-languageclient/node';

/** Number of crashes within {@link WINDOW_MS} after which the server is not restarted. */
export const MAX_CRASHES = 4;
/** Period in which crashes are counted, in milliseconds. */
const WINDOW_MS = 3 * 60_000;

/** Maximum number of consecutive message errors that the client tolerates. */
const MAX_ERRORS = 3;

/** Counts the crashes of one server. */
export class CrashPolicy implements ErrorHandler {
  private crashes: number[] = [];

  /** Creates the policy, which calls `onGiveUp` when it will not restart the server. */
  constructor(
    private readonly onGiveUp: () => void,
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
        message: 'Kenning exited unexpectedly and is restarting.',
        handled: true,
      };
    }
    this.onGiveUp();
    return {
      action: CloseAction.DoNotRestart,
      message: `Kenning exited unexpectedly ${MAX_CRASHES} times in three minutes and will not restart.`,
      handled: true,
    };
  }
}
