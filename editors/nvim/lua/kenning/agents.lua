-- Answers the tools of AI chats in other plugins: task context, blast radius and affected tests.
-- The tools query the running server, so answers include unsaved text. Their names, texts and
-- arguments equal those of the MCP server, from which `npm run settings` in editors/vscode
-- generates `agent_tools.json`.
local lsp = require('kenning.lsp')

local M = {}

-- Longest time that a tool waits for the index, in milliseconds; the same as in the MCP server.
local INDEX_LIMIT = 25000
-- Longest time that the editor is blocked for an answer, in milliseconds.
local BLOCK_LIMIT = 10000
local BLOCK_INTERVAL = 10 -- milliseconds

local STALE_NOTE = 'The index does not include the latest changes on the disk yet.'

---@class kenning.AgentTool
---@field name string
---@field title string
---@field description string
---@field schema table the JSON schema of the arguments

local tools ---@type kenning.AgentTool[]?

--- Returns the tools with their titles, descriptions and schemas.
---@return kenning.AgentTool[]
function M.tools()
  if not tools then
    local folder = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
    tools = vim.json.decode(table.concat(vim.fn.readfile(folder .. '/agent_tools.json'), '\n'))
  end
  return tools
end

--- Returns the arguments that are neither null nor empty. Models send both for an absent argument.
local function clean_input(input)
  local cleaned = {}
  for name, value in pairs(type(input) == 'table' and input or {}) do
    local is_empty = value == vim.NIL or value == '' or (type(value) == 'table' and #value == 0)
    if not is_empty then
      cleaned[name] = value
    end
  end
  return cleaned
end

--- Returns the URIs of files, from absolute paths or paths in the workspace.
local function to_uris(files, client)
  return vim.tbl_map(function(file)
    local is_absolute = file:find('^[/\\]') or file:find('^%a:[/\\]')
    return vim.uri_from_fname(is_absolute and file or vim.fs.joinpath(client.config.root_dir, file))
  end, type(files) == 'table' and files or { files })
end

--- Returns the text of a line in the editor's version of a file. The number of the first line is 1.
local function read_line(uri, number)
  local buffer = vim.uri_to_bufnr(uri)
  vim.fn.bufload(buffer)
  return vim.api.nvim_buf_get_lines(buffer, number - 1, number, false)[1] or ''
end

-- The tokens of an answer if the call names no budget, as in the MCP server.
local DEFAULT_BUDGET = 4000

--- Returns the part of a command's argument that selects the text and its page.
local function page_argument(input)
  return { format = 'markdown', budget = tonumber(input.budget) or DEFAULT_BUDGET, page = tonumber(input.page) }
end

-- For each tool, a function that builds the server's command and its argument from the input. It
-- returns nil and the problem if the input is invalid.
local requests = {} ---@type table<string, fun(input: table, client: vim.lsp.Client): string?, table|string>

function requests.pack(input, client)
  local argument = { text = true, budget = tonumber(input.budget) or DEFAULT_BUDGET }
  local subject = input.op or 'task'
  if subject == 'task' then
    argument.task = input.task
    if not input.task then
      return nil, 'task: missing; say in words what you want to do, or use op files or op change'
    end
    return 'kenning.taskContext', argument
  elseif subject == 'files' then
    if not input.files then
      return nil, 'files: missing; list paths relative to the workspace'
    end
    argument.uris = to_uris(input.files, client)
    return 'kenning.fileContext', argument
  elseif subject == 'change' then
    argument.base = input.base
    return 'kenning.changeContext', argument
  end
  return nil, 'op: use task, files or change'
end

function requests.blast(input, client)
  local argument = page_argument(input)
  argument.depth, argument.symbol = tonumber(input.depth), input.symbol
  local line = tonumber(input.line)
  if not input.symbol and input.file and line then
    argument.textDocument = { uri = to_uris({ input.file }, client)[1] }
    -- Use the column where the text of the line begins. In the indentation, the position belongs to
    -- the enclosing definition.
    local indent = #read_line(argument.textDocument.uri, line):match('^%s*')
    argument.position = { line = math.max(line - 1, 0), character = indent }
  else
    argument.symbol = input.symbol or input.file
  end
  if not argument.symbol and not argument.position then
    return nil, 'symbol: missing; name a symbol, or pass file and line'
  end
  return 'kenning.blastRadius', argument
end

function requests.tests(input, client)
  local argument = page_argument(input)
  argument.base = input.base
  argument.uris = input.files and to_uris(input.files, client)
  return 'kenning.affectedTests', argument
end

--- Returns the problem of a workspace that has no index yet, with the progress of indexing.
local function describe_indexing(readiness)
  local progress = readiness.totalFiles > 0
      and ('%d of %d files are done'):format(readiness.doneFiles, readiness.totalFiles)
    or 'it is listing the files'
  return ('Kenning is still indexing this workspace: %s. Ask again in half a minute.'):format(progress)
end

---@class kenning.AgentCall
---@field buffer? integer the buffer that the chat is about; it selects the workspace
---@field limit? integer longest wait for the index in milliseconds

--- Answers a tool. Calls `done` with the text, or with nil and the problem.
---@param name string a name of `tools()`
---@param input table the arguments that the model sent
---@param call kenning.AgentCall
---@param done fun(text: string?, problem: string?)
function M.answer(name, input, call, done)
  local build = assert(requests[name], name)
  local buffer = call.buffer and vim.api.nvim_buf_is_valid(call.buffer) and call.buffer or 0
  buffer = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
  local function fail(problem)
    done(nil, problem)
  end
  lsp.with_client(buffer, function(client)
    local document = client.attached_buffers[buffer] and { uri = vim.uri_from_bufnr(buffer) } or nil
    local command, argument = build(clean_input(input), client)
    if not command then
      fail(argument)
      return
    end
    -- Files that the request names select the folder themselves.
    argument.textDocument = argument.textDocument or (not argument.uris and document or nil)
    local function ask(asked, arguments, on_answer)
      local params = { command = asked, arguments = { arguments } }
      local sent = lsp.request(client, 'workspace/executeCommand', params, function(problem, result)
        if problem then
          fail(problem.message)
        else
          on_answer(result)
        end
      end, buffer)
      if not sent then
        fail('the server has ended; see :Kenning log')
      end
    end
    local wait = { limitMs = call.limit or INDEX_LIMIT, textDocument = document }
    ask('kenning.waitForIndex', wait, function(readiness)
      local indexed_at = readiness.freshness.indexed_at
      if not indexed_at or indexed_at == vim.NIL then
        fail(describe_indexing(readiness))
        return
      end
      ask(command, argument, function(answer)
        -- The text itself notes changes in open files that it does not include.
        done(readiness.ready and answer.text or ('%s\n%s\n'):format(answer.text, STALE_NOTE))
      end)
    end)
  end, fail)
end

--- Answers a tool and blocks until the answer arrives, for plugins that cannot wait asynchronously.
--- Returns the text, or nil and the problem.
---@param name string
---@param input table
---@param call kenning.AgentCall
---@return string? text
---@return string? problem
function M.answer_now(name, input, call)
  local is_done, text, problem = false, nil, nil
  M.answer(name, input, vim.tbl_extend('keep', call, { limit = BLOCK_LIMIT / 2 }), function(...)
    is_done, text, problem = true, ...
  end)
  vim.wait(BLOCK_LIMIT, function()
    return is_done
  end, BLOCK_INTERVAL)
  if not is_done then
    return nil, ('no answer within %d seconds; try again'):format(BLOCK_LIMIT / 1000)
  end
  return text, problem
end

return M
