-- Stores the server's log messages, separately from the messages of other servers.
local show = require('kenning.show')

local M = {}

-- Maximum number of stored lines. The oldest are dropped first.
local MAX_LINES = 2000
local LEVELS = { 'ERROR', 'WARN', 'INFO', 'LOG', 'DEBUG' }

local lines = {} ---@type string[]

--- Handles `window/logMessage`: stores the message and passes it on to Neovim's own handler.
function M.handle_message(err, params, context, config)
  if params then
    local head = ('%s %s '):format(os.date('%H:%M:%S'), LEVELS[params.type] or 'LOG')
    for _, line in ipairs(vim.split(head .. params.message, '\n', { plain = true })) do
      table.insert(lines, line)
    end
    while #lines > MAX_LINES do
      table.remove(lines, 1)
    end
  end
  return vim.lsp.handlers['window/logMessage'](err, params, context, config)
end

--- Shows the log and moves the cursor to the newest message, at the end.
function M.open()
  local path = vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
  local text = table.concat(lines, '\n')
  if text == '' then
    text = 'Nothing was logged in this session. The setting log.level controls how much is logged.'
  end
  text = text .. '\n\nThe standard error output of the server is in ' .. path .. '\n'
  show.text({ title = 'log', text = text, filetype = 'text' }, 'buffer')
  vim.cmd('normal! G')
end

return M
