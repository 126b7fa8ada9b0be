-- A killed server restarts unless it keeps crashing. `:Kenning restart` always starts a server.
local t = require('support')

vim.cmd.edit('src/itsdangerous/signer.py')
local client = t.wait_until_ready()

local function has_lens()
  return (t.lens('class Signer') or ''):find(' test', 1, true) ~= nil
end

--- Returns the Kenning processes that this Neovim started.
local function find_processes()
  local children = {}
  for _, child in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    local process = vim.api.nvim_get_proc(child)
    if process and process.name == 'kenning' then
      table.insert(children, child)
    end
  end
  return children
end

local function kill_server()
  local old = t.clients()[1]
  vim.uv.kill(find_processes()[1], 'sigkill')
  t.wait('the client of the killed server has ended', function()
    return vim.lsp.get_client_by_id(old.id) == nil
  end)
end

t.wait('there are lenses', has_lens, t.lenses)
for round = 1, 3 do
  local before = t.clients()[1].id
  kill_server()
  t.wait(('the server restarts after being killed, %d'):format(round), function()
    local now = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
    return now ~= nil and now.id ~= before and now.initialized == true
  end)
  t.wait_until_ready()
  t.check('the restart is reported', t.has_message('the server crashed and is restarting'), t.messages)
end
t.wait('the restarted server draws lenses', has_lens, t.lenses)
kill_server()
t.wait('a server that keeps crashing is not restarted', function()
  return t.has_message('the server keeps crashing')
end)
t.check('no process is left', #find_processes() == 0, find_processes())

vim.cmd('Kenning restart')
t.wait('the restart command starts the server', function()
  local now = t.clients()[1]
  return now ~= nil and now.initialized == true
end)
vim.cmd.edit()
t.wait_until_ready()
t.wait('the new server draws lenses', has_lens, t.lenses)
local before = t.clients()[1].id
t.check('the new server has a new client', before ~= client.id)
vim.cmd('Kenning restart')
t.wait('the restart command replaces a running server', function()
  local now = vim.lsp.get_clients({ name = 'kenning', bufnr = 0 })[1]
  return now ~= nil and now.id ~= before and now.initialized == true
end)
t.wait('only the process of the new server is left', function()
  return #find_processes() == 1
end, find_processes)
