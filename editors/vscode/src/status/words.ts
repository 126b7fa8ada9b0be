/**
 * The text of the language status item, from the state of the connection and the server's status.
 */
import type { FolderStatus, ServerReport, SessionStatus } from '../protocol';
import type { ConnectionState } from '../server/connection';
import { describeProblem } from '../server/problemWords';
import { formatCount } from '../words';

/** The texts and the level of the status. */
export interface StatusWords {
  text: string;
  detail: string;
  /** The contents of each folder's index, as Markdown; empty while they are unknown. */
  summary: string;
  level: 'fine' | 'warning' | 'error';
  busy: boolean;
}

/** States in which a language server is working. */
const WORKING_STATES = new Set(['starting', 'loading', 'busy']);

/** Returns the text of the item. `status` is `undefined` while it is unknown. */
export function statusWords(
  state: ConnectionState,
  status: SessionStatus | undefined,
  now: Date,
): StatusWords {
  switch (state.kind) {
    case 'idle':
      return { text: 'Not running', detail: 'no folder is open', summary: '', level: 'fine', busy: false };
    case 'starting':
      return { text: 'Starting', detail: '', summary: '', level: 'fine', busy: true };
    case 'broken':
      return {
        text: 'Not running',
        detail: describeProblem(state.problem),
        summary: '',
        level: 'error',
        busy: false,
      };
    case 'running':
      return status === undefined
        ? { text: 'Running', detail: `version ${state.version}`, summary: '', level: 'fine', busy: true }
        : sessionWords(status, now);
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

function sessionWords({ folders }: SessionStatus, now: Date): StatusWords {
  const summary = folders.map((folder) => describeFolder(folder, now)).join('\n\n');
  const failed = folders.find((folder) => folder.phase === 'failed');
  if (failed !== undefined) {
    return { text: 'No index', detail: failed.problem ?? '', summary, level: 'error', busy: false };
  }
  const cancelled = folders.some((folder) => folder.phase === 'cancelled');
  if (cancelled) {
    const detail = 'indexing was cancelled; run "Kenning: Rebuild Index" to index the folder';
    return { text: 'No index', detail, summary, level: 'warning', busy: false };
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
    detail: [...warnings, ...describeAge(folders, now), ...serverWords(servers)].join(', '),
    summary,
    level: warnings.length > 0 ? 'warning' : 'fine',
    busy: isIndexing || pending > 0 || servers.some((server) => WORKING_STATES.has(server.state)),
  };
}

/** Describes the age of the oldest index; empty unless all folders have an index. */
function describeAge(folders: FolderStatus[], now: Date): string[] {
  const times = folders.map((folder) => Date.parse(folder.indexed_at ?? ''));
  const oldest = Math.min(...times);
  return Number.isFinite(oldest) ? [`indexed ${describeTime(oldest, now)}`] : [];
}

/** Describes the age of a time: `just now`, `5 minutes ago`, `2 days ago`. */
export function describeTime(time: number, now: Date): string {
  const minutes = Math.floor(Math.max(0, now.getTime() - time) / 60_000);
  if (minutes < 1) {
    return 'just now';
  }
  const [count, unit] =
    minutes < 60
      ? ([minutes, 'minute'] as const)
      : minutes < 24 * 60
        ? ([Math.floor(minutes / 60), 'hour'] as const)
        : ([Math.floor(minutes / (24 * 60)), 'day'] as const);
  return `${formatCount(count, unit)} ago`;
}

/** Number of languages that the summary of a folder names. */
const NAMED_LANGUAGES = 4;

/** Describes the contents of a folder's index, as Markdown. */
function describeFolder(folder: FolderStatus, now: Date): string {
  const name = folder.root.slice(folder.root.lastIndexOf('/') + 1);
  const languages = Object.entries(folder.files_by_language).sort(([, a], [, b]) => b - a);
  const named = languages.slice(0, NAMED_LANGUAGES).map(([language, files]) => `${language} ${files}`);
  const more = languages.length > NAMED_LANGUAGES ? ', …' : '';
  const time = Date.parse(folder.indexed_at ?? '');
  const servers = serverWords(folder.enrichment);
  const lines = [
    `**${name}**`,
    `${formatCount(folder.files, 'file')}${named.length === 0 ? '' : ` (${named.join(', ')}${more})`}`,
    `${formatCount(folder.symbols, 'symbol')}, ${formatCount(folder.edges, 'edge')}`,
    describeHistory(folder),
    servers.length === 0 ? 'no language server' : servers.join(', '),
    Number.isFinite(time) ? `indexed ${describeTime(time, now)}` : 'not indexed yet',
  ];
  return lines.join('  \n');
}

function describeHistory({ commits, history_pending }: FolderStatus): string {
  if (history_pending === true) {
    return `${formatCount(commits, 'commit')} read, more to read`;
  }
  return commits === 0 ? 'no git history read' : `${formatCount(commits, 'commit')} read`;
}

function warningsOf(folder: FolderStatus): string[] {
  const desynchronized = folder.desynchronized_files ?? 0;
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
