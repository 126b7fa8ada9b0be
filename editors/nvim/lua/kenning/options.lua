-- The plugin's own options: their types, their defaults and the values given to `setup()`.
local M = {}

---@class kenning.Options
---@field cmd? string[] The program and its arguments.
---@field settings? kenning.Settings The server's settings; |kenning-settings.txt|.
---@field lsp? table Additional fields of the client's configuration, in the form that `vim.lsp.config()` takes.
---@field code_lens? boolean Draw lenses.
---@field context? kenning.ContextOptions
---@field places? kenning.PlacesOptions

---@class kenning.ContextOptions
---@field to? 'register'|'buffer'|'float' Destination of packs.
---@field register? string The register. Defaults to `+` if there is a clipboard, else to the unnamed register.
---@field format? 'markdown'|'xml'|'json' The format of packs.
---@field budget? integer Maximum size in tokens. Defaults to the server's settings.
---@field learning? boolean Let feedback and recently shown symbols affect the pack, and store what this pack shows.
---@field position? boolean Let the cursor's position affect the pack.

---@class kenning.PlacesOptions
---@field to? 'quickfix'|'tree'|'select'|'buffer'|'float'|'register' Where places are shown; tests are no `tree`.

---@type kenning.Options
local defaults = {
  cmd = { 'kenning', 'serve' },
  settings = {},
  lsp = {},
  code_lens = true,
  context = { to = 'register', format = 'markdown', learning = true, position = true },
  places = { to = 'quickfix' },
}

---@type table<string, string> The allowed types or values of the options, by dotted name.
local types = {
  cmd = 'table',
  settings = 'table',
  lsp = 'table',
  code_lens = 'boolean',
  context = 'table',
  ['context.to'] = { 'register', 'buffer', 'float' },
  ['context.register'] = 'string',
  ['context.format'] = { 'markdown', 'xml', 'json' },
  ['context.budget'] = 'number',
  ['context.learning'] = 'boolean',
  ['context.position'] = 'boolean',
  places = 'table',
  ['places.to'] = { 'quickfix', 'tree', 'select', 'buffer', 'float', 'register' },
}

local current, wrong_ones = defaults, {}

--- Returns a message if the value of an option is wrong, else nil.
local function mistake(name, value)
  local wanted = types[name]
  if wanted == nil then
    return ('`%s` is not an option of Kenning; see :help kenning-options'):format(name)
  end
  if type(wanted) == 'string' then
    return type(value) ~= wanted and ('`%s` must be a %s, not %s'):format(name, wanted, vim.inspect(value)) or nil
  end
  if not vim.tbl_contains(wanted, value) then
    return ('`%s` must be one of %s, not %s'):format(name, table.concat(wanted, ', '), vim.inspect(value))
  end
end

--- Sets the valid options and reports the others: a mistake affects only its own option.
---@param given? kenning.Options
---@return string[] mistakes
function M.set(given)
  local mistakes, taken = {}, {}
  for name, value in pairs(given or {}) do
    local wrong = mistake(name, value)
    if wrong then
      table.insert(mistakes, wrong)
    elseif name == 'context' or name == 'places' then
      taken[name] = {}
      for part, part_value in pairs(value) do
        wrong = mistake(name .. '.' .. part, part_value)
        if wrong then
          table.insert(mistakes, wrong)
        else
          taken[name][part] = part_value
        end
      end
    else
      taken[name] = value
    end
  end
  local merged = vim.tbl_deep_extend('force', defaults, taken)
  -- A list replaces the default as a whole.
  merged.cmd = taken.cmd or defaults.cmd
  current = merged
  table.sort(mistakes)
  wrong_ones = mistakes
  return mistakes
end

--- Returns the mistakes in the options that were given.
---@return string[]
function M.mistakes()
  return wrong_ones
end

---@return kenning.Options
function M.get()
  return current
end

return M
