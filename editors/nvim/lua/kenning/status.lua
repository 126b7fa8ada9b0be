-- Renders the state of the index and of the language servers as text.
local words = require('kenning.words')

local M = {}

local function known(value)
  return value ~= nil and value ~= vim.NIL
end

local function servers(folder, lines)
  for _, server in ipairs(folder.enrichment or {}) do
    local where = known(server.folder) and server.folder ~= '' and (' in ' .. server.folder) or ''
    local why = known(server.reason) and (': ' .. server.reason) or ''
    local made = server.confirmed + server.retargeted + server.discovered
    local done = made > 0 and (', %s confirmed or corrected'):format(words.count(made, 'reference')) or ''
    table.insert(lines, ('- %s%s: %s%s%s'):format(server.name, where, server.state, done, why))
  end
end

--- Renders a folder's status as lines of Markdown.
---@param folder table
---@return string[]
function M.folder(folder)
  local lines = { '# ' .. folder.root, '' }
  local function say(what, value)
    if known(value) then
      table.insert(lines, ('- %s: %s'):format(what, value))
    end
  end
  say('state', folder.phase .. (known(folder.problem) and (': ' .. folder.problem) or ''))
  local counts = {
    words.count(folder.files, 'file'),
    words.count(folder.symbols, 'symbol'),
    words.count(folder.edges, 'edge'),
  }
  say('indexed', table.concat(counts, ', '))
  say('calls resolved', ('%s %% of %s'):format(folder.calls.resolved_percent, words.grouped(folder.calls.total)))
  say('indexed at', folder.indexed_at)
  say('commit', folder.head)
  say('files not indexed yet', folder.pending_files)
  say('unsaved files in the graph', folder.unsaved_files)
  say('file watching', folder.watch_problem)
  if known(folder.database) then
    say('database', ('%s, %.1f MB'):format(folder.database.path, folder.database.bytes / 1e6))
  end
  say('version', folder.version)
  if #(folder.enrichment or {}) > 0 then
    vim.list_extend(lines, { '', '## Language servers', '' })
    servers(folder, lines)
  end
  return lines
end

--- Renders the whole status.
---@param status table
---@return string
function M.text(status)
  local lines = {}
  for _, folder in ipairs(status.folders) do
    vim.list_extend(lines, M.folder(folder))
    table.insert(lines, '')
  end
  if #lines == 0 then
    lines = { 'No folder is open.' }
  end
  return table.concat(lines, '\n') .. '\n'
end

return M
