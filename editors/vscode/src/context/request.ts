/**
 * The requests for packs, and how they are sent to the server.
 */
import type { CancellationToken } from 'vscode';
import type { Pack, PackFormat } from '../protocol';
import type { Arguments, Answer, CommandName, Place } from '../questions';

export type PackRequest =
  | { kind: 'task'; task: string; place: Partial<Place> }
  | { kind: 'files'; uris: string[]; names: string[] }
  | { kind: 'change'; base: string | undefined; place: Partial<Place> };

/** The ids of the symbols that the user pinned to the pack for a task or excluded from it. */
export interface Wishes {
  pinned: string[];
  excluded: string[];
}

export const NO_WISHES: Wishes = { pinned: [], excluded: [] };

/** The options of packs, from the settings. */
export interface PackOptions {
  format: PackFormat;
  /** Whether feedback and recently shown symbols may affect the pack, and may be stored. */
  learning: boolean;
}

/** A server that answers commands, such as {@link Connection}. */
export interface Asks {
  ask<C extends CommandName>(
    command: C,
    argument: Arguments<C>,
    token?: CancellationToken,
  ): Promise<Answer<C>>;
}

/** Requests a pack, including its text. */
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

/** Returns the wishes without empty lists. */
export function stated(wishes: Wishes): Partial<Wishes> {
  return {
    ...(wishes.pinned.length > 0 ? { pinned: wishes.pinned } : {}),
    ...(wishes.excluded.length > 0 ? { excluded: wishes.excluded } : {}),
  };
}

/** Describes the subject of a request, for titles. */
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
