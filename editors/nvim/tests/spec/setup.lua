-- The options of setup(), and its messages about mistakes. Run with KENNING_TEST_BARE.
local t = require('support')

-- Without an open file and a running server, the command starts a server for the current folder.
vim.cmd('Kenning context --register=a --no-learning sign values')
t.wait('a pack comes without an open file', function()
  return t.was_said('copied to register a: ')
end)
t.check('no server was enabled for that', #vim.lsp.get_clients({ bufnr = 0 }) == 0)
for _, client in ipairs(t.clients()) do
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end
t.wait('it can be stopped', function()
  return #t.clients() == 0
end)
local from = #t.said + 1
vim.cmd.edit('src/itsdangerous/signer.py')
t.check('nothing starts by itself', #t.clients() == 0)

require('kenning').setup({
  cmd = { 'kenning', 'serve' },
  settings = { codeLens = { kinds = { 'class' } }, pack = { budget = 900 } },
  code_lens = 'yes',
  nonsense = 1,
  context = { to = 'buffer', format = 'xml', learning = false, depth = 2 },
  places = { to = 'select' },
})
t.check('slips are named', #t.said == from + 2, t.said)
t.check('a wrong type', t.was_said("`code_lens` must be a boolean, not 'yes'", from) or t.was_said('`code_lens`', from))
t.check('no option', t.was_said('`nonsense` is not an option of Kenning', from), t.said)
t.check('no option inside', t.was_said('`context.depth` is not an option of Kenning', from), t.said)

t.ready()
t.wait('classes have lenses', function()
  return t.lens('class Signer') ~= nil
end, t.lenses)
t.check('functions have none: the settings count', t.lens('def derive_key') == nil, t.lenses())

vim.cmd('Kenning context sign values')
t.wait('packs go to a buffer', function()
  return vim.api.nvim_buf_get_name(0) == 'kenning://context/sign values'
end)
t.check('as XML', vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]:sub(1, 1) == '<')
t.wait('the number of tokens is said', function()
  return t.was_said(' symbols, ', from)
end)
local tokens = tonumber(t.said[#t.said]:match(' (%d+) tokens'))
t.check('within the budget of the settings', tokens and tokens <= 900, t.said[#t.said])
vim.cmd.bwipeout()

local offered
vim.ui.select = function(items)
  offered = items
end
t.stand_on('class Signer', 'Signer')
vim.cmd('Kenning blast')
t.wait('places are offered', function()
  return offered ~= nil and #offered > 0
end)

-- The interface for other plugins.
local pack
require('kenning').pack({ task = 'sign values' }, function(answer)
  pack = answer
end)
t.wait('a pack comes as data', function()
  return pack ~= nil
end)
t.check('with its symbols', pack.schema == 1 and #pack.symbols > 0)
