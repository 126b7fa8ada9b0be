-- Explains the rank of a symbol in the pack for a task.
local lsp = require('kenning.lsp')
local options = require('kenning.options')
local pack = require('kenning.pack')
local show = require('kenning.show')

local M = {}

--- Returns the argument of the command, for the task in `flags` or else the task of the last pack.
--- Returns nil if there is neither.
local function build_argument(flags)
  local last = pack.last and pack.last.argument
  if not flags.task and not last then
    return nil
  end
  local argument = flags.task and { task = flags.task }
    or { task = last.task, textDocument = last.textDocument, position = last.position, noLearning = last.noLearning }
  if flags.learning == false or not options.get().context.learning then
    argument.noLearning = true
  end
  argument.format, argument.numbers = 'markdown', flags.numbers
  return argument
end

local function show_explanation(client, argument, symbol, flags, buffer)
  argument.symbol = symbol
  lsp.command(client, 'kenning.explain', argument, function(answer)
    local text = { title = 'why/' .. answer.qualified_name, text = answer.text, filetype = 'markdown' }
    show.text(text, flags.to or 'float', flags.register)
  end, buffer)
end

--- Shows the explanation of a symbol's rank for the task in `flags`. Defaults to the task of the
--- last pack.
---@param symbol string empty for the symbol under the cursor
---@param flags { task?: string, to?: string, register?: string, learning?: boolean, numbers?: boolean }
function M.show(symbol, flags)
  local argument = build_argument(flags)
  if not argument then
    lsp.notify('there is no pack yet; run :Kenning pack first, or pass --task="..."', vim.log.levels.WARN)
    return
  end
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  lsp.with_client(buffer, function(client)
    if symbol ~= '' then
      show_explanation(client, argument, symbol, flags, buffer)
      return
    end
    if not client.attached_buffers[buffer] then
      lsp.notify('this buffer is not in the index; name a symbol', vim.log.levels.WARN)
      return
    end
    local params = vim.lsp.util.make_position_params(window, client.offset_encoding)
    lsp.command(client, 'kenning.blastRadius', params, function(answer)
      show_explanation(client, argument, answer.target.id, flags, buffer)
    end, buffer)
  end)
end

return M
