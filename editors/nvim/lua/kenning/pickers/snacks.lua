-- Searches with snacks.picker.
local M = {}

function M.is_installed()
  local ok, snacks = pcall(require, 'snacks')
  return ok and snacks.picker ~= nil
end

---@param search kenning.PickerSearch
function M.start(search)
  -- Runs in a coroutine of the picker, which is suspended until the answer arrives.
  local function find(_, context)
    local query = context.filter.search
    return function(add)
      local answered, found = false, {}
      vim.schedule(function()
        search.live:ask(query, function(entries)
          answered, found = true, entries or {}
          context.async:resume()
        end)
      end)
      while not answered do
        context.async:suspend()
      end
      for _, entry in ipairs(found) do
        add({
          text = entry.text,
          name = entry.name,
          place = entry.place,
          about = entry.about,
          file = entry.filename,
          pos = { entry.lnum, entry.col - 1 },
        })
      end
    end
  end
  local picker = {
    source = 'kenning',
    title = search.title,
    search = search.query,
    -- The query goes to the server; the picker itself neither filters nor sorts.
    live = true,
    supports_live = true,
    finder = find,
    format = function(item)
      return { { item.name, 'SnacksPickerLabel' }, { '  ' .. item.place, 'SnacksPickerDir' }, { '  ' .. item.about } }
    end,
    preview = 'file',
    on_close = function()
      search.live:stop()
    end,
  }
  require('snacks').picker.pick(vim.tbl_deep_extend('force', picker, search.options))
end

return M
