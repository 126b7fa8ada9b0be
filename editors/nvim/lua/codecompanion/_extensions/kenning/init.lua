-- The extension of CodeCompanion 19 and later: the slash command `/kenning`, the editor context
-- `#{kenning}`, and the tools `@{kenning}`.
--
--     require('codecompanion').setup { extensions = { kenning = { opts = {} } } }
local agents = require('kenning.agents')
local lsp = require('kenning.lsp')

local M = {}

local NAME = 'kenning'
local SOURCE = 'codecompanion._extensions.kenning'

---@class kenning.CodeCompanionOptions
---@field slash_command? boolean adds `/kenning`; true by default
---@field editor_context? boolean adds `#{kenning}`; true by default
---@field tools? boolean adds the tools and their group `@{kenning}`; true by default

--- Adds the code that matters for a task to a chat, as context that the user sees and can remove.
local function add_context(chat, task)
  local call = { buffer = chat.buffer_context and chat.buffer_context.bufnr }
  agents.answer('pack', { task = task }, call, function(text, problem)
    if not text then
      lsp.notify(problem, vim.log.levels.ERROR)
      return
    end
    local id = ('<kenning>%s</kenning>'):format(vim.fn.strcharpart(vim.trim(task:gsub('%s+', ' ')), 0, 60))
    chat:add_context({ content = text }, SOURCE, id)
    lsp.notify('added the context of the task to the chat')
  end)
end

--- Asks for a task and adds its context to a chat.
local function run_slash_command(chat)
  local completion = "customlist,v:lua.require'kenning.commands'.complete_task"
  vim.ui.input({ prompt = 'Task: ', completion = completion }, function(task)
    if task and vim.trim(task) ~= '' then
      add_context(chat, task)
    end
  end)
end

--- Returns a tool in CodeCompanion's form.
---@param tool kenning.AgentTool
local function to_tool(tool)
  local name = 'kenning_' .. tool.name
  return {
    name = name,
    cmds = {
      function(self, arguments, options)
        local context = self.chat and self.chat.buffer_context
        agents.answer(tool.name, arguments, { buffer = context and context.bufnr }, function(text, problem)
          options.output_cb({ status = text and 'success' or 'error', data = text or problem })
        end)
      end,
    },
    schema = {
      type = 'function',
      ['function'] = { name = name, description = tool.description, parameters = tool.schema },
    },
    output = {
      success = function(self, output, meta)
        local text = table.concat(vim.iter(output):flatten():totable(), '\n')
        meta.tools.chat:add_tool_output(self, text, ('Kenning: %s'):format(tool.title))
      end,
      error = function(self, output, meta)
        local text = table.concat(vim.iter(output):flatten():totable(), '\n')
        meta.tools.chat:add_tool_output(self, text)
      end,
    },
  }
end

--- Adds the tools and their group to the configuration of chats.
local function add_tools(chat_tools)
  local names = {}
  for _, tool in ipairs(agents.tools()) do
    local declared = to_tool(tool)
    table.insert(names, declared.name)
    chat_tools[declared.name] = {
      description = tool.title,
      callback = function()
        return declared
      end,
    }
  end
  chat_tools.groups[NAME] = {
    description = 'Kenning - the code for a task, what a change touches, and its tests',
    tools = names,
    opts = { collapse_tools = true },
  }
end

--- Adds Kenning to CodeCompanion. Called by CodeCompanion's `setup`.
---@param options? kenning.CodeCompanionOptions
function M.setup(options)
  options = options or {}
  local interactions = require('codecompanion.config').interactions
  if not (interactions and interactions.shared and interactions.shared.editor_context) then
    lsp.notify('the extension needs CodeCompanion 19 or later', vim.log.levels.ERROR)
    return
  end
  if options.slash_command ~= false then
    interactions.chat.slash_commands[NAME] = {
      description = 'Add the code that matters for a task',
      callback = run_slash_command,
      opts = { contains_code = true },
    }
  end
  if options.editor_context ~= false then
    interactions.shared.editor_context[NAME] = {
      path = '_extensions.kenning.editor_context',
      description = 'Share the code that matters for the message, or for #{kenning:a task}',
      opts = { contains_code = true },
    }
  end
  if options.tools ~= false then
    add_tools(interactions.chat.tools)
  end
end

M.exports = { add_context = add_context }

return M
