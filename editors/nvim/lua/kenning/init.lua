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

--- Maps all commands below a prefix such as `<leader>k`, with a group in which-key.
---@param prefix string
function M.map(prefix)
  require('kenning.maps').set(prefix)
end

--- Returns the text for a statusline: the number of symbols, or the work in progress. Empty in
--- buffers without Kenning.
---@return string
function M.statusline()
  return require('kenning.statusline').text()
end

--- Searches symbols and files with a picker: `opts.picker`, or else the option `search.picker`, or
--- else the first picker that is installed.
---@param opts? kenning.SearchRequest
function M.search(opts)
  require('kenning.search').start(opts)
end

return M
