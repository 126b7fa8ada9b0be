/** Tests the commands that code lenses get. */
import * as assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { LensCommands } from '../../src/server/lensCommands';

/** Records the commands that are registered and run. */
class CommandRecorder {
  readonly registered = new Map<string, () => unknown>();
  readonly run: unknown[][] = [];

  registerCommand(id: string, run: () => unknown): { dispose: () => unknown } {
    this.registered.set(id, run);
    return { dispose: () => this.registered.delete(id) };
  }

  executeCommand(...args: unknown[]): Thenable<unknown> {
    this.run.push(args);
    return Promise.resolve(undefined);
  }
}

function lens(symbol: string, line: number): { command?: vscode.Command } {
  const argument = { uri: 'file:///a.py', symbol, position: { line, character: 4 } };
  const command = { title: '1 caller', command: 'kenning.showBlastRadius', arguments: [argument] };
  return { command };
}

describe('commands of lenses', () => {
  it('have no arguments and pass on the latest ones of the symbol', () => {
    const host = new CommandRecorder();
    const commands = new LensCommands(host);
    const first = commands.replaceCommand(lens('aa', 3)).command;
    const moved = commands.replaceCommand(lens('aa', 8)).command;
    assert.deepEqual(first, { title: '1 caller', command: 'kenning.lens.1' });
    assert.deepEqual(moved, first);
    host.registered.get('kenning.lens.1')?.();
    const argument = { uri: 'file:///a.py', symbol: 'aa', position: { line: 8, character: 4 } };
    assert.deepEqual(host.run, [['kenning.showBlastRadius', argument]]);
  });

  it('also replace commands that the server runs itself', () => {
    const host = new CommandRecorder();
    const argument = { op: 'about', textDocument: { uri: 'file:///a.py' }, symbol: 'aa', show: true };
    const command = { title: '2 notes', command: 'kenning.knowledge', arguments: [argument] };
    const replaced = new LensCommands(host).replaceCommand({ command }).command;
    assert.deepEqual(replaced, { title: '2 notes', command: 'kenning.lens.1' });
    host.registered.get('kenning.lens.1')?.();
    assert.deepEqual(host.run, [['kenning.knowledge', argument]]);
  });

  it('are unregistered beyond the limit, the least recently used first', () => {
    const host = new CommandRecorder();
    const commands = new LensCommands(host, 2);
    for (const symbol of ['aa', 'bb', 'aa', 'cc']) {
      commands.replaceCommand(lens(symbol, 1));
    }
    assert.deepEqual([...host.registered.keys()], ['kenning.lens.1', 'kenning.lens.3']);
    commands.dispose();
    assert.equal(host.registered.size, 0);
  });

  it('stay unchanged if they name no symbol', () => {
    const command = { title: 'counting…', command: '' };
    assert.deepEqual(new LensCommands(new CommandRecorder()).replaceCommand({ command }).command, command);
  });
});
