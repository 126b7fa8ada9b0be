/**
 * What a pack is asked for, and asking for it.
 */
import type { CancellationToken } from 'vscode';
import type { Pack, PackFormat } from '../protocol';
import type { Arguments, Answer, CommandName, Place } from '../questions';

export type PackRequest =
  | { kind: 'task'; task: string; place: Partial<Place> }
  | { kind: 'files'; uris: string[]; names: string[] }
  | { kind: 'change'; base: string | undefined; place: Partial<Place> };

/** What a person wants in the pack for a task, or not in it: ids of symbols. */
export interface Wishes {
  pinned: string[];
  excluded: string[];
}

export const NO_WISHES: Wishes = { pinned: [], excluded: [] };

/** How packs are wanted, by the settings. */
export interface PackOptions {
  format: PackFormat;
  /** Whether use may weigh in and is remembered. */
  learning: boolean;
}

/** Asks the server; {@link Connection} is one. */
export interface Asks {
  ask<C extends CommandName>(
    command: C,
    argument: Arguments<C>,
    token?: CancellationToken,
  ): Promise<Answer<C>>;
}

/** The pack for a request, with its text. */
export function fetchPack(
  server: Asks,
  request: PackRequest,
  wishes: Wishes,
  options: PackOptions,
  token?: CancellationToken,
): Promise<Pack> {
  const { format, learning } = options;
  const common = learning ? { format } : { format, noLearning: true };
  switch (request.kind) {
    case 'task': {
      const argument = { ...common, ...request.place, task: request.task, ...stated(wishes) };
      return server.ask('kenning.taskContext', argument, token);
    }
    case 'files':
      return server.ask('kenning.fileContext', { ...common, uris: request.uris }, token);
    case 'change': {
      const base = request.base === undefined ? {} : { base: request.base };
      return server.ask('kenning.changeContext', { ...common, ...base, ...request.place }, token);
    }
  }
}

/** The wishes that say something. */
export function stated(wishes: Wishes): Partial<Wishes> {
  return {
    ...(wishes.pinned.length > 0 ? { pinned: wishes.pinned } : {}),
    ...(wishes.excluded.length > 0 ? { excluded: wishes.excluded } : {}),
  };
}

/** What a request is about, for titles. */
export function title(request: PackRequest): string {
  switch (request.kind) {
    case 'task':
      return request.task.split('\n').find((line) => line.trim() !== '') ?? '';
    case 'files':
      return request.names.join(', ');
    case 'change':
      return request.base === undefined ? 'current change' : `change since ${request.base}`;
  }
}
