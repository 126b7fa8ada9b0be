-- Generated from server/src/config/options.rs: UPDATE_EXPECT=1 cargo test -p kenning --lib neovim
-- stylua: ignore start

---@class kenning.settings.hover
---@field enabled? boolean Show the blast radius of the symbol under the pointer.

---@class kenning.settings.codeLens
---@field enabled? boolean Show the numbers of callers, dependents and tests above each definition.
---@field kinds? ("function"|"method"|"constructor"|"class"|"struct"|"enum"|"interface"|"trait"|"type"|"record"|"union"|"macro"|"module")[] The kinds of definitions that get a lens.
---@field minimumCallers? integer Hide the lens of definitions with fewer direct callers.
---@field minimumDependents? integer Hide the lens of definitions with fewer dependents.
---@field minimumTests? integer Hide the lens of definitions that fewer tests reach.

---@class kenning.settings.codeActions
---@field enabled? boolean Offer **Copy context for this symbol** and **Show blast radius**.

---@class kenning.settings.callHierarchy
---@field enabled? boolean Answer the editor's call hierarchy. Off by default: if another language server also answers it, each caller appears twice.

---@class kenning.settings.pack
---@field budget? integer Maximum size in tokens of the pack for a task or for files, unless the request sets a budget. The pack may be smaller.
---@field changeBudget? integer Maximum size in tokens of the pack for a change, unless the request sets a budget.
---@field format? "markdown"|"xml"|"json"|"gcf"|"gcb" The format of packs on the command line, unless `--format` sets one.
---@field documents? boolean Add the sections of documents that clearly match a task, in the part of the budget that code leaves free: at least 4%, for which related code gives up lines, and at most 10%.

---@class kenning.settings.ranking
---@field configuration? "default"|"linear"|"seeds"|"bm25-bodies" The ranking configuration of packs and explanations, unless the request or the command names one.

---@class kenning.settings.learning
---@field taskMemory? boolean Remember the first five symbols of each pack for a week, and raise them in packs for tasks with the same keywords. Off by default, because the ranking finds these symbols without it.

---@class kenning.settings.blastRadius
---@field depth? integer Maximum distance of the callers that the blast radius lists, unless the request sets a depth. The numbers in hovers and lenses do not depend on it.

---@class kenning.settings.index
---@field maxFileSize? integer Maximum size of an indexed file in bytes; larger files are skipped.
---@field exclude? string[] Files to skip: patterns in the syntax of `.gitignore`, relative to the workspace's root.
---@field markDerived? boolean Put files that no one edits behind source: generated code, build output such as bundles, and files that `.gitattributes` marks as generated or vendored. They stay out of packs, and names resolve to the source.
---@field threads? integer The number of threads for indexing. 0 lets Kenning choose: all cores on the command line, one fewer in an editor.
---@field watch? "auto"|"client"|"own"|"off" The source of notifications about files that change on disk. A change to this option takes effect in the next session.
---@field history? boolean Read commits from git: their messages and files (in the background of a session, and in `kenning index`), and the last author of each symbol (in a session). Tasks are matched against this history.

---@class kenning.settings.knowledge
---@field folder? string The folder with the notes, tasks and skills, relative to the workspace's root. Empty turns them off: nothing is read or written.
---@field lens? boolean Show the number of notes, tasks and skills above each definition that they are linked to.

---@class kenning.settings.vectors
---@field model? string The folder of a model2vec model, absolute or relative to the workspace's root: `config.json`, `tokenizer.json` and `model.safetensors`. Searches then also find text with a similar meaning. Nothing is downloaded. Without a value, vectors are off.

---@class kenning.settings.log
---@field level? "off"|"error"|"warn"|"info"|"debug"|"trace" The least severe messages in the editor's log. The environment variable `KENNING_LOG` controls what is written to standard error.

---@class kenning.settings.servers.Server
---@field enabled? boolean Allow Kenning to use this language server.
---@field command? string The program: a name on `PATH` or an absolute path. Defaults to the server's usual program.
---@field args? string[] The program's arguments. Default to the server's usual arguments.

---@class kenning.Settings
---@field hover? kenning.settings.hover The information shown when the pointer rests on a symbol.
---@field codeLens? kenning.settings.codeLens The line above a definition: `5 callers · 23 dependents · 3 tests`.
---@field codeActions? kenning.settings.codeActions The actions that the editor offers for a symbol.
---@field callHierarchy? kenning.settings.callHierarchy The call hierarchy of the editor.
---@field pack? kenning.settings.pack Context packs.
---@field ranking? kenning.settings.ranking The order of the code in packs.
---@field learning? kenning.settings.learning Learning from the packs that Kenning answers with.
---@field blastRadius? kenning.settings.blastRadius The symbols that a change affects.
---@field index? kenning.settings.index The files that are indexed, and the limits of indexing.
---@field knowledge? kenning.settings.knowledge Notes, tasks and skills as Markdown files in the workspace.
---@field vectors? kenning.settings.vectors Vectors for the search, off by default.
---@field log? kenning.settings.log The messages that Kenning writes to the editor's log.
---@field class? table[] The workspace's own vocabulary: phrases that developers use in tasks, and the names that the code uses for them.
---@field servers? table<string, kenning.settings.servers.Server> The language servers that confirm and complete the graph, by name.
---@field workspaceTrust? boolean Trust the workspace, so that its own `kenning.toml` may name programs to run. The editor's value overrides the trust that `kenning trust` stored; without a value, the stored trust applies.

---@type { key: string, type: string, default: any }[]
return {
  { key = 'hover.enabled', type = 'boolean', default = true },
  { key = 'codeLens.enabled', type = 'boolean', default = true },
  { key = 'codeLens.kinds', type = '("function"|"method"|"constructor"|"class"|"struct"|"enum"|"interface"|"trait"|"type"|"record"|"union"|"macro"|"module")[]', default = { 'function', 'method', 'constructor', 'class', 'struct', 'enum', 'interface', 'trait', 'record', 'union', 'macro' } },
  { key = 'codeLens.minimumCallers', type = 'integer', default = 0 },
  { key = 'codeLens.minimumDependents', type = 'integer', default = 0 },
  { key = 'codeLens.minimumTests', type = 'integer', default = 0 },
  { key = 'codeActions.enabled', type = 'boolean', default = true },
  { key = 'callHierarchy.enabled', type = 'boolean', default = false },
  { key = 'pack.budget', type = 'integer', default = 8000 },
  { key = 'pack.changeBudget', type = 'integer', default = 8000 },
  { key = 'pack.format', type = '"markdown"|"xml"|"json"|"gcf"|"gcb"', default = 'markdown' },
  { key = 'pack.documents', type = 'boolean', default = true },
  { key = 'ranking.configuration', type = '"default"|"linear"|"seeds"|"bm25-bodies"', default = 'default' },
  { key = 'learning.taskMemory', type = 'boolean', default = false },
  { key = 'blastRadius.depth', type = 'integer', default = 4 },
  { key = 'index.maxFileSize', type = 'integer', default = 2097152 },
  { key = 'index.exclude', type = 'string[]', default = {} },
  { key = 'index.markDerived', type = 'boolean', default = true },
  { key = 'index.threads', type = 'integer', default = 0 },
  { key = 'index.watch', type = '"auto"|"client"|"own"|"off"', default = 'auto' },
  { key = 'index.history', type = 'boolean', default = true },
  { key = 'knowledge.folder', type = 'string', default = '' },
  { key = 'knowledge.lens', type = 'boolean', default = true },
  { key = 'vectors.model', type = 'string' },
  { key = 'log.level', type = '"off"|"error"|"warn"|"info"|"debug"|"trace"', default = 'info' },
  { key = 'class', type = 'table[]', default = {} },
  { key = 'servers.<name>.enabled', type = 'boolean', default = true },
  { key = 'servers.<name>.command', type = 'string' },
  { key = 'servers.<name>.args', type = 'string[]' },
  { key = 'workspaceTrust', type = 'boolean' },
}
