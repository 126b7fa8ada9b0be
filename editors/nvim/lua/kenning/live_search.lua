-- Asks the server while the user types. Sends a question when the query has not changed for the
-- debounce time, and cancels the previous question. Pickers show the entries in the order of the
-- server.
local freshness = require('kenning.freshness')
local list = require('kenning.list')
local lsp = require('kenning.lsp')

-- Time without a change before a question is sent, in milliseconds.
local DEBOUNCE = 120
-- Maximum number of requested hits.
local MAX_HITS = 50

---@class kenning.LiveSearch
---@field private client vim.lsp.Client
---@field private argument table the scope, the mode and the document of all questions
---@field private buffer integer
---@field private number integer the number of the current question
---@field private request? integer the id of the pending request
---@field private dropped? fun() called when a new question replaces the current one
---@field private notes table<string, true> the messages that were shown
local LiveSearch = {}
LiveSearch.__index = LiveSearch

---@class kenning.SearchEntry: kenning.ListEntry
---@field name string
---@field kind string
---@field place string the file relative to the workspace, with the line of a symbol
---@field about string the signature, or else the kind
---@field filename string
---@field lnum integer from 1
---@field col integer in bytes, from 1

--- Creates a search for a workspace.
---@param client vim.lsp.Client
---@param buffer integer the user's current buffer
---@param choice { scope?: string, mode?: string }
---@return kenning.LiveSearch
function LiveSearch.new(client, buffer, choice)
  local argument = { scope = choice.scope, mode = choice.mode, maxResults = MAX_HITS }
  if client.attached_buffers[buffer] then
    argument.textDocument = { uri = vim.uri_from_bufnr(buffer) }
  end
  return setmetatable({ client = client, argument = argument, buffer = buffer, number = 0, notes = {} }, LiveSearch)
end

-- Maximum length of a signature in a row, in characters. Generated signatures fill screens.
local MAX_SIGNATURE = 80

--- Returns the start of a text that is too long for a row.
local function shorten(text)
  if vim.fn.strchars(text) <= MAX_SIGNATURE then
    return text
  end
  return vim.fn.strcharpart(text, 0, MAX_SIGNATURE - 1) .. '…'
end

--- Returns the entries of an answer, in its order, without hits in unreadable files.
---@param answer kenning.protocol.SearchAnswer
---@param encoding string
---@return kenning.SearchEntry[]
local function to_entries(answer, encoding)
  local hits = vim.tbl_filter(function(hit)
    return hit.location ~= nil
  end, answer.hits)
  local locations = vim.tbl_map(function(hit)
    return hit.location
  end, hits)
  local entries = {}
  for number, item in ipairs(list.locations_to_quickfix_items(locations, encoding)) do
    local hit = hits[number]
    if item then
      local about = shorten(hit.signature or hit.kind)
      table.insert(entries, {
        text = ('%s  %s'):format(hit.name, about),
        location = hit.location,
        name = hit.name,
        kind = hit.kind,
        place = hit.line and ('%s:%d'):format(hit.file, hit.line) or hit.file,
        about = about,
        filename = item.filename,
        lnum = item.lnum,
        col = item.col,
      })
    end
  end
  return entries
end

--- Shows a message unless this search has already shown it.
function LiveSearch:note(message, level)
  if not self.notes[message] then
    self.notes[message] = true
    lsp.notify(message, level)
  end
end

--- Sends a question now and calls `done` with the entries. After an error, notifies the user and
--- calls `done` without entries.
---@param query string
---@param done fun(entries: kenning.SearchEntry[], has_failed: boolean)
function LiveSearch:send(query, done)
  local number = self.number
  local argument = vim.tbl_extend('error', { query = query }, self.argument)
  local params = { command = 'kenning.search', arguments = { argument } }
  self.request = lsp.request(self.client, 'workspace/executeCommand', params, function(problem, answer)
    if self.number ~= number then
      return
    end
    self.request, self.dropped = nil, nil
    if problem then
      self:note(problem.message, vim.log.levels.ERROR)
      done({}, true)
      return
    end
    local stale = freshness.describe(answer.freshness)
    if stale ~= '' then
      self:note('the results are incomplete' .. stale)
    end
    done(to_entries(answer, self.client.offset_encoding), false)
  end, self.buffer)
end

--- Asks a question after the debounce time. Calls `done` with the entries, or with nil if another
--- question replaced this one.
---@param query string
---@param done fun(entries: kenning.SearchEntry[]?)
function LiveSearch:ask(query, done)
  self:stop()
  if vim.trim(query) == '' then
    done({})
    return
  end
  local number = self.number
  self.dropped = done
  vim.defer_fn(function()
    if self.number == number then
      self:send(query, done)
    end
  end, DEBOUNCE)
end

--- Drops the current question: cancels its request and calls its callback without entries.
function LiveSearch:stop()
  self.number = self.number + 1
  local request, dropped = self.request, self.dropped
  self.request, self.dropped = nil, nil
  if request then
    lsp.cancel(self.client, request)
  end
  if dropped then
    dropped()
  end
end

return LiveSearch
