-- The editor context `#{kenning}` of CodeCompanion: the code that matters for the message that
-- contains it, or for the task in `#{kenning:the task}`.
local agents = require('kenning.agents')
local lsp = require('kenning.lsp')

local M = {}
M.__index = M

local TAG = 'kenning'

--- Replaces the tags in a message: a tag with a task by the task, and a tag alone by a name for the
--- context. Returns the new text.
function M.replace(prefix, message)
  local start = vim.pesc(prefix) .. '{' .. TAG
  return vim.trim((message:gsub(start .. ':([^}]*)}', '%1'):gsub(start .. '}', 'the context from Kenning')))
end

--- Creates the context for a message.
---@param args { Chat?: table, buffer_context?: table, target?: string }
function M.new(args)
  return setmetatable({ chat = args.Chat, buffer_context = args.buffer_context, target = args.target }, M)
end

--- Returns the text of the message in the chat that is about to be sent, without its tags.
local function message_text(chat)
  local message = require('codecompanion.interactions.chat.parser').messages(chat, chat.header_line)
  return message and vim.trim((message.content:gsub('[#@]{[^}]*}', ''))) or ''
end

--- Returns the pack for a task. If there is none, notifies the user and returns nil. Blocks,
--- because CodeCompanion sends the message right afterwards.
function M:pack(task)
  if vim.trim(task) == '' then
    lsp.notify('#{kenning} needs a message, or a task: #{kenning:the task}', vim.log.levels.WARN)
    return nil
  end
  local call = { buffer = self.buffer_context and self.buffer_context.bufnr }
  local text, problem = agents.answer_now('pack', { task = task }, call)
  if not text then
    lsp.notify(problem, vim.log.levels.ERROR)
  end
  return text
end

--- Adds the pack to the chat.
function M:chat_render()
  local text = self:pack(self.target or message_text(self.chat))
  if text then
    local id = ('<editor_context>%s</editor_context>'):format(TAG)
    self.chat:add_context({ content = text }, 'codecompanion._extensions.kenning.editor_context', id)
  end
end

--- Returns the pack for a prompt of CodeCompanion's command-line agents, which needs a task.
---@return { inline: string, block: string }?
function M:cli_render()
  local text = self:pack(self.target or '')
  return text and { inline = self.target, block = text } or nil
end

return M
