-- Searches with mini.pick.
local M = {}

--- Whether mini.pick is set up. Its functions need the setup, and mini.nvim always contains the
--- module.
function M.is_installed()
  return _G.MiniPick ~= nil
end

---@param search kenning.PickerSearch
function M.start(search)
  local pick = _G.MiniPick
  -- mini.pick calls this function when the query changes, and when the items are set.
  local last_tick
  local function match(_, _, query)
    local tick = pick.get_querytick()
    if tick == last_tick then
      return
    end
    last_tick = tick
    search.live:ask(table.concat(query), function(entries)
      if not entries then
        return
      end
      local items = vim.tbl_map(function(entry)
        local text = ('%s  %s  %s'):format(entry.name, entry.place, entry.about)
        return { text = text, path = entry.filename, lnum = entry.lnum, col = entry.col }
      end, entries)
      pick.set_picker_items(items, { do_match = false, querytick = tick })
    end)
  end
  local picker = { source = { name = search.title, items = {}, match = match } }
  -- The picker runs until the user closes it, so the first query has to be set from outside.
  vim.schedule(function()
    if search.query ~= '' and pick.is_picker_active() then
      pick.set_picker_query(vim.fn.split(search.query, '\\zs'))
    end
  end)
  pick.start(vim.tbl_deep_extend('force', picker, search.options))
  search.live:stop()
end

return M
