/**
 * The last pack, its request, and the user's pins, removals and feedback on its symbols.
 */
import * as vscode from 'vscode';
import type { Pack, PackFormat, PackSymbol } from '../protocol';
import type { PackRequest, Wishes } from './request';

/** A pack as it was copied. */
export interface Handed {
  request: PackRequest;
  pack: Pack;
  /** The text on the clipboard. */
  text: string;
  format: PackFormat;
  /** Whether feedback on the pack can be stored. */
  learning: boolean;
}

/** A symbol that the user removed, with the fields that the view shows. */
export type Removed = Pick<PackSymbol, 'id' | 'name' | 'file' | 'line' | 'kind'>;

export class ContextStore implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onChange = this.changes.event;
  private handed: Handed | undefined;
  private readonly pins = new Set<string>();
  private readonly gone = new Map<string, Removed>();
  private readonly said = new Map<string, boolean>();
  /** The wishes behind the current pack. */
  private used: Wishes = { pinned: [], excluded: [] };

  get current(): Handed | undefined {
    return this.handed;
  }

  get wishes(): Wishes {
    return { pinned: [...this.pins], excluded: [...this.gone.keys()] };
  }

  get removed(): Removed[] {
    return [...this.gone.values()];
  }

  /** Whether the user's wishes have changed since the pack was made. */
  get isStale(): boolean {
    return JSON.stringify(this.used) !== JSON.stringify(this.wishes);
  }

  /** Stores a new pack. Unless it repeats the request (`again`), forgets the pins and removals. */
  replace(handed: Handed, again: boolean): void {
    if (!again) {
      this.pins.clear();
      this.gone.clear();
    }
    this.said.clear();
    this.handed = handed;
    this.used = this.wishes;
    this.changes.fire();
  }

  clear(): void {
    this.handed = undefined;
    this.pins.clear();
    this.gone.clear();
    this.said.clear();
    this.changes.fire();
  }

  isPinned(id: string): boolean {
    return this.pins.has(id);
  }

  pin(id: string): void {
    this.pins.add(id);
    this.changes.fire();
  }

  unpin(id: string): void {
    this.pins.delete(id);
    this.changes.fire();
  }

  remove(symbol: Removed): void {
    this.pins.delete(symbol.id);
    this.gone.set(symbol.id, symbol);
    this.changes.fire();
  }

  restore(id: string): void {
    this.gone.delete(id);
    this.changes.fire();
  }

  /** Returns the user's feedback on a symbol of this pack, or `undefined` if there is none. */
  verdict(id: string): boolean | undefined {
    return this.said.get(id);
  }

  judged(id: string, useful: boolean): void {
    this.said.set(id, useful);
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }
}
