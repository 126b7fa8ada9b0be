-- Formats numbers and counts for messages.
local M = {}

--- Formats a whole number with its digits grouped by three: `3,697`.
---@param number integer
---@return string
function M.format_number(number)
  local text = ('%d'):format(number):reverse():gsub('%d%d%d', '%0,'):reverse():gsub('^,', '')
  return text
end

--- Formats a number with its noun: `1 file`, `3,697 tokens`.
---@param number integer
---@param noun string the singular
---@return string
function M.format_count(number, noun)
  return ('%s %s%s'):format(M.format_number(number), noun, number == 1 and '' or 's')
end

return M
