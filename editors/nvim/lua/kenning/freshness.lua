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
  say(freshness.broken_files, 'open file has syntax errors', 'open files have syntax errors')
  say(freshness.desynchronised_files, 'open file is out of sync', 'open files are out of sync')
  say(freshness.large_files, 'large open file is indexed when saved', 'large open files are indexed when saved')
  return #said > 0 and (' (' .. table.concat(said, ', ') .. ')') or ''
end

return M
