-- `:Kenning note` writes and lists notes.
local t = require('support')

local settings = 'knowledge.folder = "notes-of-spec"\n'
local config = io.open('kenning.toml', 'w')
config:write(settings)
config:close()

vim.cmd.edit('src/itsdangerous/signer.py')
t.wait_until_ready()
vim.fn.search('class Signer')
vim.cmd.normal({ 'w', bang = true })
vim.cmd('Kenning note --tag=design Why keys rotate')
t.wait('the note is opened', function()
  return vim.fn.expand('%:t') == 'why-keys-rotate.md'
end)
local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
t.check('the note has its title', text:find('Why keys rotate', 1, true), text)
t.check('the note has its tag', text:find('design', 1, true), text)
t.check('the note is linked to the symbol', text:find('src/itsdangerous/signer.py::Signer', 1, true), text)

vim.cmd.edit('src/itsdangerous/signer.py')
vim.cmd('Kenning note --to=buffer')
t.wait('the notes are listed', function()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('Why keys rotate', 1, true)
end)
vim.fn.delete('notes-of-spec', 'rf')
vim.fn.delete('kenning.toml')
