-- Shows list entries in the quickfix list or with `vim.ui.select`.
local M = {}

---@class kenning.ListEntry
---@field text string
---@field group? string the heading above the entry
---@field location table an LSP `Location`

--- Returns the quickfix items of locations, in their order; false for a file that cannot be read.
---@param locations table[] LSP `Location`s
---@param encoding string
---@return (vim.quickfix.entry|false)[]
function M.locations_to_quickfix_items(locations, encoding)
  local by_position = {}
  local function position_key(location)
    local start = location.range.start
    return ('%s|%d|%d'):format(location.uri, start.line, start.character)
  end
  -- Neovim sorts the items by their positions.
  for _, item in ipairs(vim.lsp.util.locations_to_items(locations, encoding)) do
    by_position[position_key(item.user_data)] = item
  end
  return vim.tbl_map(function(location)
    return by_position[position_key(location)] or false
  end, locations)
end

--- Converts list entries to items of the quickfix list, in the same order, with the headings of
--- their groups.
local function items_with_headings(entries, encoding)
  local locations = vim.tbl_map(function(entry)
    return entry.location
  end, entries)
  local items, group = {}, nil
  for number, item in ipairs(M.locations_to_quickfix_items(locations, encoding)) do
    local entry = entries[number]
    if item then
      if entry.group ~= group then
        group = entry.group
        -- An invalid item is a heading, which `:cnext` skips.
        table.insert(items, { text = group, valid = 0 })
      end
      table.insert(items, { filename = item.filename, lnum = item.lnum, col = item.col, text = entry.text })
    end
  end
  return items
end

--- Shows entries in the quickfix list.
---@param entries kenning.ListEntry[]
---@param title string
---@param encoding string
function M.show_in_quickfix(entries, title, encoding)
  local items = items_with_headings(entries, encoding)
  -- If the first item is a heading, the second item is the first entry.
  local first = items[1] and items[1].valid == 0 and 2 or 1
  vim.fn.setqflist({}, ' ', { title = title, items = items, idx = first })
  vim.cmd('botright copen')
end

--- Shows entries with `vim.ui.select`, and opens the entry that the user chooses.
---@param entries kenning.ListEntry[]
---@param title string
---@param client vim.lsp.Client
function M.show_in_select(entries, title, client)
  vim.ui.select(entries, {
    prompt = title,
    kind = 'kenning',
    format_item = function(entry)
      local file = vim.fn.fnamemodify(vim.uri_to_fname(entry.location.uri), ':.')
      return ('%s  %s:%d'):format(entry.text, file, entry.location.range.start.line + 1)
    end,
  }, function(entry)
    if entry then
      vim.lsp.util.show_document(entry.location, client.offset_encoding, { reuse_win = true, focus = true })
    end
  end)
end

return M
