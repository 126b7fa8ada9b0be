-- Requests and shows context packs for a task, for files or for a change.
local freshness = require('kenning.freshness')
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local show = require('kenning.show')
local count = require('kenning.words').count

local M = {}

local MOST_TASKS = 50

M.tasks = {} ---@type string[] the tasks of this session, the latest first
M.last = nil ---@type { question: table, symbols: string[] }? the request and the symbols of the last pack for a task

local FILETYPES = { markdown = 'markdown', xml = 'xml', json = 'json' }

---@class kenning.PackHow
---@field format? string
---@field budget? integer
---@field learning? boolean
---@field position? table a `Position` of LSP
---@field buffer? integer the user's current buffer

local function command_and_argument(about, how, client)
  local argument = { format = how.format, budget = how.budget }
  if how.learning == false then
    argument.noLearning = true
  end
  if about.files then
    argument.uris = vim.tbl_map(vim.uri_from_fname, about.files)
    return 'kenning.fileContext', argument
  end
  local buffer = how.buffer or vim.api.nvim_get_current_buf()
  if client.attached_buffers[buffer] then
    argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  end
  if about.task then
    argument.task = about.task
    argument.position = argument.textDocument and how.position
    return 'kenning.taskContext', argument
  end
  argument.base = about.base
  return 'kenning.changeContext', argument
end

--- Requests a pack.
---@param about { task?: string, files?: string[], base?: string } by default the change since `base`
---@param how kenning.PackHow
---@param done fun(pack: table, root: string)
function M.ask(about, how, done)
  local buffer = how.buffer or vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    if how.position == true then
      local window = vim.fn.bufwinid(buffer)
      how.position = window ~= -1 and vim.lsp.util.make_position_params(window, client.offset_encoding).position --
        or nil
    end
    local command, argument = command_and_argument(about, how, client)
    lsp.when_indexed(client, function()
      lsp.command(client, command, argument, function(pack)
        if about.task then
          local symbols = vim.tbl_map(function(symbol)
            return symbol.qualified_name
          end, pack.symbols)
          M.last = { question = argument, symbols = symbols }
        end
        done(pack, client.config.root_dir)
      end, buffer)
    end)
  end)
end

---@class kenning.PackShow: kenning.PackHow
---@field to? 'register'|'buffer'|'float'
---@field register? string
---@field title string

--- Requests a pack and shows it in the place that the user configured.
---@param about table the subject, as in `ask`
---@param wanted kenning.PackShow
function M.show(about, wanted)
  local usual = options.get().context
  local how = vim.tbl_extend('force', usual, wanted)
  how.buffer = vim.api.nvim_get_current_buf()
  how.position = how.position ~= false or nil
  M.ask(about, how, function(pack, root)
    local register = how.register or show.default_register()
    local text = { title = how.title, text = pack.text, filetype = FILETYPES[how.format], root = root }
    show.text(text, how.to, register)
    local size = count(#pack.symbols, 'symbol') .. ', ' .. count(pack.tokens_used, 'token')
    if pack.unknown_files and #pack.unknown_files > 0 then
      lsp.say('not in the index: ' .. table.concat(pack.unknown_files, ', '), vim.log.levels.WARN)
    end
    local where = how.to == 'register' and ('copied to register %s: '):format(register) or ''
    lsp.say(where .. size .. freshness.words(pack.freshness))
  end)
end

--- Stores a task for completion.
local function remember(task)
  M.tasks = vim.tbl_filter(function(known)
    return known ~= task
  end, M.tasks)
  table.insert(M.tasks, 1, task)
  M.tasks[MOST_TASKS + 1] = nil
end

--- Shows the pack for a task; asks the user for the task if it is empty.
---@param task string
---@param wanted kenning.PackShow
---@param proposal? string
function M.for_task(task, wanted, proposal)
  if vim.trim(task) == '' then
    vim.ui.input({
      prompt = 'Task: ',
      default = proposal,
      completion = "customlist,v:lua.require'kenning.commands'.complete_task",
    }, function(given)
      if given and vim.trim(given) ~= '' then
        M.for_task(given, wanted)
      end
    end)
    return
  end
  remember(task)
  M.show({ task = task }, vim.tbl_extend('keep', wanted, { title = 'context/' .. vim.fn.strcharpart(task, 0, 60) }))
end

--- Shows the pack that the server's code action requests.
---@param argument { uri: string, position: table, name: string, task: string }
function M.of_command(argument)
  M.for_task(argument.task, { title = 'context/' .. argument.name })
end

return M
