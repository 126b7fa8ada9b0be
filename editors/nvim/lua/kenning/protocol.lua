-- The arguments and results of the server's commands (docs/lsp-extensions.md).
-- Generated from their declarations: UPDATE_EXPECT=1 cargo test -p kenning --lib client_types
-- luacheck: ignore 631
-- stylua: ignore start

--- A test and its path to a changed symbol.
---@class kenning.protocol.AffectedTest
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field run_id? string The name by which its runner knows it (`tests/test_cart.py::TestCart::test_add`); absent if no runner for it is known.
---@field path kenning.protocol.LocatedSymbol[] The shortest path, from the test to the changed symbol; only the test if the test itself changed.
---@field removed? string The removed definition that the last symbol of the path used: a name inside a changed file, or the path of a removed file.
---@field possible boolean True if every path has a step that is decided at run time: dispatch to an overriding symbol, or code that a test framework, a library or the language runs.
---@field ambiguous boolean True if every path uses an edge that may lead elsewhere.

--- A test file that the change may affect.
---@class kenning.protocol.AffectedTestFile
---@field file string The path in the workspace, with `/` as the separator.
---@field reaching integer The number of its tests that reach the change.
---@field reasons string[] The reasons why it may also have to change, the strongest first.

--- The tests that reach changed symbols, each with its call path to the change.
---@class kenning.protocol.AffectedTests
---@field schema integer Version of this format.
---@field change? kenning.protocol.Change The change; absent if the request named files.
---@field files? string[] The files that the request named; absent if it asked about a change.
---@field targets integer The number of symbols that changed, that used a removed definition, or that the requested files contain.
---@field tests kenning.protocol.AffectedTest[] The tests, the nearest first, then by qualified name.
---@field test_files kenning.protocol.AffectedTestFile[] The test files that matter most, the likeliest first, at most 15: files whose tests reach the change, and files that usually change with it.
---@field commands string[] Shell commands that run the tests, to be run in the root of the workspace. If no tests are found that reach the change, they run the likeliest test files.
---@field truncated boolean True if there are, or may be, more tests.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field text? string The answer in the format that the request's `format` names.

--- Returns the tests that reach changed code, each with its call path to the change. The changed code is everything in `uris`, or the change since `base` as `kenning.changeContext` computes it. Without either, it is the change since the default base.
---@class kenning.protocol.AffectedTestsArguments
---@field uris? string[] The changed files, as URIs. All must be in one folder, and everything in them counts as changed.
---@field base? string The revision to compare with, as for `kenning.changeContext`. It cannot be combined with `uris`.
---@field runOnly? string[] The ids of the tests that the commands of the answer run. Defaults to all of its tests.
---@field format? kenning.protocol.OutputFormat Adds the answer in this format, as `text`.
---@field budget? integer Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages. Without a budget, the text is whole, with at most 200 tests per list.
---@field page? integer The page of the text, from 1, if there is a budget. Defaults to 1.
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open and `uris` is absent. Defaults to the first folder.

--- The numbers of callers, uses, implementations, dependents and tests of a symbol.
---@class kenning.protocol.BlastCounts
---@field callers kenning.protocol.SymbolCount Distinct direct callers: symbols that call the target, a symbol that it overrides, or its route, or that pass the target on to be called.
---@field uses kenning.protocol.SymbolCount Distinct symbols that use the target or its members, calls included.
---@field implementations kenning.protocol.SymbolCount Distinct types that extend or implement the target.
---@field dependents kenning.protocol.SymbolCount Distinct symbols that reach the target within 6 hops, tests included.
---@field tests kenning.protocol.SymbolCount Distinct tests that reach the target within 6 hops.

--- An overload of the target.
---@class kenning.protocol.BlastOverload
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field signature string Its signature, on one line.
---@field title string Its own numbers, as a lens shows them.

--- The dependents of a symbol, with their distances and the evidence for them.
---@class kenning.protocol.BlastRadius
---@field schema integer Version of this format.
---@field target kenning.protocol.LocatedSymbol The symbol that the request asked about.
---@field alternatives? kenning.protocol.LocatedSymbol[] Other symbols that the requested position may refer to; the likeliest one is the target.
---@field overloads? kenning.protocol.BlastOverload[] The overloads that the answer counts together, each with its own title; empty if there is only one.
---@field title string The numbers of callers, dependents and tests in words, as lenses show them.
---@field counts kenning.protocol.BlastCounts The numbers of callers, uses, implementations, dependents and tests.
---@field callers kenning.protocol.Caller[] Direct callers, by path and line.
---@field users kenning.protocol.UserGroup[] The symbols that use the target directly and the tests that reach it, by role and by file. They are the first level of a tree of users.
---@field no_users? string A sentence if there are no users, with the reason why users may be missing.
---@field levels kenning.protocol.Dependent[][] Dependents by distance, from one hop up to the requested depth.
---@field folders kenning.protocol.FolderCount[] The folders that contain dependents, the folder with the most first.
---@field tests kenning.protocol.TestReach[] Tests that reach the target within 6 hops, the nearest first.
---@field evidence table<string, integer> The number of direct callers per provenance.
---@field servers table<string, integer> The number of direct callers that each language server confirmed.
---@field ambiguous integer The number of direct callers whose call may lead elsewhere.
---@field through_overrides kenning.protocol.ThroughOverride[] Symbols that the target overrides: a call to one of them may run the target. Not part of the numbers.
---@field mentions integer The number of distinct symbols that use the target in other ways than by calling it.
---@field ripple kenning.protocol.RippleFile[] Files that a change to the target may also touch, the likeliest first: files that changed together with it, that use it or that it uses, and parallel implementations.
---@field package? kenning.protocol.PackageUses The manifests and files that use the target, if it is a package of a registry.
---@field truncated boolean True if a list is shorter than its count, or if counting stopped early.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field text? string The answer in the format that the request's `format` names.

--- Returns the blast radius of a symbol: direct callers, dependents by number of hops, tests that reach it, and the evidence for all of these. A name or a position selects the symbol: the definition whose name is at the position, or the definition that the name there refers to.
---@class kenning.protocol.BlastRadiusArguments
---@field symbol? string The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file.
---@field textDocument? kenning.protocol.TextDocument The document of `position`. With `symbol`, a document that selects the folder.
---@field position? kenning.protocol.Position A position in the document.
---@field depth? integer Maximum distance of listed dependents, from 1 to 6 hops. Defaults to the option `blastRadius.depth`. The counts do not depend on it.
---@field format? kenning.protocol.OutputFormat Adds the answer in this format, as `text`.
---@field budget? integer Maximum size of the Markdown text in tokens, at least 200. Everything is then on its pages. Without a budget, the text is whole, with at most 40 entries per list.
---@field page? integer The page of the text, from 1, if there is a budget. Defaults to 1.
---@field show? boolean Makes the server show the answer itself, for clients that can only send commands.

--- The call sites of a workspace by how they were resolved.
---@class kenning.protocol.CallFigures
---@field total integer All call sites.
---@field resolved integer Call sites that lead to exactly one symbol of the workspace.
---@field ambiguous integer Call sites with several candidates.
---@field external integer Call sites that lead out of the workspace.
---@field unresolved integer Call sites whose target is unknown.
---@field resolved_percent number The share of `resolved` in `total`, in percent with one decimal.

--- A direct caller.
---@class kenning.protocol.Caller
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field call_line integer | nil 1-based line of the first call in the caller's file; null if unknown.
---@field call_location? kenning.protocol.Location The location of that call, for clients that open it.
---@field provenance string The provenance of the call.
---@field confidence number Confidence that the call is right, from 0 to 1.
---@field ambiguous boolean True if the call may lead elsewhere.

--- Everything that changed since a commit: commits, index, working tree, untracked files and unsaved text together.
---@class kenning.protocol.Change
---@field base string The base revision of the change, as the request named it or as Kenning chose it.
---@field merge_base string | nil The merge base of that revision and the checked-out commit; null before the first commit.
---@field files kenning.protocol.ChangedFile[] The changed files, by path.
---@field removed_truncated? boolean True if uses of removed names are missing, or may be missing.

--- Returns the code that matters for a change: the symbols that it touches and the code close to them. The change is the difference that git shows between the base and the working tree (commits, index, working tree, untracked files), including the unsaved text of open documents. The answer lists its files under `change`.
---@class kenning.protocol.ChangeContextArguments
---@field base? string The revision to compare with: a branch, a tag or a commit. The change starts at the merge base of that revision and the checked-out commit. Defaults to the remote's default branch, else `main` or `master`, else `HEAD`.
---@field budget? integer Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.changeBudget`.
---@field configuration? kenning.protocol.RankConfigName The ranking configuration. Defaults to the option `ranking.configuration`.
---@field format? kenning.protocol.PackFormat Adds the pack in this format, as `text`.
---@field text? boolean Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format.
---@field explain? boolean Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change.
---@field packRoot? string The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack.
---@field gcfSession? kenning.protocol.GcfSessionPart Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts.
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.
---@field noLearning? boolean Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes.
---@field ignoreShown? boolean Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts.

--- A changed file.
---@class kenning.protocol.ChangedFile
---@field path string The path in the workspace, with `/` as the separator; a deleted file has its former path.
---@field status string The kind of change: `added`, `modified`, `deleted` or `renamed`.
---@field old_path? string The former path of a renamed file.
---@field binary? boolean True if the file is not text; its lines are not compared.
---@field lines integer[][] Ranges of added and changed lines, as first and last line, 1-based.
---@field removed_after? integer[] Lines after which lines were only removed, 1-based; 0 is before the first line.
---@field removed? string[] Names inside the file (`Class.method`) that it no longer declares; the symbols that used them count as changed.

--- The symbol's rank in the list of one channel.
---@class kenning.protocol.ChannelRank
---@field channel string The channel's name.
---@field reason string The rule that found the symbol; may be empty.
---@field rank integer Rank in the channel's list.
---@field score number Score within the channel.
---@field weight number Weight of the channel.

--- The contribution of one commit to a symbol.
---@class kenning.protocol.CommitVote
---@field commit string The commit's id.
---@field date string | nil The day of the commit, as YYYY-MM-DD in UTC; null if its time is invalid.
---@field subject string The first line of its message.
---@field symbol number The contribution to the symbol; 0 if the commit touched only the file. The component `history` is the square root of the sum of all contributions, times the channel's weight.
---@field file number The contribution to the symbol's file; the component `history_files` is computed from it in the same way.

--- The database of a folder.
---@class kenning.protocol.DatabaseStatus
---@field path string The path of the database.
---@field schema integer | nil The number of the last migration; `null` if the file cannot be read.
---@field bytes integer The size in bytes, including the write-ahead log.

--- The differences between a new pack and one that the client has.
---@class kenning.protocol.Delta
---@field schema integer Version of this format.
---@field base_root string The root of the pack that the client has.
---@field pack_root string Identity of the pack's content; packs with equal content have equal roots. The first 12 hexadecimal digits; all 64 with `explain`.
---@field source_root? string Identity of the graph derived from the text. Only with `explain`.
---@field snapshot? string Identity of everything that the answer is based on. Only with `explain`.
---@field budget integer The token budget.
---@field tokens_used integer Tokens of the whole pack as its reader gets it: in the format of `text`, or else in this one as the command line prints it. Includes the freshness but not the timings.
---@field confidence? string The likelihood that the task edits one of the first five symbols: `high` (at least 0.8), `medium` (at least 0.4), `low`, or `none` if nothing in the workspace matches. Absent for files and changes.
---@field probability? number The same as a number from 0 to 1.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field removed string[] The ids of the symbols that are no longer in the pack.
---@field added kenning.protocol.RankedPackSymbol[] Symbols that are new in the pack. Insert them in the order of their positions; the other symbols keep their order, unless `order` says otherwise.
---@field changed kenning.protocol.RankedPackSymbol[] Symbols whose detail, text, signature or group changed. Each replaces the symbol with its id.
---@field moved? kenning.protocol.MovedSymbol[] Symbols whose only change is the position.
---@field order? string[] The ids of all symbols of the new pack in the order of reading, if the symbols that are in both packs changed their order.
---@field edges_removed kenning.protocol.DeltaEdge[] The removed edges between symbols that are in both packs. The edges of a removed symbol are removed with it.
---@field edges_added kenning.protocol.DeltaEdge[] The added edges.
---@field documents? kenning.protocol.PackSymbol[] All sections of documents of the new pack, if they changed.
---@field change? kenning.protocol.Change The change, if the request asked about one.
---@field timings_ms? table<string, number> Milliseconds per stage, and `total`.
---@field text? string The difference in the format that the request's `format` names.

--- An edge that only one of two packs has. Its ends are ids, because positions differ between the packs.
---@class kenning.protocol.DeltaEdge
---@field source string The id of the source.
---@field target string The id of the target.
---@field kind string The kind of relation.

--- A symbol that depends on the target.
---@class kenning.protocol.Dependent
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field on string The id of the next symbol on the path to the target.
---@field role string The role for that symbol: `caller`, `dispatch`, `use`, `implementation` or `possible`.
---@field edge string The relation to that symbol, as the kind of the edge: `calls`, `overrides`, `references` ...
---@field relation string A description of the use of that symbol: `calls it`, `reads or writes Order.total`.
---@field provenance string The provenance of the relation: `lsp_resolved`, `ast_resolved`, `ast_inferred` ...
---@field ambiguous boolean True if every path to the target uses an edge that may lead elsewhere.

--- The space that a workspace and the whole cache take.
---@class kenning.protocol.DiskUsage
---@field index_bytes integer The size of the files of this index in bytes, including learned data and vectors.
---@field facts_bytes integer The size in bytes of the cache of facts, which the worktrees of a repository share.
---@field cache_bytes integer The size of Kenning's whole folder in the cache in bytes.
---@field cached_indexes integer The number of indexes in the cache.

--- A position in a document.
---@class kenning.protocol.DocumentPoint
---@field line integer The line, from 0.
---@field character integer Code units from the start of the line.

--- The status of an open document.
---@class kenning.protocol.DocumentStatus
---@field path string The document's path in the folder, with `/` as the separator.
---@field version integer The last version that the client sent.
---@field sha256 string SHA-256 of the document's text in the server, with which a client can check that both have the same text.
---@field desynchronized string | nil The reason why the server could not apply the document's edits; null if it applied them all. Until the client sends the whole text, answers use the text on disk.
---@field left_out? string The reason why the document's unsaved text is not in the graph although its file is; absent otherwise. Until the document is saved, answers use the text on disk.

--- Asks the language servers in the background about all references that have no answer yet. Returns the status, immediately or once no questions are left.
---@class kenning.protocol.EnrichArguments
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.
---@field limit? integer Maximum number of questions. Defaults to no limit.
---@field wait? boolean Delays the answer until no questions are left. Cancelling the request ends the wait, not the questions.

--- The kind of an entry. Each has a folder of its own.
---@alias kenning.protocol.EntryKind 'note' | 'task' | 'skill'

--- Explains the rank of one symbol in the answer to a task.
---@class kenning.protocol.ExplainArguments
---@field task string The task, as for `kenning.taskContext`.
---@field symbol string The symbol: `Class.method`, `path::Class.method`, a simple name, or an id.
---@field textDocument? kenning.protocol.TextDocument The document of `position`. It also selects the folder if several folders are open. Defaults to the first folder.
---@field position? kenning.protocol.Position The position of the cursor, as for `kenning.taskContext`.
---@field pinned? string[] The ids of symbols that are shown first, as for `kenning.taskContext`.
---@field excluded? string[] The ids of symbols that are omitted, as for `kenning.taskContext`.
---@field configuration? kenning.protocol.RankConfigName The ranking configuration, as for `kenning.taskContext`.
---@field noLearning? boolean Explains the ranking without feedback or recently shown symbols, as for `kenning.taskContext`.
---@field ignoreShown? boolean Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts.
---@field format? kenning.protocol.OutputFormat Adds the answer in this format, as `text`: in sentences if it is Markdown.
---@field numbers? boolean Adds the numbers of every stage to the sentences.

--- The results of one symbol in each stage of a ranking. Ranks count from 1; they are null if the symbol took no part in a stage.
---@class kenning.protocol.Explanation
---@field schema integer Version of this format.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field config string The name of the ranking configuration.
---@field summary string The explanation in sentences, as paragraphs of Markdown.
---@field rank integer | nil Rank in the final list.
---@field candidates integer Length of the final list.
---@field score number | nil The sum of the components.
---@field components table<string, number> The components of the score, by name.
---@field features table<string, number> The contribution of each feature of the learned ranker to the score, by name. Together they are the components that begin with `learned_`, apart from `learned_base`.
---@field channels kenning.protocol.ChannelRank[] The symbol's ranks in the channels that found it.
---@field fused kenning.protocol.ListRank | nil The symbol's rank after the channels were fused.
---@field seed kenning.protocol.ListRank | nil The symbol's rank among the seeds of the walk; `score` is the restart weight.
---@field walk number | nil Probability mass of the walk, relative to the best candidate.
---@field distance integer | nil Hops from the symbols that the task matches directly (0).
---@field authority number | nil Authority among the best candidates of the walk; null if not computed.
---@field hub number | nil Hub score among the best candidates of the walk; null if not computed.
---@field path string[] The most probable path from a seed to the symbol, as qualified names.
---@field votes kenning.protocol.CommitVote[] The related commits that contributed most to the symbol, then to its file; at most five.
---@field voters integer The number of commits that contributed to the symbol or its file.
---@field noise boolean Whether a noise rule removed the symbol.
---@field noise_rule string | nil The noise rule: `generated`, `built`, `vendored`, `minified`, `test helper`, `mock` or `short name`.
---@field injected integer | nil The symbol's rank among the symbols that strong framework classes move to the front.
---@field fallback integer | nil The symbol's rank among the symbols that the fallback for huge graphs raised or added.
---@field packed kenning.protocol.PackedForm | nil Detail and size of the symbol in the pack; null if it is not in the pack.
---@field left_out string | nil The reason why a candidate is not in the pack: `budget`, `noise`, `threshold` or `shown`.
---@field density number | nil Score per token of the symbol's cheapest form, weighted by nearness to the seeds; null if packing did not compute it.
---@field freshness? kenning.protocol.Freshness Freshness of the answer. Absent on the command line.
---@field text? string The answer in the format that the request's `format` names.

--- Records whether a symbol of a pack was useful. The feedback is stored on this machine and counts for tasks that name the same things, until the symbol's package changes. `kenning forget` deletes it.
---@class kenning.protocol.FeedbackArguments
---@field packRoot string The `pack_root` of the pack, or its prefix as Markdown shows it. The pack must be one of the last 64 that this session received with learning enabled.
---@field symbol string The symbol: `Class.method`, `path::Class.method`, a simple name, or an id.
---@field useful boolean Whether the symbol was useful.

--- Returns the code that matters for work on some files: their symbols and the code close to them.
---@class kenning.protocol.FileContextArguments
---@field uris string[] The files, as URIs: at least one, and all in one folder.
---@field budget? integer Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.budget`.
---@field configuration? kenning.protocol.RankConfigName The ranking configuration. Defaults to the option `ranking.configuration`.
---@field format? kenning.protocol.PackFormat Adds the pack in this format, as `text`.
---@field text? boolean Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format.
---@field explain? boolean Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change.
---@field packRoot? string The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack.
---@field gcfSession? kenning.protocol.GcfSessionPart Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts.
---@field noLearning? boolean Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes.
---@field ignoreShown? boolean Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts.

--- One of the first symbols of the ranking.
---@class kenning.protocol.FirstSymbol
---@field index integer Index in `symbols`.
---@field likelihood number The likelihood that the task edits the symbol, from 0 to 1.
---@field reason? string The strongest reason for its rank, in a few words.

--- The dependents in one folder.
---@class kenning.protocol.FolderCount
---@field folder string The path relative to the workspace's root, with `/` as the separator; empty for the root.
---@field dependents integer The number of dependents in the folder.

--- The status of a folder.
---@class kenning.protocol.FolderStatus
---@field schema integer Version of this format.
---@field version string Version of Kenning.
---@field root string The folder's path.
---@field database kenning.protocol.DatabaseStatus | nil The database; null before it is open.
---@field disk? kenning.protocol.DiskUsage The space that the index and the whole cache take; only in the command line's status.
---@field role string | nil `writer` or `reader`; null before the database is open.
---@field revision integer The number of the graph's revision.
---@field source_root string Identity hash of the graph of the text.
---@field snapshot string Identity hash of everything that answers depend on, language servers included.
---@field files integer The number of files in the index.
---@field symbols integer The number of symbols in the workspace.
---@field phantoms integer The number of symbols outside the workspace that an edge points to.
---@field edges integer The number of edges.
---@field with_history integer The number of symbols whose last commit is known.
---@field commits integer The number of commits that were read from the history.
---@field recorded_tests integer The number of tests whose runs were imported.
---@field recorded_calls integer The number of calls that imported traces show.
---@field files_by_language table<string, integer> The number of files by language.
---@field derived_files table<string, integer> The number of files that no one edits, by reason: `generated`, `built`, `vendored`.
---@field symbols_by_kind table<string, integer> The number of symbols by kind.
---@field edges_by_kind table<string, integer> The number of edges by kind.
---@field edges_by_provenance table<string, integer> The number of edges by provenance.
---@field calls kenning.protocol.CallFigures The call sites by how they were resolved.
---@field ranking? kenning.protocol.RankConfigName The ranking configuration that the options choose; absent if it is the default.
---@field vectors? kenning.protocol.VectorsStatus The vectors; absent if `vectors.model` is not set.
---@field enrichment kenning.protocol.ServerReport[] The state and the verdicts of each language server.
---@field problems? string[] Files that are ignored or only partly used, with the reason: ignore files, manifests, the repository.
---@field unknown_extensions table<string, integer> The number of files that are left out because their language is unknown, by extension.
---@field indexed_at string | nil The time at which the revision was indexed, RFC 3339; null before the first index.
---@field head string | nil The git commit that was checked out at that time; null without a repository or a commit.
---@field pending_files integer The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed.
---@field disk_check_pending? boolean Whether a check of the disk is pending: files may have changed that the answer does not include.
---@field unsaved_files integer The number of open files whose unsaved text is in the answer.
---@field broken_files? integer The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing.
---@field desynchronized_files? integer The number of open files whose edits the server could not apply. The answer uses their text on disk.
---@field large_files? integer The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk.
---@field history_pending? boolean Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together.
---@field vectors_pending? boolean Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning.
---@field servers kenning.protocol.ServerFreshness[] The language servers that confirm edges.
---@field phase string `opening`, `indexing`, `ready`, `cancelled` (if the user cancelled the first indexing) or `failed`.
---@field problem string | nil The reason why the last indexing failed; null if it did not fail.
---@field watch_problem? string The reason why the server cannot watch the files of the folder; absent if it can. If it cannot, requests check the disk.
---@field documents kenning.protocol.DocumentStatus[] The open documents, sorted by path.

--- The state that an answer is based on, and the parts that it does not include yet.
---@class kenning.protocol.Freshness
---@field indexed_at string | nil The time at which the revision was indexed, RFC 3339; null before the first index.
---@field head string | nil The git commit that was checked out at that time; null without a repository or a commit.
---@field pending_files integer The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed.
---@field disk_check_pending? boolean Whether a check of the disk is pending: files may have changed that the answer does not include.
---@field unsaved_files integer The number of open files whose unsaved text is in the answer.
---@field broken_files? integer The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing.
---@field desynchronized_files? integer The number of open files whose edits the server could not apply. The answer uses their text on disk.
---@field large_files? integer The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk.
---@field history_pending? boolean Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together.
---@field vectors_pending? boolean Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning.
---@field servers kenning.protocol.ServerFreshness[] The language servers that confirm edges.

--- The part of a session of GCF that an answer belongs to.
---@alias kenning.protocol.GcfSessionPart 'new' | 'continue'

--- The symbols around a symbol, and the edges among them.
---@class kenning.protocol.Graph
---@field schema integer Version of this format.
---@field nodes kenning.protocol.GraphNode[] The symbols: the requested one first, then by distance.
---@field edges kenning.protocol.GraphEdge[] Edges among the nodes, by source, target and kind.
---@field truncated boolean True if nodes within the requested distance were left out.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field text? string The answer in the format that the request's `format` names.

--- Returns the symbols around a symbol, in both directions, and the edges between them.
---@class kenning.protocol.GraphArguments
---@field symbol? string The symbol: `Class.method`, `path::Class.method`, a simple name, an id, or the path of a file.
---@field textDocument? kenning.protocol.TextDocument The document of `position`. With `symbol`, a document that selects the folder.
---@field position? kenning.protocol.Position A position in the document.
---@field depth? integer The number of hops, from 1 to 6. Defaults to 2.
---@field limit? integer Maximum number of nodes, from 1 to 1000. Defaults to 60.
---@field format? kenning.protocol.GraphFormat Adds the answer in this format, as `text`.

--- An edge of a graph.
---@class kenning.protocol.GraphEdge
---@field source integer Index of the source in `nodes`.
---@field target integer Index of the target in `nodes`.
---@field kind string The kind of relation: `calls`, `implements` ...
---@field provenance string The provenance of the edge.
---@field confidence number Confidence that the edge is right, from 0 to 1.
---@field ambiguous boolean True if the edge may lead elsewhere.

--- The format of a neighborhood.
---@alias kenning.protocol.GraphFormat 'json' | 'dot' | 'svg'

--- A symbol of a graph.
---@class kenning.protocol.GraphNode
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field distance integer Hops from the requested symbol, in either direction.

--- The progress and the freshness of the index.
---@class kenning.protocol.IndexReadiness
---@field ready boolean Whether the index includes everything that was on the disk when the request came.
---@field doneFiles integer The number of files that the running stage of the indexing has processed.
---@field totalFiles integer The number of files in this stage; 0 if no indexing is running.
---@field freshness kenning.protocol.Freshness The state of the index now.

--- Notes, tasks and skills, and the problems in their files.
---@class kenning.protocol.KnowledgeAnswer
---@field schema integer Version of this format.
---@field entries kenning.protocol.KnowledgeEntry[] The entries.
---@field findings kenning.protocol.KnowledgeFinding[] The problems in the files of entries, including links to code that moved or is gone.
---@field done? string The changes that were made; absent if the request changes nothing.
---@field text? string The answer as Markdown, if the request asks for it.

--- Lists, finds, writes and links notes, tasks and skills: Markdown files in the folder that the option `knowledge.folder` names. An operation that changes a file answers with the entry as it is now.
---@class kenning.protocol.KnowledgeArguments
---@field op kenning.protocol.KnowledgeOperation The operation: `list` all entries or the entries of `kind`, `tag` or `status`; `about` lists the entries that are linked to a symbol; `show` one entry with its body; `add` an entry; `link` an entry; `repair` its links; `set` attributes of a task; `recall` the entries that `text` is about.
---@field kind? kenning.protocol.EntryKind The kind of entry: needed to `show`, `add`, `link`, `repair`; limits the other operations.
---@field id? string The id of the entry: the name of its file without `.md`.
---@field symbol? string The symbol for `about`, to link for `link` and `add`: `Class.method`, `path::Class.method`, an id, or the path of a file. A position can replace it.
---@field textDocument? kenning.protocol.TextDocument The document of `position`, or one that selects the folder.
---@field position? kenning.protocol.Position A position in the document.
---@field entry? string Another entry to link, as `note:ID`, `task:ID` or `skill:ID`.
---@field linkKind? string The meaning of the link. Defaults to `related_to`.
---@field title? string The title of a new entry.
---@field body? string The Markdown below the front matter of a new entry.
---@field tags? string[] The tags of a new entry.
---@field tag? string Lists only entries with this tag.
---@field status? kenning.protocol.TaskStatus The new status of a task, or the status of the listed tasks.
---@field priority? kenning.protocol.TaskPriority The new priority of a task.
---@field due? string The new due date of a task, as `YYYY-MM-DD`.
---@field epic? boolean Makes a new task an epic.
---@field description? string The purpose of a new skill.
---@field triggers? string[] Phrases that recall a new skill.
---@field filePatterns? string[] Patterns of the files that a new skill is about.
---@field source? kenning.protocol.SkillSource The source of a new skill.
---@field text? string The text for `recall`.
---@field limit? integer Maximum number of entries that `recall` finds. Defaults to 5.
---@field format? kenning.protocol.OutputFormat Adds the answer in this format, as `text`.
---@field show? boolean Makes the server show the answer itself, for clients that can only send commands.

--- A link of another entry.
---@class kenning.protocol.KnowledgeBacklink
---@field from string The other entry, as `task:fix-login`.
---@field kind string The meaning of the link.

--- A note, a task or a skill.
---@class kenning.protocol.KnowledgeEntry
---@field kind kenning.protocol.EntryKind The kind of entry.
---@field id string The name of the file without its extension.
---@field title string The title.
---@field path string The path of the file in the workspace.
---@field uri? string URI of the file; only the language server's answers have it.
---@field tags? string[] Words to find the entry by.
---@field status? kenning.protocol.TaskStatus The status of a task; absent if its file has an unknown word.
---@field priority? kenning.protocol.TaskPriority The priority of a task.
---@field due? string The due date of a task, as `YYYY-MM-DD`.
---@field epic? boolean True for a task that other tasks can belong to.
---@field description? string The purpose of a skill.
---@field triggers? string[] Phrases that recall a skill whenever a text contains one.
---@field file_patterns? string[] Patterns of the files that a skill is about.
---@field source? kenning.protocol.SkillSource The source of a skill.
---@field links? kenning.protocol.KnowledgeLink[] The links of the entry.
---@field linked_from? kenning.protocol.KnowledgeBacklink[] The links of other entries to this one.
---@field score? number The fit of the entry to the text of a recall, from 0 to 1.
---@field trigger? string The trigger that the text of a recall contains.
---@field body? string The Markdown below the front matter; for a skill, its steps. Lists do not have it.

--- A problem in the file of an entry.
---@class kenning.protocol.KnowledgeFinding
---@field path string The path in the workspace.
---@field line? integer The 1-based line; absent for the whole file.
---@field message string The problem, and what to do.

--- A link of an entry.
---@class kenning.protocol.KnowledgeLink
---@field to string The target: an entry as `task:fix-login`, a symbol as `path::Outer.name`, or a file.
---@field kind string The meaning of the link, such as `related_to` or `blocks`.
---@field state kenning.protocol.LinkStateName Whether the link still leads to its target.
---@field moved_to? string The name that a moved target has now.

--- An operation of `kenning.knowledge`.
---@alias kenning.protocol.KnowledgeOperation 'list' | 'about' | 'show' | 'add' | 'link' | 'repair' | 'set' | 'recall'

--- Whether a link still leads to its target.
---@alias kenning.protocol.LinkStateName 'found' | 'moved' | 'broken'

--- A rank in a list.
---@class kenning.protocol.ListRank
---@field rank integer The rank, from 1.
---@field score number The score behind the rank.

--- A symbol and its location.
---@class kenning.protocol.LocatedSymbol
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.

--- A range in a document, as in LSP: positions start at 0 and use the negotiated encoding.
---@class kenning.protocol.Location
---@field uri string URI of the document.
---@field range kenning.protocol.Range The range in the document.

--- The new position of a symbol.
---@class kenning.protocol.MovedSymbol
---@field id string The symbol's identity.
---@field file string The path in the workspace, with `/` as the separator.
---@field line integer 1-based line of the name.
---@field end_line integer 1-based last line of the declaration.

--- A candidate that is not in the pack.
---@class kenning.protocol.OmittedCandidate
---@field name string The candidate's qualified name.
---@field reason string Reason: `budget`, `noise` or `threshold`, or `shown` if other items show all its lines.
---@field tokens integer Tokens of the candidate's cheapest form; 0 if not computed.

--- The format of an answer.
---@alias kenning.protocol.OutputFormat 'markdown' | 'json'

--- A pack with the data about its request.
---@class kenning.protocol.Pack
---@field schema integer Version of this format.
---@field task string The task as requested; empty for files and changes.
---@field pack_root string Identity of the pack's content; packs with equal content have equal roots. The first 12 hexadecimal digits; all 64 with `explain`.
---@field source_root? string Identity of the graph derived from the text. Only with `explain`.
---@field snapshot? string Identity of everything that the answer is based on. Only with `explain`.
---@field budget integer The token budget.
---@field tokens_used integer Tokens of the whole pack as its reader gets it: in the format of `text`, or else in this one as the command line prints it. Includes the freshness but not the timings.
---@field confidence? string The likelihood that the task edits one of the first five symbols: `high` (at least 0.8), `medium` (at least 0.4), `low`, or `none` if nothing in the workspace matches. Absent for files and changes.
---@field probability? number The same as a number from 0 to 1.
---@field statement? string The statement that nothing in the workspace matches, in words; only if the confidence is `none`.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field first? kenning.protocol.FirstSymbol[] The first symbols of the ranking, best first, at which a reader starts. Absent for files and changes, and if nothing matches.
---@field symbols kenning.protocol.PackSymbol[] The symbols, in the order of reading, which all forms share: group by group, the file of the best symbol first, and the symbols of a file by rank.
---@field edges kenning.protocol.PackEdge[] The edges among the symbols.
---@field documents? kenning.protocol.PackSymbol[] Sections of documents that match the task, best first; the name of a section has its headings. Absent without any.
---@field omitted? kenning.protocol.OmittedCandidate[] The best candidates that are not in the pack, at most 50. Only with `explain`.
---@field omitted_counts table<string, integer> The number of candidates that are not in the pack, by reason.
---@field unknown_files? string[] Requested files that are not in the index.
---@field timings_ms? table<string, number> Milliseconds per stage, and `total`.
---@field change? kenning.protocol.Change The change, if the request asked about one.
---@field ripple? kenning.protocol.RippleFile[] Files that usually change together with the requested files or the change, the likeliest first; absent for a task.
---@field text? string The pack in the format that the request's `format` names.

--- The result of a request for a pack: the pack, or its difference from a pack that the client has.
---@alias kenning.protocol.PackAnswer kenning.protocol.Pack | kenning.protocol.Delta | kenning.protocol.UnchangedPack

--- An edge between two symbols of a pack.
---@class kenning.protocol.PackEdge
---@field source integer Index of the source in `symbols`.
---@field target integer Index of the target in `symbols`.
---@field kind string The kind of relation: `calls`, `implements` ...
---@field provenance? string The provenance of the edge. Only with `explain`.
---@field confidence? number Confidence that the edge is right, from 0 to 1. Only with `explain`.

--- The format of a pack.
---@alias kenning.protocol.PackFormat 'markdown' | 'xml' | 'json' | 'gcf' | 'gcb'

--- A symbol of a pack. The fields that explain its rank come only with `explain`.
---@class kenning.protocol.PackSymbol
---@field id string The symbol's identity; edits elsewhere do not change it. The first 12 hexadecimal digits, which every command accepts; all 64 with `explain`.
---@field qualified_name? string The symbol's name as `path::Outer.Inner.name`. Only with `explain`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field language? string Language id. Only with `explain`.
---@field file string The path in the workspace, with `/` as the separator.
---@field line integer 1-based line of the name.
---@field end_line integer 1-based last line of the declaration.
---@field signature? string The signature on one line, as written. Without `explain`, only if the detail is `signature`.
---@field doc? string First sentence of the documentation. Without `explain`, only if the detail is `signature`.
---@field rank? integer The place in the ranking, from 1; absent for a test or a part of a file that is not ranked.
---@field score number The sum of the components: two decimals, four with `explain`.
---@field group string The part of the pack: `pinned`, `subject` (what the request is about), `related`, `tests` or `documentation`.
---@field distance integer Hops from the symbols that the request matches directly (0).
---@field confidence? number Confidence of the best edge that leads to the symbol, from 0 to 1. Only with `explain`.
---@field provenance? string The provenance of that edge. Only with `explain`.
---@field channels? string[] The channels that found the symbol, with their rules: `tiered:exact`. Only with `explain`.
---@field components? table<string, number> The components of the score, by name. Only with `explain`.
---@field detail string Level of detail: `body`, `trimmed`, `signature` or `name`.
---@field tokens? integer Tokens of the symbol's item in Markdown. Only with `explain`.
---@field text? string The symbol's text, if the detail is `body` or `trimmed`. A line like `⋮ lines 8-19` replaces lines that are not shown.
---@field text_line? integer 1-based line of the first line of `text`.

--- A declaration of a dependency in a manifest.
---@class kenning.protocol.PackageDeclaration
---@field file string The path of the manifest, relative to the workspace, with `/` as the separator.
---@field line integer 1-based line of the declaration.
---@field requirement string The accepted versions, as written; empty if the manifest accepts any.
---@field locked string The version in the lock file; empty if unknown.

--- A file that imports a package.
---@class kenning.protocol.PackageImporter
---@field file string The path of the file, relative to the workspace, with `/` as the separator.
---@field line integer 1-based line of the first import.

--- The uses of a package.
---@class kenning.protocol.PackageUses
---@field declarations kenning.protocol.PackageDeclaration[] The manifests that need the package, by path.
---@field importers kenning.protocol.PackageImporter[] The files that import it, by path. Empty for registries whose packages are not recognizable by the paths of imports (Maven, Composer, Hex).

--- Detail and size of a symbol in the pack.
---@class kenning.protocol.PackedForm
---@field detail string Level of detail: `body`, `trimmed`, `signature` or `name`.
---@field tokens integer The number of tokens.

--- A position in a document in the form of the protocol; both numbers are 0-based.
---@class kenning.protocol.Position
---@field line integer The line.
---@field character integer Code units of the negotiated encoding from the start of the line.

--- A range of a document.
---@class kenning.protocol.Range
---@field start kenning.protocol.DocumentPoint The first position of the range.
---@field end kenning.protocol.DocumentPoint The end of the range, exclusive.

--- A named ranking configuration.
---@alias kenning.protocol.RankConfigName 'default' | 'linear' | 'seeds' | 'bm25-bodies'

--- A new or changed symbol, with its position.
---@class kenning.protocol.RankedPackSymbol
---@field position integer The position in the new pack; the first is 1.
---@field id string The symbol's identity; edits elsewhere do not change it. The first 12 hexadecimal digits, which every command accepts; all 64 with `explain`.
---@field qualified_name? string The symbol's name as `path::Outer.Inner.name`. Only with `explain`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field language? string Language id. Only with `explain`.
---@field file string The path in the workspace, with `/` as the separator.
---@field line integer 1-based line of the name.
---@field end_line integer 1-based last line of the declaration.
---@field signature? string The signature on one line, as written. Without `explain`, only if the detail is `signature`.
---@field doc? string First sentence of the documentation. Without `explain`, only if the detail is `signature`.
---@field rank? integer The place in the ranking, from 1; absent for a test or a part of a file that is not ranked.
---@field score number The sum of the components: two decimals, four with `explain`.
---@field group string The part of the pack: `pinned`, `subject` (what the request is about), `related`, `tests` or `documentation`.
---@field distance integer Hops from the symbols that the request matches directly (0).
---@field confidence? number Confidence of the best edge that leads to the symbol, from 0 to 1. Only with `explain`.
---@field provenance? string The provenance of that edge. Only with `explain`.
---@field channels? string[] The channels that found the symbol, with their rules: `tiered:exact`. Only with `explain`.
---@field components? table<string, number> The components of the score, by name. Only with `explain`.
---@field detail string Level of detail: `body`, `trimmed`, `signature` or `name`.
---@field tokens? integer Tokens of the symbol's item in Markdown. Only with `explain`.
---@field text? string The symbol's text, if the detail is `body` or `trimmed`. A line like `⋮ lines 8-19` replaces lines that are not shown.
---@field text_line? integer 1-based line of the first line of `text`.

--- Brings the index up to date with the disk, and returns the status when that is done. Cancelling the request ends the wait. The indexing has its own progress, which can be cancelled.
---@class kenning.protocol.ReindexArguments
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.

--- Restarts the language servers that confirm edges, including those that Kenning gave up on, and returns the status.
---@class kenning.protocol.RestartServersArguments
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.
---@field server? string The name of the only server to restart. Defaults to all servers.

--- A file that a change to the target may also touch.
---@class kenning.protocol.RippleFile
---@field file string The path in the workspace, with `/` as the separator.
---@field reasons string[] The reasons in words, the strongest first: `changed together in 7 of 9 commits`.

--- The answer to a search.
---@class kenning.protocol.SearchAnswer
---@field query string The query.
---@field hits kenning.protocol.SearchHit[] The hits, best first.
---@field similar? string[] If there are no hits: the names that the words of the query may be misspellings of.
---@field freshness kenning.protocol.Freshness The state that the answer is based on.
---@field text? string The answer in the format that the request's `format` names.

--- Searches symbols and files, by words, names and places.
---@class kenning.protocol.SearchArguments
---@field query string The query: words, a name, or the name of a file.
---@field scope? kenning.protocol.SearchScopeName The kind of items to search. Defaults to `all`.
---@field mode? kenning.protocol.SearchModeName The ranking mode. Defaults to `hybrid`.
---@field maxResults? integer Maximum number of results. Defaults to 5, and to 10 for the scopes `files` and `all`.
---@field minScore? number Minimum score of a result, from 0 to 1. Defaults to 0.5, and to 0.3 for files.
---@field topK? integer The number of best symbols from which to follow edges of the graph. Defaults to `maxResults`, or to 5 without it.
---@field bfsDepth? integer The number of edges to follow from each of these symbols, at most 6. Defaults to 1.
---@field bfsDecay? number Factor of the score for every edge, from 0 to 1. Defaults to 0.95 for members, 0.85 for inheritance, and 0.7 for imports and calls.
---@field rrfK? number The constant k of reciprocal rank fusion. Defaults to 60.
---@field format? kenning.protocol.OutputFormat Adds the answer in this format, as `text`; `markdown` adds the lines that the command line prints.
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.

--- A hit of a search.
---@class kenning.protocol.SearchHit
---@field kind string The kind of hit: `file`, `note`, `task`, `skill`, or the kind of the symbol; `section` for a section of a document.
---@field name string The name inside the file, the headings of a section, the title of a note, task or skill, or the name of a file.
---@field file string The path in the workspace, with `/` as the separator.
---@field line? integer Line of the symbol's name, from 1; absent for files.
---@field end_line? integer Last line of the symbol, from 1; absent for files.
---@field score number The relevance to the query, from 0 to 1.
---@field id? string The short id of the symbol, which every command accepts, or the id of the note, task or skill.
---@field signature? string The signature of the symbol, on one line.
---@field doc? string The first sentence of the symbol's documentation.
---@field via? kenning.protocol.SearchStep The edge that led to the hit from a better one.
---@field location? kenning.protocol.Location The range of the name, or the first line of a file; only the language server's answers have it.

--- The way in which a search ranks, as users name it.
---@alias kenning.protocol.SearchModeName 'hybrid' | 'keyword' | 'vector'

--- The kinds of items to search, as users name them.
---@alias kenning.protocol.SearchScopeName 'code' | 'docs' | 'files' | 'knowledge' | 'all'

--- The edge that led to a hit.
---@class kenning.protocol.SearchStep
---@field edge string The kind of the edge: `contains`, `member_of`, `extends` ...
---@field from string The name of the better hit.

--- The contribution of one language server.
---@class kenning.protocol.ServerFreshness
---@field name string The server's name in the registry.
---@field state string The server's state.
---@field confirmed_edges integer The number of edges that the server confirmed in this revision.

--- A report on one language server.
---@class kenning.protocol.ServerReport
---@field name string The server's name in the table of servers.
---@field version string The version as the server reports it; empty if it reports none.
---@field folder? string The folder that the server serves, relative to the workspace; empty for the workspace itself.
---@field state string `absent`, `stopped`, `starting`, `loading`, `ready`, `busy`, `backoff` or `failed`.
---@field reason? string The reason for the state; empty if there is none.
---@field sandbox? string Whether the server runs in a sandbox, or why not; empty unless a sandbox was requested (`KENNING_SANDBOX`).
---@field confirmed integer References that it resolves to the same definition as the text.
---@field retargeted integer References that it resolves to another definition in the workspace.
---@field phantoms integer References that it resolves to phantoms, outside the workspace.
---@field local integer References that it resolves to a local definition inside a body.
---@field discovered integer Edges that the text does not show.
---@field stale integer Verdicts about an earlier state of the text; the server will be asked again.
---@field nothing integer References that it cannot resolve.
---@field unresolved table<string, integer> The same references by reason.
---@field dropped integer Locations in answers of this session that were dropped, because the file does not exist or is not in the server's language.
---@field waiting_files integer Files with references about which the server must still be asked.
---@field requests integer Requests that were sent to the server in this session.
---@field seconds number Seconds in this session during which the server was answering requests.
---@field peak_memory integer Peak memory of the server and its child processes, in bytes.

--- The status of the first folder, and the status of every folder under `folders`.
---@class kenning.protocol.SessionStatus
---@field schema? integer Version of this format.
---@field version? string Version of Kenning.
---@field root? string The folder's path.
---@field database? kenning.protocol.DatabaseStatus The database; null before it is open.
---@field disk? kenning.protocol.DiskUsage The space that the index and the whole cache take; only in the command line's status.
---@field role? string `writer` or `reader`; null before the database is open.
---@field revision? integer The number of the graph's revision.
---@field source_root? string Identity hash of the graph of the text.
---@field snapshot? string Identity hash of everything that answers depend on, language servers included.
---@field files? integer The number of files in the index.
---@field symbols? integer The number of symbols in the workspace.
---@field phantoms? integer The number of symbols outside the workspace that an edge points to.
---@field edges? integer The number of edges.
---@field with_history? integer The number of symbols whose last commit is known.
---@field commits? integer The number of commits that were read from the history.
---@field recorded_tests? integer The number of tests whose runs were imported.
---@field recorded_calls? integer The number of calls that imported traces show.
---@field files_by_language? table<string, integer> The number of files by language.
---@field derived_files? table<string, integer> The number of files that no one edits, by reason: `generated`, `built`, `vendored`.
---@field symbols_by_kind? table<string, integer> The number of symbols by kind.
---@field edges_by_kind? table<string, integer> The number of edges by kind.
---@field edges_by_provenance? table<string, integer> The number of edges by provenance.
---@field calls? kenning.protocol.CallFigures The call sites by how they were resolved.
---@field ranking? kenning.protocol.RankConfigName The ranking configuration that the options choose; absent if it is the default.
---@field vectors? kenning.protocol.VectorsStatus The vectors; absent if `vectors.model` is not set.
---@field enrichment? kenning.protocol.ServerReport[] The state and the verdicts of each language server.
---@field problems? string[] Files that are ignored or only partly used, with the reason: ignore files, manifests, the repository.
---@field unknown_extensions? table<string, integer> The number of files that are left out because their language is unknown, by extension.
---@field indexed_at? string The time at which the revision was indexed, RFC 3339; null before the first index.
---@field head? string The git commit that was checked out at that time; null without a repository or a commit.
---@field pending_files? integer The number of files whose latest text is not in the answer yet, or that refer to something that the latest edits changed.
---@field disk_check_pending? boolean Whether a check of the disk is pending: files may have changed that the answer does not include.
---@field unsaved_files? integer The number of open files whose unsaved text is in the answer.
---@field broken_files? integer The number of open files whose unsaved text has syntax errors. Definitions near an error may be missing.
---@field desynchronized_files? integer The number of open files whose edits the server could not apply. The answer uses their text on disk.
---@field large_files? integer The number of open files that have unsaved changes and are too large to be parsed on every edit. The answer uses their text on disk.
---@field history_pending? boolean Whether commits of the repository are still to be read, so that the answer is ranked without them: without similar earlier commits, the age of changes, and the files that changed together.
---@field vectors_pending? boolean Whether the vectors of the model in `vectors.model` are still being computed, so that the answer uses words alone where it would also use meaning.
---@field servers? kenning.protocol.ServerFreshness[] The language servers that confirm edges.
---@field phase? string `opening`, `indexing`, `ready`, `cancelled` (if the user cancelled the first indexing) or `failed`.
---@field problem? string The reason why the last indexing failed; null if it did not fail.
---@field watch_problem? string The reason why the server cannot watch the files of the folder; absent if it can. If it cannot, requests check the disk.
---@field documents? kenning.protocol.DocumentStatus[] The open documents, sorted by path.
---@field folders kenning.protocol.FolderStatus[] The status of each folder, in the order in which the client named the folders.
---@field text? string The answer in the format that the request's `format` names.

--- The source of a skill.
---@alias kenning.protocol.SkillSource 'user' | 'learned'

--- Returns the state of the index, its freshness, and the versions of open documents.
---@class kenning.protocol.StatusArguments
---@field format? kenning.protocol.OutputFormat Adds the status of the first folder in this format, as `text`.

--- All valid feedback on this symbol for similar tasks, including the new answer.
---@class kenning.protocol.StoredFeedback
---@field schema integer Version of this format.
---@field ok boolean Always true: feedback that cannot be stored is an error.
---@field symbol string The symbol's identity.
---@field useful integer The number of answers that called the symbol useful.
---@field not_useful integer The number of answers that called it not useful.

--- The size of a set of symbols. It may be approximate, or a lower bound.
---@class kenning.protocol.SymbolCount
---@field value integer The number of symbols found.
---@field approximate boolean True if part of the number rests on ambiguous edges, or if files are pending or broken; shown as `~5`.
---@field capped boolean True if counting stopped at this number; shown as `1,000+`.

--- A user of a symbol.
---@class kenning.protocol.SymbolUser
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field relation string A description of the use: `calls it`, `reads or writes Order.total`.
---@field use_line integer | nil 1-based line of the first use; null if unknown.
---@field use_location? kenning.protocol.Location The location of that use, for clients that open it.
---@field distance integer The distance to the symbol in hops. Only tests are more than one hop away.
---@field provenance string | nil The provenance of the use; null for a test that reaches the symbol through others.
---@field ambiguous boolean True if the use may be a use of another symbol.
---@field is_test boolean True for tests and their parts.
---@field has_users boolean True if the user has users itself. The same request with its id returns them.

--- Returns the code that matters for a task, ranked and within a budget of tokens.
---@class kenning.protocol.TaskContextArguments
---@field task string The task in words: a line, a commit message, a pasted issue or log.
---@field budget? integer Maximum size of the pack in tokens; the pack may be smaller. Defaults to the option `pack.budget`.
---@field configuration? kenning.protocol.RankConfigName The ranking configuration. Defaults to the option `ranking.configuration`.
---@field format? kenning.protocol.PackFormat Adds the pack in this format, as `text`.
---@field text? boolean Adds the pack as `text` in the format of the option `pack.format`, as the command line prints it. `format` names another format.
---@field explain? boolean Adds the reasons for the ranking to the fields of the answer: score components, channels, evidence, whole ids. They do not count in the budget. `text` does not change.
---@field packRoot? string The `pack_root` of a pack that the client has, or the root in a GCF text. The answer is then a note that the pack is unchanged, or the difference if that has at most 60 percent of the tokens of the whole pack. A session remembers the last 16 packs that it sent; for any other root the answer is the whole pack.
---@field gcfSession? kenning.protocol.GcfSessionPart Only for `format` `gcf`: the part of a session of GCF that the text belongs to. In a session, the text only refers to symbols that earlier texts of the session had. Start a new one when the reader no longer has the earlier texts.
---@field textDocument? kenning.protocol.TextDocument The document of `position`. It also selects the folder if several folders are open. Defaults to the first folder.
---@field position? kenning.protocol.Position The position of the cursor in `textDocument`. The symbol there and its file have a small weight in the ranking, as channel `editor`. Ignored if the document is not in the index.
---@field pinned? string[] The ids of symbols that the pack shows before all others, or at least their first 8 digits. Ids that are no longer in the index are ignored.
---@field excluded? string[] The ids of symbols that the pack omits, or at least their first 8 digits.
---@field documents? boolean Whether the pack may have sections of documents. Defaults to the option `pack.documents`.
---@field noLearning? boolean Neither uses nor records feedback or recently shown symbols, so that the same request returns the same bytes.
---@field ignoreShown? boolean Ignores the symbols that the session showed recently, so that the answer does not depend on earlier questions of the session. Feedback counts.

--- The priority of a task.
---@alias kenning.protocol.TaskPriority 'critical' | 'high' | 'medium' | 'low'

--- The status of a task.
---@alias kenning.protocol.TaskStatus 'backlog' | 'todo' | 'in_progress' | 'review' | 'done' | 'cancelled'

--- A test that reaches the target.
---@class kenning.protocol.TestReach
---@field id string The symbol's identity; edits elsewhere do not change it.
---@field qualified_name string The symbol's name as `path::Outer.Inner.name`.
---@field name string The name inside the file.
---@field kind string The kind of symbol: `function`, `method`, `class` ...
---@field file string The path in the workspace, with `/` as the separator. A symbol outside the workspace has its package instead, or an empty string.
---@field line integer 1-based line of the name; 0 for a symbol outside the workspace.
---@field location? kenning.protocol.Location The range of the name in the document; only the language server's answers have it.
---@field distance integer The distance to the target in hops.
---@field on string The id of the next symbol on the path to the target.
---@field ambiguous boolean True if every path to the target uses an edge that may lead elsewhere.

--- A document in the form of the protocol.
---@class kenning.protocol.TextDocument
---@field uri string The document's URI.

--- A symbol that the target overrides or implements.
---@class kenning.protocol.ThroughOverride
---@field base kenning.protocol.LocatedSymbol The overridden symbol.
---@field callers kenning.protocol.SymbolCount The number of its direct callers that do not also call the target itself.

--- The answer to a client that already has the current pack.
---@class kenning.protocol.UnchangedPack
---@field schema integer Version of this format.
---@field unchanged boolean Always true.
---@field pack_root string The root of the pack that the client has.
---@field freshness kenning.protocol.Freshness Freshness of the answer.
---@field timings_ms? table<string, number> Milliseconds per stage, and `total`.
---@field text? string The note in the format that the request's `format` names, if that format has a form for it.

--- The unsaved text of one document.
---@class kenning.protocol.UnsavedText
---@field path string The path in the workspace, with `/` as the separator.
---@field text string The text in the editor.

--- The unsaved texts of a folder.
---@class kenning.protocol.UnsavedTexts
---@field files kenning.protocol.UnsavedText[] The texts, sorted by path.

--- Returns the texts of open documents that differ from their files. The command line asks the session of an editor for them, so that its answers include the text that the user sees.
---@class kenning.protocol.UnsavedTextsArguments
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.

--- The users in one file.
---@class kenning.protocol.UserFile
---@field file string The path in the workspace, with `/` as the separator.
---@field users kenning.protocol.SymbolUser[] The users, by line.

--- The users of a symbol that have one role.
---@class kenning.protocol.UserGroup
---@field role string The role: `caller`, `dispatch` (calls a symbol that this symbol overrides), `use`, `implementation`, `possible` (may run this symbol without a call), `test`, or `elsewhere` (in another open folder, through an endpoint, table, topic, variable or flag that both folders name; not part of the numbers).
---@field label string The heading of the group.
---@field count kenning.protocol.SymbolCount The number of users in the group. It is larger than the number of listed users if the list is truncated.
---@field files kenning.protocol.UserFile[] The users by file: files with users outside tests first, then by path.

--- The vectors of a folder.
---@class kenning.protocol.VectorsStatus
---@field model string The folder of the model, as the option names it.
---@field symbols integer The number of symbols and sections whose vectors are stored. A session computes them in the background, and a command before its answer.

--- Checks the disk, and answers when the index includes every change that is there: files that a program wrote a moment ago, and the whole workspace while it is indexed for the first time. Also waits for the commits that earlier sessions read, which the ranking uses; while more commits are being read, `history_pending` is true. For clients that do not report the files that they change, such as agents.
---@class kenning.protocol.WaitForIndexArguments
---@field limitMs? integer Maximum wait in milliseconds. Defaults to 10,000.
---@field textDocument? kenning.protocol.TextDocument A document that selects the folder if several folders are open. Defaults to the first folder.

return {
  --- The evidence for an edge, by its provenance.
  ---@type table<string, string>
  evidence = {
    ast_inferred = 'matched by name',
    ast_resolved = 'resolved from imports and types',
    runtime = 'observed at run time',
    lsp_resolved = 'confirmed by a language server',
    structural = 'given by the structure of the code',
    git = 'found in the version history',
  },
  --- The formats of packs.
  ---@type string[]
  pack_formats = { 'markdown', 'xml', 'json', 'gcf', 'gcb' },
}
