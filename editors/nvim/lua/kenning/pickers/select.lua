-- Searches once with `vim.ui.input` and `vim.ui.select`, which every Neovim has.
local M = {}

function M.is_installed()
  return true
end

---@param search kenning.PickerSearch
function M.start(search)
  require('kenning.search').show_list(search.live, search.client, search.query, 'select')
end

return M
