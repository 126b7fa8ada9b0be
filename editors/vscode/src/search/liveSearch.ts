/**
 * Asks the server while the user types. Sends a question when the input has not changed for the
 * debounce time. A new question cancels the previous one, and only the answer to the latest
 * question is reported. Repeats the question while the index is incomplete.
 */
import type { CancellationToken } from 'vscode';
import type { CommandServer } from '../context/request';
import type { SearchAnswer, SearchArguments } from '../protocol';
import { describePending } from './words';

/** Time without changes before a question is sent, in milliseconds. */
export const DEBOUNCE_MS = 120;

/** Time after which a question is repeated while the index is incomplete, in milliseconds. */
const REPEAT_MS = 1000;

/** The part of `CancellationTokenSource` that the search uses. */
export interface CancelSource {
  token: CancellationToken;
  cancel(): void;
  dispose(): void;
}

/** The events that the search reports. */
export interface SearchEvents {
  /** Called with `true` when a question is sent, and with `false` when none is pending. */
  onBusy(busy: boolean): void;
  /** Called with the answer to the latest question, or with `undefined` if the query is blank. */
  onAnswer(answer: SearchAnswer | undefined, isRepeated: boolean): void;
  /** Called with the error of the latest question. */
  onError(error: unknown): void;
}

/** The times of a search in milliseconds, which tests shorten. */
export interface SearchTimes {
  debounce: number;
  repeat: number;
}

/** Sends the questions of one search and reports the answers. */
export class LiveSearch {
  private timer: NodeJS.Timeout | undefined;
  private running: CancelSource | undefined;
  private pending = false;

  constructor(
    private readonly server: CommandServer,
    private readonly events: SearchEvents,
    private readonly createCancelSource: () => CancelSource,
    private readonly times: SearchTimes = { debounce: DEBOUNCE_MS, repeat: REPEAT_MS },
  ) {}

  /** Whether the current question has no answer yet. */
  get isPending(): boolean {
    return this.pending;
  }

  /** Asks a question after the debounce time. Drops the previous question. */
  ask(question: SearchArguments): void {
    this.stop();
    if (question.query.trim() === '') {
      this.events.onBusy(false);
      this.events.onAnswer(undefined, false);
      return;
    }
    this.pending = true;
    this.schedule(question, this.times.debounce, { isRepeated: false });
  }

  /** Drops the current question. */
  stop(): void {
    this.pending = false;
    clearTimeout(this.timer);
    this.running?.cancel();
    this.running?.dispose();
    this.running = undefined;
  }

  private schedule(question: SearchArguments, delay: number, { isRepeated }: { isRepeated: boolean }): void {
    this.timer = setTimeout(() => {
      void this.send(question, isRepeated);
    }, delay);
  }

  private async send(question: SearchArguments, isRepeated: boolean): Promise<void> {
    const source = this.createCancelSource();
    this.running = source;
    this.events.onBusy(true);
    try {
      const answer = await this.server.ask('kenning.search', question, source.token);
      if (this.finish(source)) {
        this.events.onAnswer(answer, isRepeated);
        if (describePending(answer.freshness) !== undefined) {
          this.schedule(question, this.times.repeat, { isRepeated: true });
        }
      }
    } catch (error) {
      if (this.finish(source)) {
        this.events.onError(error);
      }
    }
  }

  /** Ends a question. Returns whether it is the latest one. */
  private finish(source: CancelSource): boolean {
    if (this.running !== source) {
      return false;
    }
    source.dispose();
    this.running = undefined;
    this.pending = false;
    this.events.onBusy(false);
    return true;
  }
}
