-- Searches symbols and files: with a picker while the user types, or once with the results in a
-- list.
local choices = require('kenning.search_choices')
local list = require('kenning.list')
local LiveSearch = require('kenning.live_search')
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local format_count = require('kenning.words').format_count

local M = {}

---@class kenning.SearchRequest
---@field query? string
---@field scope? kenning.protocol.SearchScopeName
---@field mode? kenning.protocol.SearchModeName
---@field picker? string one of `search_choices.pickers`
---@field options? table the picker's own options, such as a theme of Telescope

---@class kenning.PickerSearch
---@field live kenning.LiveSearch
---@field query string
---@field title string
---@field options table
---@field client vim.lsp.Client

---@class kenning.Picker
---@field is_installed fun(): boolean
---@field start fun(search: kenning.PickerSearch)

local MODULES = {
  telescope = 'kenning.pickers.telescope',
  snacks = 'kenning.pickers.snacks',
  ['fzf-lua'] = 'kenning.pickers.fzf_lua',
  ['mini.pick'] = 'kenning.pickers.mini_pick',
  select = 'kenning.pickers.select',
}

--- Returns the first picker that is installed; `select` always is.
---@return kenning.Picker
local function first_picker()
  for _, name in ipairs(choices.pickers) do
    local picker = require(MODULES[name])
    if picker.is_installed() then
      return picker
    end
  end
  error('the picker select is missing')
end

--- Returns the picker with this name. If it is unknown or not installed, notifies the user and
--- returns nil.
---@param name string
---@return kenning.Picker?
local function find_picker(name)
  if not MODULES[name] then
    local known = table.concat(choices.pickers, ', ')
    lsp.notify(('%s is not a picker; use one of %s'):format(name, known), vim.log.levels.ERROR)
    return nil
  end
  local picker = require(MODULES[name])
  if not picker.is_installed() then
    lsp.notify(('the picker %s is not installed, or not set up'):format(name), vim.log.levels.ERROR)
    return nil
  end
  return picker
end

--- Returns a message if the value is not one of the choices, else nil.
local function find_mistake(name, value, allowed)
  if value and not vim.tbl_contains(allowed, value) then
    return ('%s must be one of %s, not %s'):format(name, table.concat(allowed, ', '), value)
  end
end

--- Creates a search of the current buffer's workspace, and calls `done` with it when the first
--- index is ready.
local function with_search(request, done)
  local mistake = find_mistake('scope', request.scope, choices.scopes)
    or find_mistake('mode', request.mode, choices.modes)
  if mistake then
    lsp.notify(mistake, vim.log.levels.ERROR)
    return
  end
  local buffer = vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    lsp.when_indexed(client, function()
      done(LiveSearch.new(client, buffer, request), client)
    end)
  end)
end

--- Searches with a picker.
---@param request? kenning.SearchRequest
function M.start(request)
  request = request or {}
  local name = request.picker or options.get().search.picker
  local picker = name and find_picker(name) or not name and first_picker()
  if not picker then
    return
  end
  with_search(request, function(live, client)
    local scope, mode = request.scope or choices.scopes[1], request.mode or choices.modes[1]
    picker.start({
      live = live,
      query = request.query or '',
      title = ('Kenning search (%s, %s)'):format(scope, mode),
      options = request.options or {},
      client = client,
    })
  end)
end

--- Asks for a query if there is none, searches once, and shows the results in the quickfix list or
--- with `vim.ui.select`.
---@param live kenning.LiveSearch
---@param client vim.lsp.Client
---@param query string
---@param to? 'quickfix'|'select'
function M.show_list(live, client, query, to)
  if vim.trim(query) == '' then
    vim.ui.input({ prompt = 'Search: ' }, function(typed)
      if typed and vim.trim(typed) ~= '' then
        M.show_list(live, client, typed, to)
      end
    end)
    return
  end
  live:send(query, function(entries, has_failed)
    if has_failed then
      return
    end
    if #entries == 0 then
      lsp.notify('nothing in this workspace matches ' .. query)
      return
    end
    local title = ('%s for %s'):format(format_count(#entries, 'result'), query)
    if to == 'select' then
      list.show_in_select(entries, title, client)
    else
      list.show_in_quickfix(entries, title, client.offset_encoding)
    end
  end)
end

--- Runs `:Kenning search`: with a query in a list, without one in a picker.
---@param query? string
---@param flags { to?: string, scope?: string, mode?: string, picker?: string }
function M.run(query, flags)
  local request = { query = query, scope = flags.scope, mode = flags.mode, picker = flags.picker }
  if flags.to == 'picker' or flags.picker or not (query or flags.to) then
    M.start(request)
    return
  end
  with_search(request, function(live, client)
    M.show_list(live, client, query or '', flags.to)
  end)
end

return M
