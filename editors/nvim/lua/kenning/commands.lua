-- The command `:Kenning`: its subcommands and their completion.
local arguments = require('kenning.arguments')
local lsp = require('kenning.lsp')
local pack = require('kenning.pack')
local format_count = require('kenning.words').format_count

local M = {}

local GIT_TIMEOUT = 1000 -- milliseconds

local function split_words(text)
  return vim.split(text, '%s+', { trimempty = true })
end

--- Returns the files that `text` names, or else the file of the current buffer. If there is none,
--- notifies the user and returns nil.
local function resolve_files(text)
  local files = vim.tbl_map(function(name)
    return vim.fn.fnamemodify(vim.fn.expand(name), ':p')
  end, split_words(text))
  local current = vim.api.nvim_buf_get_name(0)
  if #files == 0 and (current == '' or vim.bo.buftype ~= '') then
    lsp.notify('this buffer is not a file; name a file', vim.log.levels.WARN)
    return nil
  end
  return #files > 0 and files or { current }
end

--- Returns the selected text if the command was called with a range, else nil.
local function selected_text(call)
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
local function run_status_command(command, argument, done)
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

local subcommands = {} ---@type table<string, fun(flags: table, text: string, call: table)>

function subcommands.pack(flags, text, call)
  pack.show_for_task(text, flags, selected_text(call))
end

function subcommands.files(flags, text)
  local files = resolve_files(text)
  if files then
    flags.title = 'files/' .. vim.fn.fnamemodify(files[1], ':t')
    pack.show({ files = files }, flags)
  end
end

function subcommands.changes(flags, text)
  flags.title = 'changes'
  pack.show({ base = text ~= '' and text or nil }, flags)
end

function subcommands.blast(flags, text)
  require('kenning.blast').show(text ~= '' and text or nil, flags)
end

function subcommands.tests(flags, text)
  local files = text ~= '' and resolve_files(text) or nil
  require('kenning.blast').show_tests({ files = files, base = flags.base }, flags)
end

function subcommands.search(flags, text, call)
  require('kenning.search').run(text ~= '' and text or selected_text(call), flags)
end

function subcommands.why(flags, text)
  require('kenning.why').show(text, flags)
end

function subcommands.note(flags, text)
  require('kenning.note').run(text, flags)
end

function subcommands.status()
  run_status_command('kenning.status', {}, function(answer)
    local text = require('kenning.status').render(answer)
    require('kenning.show').text({ title = 'status', text = text, filetype = 'markdown' }, 'float')
  end)
end

function subcommands.reindex()
  run_status_command('kenning.reindex', {}, function(answer)
    lsp.notify(
      ('the index is up to date: %s, %s'):format(
        format_count(answer.files, 'file'),
        format_count(answer.symbols, 'symbol')
      )
    )
  end)
end

function subcommands.enrich()
  run_status_command('kenning.enrich', {}, function()
    lsp.notify('asking the language servers; :Kenning status shows the progress')
  end)
end

function subcommands.restart(_, text)
  if text == '' then
    lsp.restart()
    return
  end
  local server = text ~= 'servers' and text or nil
  run_status_command('kenning.restartServers', { server = server }, function()
    lsp.notify('restarting ' .. (server or 'all language servers'))
  end)
end

function subcommands.log()
  require('kenning.log').open()
end

-- Further names of subcommands, which completion does not propose.
local ALIASES = { context = 'pack', users = 'blast', impact = 'blast', affected = 'tests', explain = 'why' }

-- The subcommands that take no arguments.
local WITHOUT_ARGUMENTS = { status = true, reindex = true, enrich = true, log = true }

--- Runs `:Kenning ...`.
---@param call table the argument of a |nvim_create_user_command()| callback
function M.run(call)
  local subcommand, text = vim.trim(call.args):match('^(%S+)%s*(.*)$')
  if not subcommand then
    subcommand, text = 'status', ''
  end
  subcommand = ALIASES[subcommand] or subcommand
  local action = subcommands[subcommand]
  if not action then
    local known = table.concat(vim.fn.sort(vim.tbl_keys(subcommands)), ', ')
    lsp.notify(('%s is not a subcommand; use one of %s'):format(subcommand, known), vim.log.levels.ERROR)
    return
  end
  local flags, rest = arguments.parse(subcommand, text)
  if not flags then
    lsp.notify(rest, vim.log.levels.ERROR)
  elseif WITHOUT_ARGUMENTS[subcommand] and rest ~= '' then
    lsp.notify((':Kenning %s takes no arguments'):format(subcommand), vim.log.levels.ERROR)
  else
    action(flags, rest, call)
  end
end

local function filter_by_prefix(lead, list)
  return vim.tbl_filter(function(text)
    return vim.startswith(text, lead)
  end, list)
end

--- Returns the branches and tags of the repository in the current folder; none if git fails.
local function git_references()
  local command = { 'git', 'for-each-ref', '--format=%(refname:short)', 'refs/heads', 'refs/remotes', 'refs/tags' }
  local ok, answer = pcall(function()
    return vim.system(command, { text = true }):wait(GIT_TIMEOUT)
  end)
  return ok and answer.code == 0 and vim.split(answer.stdout, '\n', { trimempty = true }) or {}
end

local completions = {} ---@type table<string, fun(lead: string): string[]>

function completions.pack()
  return pack.tasks
end

function completions.files(lead)
  return vim.fn.getcompletion(lead, 'file')
end

completions.tests = completions.files

function completions.changes()
  return git_references()
end

function completions.blast()
  return { vim.fn.expand('<cword>') }
end

function completions.why()
  return pack.last and pack.last.symbols or {}
end

function completions.restart()
  return vim.list_extend({ 'servers' }, server_names)
end

--- Completes `:Kenning ...`.
---@param lead string the word being typed
---@param line string the whole line up to the cursor
---@return string[]
function M.complete(lead, line)
  local subcommand = line:match('Kenning%s+(%S+)%s')
  if not subcommand then
    return filter_by_prefix(lead, vim.fn.sort(vim.tbl_keys(subcommands)))
  end
  subcommand = ALIASES[subcommand] or subcommand
  if vim.startswith(lead, '--') then
    local base = subcommand == 'tests' and lead:match('^%-%-base=(.*)$')
    if base then
      return filter_by_prefix(
        lead,
        vim.tbl_map(function(name)
          return '--base=' .. name
        end, git_references())
      )
    end
    return arguments.complete(subcommand, lead)
  end
  local candidates = completions[subcommand] and completions[subcommand](lead) or {}
  return filter_by_prefix(lead, candidates)
end

--- Completes the task in the task prompt.
function M.complete_task(lead)
  return filter_by_prefix(lead, pack.tasks)
end

return M
