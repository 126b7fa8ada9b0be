-- Describes in a few words what an answer does not include yet.
local M = {}

--- Describes the files whose latest text the answer does not include yet.
---@param freshness? table
---@return string empty if the answer is current
function M.describe(freshness)
  local parts = {}
  local function add(count, one, many)
    if type(count) == 'number' and count > 0 then
      table.insert(parts, ('%d %s'):format(count, count == 1 and one or many))
    end
  end
  freshness = freshness or {}
  add(freshness.pending_files, 'file is not indexed yet', 'files are not indexed yet')
  add(freshness.broken_files, 'open file has syntax errors', 'open files have syntax errors')
  add(freshness.desynchronized_files, 'open file is out of sync', 'open files are out of sync')
  add(freshness.large_files, 'large open file is indexed when saved', 'large open files are indexed when saved')
  return #parts > 0 and (' (' .. table.concat(parts, ', ') .. ')') or ''
end

return M
