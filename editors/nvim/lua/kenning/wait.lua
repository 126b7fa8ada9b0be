-- Waits for a condition without blocking the editor.
local M = {}

local POLL_INTERVAL = 20 -- milliseconds

--- Calls `done(true)` as soon as `condition()` is true, or `done(false)` after `timeout`
--- milliseconds.
---@param condition fun(): boolean?
---@param timeout integer
---@param done fun(is_true: boolean)
function M.until_true(condition, timeout, done)
  local function poll(left)
    if condition() then
      done(true)
    elseif left <= 0 then
      done(false)
    else
      vim.defer_fn(function()
        poll(left - POLL_INTERVAL)
      end, POLL_INTERVAL)
    end
  end
  poll(timeout)
end

return M
