-- The public interface of the plugin. `setup()` is optional if `vim.lsp.enable('kenning')` is
-- called (Neovim 0.11 and later).
local M = {}

--- The version of this plugin; the same as the server's.
M.version = '0.1.0'

--- Sets the options and starts Kenning in the buffers of its languages.
---@param options? kenning.Options
function M.setup(options)
  for _, mistake in ipairs(require('kenning.options').set(options)) do
    vim.notify('Kenning: ' .. mistake, vim.log.levels.WARN)
  end
  require('kenning.lsp').enable()
end

--- Requests a pack as data, for other plugins: for a task, for files, or else for the change since
--- `base`.
---@param subject { task?: string, files?: string[], base?: string }
---@param done fun(pack: table)
function M.pack(subject, done)
  require('kenning.pack').request(subject, {}, done)
end

--- Searches symbols and files with a picker: `opts.picker`, the option `search.picker`, or the first
--- one that is installed.
---@param opts? kenning.SearchRequest
function M.search(opts)
  require('kenning.search').start(opts)
end

return M
