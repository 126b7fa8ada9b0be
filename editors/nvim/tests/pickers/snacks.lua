-- Drives snacks.picker for the spec `pickers`.
local function current()
  return require('snacks').picker.get()[1]
end

return {
  plugins = { 'snacks.nvim' },
  type = function(text)
    current().input:set(nil, text)
    current():find()
  end,
  rows = function()
    local picker = current()
    return vim.tbl_map(function(item)
      return { file = item.file, line = item.pos[1] }
    end, picker and picker:items() or {})
  end,
  accept = function()
    current():action('confirm')
  end,
}
