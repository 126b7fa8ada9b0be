/**
 * The text of the language status item, from the state of the connection and the server's status.
 */
import type { FolderStatus, ServerReport, SessionStatus } from '../protocol';
import type { ConnectionState } from '../server/connection';
import { describeProblem } from '../server/problemWords';
import { formatCount } from '../words';

export interface StatusWords {
  text: string;
  detail: string;
  level: 'fine' | 'warning' | 'error';
  busy: boolean;
}

/** States in which a language server is working. */
const WORKING_STATES = new Set(['starting', 'loading', 'busy']);

/** Returns the text of the item. `status` is `undefined` while it is unknown. */
export function statusWords(state: ConnectionState, status: SessionStatus | undefined): StatusWords {
  switch (state.kind) {
    case 'idle':
      return { text: 'Not running', detail: 'no folder is open', level: 'fine', busy: false };
    case 'starting':
      return { text: 'Starting', detail: '', level: 'fine', busy: true };
    case 'broken':
      return { text: 'Not running', detail: describeProblem(state.problem), level: 'error', busy: false };
    case 'running':
      return status === undefined
        ? { text: 'Running', detail: `version ${state.version}`, level: 'fine', busy: true }
        : sessionWords(status);
  }
}

/** Whether the server is working, so that the status will change soon. */
export function isUnsettled(status: SessionStatus): boolean {
  return status.folders.some(
    (folder) =>
      folder.phase === 'opening' ||
      folder.phase === 'indexing' ||
      folder.pending_files > 0 ||
      folder.enrichment.some((server) => WORKING_STATES.has(server.state)),
  );
}

function sessionWords({ folders }: SessionStatus): StatusWords {
  const failed = folders.find((folder) => folder.phase === 'failed');
  if (failed !== undefined) {
    return { text: 'No index', detail: failed.problem ?? '', level: 'error', busy: false };
  }
  const cancelled = folders.some((folder) => folder.phase === 'cancelled');
  if (cancelled) {
    const detail = 'indexing was cancelled; run "Kenning: Rebuild Index" to index the folder';
    return { text: 'No index', detail, level: 'warning', busy: false };
  }
  const isIndexing = folders.some((folder) => folder.phase !== 'ready');
  const pending = sum(folders, (folder) => folder.pending_files);
  const symbols = sum(folders, (folder) => folder.symbols);
  const warnings = folders.flatMap(warningsOf);
  const servers = folders.flatMap((folder) => folder.enrichment);
  return {
    text: isIndexing
      ? 'Indexing'
      : pending > 0
        ? `${formatCount(pending, 'file')} pending`
        : formatCount(symbols, 'symbol'),
    detail: [...warnings, ...serverWords(servers)].join(', '),
    level: warnings.length > 0 ? 'warning' : 'fine',
    busy: isIndexing || pending > 0 || servers.some((server) => WORKING_STATES.has(server.state)),
  };
}

function warningsOf(folder: FolderStatus): string[] {
  const desynchronized = folder.desynchronised_files ?? 0;
  return [
    ...(folder.watch_problem === undefined ? [] : [folder.watch_problem]),
    ...(desynchronized === 0 ? [] : [`${formatCount(desynchronized, 'open file')} out of sync`]),
  ];
}

/**
 * Describes the state of each language server that is not absent: `gopls ready`. If several folders
 * have the server, the state that needs the most attention is shown.
 */
function serverWords(servers: ServerReport[]): string[] {
  const order = ['failed', 'backoff', 'starting', 'loading', 'busy', 'ready', 'stopped'];
  const states = new Map<string, string>();
  for (const { name, state } of servers) {
    const known = states.get(name);
    if (state !== 'absent' && (known === undefined || order.indexOf(state) < order.indexOf(known))) {
      states.set(name, state);
    }
  }
  return [...states].map(([name, state]) => `${name} ${state}`);
}

function sum(folders: FolderStatus[], value: (folder: FolderStatus) => number): number {
  return folders.reduce((total, folder) => total + value(folder), 0);
}
