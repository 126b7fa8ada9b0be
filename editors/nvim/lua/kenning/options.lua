-- The plugin's own options: their types, their defaults, and the user's values from `setup()`.
local M = {}

---@class kenning.Options
---@field cmd? string[] The program and its arguments.
---@field settings? kenning.Settings The server's settings; |kenning-settings.txt|.
---@field lsp? table Additional fields of the client's configuration, in the form that `vim.lsp.config()` takes.
---@field code_lens? boolean Draw lenses.
---@field context? kenning.ContextOptions
---@field places? kenning.PlacesOptions
---@field search? kenning.SearchOptions

---@class kenning.ContextOptions
---@field to? 'register'|'buffer'|'float' Destination of packs.
---@field register? string The register. Defaults to `+` if there is a clipboard, else to the unnamed register.
---@field format? kenning.protocol.PackFormat The format of packs.
---@field budget? integer Maximum size in tokens. Defaults to the server's settings.
---@field learning? boolean Let feedback and recently shown symbols affect the pack, and store what this pack shows.
---@field position? boolean Let the cursor's position affect the pack.

---@class kenning.PlacesOptions
--- Destination of blast radius and affected tests. Tests have no tree.
---@field to? 'quickfix'|'tree'|'select'|'buffer'|'float'|'register'

---@class kenning.SearchOptions
---@field picker? 'telescope'|'snacks'|'fzf-lua'|'mini.pick'|'select' Defaults to the first that is installed.

---@type kenning.Options
local defaults = {
  cmd = { 'kenning', 'serve' },
  settings = {},
  lsp = {},
  code_lens = true,
  context = { to = 'register', format = 'markdown', learning = true, position = true },
  places = { to = 'quickfix' },
  search = {},
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
  ['context.format'] = require('kenning.protocol').pack_formats,
  ['context.budget'] = 'number',
  ['context.learning'] = 'boolean',
  ['context.position'] = 'boolean',
  places = 'table',
  ['places.to'] = { 'quickfix', 'tree', 'select', 'buffer', 'float', 'register' },
  search = 'table',
  ['search.picker'] = require('kenning.search_choices').pickers,
}

local current, current_mistakes = defaults, {}

--- Returns a message if the value of an option is invalid, else nil.
local function find_mistake(name, value)
  local allowed = types[name]
  if allowed == nil then
    return ('`%s` is not an option of Kenning; see :help kenning-options'):format(name)
  end
  if type(allowed) == 'string' then
    return type(value) ~= allowed and ('`%s` must be a %s, not %s'):format(name, allowed, vim.inspect(value)) or nil
  end
  if not vim.tbl_contains(allowed, value) then
    return ('`%s` must be one of %s, not %s'):format(name, table.concat(allowed, ', '), vim.inspect(value))
  end
end

--- Sets the valid options and returns messages about the others.
---@param options? kenning.Options
---@return string[] mistakes
function M.set(options)
  local mistakes, valid = {}, {}
  for name, value in pairs(options or {}) do
    local mistake = find_mistake(name, value)
    if mistake then
      table.insert(mistakes, mistake)
    elseif name == 'context' or name == 'places' or name == 'search' then
      valid[name] = {}
      for part, part_value in pairs(value) do
        mistake = find_mistake(name .. '.' .. part, part_value)
        if mistake then
          table.insert(mistakes, mistake)
        else
          valid[name][part] = part_value
        end
      end
    else
      valid[name] = value
    end
  end
  local merged = vim.tbl_deep_extend('force', defaults, valid)
  -- A list replaces the default as a whole.
  merged.cmd = valid.cmd or defaults.cmd
  current = merged
  table.sort(mistakes)
  current_mistakes = mistakes
  return mistakes
end

--- Returns messages about the invalid options of the last `set`.
---@return string[]
function M.mistakes()
  return current_mistakes
end

--- Returns the current options.
---@return kenning.Options
function M.get()
  return current
end

return M
