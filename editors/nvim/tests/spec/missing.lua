-- If the program is not installed, one message explains what to do, and commands do not fail. Runs
-- with KENNING_TEST_BARE.
local t = require('support')

local setup = vim.fn.has('nvim-0.11') == 0
if setup then
  require('kenning').setup({ cmd = { 'no-such-kenning', 'serve' } })
else
  vim.lsp.config('kenning', { cmd = { 'no-such-kenning', 'serve' } })
  vim.lsp.enable('kenning')
end
vim.cmd.edit('src/itsdangerous/signer.py')
t.wait('a missing program is reported', function()
  return t.has_message("the program 'no-such-kenning' was not found")
end)
vim.cmd.edit('src/itsdangerous/timed.py')
vim.cmd('Kenning pack sign values')
vim.cmd('Kenning blast Signer')
vim.cmd('Kenning restart')
t.check('a missing program is reported once', #t.messages == 1, t.messages)
t.check(
  'the message has advice',
  t.messages[1]:find('Install it, or set its path in the option `cmd`', 1, true) ~= nil,
  t.messages
)
t.check('there is no client', #t.clients() == 0)
vim.cmd('checkhealth kenning')
local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
t.check(
  'checkhealth reports the missing program',
  report:find("ERROR The program 'no-such-kenning' was not found", 1, true) ~= nil,
  report
)
t.check('checkhealth has advice', report:find('cargo install', 1, true) ~= nil, report)
