/**
 * The arguments and answers of the server's commands (docs/lsp-extensions.md), as far as the
 * extension uses them.
 */

export interface Position {
  line: number;
  character: number;
}

export interface Location {
  uri: string;
  range: { start: Position; end: Position };
}

export interface TextDocumentId {
  uri: string;
}

/** The document and the position that a request is about. */
export interface Place {
  textDocument: TextDocumentId;
  position?: Position;
}

export interface ServerFreshness {
  name: string;
  state: string;
  confirmed_edges: number;
}

export interface Freshness {
  indexed_at: string | null;
  pending_files: number;
  unsaved_files: number;
  servers: ServerFreshness[];
}

export interface PackSymbol {
  id: string;
  qualified_name: string;
  name: string;
  kind: string;
  /** Path relative to the folder, with `/`. */
  file: string;
  /** The line, from 1. */
  line: number;
  signature: string;
  doc: string;
  score: number;
  distance: number;
  confidence: number;
  provenance: string;
  channels: string[];
  detail: string;
  tokens: number;
}

export interface Pack {
  schema: number;
  task: string;
  pack_root: string;
  budget: number;
  tokens_used: number;
  freshness: Freshness;
  symbols: PackSymbol[];
  omitted_counts: Record<string, number>;
  text?: string;
}

export type PackFormat = 'markdown' | 'xml' | 'json';

export interface SymbolAt {
  id: string;
  qualified_name: string;
  name: string;
  kind: string;
  file: string;
  /** The line, from 1; 0 for a symbol outside the workspace. */
  line: number;
  location?: Location;
}

export interface Count {
  value: number;
  approximate: boolean;
  capped: boolean;
}

export interface Caller extends SymbolAt {
  call_location?: Location;
  provenance: string;
  confidence: number;
  ambiguous: boolean;
}

export interface Dependent extends SymbolAt {
  on: string;
  edge: string;
  provenance?: string;
  ambiguous: boolean;
}

export interface TestReach extends SymbolAt {
  distance: number;
  ambiguous: boolean;
}

export interface BlastRadius {
  target: SymbolAt;
  counts: { callers: Count; dependents: Count; tests: Count };
  callers: Caller[];
  levels: Dependent[][];
  tests: TestReach[];
  truncated: boolean;
  freshness: Freshness;
  text?: string;
}

export interface AffectedTest extends SymbolAt {
  path: SymbolAt[];
  removed?: string;
  possible: boolean;
  ambiguous: boolean;
}

export interface AffectedTests {
  targets: number;
  tests: AffectedTest[];
  truncated: boolean;
  freshness: Freshness;
}

export interface Explanation {
  qualified_name: string;
  text?: string;
}

export interface ServerReport {
  name: string;
  state: string;
  reason?: string;
  confirmed: number;
  waiting_files: number;
}

export interface FolderStatus {
  root: string;
  files: number;
  symbols: number;
  edges: number;
  phase: 'opening' | 'indexing' | 'ready' | 'cancelled' | 'failed';
  problem: string | null;
  pending_files: number;
  unsaved_files: number;
  broken_files?: number;
  desynchronised_files?: number;
  watch_problem?: string;
  enrichment?: ServerReport[];
}

export interface SessionStatus {
  version?: string;
  folders: FolderStatus[];
}

/** The server's commands, each with its argument and its answer. */
export interface Commands {
  'kenning.taskContext': [
    {
      task: string;
      format?: PackFormat;
      noLearning?: boolean;
      pinned?: string[];
      excluded?: string[];
    } & Partial<Place>,
    Pack,
  ];
  'kenning.fileContext': [{ uris: string[]; format?: PackFormat; noLearning?: boolean }, Pack];
  'kenning.changeContext': [
    { base?: string; format?: PackFormat; noLearning?: boolean } & Partial<Place>,
    Pack,
  ];
  'kenning.blastRadius': [
    { symbol?: string; depth?: number; format?: 'markdown' } & Partial<Place>,
    BlastRadius,
  ];
  'kenning.affectedTests': [{ uris?: string[]; base?: string } & Partial<Place>, AffectedTests];
  'kenning.explain': [
    {
      task: string;
      symbol: string;
      format?: 'markdown';
      noLearning?: boolean;
      pinned?: string[];
      excluded?: string[];
    } & Partial<Place>,
    Explanation,
  ];
  'kenning.feedback': [{ packRoot: string; symbol: string; useful: boolean }, { ok: boolean }];
  'kenning.status': [Record<string, never>, SessionStatus];
  'kenning.reindex': [Partial<Place>, SessionStatus];
  'kenning.restartServers': [Partial<Place> & { server?: string }, SessionStatus];
}

export type CommandName = keyof Commands;
export type Arguments<C extends CommandName> = Commands[C][0];
export type Answer<C extends CommandName> = Commands[C][1];
