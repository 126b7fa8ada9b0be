-- Shows the blast radius and the affected tests.
--
-- A command of the server answers with users, dependents or tests. `blast_entries` and
-- `test_entries` convert an answer to list entries: a text, an optional heading and a location. A
-- view has the functions for one command: the entries, the title, and the name of the buffer for
-- the answer as text. The destination decides how a view is shown: in the quickfix list, in
-- `vim.ui.select`, as a tree, or as Markdown in a buffer, a float or a register.
local freshness = require('kenning.freshness')
local list = require('kenning.list')
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local show = require('kenning.show')
local tree = require('kenning.tree')
local words = require('kenning.words')

local M = {}

local function format_hops(count)
  return count == 1 and '1 hop' or ('%d hops'):format(count)
end

--- Returns the list entries of a blast radius: users by role, each at its first use, then
--- dependents by distance. Each symbol occurs once.
---@param answer kenning.protocol.BlastRadius
---@return kenning.ListEntry[]
function M.blast_entries(answer)
  local entries, seen = {}, {}
  local function add(symbol, group, label, location)
    if seen[symbol.id] or not location then
      return
    end
    seen[symbol.id] = true
    local mark = symbol.ambiguous and '~' or ''
    local text = ('%s%s  %s'):format(mark, symbol.name, label)
    table.insert(entries, { text = text, group = group, location = location })
  end
  for _, group in ipairs(answer.users) do
    for _, file in ipairs(group.files) do
      for _, user in ipairs(file.users) do
        local label = group.role == 'test' and format_hops(user.distance) or user.relation
        local test = user.is_test and group.role ~= 'test' and 'test, ' or ''
        add(user, tree.format_group(group), test .. label, user.use_location or user.location)
      end
    end
  end
  for distance, level in ipairs(answer.levels) do
    for _, dependent in ipairs(level) do
      local group = ('%s away'):format(format_hops(distance))
      add(dependent, group, ('%s, %s'):format(dependent.relation, format_hops(distance)), dependent.location)
    end
  end
  return entries
end

--- Returns the list entries of affected tests, each with the call path that reaches the change.
---@param answer kenning.protocol.AffectedTests
---@return kenning.ListEntry[]
function M.test_entries(answer)
  local entries = {}
  for _, test in ipairs(answer.tests) do
    local path = vim.tbl_map(function(symbol)
      return symbol.name
    end, test.path)
    if test.removed then
      table.insert(path, test.removed .. ' (removed)')
    end
    local marks = (test.ambiguous and '~' or '') .. (test.possible and '(possible) ' or '')
    if test.location then
      table.insert(entries, { text = marks .. table.concat(path, ' → '), location = test.location })
    end
  end
  return entries
end

--- Shows the entries of an answer in a list or a tree, and notifies the user if they are
--- incomplete.
local function show_list(client, answer, view, destination)
  local title, entries = view.title(answer), view.entries(answer)
  local truncated = answer.truncated and '; the list is incomplete' or ''
  -- A list of users does not depend on commits.
  local stale = freshness.describe_files(answer.freshness)
  local no_users = answer.no_users and '. ' .. answer.no_users or ''
  if #entries == 0 or truncated .. stale ~= '' then
    lsp.notify(title .. stale .. truncated .. no_users)
  end
  if #entries == 0 then
    return
  end
  if destination == 'tree' and answer.users then
    tree.show(client, answer, { title })
  elseif destination == 'select' then
    list.show_in_select(entries, title, client)
  else
    list.show_in_quickfix(entries, title, client.offset_encoding)
  end
end

--- Sends the command to the server and shows the list or the text of the answer.
local function show_answer(client, command, argument, view, buffer)
  local destination = view.to or options.get().places.to
  local is_text = destination == 'buffer' or destination == 'float' or destination == 'register'
  argument.format = is_text and 'markdown' or nil
  lsp.when_indexed(client, function()
    lsp.command(client, command, argument, function(answer)
      if not is_text then
        show_list(client, answer, view, destination)
        return
      end
      local root = client.config.root_dir
      show.text(
        { title = view.name(answer), text = answer.text, filetype = 'markdown', root = root },
        destination,
        view.register
      )
    end, buffer)
  end)
end

--- Returns the view of a blast radius.
local function create_symbol_view(to)
  return {
    to = to,
    entries = M.blast_entries,
    title = function(answer)
      return ('Blast radius of %s: %s'):format(answer.target.name, answer.title)
    end,
    name = function(answer)
      return 'blast radius/' .. answer.target.name
    end,
  }
end

--- Shows the blast radius of a symbol. Defaults to the symbol under the cursor.
---@param symbol? string
---@param flags { to?: string, depth?: integer, register?: string }
function M.show(symbol, flags)
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  lsp.with_client(buffer, function(client)
    local argument = { depth = flags.depth }
    if client.attached_buffers[buffer] then
      argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    end
    if symbol then
      argument.symbol = symbol
    elseif argument.textDocument then
      argument.position = vim.lsp.util.make_position_params(window, client.offset_encoding).position
    else
      lsp.notify('this buffer is not in the index; name a symbol', vim.log.levels.WARN)
      return
    end
    local view = create_symbol_view(flags.to)
    view.register = flags.register
    show_answer(client, 'kenning.blastRadius', argument, view, buffer)
  end)
end

--- Runs the command of a lens or of the code action, which shows the blast radius.
---@param argument { uri: string, symbol: string }
---@param context { client_id: integer, bufnr: integer }
function M.run_command(argument, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  require('kenning.lens').after_run(context.client_id, context.bufnr)
  local request = { symbol = argument.symbol, textDocument = { uri = argument.uri } }
  show_answer(client, 'kenning.blastRadius', request, create_symbol_view(), context.bufnr)
end

--- Shows the tests that reach `files`. Without `files`, shows the tests that reach the change since
--- `base`.
---@param subject { files?: string[], base?: string }
---@param flags { to?: string, register?: string }
function M.show_tests(subject, flags)
  local buffer = vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    local argument = { base = subject.base }
    if subject.files then
      argument.uris = vim.tbl_map(vim.uri_from_fname, subject.files)
    elseif client.attached_buffers[buffer] then
      argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    end
    local view = {
      to = flags.to,
      register = flags.register,
      entries = M.test_entries,
      title = function(answer)
        local target = answer.change and ('the change since ' .. answer.change.base) or table.concat(answer.files, ', ')
        return ('%s of %s'):format(words.format_count(#answer.tests, 'affected test'), target)
      end,
      name = function()
        return 'affected tests'
      end,
    }
    show_answer(client, 'kenning.affectedTests', argument, view, buffer)
  end)
end

return M
