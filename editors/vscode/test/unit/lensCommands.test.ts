import * as assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { LensCommands } from '../../src/server/lensCommands';

/** Records which commands were registered and run. */
class Host {
  readonly registered = new Map<string, () => unknown>();
  readonly run: unknown[][] = [];

  registerCommand(id: string, run: () => unknown): { dispose: () => unknown } {
    this.registered.set(id, run);
    return { dispose: () => this.registered.delete(id) };
  }

  executeCommand(...passed: unknown[]): Thenable<unknown> {
    this.run.push(passed);
    return Promise.resolve(undefined);
  }
}

function lens(symbol: string, line: number): { command?: vscode.Command } {
  const argument = { uri: 'file:///a.py', symbol, position: { line, character: 4 } };
  const command = { title: '1 caller', command: 'kenning.showBlastRadius', arguments: [argument] };
  return { command };
}

describe('commands of lenses', () => {
  it('need no arguments, and pass on those that the symbol had last', () => {
    const host = new Host();
    const commands = new LensCommands(host);
    const first = commands.keep(lens('aa', 3)).command;
    const moved = commands.keep(lens('aa', 8)).command;
    assert.deepEqual(first, { title: '1 caller', command: 'kenning.lens.1' });
    assert.deepEqual(moved, first);
    host.registered.get('kenning.lens.1')?.();
    const argument = { uri: 'file:///a.py', symbol: 'aa', position: { line: 8, character: 4 } };
    assert.deepEqual(host.run, [['kenning.showBlastRadius', argument]]);
  });

  it('are as many as are kept', () => {
    const host = new Host();
    const commands = new LensCommands(host, 2);
    for (const symbol of ['aa', 'bb', 'aa', 'cc']) {
      commands.keep(lens(symbol, 1));
    }
    assert.deepEqual([...host.registered.keys()], ['kenning.lens.1', 'kenning.lens.3']);
    commands.dispose();
    assert.equal(host.registered.size, 0);
  });

  it('stay as they are where they name no symbol', () => {
    const command = { title: 'counting…', command: '' };
    assert.deepEqual(new LensCommands(new Host()).keep({ command }).command, command);
  });
});
