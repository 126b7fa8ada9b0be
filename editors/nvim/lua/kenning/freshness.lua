-- Describes in a few words what an answer does not include yet.
local M = {}

--- Puts the parts of a description in parentheses; empty without parts.
local function join(parts)
  return #parts > 0 and (' (' .. table.concat(parts, ', ') .. ')') or ''
end

--- Lists the files whose latest text the answer does not include yet.
local function list_files(freshness)
  local parts = {}
  local function add(count, one, many)
    if type(count) == 'number' and count > 0 then
      table.insert(parts, ('%d %s'):format(count, count == 1 and one or many))
    end
  end
  add(freshness.pending_files, 'file is not indexed yet', 'files are not indexed yet')
  add(freshness.broken_files, 'open file has syntax errors', 'open files have syntax errors')
  add(freshness.desynchronized_files, 'open file is out of sync', 'open files are out of sync')
  add(freshness.large_files, 'large open file is indexed when saved', 'large open files are indexed when saved')
  return parts
end

--- Describes the files whose latest text the answer does not include yet.
---@param freshness? table
---@return string empty if the answer is current
function M.describe_files(freshness)
  return join(list_files(freshness or {}))
end

--- Describes everything that a ranked answer does not include yet: files, commits and vectors.
---@param freshness? table
---@return string empty if the answer is current
function M.describe(freshness)
  freshness = freshness or {}
  local parts = list_files(freshness)
  if freshness.history_pending == true then
    table.insert(parts, 'commits are not read yet')
  end
  if freshness.vectors_pending == true then
    table.insert(parts, 'vectors are not computed yet')
  end
  return join(parts)
end

return M
