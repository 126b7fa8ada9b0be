-- Generated from server/src/config/options.rs: UPDATE_EXPECT=1 cargo test -p kenning --lib neovim
-- stylua: ignore start

---@class kenning.settings.hover
---@field enabled? boolean Show the blast radius of the symbol under the pointer.

---@class kenning.settings.codeLens
---@field enabled? boolean Show how many callers, dependents and tests each definition has.
---@field kinds? ("function"|"method"|"constructor"|"class"|"struct"|"enum"|"interface"|"trait"|"type"|"record"|"union"|"macro"|"module")[] The kinds of definitions that have a lens.
---@field minimumCallers? integer No lens for definitions with fewer direct callers.
---@field minimumDependents? integer No lens for definitions that fewer symbols reach.
---@field minimumTests? integer No lens for definitions that fewer tests reach.

---@class kenning.settings.codeActions
---@field enabled? boolean Offer **Copy context for this symbol** and **Show blast radius**.

---@class kenning.settings.callHierarchy
---@field enabled? boolean Answer the editor's call hierarchy. Off by default: where a language server of the language does so too, each caller would be shown twice.

---@class kenning.settings.pack
---@field budget? integer Tokens that the pack for a task or for files may use, where the request names no budget. A ceiling, not a target.
---@field changeBudget? integer The same for the pack of a change.
---@field format? "markdown"|"xml"|"json" The form of packs on the command line, where no `--format` is given.

---@class kenning.settings.blastRadius
---@field depth? integer How many levels of callers the blast radius lists, where the request names no depth. The numbers of hovers and lenses do not depend on it.

---@class kenning.settings.index
---@field maxFileSize? integer Larger files are left out, in bytes.
---@field exclude? string[] Files to leave out: patterns in the syntax of `.gitignore`, relative to the workspace's root.
---@field threads? integer Threads that indexing may use. 0 leaves it to Kenning: every core on the command line, one fewer in an editor.
---@field watch? "auto"|"client"|"own"|"off" Who tells of files that change on the disk. Another value counts from the next session on.
---@field history? boolean Read from git what the commits say and touch (in a session in the background, and with `kenning index`), and who last changed each symbol (in a session). Tasks are matched with what was done before.

---@class kenning.settings.log
---@field level? "off"|"error"|"warn"|"info"|"debug"|"trace" What the editor's log shows. Standard error is governed by the environment variable `KENNING_LOG`.

---@class kenning.settings.servers.One
---@field enabled? boolean Whether this language server may be used.
---@field command? string The program: a name on `PATH` or an absolute path. Not said: the usual one.
---@field args? string[] The program's arguments. Not said: the usual ones.

---@class kenning.Settings
---@field hover? kenning.settings.hover What is shown when the pointer rests on a symbol.
---@field codeLens? kenning.settings.codeLens The line above a definition: `5 callers · 23 dependents · 3 tests`.
---@field codeActions? kenning.settings.codeActions What the editor offers at a symbol.
---@field callHierarchy? kenning.settings.callHierarchy The editor's own view of callers and callees.
---@field pack? kenning.settings.pack Context packs.
---@field blastRadius? kenning.settings.blastRadius What a change reaches.
---@field index? kenning.settings.index Which files are in the index, and what indexing may use.
---@field log? kenning.settings.log What Kenning writes to the editor's log.
---@field class? table[] The workspace's own vocabulary: phrases that people use in tasks, and the names that the code has for them.
---@field servers? table<string, kenning.settings.servers.One> The language servers that confirm what Kenning found, by their names.
---@field workspaceTrust? boolean Whether the workspace's own `kenning.toml` may name programs. Said by the editor, it counts before what `kenning trust` stored; not said, what is stored counts.

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
  { key = 'pack.budget', type = 'integer', default = 50000 },
  { key = 'pack.changeBudget', type = 'integer', default = 8000 },
  { key = 'pack.format', type = '"markdown"|"xml"|"json"', default = 'markdown' },
  { key = 'blastRadius.depth', type = 'integer', default = 4 },
  { key = 'index.maxFileSize', type = 'integer', default = 2097152 },
  { key = 'index.exclude', type = 'string[]', default = {} },
  { key = 'index.threads', type = 'integer', default = 0 },
  { key = 'index.watch', type = '"auto"|"client"|"own"|"off"', default = 'auto' },
  { key = 'index.history', type = 'boolean', default = true },
  { key = 'log.level', type = '"off"|"error"|"warn"|"info"|"debug"|"trace"', default = 'info' },
  { key = 'class', type = 'table[]', default = {} },
  { key = 'servers.<name>.enabled', type = 'boolean', default = true },
  { key = 'servers.<name>.command', type = 'string' },
  { key = 'servers.<name>.args', type = 'string[]' },
  { key = 'workspaceTrust', type = 'boolean' },
}
