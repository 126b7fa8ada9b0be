/**
 * The connection to the server: starts and stops one server process per window, publishes its
 * state, and sends it commands.
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
import type { CommandResult, CommandArgument, CommandName } from '../commandTypes';
import { findBinary, type BinaryLookup } from './binary';
import { createClient, type ClientHooks } from './client';
import { CrashPolicy } from './crashes';
import { NotRunningError } from './errors';
import { LensCommands } from './lensCommands';
import type { ServerProblem } from './problemWords';
import { traceChannel } from './trace';
import { isCompatible, readVersion } from './version';

/** The state of the server. */
export type ConnectionState =
  | { kind: 'idle' }
  | { kind: 'starting' }
  | { kind: 'running'; version: string }
  /** The server does not run and will not restart automatically. */
  | { kind: 'broken'; problem: ServerProblem };

/** A server whose version is not compatible with the version of this extension. */
export interface VersionMismatch {
  program: string;
  server: string;
  extension: string;
}

/** Owns the server process of the window. */
export class Connection implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Kenning', { log: true });
  private readonly trace: vscode.LogOutputChannel;
  private readonly states = new vscode.EventEmitter<ConnectionState>();
  private readonly mismatches = new vscode.EventEmitter<VersionMismatch>();
  private readonly lenses = new LensCommands(vscode.commands);
  readonly onState = this.states.event;
  readonly onMismatch = this.mismatches.event;
  private client: LanguageClient | undefined;
  private current: ConnectionState = { kind: 'idle' };
  /** A queue that runs starts and stops one after another. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly hooks: ClientHooks,
  ) {
    this.trace = traceChannel(context);
  }

  get state(): ConnectionState {
    return this.current;
  }

  /** Returns the process id of the server, for tests and the log. */
  get processId(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  /** Starts the server if there is a folder to serve and the server is idle. */
  start(): Promise<void> {
    return this.enqueue(async () => {
      if (this.current.kind === 'idle' && hasFolder()) {
        await this.startServer();
      }
    });
  }

  /** Restarts the server in any state. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopServer();
      if (hasFolder()) {
        await this.startServer();
      }
    });
  }

  /**
   * Sends a command to the server, after pending starts and stops. Throws {@link NotRunningError}
   * if there is no server.
   */
  async ask<C extends CommandName>(
    command: C,
    argument: CommandArgument<C>,
    token?: CancellationToken,
  ): Promise<CommandResult<C>> {
    await this.queue;
    const client = this.client;
    if (client === undefined || this.current.kind === 'broken' || this.current.kind === 'idle') {
      throw new NotRunningError(hasFolder());
    }
    const params = { command, arguments: [argument] };
    const answer: unknown = await client.sendRequest(ExecuteCommandRequest.type, params, token);
    return answer as CommandResult<C>;
  }

  /** Notifies the server that settings have changed, so that it requests them again. */
  async notifySettingsChange(): Promise<void> {
    if (this.current.kind === 'running') {
      await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    }
  }

  /** Cancels the work behind this progress token. */
  async cancelProgress(token: string | number): Promise<void> {
    await this.client?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
  }

  /** Finds the program to start. */
  findProgram(): BinaryLookup {
    return findBinary({
      setting: vscode.workspace.getConfiguration('kenning').get<string>('server.path', ''),
      extension: this.context.extensionPath,
      path: process.env.PATH ?? '',
      home: os.homedir(),
      platform: process.platform,
      isProgram,
    });
  }

  async stop(): Promise<void> {
    await this.enqueue(() => this.stopServer());
  }

  dispose(): void {
    this.states.dispose();
    this.mismatches.dispose();
    this.lenses.dispose();
    this.log.dispose();
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work);
    return this.queue;
  }

  private setState(state: ConnectionState): void {
    this.current = state;
    this.states.fire(state);
  }

  private async startServer(): Promise<void> {
    this.setState({ kind: 'starting' });
    const lookup = this.findProgram();
    if (lookup.kind !== 'found') {
      this.setState({ kind: 'broken', problem: lookup });
      return;
    }
    const { program } = lookup;
    const result = await readVersion(program);
    if (result.kind === 'failed') {
      this.setState({ kind: 'broken', problem: { kind: 'no-kenning', program, reason: result.reason } });
      return;
    }
    const { version: extension } = this.context.extension.packageJSON as { version: string };
    this.log.info(`${program} ${result.version} (found by ${lookup.from}), extension ${extension}`);
    await this.launch(program, result.version);
    if (!isCompatible(extension, result.version)) {
      this.mismatches.fire({ program, server: result.version, extension });
    }
  }

  private async launch(program: string, version: string): Promise<void> {
    const crashes = new CrashPolicy(() => {
      this.setState({ kind: 'broken', problem: { kind: 'crashed' } });
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
      if (client === this.client && this.current.kind !== 'broken') {
        this.setState(newState === State.Running ? { kind: 'running', version } : { kind: 'starting' });
      }
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      // If the server crashed too often, the problem is already reported.
      if (this.state.kind !== 'broken') {
        const reason = error instanceof Error ? error.message : String(error);
        this.setState({ kind: 'broken', problem: { kind: 'failed', reason } });
      }
    }
  }

  private async stopServer(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.setState({ kind: 'idle' });
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
