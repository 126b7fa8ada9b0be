/**
 * The log channel for `kenning.trace.server`. Only that setting controls it, not the channel's own
 * log level.
 */
import * as vscode from 'vscode';

const SETTING = 'kenning.trace.server';

/** Creates a log channel whose level is "trace" exactly when the setting is on. */
export function traceChannel(context: vscode.ExtensionContext): vscode.LogOutputChannel {
  const output = vscode.window.createOutputChannel('Kenning Trace', { log: true });
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = (): vscode.LogLevel =>
    vscode.workspace.getConfiguration().get<string>(SETTING, 'off') === 'off'
      ? vscode.LogLevel.Info
      : vscode.LogLevel.Trace;
  const watch = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(SETTING)) {
      changed.fire(level());
    }
  });
  context.subscriptions.push(output, changed, watch);
  return new Proxy(output, {
    get(channel, key): unknown {
      switch (key) {
        case 'logLevel':
          return level();
        case 'onDidChangeLogLevel':
          return changed.event;
        case 'trace':
          return channel.info.bind(channel);
        default: {
          const value: unknown = Reflect.get(channel, key);
          return typeof value === 'function' ? (value.bind(channel) as unknown) : value;
        }
      }
    },
  });
}
