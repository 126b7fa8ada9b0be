-- Renders numbers and counts, as messages show them.
local M = {}

--- Groups the digits of a whole number by three: `3,697`.
---@param number integer
---@return string
function M.grouped(number)
  local text = ('%d'):format(number):reverse():gsub('%d%d%d', '%0,'):reverse():gsub('^,', '')
  return text
end

--- Renders a number with its noun: `1 file`, `3,697 tokens`.
---@param number integer
---@param one string
---@return string
function M.count(number, one)
  return ('%s %s%s'):format(M.grouped(number), one, number == 1 and '' or 's')
end

return M
