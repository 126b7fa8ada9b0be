-- Drives fzf-lua for the spec `pickers`. The program fzf runs in a terminal, so rows are read from
-- its screen.
local function terminal()
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buffer)
    return vim.bo[buffer].filetype == 'fzf'
  end)
end

local function send(keys)
  vim.fn.chansend(vim.bo[terminal()].channel, keys)
end

return {
  plugins = { 'fzf-lua' },
  program = 'fzf',
  type = function(text)
    -- Ctrl-U deletes the line.
    send('\21' .. text)
  end,
  rows = function()
    local buffer, rows = terminal(), {}
    for _, line in ipairs(buffer and vim.api.nvim_buf_get_lines(buffer, 0, -1, false) or {}) do
      local file, number = line:match('([%w_./-]+):(%d+):%d+:')
      if file then
        table.insert(rows, { file = vim.fn.fnamemodify(file, ':p'), line = tonumber(number) })
      end
    end
    return rows
  end,
  accept = function()
    send('\r')
  end,
}
