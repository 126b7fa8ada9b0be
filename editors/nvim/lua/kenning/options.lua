-- The plugin's own options: what `setup()` takes, and the defaults.
local M = {}

---@class kenning.Options
---@field cmd? string[] The program and its arguments.
---@field settings? kenning.Settings The server's settings; |kenning-settings.txt|.
---@field lsp? table Further fields of the client's configuration, as `vim.lsp.config()` takes them.
---@field code_lens? boolean Draw lenses.
---@field context? kenning.ContextOptions
---@field places? kenning.PlacesOptions

---@class kenning.ContextOptions
---@field to? 'register'|'buffer'|'float' Where packs go.
---@field register? string The register; without it `+` where there is a clipboard, else the unnamed one.
---@field format? 'markdown'|'xml'|'json' The form of packs.
---@field budget? integer Tokens; without it the server's settings.
---@field learning? boolean Let what this session used before weigh in, and remember this pack.
---@field position? boolean Let the place of the cursor weigh in.

---@class kenning.PlacesOptions
---@field to? 'quickfix'|'select'|'buffer'|'float'|'register' Where blast radius and affected tests go.

---@type kenning.Options
local defaults = {
  cmd = { 'kenning', 'serve' },
  settings = {},
  lsp = {},
  code_lens = true,
  context = { to = 'register', format = 'markdown', learning = true, position = true },
  places = { to = 'quickfix' },
}

---@type table<string, string> What the options may be, by their names.
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
  ['places.to'] = { 'quickfix', 'select', 'buffer', 'float', 'register' },
}

local current, wrong_ones = defaults, {}

--- What is wrong with a value, or nil.
local function mistake(name, value)
  local wanted = types[name]
  if wanted == nil then
    return ('`%s` is no option of Kenning; see :help kenning-options'):format(name)
  end
  if type(wanted) == 'string' then
    return type(value) ~= wanted and ('`%s` must be a %s, not %s'):format(name, wanted, vim.inspect(value)) or nil
  end
  if not vim.tbl_contains(wanted, value) then
    return ('`%s` must be one of %s, not %s'):format(name, table.concat(wanted, ', '), vim.inspect(value))
  end
end

--- Takes over what fits, and says what does not: a slip in a configuration costs only itself.
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
  -- A list is meant as a whole.
  merged.cmd = taken.cmd or defaults.cmd
  current = merged
  table.sort(mistakes)
  wrong_ones = mistakes
  return mistakes
end

--- What was wrong with the options that were given.
---@return string[]
function M.mistakes()
  return wrong_ones
end

---@return kenning.Options
function M.get()
  return current
end

return M
