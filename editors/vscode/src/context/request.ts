/**
 * The requests for packs, and the function that sends them to the server.
 */
import type { CancellationToken } from 'vscode';
import type { Pack, PackFormat } from '../protocol';
import type { CommandArgument, CommandResult, CommandName, DocumentPosition } from '../commandTypes';

/** A request for the pack of a task, of files or of a change. */
export type PackRequest =
  | { kind: 'task'; task: string; documentPosition: Partial<DocumentPosition> }
  | { kind: 'files'; uris: string[]; names: string[] }
  | { kind: 'change'; base: string | undefined; documentPosition: Partial<DocumentPosition> };

/** The ids of the symbols that the user pinned to the pack for a task or excluded from it. */
export interface PackAdjustments {
  pinned: string[];
  excluded: string[];
}

export const NO_ADJUSTMENTS: PackAdjustments = { pinned: [], excluded: [] };

/** The options of packs, from the settings. */
export interface PackOptions {
  format: PackFormat;
  /** Whether feedback and recently shown symbols may affect the pack, and may be stored. */
  learning: boolean;
}

/** A server that answers commands, such as {@link Connection}. */
export interface CommandServer {
  ask<C extends CommandName>(
    command: C,
    argument: CommandArgument<C>,
    token?: CancellationToken,
  ): Promise<CommandResult<C>>;
}

/** Requests a pack, including its text and the reasons for the rank of each symbol. */
export function fetchPack(
  server: CommandServer,
  request: PackRequest,
  adjustments: PackAdjustments,
  options: PackOptions,
  token?: CancellationToken,
): Promise<Pack> {
  const { format, learning } = options;
  const common = { format, explain: true, ...(learning ? {} : { noLearning: true }) };
  switch (request.kind) {
    case 'task': {
      const argument = {
        ...common,
        ...request.documentPosition,
        task: request.task,
        ...omitEmptyLists(adjustments),
      };
      return server.ask('kenning.taskContext', argument, token);
    }
    case 'files':
      return server.ask('kenning.fileContext', { ...common, uris: request.uris }, token);
    case 'change': {
      const base = request.base === undefined ? {} : { base: request.base };
      return server.ask('kenning.changeContext', { ...common, ...base, ...request.documentPosition }, token);
    }
  }
}

/** Returns the adjustments without their empty lists. */
export function omitEmptyLists(adjustments: PackAdjustments): Partial<PackAdjustments> {
  return {
    ...(adjustments.pinned.length > 0 ? { pinned: adjustments.pinned } : {}),
    ...(adjustments.excluded.length > 0 ? { excluded: adjustments.excluded } : {}),
  };
}

/** Returns a title that describes the subject of a request. */
export function requestTitle(request: PackRequest): string {
  switch (request.kind) {
    case 'task':
      return request.task.split('\n').find((line) => line.trim() !== '') ?? '';
    case 'files':
      return request.names.join(', ');
    case 'change':
      return request.base === undefined ? 'current change' : `change since ${request.base}`;
  }
}
