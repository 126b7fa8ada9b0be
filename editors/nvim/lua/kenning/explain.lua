-- Explains the rank of a symbol in the pack for a task.
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local pack = require('kenning.pack')
local show = require('kenning.show')

local M = {}

--- Returns the request that the explanation is about: the one of the last pack, or a new one if a
--- task is given. Returns nil if there is neither.
local function question(flags)
  local last = pack.last and pack.last.question
  if not flags.task and not last then
    return nil
  end
  local asked = flags.task and { task = flags.task }
    or { task = last.task, textDocument = last.textDocument, position = last.position, noLearning = last.noLearning }
  if flags.learning == false or not options.get().context.learning then
    asked.noLearning = true
  end
  asked.format = 'markdown'
  return asked
end

local function explain(client, asked, symbol, flags, buffer)
  asked.symbol = symbol
  lsp.command(client, 'kenning.explain', asked, function(answer)
    local text = { title = 'why/' .. answer.qualified_name, text = answer.text, filetype = 'markdown' }
    show.text(text, flags.to or 'float', flags.register)
  end, buffer)
end

--- Explains the rank of a symbol (the named one, or the one under the cursor) for the given task or
--- that of the last pack.
---@param symbol string empty for the one under the cursor
---@param flags { task?: string, to?: string, register?: string, learning?: boolean }
function M.show(symbol, flags)
  local asked = question(flags)
  if not asked then
    lsp.say('there is no pack yet; run :Kenning context first, or pass --task="..."', vim.log.levels.WARN)
    return
  end
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  lsp.with_client(buffer, function(client)
    if symbol ~= '' then
      explain(client, asked, symbol, flags, buffer)
      return
    end
    if not client.attached_buffers[buffer] then
      lsp.say('this buffer is not in the index; name a symbol', vim.log.levels.WARN)
      return
    end
    local place = vim.lsp.util.make_position_params(window, client.offset_encoding)
    lsp.command(client, 'kenning.blastRadius', place, function(answer)
      explain(client, asked, answer.target.id, flags, buffer)
    end, buffer)
  end)
end

return M
