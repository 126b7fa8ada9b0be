-- Searches with fzf-lua.
local M = {}

function M.is_installed()
  return (pcall(require, 'fzf-lua'))
end

--- Returns the line of an entry. It starts with a position that fzf-lua's preview and actions
--- parse.
local function to_line(entry)
  local file = vim.fn.fnamemodify(entry.filename, ':.')
  return ('%s:%d:%d: %s  %s'):format(file, entry.lnum, entry.col, entry.name, entry.about)
end

---@param search kenning.PickerSearch
function M.start(search)
  local fzf = require('fzf-lua')
  -- Older versions pass the query itself, newer versions a list that contains it.
  local function find(arguments)
    local query = type(arguments) == 'table' and arguments[1] or arguments or ''
    return function(write_line)
      vim.schedule(function()
        search.live:ask(query, function(entries)
          for _, entry in ipairs(entries or {}) do
            write_line(to_line(entry))
          end
          write_line(nil)
        end)
      end)
    end
  end
  local picker = {
    winopts = { title = (' %s '):format(search.title) },
    query = search.query,
    previewer = 'builtin',
    actions = fzf.defaults.actions.files,
  }
  fzf.fzf_live(find, vim.tbl_deep_extend('force', picker, search.options))
end

return M
