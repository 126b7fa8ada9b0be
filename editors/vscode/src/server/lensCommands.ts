/**
 * Gives code lenses commands that work as long as the lens is shown.
 *
 * VS Code keeps the arguments of a lens's command only until newer lenses arrive, but may continue
 * to show the old lens. A click on it then fails with "Actual command not found" until the text
 * changes. A command without arguments never expires. Therefore each symbol's lens gets its own
 * command, which passes on the latest arguments for the symbol.
 */
import type * as vscode from 'vscode';
import { parseActionArgument, parseServerArgument } from '../commands/arguments';

/**
 * Maximum number of registered commands, more than the number of lenses that a user has open. The
 * least recently used command is removed first.
 */
const MAX_COMMANDS = 5000;

interface Registration {
  dispose(): unknown;
}

/** The part of `vscode.commands` that this module uses. */
export interface CommandHost {
  registerCommand(id: string, run: () => unknown): Registration;
  executeCommand(id: string, ...args: unknown[]): Thenable<unknown>;
}

interface Entry {
  id: string;
  command: vscode.Command;
  registration: Registration;
}

/** Registers the commands of lenses. */
export class LensCommands {
  private readonly entries = new Map<string, Entry>();
  private created = 0;

  constructor(
    private readonly host: CommandHost,
    private readonly limit = MAX_COMMANDS,
  ) {}

  /**
   * Replaces the command of a lens by one without arguments. A lens whose command names no symbol
   * stays unchanged.
   */
  replaceCommand<Lens extends { command?: vscode.Command }>(lens: Lens): Lens {
    const command = lens.command;
    const value: unknown = command?.arguments?.[0];
    const argument = parseActionArgument(value) ?? parseServerArgument(value);
    if (command !== undefined && argument !== undefined) {
      const entry = this.ensureEntry(
        JSON.stringify([command.command, argument.uri, argument.symbol]),
        command,
      );
      lens.command = { title: command.title, command: entry.id };
    }
    return lens;
  }

  private ensureEntry(key: string, command: vscode.Command): Entry {
    const existing = this.entries.get(key);
    if (existing !== undefined) {
      existing.command = command;
      // Move the entry to the end, because removal starts at the beginning.
      this.entries.delete(key);
      this.entries.set(key, existing);
      return existing;
    }
    this.created += 1;
    const id = `kenning.lens.${this.created}`;
    const run = () => {
      const { command: target, arguments: args } = entry.command;
      return this.host.executeCommand(target, ...((args ?? []) as unknown[]));
    };
    const entry: Entry = { id, command, registration: this.host.registerCommand(id, run) };
    this.entries.set(key, entry);
    this.removeOldest();
    return entry;
  }

  private removeOldest(): void {
    for (const [key, entry] of this.entries) {
      if (this.entries.size <= this.limit) {
        return;
      }
      entry.registration.dispose();
      this.entries.delete(key);
    }
  }

  dispose(): void {
    for (const entry of this.entries.values()) {
      entry.registration.dispose();
    }
    this.entries.clear();
  }
}
