-- Maps for all commands below one prefix, with a group in which-key if that plugin is installed.
local M = {}

--- The maps: the key after the prefix, the <Plug> mapping, the description, and the modes.
M.MAPS = {
  { 'p', 'pack', 'Copy the pack for a task', { 'n', 'x' } },
  { 'f', 'files', 'Pack for this file' },
  { 'd', 'changes', 'Pack for the change' },
  { 'b', 'blast', 'Blast radius of the symbol' },
  { 't', 'tests', 'Tests of the change' },
  { 's', 'search', 'Search the code graph', { 'n', 'x' } },
  { 'w', 'why', 'Why the symbol has its rank' },
  { 'l', 'lens', 'Run the lens of this line' },
  { 'i', 'status', 'Status of the index' },
}

--- Maps all commands below a prefix such as `<leader>k`.
---@param prefix string
function M.set(prefix)
  for _, map in ipairs(M.MAPS) do
    local key, name, description, modes = unpack(map)
    vim.keymap.set(modes or 'n', prefix .. key, ('<Plug>(kenning-%s)'):format(name), { desc = description })
  end
  local found, which_key = pcall(require, 'which-key')
  if not found then
    return
  end
  if which_key.add then
    which_key.add({ { prefix, group = 'Kenning', mode = { 'n', 'x' } } })
  else -- which-key 2
    which_key.register({ [prefix] = { name = '+Kenning' } }, { mode = { 'n', 'x' } })
  end
end

return M
