-- The command `:Kenning`: its subcommands and their completion.
local arguments = require('kenning.arguments')
local lsp = require('kenning.lsp')
local pack = require('kenning.pack')
local count = require('kenning.words').count

local M = {}

local GIT_PATIENCE = 1000 -- milliseconds

local function words(text)
  return vim.split(text, '%s+', { trimempty = true })
end

--- Returns the named files, else the file of the current buffer. Returns nil, with a message to the
--- user, if there is none.
local function files_of(text)
  local named = vim.tbl_map(function(name)
    return vim.fn.fnamemodify(vim.fn.expand(name), ':p')
  end, words(text))
  local current = vim.api.nvim_buf_get_name(0)
  if #named == 0 and (current == '' or vim.bo.buftype ~= '') then
    lsp.say('this buffer is not a file; name a file', vim.log.levels.WARN)
    return nil
  end
  return #named > 0 and named or { current }
end

local function selection(call)
  if call.range == 0 then
    return nil
  end
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if from[2] == call.line1 and to[2] == call.line2 and vim.fn.visualmode() == 'v' then
    local region = vim.api.nvim_buf_get_text(0, from[2] - 1, from[3] - 1, to[2] - 1, to[3], {})
    return table.concat(region, ' ')
  end
  local lines = vim.api.nvim_buf_get_lines(0, call.line1 - 1, call.line2, false)
  return vim.trim(table.concat(lines, ' '))
end

local server_names = {} ---@type string[] the language servers of the last status, for completion

--- Runs a server command that answers with the status.
local function ask(command, argument, done)
  local buffer = vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    if client.attached_buffers[buffer] then
      argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
    end
    lsp.command(client, command, argument, function(status)
      server_names = vim.tbl_map(function(server)
        return server.name
      end, status.enrichment or {})
      done(status)
    end, buffer)
  end)
end

local run = {}

function run.context(flags, text, call)
  pack.for_task(text, flags, selection(call))
end

function run.files(flags, text)
  local files = files_of(text)
  if files then
    flags.title = 'files/' .. vim.fn.fnamemodify(files[1], ':t')
    pack.show({ files = files }, flags)
  end
end

function run.changes(flags, text)
  flags.title = 'changes'
  pack.show({ base = text ~= '' and text or nil }, flags)
end

function run.blast(flags, text)
  require('kenning.blast').of_symbol(text ~= '' and text or nil, flags)
end

function run.tests(flags, text)
  local files = text ~= '' and files_of(text) or nil
  require('kenning.blast').tests({ files = files, base = flags.base }, flags)
end

function run.explain(flags, text)
  require('kenning.explain').show(text, flags)
end

function run.status()
  ask('kenning.status', {}, function(answer)
    local text = require('kenning.status').text(answer)
    require('kenning.show').text({ title = 'status', text = text, filetype = 'markdown' }, 'float')
  end)
end

function run.reindex()
  ask('kenning.reindex', {}, function(answer)
    lsp.say(('the index is up to date: %s, %s'):format(count(answer.files, 'file'), count(answer.symbols, 'symbol')))
  end)
end

function run.enrich()
  ask('kenning.enrich', {}, function()
    lsp.say('asking the language servers; :Kenning status shows the progress')
  end)
end

function run.restart(_, text)
  if text == '' then
    lsp.restart()
    return
  end
  local server = text ~= 'servers' and text or nil
  ask('kenning.restartServers', { server = server }, function()
    lsp.say('restarting ' .. (server or 'all language servers'))
  end)
end

function run.log()
  require('kenning.log').open()
end

-- The subcommands that take no arguments.
local BARE = { status = true, reindex = true, enrich = true, log = true }

--- Runs `:Kenning ...`.
---@param call table the argument of a |nvim_create_user_command()| callback
function M.run(call)
  local subcommand, text = vim.trim(call.args):match('^(%S+)%s*(.*)$')
  if not subcommand then
    subcommand, text = 'status', ''
  end
  local action = run[subcommand]
  if not action then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(run)), ', ')
    lsp.say(('%s is not a subcommand; use one of %s'):format(subcommand, known), vim.log.levels.ERROR)
    return
  end
  local flags, rest = arguments.parse(subcommand, text)
  if not flags then
    lsp.say(rest, vim.log.levels.ERROR)
  elseif BARE[subcommand] and rest ~= '' then
    lsp.say((':Kenning %s takes no arguments'):format(subcommand), vim.log.levels.ERROR)
  else
    action(flags, rest, call)
  end
end

local function starting_with(lead, list)
  return vim.tbl_filter(function(one)
    return vim.startswith(one, lead)
  end, list)
end

local function git_references()
  local asked = { 'git', 'for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/remotes', 'refs/tags' }
  local ok, answer = pcall(function()
    return vim.system(asked, { text = true }):wait(GIT_PATIENCE)
  end)
  return ok and answer.code == 0 and vim.split(answer.stdout, '\n', { trimempty = true }) or {}
end

local complete = {}

function complete.context()
  return pack.tasks
end

function complete.files(lead)
  return vim.fn.getcompletion(lead, 'file')
end

complete.tests = complete.files

function complete.changes()
  return git_references()
end

function complete.blast()
  return { vim.fn.expand('<cword>') }
end

function complete.explain()
  return pack.last and pack.last.symbols or {}
end

function complete.restart()
  return vim.list_extend({ 'servers' }, server_names)
end

--- Completes `:Kenning ...`.
---@param lead string the word being typed
---@param line string the whole line up to the cursor
---@return string[]
function M.complete(lead, line)
  local subcommand, behind = line:match('Kenning%s+(%S+)%s(.*)$')
  if not subcommand then
    return starting_with(lead, vim.fn.sort(vim.tbl_keys(run)))
  end
  if vim.startswith(lead, '--') then
    local base = subcommand == 'tests' and lead:match('^%-%-base=(.*)$')
    if base then
      return starting_with(
        lead,
        vim.tbl_map(function(name)
          return '--base=' .. name
        end, git_references())
      )
    end
    return arguments.complete(subcommand, lead)
  end
  local found = complete[subcommand] and complete[subcommand](lead, behind) or {}
  return starting_with(lead, found)
end

--- Completes the task in the task prompt.
function M.complete_task(lead)
  return starting_with(lead, pack.tasks)
end

return M
