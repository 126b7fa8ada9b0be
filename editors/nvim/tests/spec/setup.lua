-- The options of setup(), and its messages about invalid options. Runs with KENNING_TEST_BARE.
local t = require('support')

-- Without an open file and a running server, the command starts a server for the current folder.
vim.cmd('Kenning pack --register=a --no-learning sign values')
t.wait('a pack is copied without an open file', function()
  return t.has_message('copied to register a: ')
end)
t.check('the server is not attached to the buffer', #vim.lsp.get_clients({ bufnr = 0 }) == 0)
for _, client in ipairs(t.clients()) do
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end
t.wait('the server can be stopped', function()
  return #t.clients() == 0
end)
local from = #t.messages + 1
vim.cmd.edit('src/itsdangerous/signer.py')
t.check('no server starts without setup()', #t.clients() == 0)

require('kenning').setup({
  cmd = { 'kenning', 'serve' },
  settings = { codeLens = { kinds = { 'class' } }, pack = { budget = 900 } },
  code_lens = 'yes',
  nonsense = 1,
  context = { to = 'buffer', format = 'xml', learning = false, depth = 2 },
  places = { to = 'select' },
})
t.check('invalid options are reported', #t.messages == from + 2, t.messages)
t.check(
  'a wrong type is reported',
  t.has_message("`code_lens` must be a boolean, not 'yes'", from) or t.has_message('`code_lens`', from)
)
t.check('an unknown option is reported', t.has_message('`nonsense` is not an option of Kenning', from), t.messages)
t.check(
  'an unknown nested option is reported',
  t.has_message('`context.depth` is not an option of Kenning', from),
  t.messages
)

t.wait_until_ready()
t.wait('classes have lenses', function()
  return t.lens('class Signer') ~= nil
end, t.lenses)
t.check('the settings hide the lenses of functions', t.lens('def derive_key') == nil, t.lenses())

vim.cmd('Kenning pack sign values')
t.wait('the pack is shown in a buffer', function()
  return vim.api.nvim_buf_get_name(0) == 'kenning://pack/sign values'
end)
t.check('the pack is XML', vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:sub(1, 1) == '<')
t.wait('the number of tokens is shown', function()
  return t.has_message(' symbols, ', from)
end)
local tokens = tonumber(t.messages[#t.messages]:match(' (%d+) tokens'))
t.check('the pack is within the budget of the settings', tokens and tokens <= 900, t.messages[#t.messages])
vim.cmd.bwipeout()

local entries
vim.ui.select = function(items)
  entries = items
end
t.move_to('class Signer', 'Signer')
vim.cmd('Kenning blast')
t.wait('the entries are shown in vim.ui.select', function()
  return entries ~= nil and #entries > 0
end)

-- The API for other plugins.
local pack
require('kenning').pack({ task = 'sign values' }, function(answer)
  pack = answer
end)
t.wait('the API returns a pack', function()
  return pack ~= nil
end)
t.check('the pack has symbols', pack.schema == 2 and #pack.symbols > 0)
