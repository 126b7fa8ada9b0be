-- The arguments of `:Kenning`: flags first, then the arguments of the subcommand.
local choices = require('kenning.search_choices')

local M = {}

---@class kenning.Flag
---@field values? string[] The allowed values; any value if absent.
---@field number? boolean Whether the value is a number.
---@field negates? string The option that the flag switches off; the flag has no value then.
---@field switch? boolean Whether the flag switches its option on; the flag has no value then.

local LIST_DESTINATIONS = { 'quickfix', 'select', 'buffer', 'float', 'register' }
local USER_DESTINATIONS = { 'quickfix', 'tree', 'select', 'buffer', 'float', 'register' }
local TEXT_DESTINATIONS = { 'register', 'buffer', 'float' }

---@type table<string, kenning.Flag>
local REGISTER_FLAG = { register = {} }

local PACK_FLAGS = vim.tbl_extend('error', {
  to = { values = TEXT_DESTINATIONS },
  format = { values = require('kenning.protocol').pack_formats },
  budget = { number = true },
  ['no-learning'] = { negates = 'learning' },
}, REGISTER_FLAG)

---@type table<string, table<string, kenning.Flag>> The flags of each subcommand.
M.FLAGS = {
  pack = vim.tbl_extend('error', { ['no-position'] = { negates = 'position' } }, PACK_FLAGS),
  files = PACK_FLAGS,
  changes = PACK_FLAGS,
  blast = vim.tbl_extend('error', { to = { values = USER_DESTINATIONS }, depth = { number = true } }, REGISTER_FLAG),
  tests = vim.tbl_extend('error', { to = { values = LIST_DESTINATIONS }, base = {} }, REGISTER_FLAG),
  search = {
    to = { values = { 'quickfix', 'select', 'picker' } },
    scope = { values = choices.scopes },
    mode = { values = choices.modes },
    picker = { values = choices.pickers },
  },
  note = vim.tbl_extend(
    'error',
    { to = { values = TEXT_DESTINATIONS }, tag = {}, ['no-position'] = { negates = 'position' } },
    REGISTER_FLAG
  ),
  why = {
    to = { values = TEXT_DESTINATIONS },
    task = {},
    register = {},
    ['no-learning'] = { negates = 'learning' },
    numbers = { switch = true },
  },
}

--- Returns the option that a flag sets, its value, and a message if the value is invalid.
local function parse_value(name, flag, value)
  if flag.negates or flag.switch then
    return flag.negates or name, flag.switch == true, value and ('--%s takes no value'):format(name)
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
---@return table? values by name; nil if a flag is invalid
---@return string rest the remaining text, or the error message
function M.parse(subcommand, text)
  local values, rest = {}, vim.trim(text)
  while vim.startswith(rest, '--') do
    local word, remaining = rest:match('^(%S+)%s*(.*)$')
    if word == '--' then
      return values, remaining
    end
    local name, value = word:match('^%-%-([%w-]+)=?(.*)$')
    -- A quoted value may contain spaces.
    local quoted, after_quoted = rest:match('^%-%-[%w-]+="([^"]*)"%s*(.*)$')
    if quoted then
      value, remaining = quoted, after_quoted
    end
    local flag = name and (M.FLAGS[subcommand] or {})[name]
    if not flag then
      return nil, ('%s is not a flag of :Kenning %s'):format(word, subcommand)
    end
    local has_value = word:find('=', 1, true) ~= nil
    local key, parsed, problem = parse_value(name, flag, has_value and value or nil)
    if problem then
      return nil, problem
    end
    values[key] = parsed
    rest = remaining
  end
  return values, rest
end

--- Returns the flags of a subcommand that start with `lead`, with their values.
---@param subcommand string
---@param lead string
---@return string[]
function M.complete(subcommand, lead)
  local completions = {}
  for name, flag in vim.spairs(M.FLAGS[subcommand] or {}) do
    if flag.values then
      for _, value in ipairs(flag.values) do
        table.insert(completions, ('--%s=%s'):format(name, value))
      end
    else
      table.insert(completions, '--' .. name .. (flag.negates and '' or '='))
    end
  end
  return vim.tbl_filter(function(completion)
    return vim.startswith(completion, lead)
  end, completions)
end

return M
