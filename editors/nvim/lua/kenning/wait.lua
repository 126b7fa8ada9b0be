-- Waits for a condition without blocking the editor.
local M = {}

local STEP = 20 -- milliseconds

--- Calls `done(true)` as soon as `holds()` is true, or `done(false)` after `limit` milliseconds.
---@param holds fun(): boolean?
---@param limit integer
---@param done fun(held: boolean)
function M.for_(holds, limit, done)
  local function look(left)
    if holds() then
      done(true)
    elseif left <= 0 then
      done(false)
    else
      vim.defer_fn(function()
        look(left - STEP)
      end, STEP)
    end
  end
  look(limit)
end

return M
