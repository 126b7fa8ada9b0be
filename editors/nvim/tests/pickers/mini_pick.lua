-- Drives mini.pick for the spec `pickers`.
return {
  plugins = { 'mini.nvim' },
  set_up = function()
    require('mini.pick').setup()
  end,
  type = function(text)
    _G.MiniPick.set_picker_query(vim.fn.split(text, '\\zs'))
  end,
  rows = function()
    return vim.tbl_map(function(item)
      return { file = item.path, line = item.lnum }
    end, _G.MiniPick.get_picker_items() or {})
  end,
  -- The preview replaces the list.
  preview = function()
    vim.api.nvim_input('<Tab>')
  end,
  accept = function()
    vim.api.nvim_input('<CR>')
  end,
}
