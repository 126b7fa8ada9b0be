-- Waiting for something without standing in the way.
local M = {}

local STEP = 20 -- milliseconds

--- Calls `done(true)` as soon as `holds()` does, `done(false)` when that takes longer than `limit` milliseconds.
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
