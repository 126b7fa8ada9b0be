-- Renders the state of the index and of the language servers as text.
local words = require('kenning.words')

local M = {}

local function has_value(value)
  return value ~= nil and value ~= vim.NIL
end

--- Appends a line for each language server of a folder.
local function add_servers(folder, lines)
  for _, server in ipairs(folder.enrichment or {}) do
    local location = has_value(server.folder) and server.folder ~= '' and (' in ' .. server.folder) or ''
    local reason = has_value(server.reason) and (': ' .. server.reason) or ''
    local changed = server.confirmed + server.retargeted + server.discovered
    local progress = changed > 0 and (', %s confirmed or corrected'):format(words.format_count(changed, 'reference'))
      or ''
    table.insert(lines, ('- %s%s: %s%s%s'):format(server.name, location, server.state, progress, reason))
  end
end

--- Renders a folder's status as lines of Markdown.
---@param folder table
---@return string[]
function M.folder_lines(folder)
  local lines = { '# ' .. folder.root, '' }
  local function add(label, value)
    if has_value(value) then
      table.insert(lines, ('- %s: %s'):format(label, value))
    end
  end
  add('state', folder.phase .. (has_value(folder.problem) and (': ' .. folder.problem) or ''))
  local counts = {
    words.format_count(folder.files, 'file'),
    words.format_count(folder.symbols, 'symbol'),
    words.format_count(folder.edges, 'edge'),
  }
  add('indexed', table.concat(counts, ', '))
  add('calls resolved', ('%s %% of %s'):format(folder.calls.resolved_percent, words.format_number(folder.calls.total)))
  add('indexed at', folder.indexed_at)
  add('commit', folder.head)
  add('files not indexed yet', folder.pending_files)
  local commits = words.format_count(folder.commits, 'commit')
  add('history', commits .. (folder.history_pending == true and ', not all read yet' or ' read'))
  add('unsaved files in the graph', folder.unsaved_files)
  add('file watching', folder.watch_problem)
  if has_value(folder.database) then
    add('database', ('%s, %.1f MB'):format(folder.database.path, folder.database.bytes / 1e6))
  end
  add('version', folder.version)
  if #(folder.enrichment or {}) > 0 then
    vim.list_extend(lines, { '', '## Language servers', '' })
    add_servers(folder, lines)
  end
  return lines
end

--- Renders the status of all folders as Markdown.
---@param status table
---@return string
function M.render(status)
  local lines = {}
  for _, folder in ipairs(status.folders) do
    vim.list_extend(lines, M.folder_lines(folder))
    table.insert(lines, '')
  end
  if #lines == 0 then
    lines = { 'No folder is open.' }
  end
  return table.concat(lines, '\n') .. '\n'
end

return M
