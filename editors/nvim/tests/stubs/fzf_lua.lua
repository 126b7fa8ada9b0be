-- A stand-in for fzf-lua: `fzf_live` with a function that writes the lines for a query. Returns the
-- parts of the driver that would use the terminal of fzf.
local windows = require('stubs.windows')

local open ---@type table? the picker that is open

local function ask(query)
  local lines = {}
  open.lines = {}
  open.find({ query })(function(line)
    if line then
      table.insert(lines, line)
      return
    end
    -- The pipe is closed. A question that was replaced has no lines.
    if #lines > 0 then
      open.lines = lines
      local file, number = lines[1]:match('^([^:]+):(%d+):')
      windows.preview(file, tonumber(number))
    end
  end)
end

package.preload['fzf-lua'] = function()
  return {
    defaults = { actions = { files = {} } },
    fzf_live = function(find, options)
      assert(options.previewer == 'builtin' and options.actions)
      open = { find = find, lines = {} }
      ask(options.query)
    end,
  }
end

return {
  type = ask,
  rows = function()
    return vim.tbl_map(function(line)
      local file, number = line:match('^([^:]+):(%d+):')
      return { file = vim.fn.fnamemodify(file, ':p'), line = tonumber(number) }
    end, open and open.lines or {})
  end,
  accept = function()
    local file, number, column = open.lines[1]:match('^([^:]+):(%d+):(%d+):')
    open = nil
    windows.open(file, tonumber(number), tonumber(column) - 1)
  end,
}
