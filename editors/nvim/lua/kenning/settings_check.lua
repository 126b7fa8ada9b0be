-- Compares the user's settings with the declared options.
local M = {}

--- Returns the declared option with this key; nil if there is none.
local function find_option(key)
  for _, option in ipairs(require('kenning.settings')) do
    local pattern = '^' .. vim.pesc(option.key):gsub('<name>', '[^.]+') .. '$'
    if key:match(pattern) then
      return option
    end
  end
end

--- Adds the values of nested settings to `flat`, by their dotted keys. Returns `flat`.
local function flatten(settings, prefix, flat)
  for name, value in pairs(settings) do
    local key = prefix == '' and tostring(name) or (prefix .. '.' .. tostring(name))
    if type(value) == 'table' and not vim.islist(value) and next(value) and not find_option(key) then
      flatten(value, key, flat)
    else
      flat[key] = value
    end
  end
  return flat
end

--- Returns the settings that differ from the defaults, and the keys that are not options.
---@param settings table the content of the section `kenning`
---@return { key: string, value: any }[] changed
---@return string[] unknown
function M.compare(settings)
  local changed, unknown = {}, {}
  for key, value in vim.spairs(flatten(settings, '', {})) do
    local option = find_option(key)
    if not option then
      table.insert(unknown, key)
    elseif not vim.deep_equal(option.default, value) then
      table.insert(changed, { key = key, value = value })
    end
  end
  return changed, unknown
end

return M
