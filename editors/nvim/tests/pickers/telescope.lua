-- Drives telescope.nvim for the spec `pickers`.
local function current()
  local buffer = vim.iter(vim.api.nvim_list_bufs()):find(function(buffer)
    return vim.bo[buffer].filetype == 'TelescopePrompt'
  end)
  return buffer, buffer and require('telescope.actions.state').get_current_picker(buffer)
end

return {
  plugins = { 'plenary.nvim', 'telescope.nvim' },
  needs = 'nvim-0.11',
  -- The same as `:Telescope kenning search query=...`.
  search = function(query)
    require('telescope').load_extension('kenning').search({ query = query })
  end,
  type = function(text)
    local _, picker = current()
    picker:set_prompt(text)
  end,
  rows = function()
    local _, picker = current()
    local rows = {}
    for entry in picker and picker.manager and picker.manager:iter() or function() end do
      table.insert(rows, { file = entry.filename, line = entry.lnum })
    end
    return rows
  end,
  accept = function()
    require('telescope.actions').select_default((current()))
  end,
}
