/**
 * The server as the rest of the extension sees it: one process per window, its state, and requests
 * to it.
 */
import * as os from 'node:os';
import { accessSync, constants, statSync } from 'node:fs';
import * as vscode from 'vscode';
import {
  type CancellationToken,
  DidChangeConfigurationNotification,
  ExecuteCommandRequest,
  type LanguageClient,
  State,
  WorkDoneProgressCancelNotification,
} from 'vscode-languageclient/node';
import type { Answer, Arguments, CommandName } from '../questions';
import { findBinary, type Found } from './binary';
import { createClient, type Hooks } from './client';
import { CrashPolicy } from './crashes';
import { NotRunning } from './errors';
import { LensCommands } from './lensCommands';
import type { Problem } from './problemWords';
import { traceChannel } from './trace';
import { fits, readVersion } from './version';

/** The state of the server, as far as the extension knows. */
export type ConnectionState =
  | { kind: 'idle' }
  | { kind: 'starting' }
  | { kind: 'running'; version: string }
  /** The server does not run and will not restart automatically. */
  | { kind: 'broken'; problem: Problem };

/** A server whose version may not fit this extension. */
export interface Mismatch {
  program: string;
  server: string;
  extension: string;
}

export class Connection implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Kenning', { log: true });
  private readonly trace: vscode.LogOutputChannel;
  private readonly states = new vscode.EventEmitter<ConnectionState>();
  private readonly mismatches = new vscode.EventEmitter<Mismatch>();
  private readonly lenses = new LensCommands(vscode.commands);
  readonly onState = this.states.event;
  readonly onMismatch = this.mismatches.event;
  private client: LanguageClient | undefined;
  private now: ConnectionState = { kind: 'idle' };
  /** A queue that runs starts and stops one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly hooks: Hooks,
  ) {
    this.trace = traceChannel(context);
  }

  get state(): ConnectionState {
    return this.now;
  }

  /** Returns the process id of the server, for tests and the log. */
  get processId(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  /** Starts the server if there is a folder to serve and the server is idle. */
  start(): Promise<void> {
    return this.next(async () => {
      if (this.now.kind === 'idle' && hasFolder()) {
        await this.open();
      }
    });
  }

  /** Restarts the server, whatever its state. */
  restart(): Promise<void> {
    return this.next(async () => {
      await this.close();
      if (hasFolder()) {
        await this.open();
      }
    });
  }

  /**
   * Sends a command to the server, after pending starts and stops. Throws {@link NotRunning} if
   * there is no server.
   */
  async ask<C extends CommandName>(
    command: C,
    argument: Arguments<C>,
    token?: CancellationToken,
  ): Promise<Answer<C>> {
    await this.queue;
    const client = this.client;
    if (client === undefined || this.now.kind === 'broken' || this.now.kind === 'idle') {
      throw new NotRunning(hasFolder());
    }
    const params = { command, arguments: [argument] };
    const answer: unknown = await client.sendRequest(ExecuteCommandRequest.type, params, token);
    return answer as Answer<C>;
  }

  /** Makes the server request the settings again. */
  async settingsChanged(): Promise<void> {
    if (this.now.kind === 'running') {
      await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    }
  }

  /** Cancels the work behind this progress token. */
  async cancelProgress(token: string | number): Promise<void> {
    await this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
  }

  async stop(): Promise<void> {
    await this.next(() => this.close());
  }

  dispose(): void {
    this.states.dispose();
    this.mismatches.dispose();
    this.lenses.dispose();
    this.log.dispose();
  }

  private next(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private become(state: ConnectionState): void {
    this.now = state;
    this.states.fire(state);
  }

  private async open(): Promise<void> {
    this.become({ kind: 'starting' });
    const found = this.find();
    if (found.kind !== 'found') {
      this.become({ kind: 'broken', problem: found });
      return;
    }
    const { program } = found;
    const spoken = await readVersion(program);
    if (spoken.kind === 'failed') {
      this.become({ kind: 'broken', problem: { kind: 'no-kenning', program, reason: spoken.reason } });
      return;
    }
    const { version: extension } = this.context.extension.packageJSON as { version: string };
    this.log.info(`${program} ${spoken.version} (found by ${found.from}), extension ${extension}`);
    await this.launch(program, spoken.version);
    if (!fits(extension, spoken.version)) {
      this.mismatches.fire({ program, server: spoken.version, extension });
    }
  }

  private async launch(program: string, version: string): Promise<void> {
    const crashes = new CrashPolicy(() => {
      this.become({ kind: 'broken', problem: { kind: 'crashed' } });
    });
    const client = createClient(
      program,
      this.context,
      { log: this.log, trace: this.trace },
      crashes,
      this.hooks,
      this.lenses,
    );
    client.onDidChangeState(({ newState }) => {
      if (client === this.client && this.now.kind !== 'broken') {
        this.become(newState === State.Running ? { kind: 'running', version } : { kind: 'starting' });
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      // If the server crashed too often, the problem is already reported.
      if (this.state.kind !== 'broken') {
        const reason = error instanceof Error ? error.message : String(error);
        this.become({ kind: 'broken', problem: { kind: 'failed', reason } });
      }
    }
  }

  private async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become({ kind: 'idle' });
    if (client === undefined) {
      return;
    }
    try {
      await client.dispose();
    } catch (error) {
      // If the server does not answer "shutdown" in time, the client kills it.
      this.log.warn(`The server did not shut down cleanly: ${String(error)}`);
    }
  }

  private find(): Found {
    return findBinary({
      setting: vscode.workspace.getConfiguration('kenning').get<string>('server.path', ''),
      extension: this.context.extensionPath,
      path: process.env.PATH ?? '',
      home: os.homedir(),
      platform: process.platform,
      isProgram,
    });
  }
}

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some((folder) => folder.uri.scheme === 'file');
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
