/**
 * The texts of the search: its scopes and modes, its hits, and the missing parts of an answer.
 */
import type { Freshness, SearchHit, SearchModeName, SearchScopeName } from '../protocol';
import { formatCount, missingInputs } from '../words';

/** The label and the icon of a choice. */
interface ChoiceDisplay {
  label: string;
  icon: string;
}

/** The scopes in the order of their buttons. The type requires every scope of the server. */
export const SCOPES: Record<SearchScopeName, ChoiceDisplay> = {
  all: { label: 'All', icon: 'search' },
  code: { label: 'Code', icon: 'code' },
  docs: { label: 'Documents', icon: 'book' },
  files: { label: 'Files', icon: 'files' },
  knowledge: { label: 'Notes and tasks', icon: 'note' },
};

/**
 * The modes in the order in which the toggle selects them. The type requires every mode of the
 * server.
 */
export const MODES: Record<SearchModeName, ChoiceDisplay> = {
  hybrid: { label: 'Hybrid', icon: 'type-hierarchy' },
  keyword: { label: 'Keyword', icon: 'whole-word' },
  vector: { label: 'Meaning', icon: 'lightbulb' },
};

export const NOTHING_MATCHES = 'Nothing in this workspace matches.';

/** The scope and the mode of a search. */
export interface SearchChoice {
  scope: SearchScopeName;
  mode: SearchModeName;
}

/** Returns the key after `current`, or the first key after the last one. */
export function nextKey<K extends string>(choices: Record<K, ChoiceDisplay>, current: K): K {
  const keys = Object.keys(choices) as K[];
  return keys[(keys.indexOf(current) + 1) % keys.length] ?? current;
}

/** Returns the title of the search, with its scope and its mode. */
export function searchTitle({ scope, mode }: SearchChoice): string {
  return `Kenning: Search (${SCOPES[scope].label}, ${MODES[mode].label})`;
}

/** Returns the path of a hit, with the line of a symbol, and the better hit that led to it. */
export function describeLocation({ file, line, via }: SearchHit): string {
  const location = line === undefined ? file : `${file}:${line}`;
  return escapeIcons(via === undefined ? location : `${location} · related to ${via.from}`);
}

/** Returns the signature and the documentation of a hit; empty if it has neither. */
export function describeHit({ signature, doc }: SearchHit): string {
  return escapeIcons([signature ?? '', doc ?? ''].filter((text) => text !== '').join(' · '));
}

/** Escapes texts that a quick pick would show as icons, such as `$(pwd)`. */
export function escapeIcons(text: string): string {
  return text.replace(/\$\(/g, '\\$(');
}

/** Describes everything that an answer does not include yet; `undefined` if it is current. */
export function describeMissing(freshness: Freshness): string | undefined {
  const parts = [describePending(freshness), ...missingInputs(freshness)].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? undefined : capitalize(parts.join(', '));
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Describes the files that an answer does not include yet; `undefined` if it has all of them. */
export function describePending({ indexed_at, pending_files }: Freshness): string | undefined {
  if (indexed_at === null) {
    return 'Indexing: the first index is not ready yet';
  }
  return pending_files === 0
    ? undefined
    : `Indexing: ${formatCount(pending_files, 'file')} not in the results yet`;
}
