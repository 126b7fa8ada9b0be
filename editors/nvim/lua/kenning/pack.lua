-- Requests and shows context packs for a task, for files or for a change.
local freshness = require('kenning.freshness')
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local show = require('kenning.show')
local format_count = require('kenning.words').format_count

local M = {}

-- Maximum number of tasks kept for completion.
local MAX_TASKS = 50

M.tasks = {} ---@type string[] the tasks of this session, the latest first
M.last = nil ---@type { argument: table, symbols: string[] }? the argument and the symbols of the last pack for a task

local FILETYPES = { markdown = 'markdown', xml = 'xml', json = 'json', gcf = 'gcf', gcb = 'text' }

---@class kenning.PackRequest
---@field format? string
---@field budget? integer
---@field learning? boolean
---@field position? table a `Position` of LSP
---@field buffer? integer the user's current buffer

--- Returns the command for a subject and its argument.
local function build_command(subject, request, client)
  -- `explain` adds the qualified names to the fields of the answer, but not to its text.
  local argument = { format = request.format, budget = request.budget, explain = true }
  if request.learning == false then
    argument.noLearning = true
  end
  if subject.files then
    argument.uris = vim.tbl_map(vim.uri_from_fname, subject.files)
    return 'kenning.fileContext', argument
  end
  local buffer = request.buffer or vim.api.nvim_get_current_buf()
  if client.attached_buffers[buffer] then
    argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  end
  if subject.task then
    argument.task = subject.task
    argument.position = argument.textDocument and request.position
    return 'kenning.taskContext', argument
  end
  argument.base = subject.base
  return 'kenning.changeContext', argument
end

--- Requests a pack.
---@param subject { task?: string, files?: string[], base?: string } defaults to the change since `base`
---@param request kenning.PackRequest
---@param done fun(pack: table, root: string)
function M.request(subject, request, done)
  local buffer = request.buffer or vim.api.nvim_get_current_buf()
  lsp.with_client(buffer, function(client)
    if request.position == true then
      local window = vim.fn.bufwinid(buffer)
      request.position = nil
      if window ~= -1 then
        request.position = vim.lsp.util.make_position_params(window, client.offset_encoding).position
      end
    end
    local command, argument = build_command(subject, request, client)
    lsp.when_indexed(client, function()
      lsp.command(client, command, argument, function(pack)
        if subject.task then
          local symbols = vim.tbl_map(function(symbol)
            return symbol.qualified_name
          end, pack.symbols)
          M.last = { argument = argument, symbols = symbols }
        end
        done(pack, client.config.root_dir)
      end, buffer)
    end)
  end)
end

---@class kenning.PackDisplay: kenning.PackRequest
---@field to? 'register'|'buffer'|'float'
---@field register? string
---@field title string

--- Requests a pack and shows it. `overrides` take precedence over the user's options.
---@param subject table as in `request`
---@param overrides kenning.PackDisplay
function M.show(subject, overrides)
  local defaults = options.get().context
  local request = vim.tbl_extend('force', defaults, overrides)
  request.buffer = vim.api.nvim_get_current_buf()
  request.position = request.position ~= false or nil
  M.request(subject, request, function(pack, root)
    -- An empty pack would only replace the content of the register.
    if pack.change and #pack.change.files == 0 then
      lsp.notify('nothing changed since ' .. pack.change.base)
      return
    end
    local register = request.register or show.default_register()
    local text = { title = request.title, text = pack.text, filetype = FILETYPES[request.format], root = root }
    show.text(text, request.to, register)
    local symbols = vim.tbl_filter(function(symbol)
      return symbol.kind ~= 'file'
    end, pack.symbols)
    local size = format_count(#symbols, 'symbol') .. ', ' .. format_count(pack.tokens_used, 'token')
    -- Show the confidence only if it is not high.
    if pack.confidence and pack.confidence ~= 'high' then
      size = ('%s, %s confidence'):format(size, pack.confidence)
    end
    if pack.unknown_files and #pack.unknown_files > 0 then
      lsp.notify('not in the index: ' .. table.concat(pack.unknown_files, ', '), vim.log.levels.WARN)
    end
    local destination = request.to == 'register' and ('copied to register %s: '):format(register) or ''
    lsp.notify(destination .. size .. freshness.describe(pack.freshness))
  end)
end

--- Stores a task for completion.
local function store_task(task)
  M.tasks = vim.tbl_filter(function(other)
    return other ~= task
  end, M.tasks)
  table.insert(M.tasks, 1, task)
  M.tasks[MAX_TASKS + 1] = nil
end

--- Shows the pack for a task. If the task is empty, asks the user for it and proposes `proposal`.
---@param task string
---@param overrides kenning.PackDisplay
---@param proposal? string
function M.show_for_task(task, overrides, proposal)
  if vim.trim(task) == '' then
    vim.ui.input({
      prompt = 'Task: ',
      default = proposal,
      completion = "customlist,v:lua.require'kenning.commands'.complete_task",
    }, function(input)
      if input and vim.trim(input) ~= '' then
        M.show_for_task(input, overrides)
      end
    end)
    return
  end
  store_task(task)
  M.show({ task = task }, vim.tbl_extend('keep', overrides, { title = 'pack/' .. vim.fn.strcharpart(task, 0, 60) }))
end

--- Runs the command of the server's code action, which shows the pack for a symbol.
---@param argument { uri: string, position: table, name: string, task: string }
function M.run_command(argument)
  M.show_for_task(argument.task, { title = 'pack/' .. argument.name })
end

return M
