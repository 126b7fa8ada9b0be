/**
 * The language client: the documents that it serves, the capabilities that it declares, and the
 * settings that it sends.
 */
import * as vscode from 'vscode';
import {
  type ConfigurationParams,
  DidChangeConfigurationNotification,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
  RevealOutputChannelOn,
  type StaticFeature,
  type WorkDoneProgressBegin,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
} from 'vscode-languageclient/node';
import type { CrashPolicy } from './crashes';
import type { LensCommands } from './lensCommands';
import { serverOptions, collectSetValues } from './settings';

/**
 * The languages that the server indexes, by their ids in VS Code; `activationEvents` has the same
 * list.
 */
export const LANGUAGES = [
  'go',
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
  'rust',
  'java',
  'csharp',
  'ruby',
  'c',
  'cpp',
  'cuda-cpp',
  'objective-c',
  'objective-cpp',
  'php',
  'kotlin',
  'swift',
  'scala',
  'dart',
  'elixir',
  'lua',
  'shellscript',
  'zig',
  'haskell',
  'ocaml',
  'vue',
  'svelte',
  'sql',
  'proto',
  'proto3',
  'dockerfile',
  'dockercompose',
  'terraform',
  'graphql',
  'makefile',
  'cmake',
  'markdown',
  'mdx',
  'restructuredtext',
  'asciidoc',
];

/** The commands of lenses and code actions that the extension implements (docs/blast-radius.md). */
const CLIENT_COMMANDS = ['kenning.showBlastRadius', 'kenning.copyContext'];

/**
 * A client that only logs its errors. The extension itself reports a problem to the user, once,
 * with buttons for the possible actions.
 */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export type Progress = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

/** Callbacks for server messages that other parts of the extension need. */
export interface ClientHooks {
  /** Called with progress of the server under a token. Returns whether the callback showed it. */
  onProgress: (token: string | number, value: Progress) => boolean;
  /** Called when VS Code requests lenses, because the graph may have changed. */
  onLensRequest: () => void;
}

/** Creates a client for this program without starting it. */
export function createClient(
  program: string,
  context: vscode.ExtensionContext,
  channels: { log: vscode.LogOutputChannel; trace: vscode.LogOutputChannel },
  crashes: CrashPolicy,
  hooks: ClientHooks,
  lenses: LensCommands,
): LanguageClient {
  const folder = vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === 'file');
  const cwd = folder === undefined ? {} : { cwd: folder.uri.fsPath };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: 'file', language })),
    outputChannel: channels.log,
    traceOutputChannel: channels.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    errorHandler: crashes,
    middleware: createMiddleware(serverOptions(context.extension.packageJSON), hooks, lenses, () => client),
  };
  const server = { command: program, args: ['serve', '--stdio'], options: cwd };
  const client = new QuietClient('kenning', 'Kenning', server, options);
  client.registerFeature(declareClientCommands());
  return client;
}

function declareClientCommands(): StaticFeature {
  return {
    fillClientCapabilities(capabilities) {
      const others = (capabilities.experimental ?? {}) as Record<string, unknown>;
      capabilities.experimental = { ...others, kenning: { clientCommands: CLIENT_COMMANDS } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}

function createMiddleware(
  options: string[],
  hooks: ClientHooks,
  lenses: LensCommands,
  client: () => LanguageClient,
): Middleware {
  return {
    handleWorkDoneProgress(token, value, next) {
      if (!hooks.onProgress(token, value)) {
        next(token, value);
      }
    },
    async provideCodeLenses(document, token, next) {
      hooks.onLensRequest();
      return (await next(document, token))?.map((lens) => lenses.replaceCommand(lens));
    },
    async resolveCodeLens(lens, token, next) {
      const resolved = await next(lens, token);
      return resolved && lenses.replaceCommand(resolved);
    },
    workspace: {
      configuration: (params) => answerConfiguration(params, options),
      // Send no values: the server requests the settings itself.
      didChangeConfiguration: () =>
        client().sendNotification(DidChangeConfigurationNotification.type, { settings: null }),
    },
  };
}

/**
 * Answers `workspace/configuration`: returns for each item the explicitly set values, and whether
 * the workspace is trusted.
 */
export function answerConfiguration(
  params: ConfigurationParams,
  options: string[],
): Record<string, unknown>[] {
  return params.items.map((item) => {
    const scope = item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri);
    const settings = vscode.workspace.getConfiguration('kenning', scope ?? null);
    const values = collectSetValues(options, (option) => settings.inspect(option));
    return item.section === 'kenning' ? { ...values, workspaceTrust: vscode.workspace.isTrusted } : {};
  });
}
