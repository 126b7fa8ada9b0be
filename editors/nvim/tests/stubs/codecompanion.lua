-- A stand-in for codecompanion.nvim 19: the parts of its source that the extension uses. Modules,
-- tables and call sequences have the names and structure of the real plugin
-- (lua/codecompanion/config.lua, interactions/chat, interactions/shared/editor_context,
-- _extensions).
local config = {
  constants = { USER_ROLE = 'user' },
  interactions = {
    chat = { slash_commands = {}, tools = { groups = {} } },
    shared = { editor_context = {} },
  },
}

local parser = {}

--- Returns the message that the user is writing.
function parser.messages(chat, _)
  return chat.draft and { content = chat.draft } or nil
end

local tools = {}

--- Runs the tools that a model calls, as the orchestrator does: the function, then its output.
function tools:execute(chat, calls)
  self.chat = chat
  for _, call in ipairs(calls) do
    local tool = vim.deepcopy(config.interactions.chat.tools[call['function'].name].callback())
    tool.function_call = call
    tool.args = vim.json.decode(call['function'].arguments)
    local function output(result)
      local handler = result.status == 'success' and tool.output.success or tool.output.error
      handler(tool, { result.data }, { tools = self })
    end
    local result = tool.cmds[1](self, tool.args, { output_cb = output })
    if result then
      output(result)
    end
  end
end

local Chat = {}
Chat.__index = Chat

function Chat.new(args)
  local self = { buffer_context = args.buffer_context, messages = {}, header_line = 1 }
  self.tools = setmetatable({}, { __index = tools })
  return setmetatable(self, Chat)
end

function Chat:add_buf_message(message)
  self.draft = message.content
end

function Chat:add_context(data, _, id)
  table.insert(self.messages, { role = 'user', content = data.content, context = { id = id } })
end

function Chat:add_tool_output(tool, text)
  table.insert(self.messages, { role = 'tool', content = text, tools = { call_id = tool.function_call.id } })
end

--- Resolves the editor contexts in a message: `#{name}` and `#{name:target}`.
local function resolve_contexts(chat, message)
  for name, declared in pairs(config.interactions.shared.editor_context) do
    local module = require('codecompanion.' .. declared.path)
    local start = '#{' .. vim.pesc(name)
    local function render(target)
      module
        .new({ Chat = chat, buffer_context = chat.buffer_context, config = declared, target = target })
        :chat_render()
    end
    for target in message.content:gmatch(start .. ':([^}]*)}') do
      render(target)
    end
    for _ in message.content:gmatch(start .. '}') do
      render(nil)
    end
    message.content = module.replace('#', message.content, chat.buffer_context.bufnr)
  end
end

function Chat:submit()
  local message = parser.messages(self, self.header_line)
  resolve_contexts(self, message)
  table.insert(self.messages, { role = 'user', content = message.content })
  self.draft = nil
end

local modules = {
  ['codecompanion.config'] = config,
  ['codecompanion.interactions.chat'] = Chat,
  ['codecompanion.interactions.chat.parser'] = parser,
  ['codecompanion.interactions.chat.slash_commands'] = {
    run = function(selected, chat)
      selected.config.callback(chat)
    end,
  },
  codecompanion = {
    setup = function(options)
      for name, extension in pairs(options.extensions) do
        require('codecompanion._extensions.' .. name).setup(extension.opts or {})
      end
    end,
  },
}
for name, module in pairs(modules) do
  package.preload[name] = function()
    return module
  end
end
