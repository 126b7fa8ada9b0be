-- Describes in a few words how current an answer is.
local M = {}

---@param freshness? table
---@return string empty if the answer is current
function M.words(freshness)
  local said = {}
  local function say(count, one, many)
    if type(count) == 'number' and count > 0 then
      table.insert(said, ('%d %s'):format(count, count == 1 and one or many))
    end
  end
  freshness = freshness or {}
  say(freshness.pending_files, 'file is not indexed yet', 'files are not indexed yet')
  say(freshness.broken_files, 'open file does not parse', 'open files do not parse')
  say(freshness.desynchronised_files, 'open file counts as it is on disk', 'open files count as they are on disk')
  say(freshness.large_files, 'large open file counts when it is saved', 'large open files count when they are saved')
  return #said > 0 and (' (' .. table.concat(said, ', ') .. ')') or ''
end

return M
