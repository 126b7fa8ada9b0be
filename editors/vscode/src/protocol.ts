/**
 * The arguments and results of the server's commands (docs/lsp-extensions.md).
 * Generated from their declarations: UPDATE_EXPECT=1 cargo test -p kenning --lib client_types
 */

/** A test and its path to a changed symbol. */
export interface AffectedTest {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** The name by which its runner knows it (`tests/test_cart.py::TestCart::test_add`); absent if no runner for it is known. */
  run_id?: string;
  /** The shortest path, from the test to the changed symbol; only the test if the test itself changed. */
  path: LocatedSymbol[];
  /** The removed definition that the last symbol of the path used: a name inside a changed file, or the path of a removed file. */
  removed?: string;
  /** True if every path has a step that is decided at run time: dispatch to an overriding symbol, or code that a test framework, a library or the language runs. */
  possible: boolean;
  /** True if every path uses an edge that may lead elsewhere. */
  ambiguous: boolean;
}

/** A test file that the change may affect. */
export interface AffectedTestFile {
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** The number of its tests that reach the change. */
  reaching: number;
  /** The reasons why it may also have to change, the strongest first. */
  reasons: string[];
}

/** The tests that reach changed symbols, each with its call path to the change. */
export interface AffectedTests {
  /** Version of this format. */
  schema: number;
  /** The change; absent if the request named files. */
  change?: Change;
  /** The files that the request named; absent if it asked about a change. */
  files?: string[];
  /** The number of symbols that changed, that used a removed definition, or that the requested files contain. */
  targets: number;
  /** The tests, the nearest first, then by qualified name. */
  tests: AffectedTest[];
  /** The test files that matter most, the likeliest first, at most 15: files whose tests reach the change, and files that usually change with it. */
  test_files: AffectedTestFile[];
  /** Shell commands that run the tests, to be run in the root of the workspace. If no tests are found that reach the change, they run the likeliest test files. */
  commands: string[];
  /** True if there are, or may be, more tests. */
  truncated: boolean;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** Returns the tests that reach changed code, each with its call path to the change. The changed code is everything in `uris`, or the change since `base` as `kenning.changeContext` computes it. Without either, it is the change since the default base. */
export interface AffectedTestsArguments {
  /** The changed files, as URIs. All must be in one folder, and everything in them counts as changed. */
  uris?: string[];
  /** The revision to compare with, as for `kenning.changeContext`. It cannot be combined with `uris`. */
  base?: string;
  /** The ids of the tests that the commands of the answer run. Defaults to all of its tests. */
  runOnly?: string[];
  /** Adds the answer in this format, as `text`. */
  format?: OutputFormat;
  /** Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages. Without a budget, the text is whole, with at most 200 tests per list. */
  budget?: number;
  /** The page of the text, from 1, if there is a budget. Defaults to 1. */
  page?: number;
  /** A document that selects the folder if several folders are open and `uris` is absent. Defaults to the first folder. */
  textDocument?: TextDocument;
}

/** The numbers of callers, uses, implementations, dependents and tests of a symbol. */
export interface BlastCounts {
  /** Distinct direct callers: symbols that call the target, a symbol that it overrides, or its route, or that pass the target on to be called. */
  callers: SymbolCount;
  /** Distinct symbols that use the target or its members, calls included. */
  uses: SymbolCount;
  /** Distinct types that extend or implement the target. */
  implementations: SymbolCount;
  /** Distinct symbols that reach the target within 6 hops, tests included. */
  dependents: SymbolCount;
  /** Distinct tests that reach the target within 6 hops. */
  tests: SymbolCount;
}

/** An overload of the target. */
export interface BlastOverload {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** Its signature, on one line. */
  signature: string;
  /** Its own numbers, as a lens shows them. */
  title: string;
}

/** The dependents of a symbol, with their distances and the evidence for them. */
export interface BlastRadius {
  /** Version of this format. */
  schema: number;
  /** The symbol that the request asked about. */
  target: LocatedSymbol;
  /** Other symbols that the requested position may refer to; the likeliest one is the target. */
  alternatives?: LocatedSymbol[];
  /** The overloads that the answer counts together, each with its own title; empty if there is only one. */
  overloads?: BlastOverload[];
  /** The numbers of callers, dependents and tests in words, as lenses show them. */
  title: string;
  /** The numbers of callers, uses, implementations, dependents and tests. */
  counts: BlastCounts;
  /** Direct callers, by path and line. */
  callers: Caller[];
  /** The symbols that use the target directly and the tests that reach it, by role and by file. They are the first level of a tree of users. */
  users: UserGroup[];
  /** A sentence if there are no users, with the reason why users may be missing. */
  no_users?: string;
  /** Dependents by distance, from one hop up to the requested depth. */
  levels: Dependent[][];
  /** The folders that contain dependents, the folder with the most first. */
  folders: FolderCount[];
  /** Tests that reach the target within 6 hops, the nearest first. */
  tests: TestReach[];
  /** The number of direct callers per provenance. */
  evidence: Record<string, number>;
  /** The number of direct callers that each language server confirmed. */
  servers: Record<string, number>;
  /** The number of direct callers whose call may lead elsewhere. */
  ambiguous: number;
  /** Symbols that the target overrides: a call to one of them may run the target. Not part of the numbers. */
  through_overrides: ThroughOverride[];
  /** The number of distinct symbols that use the target in other ways than by calling it. */
  mentions: number;
  /** Files that a change to the target may also touch, the likeliest first: files that changed together with it, that use it or that it uses, and parallel implementations. */
  ripple: RippleFile[];
  /** The manifests and files that use the target, if it is a package of a registry. */
  package?: PackageUses;
  /** True if a list is shorter than its count, or if counting stopped early. */
  truncated: boolean;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** Returns the blast radius of a symbol: direct callers, dependents by number of hops, tests that reach it, and the evidence for all of these. A name or a position selects the symbol: the definition whose name is at the position, or the definition that the name there refers to. */
export interface BlastRadiusArguments {
  /** The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file. */
  symbol?: string;
  /** The document of `position`. With `symbol`, a document that selects the folder. */
  textDocument?: TextDocument;
  /** A position in the document. */
  position?: Position;
  /** Maximum distance of listed dependents, from 1 to 6 hops. Defaults to the option `blastRadius.depth`. The counts do not depend on it. */
  depth?: number;
  /** Adds the answer in this format, as `text`. */
  format?: OutputFormat;
  /** Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages. Without a budget, the text is whole, with at most 40 entries per list. */
  budget?: number;
  /** The page of the text, from 1, if there is a budget. Defaults to 1. */
  page?: number;
  /** Makes the server show the answer itself, for clients that can only send commands. */
  show?: boolean;
}

/** The call sites of a workspace by how they were resolved. */
export interface CallFigures {
  /** All call sites. */
  total: number;
  /** Call sites that lead to exactly one symbol of the workspace. */
  resolved: number;
  /** Call sites with several candidates. */
  ambiguous: number;
  /** Call sites that lead out of the workspace. */
  external: number;
  /** Call sites whose target is unknown. */
  unresolved: number;
  /** The share of `resolved` in `total`, in percent with one decimal. */
  resolved_percent: number;
}

/** A direct caller. */
export interface Caller {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** 1-based line of the first call in the caller's file; null if unknown. */
  call_line: number | null;
  /** The location of that call, for clients that open it. */
  call_location?: Location;
  /** The provenance of the call. */
  provenance: string;
  /** Confidence that the call is right, from 0 to 1. */
  confidence: number;
  /** True if the call may lead elsewhere. */
  ambiguous: boolean;
}

/** Everything that changed since a commit: commits, index, working tree, untracked files and unsaved text together. */
export interface Change {
  /** The base revision of the change, as the request named it or as Kenning chose it. */
  base: string;
  /** The merge base of that revision and the checked-out commit; null before the first commit. */
  merge_base: string | null;
  /** The changed files, by path. */
  files: ChangedFile[];
  /** True if uses of removed names are missing, or may be missing. */
  removed_truncated?: boolean;
}

/** Returns the code that matters for a change: the symbols that it touches and the code close to them. The change is the difference that git shows between the base and the working tree (commits, index, working tree, untracked files), including the unsaved text of open documents. The answer lists its files under `change`. */
export interface ChangeContextArguments {
  /** The revision to compare with: a branch, a tag or a commit. The change starts at the merge base of that revision and the checked-out commit. Defaults to the remote's default branch, else `main` or `master`, else `HEAD`. */
  base?: string;
  /** Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.changeBudget`. */
  budget?: number;
  /** The ranking configuration. Defaults to the option `ranking.configuration`. */
  configuration?: RankConfigName;
  /** Adds the pack in this format, as `text`. */
  format?: PackFormat;
  /** Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format. */
  text?: boolean;
  /** Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change. */
  explain?: boolean;
  /** The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack. */
  packRoot?: string;
  /** Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts. */
  gcfSession?: GcfSessionPart;
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
  /** Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes. */
  noLearning?: boolean;
  /** Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts. */
  ignoreShown?: boolean;
}

/** A changed file. */
export interface ChangedFile {
  /** The path in the workspace, with `/` as the separator; a deleted file has its former path. */
  path: string;
  /** The kind of change: `added`, `modified`, `deleted` or `renamed`. */
  status: string;
  /** The former path of a renamed file. */
  old_path?: string;
  /** True if the file is not text; its lines are not compared. */
  binary?: boolean;
  /** Ranges of added and changed lines, as first and last line, 1-based. */
  lines: number[][];
  /** Lines after which lines were only removed, 1-based; 0 is before the first line. */
  removed_after?: number[];
  /** Names inside the file (`Class.method`) that it no longer declares; the symbols that used them count as changed. */
  removed?: string[];
}

/** The symbol's rank in the list of one channel. */
export interface ChannelRank {
  /** The channel's name. */
  channel: string;
  /** The rule that found the symbol; may be empty. */
  reason: string;
  /** Rank in the channel's list. */
  rank: number;
  /** Score within the channel. */
  score: number;
  /** Weight of the channel. */
  weight: number;
}

/** The contribution of one commit to a symbol. */
export interface CommitVote {
  /** The commit's id. */
  commit: string;
  /** The day of the commit, as YYYY-MM-DD in UTC; null if its time is invalid. */
  date: string | null;
  /** The first line of its message. */
  subject: string;
  /** The contribution to the symbol; 0 if the commit touched only the file. The component `history` is the square root of the sum of all contributions, times the channel's weight. */
  symbol: number;
  /** The contribution to the symbol's file; the component `history_files` is computed from it in the same way. */
  file: number;
}

/** The database of a folder. */
export interface DatabaseStatus {
  /** The path of the database. */
  path: string;
  /** The number of the last migration; `null` if the file cannot be read. */
  schema: number | null;
  /** The size in bytes, including the write-ahead log. */
  bytes: number;
}

/** The differences between a new pack and one that the client has. */
export interface Delta {
  /** Version of this format. */
  schema: number;
  /** The root of the pack that the client has. */
  base_root: string;
  /** Identity of the pack's content; packs with equal content have equal roots. The first 12 hexadecimal digits; all 64 with `explain`. */
  pack_root: string;
  /** Identity of the graph derived from the text. Only with `explain`. */
  source_root?: string;
  /** Identity of everything that the answer is based on. Only with `explain`. */
  snapshot?: string;
  /** The token budget. */
  budget: number;
  /** Tokens of the whole pack as its reader gets it: in the format of `text`, or else in this one as the command line prints it. Includes the freshness but not the timings. */
  tokens_used: number;
  /** The likelihood that the task edits one of the first five symbols: `high` (at least 0.8), `medium` (at least 0.4), `low`, or `none` if nothing in the workspace matches. Absent for files and changes. */
  confidence?: string;
  /** The same as a number from 0 to 1. */
  probability?: number;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** The ids of the symbols that are no longer in the pack. */
  removed: string[];
  /** Symbols that are new in the pack. Insert them in the order of their positions; the other symbols keep their order, unless `order` says otherwise. */
  added: RankedPackSymbol[];
  /** Symbols whose detail, text, signature or group changed. Each replaces the symbol with its id. */
  changed: RankedPackSymbol[];
  /** Symbols whose only change is the position. */
  moved?: MovedSymbol[];
  /** The ids of all symbols of the new pack in the order of reading, if the symbols that are in both packs changed their order. */
  order?: string[];
  /** The removed edges between symbols that are in both packs. The edges of a removed symbol are removed with it. */
  edges_removed: DeltaEdge[];
  /** The added edges. */
  edges_added: DeltaEdge[];
  /** All sections of documents of the new pack, if they changed. */
  documents?: PackSymbol[];
  /** The change, if the request asked about one. */
  change?: Change;
  /** Milliseconds per stage, and `total`. */
  timings_ms?: Record<string, number>;
  /** The difference in the format that the request's `format` names. */
  text?: string;
}

/** An edge that only one of two packs has. Its ends are ids, because positions differ between the packs. */
export interface DeltaEdge {
  /** The id of the source. */
  source: string;
  /** The id of the target. */
  target: string;
  /** The kind of relation. */
  kind: string;
}

/** A symbol that depends on the target. */
export interface Dependent {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** The id of the next symbol on the path to the target. */
  on: string;
  /** The role for that symbol: `caller`, `dispatch`, `use`, `implementation` or `possible`. */
  role: string;
  /** The relation to that symbol, as the kind of the edge: `calls`, `overrides`, `references` ... */
  edge: string;
  /** A description of the use of that symbol: `calls it`, `reads or writes Order.total`. */
  relation: string;
  /** The provenance of the relation: `lsp_resolved`, `ast_resolved`, `ast_inferred` ... */
  provenance: string;
  /** True if every path to the target uses an edge that may lead elsewhere. */
  ambiguous: boolean;
}

/** The space that a workspace and the whole cache take. */
export interface DiskUsage {
  /** The size of the files of this index in bytes, including learned data and vectors. */
  index_bytes: number;
  /** The size in bytes of the cache of facts, which the worktrees of a repository share. */
  facts_bytes: number;
  /** The size of Kenning's whole folder in the cache in bytes. */
  cache_bytes: number;
  /** The number of indexes in the cache. */
  cached_indexes: number;
}

/** A position in a document. */
export interface DocumentPoint {
  /** The line, from 0. */
  line: number;
  /** Code units from the start of the line. */
  character: number;
}

/** The status of an open document. */
export interface DocumentStatus {
  /** The document's path in the folder, with `/` as the separator. */
  path: string;
  /** The last version that the client sent. */
  version: number;
  /** SHA-256 of the document's text in the server, with which a client can check that both have the same text. */
  sha256: string;
  /** The reason why the server could not apply the document's edits; null if it applied them all. Until the client sends the whole text, answers use the text on disk. */
  desynchronized: string | null;
  /** The reason why the document's unsaved text is not in the graph although its file is; absent otherwise. Until the document is saved, answers use the text on disk. */
  left_out?: string;
}

/** Asks the language servers in the background about all references that have no answer yet. Returns the status, immediately or once no questions are left. */
export interface EnrichArguments {
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
  /** Maximum number of questions. Defaults to no limit. */
  limit?: number;
  /** Delays the answer until no questions are left. Cancelling the request ends the wait, not the questions. */
  wait?: boolean;
}

/** The kind of an entry. Each has a folder of its own. */
export type EntryKind = 'note' | 'task' | 'skill';

/** Explains the rank of one symbol in the answer to a task. */
export interface ExplainArguments {
  /** The task, as for `kenning.taskContext`. */
  task: string;
  /** The symbol: `Class.method`, `path::Class.method`, a simple name, or an id. */
  symbol: string;
  /** The document of `position`. It also selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
  /** The position of the cursor, as for `kenning.taskContext`. */
  position?: Position;
  /** The ids of symbols that are shown first, as for `kenning.taskContext`. */
  pinned?: string[];
  /** The ids of symbols that are omitted, as for `kenning.taskContext`. */
  excluded?: string[];
  /** The ranking configuration, as for `kenning.taskContext`. */
  configuration?: RankConfigName;
  /** Explains the ranking without feedback or recently shown symbols, as for `kenning.taskContext`. */
  noLearning?: boolean;
  /** Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts. */
  ignoreShown?: boolean;
  /** Adds the answer in this format, as `text`: in sentences if it is Markdown. */
  format?: OutputFormat;
  /** Adds the numbers of every stage to the sentences. */
  numbers?: boolean;
}

/** The results of one symbol in each stage of a ranking. Ranks count from 1; they are null if the symbol took no part in a stage. */
export interface Explanation {
  /** Version of this format. */
  schema: number;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name of the ranking configuration. */
  config: string;
  /** The explanation in sentences, as paragraphs of Markdown. */
  summary: string;
  /** Rank in the final list. */
  rank: number | null;
  /** Length of the final list. */
  candidates: number;
  /** The sum of the components. */
  score: number | null;
  /** The components of the score, by name. */
  components: Record<string, number>;
  /** The contribution of each feature of the learned ranker to the score, by name. Together they are the components that begin with `learned_`, apart from `learned_base`. */
  features: Record<string, number>;
  /** The symbol's ranks in the channels that found it. */
  channels: ChannelRank[];
  /** The symbol's rank after the channels were fused. */
  fused: ListRank | null;
  /** The symbol's rank among the seeds of the walk; `score` is the restart weight. */
  seed: ListRank | null;
  /** Probability mass of the walk, relative to the best candidate. */
  walk: number | null;
  /** Hops from the symbols that the task matches directly (0). */
  distance: number | null;
  /** Authority among the best candidates of the walk; null if not computed. */
  authority: number | null;
  /** Hub score among the best candidates of the walk; null if not computed. */
  hub: number | null;
  /** The most probable path from a seed to the symbol, as qualified names. */
  path: string[];
  /** The related commits that contributed most to the symbol, then to its file; at most five. */
  votes: CommitVote[];
  /** The number of commits that contributed to the symbol or its file. */
  voters: number;
  /** Whether a noise rule removed the symbol. */
  noise: boolean;
  /** The noise rule: `generated`, `built`, `vendored`, `minified`, `test helper`, `mock` or `short name`. */
  noise_rule: string | null;
  /** The symbol's rank among the symbols that strong framework classes move to the front. */
  injected: number | null;
  /** The symbol's rank among the symbols that the fallback for huge graphs raised or added. */
  fallback: number | null;
  /** Detail and size of the symbol in the pack; null if it is not in the pack. */
  packed: PackedForm | null;
  /** The reason why a candidate is not in the pack: `budget`, `noise`, `threshold` or `shown`. */
  left_out: string | null;
  /** Score per token of the symbol's cheapest form, weighted by nearness to the seeds; null if packing did not compute it. */
  density: number | null;
  /** Freshness of the answer. Absent on the command line. */
  freshness?: Freshness;
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** Records whether a symbol of a pack was useful. The feedback is stored on this machine and counts for tasks that name the same things, until the symbol's package changes. `kenning forget` deletes it. */
export interface FeedbackArguments {
  /** The `pack_root` of the pack, or its prefix as Markdown shows it. The pack must be one of the last 64 that this session received with learning enabled. */
  packRoot: string;
  /** The symbol: `Class.method`, `path::Class.method`, a simple name, or an id. */
  symbol: string;
  /** Whether the symbol was useful. */
  useful: boolean;
}

/** Returns the code that matters for work on some files: their symbols and the code close to them. */
export interface FileContextArguments {
  /** The files, as URIs: at least one, and all in one folder. */
  uris: string[];
  /** Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.budget`. */
  budget?: number;
  /** The ranking configuration. Defaults to the option `ranking.configuration`. */
  configuration?: RankConfigName;
  /** Adds the pack in this format, as `text`. */
  format?: PackFormat;
  /** Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format. */
  text?: boolean;
  /** Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change. */
  explain?: boolean;
  /** The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack. */
  packRoot?: string;
  /** Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts. */
  gcfSession?: GcfSessionPart;
  /** Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes. */
  noLearning?: boolean;
  /** Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts. */
  ignoreShown?: boolean;
}

/** One of the first symbols of the ranking. */
export interface FirstSymbol {
  /** Index in `symbols`. */
  index: number;
  /** The likelihood that the task edits the symbol, from 0 to 1. */
  likelihood: number;
  /** The strongest reason for its rank, in a few words. */
  reason?: string;
}

/** The dependents in one folder. */
export interface FolderCount {
  /** The path relative to the workspace's root, with `/` as the separator; empty for the root. */
  folder: string;
  /** The number of dependents in the folder. */
  dependents: number;
}

/** The status of a folder. */
export interface FolderStatus {
  /** Version of this format. */
  schema: number;
  /** Version of Kenning. */
  version: string;
  /** The folder's path. */
  root: string;
  /** The database; null before it is open. */
  database: DatabaseStatus | null;
  /** The space that the index and the whole cache take; only in the command line's status. */
  disk?: DiskUsage;
  /** `writer` or `reader`; null before the database is open. */
  role: string | null;
  /** The number of the graph's revision. */
  revision: number;
  /** Identity hash of the graph of the text. */
  source_root: string;
  /** Identity hash of everything that answers depend on, language servers included. */
  snapshot: string;
  /** The number of files in the index. */
  files: number;
  /** The number of symbols in the workspace. */
  symbols: number;
  /** The number of symbols outside the workspace that an edge points to. */
  phantoms: number;
  /** The number of edges. */
  edges: number;
  /** The number of symbols whose last commit is known. */
  with_history: number;
  /** The number of commits that were read from the history. */
  commits: number;
  /** The number of tests whose runs were imported. */
  recorded_tests: number;
  /** The number of calls that imported traces show. */
  recorded_calls: number;
  /** The number of files by language. */
  files_by_language: Record<string, number>;
  /** The number of files that no one edits, by reason: `generated`, `built`, `vendored`. */
  derived_files: Record<string, number>;
  /** The number of symbols by kind. */
  symbols_by_kind: Record<string, number>;
  /** The number of edges by kind. */
  edges_by_kind: Record<string, number>;
  /** The number of edges by provenance. */
  edges_by_provenance: Record<string, number>;
  /** The call sites by how they were resolved. */
  calls: CallFigures;
  /** The ranking configuration that the options choose; absent if it is the default. */
  ranking?: RankConfigName;
  /** The vectors; absent if `vectors.model` is not set. */
  vectors?: VectorsStatus;
  /** The state and the verdicts of each language server. */
  enrichment: ServerReport[];
  /** Files that are ignored or only partly used, with the reason: ignore files, manifests, the repository. */
  problems?: string[];
  /** The number of files that are left out because their language is unknown, by extension. */
  unknown_extensions: Record<string, number>;
  /** The time at which the revision was indexed, RFC 3339; null before the first index. */
  indexed_at: string | null;
  /** The git commit that was checked out at that time; null without a repository or a commit. */
  head: string | null;
  /** The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed. */
  pending_files: number;
  /** Whether a check of the disk is pending: files may have changed that the answer does not include. */
  disk_check_pending?: boolean;
  /** The number of open files whose unsaved text is in the answer. */
  unsaved_files: number;
  /** The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing. */
  broken_files?: number;
  /** The number of open files whose edits the server could not apply. The answer uses their text on disk. */
  desynchronized_files?: number;
  /** The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk. */
  large_files?: number;
  /** Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together. */
  history_pending?: boolean;
  /** Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning. */
  vectors_pending?: boolean;
  /** The language servers that confirm edges. */
  servers: ServerFreshness[];
  /** `opening`, `indexing`, `ready`, `cancelled` (if the user cancelled the first indexing) or `failed`. */
  phase: string;
  /** The reason why the last indexing failed; null if it did not fail. */
  problem: string | null;
  /** The reason why the server cannot watch the files of the folder; absent if it can. If it cannot, requests check the disk. */
  watch_problem?: string;
  /** The open documents, sorted by path. */
  documents: DocumentStatus[];
}

/** The state that an answer is based on, and the parts that it does not include yet. */
export interface Freshness {
  /** The time at which the revision was indexed, RFC 3339; null before the first index. */
  indexed_at: string | null;
  /** The git commit that was checked out at that time; null without a repository or a commit. */
  head: string | null;
  /** The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed. */
  pending_files: number;
  /** Whether a check of the disk is pending: files may have changed that the answer does not include. */
  disk_check_pending?: boolean;
  /** The number of open files whose unsaved text is in the answer. */
  unsaved_files: number;
  /** The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing. */
  broken_files?: number;
  /** The number of open files whose edits the server could not apply. The answer uses their text on disk. */
  desynchronized_files?: number;
  /** The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk. */
  large_files?: number;
  /** Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together. */
  history_pending?: boolean;
  /** Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning. */
  vectors_pending?: boolean;
  /** The language servers that confirm edges. */
  servers: ServerFreshness[];
}

/** The part of a session of GCF that an answer belongs to. */
export type GcfSessionPart = 'new' | 'continue';

/** The symbols around a symbol, and the edges among them. */
export interface Graph {
  /** Version of this format. */
  schema: number;
  /** The symbols: the requested one first, then by distance. */
  nodes: GraphNode[];
  /** Edges among the nodes, by source, target and kind. */
  edges: GraphEdge[];
  /** True if nodes within the requested distance were left out. */
  truncated: boolean;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** Returns the symbols around a symbol, in both directions, and the edges between them. */
export interface GraphArguments {
  /** The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file. */
  symbol?: string;
  /** The document of `position`. With `symbol`, a document that selects the folder. */
  textDocument?: TextDocument;
  /** A position in the document. */
  position?: Position;
  /** The number of hops, from 1 to 6. Defaults to 2. */
  depth?: number;
  /** Maximum number of nodes, from 1 to 1000. Defaults to 60. */
  limit?: number;
  /** Adds the answer in this format, as `text`. */
  format?: GraphFormat;
}

/** An edge of a graph. */
export interface GraphEdge {
  /** Index of the source in `nodes`. */
  source: number;
  /** Index of the target in `nodes`. */
  target: number;
  /** The kind of relation: `calls`, `implements` ... */
  kind: string;
  /** The provenance of the edge. */
  provenance: string;
  /** Confidence that the edge is right, from 0 to 1. */
  confidence: number;
  /** True if the edge may lead elsewhere. */
  ambiguous: boolean;
}

/** The format of a neighborhood. */
export type GraphFormat = 'json' | 'dot' | 'svg';

/** A symbol of a graph. */
export interface GraphNode {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** Hops from the requested symbol, in either direction. */
  distance: number;
}

/** The progress and the freshness of the index. */
export interface IndexReadiness {
  /** Whether the index includes everything that was on the disk when the request came. */
  ready: boolean;
  /** The number of files that the running stage of the indexing has processed. */
  doneFiles: number;
  /** The number of files in this stage; 0 if no indexing is running. */
  totalFiles: number;
  /** The state of the index now. */
  freshness: Freshness;
}

/** Notes, tasks and skills, and the problems in their files. */
export interface KnowledgeAnswer {
  /** Version of this format. */
  schema: number;
  /** The entries. */
  entries: KnowledgeEntry[];
  /** The problems in the files of entries, including links to code that moved or is gone. */
  findings: KnowledgeFinding[];
  /** The changes that were made; absent if the request changes nothing. */
  done?: string;
  /** The answer as Markdown, if the request asks for it. */
  text?: string;
}

/** Lists, finds, writes and links notes, tasks and skills: Markdown files in the folder that the option `knowledge.folder` names. An operation that changes a file answers with the entry as it is now. */
export interface KnowledgeArguments {
  /** The operation: `list` all entries or the entries of `kind`, `tag` or `status`; `about` lists the entries that are linked to a symbol; `show` one entry with its body; `add` an entry; `link` an entry; `repair` its links; `set` attributes of a task; `recall` the entries that `text` is about. */
  op: KnowledgeOperation;
  /** The kind of entry: needed to `show`, `add`, `link`, `repair`; limits the other operations. */
  kind?: EntryKind;
  /** The id of the entry: the name of its file without `.md`. */
  id?: string;
  /** The symbol for `about`, to link for `link` and `add`: `Class.method`, `path::Class.method`, an id, or the path of a file. A position can replace it. */
  symbol?: string;
  /** The document of `position`, or one that selects the folder. */
  textDocument?: TextDocument;
  /** A position in the document. */
  position?: Position;
  /** Another entry to link, as `note:ID`, `task:ID` or `skill:ID`. */
  entry?: string;
  /** The meaning of the link. Defaults to `related_to`. */
  linkKind?: string;
  /** The title of a new entry. */
  title?: string;
  /** The Markdown below the front matter of a new entry. */
  body?: string;
  /** The tags of a new entry. */
  tags?: string[];
  /** Lists only entries with this tag. */
  tag?: string;
  /** The new status of a task, or the status of the listed tasks. */
  status?: TaskStatus;
  /** The new priority of a task. */
  priority?: TaskPriority;
  /** The new due date of a task, as `YYYY-MM-DD`. */
  due?: string;
  /** Makes a new task an epic. */
  epic?: boolean;
  /** The purpose of a new skill. */
  description?: string;
  /** Phrases that recall a new skill. */
  triggers?: string[];
  /** Patterns of the files that a new skill is about. */
  filePatterns?: string[];
  /** The source of a new skill. */
  source?: SkillSource;
  /** The text for `recall`. */
  text?: string;
  /** Maximum number of entries that `recall` finds. Defaults to 5. */
  limit?: number;
  /** Adds the answer in this format, as `text`. */
  format?: OutputFormat;
  /** Makes the server show the answer itself, for clients that can only send commands. */
  show?: boolean;
}

/** A link of another entry. */
export interface KnowledgeBacklink {
  /** The other entry, as `task:fix-login`. */
  from: string;
  /** The meaning of the link. */
  kind: string;
}

/** A note, a task or a skill. */
export interface KnowledgeEntry {
  /** The kind of entry. */
  kind: EntryKind;
  /** The name of the file without its extension. */
  id: string;
  /** The title. */
  title: string;
  /** The path of the file in the workspace. */
  path: string;
  /** URI of the file; only the language server's answers have it. */
  uri?: string;
  /** Words to find the entry by. */
  tags?: string[];
  /** The status of a task; absent if its file has an unknown word. */
  status?: TaskStatus;
  /** The priority of a task. */
  priority?: TaskPriority;
  /** The due date of a task, as `YYYY-MM-DD`. */
  due?: string;
  /** True for a task that other tasks can belong to. */
  epic?: boolean;
  /** The purpose of a skill. */
  description?: string;
  /** Phrases that recall a skill whenever a text contains one. */
  triggers?: string[];
  /** Patterns of the files that a skill is about. */
  file_patterns?: string[];
  /** The source of a skill. */
  source?: SkillSource;
  /** The links of the entry. */
  links?: KnowledgeLink[];
  /** The links of other entries to this one. */
  linked_from?: KnowledgeBacklink[];
  /** The fit of the entry to the text of a recall, from 0 to 1. */
  score?: number;
  /** The trigger that the text of a recall contains. */
  trigger?: string;
  /** The Markdown below the front matter; for a skill, its steps. Lists do not have it. */
  body?: string;
}

/** A problem in the file of an entry. */
export interface KnowledgeFinding {
  /** The path in the workspace. */
  path: string;
  /** The 1-based line; absent for the whole file. */
  line?: number;
  /** The problem, and what to do. */
  message: string;
}

/** A link of an entry. */
export interface KnowledgeLink {
  /** The target: an entry as `task:fix-login`, a symbol as `path::Outer.name`, or a file. */
  to: string;
  /** The meaning of the link, such as `related_to` or `blocks`. */
  kind: string;
  /** Whether the link still leads to its target. */
  state: LinkStateName;
  /** The name that a moved target has now. */
  moved_to?: string;
}

/** An operation of `kenning.knowledge`. */
export type KnowledgeOperation = 'list' | 'about' | 'show' | 'add' | 'link' | 'repair' | 'set' | 'recall';

/** Whether a link still leads to its target. */
export type LinkStateName = 'found' | 'moved' | 'broken';

/** A rank in a list. */
export interface ListRank {
  /** The rank, from 1. */
  rank: number;
  /** The score behind the rank. */
  score: number;
}

/** A symbol and its location. */
export interface LocatedSymbol {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
}

/** A range in a document, as in LSP: positions start at 0 and use the negotiated encoding. */
export interface Location {
  /** URI of the document. */
  uri: string;
  /** The range in the document. */
  range: Range;
}

/** The new position of a symbol. */
export interface MovedSymbol {
  /** The symbol's identity. */
  id: string;
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** 1-based line of the name. */
  line: number;
  /** 1-based last line of the declaration. */
  end_line: number;
}

/** A candidate that is not in the pack. */
export interface OmittedCandidate {
  /** The candidate's qualified name. */
  name: string;
  /** Reason: `budget`, `noise` or `threshold`, or `shown` if other items show all its lines. */
  reason: string;
  /** Tokens of the candidate's cheapest form; 0 if not computed. */
  tokens: number;
}

/** The format of an answer. */
export type OutputFormat = 'markdown' | 'json';

/** A pack with the data about its request. */
export interface Pack {
  /** Version of this format. */
  schema: number;
  /** The task as requested; empty for files and changes. */
  task: string;
  /** Identity of the pack's content; packs with equal content have equal roots. The first 12 hexadecimal digits; all 64 with `explain`. */
  pack_root: string;
  /** Identity of the graph derived from the text. Only with `explain`. */
  source_root?: string;
  /** Identity of everything that the answer is based on. Only with `explain`. */
  snapshot?: string;
  /** The token budget. */
  budget: number;
  /** Tokens of the whole pack as its reader gets it: in the format of `text`, or else in this one as the command line prints it. Includes the freshness but not the timings. */
  tokens_used: number;
  /** The likelihood that the task edits one of the first five symbols: `high` (at least 0.8), `medium` (at least 0.4), `low`, or `none` if nothing in the workspace matches. Absent for files and changes. */
  confidence?: string;
  /** The same as a number from 0 to 1. */
  probability?: number;
  /** The statement that nothing in the workspace matches, in words; only if the confidence is `none`. */
  statement?: string;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** The first symbols of the ranking, best first, at which a reader starts. Absent for files and changes, and if nothing matches. */
  first?: FirstSymbol[];
  /** The symbols, in the order of reading, which all forms share: group by group, the file of the best symbol first, and the symbols of a file by rank. */
  symbols: PackSymbol[];
  /** The edges among the symbols. */
  edges: PackEdge[];
  /** Sections of documents that match the task, best first; the name of a section has its headings. Absent without any. */
  documents?: PackSymbol[];
  /** The best candidates that are not in the pack, at most 50. Only with `explain`. */
  omitted?: OmittedCandidate[];
  /** The number of candidates that are not in the pack, by reason. */
  omitted_counts: Record<string, number>;
  /** Requested files that are not in the index. */
  unknown_files?: string[];
  /** Milliseconds per stage, and `total`. */
  timings_ms?: Record<string, number>;
  /** The change, if the request asked about one. */
  change?: Change;
  /** Files that usually change together with the requested files or the change, the likeliest first; absent for a task. */
  ripple?: RippleFile[];
  /** The pack in the format that the request's `format` names. */
  text?: string;
}

/** The result of a request for a pack: the pack, or its difference from a pack that the client has. */
export type PackAnswer = Pack | Delta | UnchangedPack;

/** An edge between two symbols of a pack. */
export interface PackEdge {
  /** Index of the source in `symbols`. */
  source: number;
  /** Index of the target in `symbols`. */
  target: number;
  /** The kind of relation: `calls`, `implements` ... */
  kind: string;
  /** The provenance of the edge. Only with `explain`. */
  provenance?: string;
  /** Confidence that the edge is right, from 0 to 1. Only with `explain`. */
  confidence?: number;
}

/** The format of a pack. */
export type PackFormat = 'markdown' | 'xml' | 'json' | 'gcf' | 'gcb';

/** A symbol of a pack. The fields that explain its rank come only with `explain`. */
export interface PackSymbol {
  /** The symbol's identity; edits elsewhere do not change it. The first 12 hexadecimal digits, which every command accepts; all 64 with `explain`. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. Only with `explain`. */
  qualified_name?: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** Language id. Only with `explain`. */
  language?: string;
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** 1-based line of the name. */
  line: number;
  /** 1-based last line of the declaration. */
  end_line: number;
  /** The signature on one line, as written. Without `explain`, only if the detail is `signature`. */
  signature?: string;
  /** First sentence of the documentation. Without `explain`, only if the detail is `signature`. */
  doc?: string;
  /** The place in the ranking, from 1; absent for a test or a part of a file that is not ranked. */
  rank?: number;
  /** The sum of the components: two decimals, four with `explain`. */
  score: number;
  /** The part of the pack: `pinned`, `subject` (what the request is about), `related`, `tests` or `documentation`. */
  group: string;
  /** Hops from the symbols that the request matches directly (0). */
  distance: number;
  /** Confidence of the best edge that leads to the symbol, from 0 to 1. Only with `explain`. */
  confidence?: number;
  /** The provenance of that edge. Only with `explain`. */
  provenance?: string;
  /** The channels that found the symbol, with their rules: `tiered:exact`. Only with `explain`. */
  channels?: string[];
  /** The components of the score, by name. Only with `explain`. */
  components?: Record<string, number>;
  /** Level of detail: `body`, `trimmed`, `signature` or `name`. */
  detail: string;
  /** Tokens of the symbol's item in Markdown. Only with `explain`. */
  tokens?: number;
  /** The symbol's text, if the detail is `body` or `trimmed`. A line like `⋮ lines 8-19` replaces lines that are not shown. */
  text?: string;
  /** 1-based line of the first line of `text`. */
  text_line?: number;
}

/** A declaration of a dependency in a manifest. */
export interface PackageDeclaration {
  /** The path of the manifest, relative to the workspace, with `/` as the separator. */
  file: string;
  /** 1-based line of the declaration. */
  line: number;
  /** The accepted versions, as written; empty if the manifest accepts any. */
  requirement: string;
  /** The version in the lock file; empty if unknown. */
  locked: string;
}

/** A file that imports a package. */
export interface PackageImporter {
  /** The path of the file, relative to the workspace, with `/` as the separator. */
  file: string;
  /** 1-based line of the first import. */
  line: number;
}

/** The uses of a package. */
export interface PackageUses {
  /** The manifests that need the package, by path. */
  declarations: PackageDeclaration[];
  /** The files that import it, by path. Empty for registries whose packages are not recognizable by the paths of imports (Maven, Composer, Hex). */
  importers: PackageImporter[];
}

/** Detail and size of a symbol in the pack. */
export interface PackedForm {
  /** Level of detail: `body`, `trimmed`, `signature` or `name`. */
  detail: string;
  /** The number of tokens. */
  tokens: number;
}

/** A position in a document in the form of the protocol; both numbers are 0-based. */
export interface Position {
  /** The line. */
  line: number;
  /** Code units of the negotiated encoding from the start of the line. */
  character: number;
}

/** A range of a document. */
export interface Range {
  /** The first position of the range. */
  start: DocumentPoint;
  /** The end of the range, exclusive. */
  end: DocumentPoint;
}

/** A named ranking configuration. */
export type RankConfigName = 'default' | 'linear' | 'seeds' | 'bm25-bodies';

/** A new or changed symbol, with its position. */
export interface RankedPackSymbol {
  /** The position in the new pack; the first is 1. */
  position: number;
  /** The symbol's identity; edits elsewhere do not change it. The first 12 hexadecimal digits, which every command accepts; all 64 with `explain`. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. Only with `explain`. */
  qualified_name?: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** Language id. Only with `explain`. */
  language?: string;
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** 1-based line of the name. */
  line: number;
  /** 1-based last line of the declaration. */
  end_line: number;
  /** The signature on one line, as written. Without `explain`, only if the detail is `signature`. */
  signature?: string;
  /** First sentence of the documentation. Without `explain`, only if the detail is `signature`. */
  doc?: string;
  /** The place in the ranking, from 1; absent for a test or a part of a file that is not ranked. */
  rank?: number;
  /** The sum of the components: two decimals, four with `explain`. */
  score: number;
  /** The part of the pack: `pinned`, `subject` (what the request is about), `related`, `tests` or `documentation`. */
  group: string;
  /** Hops from the symbols that the request matches directly (0). */
  distance: number;
  /** Confidence of the best edge that leads to the symbol, from 0 to 1. Only with `explain`. */
  confidence?: number;
  /** The provenance of that edge. Only with `explain`. */
  provenance?: string;
  /** The channels that found the symbol, with their rules: `tiered:exact`. Only with `explain`. */
  channels?: string[];
  /** The components of the score, by name. Only with `explain`. */
  components?: Record<string, number>;
  /** Level of detail: `body`, `trimmed`, `signature` or `name`. */
  detail: string;
  /** Tokens of the symbol's item in Markdown. Only with `explain`. */
  tokens?: number;
  /** The symbol's text, if the detail is `body` or `trimmed`. A line like `⋮ lines 8-19` replaces lines that are not shown. */
  text?: string;
  /** 1-based line of the first line of `text`. */
  text_line?: number;
}

/** Brings the index up to date with the disk, and returns the status when that is done. Cancelling the request ends the wait. The indexing has its own progress, which can be cancelled. */
export interface ReindexArguments {
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
}

/** Restarts the language servers that confirm edges, including those that Kenning gave up on, and returns the status. */
export interface RestartServersArguments {
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
  /** The name of the only server to restart. Defaults to all servers. */
  server?: string;
}

/** A file that a change to the target may also touch. */
export interface RippleFile {
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** The reasons in words, the strongest first: `changed together in 7 of 9 commits`. */
  reasons: string[];
}

/** The answer to a search. */
export interface SearchAnswer {
  /** The query. */
  query: string;
  /** The hits, best first. */
  hits: SearchHit[];
  /** If there are no hits: the names that the words of the query may be misspellings of. */
  similar?: string[];
  /** The state that the answer is based on. */
  freshness: Freshness;
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** Searches symbols and files, by words, names and places. */
export interface SearchArguments {
  /** The query: words, a name, or the name of a file. */
  query: string;
  /** The kind of items to search. Defaults to `all`. */
  scope?: SearchScopeName;
  /** The ranking mode. Defaults to `hybrid`. */
  mode?: SearchModeName;
  /** Maximum number of results. Defaults to 5, and to 10 for the scopes `files` and `all`. */
  maxResults?: number;
  /** Minimum score of a result, from 0 to 1. Defaults to 0.5, and to 0.3 for files. */
  minScore?: number;
  /** The number of best symbols from which to follow edges of the graph. Defaults to `maxResults`, or to 5 without it. */
  topK?: number;
  /** The number of edges to follow from each of these symbols, at most 6. Defaults to 1. */
  bfsDepth?: number;
  /** Factor of the score for every edge, from 0 to 1. Defaults to 0.95 for members, 0.85 for inheritance, and 0.7 for imports and calls. */
  bfsDecay?: number;
  /** The constant k of reciprocal rank fusion. Defaults to 60. */
  rrfK?: number;
  /** Adds the answer in this format, as `text`; `markdown` adds the lines that the command line prints. */
  format?: OutputFormat;
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
}

/** A hit of a search. */
export interface SearchHit {
  /** The kind of hit: `file`, `note`, `task`, `skill`, or the kind of the symbol; `section` for a section of a document. */
  kind: string;
  /** The name inside the file, the headings of a section, the title of a note, task or skill, or the name of a file. */
  name: string;
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** Line of the symbol's name, from 1; absent for files. */
  line?: number;
  /** Last line of the symbol, from 1; absent for files. */
  end_line?: number;
  /** The relevance to the query, from 0 to 1. */
  score: number;
  /** The short id of the symbol, which every command accepts, or the id of the note, task or skill. */
  id?: string;
  /** The signature of the symbol, on one line. */
  signature?: string;
  /** The first sentence of the symbol's documentation. */
  doc?: string;
  /** The edge that led to the hit from a better one. */
  via?: SearchStep;
  /** The range of the name, or the first line of a file; only the language server's answers have it. */
  location?: Location;
}

/** The way in which a search ranks, as users name it. */
export type SearchModeName = 'hybrid' | 'keyword' | 'vector';

/** The kinds of items to search, as users name them. */
export type SearchScopeName = 'code' | 'docs' | 'files' | 'knowledge' | 'all';

/** The edge that led to a hit. */
export interface SearchStep {
  /** The kind of the edge: `contains`, `member_of`, `extends` ... */
  edge: string;
  /** The name of the better hit. */
  from: string;
}

/** The contribution of one language server. */
export interface ServerFreshness {
  /** The server's name in the registry. */
  name: string;
  /** The server's state. */
  state: string;
  /** The number of edges that the server confirmed in this revision. */
  confirmed_edges: number;
}

/** A report on one language server. */
export interface ServerReport {
  /** The server's name in the table of servers. */
  name: string;
  /** The version as the server reports it; empty if it reports none. */
  version: string;
  /** The folder that the server serves, relative to the workspace; empty for the workspace itself. */
  folder?: string;
  /** `absent`, `stopped`, `starting`, `loading`, `ready`, `busy`, `backoff` or `failed`. */
  state: string;
  /** The reason for the state; empty if there is none. */
  reason?: string;
  /** Whether the server runs in a sandbox, or why not; empty unless a sandbox was requested (`KENNING_SANDBOX`). */
  sandbox?: string;
  /** References that it resolves to the same definition as the text. */
  confirmed: number;
  /** References that it resolves to another definition in the workspace. */
  retargeted: number;
  /** References that it resolves to phantoms, outside the workspace. */
  phantoms: number;
  /** References that it resolves to a local definition inside a body. */
  local: number;
  /** Edges that the text does not show. */
  discovered: number;
  /** Verdicts about an earlier state of the text; the server will be asked again. */
  stale: number;
  /** References that it cannot resolve. */
  nothing: number;
  /** The same references by reason. */
  unresolved: Record<string, number>;
  /** Locations in answers of this session that were dropped, because the file does not exist or is not in the server's language. */
  dropped: number;
  /** Files with references about which the server must still be asked. */
  waiting_files: number;
  /** Requests that were sent to the server in this session. */
  requests: number;
  /** Seconds in this session during which the server was answering requests. */
  seconds: number;
  /** Peak memory of the server and its child processes, in bytes. */
  peak_memory: number;
}

/** The status of the first folder, and the status of every folder under `folders`. */
export interface SessionStatus {
  /** Version of this format. */
  schema?: number;
  /** Version of Kenning. */
  version?: string;
  /** The folder's path. */
  root?: string;
  /** The database; null before it is open. */
  database?: DatabaseStatus;
  /** The space that the index and the whole cache take; only in the command line's status. */
  disk?: DiskUsage;
  /** `writer` or `reader`; null before the database is open. */
  role?: string;
  /** The number of the graph's revision. */
  revision?: number;
  /** Identity hash of the graph of the text. */
  source_root?: string;
  /** Identity hash of everything that answers depend on, language servers included. */
  snapshot?: string;
  /** The number of files in the index. */
  files?: number;
  /** The number of symbols in the workspace. */
  symbols?: number;
  /** The number of symbols outside the workspace that an edge points to. */
  phantoms?: number;
  /** The number of edges. */
  edges?: number;
  /** The number of symbols whose last commit is known. */
  with_history?: number;
  /** The number of commits that were read from the history. */
  commits?: number;
  /** The number of tests whose runs were imported. */
  recorded_tests?: number;
  /** The number of calls that imported traces show. */
  recorded_calls?: number;
  /** The number of files by language. */
  files_by_language?: Record<string, number>;
  /** The number of files that no one edits, by reason: `generated`, `built`, `vendored`. */
  derived_files?: Record<string, number>;
  /** The number of symbols by kind. */
  symbols_by_kind?: Record<string, number>;
  /** The number of edges by kind. */
  edges_by_kind?: Record<string, number>;
  /** The number of edges by provenance. */
  edges_by_provenance?: Record<string, number>;
  /** The call sites by how they were resolved. */
  calls?: CallFigures;
  /** The ranking configuration that the options choose; absent if it is the default. */
  ranking?: RankConfigName;
  /** The vectors; absent if `vectors.model` is not set. */
  vectors?: VectorsStatus;
  /** The state and the verdicts of each language server. */
  enrichment?: ServerReport[];
  /** Files that are ignored or only partly used, with the reason: ignore files, manifests, the repository. */
  problems?: string[];
  /** The number of files that are left out because their language is unknown, by extension. */
  unknown_extensions?: Record<string, number>;
  /** The time at which the revision was indexed, RFC 3339; null before the first index. */
  indexed_at?: string;
  /** The git commit that was checked out at that time; null without a repository or a commit. */
  head?: string;
  /** The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed. */
  pending_files?: number;
  /** Whether a check of the disk is pending: files may have changed that the answer does not include. */
  disk_check_pending?: boolean;
  /** The number of open files whose unsaved text is in the answer. */
  unsaved_files?: number;
  /** The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing. */
  broken_files?: number;
  /** The number of open files whose edits the server could not apply. The answer uses their text on disk. */
  desynchronized_files?: number;
  /** The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk. */
  large_files?: number;
  /** Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together. */
  history_pending?: boolean;
  /** Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning. */
  vectors_pending?: boolean;
  /** The language servers that confirm edges. */
  servers?: ServerFreshness[];
  /** `opening`, `indexing`, `ready`, `cancelled` (if the user cancelled the first indexing) or `failed`. */
  phase?: string;
  /** The reason why the last indexing failed; null if it did not fail. */
  problem?: string;
  /** The reason why the server cannot watch the files of the folder; absent if it can. If it cannot, requests check the disk. */
  watch_problem?: string;
  /** The open documents, sorted by path. */
  documents?: DocumentStatus[];
  /** The status of each folder, in the order in which the client named the folders. */
  folders: FolderStatus[];
  /** The answer in the format that the request's `format` names. */
  text?: string;
}

/** The source of a skill. */
export type SkillSource = 'user' | 'learned';

/** Returns the state of the index, its freshness, and the versions of open documents. */
export interface StatusArguments {
  /** Adds the status of the first folder in this format, as `text`. */
  format?: OutputFormat;
}

/** All valid feedback on this symbol for similar tasks, including the new answer. */
export interface StoredFeedback {
  /** Version of this format. */
  schema: number;
  /** Always true: feedback that cannot be stored is an error. */
  ok: boolean;
  /** The symbol's identity. */
  symbol: string;
  /** The number of answers that called the symbol useful. */
  useful: number;
  /** The number of answers that called it not useful. */
  not_useful: number;
}

/** The size of a set of symbols. It may be approximate, or a lower bound. */
export interface SymbolCount {
  /** The number of symbols found. */
  value: number;
  /** True if part of the number rests on ambiguous edges, or if files are pending or broken; shown as `~5`. */
  approximate: boolean;
  /** True if counting stopped at this number; shown as `1,000+`. */
  capped: boolean;
}

/** A user of a symbol. */
export interface SymbolUser {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** A description of the use: `calls it`, `reads or writes Order.total`. */
  relation: string;
  /** 1-based line of the first use; null if unknown. */
  use_line: number | null;
  /** The location of that use, for clients that open it. */
  use_location?: Location;
  /** The distance to the symbol in hops. Only tests are more than one hop away. */
  distance: number;
  /** The provenance of the use; null for a test that reaches the symbol through others. */
  provenance: string | null;
  /** True if the use may be a use of another symbol. */
  ambiguous: boolean;
  /** True for tests and their parts. */
  is_test: boolean;
  /** True if the user has users itself. The same request with its id returns them. */
  has_users: boolean;
}

/** Returns the code that matters for a task, ranked and within a budget of tokens. */
export interface TaskContextArguments {
  /** The task in words: a line, a commit message, a pasted issue or log. */
  task: string;
  /** Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.budget`. */
  budget?: number;
  /** The ranking configuration. Defaults to the option `ranking.configuration`. */
  configuration?: RankConfigName;
  /** Adds the pack in this format, as `text`. */
  format?: PackFormat;
  /** Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format. */
  text?: boolean;
  /** Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change. */
  explain?: boolean;
  /** The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack. */
  packRoot?: string;
  /** Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts. */
  gcfSession?: GcfSessionPart;
  /** The document of `position`. It also selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
  /** The position of the cursor in `textDocument`. The symbol there and its file have a small weight in the ranking, as channel `editor`. Ignored if the document is not in the index. */
  position?: Position;
  /** The ids of symbols that the pack shows before all others, or at least their first 8 digits. Ids that are no longer in the index are ignored. */
  pinned?: string[];
  /** The ids of symbols that the pack omits, or at least their first 8 digits. */
  excluded?: string[];
  /** Whether the pack may have sections of documents. Defaults to the option `pack.documents`. */
  documents?: boolean;
  /** Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes. */
  noLearning?: boolean;
  /** Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts. */
  ignoreShown?: boolean;
}

/** The priority of a task. */
export type TaskPriority = 'critical' | 'high' | 'medium' | 'low';

/** The status of a task. */
export type TaskStatus = 'backlog' | 'todo' | 'in_progress' | 'review' | 'done' | 'cancelled';

/** A test that reaches the target. */
export interface TestReach {
  /** The symbol's identity; edits elsewhere do not change it. */
  id: string;
  /** The symbol's name as `path::Outer.Inner.name`. */
  qualified_name: string;
  /** The name inside the file. */
  name: string;
  /** The kind of symbol: `function`, `method`, `class` ... */
  kind: string;
  /** The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string. */
  file: string;
  /** 1-based line of the name; 0 for a symbol outside the workspace. */
  line: number;
  /** The range of the name in the document; only the language server's answers have it. */
  location?: Location;
  /** The distance to the target in hops. */
  distance: number;
  /** The id of the next symbol on the path to the target. */
  on: string;
  /** True if every path to the target uses an edge that may lead elsewhere. */
  ambiguous: boolean;
}

/** A document in the form of the protocol. */
export interface TextDocument {
  /** The document's URI. */
  uri: string;
}

/** A symbol that the target overrides or implements. */
export interface ThroughOverride {
  /** The overridden symbol. */
  base: LocatedSymbol;
  /** The number of its direct callers that do not also call the target itself. */
  callers: SymbolCount;
}

/** The answer to a client that already has the current pack. */
export interface UnchangedPack {
  /** Version of this format. */
  schema: number;
  /** Always true. */
  unchanged: boolean;
  /** The root of the pack that the client has. */
  pack_root: string;
  /** Freshness of the answer. */
  freshness: Freshness;
  /** Milliseconds per stage, and `total`. */
  timings_ms?: Record<string, number>;
  /** The note in the format that the request's `format` names, if that format has a form for it. */
  text?: string;
}

/** The unsaved text of one document. */
export interface UnsavedText {
  /** The path in the workspace, with `/` as the separator. */
  path: string;
  /** The text in the editor. */
  text: string;
}

/** The unsaved texts of a folder. */
export interface UnsavedTexts {
  /** The texts, sorted by path. */
  files: UnsavedText[];
}

/** Returns the texts of open documents that differ from their files. The command line asks the session of an editor for them, so that its answers include the text that the user sees. */
export interface UnsavedTextsArguments {
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
}

/** The users in one file. */
export interface UserFile {
  /** The path in the workspace, with `/` as the separator. */
  file: string;
  /** The users, by line. */
  users: SymbolUser[];
}

/** The users of a symbol that have one role. */
export interface UserGroup {
  /** The role: `caller`, `dispatch` (calls a symbol that this symbol overrides), `use`, `implementation`, `possible` (may run this symbol without a call), `test`, or `elsewhere` (in another open folder, through an endpoint, table, topic, variable or flag that both folders name; not part of the numbers). */
  role: string;
  /** The heading of the group. */
  label: string;
  /** The number of users in the group. It is larger than the number of listed users if the list is truncated. */
  count: SymbolCount;
  /** The users by file: files with users outside tests first, then by path. */
  files: UserFile[];
}

/** The vectors of a folder. */
export interface VectorsStatus {
  /** The folder of the model, as the option names it. */
  model: string;
  /** The number of symbols and sections whose vectors are stored. A session computes them in the background, and a command before its answer. */
  symbols: number;
}

/** Checks the disk, and answers when the index includes every change that is there: files that a program wrote a moment ago, and the whole workspace while it is indexed for the first time. Also waits for the commits that earlier sessions read, which the ranking uses; while more commits are being read, `history_pending` is true. For clients that do not report the files that they change, such as agents. */
export interface WaitForIndexArguments {
  /** Maximum wait in milliseconds. Defaults to 10,000. */
  limitMs?: number;
  /** A document that selects the folder if several folders are open. Defaults to the first folder. */
  textDocument?: TextDocument;
}

/** The commands, each with its argument and its result. */
export interface Commands {
  'kenning.taskContext': { argument: TaskContextArguments; result: PackAnswer };
  'kenning.search': { argument: SearchArguments; result: SearchAnswer };
  'kenning.fileContext': { argument: FileContextArguments; result: PackAnswer };
  'kenning.changeContext': { argument: ChangeContextArguments; result: PackAnswer };
  'kenning.blastRadius': { argument: BlastRadiusArguments; result: BlastRadius };
  'kenning.affectedTests': { argument: AffectedTestsArguments; result: AffectedTests };
  'kenning.graph': { argument: GraphArguments; result: Graph };
  'kenning.explain': { argument: ExplainArguments; result: Explanation };
  'kenning.feedback': { argument: FeedbackArguments; result: StoredFeedback };
  'kenning.knowledge': { argument: KnowledgeArguments; result: KnowledgeAnswer };
  'kenning.status': { argument: StatusArguments; result: SessionStatus };
  'kenning.waitForIndex': { argument: WaitForIndexArguments; result: IndexReadiness };
  'kenning.unsavedTexts': { argument: UnsavedTextsArguments; result: UnsavedTexts };
  'kenning.reindex': { argument: ReindexArguments; result: SessionStatus };
  'kenning.enrich': { argument: EnrichArguments; result: SessionStatus };
  'kenning.restartServers': { argument: RestartServersArguments; result: SessionStatus };
}

/** The evidence for an edge, by its provenance. */
export const EVIDENCE: Readonly<Record<string, string>> = {
  ast_inferred: 'matched by name',
  ast_resolved: 'resolved from imports and types',
  runtime: 'observed at run time',
  lsp_resolved: 'confirmed by a language server',
  structural: 'given by the structure of the code',
  git: 'found in the version history',
};

/** The formats of packs. */
export const PACK_FORMATS: readonly PackFormat[] = ['markdown', 'xml', 'json', 'gcf', 'gcb'];
