-- The arguments of `:Kenning`: flags first, then the arguments of the subcommand.
local M = {}

---@class kenning.Flag
---@field values? string[] The allowed values; any value if absent.
---@field number? boolean Whether the value is a number.
---@field negates? string The option that the flag switches off; the flag has no value then.
---@field sets? string The name of the value, if it differs from the flag's.

local PLACES = { 'quickfix', 'select', 'buffer', 'float', 'register' }
local USERS = { 'quickfix', 'tree', 'select', 'buffer', 'float', 'register' }
local PACKS = { 'register', 'buffer', 'float' }

---@type table<string, kenning.Flag>
local REGISTER = { register = {} }

local PACK = vim.tbl_extend('error', {
  to = { values = PACKS },
  format = { values = { 'markdown', 'xml', 'json' } },
  budget = { number = true },
  ['no-learning'] = { negates = 'learning' },
}, REGISTER)

---@type table<string, table<string, kenning.Flag>> The flags of each subcommand.
M.FLAGS = {
  context = vim.tbl_extend('error', { ['no-position'] = { negates = 'position' } }, PACK),
  files = PACK,
  changes = PACK,
  blast = vim.tbl_extend('error', { to = { values = USERS }, depth = { number = true } }, REGISTER),
  tests = vim.tbl_extend('error', { to = { values = PLACES }, base = {} }, REGISTER),
  explain = { to = { values = PACKS }, task = {}, register = {}, ['no-learning'] = { negates = 'learning' } },
}

local function value_of(name, flag, value)
  if flag.negates then
    return flag.negates, false, value and ('--%s takes no value'):format(name)
  end
  if not value or value == '' then
    return nil, nil, ('--%s needs a value: --%s=...'):format(name, name)
  end
  if flag.number then
    local number = tonumber(value)
    return name, number, not number and ('--%s: %s is not a number'):format(name, value)
  end
  if flag.values and not vim.tbl_contains(flag.values, value) then
    return nil, nil, ('--%s must be one of %s, not %s'):format(name, table.concat(flag.values, ', '), value)
  end
  return name, value
end

--- Parses the flags at the start of a text. A lone `--` ends them.
---@param subcommand string
---@param text string
---@return table? values by name; nil if a flag is wrong
---@return string rest the remaining text, or the error message
function M.parse(subcommand, text)
  local values, rest = {}, vim.trim(text)
  while vim.startswith(rest, '--') do
    local word, behind = rest:match('^(%S+)%s*(.*)$')
    if word == '--' then
      return values, behind
    end
    local name, value = word:match('^%-%-([%w-]+)=?(.*)$')
    -- A quoted value may contain spaces.
    local quoted, after = rest:match('^%-%-[%w-]+="([^"]*)"%s*(.*)$')
    if quoted then
      value, behind = quoted, after
    end
    local flag = name and (M.FLAGS[subcommand] or {})[name]
    if not flag then
      return nil, ('%s is not a flag of :Kenning %s'):format(word, subcommand)
    end
    local has_value = word:find('=', 1, true) ~= nil
    local key, taken, wrong = value_of(name, flag, has_value and value or nil)
    if wrong then
      return nil, wrong
    end
    values[key] = taken
    rest = behind
  end
  return values, rest
end

--- Completes a flag.
---@param subcommand string
---@param lead string
---@return string[]
function M.complete(subcommand, lead)
  local found = {}
  for name, flag in vim.spairs(M.FLAGS[subcommand] or {}) do
    if flag.values then
      for _, value in ipairs(flag.values) do
        table.insert(found, ('--%s=%s'):format(name, value))
      end
    else
      table.insert(found, '--' .. name .. (flag.negates and '' or '='))
    end
  end
  return vim.tbl_filter(function(one)
    return vim.startswith(one, lead)
  end, found)
end

return M
