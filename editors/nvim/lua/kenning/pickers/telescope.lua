-- Searches with telescope.nvim.
local M = {}

function M.is_installed()
  return (pcall(require, 'telescope'))
end

--- Returns an entry of Telescope, with the name and the place highlighted.
local function to_telescope_entry(entry, number)
  local text = ('%s  %s  %s'):format(entry.name, entry.place, entry.about)
  local place = #entry.name + 2
  local highlights = {
    { { 0, #entry.name }, 'TelescopeResultsIdentifier' },
    { { place, place + #entry.place }, 'TelescopeResultsComment' },
  }
  return {
    value = entry,
    ordinal = text,
    display = function()
      return text, highlights
    end,
    index = number,
    filename = entry.filename,
    lnum = entry.lnum,
    -- Telescope passes the column to |nvim_win_set_cursor()|, which counts from 0.
    col = entry.col - 1,
  }
end

---@param search kenning.PickerSearch
function M.start(search)
  -- Telescope calls the finder with every prompt. The finder does not wait for the answer, so that
  -- a new prompt replaces a slow one.
  local finder = setmetatable({
    close = function()
      search.live:stop()
    end,
  }, {
    __call = function(_, prompt, process_result, process_complete)
      search.live:ask(prompt, function(entries)
        for number, entry in ipairs(entries or {}) do
          process_result(to_telescope_entry(entry, number))
        end
        if entries then
          process_complete()
        end
      end)
    end,
  })
  require('telescope.pickers')
    .new(search.options, {
      prompt_title = search.title,
      default_text = search.query,
      finder = finder,
      previewer = require('telescope.config').values.qflist_previewer(search.options),
      -- Keeps the order of the server.
      sorter = require('telescope.sorters').empty(),
    })
    :find()
end

return M
