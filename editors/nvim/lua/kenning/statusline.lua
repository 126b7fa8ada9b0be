-- The text for a statusline: the number of symbols, or the work in progress.
local lsp = require('kenning.lsp')
local words = require('kenning.words')

local M = {}

-- Intervals between two requests for the status, in milliseconds: while the server is working, and
-- when it is idle.
local BUSY_INTERVAL, IDLE_INTERVAL = 1000, 10000

local texts = {} ---@type table<integer, string> the last text of each client
local next_request_times = {} ---@type table<integer, number> the time of each client's next request, in milliseconds

--- Returns the text for the status of a session.
---@param status table
---@return string
function M.render(status)
  local symbols, pending = 0, 0
  for _, folder in ipairs(status.folders) do
    if folder.phase == 'failed' or folder.phase == 'cancelled' then
      return 'Kenning: no index'
    elseif folder.phase ~= 'ready' then
      return 'Kenning: indexing'
    end
    symbols = symbols + folder.symbols
    pending = pending + folder.pending_files
  end
  if pending > 0 then
    return ('Kenning: %s pending'):format(words.format_count(pending, 'file'))
  end
  return ('Kenning: %s'):format(words.format_count(symbols, 'symbol'))
end

--- Requests the status, and redraws the statusline if its text changes.
local function refresh(client, now)
  next_request_times[client.id] = now + BUSY_INTERVAL
  lsp.request(client, 'workspace/executeCommand', { command = 'kenning.status' }, function(problem, status)
    if problem or not status then
      return
    end
    local text = M.render(status)
    local is_busy = text:find('indexing') or text:find('pending')
    next_request_times[client.id] = vim.uv.now() + (is_busy and BUSY_INTERVAL or IDLE_INTERVAL)
    if texts[client.id] ~= text then
      texts[client.id] = text
      vim.cmd.redrawstatus()
    end
  end)
end

--- Returns the text for the current buffer; empty without a Kenning server. Never waits: returns
--- the text of the last status, and requests a new status at intervals.
---@return string
function M.text()
  local client = vim.lsp.get_clients({ name = lsp.NAME, bufnr = 0 })[1]
  if not client then
    return ''
  end
  local now = vim.uv.now()
  if now >= (next_request_times[client.id] or 0) then
    refresh(client, now)
  end
  return texts[client.id] or 'Kenning'
end

return M
