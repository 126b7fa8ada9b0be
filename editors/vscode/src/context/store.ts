/**
 * The last pack, its request, and the user's pins, removals and feedback on its symbols.
 */
import * as vscode from 'vscode';
import type { Pack, PackFormat, PackSymbol } from '../protocol';
import type { PackRequest, PackAdjustments } from './request';

/** A copied pack, with its request and options. */
export interface CopiedPack {
  request: PackRequest;
  pack: Pack;
  /** The text on the clipboard. */
  text: string;
  format: PackFormat;
  /** Whether feedback on the pack can be stored. */
  acceptsFeedback: boolean;
}

/** A symbol that the user removed, with the fields that the view shows. */
export type RemovedSymbol = Pick<PackSymbol, 'id' | 'name' | 'file' | 'line' | 'kind'>;

/** Stores the last pack, and fires `onChange` when it or its adjustments change. */
export class ContextStore implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onChange = this.changes.event;
  private copied: CopiedPack | undefined;
  private readonly pins = new Set<string>();
  private readonly removals = new Map<string, RemovedSymbol>();
  private readonly feedback = new Map<string, boolean>();
  /** The adjustments in the request for the current pack. */
  private requested: PackAdjustments = { pinned: [], excluded: [] };

  get current(): CopiedPack | undefined {
    return this.copied;
  }

  get adjustments(): PackAdjustments {
    return { pinned: [...this.pins], excluded: [...this.removals.keys()] };
  }

  get removed(): RemovedSymbol[] {
    return [...this.removals.values()];
  }

  /** Whether the user has pinned or removed symbols since the pack was requested. */
  get isStale(): boolean {
    return JSON.stringify(this.requested) !== JSON.stringify(this.adjustments);
  }

  /**
   * Stores a new pack. Forgets the feedback and, unless `keepAdjustments`, the pins and removals.
   */
  replace(copied: CopiedPack, { keepAdjustments }: { keepAdjustments: boolean }): void {
    if (!keepAdjustments) {
      this.pins.clear();
      this.removals.clear();
    }
    this.feedback.clear();
    this.copied = copied;
    this.requested = this.adjustments;
    this.changes.fire();
  }

  clear(): void {
    this.copied = undefined;
    this.pins.clear();
    this.removals.clear();
    this.feedback.clear();
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

  remove(symbol: RemovedSymbol): void {
    this.pins.delete(symbol.id);
    this.removals.set(symbol.id, symbol);
    this.changes.fire();
  }

  restore(id: string): void {
    this.removals.delete(id);
    this.changes.fire();
  }

  /**
   * Returns whether the user marked a symbol of this pack as useful, or `undefined` without
   * feedback.
   */
  feedbackOn(id: string): boolean | undefined {
    return this.feedback.get(id);
  }

  setFeedback(id: string, useful: boolean): void {
    this.feedback.set(id, useful);
    this.changes.fire();
  }

  dispose(): void {
    this.changes.dispose();
  }
}
