-- The functions of Kenning for CopilotChat.nvim:
--
--     require('CopilotChat').setup { functions = require('kenning.chats.copilot_chat').functions() }
--
-- `#kenning:`the task`` adds the code that matters for a task to the prompt. `@kenning` lets the
-- model call all functions itself.
local agents = require('kenning.agents')

local M = {}

local GROUP = 'kenning'
local TASK_TOOL = 'pack'

--- Returns the input with a decoded task. CopilotChat passes the task of a URI without decoding it.
local function decode_task(input)
  local is_encoded = type(input.task) == 'string' and not input.task:find('%s')
  return is_encoded and vim.tbl_extend('force', input, { task = vim.uri_decode(input.task) }) or input
end

--- Returns a function for CopilotChat that answers a tool. `get_uri` returns the URI of the answer.
--- The function runs in a coroutine of plenary.nvim, which CopilotChat requires.
local function create_resolver(name, get_uri)
  return function(given, source)
    local input = decode_task(given)
    local answer = require('plenary.async').wrap(function(done)
      -- CopilotChat may call from a fast event, in which most of Neovim's functions are not
      -- allowed.
      vim.schedule(function()
        agents.answer(name, input, { buffer = source and source.bufnr }, done)
      end)
    end, 1)
    local text, problem = answer()
    if not text then
      error('Kenning: ' .. problem, 0)
    end
    return { { uri = get_uri(input), name = 'Kenning', mimetype = 'text/markdown', data = text } }
  end
end

--- Returns the functions for CopilotChat's option `functions`.
---@return table<string, table>
function M.functions()
  local functions = {}
  for _, tool in ipairs(agents.tools()) do
    local declared = { group = GROUP, description = tool.description, schema = vim.deepcopy(tool.schema) }
    if tool.name == TASK_TOOL then
      -- A prompt can use a function with a URI. It passes the required argument first.
      declared.uri = 'kenning://{task}'
      declared.schema.required = { 'task' }
      declared.resolve = create_resolver(tool.name, function(input)
        -- In a prompt, a URI ends at a space.
        return 'kenning://' .. vim.uri_encode(input.task or input.op, 'rfc2396')
      end)
      functions.kenning = declared
    else
      declared.resolve = create_resolver(tool.name, function()
        return nil
      end)
      functions['kenning_' .. tool.name] = declared
    end
  end
  return functions
end

return M
