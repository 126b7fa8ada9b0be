-- Kenning in Neovim. `setup()` is optional where `vim.lsp.enable('kenning')` is called (Neovim 0.11 and later).
local M = {}

--- The version of this plugin, the same as the server's.
M.version = '0.1.0'

--- Takes over options and starts Kenning in the buffers of its languages.
---@param options? kenning.Options
function M.setup(options)
  for _, wrong in ipairs(require('kenning.options').set(options)) do
    vim.notify('Kenning: ' .. wrong, vim.log.levels.WARN)
  end
  require('kenning.lsp').enable()
end

--- The pack for a task, for files or for a change, with its answer as data: for other plugins.
--- It is about a task, about files, or (without both) about the change since `base`.
---@param about { task?: string, files?: string[], base?: string }
---@param done fun(pack: table)
function M.pack(about, done)
  require('kenning.pack').ask(about, {}, done)
end

return M
