-- Shows the blast radius and the affected tests, as a list of locations or as text.
local freshness = require('kenning.freshness')
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local show = require('kenning.show')
local tree = require('kenning.tree')
local words = require('kenning.words')

local M = {}

---@class kenning.Place
---@field text string
---@field group? string the heading that the place is below
---@field location table a `Location` of LSP

local function hops(count)
  return count == 1 and '1 hop' or ('%d hops'):format(count)
end

--- Returns the places of a blast radius: users by role, each at its first use, then dependents by
--- distance. Each symbol occurs once.
---@param answer kenning.protocol.BlastRadius
---@return kenning.Place[]
function M.places(answer)
  local places, seen = {}, {}
  local function add(symbol, group, label, location)
    if seen[symbol.id] or not location then
      return
    end
    seen[symbol.id] = true
    local unsure = symbol.ambiguous and '~' or ''
    local text = ('%s%s  %s'):format(unsure, symbol.name, label)
    table.insert(places, { text = text, group = group, location = location })
  end
  for _, group in ipairs(answer.users) do
    for _, file in ipairs(group.files) do
      for _, user in ipairs(file.users) do
        local label = group.role == 'test' and hops(user.distance) or user.relation
        local test = user.is_test and group.role ~= 'test' and 'test, ' or ''
        add(user, tree.group_text(group), test .. label, user.use_location or user.location)
      end
    end
  end
  for distance, level in ipairs(answer.levels) do
    for _, dependent in ipairs(level) do
      local group = ('%s away'):format(hops(distance))
      add(dependent, group, ('%s, %s'):format(dependent.edge, hops(distance)), dependent.location)
    end
  end
  return places
end

--- Returns the places of affected tests, each with the call path that reaches the change.
---@param answer kenning.protocol.AffectedTests
---@return kenning.Place[]
function M.test_places(answer)
  local places = {}
  for _, test in ipairs(answer.tests) do
    local way = vim.tbl_map(function(symbol)
      return symbol.name
    end, test.path)
    if test.removed then
      table.insert(way, test.removed .. ' (removed)')
    end
    local sign = (test.ambiguous and '~' or '') .. (test.possible and '(possible) ' or '')
    if test.location then
      table.insert(places, { text = sign .. table.concat(way, ' → '), location = test.location })
    end
  end
  return places
end

--- Converts places to entries of the quickfix list, in the same order.
local function entries(places, encoding)
  local by_place = {}
  local function key(location)
    local start = location.range.start
    return ('%s|%d|%d'):format(location.uri, start.line, start.character)
  end
  local locations = vim.tbl_map(function(place)
    return place.location
  end, places)
  for _, item in ipairs(vim.lsp.util.locations_to_items(locations, encoding)) do
    by_place[key(item.user_data)] = item
  end
  local list, group = {}, nil
  for _, place in ipairs(places) do
    local item = by_place[key(place.location)]
    if item then
      if place.group ~= group then
        group = place.group
        -- An entry without a place is a heading, which `:cnext` skips.
        table.insert(list, { text = group, valid = 0 })
      end
      table.insert(list, { filename = item.filename, lnum = item.lnum, col = item.col, text = place.text })
    end
  end
  return list
end

local function to_quickfix(places, title, encoding)
  local items = entries(places, encoding)
  -- The first entry is a heading if the second is below it.
  local first = items[1] and items[1].valid == 0 and 2 or 1
  vim.fn.setqflist({}, ' ', { title = title, items = items, idx = first })
  vim.cmd('botright copen')
end

local function to_select(places, title, client)
  vim.ui.select(places, {
    prompt = title,
    kind = 'kenning',
    format_item = function(place)
      local file = vim.fn.fnamemodify(vim.uri_to_fname(place.location.uri), ':.')
      return ('%s  %s:%d'):format(place.text, file, place.location.range.start.line + 1)
    end,
  }, function(place)
    if place then
      vim.lsp.util.show_document(place.location, client.offset_encoding, { reuse_win = true, focus = true })
    end
  end)
end

local function show_places(client, answer, wanted, to)
  local title, places = wanted.title(answer), wanted.places(answer)
  local more = answer.truncated and '; the list is incomplete' or ''
  local less = freshness.words(answer.freshness)
  local nothing = answer.no_users and '. ' .. answer.no_users or ''
  if #places == 0 or more .. less ~= '' then
    lsp.say(title .. less .. more .. nothing)
  end
  if #places == 0 then
    return
  end
  if to == 'tree' and answer.users then
    tree.show(client, answer, { title })
  elseif to == 'select' then
    to_select(places, title, client)
  else
    to_quickfix(places, title, client.offset_encoding)
  end
end

--- Sends the command to the server and shows the places or the text of the answer.
local function show_answer(client, command, argument, wanted, buffer)
  local to = wanted.to or options.get().places.to
  local is_text = to == 'buffer' or to == 'float' or to == 'register'
  argument.format = is_text and 'markdown' or nil
  lsp.when_indexed(client, function()
    lsp.command(client, command, argument, function(answer)
      if not is_text then
        show_places(client, answer, wanted, to)
        return
      end
      local root = client.config.root_dir
      show.text(
        { title = wanted.name(answer), text = answer.text, filetype = 'markdown', root = root },
        to,
        wanted.register
      )
    end, buffer)
  end)
end

local function about_symbol(to)
  return {
    to = to,
    places = M.places,
    title = function(answer)
      return ('Blast radius of %s: %s'):format(answer.target.name, answer.title)
    end,
    name = function(answer)
      return 'blast radius/' .. answer.target.name
    end,
  }
end

--- Shows what depends on a symbol: the named one, or the one under the cursor.
---@param symbol? string
---@param wanted { to?: string, depth?: integer, register?: string }
function M.of_symbol(symbol, wanted)
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  lsp.with_client(buffer, function(client)
    local argument = { depth = wanted.depth }
    if client.attached_buffers[buffer] then
      argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    end
    if symbol then
      argument.symbol = symbol
    elseif argument.textDocument then
      argument.position = vim.lsp.util.make_position_params(window, client.offset_encoding).position
    else
      lsp.say('this buffer is not in the index; name a symbol', vim.log.levels.WARN)
      return
    end
    local how = about_symbol(wanted.to)
    how.register = wanted.register
    show_answer(client, 'kenning.blastRadius', argument, how, buffer)
  end)
end

--- Shows the blast radius for a lens or the code action.
---@param argument { uri: string, symbol: string }
---@param context { client_id: integer, bufnr: integer }
function M.of_command(argument, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  require('kenning.lens').after_run(context.client_id, context.bufnr)
  local asked = { symbol = argument.symbol, textDocument = { uri = argument.uri } }
  show_answer(client, 'kenning.blastRadius', asked, about_symbol(), context.bufnr)
end

--- Shows the tests that reach the given files, or the change since `base` if there are none.
---@param about { files?: string[], base?: string }
---@param wanted { to?: string, register?: string }
function M.tests(about, wanted)
  local buffer = vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    local argument = { base = about.base }
    if about.files then
      argument.uris = vim.tbl_map(vim.uri_from_fname, about.files)
    elseif client.attached_buffers[buffer] then
      argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    end
    local how = {
      to = wanted.to,
      register = wanted.register,
      places = M.test_places,
      title = function(answer)
        local subject = answer.change and ('the change since ' .. answer.change.base)
          or table.concat(answer.files, ', ')
        return ('%s of %s'):format(words.count(#answer.tests, 'affected test'), subject)
      end,
      name = function()
        return 'affected tests'
      end,
    }
    show_answer(client, 'kenning.affectedTests', argument, how, buffer)
  end)
end

return M
