/**
 * Commands of code lenses that work as long as the lens is shown.
 *
 * VS Code keeps the arguments of a lens's command only until newer lenses arrive, but may continue
 * to show the old lens. A click on it then fails with "Actual command not found" until the text
 * changes. A command without arguments never expires. Therefore each lens gets its own command
 * here, which passes on the latest arguments of its symbol.
 */
import type * as vscode from 'vscode';
import { actionArgument } from '../commands/arguments';

/**
 * Maximum number of symbols with a command, more than any user has lenses open. The least recently
 * used ones are removed first.
 */
const MAX_COMMANDS = 5000;

interface Registration {
  dispose(): unknown;
}

/** The part of `vscode.commands` that is used here. */
export interface CommandHost {
  registerCommand(id: string, run: () => unknown): Registration;
  executeCommand(id: string, ...passed: unknown[]): Thenable<unknown>;
}

interface Entry {
  id: string;
  command: vscode.Command;
  registration: Registration;
}

export class LensCommands {
  private readonly entries = new Map<string, Entry>();
  private created = 0;

  constructor(
    private readonly host: CommandHost,
    private readonly limit = MAX_COMMANDS,
  ) {}

  /**
   * Gives the lens a command without arguments. A lens whose command names no symbol stays
   * unchanged.
   */
  keep<Lens extends { command?: vscode.Command }>(lens: Lens): Lens {
    const command = lens.command;
    const argument = actionArgument(command?.arguments?.[0]);
    if (command !== undefined && argument !== undefined) {
      const entry = this.entry(JSON.stringify([command.command, argument.uri, argument.symbol]), command);
      lens.command = { title: command.title, command: entry.id };
    }
    return lens;
  }

  private entry(key: string, command: vscode.Command): Entry {
    const known = this.entries.get(key);
    if (known !== undefined) {
      known.command = command;
      // Moves the entry to the end, because the first entries are removed first.
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    this.created += 1;
    const id = `kenning.lens.${this.created}`;
    const run = () => {
      const { command: target, arguments: passed } = entry.command;
      return this.host.executeCommand(target, ...((passed ?? []) as unknown[]));
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
