-- A killed server restarts; one that keeps crashing does not; `:Kenning restart` always starts it.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
local client = t.ready()

local function has_lens()
  return (t.lens('class Signer') or ''):find(' test', 1, true) ~= nil
end

--- Returns the Kenning processes that this Neovim started.
local function processes()
  local children = {}
  for _, child in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    local process = vim.api.nvim_get_proc(child)
    if process and process.name == 'kenning' then
      table.insert(children, child)
    end
  end
  return children
end

local function kill()
  local old = t.clients()[1]
  vim.uv.kill(processes()[1], 'sigkill')
  t.wait('the killed one is gone', function()
    return vim.lsp.get_client_by_id(old.id) == nil
  end)
end

t.wait('there are lenses', has_lens, t.lenses)
for round = 1, 3 do
  local before = t.clients()[1].id
  kill()
  t.wait(('it is back after being killed, %d'):format(round), function()
    local now = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
    return now ~= nil and now.id ~= before and now.initialized == true
  end)
  t.ready()
  t.check('that is said', t.was_said('the server crashed and is restarting'), t.said)
end
t.wait('and its lenses', has_lens, t.lenses)
kill()
t.wait('then it is left alone', function()
  return t.was_said('the server keeps crashing')
end)
t.check('no process is left', #processes() == 0, processes())

vim.cmd('Kenning restart')
t.wait(':Kenning restart starts it', function()
  local now = t.clients()[1]
  return now ~= nil and now.initialized == true
end)
vim.cmd.edit()
t.ready()
t.wait('with lenses', has_lens, t.lenses)
local before = t.clients()[1].id
t.check('as another client', before ~= client.id)
vim.cmd('Kenning restart')
t.wait('a running one is replaced', function()
  local now = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
  return now ~= nil and now.id ~= before and now.initialized == true
end)
t.wait('its process as well', function()
  return #processes() == 1
end, processes)
